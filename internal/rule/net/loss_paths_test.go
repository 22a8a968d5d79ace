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
			Info: true, RTO: 204 * time.Millisecond, TotalRetrans: uint32(again * s), SegsOut: uint32(sent * s), DataSegsOut: uint32(sent * s)}
	}, 1)
}

// acknowledges records a connection on which a peer only gets so many ACKs a second.
func acknowledges(h *ruletest.Host, to string, acks float64) {
	sockets(h, func(s float64, i int) recording.TCPSample {
		return recording.TCPSample{NetNS: 2, Local: "10.0.0.2", LocalPort: 42000, Remote: to, RemotePort: 80, State: recording.TCPEstablished, Inode: 78,
			Info: true, RTO: 204 * time.Millisecond, SegsOut: uint32(acks * s), DataSegsOut: uint32(s)}
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

// again is what the kernel told of a connection to a peer in the first two seconds.
func again(to string, packets int64) recording.TCPEvent {
	return recording.TCPEvent{At: ruletest.Start.Add(2 * time.Second), Span: 2 * time.Second, Kind: recording.TCPSegment, NetNS: 2, State: recording.TCPEstablished,
		Local: "10.0.0.2", LocalPort: 41000, Remote: to, RemotePort: 80, Packets: packets, Inode: 77}
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
		}, "10.0.0.7", "the loss is probably on the path to 10.0.0.7 or at that host", "", ""},
		{"everywhere", func(h *ruletest.Host) {
			sends(h, "10.0.0.7", 1000, 40)
			sends(h, "10.0.0.8", 1000, 30)
			sends(h, "10.0.0.9", 3, 0)
		}, "client", "packets to all 2 peers", "", "each of 2 peers"},
		{"two of many", func(h *ruletest.Host) {
			sends(h, "10.0.0.7", 1000, 40)
			sends(h, "10.0.0.8", 1000, 30)
			sends(h, "10.0.0.9", 3000, 0)
		}, "10.0.0.7", "2 peers lose; 1 other got", "", ""},
		{"an ordinary long path beside the bad one", func(h *ruletest.Host) {
			sends(h, "10.0.0.7", 1000, 60)
			sends(h, "203.0.113.8", 1000, 3.5)
		}, "10.0.0.7", "1 other peer got 10,000 segments with data from here meanwhile, and 35 were sent again: the loss is probably on the path to 10.0.0.7", "each of", ""},
		{"the other peer only gets pure ACKs", func(h *ruletest.Host) {
			sends(h, "10.0.0.7", 1000, 40)
			acknowledges(h, "10.0.0.8", 3000)
		}, "10.0.0.7", "40", "the path to", ""},
		{"a queue of this host drops", func(h *ruletest.Host) {
			sends(h, "10.0.0.7", 1000, 40)
			sends(h, "10.0.0.8", 1000, 0)
			ruletest.Every(h, func(at time.Time, s float64) recording.QdiscSample {
				return recording.QdiscSample{At: at, NetNS: 1, Interface: "eth0", Kind: "fq", Handle: 0x10000, Parent: recording.QdiscRoot, Drops: uint32(s / 9), Packets: uint64(1000 * s)}
			})
		}, "10.0.0.7", "40", "the path to", ""},
		{"an interface of this host drops", func(h *ruletest.Host) {
			sends(h, "10.0.0.7", 1000, 40)
			sends(h, "10.0.0.8", 1000, 0)
			ruletest.Every(h, func(at time.Time, s float64) recording.NetDeviceSample {
				return recording.NetDeviceSample{At: at, NetNS: 2, Interface: "eth0", TxDropped: uint64(s)}
			})
		}, "10.0.0.7", "40", "the path to", ""},
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
		{"events of the first two seconds only", func(h *ruletest.Host) {
			sends(h, "10.0.0.7", 1000, 40)
			traces(h, 2)
			ruletest.Add(h, again("10.0.0.7", 80))
		}, "10.0.0.7", "400 of 10,000 segments to 10.0.0.7", "80 segments", ""},
		{"events of the whole window", func(h *ruletest.Host) {
			sends(h, "10.0.0.7", 1000, 40)
			traces(h, 10)
			ruletest.Add(h, again("10.0.0.7", 399))
		}, "10.0.0.7", "the kernel sent 399 segments to 10.0.0.7 again", "", ""},
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

// Where listeners were read, this host is the server of a connection only if it listens; else the lower port tells.
func TestConnectionName(t *testing.T) {
	read := ruletest.New(2, 10)
	listens(read, listener{ns: 2, port: 50051, queue: []uint32{0}, backlog: 10})
	unread := ruletest.New(2, 10)
	for _, tt := range []struct {
		host       *ruletest.Host
		ns         uint64
		port, peer uint16
		want       string
	}{
		{unread, 2, 40000, 80, "10.0.0.1:40000 -> [2001:db8::1]:80 by the client"},
		{unread, 2, 443, 50000, "[2001:db8::1]:50000 -> 10.0.0.1:443 by the server"},
		{read, 2, 40000, 50051, "10.0.0.1:40000 -> [2001:db8::1]:50051 by the client"},
		{read, 2, 50051, 40000, "[2001:db8::1]:40000 -> 10.0.0.1:50051 by the server"},
		{read, 9, 443, 50000, "[2001:db8::1]:50000 -> 10.0.0.1:443 by the server"}, // a namespace that was not read
	} {
		e := recording.TCPEvent{NetNS: tt.ns, Local: "10.0.0.1", LocalPort: tt.port, Remote: "2001:db8::1", RemotePort: tt.peer}
		if got := connectionName(tt.host.View(), &e); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// What packets say of other connections than those that counters accuse is no evidence
// against these.
func TestPacketLossConfirmedByPackets(t *testing.T) {
	for _, tt := range []struct {
		name, peer string
		everywhere bool
		want       bool
	}{
		{"of the peer", "10.0.0.7", false, true},
		{"of another peer", "10.0.0.9", false, false},
		{"of the first of all peers", "10.0.0.7", true, true},
		{"of another of all peers", "10.0.0.8", true, true},
		{"of none of all peers", "10.0.0.9", true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			namespace(h, 2, "client", false)
			counters(h, 2, map[string]float64{"TcpOutSegs": 2000, "TcpRetransSegs": 70, "TcpExtTCPSynRetrans": 0})
			sends(h, "10.0.0.7", 1000, 40)
			if tt.everywhere {
				sends(h, "10.0.0.8", 1000, 30)
			}
			d := recording.PacketDirection{Client: "10.0.0.2", Server: tt.peer, ServerPort: 3306, Proto: "mysql", Segments: 5000, Retransmissions: 500}
			h.Packets(ruletest.PacketService{Server: tt.peer, Rate: 1})
			h.AllConnections(5, d, recording.PacketDirection{Client: "10.0.0.2", Server: tt.peer})
			f := ruletest.Judge(t, h, packetLoss, rule.Likely)[0]
			said := ""
			for _, e := range f.Evidence {
				said += e.What.String() + "\n"
			}
			affects := ""
			for _, e := range f.Affects {
				affects += e.Name + " "
			}
			if got := strings.Contains(said, "500 of 5000 segments from 10.0.0.2 to "+tt.peer); got != tt.want {
				t.Errorf("confirmed %v: %s", got, said)
			}
			if got := strings.Contains(affects, tt.peer+":3306"); got != tt.want {
				t.Errorf("affects %s", affects)
			}
		})
	}
}
