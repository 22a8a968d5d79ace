package view

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"rtrail/internal/recording"
)

// Lock is one futex that threads of a process waited for, as the kernel told.
type Lock struct {
	PID     int32
	Process string
	Address uint64 // in the process
	Mutex   bool   // it is one of a lock that was held; else a condition, a semaphore, idle threads

	Threads int           // that waited
	Waited  time.Duration // of all of them
	Mean    float64       // threads that waited at a time
	Waits   float64       // estimated
	Longest time.Duration // of Sliced waits only the part in a slice
	Sliced  bool          // some were counted in slices of the time

	// Holder is the thread that ended most of the waiting: of a lock, who released it.
	// Without a name nobody ended it, or it is not known who.
	Holder               string
	HolderPID, HolderTID int32
	Released             time.Duration // waiting that it ended
	// HolderFor is the function of the kernel in which those who ended the waiting
	// mostly slept meanwhile; "" if they did not sleep for long.
	HolderFor   string
	HolderSlept time.Duration // waiting that ended after that
	// Caller is the function of the program, not of the C library, from which most of the
	// waiting of which that is known came, and UserStack its stack; "" if it is of none.
	Caller, UserStack string
}

// LockCaller is the function of a process from which most of the waiting for a lock came, as
// far as stacks in the program were copied; "" if none was.
func (v *View) LockCaller(pid int32, address uint64) string {
	for _, l := range v.locks() {
		if l.PID == pid && l.Address == address {
			return l.Caller
		}
	}
	return ""
}

func (v *View) locks() []Lock {
	return Memo(v, "locks", func() []Lock { return SumLocks(Rows[recording.OffCPUWait](v), v.watched("offcpu")) })
}

// SumLocks sums up the waits for futexes in rows of one or more readings, the longest
// first. The source counted for so long; 0: that is not known.
func SumLocks(rows []recording.OffCPUWait, watched time.Duration) []Lock {
	all := traced(rows, watched, offCPUTime)
	type futex struct {
		pid     int32
		address uint64
	}
	type thread struct {
		name     string
		pid, tid int32
	}
	type waits struct {
		Lock
		threads map[int32]bool
		enders  map[thread]time.Duration
		slept   map[string]time.Duration
		callers mostTime
	}
	at := map[futex]*waits{}
	for i := range rows {
		r := &rows[i]
		factor := all.factor(r.Span, r.Traced)
		if r.Lock == 0 {
			continue
		}
		k := futex{r.PID, r.Lock}
		l := at[k]
		if l == nil {
			l = &waits{Lock{PID: r.PID, Process: r.Process, Address: r.Lock}, map[int32]bool{}, map[thread]time.Duration{}, map[string]time.Duration{}, mostTime{}}
			at[k] = l
		}
		l.Mutex = l.Mutex || r.Mutex
		l.Waited += scaled(r.Waited, factor)
		l.Waits += r.Waits * factor
		l.Longest = max(l.Longest, r.Longest)
		l.Sliced = l.Sliced || inSlices(r.Span, r.Traced)
		l.threads[r.TID] = true
		l.callers.add(r, scaled(r.Waited, factor))
		if r.Waker != "" {
			l.enders[thread{r.Waker, r.WakerPID, r.WakerTID}] += scaled(r.Waited, factor)
		}
		if in, _, _ := strings.Cut(r.HolderStack, ";"); in != "" {
			l.slept[in] += scaled(r.Waited, factor)
		}
	}
	span := all.span.Seconds()
	list := make([]Lock, 0, len(at))
	for _, l := range at {
		l.Threads = len(l.threads)
		if span > 0 {
			l.Mean = l.Waited.Seconds() / span
		}
		for w, d := range l.enders {
			if d > l.Released || d == l.Released && w.tid < l.HolderTID {
				l.Holder, l.HolderPID, l.HolderTID, l.Released = w.name, w.pid, w.tid, d
			}
		}
		for in, d := range l.slept {
			if d > l.HolderSlept || d == l.HolderSlept && in < l.HolderFor {
				l.HolderFor, l.HolderSlept = in, d
			}
		}
		l.Caller, l.UserStack = l.callers.most()
		list = append(list, l.Lock)
	}
	slices.SortFunc(list, func(a, b Lock) int {
		return cmp.Or(cmp.Compare(b.Waited, a.Waited), cmp.Compare(a.PID, b.PID), cmp.Compare(a.Address, b.Address))
	})
	return list
}
