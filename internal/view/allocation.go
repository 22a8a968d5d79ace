package view

import (
	"cmp"
	"slices"
	"time"

	"rtrail/internal/recording"
)

// Allocated is what one process allocated by one stack.
type Allocated struct {
	PID      int32
	Started  time.Time
	Process  string
	Function string // that asked for the memory
	Module   string // file of the program or library it is in
	Source   string // its file and line; "" if not known
	Stack    string // functions, innermost first, separated by ";"

	Blocks, Bytes int64 // allocated in the window: followed blocks, and the bytes that they stand for
	Held          int64 // bytes of them that were not freed
	HeldBlocks    int64 // followed ones
	// Growth is bytes a second that were allocated and not freed in the later half of the
	// readings: what lives for a while is freed there as fast as it is allocated. Unknown
	// with fewer than three.
	Growth float64
}

// Where is the file and line, or the module of the function.
func (a *Allocated) Where() string { return cmp.Or(a.Source, a.Module) }

// Allocations sums up what processes allocated that were watched for it, what they still
// hold first.
func (v *View) Allocations() []Allocated {
	return Memo(v, "allocations", func() []Allocated { return SumAllocations(Rows[recording.Allocation](v)) })
}

// SumAllocations sums up rows of one or more readings.
func SumAllocations(rows []recording.Allocation) []Allocated {
	type same struct {
		pid           int32
		started       time.Time
		module, stack string
	}
	at := map[same]int{}
	var list []Allocated
	half, seconds := laterHalf(rows)
	var late []int64
	for i := range rows {
		r := &rows[i]
		k := same{r.PID, r.Started, r.Module, r.Stack}
		n, ok := at[k]
		if !ok {
			n = len(list)
			at[k] = n
			late = append(late, 0)
			list = append(list, Allocated{PID: r.PID, Started: r.Started, Process: r.Process, Function: r.Function, Module: r.Module, Source: r.Source, Stack: r.Stack})
		}
		if r.At.After(half) {
			late[n] += r.Bytes - r.FreedBytes
		}
		a := &list[n]
		a.Blocks += r.Blocks
		a.Bytes += r.Bytes
		a.Held += r.Bytes - r.FreedBytes
		a.HeldBlocks += r.Blocks - r.FreedBlocks
	}
	for i := range list {
		a := &list[i]
		// What was freed may have been allocated before.
		a.Held, a.HeldBlocks = max(a.Held, 0), max(a.HeldBlocks, 0)
		a.Growth = Unknown
		if seconds > 0 {
			a.Growth = max(float64(late[i]), 0) / seconds
		}
	}
	slices.SortStableFunc(list, func(a, b Allocated) int {
		return cmp.Or(cmp.Compare(b.Held, a.Held), cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.PID, b.PID), cmp.Compare(a.Stack, b.Stack))
	})
	return list
}

// laterHalf is when the later half of the readings begins, and how long it is; 0: there
// are fewer than three.
func laterHalf(rows []recording.Allocation) (from time.Time, seconds float64) {
	var times []time.Time
	for i := range rows {
		times = append(times, rows[i].At)
	}
	slices.SortFunc(times, time.Time.Compare)
	times = slices.CompactFunc(times, time.Time.Equal)
	if len(times) < 3 {
		return from, 0
	}
	from = times[(len(times)-1)/2]
	return from, times[len(times)-1].Sub(from).Seconds()
}
