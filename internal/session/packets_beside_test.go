package session

import (
	"testing"
	"time"

	"rtrail/internal/imported"
	"rtrail/internal/recording"
)

// Packets of another time count only if a time zone or a missing day explains it, by as much as that
// may be.
func TestLaterBy(t *testing.T) {
	at := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	of := func(from time.Time, length time.Duration) recording.Window {
		return recording.Window{From: from, To: from.Add(length)}
	}
	const none = time.Duration(0)
	for _, c := range []struct {
		name    string
		clock   imported.Clock
		reports time.Duration // how long they are, from at on
		from    time.Duration // of the first packet, after at
		packets time.Duration // how long
		want    time.Duration // none: they are left out
	}{
		{"of Shanghai", imported.Local, time.Minute, -8 * time.Hour, time.Minute, 8 * time.Hour},
		{"of New York", imported.Local, time.Minute, 5*time.Hour + 10*time.Second, time.Minute, -5 * time.Hour},
		{"of Kathmandu", imported.Local, time.Minute, -5*time.Hour - 45*time.Minute, 10 * time.Second, 5*time.Hour + 45*time.Minute},
		{"of Kiribati", imported.Local, time.Minute, -14 * time.Hour, 10 * time.Second, 14 * time.Hour},
		{"one packet", imported.Local, time.Minute, -8*time.Hour + 30*time.Second, 0, 8 * time.Hour},
		{"the day before", imported.Local, time.Minute, -24 * time.Hour, time.Minute, none},
		{"a year before", imported.Local, time.Minute, -365 * 24 * time.Hour, time.Minute, none},
		{"farther than any zone", imported.Local, time.Minute, -14*time.Hour - 15*time.Minute, 10 * time.Second, none},
		{"five minutes before, as no zone is", imported.Local, 10 * time.Second, -5 * time.Minute, 10 * time.Second, none},
		{"whole hours before others", imported.Local, 8 * time.Hour, -100 * time.Minute, time.Minute, 2 * time.Hour},
		{"what has more in common before whole hours", imported.Local, time.Hour, -150 * time.Minute, time.Hour, 2*time.Hour + 30*time.Minute},
		{"times that tell their zone", imported.Exact, time.Minute, -8 * time.Hour, time.Minute, none},
		{"no day, the day before", imported.TimeOfDay, time.Minute, -24 * time.Hour, time.Minute, 24 * time.Hour},
		{"no day, and of another zone", imported.TimeOfDay, time.Minute, 16 * time.Hour, time.Minute, -16 * time.Hour},
		{"no day, the week before", imported.TimeOfDay, time.Minute, -7 * 24 * time.Hour, time.Minute, none},
		{"no times", imported.Untold, time.Minute, -100 * time.Second, 10 * time.Second, 100 * time.Second},
		{"no times, a week before", imported.Untold, time.Minute, -7 * 24 * time.Hour, time.Minute, none},
	} {
		reports, packets := imported.Held{Window: of(at, c.reports), Clock: c.clock}, of(at.Add(c.from), c.packets)
		if apart(reports.Window, packets) <= 0 {
			t.Errorf("%s: they are of one time", c.name)
		}
		later, known := laterBy(reports, packets)
		if known != (c.want != none) || known && later != c.want {
			t.Errorf("%s: %v, %v; want %v", c.name, later, known, c.want)
		}
	}
}
