package net

import (
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
)

// sends records a connection from 10.0.0.2 to a peer, which sends so many segments a
// second, and so many of them again.
func sends(h *ruletest.Host, to string, sent, again float64) {
	sockets(h, func(s float64, i int) recording.TCPSample {
		return recording.TCPSample{NetNS: 2, Local: "10.0.0.2", LocalPort: 41000, Remote: to, RemotePort: 80, State: recording.TCPEstablished, Inode: 77,
			Info: true, RTO: 204 * time.Millisecond, TotalRetrans: uint32(again * s), SegsOut: uint32(sent * s)}
	}, 1)
}

// sentAgain records what the kernel told of connections to a peer.
func sentAgain(h *ruletest.Host, to string, connections int, each int64) {
	for i := range connections {
		ruletest.Every(h, func(at time.Time, s float64) recording.TCPEvent {
			return recording.TCPEvent{At: at, Span: 2 * time.Second, Kind: recording.TCPSegment, NetNS: 2, State: recording.TCPEstablished, Local: "10.0.0.2", LocalPort: uint16(41000 + i),
				Remote: to, RemotePort: 80, Packets: each, Inode: 77}
		})
	}
}

// Loss on one path is told from loss everywhere, where other paths carry enough.
func TestPacketLossPaths(t *testing.T) {
	tests := []struct {
		name            string
		build           func(*ruletest.Host)
		subject, proof  string
		without, headed string
	}{
		{"one path", func(h *ruletest.Host) {
			sends(h, "10.0.0.7", 1000, 40)
			sends(h, "10.0.0.8", 1000, 0)
			sends(h, "10.0.0.9", 1000, 0.1)
		}, "10.0.0.7", "the loss is on the path to 10.0.0.7 or at that host", "", ""},
		{"everywhere", func(h *ruletest.Host) {
			sends(h, "10.0.0.7", 1000, 40)
			sends(h, "10.0.0.8", 1000, 30)
			sends(h, "10.0.0.9", 3, 0)
		}, "client", "packets to each of 2 peers are lost", "", "its 2 busiest peers"},
		{"two of many", func(h *ruletest.Host) {
			sends(h, "10.0.0.7", 1000, 40)
			sends(h, "10.0.0.8", 1000, 30)
			sends(h, "10.0.0.9", 3000, 0)
		}, "10.0.0.7", "2 peers lose; 1 other got", "", ""},
		{"the others are idle", func(h *ruletest.Host) {
			sends(h, "10.0.0.7", 1000, 40)
			sends(h, "10.0.0.8", 2, 0)
		}, "10.0.0.7", "40", "the path to", ""},
		{"brief connections that only the kernel told of", func(h *ruletest.Host) {
			owns(h, 77, 4711, "worker")
			sentAgain(h, "10.0.0.7", 4, 5)
		}, "10.0.0.7", "on 4 connections: ", "", ""},
		{"its process", func(h *ruletest.Host) {
			owns(h, 77, 4711, "worker")
			sentAgain(h, "10.0.0.7", 1, 9)
		}, "10.0.0.7", "10.0.0.2:41000 -> 10.0.0.7:80 by the client worker (4711)", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			namespace(h, 2, "client", false)
			counters(h, 2, map[string]float64{"TcpOutSegs": 2000, "TcpRetransSegs": 70, "TcpExtTCPSynRetrans": 0})
			tt.build(h)
			f := ruletest.Judge(t, h, packetLoss, rule.Likely)[0]
			said := f.Headline.String()
			for _, e := range f.Evidence {
				said += "\n" + e.What.String()
			}
			if f.Subject.Name != tt.subject || !strings.Contains(said, tt.proof) || !strings.Contains(said, tt.headed) || tt.without != "" && strings.Contains(said, tt.without) {
				t.Errorf("%s: %s", f.Subject.Name, said)
			}
		})
	}
}

// Of a connection whose local port is the lower one, this host is the server.
func TestConnectionName(t *testing.T) {
	v := ruletest.New(2, 10).View()
	for i, want := range []string{"10.0.0.1:40000 -> 10.0.0.2:80 by the client", "[2001:db8::1]:50000 -> 10.0.0.2:443 by the server"} {
		e := []recording.TCPEvent{{Local: "10.0.0.1", LocalPort: 40000, Remote: "10.0.0.2", RemotePort: 80}, {Local: "10.0.0.2", LocalPort: 443, Remote: "2001:db8::1", RemotePort: 50000}}[i]
		if got := connectionName(v, &e); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
