package view

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"rtrail/internal/recording"
)

// OffCPU is how long threads of one name in one process did not run for one reason.
type OffCPU struct {
	PID             int32
	Process, Thread string
	State           string // R: runnable, without a CPU; S, D and others: blocked, as in recording.OffCPUWait
	Stack           string // in the kernel, innermost first, joined by ';'
	// Waker is the thread that ended the waits, or Interrupt the kind of interrupt.
	// Without either nobody has ended them.
	Waker     string
	WakerPID  int32
	Interrupt string
	WakerIn   string // function by which the waker woke; "" if not known
	// Caller is the function of the program that waits so, not one of the C library, and
	// UserStack the stack in the program, of most of the time of which that is known;
	// "" if it is of none.
	Caller, UserStack string

	Threads int           // that waited so
	Waited  time.Duration // of all of them
	Mean    float64       // threads that waited at a time
	Waits   float64       // estimated; 0 of runnable time
	Longest time.Duration // of Sliced waits only the part in a slice
	Sliced  bool          // some were counted in slices of the time
}

// For is what the threads wait for: the function of the kernel that they are blocked
// in, the innermost of the stack, or a CPU.
func (o *OffCPU) For() string {
	if o.State == "R" {
		return "a CPU"
	}
	f, _, _ := strings.Cut(o.Stack, ";")
	return f
}

// EndedBy is who woke the threads, in words; "" if nobody did, or it is not known.
func (o *OffCPU) EndedBy() string {
	switch {
	case o.Interrupt != "":
		return "interrupt: " + o.Interrupt
	case o.Waker == "":
		return ""
	case o.WakerIn == "":
		return fmt.Sprintf("%s (%d)", o.Waker, o.WakerPID)
	}
	return fmt.Sprintf("%s (%d), %s", o.Waker, o.WakerPID, o.WakerIn)
}

// OffCPU sums up how long threads did not run, the longest first: what the kernel
// told of the window as far as it was traced.
func (v *View) OffCPU() []OffCPU {
	return Memo(v, "offcpu", func() []OffCPU { return SumOffCPU(Rows[recording.OffCPUWait](v), v.watched("offcpu")) })
}

// OffCPURows are the waits of threads in the window, but for those of rtrail itself, and those
// in slices of the time scaled to all of it.
func (v *View) OffCPURows() []recording.OffCPUWait {
	own := int32(v.Manifest().Host.PID)
	rows := slices.DeleteFunc(slices.Clone(Rows[recording.OffCPUWait](v)), func(r recording.OffCPUWait) bool { return own != 0 && r.PID == own })
	all := traced(rows, 0, offCPUTime)
	for i := range rows {
		r := &rows[i]
		r.Waited = scaled(r.Waited, all.factor(r.Span, r.Traced))
	}
	return rows
}

// offCPUTime is how long the stretch of a row is, and how long of it was traced.
func offCPUTime(r *recording.OffCPUWait) (span, traced time.Duration) { return r.Span, r.Traced }

// SumOffCPU sums up rows of one or more readings, of a source that counted
// for so long; 0: that is not known.
func SumOffCPU(rows []recording.OffCPUWait, watched time.Duration) []OffCPU {
	all := traced(rows, watched, offCPUTime)
	rows = attributed(rows)
	type same struct {
		pid, waker                                      int32
		process, thread, state, stack, who, interrupted string
		in                                              string
	}
	at := map[same]int{}
	tids := map[same]map[int32]bool{}
	callers := map[same]*mostTime{}
	var list []OffCPU
	for i := range rows {
		r := &rows[i]
		factor := all.factor(r.Span, r.Traced)
		k := same{r.PID, r.WakerPID, r.Process, r.Thread, r.State, r.Stack, r.Waker, r.Interrupt, wakerFunction(r.WakerStack)}
		n, ok := at[k]
		if !ok {
			n = len(list)
			at[k], tids[k], callers[k] = n, map[int32]bool{}, &mostTime{}
			list = append(list, OffCPU{PID: r.PID, Process: r.Process, Thread: r.Thread, State: r.State, Stack: r.Stack,
				Waker: r.Waker, WakerPID: r.WakerPID, Interrupt: r.Interrupt, WakerIn: k.in})
		}
		o := &list[n]
		o.Waited += scaled(r.Waited, factor)
		o.Waits += r.Waits * factor
		o.Longest = max(o.Longest, r.Longest)
		o.Sliced = o.Sliced || inSlices(r.Span, r.Traced)
		tids[k][r.TID] = true
		o.Threads = len(tids[k])
		callers[k].add(r, scaled(r.Waited, factor))
	}
	for k, n := range at {
		list[n].Caller, list[n].UserStack = callers[k].most()
	}
	span := all.span.Seconds()
	for i := range list {
		if span > 0 {
			list[i].Mean = list[i].Waited.Seconds() / span
		}
	}
	slices.SortStableFunc(list, func(a, b OffCPU) int {
		return cmp.Or(cmp.Compare(b.Waited, a.Waited), cmp.Compare(a.PID, b.PID), cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.Stack, b.Stack))
	})
	return list
}

// attributed gives parts of waits of which the end was not seen, because a reading or a slice
// ended first, to whoever ended most of the other waits of the thread at the same place. Waits
// longer than a slice mostly consist of such parts. A thread that nobody woke stays idle.
func attributed(rows []recording.OffCPUWait) []recording.OffCPUWait {
	type place struct {
		pid, tid     int32
		started      int64
		state, stack string
		lock         uint64
	}
	at := func(r *recording.OffCPUWait) place {
		return place{r.PID, r.TID, r.Started.UnixNano(), r.State, r.Stack, r.Lock}
	}
	most := map[place]int{}
	for i := range rows {
		if r := &rows[i]; r.Waits > 0 && (r.Waker != "" || r.Interrupt != "") {
			if n, ok := most[at(r)]; !ok || rows[n].Waited < r.Waited {
				most[at(r)] = i
			}
		}
	}
	out := slices.Clone(rows)
	for i := range out {
		r := &out[i]
		n, ok := most[at(r)]
		if !ok || r.Waits > 0 || r.Waker != "" || r.Interrupt != "" || r.State == "R" {
			continue
		}
		from := &rows[n]
		r.Waker, r.WakerPID, r.WakerTID, r.WakerStack, r.Interrupt, r.HolderStack = from.Waker, from.WakerPID, from.WakerTID, from.WakerStack, from.Interrupt, from.HolderStack
	}
	return out
}

// mostTime finds what threads did for most of the time that they waited.
type mostTime struct {
	callers map[string]time.Duration
	stacks  map[string]map[string]time.Duration // by caller
}

// add adds the stack in the program of a row, if it has one.
func (m *mostTime) add(r *recording.OffCPUWait, waited time.Duration) {
	if r.UserStack == "" {
		return
	}
	if m.callers == nil {
		m.callers, m.stacks = map[string]time.Duration{}, map[string]map[string]time.Duration{}
	}
	if m.stacks[r.Caller] == nil {
		m.stacks[r.Caller] = map[string]time.Duration{}
	}
	m.callers[r.Caller] += waited
	m.stacks[r.Caller][r.UserStack] += waited
}

// most is the function, and its stack, with most time; of those without a name of a
// function only if there are no others.
func (m *mostTime) most() (caller, stack string) {
	known := maps.Clone(m.callers)
	delete(known, "")
	caller = longestOf(known)
	return caller, longestOf(m.stacks[caller])
}

func longestOf(times map[string]time.Duration) (most string) {
	for name, d := range times {
		if d > times[most] || d == times[most] && (most == "" || name < most) {
			most = name
		}
	}
	return most
}

// wakerFunction is what names how a thread was woken: the system call, or the
// innermost function where there is none.
func wakerFunction(stack string) string {
	innermost, _, _ := strings.Cut(stack, ";")
	return cmp.Or(syscallIn(stack), innermost)
}

// syscallIn is the system call that a stack of the kernel is in; "" if there is none.
func syscallIn(stack string) string {
	for f := range strings.SplitSeq(stack, ";") {
		if f, _, _ = strings.Cut(strings.TrimSpace(f), "+"); strings.HasPrefix(f, "__x64_sys_") || strings.HasPrefix(f, "__arm64_sys_") {
			_, name, _ := strings.Cut(f, "_sys_")
			return name
		}
	}
	return ""
}
