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

	Blocks, Bytes int64   // allocated in the window: followed blocks, and the bytes that they stand for
	Held          int64   // bytes of them that were not freed
	HeldBlocks    int64   // followed ones
	Growth        float64 // held bytes a second of the time that was watched
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
	for i := range rows {
		r := &rows[i]
		k := same{r.PID, r.Started, r.Module, r.Stack}
		n, ok := at[k]
		if !ok {
			n = len(list)
			at[k] = n
			list = append(list, Allocated{PID: r.PID, Started: r.Started, Process: r.Process, Function: r.Function, Module: r.Module, Source: r.Source, Stack: r.Stack})
		}
		a := &list[n]
		a.Blocks += r.Blocks
		a.Bytes += r.Bytes
		a.Held += r.Bytes - r.FreedBytes
		a.HeldBlocks += r.Blocks - r.FreedBlocks
	}
	span := traced(rows, func(r *recording.Allocation) time.Duration { return r.Span }).Seconds()
	for i := range list {
		a := &list[i]
		// What was freed may have been allocated before.
		a.Held, a.HeldBlocks = max(a.Held, 0), max(a.HeldBlocks, 0)
		if span > 0 {
			a.Growth = float64(a.Held) / span
		}
	}
	slices.SortStableFunc(list, func(a, b Allocated) int {
		return cmp.Or(cmp.Compare(b.Held, a.Held), cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.PID, b.PID), cmp.Compare(a.Stack, b.Stack))
	})
	return list
}
