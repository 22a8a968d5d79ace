package view

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"rtrail/internal/recording"
	"rtrail/internal/stack/signatures"
)

// StackWait is a known wait of one process, as its stacks tell.
type StackWait struct {
	ID      string // of the signature: "mysql/table-cache-mutex"; "" for stacks that none fits
	Title   string // the wait in a few words; "" for stacks that none fits
	Meaning string
	Act     string
	Kind    signatures.Kind // what such a thread does

	Process string // "" when the source does not say
	PID     int32  // -1 when the source does not say
	Source  string // file, or "pid 812"
	// Evidence is what was counted: recording.StackDump and StackOffCPU count
	// threads, StackOnCPU samples of running threads.
	Evidence string

	// Threads have such a stack, and BusyThreads do not wait for work: the means
	// of all dumps, rounded. Of StackOnCPU both are samples, over all the time.
	Threads, BusyThreads int
	// Mean is Threads before rounding.
	Mean  float64
	Dumps int64 // how many dumps or looks these are the means of
	// Share is Threads of BusyThreads, from 0 to 1.
	Share float64

	Example []string // the most frequent stack, innermost frame first
	Object  string   // what most of the threads wait for: "table_cache_manager+64, table_cache.h:115"; "" if not told
}

// StackProcess is one process in one source of stacks.
type StackProcess struct {
	Process  string
	PID      int32
	Source   string
	Evidence string
	Dumps    int64
	// Threads is all, Busy those that do not wait for work, Known those of the
	// busy ones whose wait has a name; means of all dumps, rounded.
	Threads, Busy, Known int
}

type stackKey struct {
	source, kind, process string
	pid                   int32
}

// StackWaits lists the waits of busy threads, those with the largest share
// first; those of idle threads follow with a share of 0.
func (v *View) StackWaits() []StackWait {
	return v.stackSums().waits
}

// StackProcesses lists the processes of which there are stacks.
func (v *View) StackProcesses() []StackProcess {
	return v.stackSums().processes
}

type stackSums struct {
	waits     []StackWait
	processes []StackProcess
}

func (v *View) stackSums() stackSums {
	return Memo(v, "stacks", func() (s stackSums) {
		s.waits, s.processes = v.stackWaits()
		return s
	})
}

func (v *View) stackWaits() (waits []StackWait, processes []StackProcess) {
	keys, series := Group(Rows[recording.StackSample](v), func(s recording.StackSample) stackKey {
		return stackKey{s.Source, s.Kind, s.Process, s.PID}
	})
	for _, k := range keys {
		w, p := waitsOf(k, series[k])
		waits = append(waits, w...)
		processes = append(processes, p)
	}
	slices.SortStableFunc(waits, func(a, b StackWait) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(b.Threads, a.Threads), cmp.Compare(a.ID, b.ID))
	})
	return waits, processes
}

// stackSum is what is added up for one wait.
type stackSum struct {
	wait    StackWait
	count   int64
	most    int64 // of the stack in wait.Example
	objects map[string]int64
}

func waitsOf(k stackKey, rows []recording.StackSample) ([]StackWait, StackProcess) {
	// Running threads are counted sample by sample, all others dump by dump.
	dumps := int64(1)
	for _, r := range rows {
		if k.kind != recording.StackOnCPU {
			dumps = max(dumps, r.Samples)
		}
	}
	mean := func(n int64) int { return int(math.Round(float64(n) / float64(dumps))) }

	sums := map[string]*stackSum{}
	var order []*stackSum
	busy, known, all := int64(0), int64(0), int64(0)
	for _, r := range rows {
		frames := strings.Split(r.Frames, ";")
		sig := signatures.Default().Match(frames, r.State)
		idle := sig != nil && sig.Kind == signatures.Idle && k.kind != recording.StackOnCPU
		all += r.Count
		id := ""
		if sig != nil {
			id = sig.ID
		}
		if !idle {
			busy += r.Count
			if id != "" {
				known += r.Count
			}
		}
		s := sums[id]
		if s == nil {
			s = &stackSum{objects: map[string]int64{}, wait: StackWait{
				ID: id, Process: k.process, PID: k.pid, Source: k.source, Evidence: k.kind, Dumps: dumps,
			}}
			if sig != nil {
				s.wait.Title, s.wait.Meaning, s.wait.Act, s.wait.Kind = sig.Title, sig.Meaning, sig.Act, sig.Kind
			}
			sums[id] = s
			order = append(order, s)
		}
		s.count += r.Count
		if r.Object != "" {
			s.objects[r.Object] += r.Count
		}
		if r.Count > s.most {
			s.most, s.wait.Example = r.Count, frames
		}
	}
	var waits []StackWait
	for _, s := range order {
		w := s.wait
		w.Threads, w.BusyThreads = mean(s.count), mean(busy)
		w.Mean = float64(s.count) / float64(dumps)
		if w.Kind != signatures.Idle || k.kind == recording.StackOnCPU {
			w.Share = ratio(s.count, busy)
		}
		w.Object = topObject(s.objects, s.count)
		waits = append(waits, w)
	}
	return waits, StackProcess{
		Process: k.process, PID: k.pid, Source: k.source, Evidence: k.kind, Dumps: dumps,
		Threads: mean(all), Busy: mean(busy), Known: mean(known),
	}
}

func ratio(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// topObject is the object that more than half of the threads wait for.
func topObject(objects map[string]int64, of int64) string {
	top := ""
	for name, n := range objects {
		if n > objects[top] || n == objects[top] && name < top {
			top = name
		}
	}
	if 2*objects[top] <= of {
		return ""
	}
	return top
}

// StackLocks lists the locks of dumps that name locks, the most awaited first.
func (v *View) StackLocks() []recording.StackLock {
	list := slices.Clone(Rows[recording.StackLock](v))
	slices.SortStableFunc(list, func(a, b recording.StackLock) int { return cmp.Compare(b.Waiters, a.Waiters) })
	return list
}
