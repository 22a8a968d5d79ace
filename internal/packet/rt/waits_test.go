package rt

import (
	"testing"

	"rtrail/internal/packet/tcp"
)

func TestWaitsWithin(t *testing.T) {
	const cause = tcp.Retransmission
	tests := []struct {
		name     string
		list     []wait
		from, to int64
		want     int64
	}{
		{"none", nil, 0, 100, 0},
		{"inside", []wait{{10, 30, cause}}, 0, 100, 20},
		{"another cause", []wait{{10, 30, tcp.ZeroWindow}}, 0, 100, 0},
		{"cut at both ends", []wait{{-10, 200, cause}}, 0, 100, 100},
		{"outside", []wait{{-10, 0, cause}, {100, 120, cause}}, 0, 100, 0},
		{"overlapping count once", []wait{{10, 30, cause}, {20, 50, cause}, {15, 25, cause}}, 0, 100, 40},
		{"apart, in the order in which they ended", []wait{{60, 70, cause}, {10, 80, cause}}, 0, 100, 70},
		{"two apart", []wait{{50, 60, cause}, {10, 20, cause}}, 0, 100, 20},
	}
	for _, test := range tests {
		w := waits{list: test.list}
		if got := int64(w.within(cause, test.from, test.to)); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}

// What is forgotten makes the sum smaller, never larger, and memory stays bounded.
func TestWaitsAreBounded(t *testing.T) {
	var w waits
	for i := range int64(1000) {
		w.add(tcp.Stall{Cause: tcp.ZeroWindow, From: i * 10, To: i*10 + 5})
	}
	if len(w.list) != maxWaits {
		t.Errorf("%d waits are kept, want %d", len(w.list), maxWaits)
	}
	if got := w.within(tcp.ZeroWindow, 0, 10000); got != 5*maxWaits {
		t.Errorf("waited %d, want %d", got, 5*maxWaits)
	}
}

func TestLastCopy(t *testing.T) {
	var w waits
	w.copied(0, 50, 100)  // not the last bytes of the request
	w.copied(50, 80, 200) // the last ones
	if got := w.lastCopy(0, 80, 500); got != 200 {
		t.Errorf("last copy at %d, want 200", got)
	}
	if got := w.lastCopy(0, 80, 150); got != 0 {
		t.Errorf("a copy after the answer counts: %d", got)
	}
	if got := w.lastCopy(80, 120, 500); got != 0 {
		t.Errorf("a copy of the previous request counts: %d", got)
	}
}
