package main

import (
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/unit"
)

func TestMoment(t *testing.T) {
	local := func(s string) time.Time {
		at, err := time.ParseInLocation("2006-01-02 15:04:05", s, time.Local)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	from, to, now := local("2026-03-01 22:00:20"), local("2026-03-04 07:30:00"), local("2026-03-04 09:00:00")
	for _, c := range []struct{ at, want, fails string }{
		{at: "03:00", want: "2026-03-04 03:00:00"},
		{at: "07:30", want: "2026-03-04 07:30:00"},
		{at: "08:00", want: "2026-03-03 08:00:00"}, // not yet reached on the last day
		{at: "22:00:30", want: "2026-03-03 22:00:30"},
		{at: "yesterday 03:00", want: "2026-03-03 03:00:00"},
		{at: "today 03:00:05", want: "2026-03-04 03:00:05"},
		{at: "2026-03-02 03:00", want: "2026-03-02 03:00:00"},
		{at: "2026-03-02T03:00", want: "2026-03-02 03:00:00"},
		{at: "2026-03-02 03:00:07", want: "2026-03-02 03:00:07"},
		{at: local("2026-03-02 03:00:07").Format(time.RFC3339), want: "2026-03-02 03:00:07"},
		{at: local("2026-03-02 03:00:07").UTC().Format(time.RFC3339), want: "2026-03-02 03:00:07"},
		{at: local("2026-03-02 03:00:07").UTC().Format(unit.MomentLayout), want: "2026-03-02 03:00:07"},
		{at: local("2026-03-02 03:00:07").Format(unit.MomentLayout), want: "2026-03-02 03:00:07"},
		{at: "2026-03-02 03:00:07 QQT", fails: "want 03:00"},
		{at: "2026-03-01 22:00", want: "2026-03-01 22:00:20"}, // the minute in which it begins
		{at: "-5m", want: "2026-03-04 07:25:00"},
		{at: " -1h30m ", want: "2026-03-04 06:00:00"},
		{at: "2026-03-01 21:59", want: "2026-03-01 21:59:00"}, // the two minutes reach it
		{at: "2026-03-01 21:58", fails: "the recording holds 2026-03-01 22:00:20"},
		{at: "today 08:00", fails: "the recording holds"},
		{at: "-1000h", want: "2026-03-01 22:00:20"},
		{at: local("2026-03-04 03:00:05").Format("15:04:05 MST"), want: "2026-03-04 03:00:05"},
		{at: local("2026-03-04 03:00:00").UTC().Format("15:04 MST"), want: "2026-03-04 03:00:00"},
		{at: "yesterday " + local("2026-03-03 03:00:00").UTC().Format("15:04 MST"), want: "2026-03-03 03:00:00"},
		{at: "03:00 QQT", fails: "want 03:00"},
		{at: "2026-02-30 03:00", fails: "want 03:00"},
		{at: "24:00", fails: "want 03:00"},
		{at: "tomorrow 03:00", fails: "want 03:00"},
		{at: "yesterday", fails: "want 03:00"},
		{at: "-5", fails: "want 03:00"},
		{at: "", fails: "want 03:00"},
	} {
		got, _, err := moment(c.at, 2*time.Minute, recording.Window{From: from, To: to}, now)
		switch {
		case c.fails != "":
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%q: %v, %v; want an error with %q", c.at, got, err, c.fails)
			}
		case err != nil:
			t.Errorf("%q: %v", c.at, err)
		case !got.Equal(local(c.want)):
			t.Errorf("%q: %v, want %s", c.at, got, c.want)
		}
	}
}

// A time of day behind --from is the first one after it, wherever the recording ends, and what is clearly
// before it is an error.
func TestBetween(t *testing.T) {
	local := func(s string) time.Time {
		at, err := time.ParseInLocation("2006-01-02 15:04", s, time.Local)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	held := recording.Window{From: local("2026-03-01 22:00"), To: local("2026-03-04 03:08")}
	for _, c := range []struct{ from, to, want, note, fails string }{
		{from: "02:55", to: "03:05", want: "2026-03-04 02:55 to 2026-03-04 03:05"},
		{from: "02:55", to: "03:10", want: "2026-03-04 02:55 to 2026-03-04 03:08", note: "--to 03:10: the recording ends earlier, at 2026-03-04 03:08:00"},
		{from: "2026-03-03 02:55", to: "03:10", want: "2026-03-03 02:55 to 2026-03-03 03:10"},
		{from: "2026-03-02 23:50", to: "00:10", want: "2026-03-02 23:50 to 2026-03-03 00:10"},
		{from: "23:50", to: "02:00", want: "2026-03-03 23:50 to 2026-03-04 02:00"},
		{from: "-10m", to: "03:00", want: "2026-03-04 02:58 to 2026-03-04 03:00"},
		{from: "02:55", to: "2026-03-04 03:00", want: "2026-03-04 02:55 to 2026-03-04 03:00"},
		{from: "02:55", to: "-5m", want: "2026-03-04 02:55 to 2026-03-04 03:03"},
		{to: "03:00", want: "2026-03-01 22:00 to 2026-03-04 03:00"},
		{to: "03:10", want: "2026-03-01 22:00 to 2026-03-03 03:10"},
		{from: "03:00", want: "2026-03-04 03:00 to 2026-03-04 03:08"},
		{from: "03:00", to: "02:00", fails: "not after the beginning"},
		{from: "02:55", to: "2026-03-04 03:10", fails: "the recording holds"},
		{from: "02:55", to: "sometime", fails: "want 03:00"},
	} {
		w, notes, err := between(c.from, c.to, held)
		got := w.From.Local().Format("2006-01-02 15:04") + " to " + w.To.Local().Format("2006-01-02 15:04")
		switch {
		case c.fails != "":
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%q to %q: %s, %v; want an error with %q", c.from, c.to, got, err, c.fails)
			}
		case err != nil || got != c.want:
			t.Errorf("%q to %q: %s, %v; want %s", c.from, c.to, got, err, c.want)
		case (c.note == "") != (len(notes) == 0) || c.note != "" && !strings.HasPrefix(notes[0], c.note):
			t.Errorf("%q to %q: notes %q, want %q", c.from, c.to, notes, c.note)
		}
	}
}

// A time before the beginning is not taken for the beginning in silence.
func TestMomentBeforeTheBeginning(t *testing.T) {
	from := time.Date(2026, 3, 4, 3, 0, 20, 0, time.Local)
	for at, told := range map[string]bool{"-10h": true, "-61s": true, "-1m": false, "-30s": false, "03:00": true, "03:00:20": false, "03:01": false} {
		got, note, err := moment(at, 10*time.Second, recording.Window{From: from, To: from.Add(time.Minute)}, from)
		if err != nil || got.Before(from) {
			t.Errorf("%s: %v, %v", at, got, err)
		}
		if want := "--at " + at + ": the recording begins later, at 2026-03-04 03:00:20"; strings.HasPrefix(note, want) != told || (note == "") == told {
			t.Errorf("%s: %q", at, note)
		}
	}
}

func TestMomentOfShortRecording(t *testing.T) {
	from := time.Date(2026, 3, 4, 3, 0, 20, 0, time.Local)
	for at, ok := range map[string]bool{"03:00": true, "03:01": true, "02:59": false, "03:02": false} {
		if _, _, err := moment(at, 10*time.Second, recording.Window{From: from, To: from.Add(time.Minute)}, from); (err == nil) != ok {
			t.Errorf("%s: %v", at, err)
		}
	}
}
