package session

import (
	"context"
	"fmt"
	"time"

	"rtrail/internal/recording"
)

// Replay is a recording on disk, or a window of it.
type Replay struct {
	Path string
	// At chooses where the window begins, given the time that the recording holds;
	// nil: with the recording.
	At func(recording.Window) (time.Time, error)
	// Length is that of the window; 0 without At: to the end of the recording.
	Length time.Duration
}

// clockLayout is how notes print times.
const clockLayout = "2006-01-02 15:04:05 MST"

// Evidence reads the window.
func (r *Replay) Evidence(ctx context.Context) (*Evidence, error) {
	var e Evidence
	if r.At != nil {
		held, err := recording.Span(ctx, r.Path)
		if err != nil {
			return nil, err
		}
		if e.From, err = r.At(held); err != nil {
			return nil, err
		}
		e.To = e.From.Add(r.Length)
		if e.To.After(held.To) {
			e.Notes = append(e.Notes, fmt.Sprintf("the recording ends at %s: judged on %.1f s of %v",
				held.To.Local().Format(clockLayout), held.To.Sub(e.From).Seconds(), r.Length))
		}
	}
	var err error
	if e.Recording, err = recording.OpenRange(ctx, r.Path, e.From, e.To); err != nil {
		return nil, err
	}
	start := e.View().Start()
	if start.IsZero() {
		return nil, fmt.Errorf("judging %s: the recording has no samples", r.Path)
	}
	if r.At == nil && r.Length > 0 {
		e.From, e.To, e.view = start, start.Add(r.Length), nil
	}
	return &e, nil
}

// Close has nothing to give back: a recording is read at once.
func (r *Replay) Close() error { return nil }
