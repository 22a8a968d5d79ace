// Package episode joins the verdicts of successive windows of one recording:
// faults get a beginning and an end, and processes the CPU time they used in all.
package episode

import (
	"cmp"
	"slices"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

// Windows are the windows of one stretch of time in their order, each as long as the
// others; the last may be shorter. Of each only a part may have been judged.
type Windows struct {
	Every time.Duration // from the beginning of one to that of the next

	episodes []Episode
	open     map[Key]int // the latest episode of each fault
	hints    []Hint
	hinted   map[Key]int // their places
	used     map[process]*Process
	judged   time.Time // end of the part that was judged last; zero: none since the beginning of a piece
}

// Episode is a fault that was there in one window after the other.
type Episode struct {
	From, To time.Time        // of the windows
	Finding  verdict.Finding  // of the window in which it cost most
	Worst    recording.Window // the part of that window which was judged

	// First is when the first part that was judged and had it begins, Last when the last
	// one ends. After is the end of the part before that did not have it, Before the
	// beginning of the next one; zero: none was judged.
	First, Last   time.Time
	After, Before time.Time

	skipped int // of the last part
}

// Hint is what was at most possible wherever it was found: no fault.
type Hint struct {
	Finding verdict.Finding  // of the window in which it would cost most
	Worst   recording.Window // the part of that window which was judged
}

// part is what was judged of a window, as far as it is needed: a view holds all rows.
type part struct {
	from, to   time.Time // of the window
	begin, end time.Time // of what was judged
	load       float64   // share of the time that CPUs were busy or tasks stalled then, before it was judged
	known      bool      // load
	findings   []verdict.Finding
	hints      []verdict.Finding // at most possible
	used       []use
	lacks      []lack
	late       map[string]string // probes of which samples came too late, with the last error
	skipped    int               // windows of the piece up to here that were not judged
	beside     bool              // it is another one of its window: see Survey.Refusals
}

// use is what a process did in a part.
type use struct {
	id process
	Process
}

// Key tells faults apart: that of a rule about somebody, also when its process was
// started again.
type Key struct {
	Rule    string
	Subject view.Key
}

// process is a process; its number alone may be used again.
type process struct {
	pid     int32
	started int64 // nanoseconds since 1970
}

// Process is what a process used in all windows that were judged.
type Process struct {
	Name       string
	PID        int32
	CPUSeconds float64
	MostCPU    float64 // cores, in the window in which it used most
	MostRSS    int64   // bytes
	Seconds    float64 // that were judged while it was seen
}

// Add judges a window that lasts from one time to another; v is the part of it that
// is judged. Hints are no faults.
func (w *Windows) Add(from, to time.Time, v *view.View, rules []rule.Rule) {
	w.take(judge(from, to, v, rules))
}

func judge(from, to time.Time, v *view.View, rules []rule.Rule) part {
	p := part{from: from, to: to, begin: v.Start(), end: v.End()}
	judged := verdict.Judge(v, rules)
	p.lacks, p.late = lacksOf(v, &judged)
	for _, f := range judged.Findings {
		if f.Confidence > rule.Possible {
			p.findings = append(p.findings, f)
		} else {
			p.hints = append(p.hints, f)
		}
	}
	for _, x := range v.Processes() {
		p.used = append(p.used, use{process{x.PID, x.Started.UnixNano()}, Process{x.Comm, x.PID, x.CPUSeconds, x.CPU, x.RSS, x.Seconds}})
	}
	return p
}

// take adds a part; parts come in the order of time.
func (w *Windows) take(p part) {
	if w.open == nil {
		w.open, w.hinted, w.used = map[Key]int{}, map[Key]int{}, map[process]*Process{}
	}
	for _, f := range p.findings {
		w.add(p, f)
	}
	for _, f := range p.hints {
		w.hint(p, f)
	}
	for _, i := range w.open {
		if e := &w.episodes[i]; e.Before.IsZero() && !e.Last.Equal(p.end) {
			e.Before = p.begin
		}
	}
	w.judged = p.end
	for _, x := range p.used {
		u := w.used[x.id]
		if u == nil {
			u = &Process{PID: x.PID}
			w.used[x.id] = u
		}
		u.Name = x.Name
		u.CPUSeconds += x.CPUSeconds
		u.MostCPU = max(u.MostCPU, x.MostCPU)
		u.MostRSS = max(u.MostRSS, x.MostRSS)
		u.Seconds += x.Seconds
	}
}

// piece begins with parts of another piece of a recording, whose times may be the same.
func (w *Windows) piece() {
	clear(w.open)
	w.judged = time.Time{}
}

// KeyOf is the key of a finding.
func KeyOf(f verdict.Finding) Key { return Key{f.Rule, f.Key} }

// add joins a finding to the episode it goes on with: one that was there in the
// window before, or in that before it.
func (w *Windows) add(p part, f verdict.Finding) {
	i, known := w.open[KeyOf(f)]
	if !known || p.from.Sub(w.episodes[i].To) > w.Every*time.Duration(1+p.skipped-w.episodes[i].skipped) {
		w.open[KeyOf(f)] = len(w.episodes)
		w.episodes = append(w.episodes, Episode{From: p.from, To: p.to, Finding: f, Worst: p.window(), First: p.begin, Last: p.end, After: w.judged, skipped: p.skipped})
		return
	}
	e := &w.episodes[i]
	e.To, e.Last, e.Before, e.skipped = p.to, p.end, time.Time{}, p.skipped
	if worse(f, e.Finding) {
		e.Finding, e.Worst = f, p.window()
	}
}

// hint keeps the window in which it would cost most.
func (w *Windows) hint(p part, f verdict.Finding) {
	i, known := w.hinted[KeyOf(f)]
	switch {
	case !known:
		w.hinted[KeyOf(f)] = len(w.hints)
		w.hints = append(w.hints, Hint{f, p.window()})
	case worse(f, w.hints[i].Finding):
		w.hints[i] = Hint{f, p.window()}
	}
}

// window is what was judged.
func (p *part) window() recording.Window { return recording.Window{From: p.begin, To: p.end} }

func worse(a, b verdict.Finding) bool {
	return cmp.Or(cmp.Compare(a.Confidence, b.Confidence), cmp.Compare(a.Impact.Weight(), b.Impact.Weight())) > 0
}

// Episodes lists the faults in the order of their beginnings.
func (w *Windows) Episodes() []Episode {
	list := slices.Clone(w.episodes)
	slices.SortStableFunc(list, func(a, b Episode) int { return a.From.Compare(b.From) })
	return list
}

// Hints lists what was at most possible in all windows that were judged, what would cost most first.
func (w *Windows) Hints() (list []Hint) {
	sure := map[Key]bool{}
	for _, e := range w.episodes {
		sure[KeyOf(e.Finding)] = true
	}
	for _, h := range w.hints {
		if !sure[KeyOf(h.Finding)] {
			list = append(list, h)
		}
	}
	slices.SortStableFunc(list, func(a, b Hint) int {
		return cmp.Compare(b.Finding.Impact.Weight(), a.Finding.Impact.Weight())
	})
	return list
}

// Top lists the n processes that used most CPU time, the first of them first.
func (w *Windows) Top(n int) []Process {
	var list []Process
	for _, u := range w.used {
		if u.CPUSeconds > 0 {
			list = append(list, *u)
		}
	}
	slices.SortFunc(list, func(a, b Process) int {
		return cmp.Or(cmp.Compare(b.CPUSeconds, a.CPUSeconds), cmp.Compare(a.PID, b.PID))
	})
	return list[:min(len(list), n)]
}

// Worst are the n episodes of a list that weigh most, in their order.
func Worst(list []Episode, n int) []Episode {
	if len(list) <= n {
		return list
	}
	at := heaviest(list)[:n]
	slices.Sort(at)
	out := make([]Episode, n)
	for i, j := range at {
		out[i] = list[j]
	}
	return out
}

// Heaviest is the place of the episode of a list that weighs most; -1: it is empty.
func Heaviest(list []Episode) int {
	if len(list) == 0 {
		return -1
	}
	return heaviest(list)[0]
}

// heaviest are the places of the episodes of a list, that which weighs most first.
func heaviest(list []Episode) []int {
	at := make([]int, len(list))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int {
		x, y := list[a].Finding, list[b].Finding
		return cmp.Or(cmp.Compare(y.Confidence, x.Confidence), cmp.Compare(y.Impact.Weight(), x.Impact.Weight()))
	})
	return at
}
