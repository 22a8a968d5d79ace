package socket

import (
	"testing"

	"rtrail/internal/recording"
)

// TestUnread: where a dump ended early, the kernel's counters tell what is missing; where it
// did not, only what it left out is.
func TestUnread(t *testing.T) {
	counters := []recording.ProtocolSample{
		{NetNS: 1, Protocol: "SockTCP", Name: "inuse", Value: 60_000},
		{NetNS: 1, Protocol: "SockTCP", Name: "orphan", Value: 7},
		{NetNS: 1, Protocol: "SockTCP", Name: "tw", Value: 20_000},
		{NetNS: 1, Protocol: "SockTCP", Name: "mem", Value: 999},
		{NetNS: 1, Protocol: "SockTCP6", Name: "inuse", Value: 30_002},
		{NetNS: 1, Protocol: "SockUDP", Name: "inuse", Value: 5},
		{NetNS: 2, Protocol: "SockTCP", Name: "inuse", Value: 4_000},
	}
	listens := []recording.ListenerSample{{NetNS: 1}, {NetNS: 1}, {NetNS: 2}}
	for _, c := range []struct {
		name string
		n    namespace
		want int
	}{
		{"all were read", namespace{rows: 110_000}, 0},
		{"some were left out for their number", namespace{rows: 100_000, lost: 10_000}, 10_000},
		{"it ended early", namespace{rows: 70_000, cut: true}, 40_000},
		{"it ended early, and the counters are behind", namespace{rows: 110_000, lost: 1, cut: true}, 1},
		{"it ended right after the last one", namespace{rows: 110_000, cut: true}, 0},
	} {
		c.n.NetNS = 1
		if got := c.n.unread(counters, listens); got != c.want {
			t.Errorf("%s: %d unread, want %d", c.name, got, c.want)
		}
	}
	if n := (&namespace{NetNSSample: recording.NetNSSample{NetNS: 3}, lost: 1, cut: true}); n.unread(counters, listens) != 1 {
		t.Error("without counters one is known to be missing")
	}
}
