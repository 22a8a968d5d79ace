package traffic

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"rtrail/internal/packet/bothsides"
)

// The clock is said in words and in times as they are everywhere else.
func TestPairClock(t *testing.T) {
	for _, c := range []struct {
		offset time.Duration
		want   string
	}{
		{200, "clocks         the server's is not to be told from the client's (200 ns apart); ± 274 µs, from 1 packet"},
		{3500000200, "clocks         the server's is 3.5 s ahead; ± 274 µs, from 1 packet"},
		{-2249056200, "clocks         the server's is 2.25 s behind; ± 274 µs, from 1 packet"},
	} {
		result := &bothsides.Result{}
		result.Clock = bothsides.Clock{Offset: c.offset, Uncertainty: 274 * time.Microsecond, Packets: 1}
		var b strings.Builder
		Pair{Result: result}.clock(&b)
		if got, _, _ := strings.Cut(b.String(), "\n"); got != c.want {
			t.Errorf("%v: %q, want %q", c.offset, got, c.want)
		}
	}
}

// What was compared, and where the time went, keeps to the terminal's width.
func TestPairFitsTheTerminal(t *testing.T) {
	result := &bothsides.Result{Matched: 3, Translated: 3}
	result.Clock = bothsides.Clock{Offset: -3700000200, Uncertainty: 274 * time.Microsecond, Packets: 64}
	s := &bothsides.Service{Proto: "http", Count: 18, Connections: 3, LostThere: 1, SegmentsThere: 19, Sending: 11 * time.Millisecond, Resent: 1}
	for _, x := range pairParts(s) {
		x.part.Sum = 123 * time.Millisecond
		x.part.Hist.Add(x.part.Sum)
	}
	result.Services = []*bothsides.Service{s}
	for _, width := range []int{100, 80, 60} {
		var b strings.Builder
		if err := (Pair{Result: result, Top: 1, Width: width, Prose: width, Zone: time.UTC}).Print(&b); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width {
				t.Errorf("%d columns in a terminal of %d: %s", n, width, line)
			}
		}
	}
}
