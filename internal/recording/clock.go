package recording

import (
	"time"

	"rtrail/internal/unit"
)

// clocks gives the options the clocks of the system, where none are set.
func (o *Options) clocks() {
	switch {
	case o.Elapsed != nil:
	case o.Now == nil:
		began := time.Now()
		o.Elapsed = func() time.Duration { return time.Since(began) }
	default:
		began := o.Now()
		o.Elapsed = func() time.Duration { return o.Now().Sub(began) }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
}

// clockWatch notices that somebody sets the clock back. Rows of one time would
// then mix with others of the same time, and a rate between them be nonsense.
type clockWatch struct {
	wall    time.Time
	elapsed time.Duration
}

// leastStep is more than the time between two looks at clocks, and less than that
// between two samples.
const leastStep = 50 * time.Millisecond

// setBack says by how much the clock was set back since the last call; 0: it was
// not.
func (c *clockWatch) setBack(wall time.Time, elapsed time.Duration) time.Duration {
	wall = wall.Round(0) // without the monotonic clock
	before := *c
	*c = clockWatch{wall, elapsed}
	if before.wall.IsZero() {
		return 0
	}
	if by := before.wall.Add(elapsed - before.elapsed).Sub(wall); by >= leastStep {
		return by
	}
	return 0
}

// beginPiece ends the running segment and begins another piece.
func (d *Directory) beginPiece(by time.Duration, now time.Time) error {
	if d.journal != nil && !d.journal.empty() {
		if err := d.endJournal(); err != nil {
			return err
		}
	}
	d.setBack(by, now)
	if d.journal == nil {
		if err := d.reopen(); err != nil {
			return err
		}
	}
	return d.writeManifest()
}

// setBack notes that the clock was set back.
func (d *Directory) setBack(by time.Duration, now time.Time) {
	d.next.piece++
	d.note("the clock was set back by %v to %s: piece %d begins", unit.Duration(by), now.UTC().Format(time.RFC3339), d.next.piece)
}
