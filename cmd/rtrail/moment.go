package main

import (
	"fmt"
	"strings"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/unit"
)

// momentForms is what --at takes, for help and errors.
const momentForms = `03:00, "yesterday 03:00", "2026-01-31 03:00", 2026-01-31T03:00:00Z or -5m before the end`

// moment finds the time that a user means in a recording, and from which some
// length is to be shown: it may lie before the recording if that reaches it. Times
// without a zone are local. A time of day is that of the last day on which the
// recording reaches it, "yesterday" the day before now, and a negative duration
// counts from the recording's end, and goes no further than its beginning. note says
// that the time meant lies before the beginning, which is taken in its place.
func moment(at string, length time.Duration, held recording.Window, now time.Time) (t time.Time, note string, err error) {
	return momentOf("--at ", at, length, held, now)
}

// momentOf is moment for a time that stands behind something else than --at: "--from ", "night@".
func momentOf(what, at string, length time.Duration, held recording.Window, now time.Time) (t time.Time, note string, err error) {
	from, to := held.From, held.To
	at = strings.TrimSpace(at)
	t, known := dated(at)
	back := false
	switch day, clock, two := strings.Cut(at, " "); {
	case known:
	case strings.HasPrefix(at, "-"):
		ago, err := time.ParseDuration(at)
		if err != nil {
			break
		}
		t, known, back = to.Add(ago), true, true
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
		return time.Time{}, "", usageError("%s%q: want %s", what, at, momentForms)
	}
	switch begins := unit.Moment(from); {
	case t.Before(from) && (back || !t.Before(from.Truncate(time.Minute))):
		// Who asks for 03:00 means a recording that began at 03:00:20, too.
		return from, fmt.Sprintf("%s%s: the recording begins later, at %v, and is read from there on", what, at, begins), nil
	case t.After(to), t.Before(from) && !t.Add(length).After(from):
		return time.Time{}, "", usageError("%s%s: the recording holds %v to %v; choose a time in it, as %s'%v'",
			what, at, begins, unit.Moment(to), what, begins)
	}
	return t, "", nil
}

// between finds the time that a user means by --from and --to, each of them a moment or "": the
// beginning and the end of a recording. Behind --from a time of day is the first one after that. notes
// are those of momentOf, and say that the recording ends before --to.
func between(from, to string, held recording.Window) (w recording.Window, notes []string, err error) {
	w = held
	for _, x := range []struct {
		flag, given string
		into        *time.Time
	}{{"--from ", from, &w.From}, {"--to ", to, &w.To}} {
		if x.given == "" {
			continue
		}
		var at time.Time
		var note string
		known := false
		if x.into == &w.To && from != "" {
			at, note, known = clockAfter(to, w.From, held.To)
		}
		if !known {
			if at, note, err = momentOf(x.flag, x.given, 0, held, time.Now()); err != nil {
				return w, nil, err
			}
		}
		if note != "" {
			notes = append(notes, note)
		}
		*x.into = at
	}
	if !w.To.After(w.From) && to != "" {
		return w, nil, usageError("--to %s is %v: that is not after the beginning, %v", to, unit.Moment(w.To), unit.Moment(w.From))
	}
	return w, notes, nil
}

// clockAfter is the first time of day after another time, or end if it is later, with a note; false: clock is no
// time of day, or the last one before is nearer: that one is meant, and is wrong.
func clockAfter(clock string, after, end time.Time) (at time.Time, note string, ok bool) {
	clock = strings.TrimSpace(clock)
	if at, ok = clockOn(after, clock); ok && !at.After(after) {
		at, ok = clockOn(after.AddDate(0, 0, 1), clock)
	}
	switch {
	case !ok || !at.After(end):
		return at, "", ok
	case at.Sub(end) > after.Sub(at.AddDate(0, 0, -1)):
		return time.Time{}, "", false
	}
	return end, fmt.Sprintf("--to %s: the recording ends earlier, at %v, and is read up to there", clock, unit.Moment(end)), true
}

// dated reads a time that has a date, also as tables and logs print it.
func dated(at string) (time.Time, bool) {
	if t, err := time.Parse(time.RFC3339, at); err == nil {
		return t, true
	}
	for _, layout := range []string{unit.MomentLayout, "2006-01-02 15:04 MST", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01-02T15:04"} {
		t, err := time.ParseInLocation(layout, at, time.Local)
		// The short name of a zone that is not used here has no known offset.
		if err == nil && (t.Location() == time.Local || t.Location() == time.UTC) {
			return t, true
		}
	}
	return time.Time{}, false
}

// clockOn is a time of day on the day of another time: the local one, or that of UTC
// if the clock says so. The name of the local zone may follow, as answers print it.
func clockOn(day time.Time, clock string) (time.Time, bool) {
	clock, zone, _ := strings.Cut(strings.TrimSpace(clock), " ")
	day = day.Local()
	switch local, _ := day.Zone(); zone {
	case "", local:
	case "UTC":
		day = day.UTC()
	default:
		return time.Time{}, false
	}
	for _, layout := range []string{"15:04", "15:04:05"} {
		if c, err := time.Parse(layout, clock); err == nil {
			return time.Date(day.Year(), day.Month(), day.Day(), c.Hour(), c.Minute(), c.Second(), 0, day.Location()), true
		}
	}
	return time.Time{}, false
}
