package net

import (
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
)

// The loopback of another network namespace does not lead to a listener of this one.
func TestConnectsOfOtherNamespaces(t *testing.T) {
	h := ruletest.New(2, 10)
	listens(h, listener{ns: 1, port: 8080, inode: 5, queue: []uint32{11}, backlog: 10, drops: 10})
	counters(h, 1, map[string]float64{"TcpExtListenOverflows": 10, "TcpExtListenDrops": 10, "TcpPassiveOpens": 10})
	owns(h, 5, 40, "app")
	connect := func(ns uint64, pid int32, process, remote string, state recording.TCPState) {
		sockets(h, func(s float64, i int) recording.TCPSample {
			return recording.TCPSample{NetNS: 1, Local: remote, LocalPort: 8080, Remote: remote, RemotePort: 41000, State: recording.TCPEstablished}
		}, 1)
		sockets(h, func(s float64, i int) recording.TCPSample {
			return recording.TCPSample{NetNS: ns, Local: remote, LocalPort: 42000, Remote: remote, RemotePort: 8080, State: state}
		}, 1)
		ruletest.Every(h, func(at time.Time, s float64) recording.Connect {
			return recording.Connect{At: at, Span: time.Second, NetNS: ns, PID: pid, Process: process, Remote: remote, RemotePort: 8080, Result: "ETIMEDOUT", Connects: 1, Time: time.Millisecond}
		})
	}
	connect(1, 76, "curl", "127.0.0.1", recording.TCPSynSent)
	connect(8, 77, "kube-probe", "127.0.0.1", recording.TCPSynSent)
	connect(9, 78, "client", "10.0.0.2", recording.TCPSynSent)
	f := ruletest.Judge(t, h, acceptQueueFull, rule.Certain)[0]
	said := ""
	for _, e := range f.Evidence {
		said += "\n" + e.What.String()
	}
	for _, n := range f.Notes {
		said += "\n" + n.String()
	}
	if !strings.Contains(said, "client (78)") || !strings.Contains(said, "curl (76)") || strings.Contains(said, "kube-probe") || !strings.Contains(said, "2 seen") {
		t.Error(said)
	}
}

// Where the kernel told of repeats in the whole window, a port without any has none; else
// all of the namespace count.
func TestSynRepeats(t *testing.T) {
	for _, tt := range []struct {
		name       string
		traced     int // seconds
		web, other float64
	}{
		{"by counters", 0, 50, 50},
		{"by events", 10, 0, 7},
		{"by events of the first seconds", 2, 50, 50},
	} {
		h := ruletest.New(2, 10)
		counters(h, 1, map[string]float64{"TcpExtTCPSynRetrans": 5})
		traces(h, tt.traced)
		if tt.traced > 0 {
			ruletest.Add(h, recording.TCPEvent{At: ruletest.Start.Add(2 * time.Second), Span: time.Second, Kind: recording.TCPSyn, NetNS: 1, Remote: "10.0.0.2", RemotePort: 81, Packets: 7})
		}
		if web, other := synRepeats(h.View(), 1, 80), synRepeats(h.View(), 1, 81); web != tt.web || other != tt.other {
			t.Errorf("%s: %v and %v", tt.name, web, other)
		}
	}
}

// traces records that what TCP sends again was traced in the first seconds.
func traces(h *ruletest.Host, seconds int) {
	for s := range seconds {
		ruletest.Add(h, recording.EventProgram{At: ruletest.Start.Add(time.Duration(s+1) * time.Second), Probe: "retransmits", Program: "sent_again", Attached: time.Second, Span: time.Second})
	}
}
