package net

import (
	"fmt"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
)

// What any user can make thousands of neither holds the rules up nor hides the server that turns
// clients away: listeners with full queues, connections without an answer, rules of a namespace.
func TestCrowds(t *testing.T) {
	const listeners, waiting, rules = 20_000, 50_000, 2000
	h := ruletest.New(2, 10)
	owns(h, 1, 70, "nginx")
	for _, s := range []int{0, 5, 10} {
		at := ruletest.Start.Add(time.Duration(s) * time.Second)
		rows := []recording.ListenerSample{{At: at, NetNS: 1, Local: "0.0.0.0", Port: 80, Inode: 1, Queue: 512, Backlog: 511, Drops: uint32(100 * s)}}
		for i := range listeners {
			rows = append(rows, recording.ListenerSample{At: at, NetNS: 1, Local: "127.0.0.1", Port: uint16(1000 + i), Inode: uint64(1000 + i), Queue: 1, Backlog: 0})
		}
		var open []recording.TCPSample
		for i := range waiting {
			open = append(open, recording.TCPSample{At: at, NetNS: 1, Local: "127.0.0.1", LocalPort: uint16(i), Remote: fmt.Sprintf("127.1.%d.%d", i/250, i%250), RemotePort: uint16(1000 + i%listeners), State: recording.TCPSynSent})
		}
		var filters []recording.FirewallRule
		for i := range rules {
			filters = append(filters, recording.FirewallRule{At: at, NetNS: 1, Backend: "nft", Family: "inet", TableOf: "t", Chain: "c", Handle: uint64(i + 1), Verdict: "drop", Match: fmt.Sprintf("tcp dport %d", 1000+i), Counted: true, Packets: uint64(s * (i + 1))})
		}
		ruletest.Add(h, rows...)
		ruletest.Add(h, open...)
		ruletest.Add(h, filters...)
	}
	counters(h, 1, map[string]float64{"TcpExtListenOverflows": 1000, "TcpExtListenDrops": 1000, "TcpPassiveOpens": 3000})
	began := time.Now()
	v := h.View()
	for _, r := range []rule.Rule{acceptQueueFull, firewallDrops, localhostFamily} {
		found, err := r.Detect(v)
		if err != nil {
			t.Fatalf("%s: %v", r.ID, err)
		}
		if r.ID == acceptQueueFull.ID && (len(found) != maxOverflowing || found[0].Subject.Port != 80 || found[0].Confidence != rule.Certain) {
			t.Errorf("%s: %d findings, the first %v about %v", r.ID, len(found), found[0].Confidence, found[0].Subject)
		}
		if len(found) > maxFilters {
			t.Errorf("%s: %d findings", r.ID, len(found))
		}
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("took %v", took)
	} else {
		t.Logf("took %v", took)
	}
}
