package thread

import (
	"time"

	"rtrail/internal/probe/census"
)

// A process that has done little for a minute is read once for each count, as quiet ones are: a
// recorder on an idle host then wakes once a second, not five times for what daemons do all day.
// As soon as it does more or less than it did, or waits for a disk or for a lock, it is read
// five times a second again.
const (
	calmAfter = time.Minute

	// calmShare is the share of a core, used or waited for, below which no rule asks what
	// threads wait for.
	calmShare = 0.01

	// A process whose threads were put on a CPU so many times more or less often within
	// recentOver than within usualOver, and by so many times a second, does something else
	// than it did.
	unusual    = 2
	unusualBy  = 5
	recentOver = 5 * time.Second
	usualOver  = time.Minute
)

// calm is since when a process has done little, and how many times a second it is put on a CPU.
type calm struct {
	since         time.Time // zero: it did more, or nothing is known
	recent, usual float64
}

// see takes what a process did between two counts.
func (c *calm) see(before, now *census.Entry) {
	d := now.At.Sub(before.At)
	if !before.Counted || !now.Counted || before.Key() != now.Key() || d <= 0 {
		*c = calm{}
		return
	}
	was, is := &before.Total, &now.Total
	little := time.Duration(calmShare * float64(d))
	if !now.Asleep() || is.RunTime-was.RunTime >= little || is.RunDelay-was.RunDelay >= little ||
		is.MajorFaults != was.MajorFaults || is.IO.ReadBytes != was.IO.ReadBytes {
		*c = calm{}
		return
	}
	rate := float64(is.Slices-was.Slices) / d.Seconds()
	if c.since.IsZero() {
		*c = calm{now.At, rate, rate}
		return
	}
	known := now.At.Sub(c.since) + d
	follow := func(mean *float64, over time.Duration) {
		*mean += (rate - *mean) * min(1, float64(d)/float64(min(over, known)))
	}
	follow(&c.recent, recentOver)
	follow(&c.usual, usualOver)
	if above(c.recent, c.usual) || above(c.usual, c.recent) {
		*c = calm{now.At, c.recent, c.recent}
	}
}

// above says whether one rate is far above another one.
func above(rate, other float64) bool { return rate > unusual*other+unusualBy }

// long says whether a process has been calm for long enough.
func (c *calm) long(now time.Time) bool {
	return !c.since.IsZero() && now.Sub(c.since) >= calmAfter
}
