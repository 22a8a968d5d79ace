// Package view answers the questions rules ask: what changed in the window,
// at which rate, whose it is. It derives from a recording and reads nothing
// else, so that live and replayed evidence take the same path.
//
// Two rules hold for every number here. Counters are deltas between the first
// and the last reading inside the window, divided by the time between these
// two readings, not by the length asked for. A counter that went backwards was
// reset: the delta restarts at the reset and is never negative or huge.
package view

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/recording"
)

// View is a window on a recording.
type View struct {
	rec        *recording.Recording
	start, end time.Time
	// opens and closes: it begins and ends with the recording.
	opens, closes bool
	memo          memo
}

// New makes a view of a recording between two times. Zero times stand for the
// first and the last row.
func New(rec *recording.Recording, start, end time.Time) *View {
	v := &View{rec: rec, start: start, end: end, opens: start.IsZero(), closes: end.IsZero()}
	if start.IsZero() || end.IsZero() {
		first, last := span(rec)
		if start.IsZero() {
			v.start = first
		}
		if end.IsZero() {
			v.end = last
		}
	}
	return v
}

// Manifest is the recording's.
func (v *View) Manifest() recording.Manifest { return v.rec.Manifest() }

// KernelAtLeast compares the version of the host's kernel; one that is not known counts as new.
func (v *View) KernelAtLeast(major, minor int) bool {
	parts := strings.FieldsFunc(v.Manifest().Host.Kernel, func(r rune) bool { return r < '0' || r > '9' })
	if len(parts) < 2 {
		return true
	}
	a, _ := strconv.Atoi(parts[0])
	b, _ := strconv.Atoi(parts[1])
	return a > major || a == major && b >= minor
}

// Start is when the window begins.
func (v *View) Start() time.Time { return v.start }

// End is when the window ends.
func (v *View) End() time.Time { return v.end }

// Seconds is the length of the window.
func (v *View) Seconds() float64 { return v.end.Sub(v.start).Seconds() }

// PerSecond is a sum of times as seconds per second of the window, also of one
// shorter than a second; of a window without length it is the sum.
func (v *View) PerSecond(d time.Duration) float64 {
	if window := v.Seconds(); window > 0 {
		return d.Seconds() / window
	}
	return d.Seconds()
}

// Has says whether rules can see any row of a table: one that counts in the window, of
// captures one of an interval that overlaps it, or any at all of a table whose rows
// count beyond the moment they were read: those of settings, owners of sockets and
// logs.
func (v *View) Has(t recording.Table) bool {
	switch {
	case recording.HoldsBeyond(t):
		return v.rec.Count(t) > 0
	case recording.OfCaptures(t):
		return v.rec.HasWithin(t, v.outside())
	}
	return Memo(v, "has/"+string(t), func() bool { return v.rec.Has(t, v.counts) })
}

// Partly says that the source of a table, a report of another tool, tells only some columns
// of it.
func (v *View) Partly(t recording.Table) bool {
	return slices.ContainsFunc(v.Manifest().Probes, func(p recording.ProbeInfo) bool { partly, _ := p.Partly(t); return partly })
}

// Tells says whether the source of a table tells a column of it ("softirq_ns"; of the table of
// protocols a counter, as nstat names it). Who reads the host itself tells all.
func (v *View) Tells(t recording.Table, column string) bool {
	return !slices.ContainsFunc(v.Manifest().Probes, func(p recording.ProbeInfo) bool { _, tells := p.Partly(t); return !tells(column) })
}

// span is the time from the first to the last row of the tables that every
// live run fills, of dumps of stacks, and of the packets of captures.
func span(rec *recording.Recording) (first, last time.Time) {
	var all recording.Window
	for _, s := range recording.Rows[recording.SystemSample](rec) {
		all.Add(s.At)
	}
	for _, s := range recording.Readings[recording.ProcessSample](rec) {
		all.Add(s.At())
	}
	for _, s := range recording.Rows[recording.ListenerSample](rec) {
		all.Add(s.At)
	}
	for _, s := range recording.Rows[recording.StackSample](rec) {
		all.Add(s.At)
	}
	for _, c := range recording.Rows[recording.PacketCapture](rec) {
		if c.Packets > 0 {
			all.Add(c.At)
			all.Add(c.Last)
		}
	}
	return all.From, all.To
}
