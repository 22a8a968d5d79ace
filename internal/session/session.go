// Package session gives evidence in one form, wherever it comes from: this host
// (Live), a recording (Replay), captures (Captures, BothSides), stacks (Stacks), slow
// query logs (SlowLogs). Each is a Source, and Packets are what sources and views of
// packets read. Whoever starts Live closes it.
package session

import (
	"context"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule/catalogue"
	"rtrail/internal/verdict"
	"rtrail/internal/version"
	"rtrail/internal/view"
)

// Source is where evidence comes from.
type Source interface {
	// Evidence reads what is there, or waits until its window is over. When ctx ends
	// before, a live source gives what it has seen, and others an error.
	Evidence(ctx context.Context) (*Evidence, error)
}

// Evidence is a recording in memory and the window of it that is meant.
type Evidence struct {
	Recording *recording.Recording
	From, To  time.Time // zero: the first and the last row
	// Look is one look at the same host at another time, which shows levels; nil: there is none.
	Look *Evidence
	// Notes say what limits it, Interrupted that it ended before the time asked for.
	Notes       []string
	Interrupted bool

	view *view.View
}

// View is the window. It is made once, so that what it derived is there for all.
func (e *Evidence) View() *view.View {
	if e.view == nil {
		e.view = view.New(e.Recording, e.From, e.To)
	}
	return e.view
}

// Judge is the verdict on the window.
func (e *Evidence) Judge() verdict.Verdict {
	v := verdict.Judge(e.View(), catalogue.For(e.Recording.Manifest()))
	v.Window.Interrupted = e.Interrupted
	v.Notes = append(v.Notes, e.Notes...)
	if e.Look != nil {
		v.AddLook(e.Look.Judge(), catalogue.For(e.Look.Recording.Manifest()))
	}
	return v
}

// about is the manifest of what one probe read elsewhere.
func about(probe recording.ProbeInfo) recording.Manifest {
	return recording.Manifest{Format: recording.FormatVersion, Tool: "rtrail " + version.String(), Probes: []recording.ProbeInfo{probe}}
}

// of is a recording of what one probe read elsewhere.
func of(probe recording.ProbeInfo, from, to time.Time, fill func(*recording.Writer)) (*Evidence, error) {
	m := about(probe)
	m.Started, m.Ended = from, to
	rec := recording.New(m)
	w := recording.NewWriter(from)
	fill(w)
	return &Evidence{Recording: rec, From: from, To: to}, rec.Commit(w)
}
