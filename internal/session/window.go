package session

import (
	"fmt"
	"time"

	"rtrail/internal/recording"
)

// Window is the part of evidence that is to be judged; zero: all of it.
type Window struct {
	// At chooses where it begins, given the time that the evidence covers; nil: with
	// the evidence.
	At func(recording.Window) (time.Time, error)
	// Length is how long it is; 0 without At: to the end.
	Length time.Duration
}

func (c *Window) chosen() bool { return c.At != nil || c.Length > 0 }

// clockLayout is how notes print times.
const clockLayout = "2006-01-02 15:04:05 MST"

// choose finds the window in what, which covers some time.
func (c *Window) choose(e *Evidence, what string, held recording.Window) (err error) {
	e.From = held.From
	if c.At != nil {
		if e.From, err = c.At(held); err != nil {
			return err
		}
	}
	e.To = e.From.Add(c.Length)
	if c.At != nil && e.To.After(held.To) {
		e.Notes = append(e.Notes, fmt.Sprintf("the %s ends at %s: judged on %.1f s of %v",
			what, held.To.Local().Format(clockLayout), held.To.Sub(e.From).Seconds(), c.Length))
	}
	return nil
}

// where says which window it is, for errors; "" of all.
func (e *Evidence) where() string {
	if e.From.IsZero() {
		return ""
	}
	return fmt.Sprintf(" from %s to %s", e.From.Local().Format(clockLayout), e.To.Local().Format(clockLayout))
}
