package session

import (
	"fmt"
	"strings"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/unit"
)

// Window is the part of evidence that is to be judged; zero: all of it.
type Window struct {
	// At chooses where it begins, given the time that the evidence covers; it may
	// begin before. Where it says no end, Length does. A note says if it is another time than
	// the user meant. nil: with the evidence.
	At func(held recording.Window) (from, to time.Time, note string, err error)
	// Length is how long it is; 0 without At: to the end.
	Length time.Duration
}

func (c *Window) chosen() bool { return c.At != nil || c.Length > 0 }

// choose finds the window in what, which covers some time: as much of it as is
// covered, with a note if that is less than was asked for.
func (c *Window) choose(e *Evidence, what string, held recording.Window) (err error) {
	e.From, e.To = held.From, time.Time{}
	if c.At != nil {
		var note string
		if e.From, e.To, note, err = c.At(held); err != nil {
			return err
		}
		if note != "" {
			e.Notes = append(e.Notes, note)
		}
	}
	if e.To.IsZero() {
		e.To = e.From.Add(c.Length)
	}
	asked := e.To.Sub(e.From)
	var limits []string
	if e.From.Before(held.From) {
		e.From = held.From
		limits = append(limits, "begins at "+unit.Moment(e.From).String())
	}
	if e.To.After(held.To) {
		e.To = held.To
		limits = append(limits, "ends at "+unit.Moment(e.To).String())
	}
	if len(limits) > 0 {
		e.Notes = append(e.Notes, fmt.Sprintf("the %s %s: judged on %v of %v",
			what, strings.Join(limits, " and "), unit.Duration(e.To.Sub(e.From)), unit.Duration(asked)))
	}
	return nil
}

// where says which window it is, for errors; "" of all.
func (e *Evidence) where() string {
	if e.From.IsZero() {
		return ""
	}
	return fmt.Sprintf(" from %v to %v", unit.Moment(e.From), unit.Moment(e.To))
}
