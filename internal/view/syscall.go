package view

import (
	"cmp"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/recording"
)

// Syscall is one system call of one process.
type Syscall struct {
	PID     int32
	Started time.Time
	Process string
	Call    string

	Calls     int64
	PerSecond float64 // calls
	Errors    int64   // calls that failed
	Error     string  // name of the most frequent error: "EAGAIN"; "" without errors
	OfError   int64   // calls that failed with it
	Returned  int64   // sum of the results above 0: of read and write the bytes
	Nothing   int64   // calls with the result 0

	Time    time.Duration // of all calls, waits included
	Mean    float64       // calls that were under way at a time
	Longest time.Duration // of Sliced calls only the part in a slice
	Sliced  bool          // some were counted in slices of the time
}

// Average is how long a call took.
func (s *Syscall) Average() time.Duration { return s.Time / time.Duration(max(s.Calls, 1)) }

// Syscalls sums up the calls of each process, the most time first: what the kernel
// told of the window as far as it was traced.
func (v *View) Syscalls() []Syscall {
	return Memo(v, "syscalls", func() []Syscall { return SumSyscalls(Rows[recording.SyscallSum](v), v.watched("syscalls")) })
}

// SumSyscalls sums up rows of one or more readings, of a source that counted
// for so long; 0: that is not known.
func SumSyscalls(rows []recording.SyscallSum, watched time.Duration) []Syscall {
	all := traced(rows, watched, func(r *recording.SyscallSum) (span, traced time.Duration) { return r.Span, r.Traced })
	type same struct {
		pid     int32
		started time.Time
		call    string
	}
	at := map[same]int{}
	failed := map[same]map[int32]int64{}
	var list []Syscall
	for i := range rows {
		r := &rows[i]
		factor := all.factor(r.Span, r.Traced)
		k := same{r.PID, r.Started, r.Call}
		n, ok := at[k]
		if !ok {
			n = len(list)
			at[k], failed[k] = n, map[int32]int64{}
			list = append(list, Syscall{PID: r.PID, Started: r.Started, Call: r.Call})
		}
		s := &list[n]
		s.Process = r.Process
		s.Calls += scaled(r.Calls, factor)
		s.Returned += scaled(r.Returned, factor)
		s.Nothing += scaled(r.Nothing, factor)
		s.Time += scaled(r.Time, factor)
		s.Longest = max(s.Longest, r.Longest)
		s.Sliced = s.Sliced || inSlices(r.Span, r.Traced)
		if r.Error > 0 {
			calls := scaled(r.Calls, factor)
			s.Errors += calls
			failed[k][r.Error] += calls
			if calls := failed[k][r.Error]; calls > s.OfError {
				s.OfError, s.Error = calls, unix.ErrnoName(unix.Errno(r.Error))
			}
		}
	}
	span := all.span.Seconds()
	for i := range list {
		if span > 0 {
			list[i].Mean, list[i].PerSecond = list[i].Time.Seconds()/span, float64(list[i].Calls)/span
		}
	}
	slices.SortStableFunc(list, func(a, b Syscall) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.PID, b.PID), cmp.Compare(a.Call, b.Call))
	})
	return list
}
