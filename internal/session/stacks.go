package session

import (
	"context"
	"fmt"
	"io"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/stack"
	"rtrail/internal/unit"
)

// Stacks are dumps of the stacks of threads.
type Stacks struct {
	Files   []string // "-": Stdin
	Stdin   io.Reader
	Options stack.Options
	// Profile is what was read; it may be there before.
	Profile *stack.Profile
}

// Evidence reads all dumps. Its notes say what could not be read.
func (s *Stacks) Evidence(ctx context.Context) (*Evidence, error) {
	if s.Profile == nil {
		var err error
		if s.Profile, err = stack.Read(ctx, s.Files, s.Stdin, s.Options); err != nil {
			return nil, err
		}
	}
	p, at := s.Profile, time.Now()
	var notes []string
	for _, src := range p.Sources {
		switch {
		case src.Err != nil:
			notes = append(notes, src.Err.Error())
		case src.At.Before(at):
			at = src.At
		}
		if src.Unreadable > 0 {
			notes = append(notes, fmt.Sprintf("%s: %s could not be read, the first is line %d: %s", src.Name, unit.Plural(src.Unreadable, "line", "lines"), src.Problems[0].Line, src.Problems[0].What))
		}
	}
	e, err := of(recording.ProbeInfo{Name: "stack", Fills: stack.Tables}, at, at, func(w *recording.Writer) {
		p.Write(w)
		// That all was read makes a table without rows evidence: nobody waited for a lock.
		recording.Append(w, recording.ProbeRun{At: at, Probe: "stack", Rows: int64(len(p.Stacks) + len(p.Locks))})
	})
	if err != nil {
		return nil, err
	}
	e.From, e.To, e.Notes = time.Time{}, time.Time{}, notes // dumps have times of their own
	return e, nil
}

// Close has nothing to give back: files are read at once.
func (s *Stacks) Close() error { return nil }
