package net

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
)

// crowd records n rows at each reading.
func crowd[T recording.Row](h *ruletest.Host, n int, row func(at time.Time, i int) T) {
	h.Readings(func(at time.Time, _ float64) {
		rows := make([]T, n)
		for i := range rows {
			rows[i] = row(at, i)
		}
		ruletest.Add(h, rows...)
	})
}

// soon has a rule judge, without names changed, and fails if it takes as long as comparing all with all.
func soon(t *testing.T, h *ruletest.Host, r rule.Rule) []rule.Finding {
	t.Helper()
	began := time.Now()
	found, err := r.Detect(h.View())
	if took := time.Since(began); err != nil || took > 10*time.Second {
		t.Fatalf("%s: took %v: %v", r.ID, took, err)
	}
	return found
}

// Those that dropped most are told of, and how many more there are.
func TestManyFullQueues(t *testing.T) {
	const listeners, waiting = 20_000, 50_000
	for _, tt := range []struct {
		name string
		port func(i int) uint16
		last uint16 // port of the listener that drops most
		seen string
	}{
		{"each has its port", func(i int) uint16 { return uint16(1 + i%listeners) }, listeners, "2 seen"},
		{"all share one", func(int) uint16 { return 80 }, 80, "50000 seen"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 2)
			crowd(h, listeners, func(at time.Time, i int) recording.ListenerSample {
				return recording.ListenerSample{At: at, NetNS: 1, Local: "0.0.0.0", Port: tt.port(i), Inode: uint64(1 + i), Queue: 11, Backlog: 10, Drops: uint32(i) * uint32(at.Sub(ruletest.Start).Seconds())}
			})
			crowd(h, waiting, func(at time.Time, i int) recording.TCPSample {
				return recording.TCPSample{At: at, NetNS: 1, Local: "10.0.0.1", LocalPort: uint16(1 + i), Remote: "10.0.0.1", RemotePort: tt.port(i), State: recording.TCPSynSent, Inode: uint64(100_000 + i)}
			})
			counters(h, 1, map[string]float64{"TcpExtListenOverflows": 100_000, "TcpExtListenDrops": 100_000, "TcpPassiveOpens": 10})
			found := soon(t, h, acceptQueueFull)
			if len(found) != maxOverflowing || found[0].Subject.Port != tt.last {
				t.Fatalf("%d findings, the first about %v", len(found), found[0].Subject)
			}
			notes := fmt.Sprint(found[0].Notes)
			if !strings.Contains(notes, tt.seen) || !strings.Contains(notes, "19,800 more listeners are left out") {
				t.Error(notes)
			}
		})
	}
}

// Connections that waited longest are compared with the rules, and the others are counted.
func TestManyRulesAndConnectionsThatWait(t *testing.T) {
	const rules, waiting, kinds, longest = 2000, 50_000, 2000, 45_000
	h := ruletest.New(2, 2)
	crowd(h, rules, func(at time.Time, i int) recording.FirewallRule {
		return recording.FirewallRule{At: at, NetNS: 1, Backend: "nft", Family: "inet", TableOf: "t", Chain: "c", Handle: uint64(1 + i), Verdict: "drop", Match: "tcp dport 80",
			Counted: true, Packets: uint64(100+i) * uint64(at.Sub(ruletest.Start).Seconds())}
	})
	crowd(h, kinds, func(at time.Time, i int) recording.PacketDrop {
		return recording.PacketDrop{At: at, Span: time.Second, NetNS: 1, Reason: "NETFILTER_DROP", Function: "nft_do_chain", Protocol: "tcp", Port: uint16(1000 + i), Source: "10.0.0.2", Destination: "10.0.0.1", Packets: 5}
	})
	crowd(h, waiting, func(at time.Time, i int) recording.TCPSample {
		s := recording.TCPSample{At: at, NetNS: 2, Local: "10.0.0.2", LocalPort: uint16(1 + i), Remote: "10.0.0.1", RemotePort: 80, State: recording.TCPSynSent, Retransmits: 1}
		if i == longest {
			s.Retransmits = 6
		}
		return s
	})
	found := soon(t, h, firewallDrops)
	if len(found) != maxFilters {
		t.Fatalf("%d findings", len(found))
	}
	for i, f := range found {
		want := fmt.Sprintf("nft inet t c handle %d", rules-i)
		if notes := fmt.Sprint(f.Notes); !strings.HasPrefix(f.Subject.Name, want) || f.Confidence != rule.Certain || !strings.Contains(notes, "40,000 more connections wait for an answer on this host") {
			t.Fatalf("%v about %s, %s; want it about %s", f.Confidence, f.Subject.Name, notes, want)
		}
	}
	if list, more := waitingConnections(h.View()); len(list) != maxWaiting || more != waiting-maxWaiting || list[0].LocalPort != 1+longest {
		t.Errorf("%d connections and %d more, the first from port %d", len(list), more, list[0].LocalPort)
	}
}

// Those that refused most are told of, with the connections that each service had.
func TestManyRefusedOnLoopback(t *testing.T) {
	const services, clients = 20_000, 45_000
	h := ruletest.New(2, 2)
	crowd(h, services, func(at time.Time, i int) recording.ListenerSample {
		return recording.ListenerSample{At: at, NetNS: 1, Local: "127.0.0.1", Port: uint16(1 + i), Inode: uint64(1 + i), Backlog: 511}
	})
	crowd(h, clients, func(at time.Time, i int) recording.TCPSample {
		if at.Equal(ruletest.Start) { // another connection
			return recording.TCPSample{At: at, NetNS: 1, Local: "127.0.0.1", LocalPort: 65_535, Remote: "127.0.0.1", RemotePort: 65_534, State: recording.TCPTimeWait}
		}
		return recording.TCPSample{At: at, NetNS: 1, Local: "127.0.0.1", LocalPort: uint16(services + 1 + i), Remote: "127.0.0.1", RemotePort: uint16(1 + i%services), State: recording.TCPTimeWait}
	})
	var events []recording.TCPEvent
	for i := range services {
		events = append(events, recording.TCPEvent{At: ruletest.Start.Add(time.Second), Span: time.Second, Kind: recording.TCPResetReceived, NetNS: 1, State: recording.TCPSynSent,
			Local: "::1", Remote: "::1", RemotePort: uint16(1 + i), Packets: int64(3 + i)})
	}
	ruletest.Add(h, events...)
	counters(h, 1, map[string]float64{"TcpPassiveOpens": 0})
	found := soon(t, h, localhostFamily)
	if len(found) != maxFamilies || found[0].Subject.Port != services {
		t.Fatalf("%d findings, the first about %v", len(found), found[0].Subject)
	}
	if began := found[0].Evidence[1].What.String(); began != "2 connections began at 127.0.0.1:20000 meanwhile" {
		t.Error(began)
	}
}
