package net

import (
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// firewall records a rule whose counter grows per second.
func firewall(h *ruletest.Host, ns uint64, match string, random, rate float64) {
	ruletest.Every(h, func(at time.Time, s float64) recording.FirewallRule {
		return recording.FirewallRule{At: at, NetNS: ns, Backend: "iptables-nft", Family: "ip", TableOf: "filter", Chain: "INPUT", Handle: 4, Index: 1,
			Verdict: "drop", Match: match, Random: random, Counted: true, Packets: 1000 + uint64(rate*s)}
	})
}

// repeating records a connection of the client in namespace 2 to the server in
// namespace 1 that sends segments again.
func repeating(h *ruletest.Host, rate float64) { repeatingTo(h, "10.0.0.2", "10.0.0.1", rate) }

func repeatingTo(h *ruletest.Host, client, server string, rate float64) {
	sockets(h, func(s float64, i int) recording.TCPSample {
		return recording.TCPSample{NetNS: 2, Local: client, LocalPort: 41000, Remote: server, RemotePort: 80, State: recording.TCPEstablished,
			Info: true, RTO: 204 * time.Millisecond, TotalRetrans: 9 + uint32(rate*s), SegsOut: 100 + uint32(1300*s)}
	}, 1)
	sockets(h, func(s float64, i int) recording.TCPSample {
		return recording.TCPSample{NetNS: 1, Local: server, LocalPort: 80, Remote: client, RemotePort: 41000, State: recording.TCPEstablished, Info: true}
	}, 1)
}

func TestPacketLoss(t *testing.T) {
	lossyCounters := map[string]float64{"TcpOutSegs": 1300, "TcpRetransSegs": 40, "TcpExtTCPSynRetrans": 0, "TcpExtTCPTimeouts": 10, "TcpExtTCPLossProbes": 25, "TcpExtTCPLossProbeRecovery": 20}
	tests := []struct {
		name  string
		build func(*ruletest.Host)
		want  rule.Confidence
	}{
		{"a rule drops at random", func(h *ruletest.Host) {
			counters(h, 2, lossyCounters)
			repeating(h, 40)
			firewall(h, 1, "tcp", 0.05, 67)
		}, rule.Certain},
		{"a random rule of IPv4, the peer is IPv6", func(h *ruletest.Host) {
			counters(h, 2, lossyCounters)
			repeatingTo(h, "2001:db8::2", "2001:db8::1", 40)
			firewall(h, 2, "tcp", 0.05, 0.5)
		}, rule.Likely},
		{"a random rule of IPv4, the peer is IPv4", func(h *ruletest.Host) {
			counters(h, 2, lossyCounters)
			repeating(h, 40)
			firewall(h, 2, "tcp", 0.05, 0.5)
		}, rule.Certain},
		{"somewhere on the way", func(h *ruletest.Host) { counters(h, 2, lossyCounters); repeating(h, 40) }, rule.Likely},
		{"SYNs only", func(h *ruletest.Host) {
			counters(h, 2, map[string]float64{"TcpOutSegs": 1300, "TcpRetransSegs": 40, "TcpExtTCPSynRetrans": 40})
		}, 0},
		{"little traffic", func(h *ruletest.Host) {
			counters(h, 2, map[string]float64{"TcpOutSegs": 10, "TcpRetransSegs": 0.6})
		}, 0},
		{"a long path", func(h *ruletest.Host) {
			counters(h, 2, map[string]float64{"TcpOutSegs": 10000, "TcpRetransSegs": 20})
		}, 0},
		{"a bad path", func(h *ruletest.Host) {
			counters(h, 2, map[string]float64{"TcpOutSegs": 10000, "TcpRetransSegs": 50})
		}, rule.Possible},
		{"late, not lost", func(h *ruletest.Host) {
			counters(h, 2, map[string]float64{"TcpOutSegs": 1300, "TcpRetransSegs": 40, "TcpExtTCPDSACKRecv": 39})
		}, rule.Possible},
		{"a random rule without TCP", func(h *ruletest.Host) {
			counters(h, 2, map[string]float64{"TcpOutSegs": 0, "TcpRetransSegs": 0})
			firewall(h, 1, "udp", 0.05, 67)
		}, rule.Certain},
		{"a random rule nothing passes", func(h *ruletest.Host) {
			counters(h, 2, map[string]float64{"TcpOutSegs": 1300, "TcpRetransSegs": 0})
			firewall(h, 1, "udp", 0.05, 0)
		}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			namespace(h, 1, "server", false)
			namespace(h, 2, "client", false)
			tt.build(h)
			ruletest.Judge(t, h, packetLoss, tt.want)
		})
	}
}

func TestPacketLossTellsBothEndsOnce(t *testing.T) {
	h := ruletest.New(2, 10)
	namespace(h, 1, "server", false)
	namespace(h, 2, "client", false)
	c := map[string]float64{"TcpOutSegs": 1300, "TcpRetransSegs": 40, "TcpExtTCPSynRetrans": 0}
	counters(h, 2, c)
	c["TcpRetransSegs"] = 30
	counters(h, 1, c)
	repeating(h, 40)
	firewall(h, 1, "tcp", 0.05, 67)
	found := ruletest.Judge(t, h, packetLoss, rule.Certain)
	if len(found) != 1 {
		t.Fatalf("%d findings for one path", len(found))
	}
	want := "packets between 10.0.0.2 and 10.0.0.1 are lost: iptables INPUT rule 1 in server drops them at random"
	if got := found[0].Headline.String(); got != want {
		t.Errorf("headline %q, want %q", got, want)
	}
	if s := found[0].Subject; s.Kind != view.KindPeer || s.Name != "10.0.0.1" {
		t.Errorf("subject %+v", s)
	}
}

// TestPacketLossByWhatIsLost: few losses that cost much are found, and many that cost nothing
// are not accused.
func TestPacketLossByWhatIsLost(t *testing.T) {
	const segments, seconds = 10_000, 10
	for _, tt := range []struct {
		name          string
		again         float64 // segments per second
		timeouts      float64
		probes, found float64
		dsack         float64
		rtt           time.Duration
		bytes         float64 // per second, of the connection
		want          rule.Confidence
	}{
		{"a quarter of a percent, and connections wait for timers", 25, 2, 1, 1, 0, time.Millisecond, 1e6, rule.Likely},
		{"as much, repaired at once", 25, 0, 0, 0, 0, time.Millisecond, 1e6, 0},
		{"as much, needlessly", 25, 2, 1, 0, 24, time.Millisecond, 1e6, 0},
		{"the peer of a receiver without a CPU probes for what has arrived", 30, 0, 36, 0.4, 30, time.Millisecond, 1e6, 0},
		{"half a percent, and a third of the time", 50, 1, 1, 1, 0, time.Millisecond, 1e6, rule.Likely},
		{"half a percent, repaired at once", 50, 0, 0, 0, 0, time.Millisecond, 1e6, rule.Possible},
		{"2 % that cost nothing", 200, 0, 0.1, 0.1, 0, 100 * time.Microsecond, 1e6, rule.Possible},
		{"2 % that limit a long path", 200, 0, 0.1, 0.1, 0, 50 * time.Millisecond, 2e5, rule.Likely},
		{"2 % of a connection of which no round trip is known", 200, 0, 0.1, 0.1, 0, 0, 1e6, rule.Likely},
		{"2 %, and connections wait for timers", 200, 3, 0, 0, 0, 100 * time.Microsecond, 1e6, rule.Likely},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, seconds)
			counters(h, 2, map[string]float64{"TcpOutSegs": segments, "TcpRetransSegs": tt.again, "TcpExtTCPSynRetrans": 0,
				"TcpExtTCPTimeouts": tt.timeouts, "TcpExtTCPLossProbes": tt.probes, "TcpExtTCPLossProbeRecovery": tt.found, "TcpExtTCPDSACKRecv": tt.dsack})
			sockets(h, func(s float64, i int) recording.TCPSample {
				return recording.TCPSample{NetNS: 2, Local: "10.0.0.2", LocalPort: 41000, Remote: "10.0.0.1", RemotePort: 80, State: recording.TCPEstablished, Info: true,
					RTT: tt.rtt, MSS: 1448, RTO: 204 * time.Millisecond, TotalRetrans: uint32(tt.again * s), SegsOut: uint32(segments * s), BytesSent: uint64(tt.bytes * s)}
			}, 1)
			ruletest.Judge(t, h, packetLoss, tt.want)
		})
	}
}

// connecting records n connects at a time without an answer.
func connecting(h *ruletest.Host, n int, port uint16) {
	sockets(h, func(s float64, i int) recording.TCPSample {
		return recording.TCPSample{NetNS: 2, Local: "10.0.0.2", LocalPort: uint16(40000 + int(s)*100 + i), Remote: "10.0.0.1", RemotePort: port, State: recording.TCPSynSent}
	}, n)
}

// silent records a rule of nftables that drops and has no counter.
func silent(h *ruletest.Host, ns, handle uint64, match string) {
	ruletest.Every(h, func(at time.Time, s float64) recording.FirewallRule {
		return recording.FirewallRule{At: at, NetNS: ns, Backend: "nft", Family: "ip", TableOf: "f", Chain: "input", Handle: handle, Index: 1, Verdict: "drop", Match: match}
	})
}

// filtered are packets that the packet filter of a namespace drops.
func filtered(ns uint64) recording.PacketDrop {
	return recording.PacketDrop{NetNS: ns, Reason: "NETFILTER_DROP", Function: "nft_do_chain", Protocol: "tcp", Port: 80, Source: "10.0.0.2", Destination: "10.0.0.1"}
}

func TestFirewallDrops(t *testing.T) {
	tests := []struct {
		name  string
		build func(*ruletest.Host)
		want  rule.Confidence
	}{
		{"a client is shut out", func(h *ruletest.Host) {
			firewall(h, 1, "ip saddr 10.0.0.2 tcp dport 80", 0, 50)
			connecting(h, 25, 80)
		}, rule.Certain},
		{"an established connection is cut off", func(h *ruletest.Host) {
			firewall(h, 1, "tcp dport 80", 0, 1)
			sockets(h, func(s float64, i int) recording.TCPSample {
				return recording.TCPSample{NetNS: 2, Local: "10.0.0.2", LocalPort: 41000, Remote: "10.0.0.1", RemotePort: 80, State: recording.TCPEstablished, Info: true, Retransmits: 4, Backoff: 4}
			}, 1)
		}, rule.Certain},
		{"a rule for everything", func(h *ruletest.Host) { firewall(h, 1, "", 0, 50); connecting(h, 25, 80) }, rule.Likely},
		{"background noise", func(h *ruletest.Host) { firewall(h, 1, "tcp dport 23", 0, 50); connecting(h, 0, 80) }, 0},
		{"noise beside connects elsewhere", func(h *ruletest.Host) { firewall(h, 1, "tcp dport 23", 0, 50); connecting(h, 25, 80) }, 0},
		{"another client is shut out", func(h *ruletest.Host) {
			firewall(h, 1, "ip saddr 192.0.2.0/24 tcp dport 80", 0, 50)
			connecting(h, 25, 80)
		}, 0},
		{"a served port, nobody seen waiting", func(h *ruletest.Host) {
			firewall(h, 1, "tcp dport 80", 0, 50)
			listens(h, listener{ns: 1, port: 80, queue: []uint32{0}, backlog: 511})
		}, rule.Possible},
		{"the counter stands still", func(h *ruletest.Host) { firewall(h, 1, "tcp dport 80", 0, 0); connecting(h, 25, 80) }, 0},
		{"a rule without a counter", func(h *ruletest.Host) {
			silent(h, 1, 7, "tcp dport 80")
			silent(h, 1, 8, "tcp dport 23")
			dropped(h, filtered(1), 50)
			connecting(h, 25, 80)
		}, rule.Likely},
		{"two rules without a counter", func(h *ruletest.Host) {
			silent(h, 1, 7, "tcp dport 80")
			silent(h, 1, 8, "ip saddr 10.0.0.2")
			dropped(h, filtered(1), 50)
			connecting(h, 25, 80)
		}, 0},
		{"a rule without a counter beside one for everything that counts", func(h *ruletest.Host) {
			silent(h, 1, 7, "tcp dport 80")
			firewall(h, 1, "", 0, 0)
			dropped(h, filtered(1), 50)
			connecting(h, 25, 80)
		}, 0},
		{"a rule without a counter, and drops of another namespace", func(h *ruletest.Host) {
			silent(h, 1, 7, "tcp dport 80")
			dropped(h, filtered(2), 50)
			connecting(h, 25, 80)
		}, 0},
		{"a rule without a counter, and nobody waits", func(h *ruletest.Host) {
			silent(h, 1, 7, "tcp dport 80")
			dropped(h, filtered(1), 50)
		}, 0},
		{"the server's queue is full", func(h *ruletest.Host) {
			firewall(h, 1, "tcp dport 80", 0, 50)
			connecting(h, 25, 80)
			listens(h, listener{ns: 1, port: 80, queue: []uint32{11}, backlog: 10, drops: 40})
			counters(h, 1, map[string]float64{"TcpExtListenOverflows": 40, "TcpExtListenDrops": 40, "TcpPassiveOpens": 3})
		}, rule.Possible},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			namespace(h, 1, "server", false)
			namespace(h, 2, "client", false)
			// Some connection, so that the table is there in every case.
			sockets(h, func(float64, int) recording.TCPSample {
				return recording.TCPSample{NetNS: 2, Local: "10.0.0.2", LocalPort: 22, Remote: "10.9.9.9", RemotePort: 5, State: recording.TCPEstablished, Info: true}
			}, 1)
			tt.build(h)
			ruletest.Judge(t, h, firewallDrops, tt.want)
		})
	}
}

func TestFilterFits(t *testing.T) {
	c := recording.TCPSample{Local: "10.0.0.2", LocalPort: 41000, Remote: "10.0.0.1", RemotePort: 80}
	tests := map[string]fit{
		"":                                     general,
		"meta l4proto tcp":                     general,
		"tcp dport 80":                         exact,
		"-p tcp --dport 80":                    exact,
		"tcp dport { 22, 80 }":                 exact,
		"tcp dport 70-90":                      exact,
		"tcp dport 8080":                       no,
		"udp dport 80":                         no,
		"ip saddr 10.0.0.0/8":                  exact,
		"ip saddr 192.0.2.1":                   no,
		"ip saddr 0.0.0.0/0":                   general,
		"ip6 saddr 2001:db8::/32 tcp dport 80": no,
		"icmp type echo-request":               no,
		"tcp dport != 22":                      general,
		"ip saddr != 192.0.2.1":                general,
		"tcp dport @open":                      general,
	}
	for match, want := range tests {
		f := filter{FirewallRule: recording.FirewallRule{Match: match}}
		if got := f.fits(c); got != want {
			t.Errorf("%q: %v, want %v", match, got, want)
		}
	}
	for _, tt := range []struct {
		family, address string
		want            fit
	}{
		{"ip", "10.0.0.2", general},
		{"ip", "::ffff:10.0.0.2", general},
		{"ip", "2001:db8::2", no},
		{"ip", "fe80::2%eth0", no},
		{"ip", "", general},
		{"ip6", "10.0.0.2", no},
		{"ip6", "2001:db8::2", general},
		{"inet", "10.0.0.2", general},
		{"inet", "2001:db8::2", general},
		{"", "10.0.0.2", general},
		{"", "2001:db8::2", general},
	} {
		f := filter{FirewallRule: recording.FirewallRule{Family: tt.family, Match: "meta l4proto tcp"}}
		if got := f.fits(recording.TCPSample{Local: tt.address, LocalPort: 41000, RemotePort: 80}); got != tt.want {
			t.Errorf("family %q, address %q: %v, want %v", tt.family, tt.address, got, tt.want)
		}
	}
}

// What a queue of an interface threw away is evidence; a shaper is named as the
// limit only where its rate was reached.
func TestQueueDrops(t *testing.T) {
	const limits = ": its rate is the limit"
	for _, tt := range []struct {
		name        string
		ns          uint64
		kind        string
		drops, held float64 // per second
		want        string  // "": not told of
	}{
		{"shaper at its rate", 2, "htb", 40, 900, "the shaper htb 1: of eth0 dropped 400 packets and sent 13,000" + limits},
		{"cake without a rate", 2, "cake", 40, 0, "the queue cake 1: of eth0 dropped 400 packets and sent 13,000"},
		{"a full queue", 2, "pfifo_fast", 40, 0, "the queue pfifo_fast 1: of eth0 dropped 400 packets and sent 13,000"},
		{"a shaper that only delays", 2, "htb", 0, 900, ""},
		{"another namespace's", 1, "htb", 40, 900, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			namespace(h, 2, "client", false)
			ruletest.Every(h, func(at time.Time, s float64) recording.QdiscSample {
				return recording.QdiscSample{At: at, NetNS: tt.ns, Interface: "eth0", Kind: tt.kind, Handle: 0x10000, Parent: recording.QdiscRoot,
					Packets: uint64(1300 * s), Drops: uint32(tt.drops * s), Overlimits: uint32(tt.held * s)}
			})
			var got []string
			for _, e := range queueDrops(h.View(), 2) {
				got = append(got, e.What.String())
			}
			if strings.Join(got, "; ") != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// dropped records packets that the kernel drops, so many a second.
func dropped(h *ruletest.Host, row recording.PacketDrop, rate float64) {
	ruletest.Every(h, func(at time.Time, s float64) recording.PacketDrop {
		row.At, row.Span, row.Packets = at, time.Second, int64(rate)
		return row
	})
}

// TestDropsAreNamed wants reason and function of what this host drops of the
// connections that suffer, and of nothing else.
func TestDropsAreNamed(t *testing.T) {
	ours := recording.PacketDrop{NetNS: 1, Reason: "NETFILTER_DROP", Function: "nft_do_chain", Protocol: "tcp", Port: 80, Source: "10.0.0.2", Destination: "10.0.0.1"}
	foreign, usual, datagrams := ours, ours, ours
	foreign.Source = "192.0.2.7"
	usual.Reason = "TCP_OLD_DATA"
	datagrams.Protocol = "udp"
	for _, c := range []struct {
		name string
		row  recording.PacketDrop
		want bool
	}{{"of the connection", ours, true}, {"of others", foreign, false}, {"for a usual reason", usual, false}, {"of another protocol", datagrams, false}} {
		h := ruletest.New(2, 10)
		counters(h, 2, map[string]float64{"TcpOutSegs": 1300, "TcpRetransSegs": 40})
		repeating(h, 40)
		dropped(h, c.row, 40)
		found := ruletest.Judge(t, h, packetLoss, rule.Likely)
		said := false
		for _, e := range found[0].Evidence {
			said = said || strings.Contains(e.What.String(), "in nft_do_chain: a packet filter rule (NETFILTER_DROP)")
		}
		if said != c.want {
			t.Errorf("%s: named %v, want %v", c.name, said, c.want)
		}
	}
}
