// Package episode joins the verdicts of successive windows of one recording:
// faults get a beginning and an end, and processes the CPU time they used in all.
package episode

import (
	"cmp"
	"slices"
	"time"

	"rtrail/internal/rule"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

// Windows are the windows of one stretch of time in their order, each as long as the
// others; the last may be shorter. Of each only a part may have been judged.
type Windows struct {
	Every time.Duration // from the beginning of one to that of the next

	episodes []Episode
	open     map[key]int // the latest episode of each fault
	used     map[process]*Process
}

// Episode is a fault that was there in one window after the other.
type Episode struct {
	From, To time.Time
	Finding  verdict.Finding // of the window in which it cost most
}

// key tells faults apart: that of a rule about somebody, also when its process was
// started again.
type key struct {
	rule    string
	subject view.Key
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
	if w.open == nil {
		w.open, w.used = map[key]int{}, map[process]*Process{}
	}
	for _, f := range verdict.Judge(v, rules).Findings {
		if f.Confidence > rule.Possible {
			w.add(from, to, f)
		}
	}
	for _, p := range v.Processes() {
		id := process{p.PID, p.Started.UnixNano()}
		u := w.used[id]
		if u == nil {
			u = &Process{PID: p.PID}
			w.used[id] = u
		}
		u.Name = p.Comm
		u.CPUSeconds += p.CPUSeconds
		u.MostCPU = max(u.MostCPU, p.CPU)
		u.MostRSS = max(u.MostRSS, p.RSS)
		u.Seconds += p.Seconds
	}
}

// add joins a finding to the episode it goes on with: one that was there in the
// window before, or in that before it.
func (w *Windows) add(from, to time.Time, f verdict.Finding) {
	k := key{f.Rule, f.Key}
	i, known := w.open[k]
	if !known || from.Sub(w.episodes[i].To) > w.Every {
		w.open[k] = len(w.episodes)
		w.episodes = append(w.episodes, Episode{From: from, To: to, Finding: f})
		return
	}
	e := &w.episodes[i]
	e.To = to
	if worse(f, e.Finding) {
		e.Finding = f
	}
}

func worse(a, b verdict.Finding) bool {
	return cmp.Or(cmp.Compare(a.Confidence, b.Confidence), cmp.Compare(a.Impact.Weight(), b.Impact.Weight())) > 0
}

// Episodes lists the faults in the order of their beginnings.
func (w *Windows) Episodes() []Episode {
	list := slices.Clone(w.episodes)
	slices.SortStableFunc(list, func(a, b Episode) int { return a.From.Compare(b.From) })
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
	at := make([]int, len(list))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int {
		x, y := list[a].Finding, list[b].Finding
		return cmp.Or(cmp.Compare(y.Confidence, x.Confidence), cmp.Compare(y.Impact.Weight(), x.Impact.Weight()))
	})
	at = at[:n]
	slices.Sort(at)
	out := make([]Episode, n)
	for i, j := range at {
		out[i] = list[j]
	}
	return out
}
