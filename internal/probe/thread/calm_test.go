package thread

import (
	"testing"
	"time"

	"rtrail/internal/probe/census"
	"rtrail/internal/probe/kernel"
)

// TestCalm: a process that goes on as it did for a minute is calm, and is no more as soon as
// it does something else.
func TestCalm(t *testing.T) {
	const ms = time.Millisecond
	daemon := func(c *census.Entry, _ int) { c.Total.RunTime += 6 * ms; c.Total.Slices += 40 }
	for name, tc := range map[string]struct {
		before, after func(e *census.Entry, second int) // what a second adds: 70 of the first, ten of the second
		calm, still   bool
	}{
		"goes on": {daemon, daemon, true, true},
		"wakes thirty times, once in ten seconds": {
			func(e *census.Entry, s int) {
				if s%10 == 0 {
					e.Total.Slices += 30
				}
			}, daemon, true, false},
		"touches memory and writes": {
			func(e *census.Entry, _ int) { e.Total.MinorFaults += 9; e.Total.IO.WriteBytes += 4096 }, func(*census.Entry, int) {}, true, true},
		"twice as often":         {daemon, func(e *census.Entry, _ int) { e.Total.Slices += 80 }, true, true},
		"waits, so less often":   {func(e *census.Entry, _ int) { e.Total.Slices += 200 }, func(e *census.Entry, _ int) { e.Total.Slices += 12 }, true, false},
		"far more often":         {daemon, func(e *census.Entry, _ int) { e.Total.Slices += 200 }, true, false},
		"uses a CPU":             {daemon, func(e *census.Entry, _ int) { e.Total.RunTime += 11 * ms }, true, false},
		"waits for a CPU":        {daemon, func(e *census.Entry, _ int) { e.Total.RunDelay += 11 * ms }, true, false},
		"reads from a disk":      {daemon, func(e *census.Entry, _ int) { e.Total.IO.ReadBytes += 512 }, true, false},
		"reads pages from disk":  {daemon, func(e *census.Entry, _ int) { e.Total.MajorFaults++ }, true, false},
		"waits for a disk":       {daemon, func(e *census.Entry, _ int) { e.State = 'D' }, true, false},
		"another with its PID":   {daemon, func(e *census.Entry, _ int) { e.StartTicks = 7 }, true, false},
		"reads now and then":     {func(e *census.Entry, s int) { e.Total.IO.ReadBytes += int64(s / 50 * 512) }, daemon, false, false},
		"uses a CPU all of time": {func(e *census.Entry, _ int) { e.Total.RunTime += 11 * ms }, daemon, false, false},
	} {
		var c calm
		e := census.Entry{PID: 9, At: time.Unix(1e9, 0), Counted: true, Stat: census.Stat{State: 'S'}, Total: kernel.Counters{Slices: 1e6}}
		goOn := func(does func(*census.Entry, int), seconds int) {
			for s := range seconds {
				before := e
				e.At = e.At.Add(time.Second)
				does(&e, s)
				c.see(&before, &e)
			}
		}
		if c.long(e.At) {
			t.Errorf("%s: calm at the start", name)
		}
		goOn(tc.before, 70)
		if got := c.long(e.At); got != tc.calm {
			t.Errorf("%s: calm after 70 s: %v, want %v", name, got, tc.calm)
		}
		goOn(tc.after, 10)
		if got := c.long(e.At); got != tc.still {
			t.Errorf("%s: calm after ten more: %v, want %v", name, got, tc.still)
		}
	}
}
