package kernel

import (
	"testing"
	"time"
)

// TestLittle: what a rule could ask for is not little, and what adds up is
// compared with the reading that was taken last.
func TestLittle(t *testing.T) {
	for name, tc := range map[string]struct {
		does func(*Counters)
		want bool
	}{
		"nothing":               {func(*Counters) {}, true},
		"4 ms":                  {func(c *Counters) { c.RunTime += 4 * time.Millisecond }, true},
		"half a tick":           {func(c *Counters) { c.RunTime += 5 * time.Millisecond }, false},
		"waits for a CPU":       {func(c *Counters) { c.RunDelay += 5 * time.Millisecond }, false},
		"a page, maybe of 2 MB": {func(c *Counters) { c.MinorFaults++ }, false},
		"a page from disk":      {func(c *Counters) { c.MajorFaults++ }, false},
		"reads":                 {func(c *Counters) { c.IO.ReadBytes += 512 }, false},
		"writes":                {func(c *Counters) { c.IO.WriteBytes += 512 }, false},
	} {
		before := Counters{RunTime: time.Second, RunDelay: time.Second, MinorFaults: 1000, MajorFaults: 10}
		after := before
		tc.does(&after)
		if got := after.Little(&before); got != tc.want {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}
