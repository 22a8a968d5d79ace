package net

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
)

// The kernel chooses a listener of the address, then one of all addresses of IPv4, then one of all.
func TestEndsFor(t *testing.T) {
	for _, tt := range []struct {
		address   string
		listening []string // at the port
		want      []string
	}{
		{"10.0.0.1", []string{"::", "0.0.0.0", "10.0.0.1"}, []string{"10.0.0.1"}},
		{"10.0.0.1", []string{"::", "0.0.0.0", "10.0.0.2"}, []string{"0.0.0.0"}},
		{"10.0.0.1", []string{"::", "10.0.0.2"}, []string{"::"}},
		{"10.0.0.1", []string{"*", "::"}, []string{"::", "*"}},
		{"10.0.0.1", []string{"10.0.0.2"}, nil},
		{"2001:db8::1", []string{"0.0.0.0", "::"}, []string{"::"}},
		{"2001:db8::1", []string{"0.0.0.0"}, nil},
		{"2001:db8::1", []string{"2001:db8::1", "::"}, []string{"2001:db8::1"}},
	} {
		var got []string
		for _, e := range endsFor(tt.address, 80, func(e end) bool { return e.port == 80 && slices.Contains(tt.listening, e.local) }) {
			got = append(got, e.local)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s of %v: %v, want %v", tt.address, tt.listening, got, tt.want)
		}
	}
}

// Any local user can open thousands of listeners and leave handshakes with them half open: the
// flooded server is still found, and first.
func TestSYNFloodAmongManyListeners(t *testing.T) {
	const listeners, full, each = 20_000, 2000, 25
	h := ruletest.New(2, 10)
	owns(h, 1, 70, "nginx")
	for _, s := range []int{0, 10} {
		when := ruletest.Start.Add(time.Duration(s) * time.Second)
		waiting := []recording.ListenerSample{{At: when, NetNS: 1, Local: "0.0.0.0", Port: 80, Inode: 1, Backlog: 511, Drops: uint32(4800 * s)}}
		for i := range listeners {
			waiting = append(waiting, recording.ListenerSample{At: when, NetNS: 1, Local: "127.0.0.1", Port: uint16(1000 + i), Inode: uint64(1000 + i), Backlog: 5})
		}
		var open []recording.TCPSample
		syn := func(local string, port uint16, n int) {
			open = append(open, recording.TCPSample{At: when, NetNS: 1, Local: local, LocalPort: port, Remote: fmt.Sprintf("10.78.%d.%d", n/250, n%250), RemotePort: uint16(2000 + n), State: recording.TCPSynRecv})
		}
		for n := range 193 {
			syn("10.0.0.1", 80, n)
		}
		for n := range full * each {
			syn("127.0.0.1", uint16(1000+n/each), n%each)
		}
		ruletest.Add(h, waiting...)
		ruletest.Add(h, open...)
	}
	sysctl(h, 1, "net.ipv4.tcp_syncookies", "0")
	sysctl(h, 1, "net.ipv4.tcp_max_syn_backlog", "256")
	counters(h, 1, map[string]float64{"TcpExtListenDrops": 4800, "TcpExtListenOverflows": 0, "TcpPassiveOpens": 1})
	began := time.Now()
	found, err := synFlood.Detect(h.View())
	if err != nil || len(found) != maxFloods {
		t.Fatalf("%d findings, %v; want %d", len(found), err, maxFloods)
	}
	if f := found[0]; f.Confidence != rule.Certain || f.Subject.Port != 80 {
		t.Errorf("first %v about %v", f.Confidence, f.Subject)
	}
	if f := found[1]; f.Confidence != rule.Possible {
		t.Errorf("then %v about %v", f.Confidence, f.Subject)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
}
