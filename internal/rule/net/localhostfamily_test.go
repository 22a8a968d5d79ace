package net

import (
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
)

func TestLocalhostFamily(t *testing.T) {
	type at struct {
		address string
		port    uint16
	}
	tests := []struct {
		name    string
		listens []at
		asked   string
		refused int64
		opened  float64 // connections that come in per second
		clients int     // that begin on loopback in the window
		change  func(*recording.TCPEvent)
		want    rule.Confidence
		says    string
	}{
		{"listens on 127.0.0.1", []at{{"127.0.0.1", 6379}}, "::1", 50, 0, 0, nil, rule.Likely, "redis-server listens on 127.0.0.1:6379 only, and clients connect to [::1]:6379: 50 connects were refused"},
		{"listens on ::1", []at{{"::1", 6379}}, "127.0.0.1", 50, 0, 0, nil, rule.Likely, "redis-server listens on [::1]:6379 only, and clients connect to 127.0.0.1:6379: 50 connects were refused"},
		{"listens on all addresses of IPv4", []at{{"0.0.0.0", 6379}}, "::1", 50, 0, 0, nil, rule.Likely, ""},
		{"other services have connections", []at{{"127.0.0.1", 6379}, {"10.0.0.1", 80}}, "::1", 50, 100, 0, nil, rule.Possible, ""},
		{"clients try both", []at{{"127.0.0.1", 6379}}, "::1", 50, 5, 50, nil, 0, ""},
		{"listens on both", []at{{"127.0.0.1", 6379}, {"::1", 6379}}, "::1", 50, 0, 0, nil, 0, ""},
		{"nobody listens", []at{{"127.0.0.1", 6380}}, "::1", 50, 0, 0, nil, 0, ""},
		{"listens outside of loopback", []at{{"10.0.0.1", 6379}}, "::1", 50, 0, 0, nil, 0, ""},
		{"a scan of ports", []at{{"127.0.0.1", 6379}}, "::1", 2, 0, 0, nil, 0, ""},
		{"from outside", []at{{"127.0.0.1", 6379}}, "fd00::1", 50, 0, 0, nil, 0, ""},
		{"in another network namespace", []at{{"127.0.0.1", 6379}}, "::1", 50, 0, 0, func(e *recording.TCPEvent) { e.NetNS = 2 }, 0, ""},
		{"a connection is reset", []at{{"127.0.0.1", 6379}}, "::1", 50, 0, 0, func(e *recording.TCPEvent) { e.State, e.LocalPort = recording.TCPEstablished, 4000 }, 0, ""},
		{"packets that no socket sent", []at{{"127.0.0.1", 6379}}, "::1", 50, 0, 0, func(e *recording.TCPEvent) {
			e.Kind, e.State, e.Reason, e.LocalPort, e.RemotePort = recording.TCPResetSent, 0, "NO_SOCKET", e.RemotePort, 0
		}, 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			owns(h, 1, 70, "redis-server")
			for i, l := range tt.listens {
				ruletest.Every(h, func(at time.Time, _ float64) recording.ListenerSample {
					return recording.ListenerSample{At: at, NetNS: 1, Local: l.address, Port: l.port, Inode: uint64(i + 1), Backlog: 511}
				})
			}
			counters(h, 1, map[string]float64{"TcpPassiveOpens": tt.opened})
			sockets(h, func(s float64, i int) recording.TCPSample {
				r := recording.TCPSample{NetNS: 1, Local: "127.0.0.1", LocalPort: uint16(4000 + i), Remote: "127.0.0.1", RemotePort: 6379, State: recording.TCPTimeWait}
				if s == 0 {
					r.LocalPort, r.RemotePort = 9, 9 // the first reading has another connection
				}
				return r
			}, tt.clients)
			e := recording.TCPEvent{At: ruletest.Start.Add(10 * time.Second), Span: 10 * time.Second, Kind: recording.TCPResetReceived, NetNS: 1, State: recording.TCPSynSent, Local: tt.asked, Remote: tt.asked, RemotePort: 6379, Packets: tt.refused}
			if tt.change != nil {
				tt.change(&e)
			}
			ruletest.Add(h, e)
			found := ruletest.Judge(t, h, localhostFamily, tt.want)
			if tt.says != "" && found[0].Headline.String() != tt.says {
				t.Errorf("headline %q, want %q", found[0].Headline, tt.says)
			}
		})
	}
}
