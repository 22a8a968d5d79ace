package main

import (
	"strings"
	"time"
)

// momentForms is what --at takes, for help and errors.
const momentForms = `03:00, "yesterday 03:00", "2026-01-31 03:00", 2026-01-31T03:00:00Z or -5m before the end`

const spanLayout = "2006-01-02 15:04:05 MST"

// moment finds the time that a user means in a recording that lasts from one
// time to another. Times without a zone are local. A time of day is that of the
// last day on which the recording reaches it, "yesterday" the day before now,
// and a negative duration counts from the recording's end.
func moment(at string, from, to, now time.Time) (time.Time, error) {
	at = strings.TrimSpace(at)
	t, known := dated(at)
	switch day, clock, two := strings.Cut(at, " "); {
	case known:
	case strings.HasPrefix(at, "-"):
		back, err := time.ParseDuration(at)
		if err != nil {
			break
		}
		t, known = to.Add(back), true
	case two && day == "today":
		t, known = clockOn(now, clock)
	case two && day == "yesterday":
		t, known = clockOn(now.AddDate(0, 0, -1), clock)
	default:
		// Not more than a day back from the end: the last day that reaches it.
		if t, known = clockOn(to, at); known && t.After(to) {
			t, _ = clockOn(to.AddDate(0, 0, -1), at)
		}
	}
	if !known {
		return time.Time{}, usageError("--at %q: want %s", at, momentForms)
	}
	// Who asks for 03:00 means a recording that began at 03:00:20, too.
	if t.Before(from.Truncate(time.Minute)) || t.After(to) {
		return time.Time{}, usageError("--at %s: the recording holds %s to %s", at, from.Local().Format(spanLayout), to.Local().Format(spanLayout))
	}
	if t.Before(from) {
		return from, nil
	}
	return t, nil
}

// dated reads a time that has a date, also as tables and logs print it.
func dated(at string) (time.Time, bool) {
	if t, err := time.Parse(time.RFC3339, at); err == nil {
		return t, true
	}
	for _, layout := range []string{"2006-01-02 15:04:05 MST", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01-02T15:04"} {
		t, err := time.ParseInLocation(layout, at, time.Local)
		// The short name of a zone that is not used here has no known offset.
		if err == nil && (t.Location() == time.Local || t.Location() == time.UTC) {
			return t, true
		}
	}
	return time.Time{}, false
}

// clockOn is a time of day on the local day of another time.
func clockOn(day time.Time, clock string) (time.Time, bool) {
	day = day.Local()
	for _, layout := range []string{"15:04", "15:04:05"} {
		if c, err := time.Parse(layout, strings.TrimSpace(clock)); err == nil {
			return time.Date(day.Year(), day.Month(), day.Day(), c.Hour(), c.Minute(), c.Second(), 0, time.Local), true
		}
	}
	return time.Time{}, false
}
