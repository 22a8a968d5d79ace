package session

import (
	"context"
	"fmt"

	"rtrail/internal/recording"
)

// Replay is a recording on disk, or a window of it.
type Replay struct {
	Path string
	Window
}

// Evidence reads the window.
func (r *Replay) Evidence(ctx context.Context) (*Evidence, error) {
	var e Evidence
	if r.At != nil {
		held, err := recording.Span(ctx, r.Path)
		if err != nil {
			return nil, err
		}
		if err := r.choose(&e, "recording", held); err != nil {
			return nil, err
		}
	}
	var err error
	if e.Recording, err = recording.OpenRange(ctx, r.Path, e.From, e.To); err != nil {
		return nil, err
	}
	held := recording.Window{From: e.View().Start(), To: e.View().End()}
	if held.From.IsZero() {
		return nil, fmt.Errorf("judging %s: the recording has no samples", r.Path)
	}
	if r.At == nil && r.Length > 0 {
		e.view = nil
		return &e, r.choose(&e, "recording", held)
	}
	return &e, nil
}
