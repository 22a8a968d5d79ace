package ruletest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/recording"
)

func TestPacketsAddUp(t *testing.T) {
	h := New(2, 3)
	h.Packets(PacketService{Rate: 100, RTs: []time.Duration{time.Millisecond, 3 * time.Millisecond}, Idle: time.Millisecond, Handshakes: 2, ServerRTT: time.Millisecond})
	h.PacketConnection(PacketConnection{PacketConnection: recording.PacketConnection{Transactions: 300}, FromServer: recording.PacketSide{Timeouts: 1}})
	services := h.View().PacketServices()
	if len(services) != 1 {
		t.Fatalf("%d services, want 1", len(services))
	}
	s := services[0]
	type sums struct {
		Name                 string
		Count, Handshakes    int64
		Mean, Min, Max, Idle time.Duration
		ServerRTT, P99       time.Duration
		Connections          int
	}
	rtt, _, _ := s.ConnectRTT()
	got := sums{s.Name(), s.Count, s.Handshakes, s.Mean(), s.RTMin, s.RTMax, s.Idle, rtt, s.RTP99.Round(500 * time.Microsecond), len(s.Connections)}
	want := sums{"mysql 10.0.0.2:3306", 300, 6, 2 * time.Millisecond, time.Millisecond, 3 * time.Millisecond, 300 * time.Millisecond, time.Millisecond, 3 * time.Millisecond, 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("services (-want +got):\n%s", diff)
	}
	if c := s.Connections[0]; c.FromServer.Timeouts != 1 || c.FromClient.Sender != "client" || c.SYNs != 1 {
		t.Errorf("connection %+v lost its sides", c)
	}
}
