package traffic

import (
	"fmt"
	"io"
	"time"
)

const (
	clockLayout = "15:04:05.000000"
	dateLayout  = "2006-01-02"
)

// Clock is the layout of times of day in lists of a capture from first to last,
// in nanoseconds since 1970: with the date if the time of day alone would be that
// of several days.
func Clock(first, last int64) string {
	if last-first < int64(24*time.Hour) {
		return clockLayout
	}
	return dateLayout + " " + clockLayout
}

// calendar puts the date and the zone above lines that are printed as they come, and
// new ones between them: until all are printed, nobody knows whether times of day suffice.
type calendar struct{ day string }

// turn prints the date and the zone if they are others than those of the line before.
func (c *calendar) turn(w io.Writer, at time.Time) {
	day := at.Format(dateLayout + " MST")
	if c.day != day {
		fmt.Fprintln(w, day)
	}
	c.day = day
}

// local is a time in a zone; nil: local time.
func local(at int64, zone *time.Location) time.Time {
	if zone == nil {
		zone = time.Local
	}
	return time.Unix(0, at).In(zone)
}
