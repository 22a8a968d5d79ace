// Package replayview makes documents of one window of a recording, for the full screen of
// `rtrail replay`: the verdict on it, and tables of what the host did.
package replayview

import (
	"slices"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/recording"
	"rtrail/internal/report"
	"rtrail/internal/session"
	"rtrail/internal/view"
)

// Page is one of the documents.
type Page int

// Pages of a moment.
const (
	Verdict Page = iota
	Processes
	Disks
	Network
	Cgroups
	Pages // how many there are
)

// Names are those of the pages.
func Names() []string {
	return []string{Verdict: "verdict", Processes: "processes", Disks: "disks", Network: "network", Cgroups: "cgroups"}
}

// Moment is a window as it is shown. Nothing of the recording is kept.
type Moment struct {
	Pages   [Pages]document.Document
	Samples []time.Time // of the window, in their order
}

// Of judges a window.
func Of(e *session.Evidence) Moment {
	v := e.View()
	m := Moment{Pages: [Pages]document.Document{
		Verdict:   report.Compose(e.Judge(), false),
		Processes: processes(v),
		Disks:     disks(v),
		Network:   network(v),
		Cgroups:   cgroups(v),
	}}
	for _, s := range view.Rows[recording.SystemSample](v) {
		m.Samples = append(m.Samples, s.At)
	}
	m.Samples = slices.Compact(m.Samples)
	return m
}
