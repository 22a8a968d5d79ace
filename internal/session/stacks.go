package session

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"rtrail/internal/probe"
	live "rtrail/internal/probe/stack"
	"rtrail/internal/recording"
	"rtrail/internal/stack"
	"rtrail/internal/unit"
)

// Stacks are dumps of the stacks of threads, or those of a live process.
type Stacks struct {
	Files   []string // "-": Stdin
	Stdin   io.Reader
	Options stack.Options

	Watch live.Options // a process to sample instead of Files; PID 0: none
	// Pausing is called before the process is stopped for one dump at the end; nil:
	// it is not stopped.
	Pausing func()

	Profile *stack.Profile // what was read
	Unseen  []string       // what could not be seen of the process
}

// Evidence reads all dumps, or samples the process. Its notes say what could not be
// read.
func (s *Stacks) Evidence(ctx context.Context) (*Evidence, error) {
	var err error
	if s.Watch.PID > 0 {
		err = s.watch(ctx)
	} else {
		s.Profile, err = stack.Read(ctx, s.Files, s.Stdin, s.Options)
	}
	if err != nil {
		return nil, err
	}
	at, notes := s.told()
	e, err := of(s.probe(), at, at, func(w *recording.Writer) { s.write(w, at) })
	if err != nil {
		return nil, err
	}
	e.From, e.To, e.Notes = time.Time{}, time.Time{}, notes // dumps have times of their own
	return e, nil
}

// probe stands for what was read.
func (s *Stacks) probe() recording.ProbeInfo {
	return recording.ProbeInfo{Name: "stack", Fills: stack.Tables}
}

// write makes rows of what was read.
func (s *Stacks) write(w *recording.Writer, at time.Time) {
	s.Profile.Write(w)
	// That all was read makes a table without rows evidence: nobody waited for a lock.
	recording.Append(w, recording.ProbeRun{At: at, Probe: "stack", Rows: int64(len(s.Profile.Stacks) + len(s.Profile.Locks))})
}

// told is when the first dump was taken, and what could not be read.
func (s *Stacks) told() (at time.Time, notes []string) {
	at = time.Now()
	for _, src := range s.Profile.Sources {
		switch {
		case src.Err != nil:
			notes = append(notes, src.Err.Error())
		case src.At.Before(at):
			at = src.At
		}
		if src.Unreadable > 0 {
			notes = append(notes, fmt.Sprintf("%s: %s could not be read, the first is line %d: %s", src.Name, unit.Plural(src.Unreadable, "line", "lines"), src.Problems[0].Line, src.Problems[0].What))
		}
		if left := src.LeftOut(); left != "" {
			notes = append(notes, src.Name+": "+left)
		}
	}
	return at, notes
}

// watch samples the process.
func (s *Stacks) watch(ctx context.Context) (err error) {
	if s.Profile, s.Unseen, err = live.Watch(ctx, s.Watch); err != nil {
		if how := probe.Remedy(err); how != "" {
			err = fmt.Errorf("%w; %s", err, how)
		}
		return err
	}
	if s.Pausing != nil && ctx.Err() == nil {
		s.Pausing()
		dump, took, err := live.Pause(ctx, s.Watch.PID)
		if err != nil {
			s.Unseen = append(s.Unseen, strings.TrimSpace(fmt.Sprintf("no dump was taken: %v; %s", err, probe.Remedy(err))))
		} else {
			s.Unseen = append(s.Unseen, fmt.Sprintf("the process stood still for up to %v while eu-stack took a dump", unit.Duration(took)))
			s.Profile.Join(dump)
		}
	}
	s.Profile.Heat(s.Options.Top)
	return nil
}
