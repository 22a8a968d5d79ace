package syncs

import (
	"cmp"
	"slices"
	"time"

	"rtrail/internal/probe/event"
	"rtrail/internal/probe/thread"
	"rtrail/internal/recording"
)

// Bounds and shapes of bpf/syncs.c.
const (
	maxSums   = 4096
	maxNumber = 512
	steps     = 26
	// Instead of a number.
	noCall     = 0xffff
	otherTable = 0xfffe
)

// maxRows is how many rows one reading gives. What has less time is summed up by
// process and call.
const maxRows = 1000

// key is struct key of bpf/syncs.c.
type key struct {
	File        event.FileID
	PID, Number uint32
}

// sum is struct sum of bpf/syncs.c.
type sum struct {
	Calls, Errors, NS, Longest, Started uint64
	Process                             [16]byte
	Steps                               [steps]uint32
}

// rows makes rows of sums, those with most time first.
func (s *Source) rows(keys []key, sums []sum, now time.Time, of event.Traced) []recording.SyncSum {
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(sums[b].NS, sums[a].NS), cmp.Compare(keys[a].PID, keys[b].PID), cmp.Compare(keys[a].File.Inode, keys[b].File.Inode))
	})
	type rest struct{ pid, number uint32 }
	var rows []recording.SyncSum
	more := map[rest]*sum{}
	var left []rest
	row := func(k key, v *sum) recording.SyncSum {
		return recording.SyncSum{
			At: now, PID: int32(k.PID), Started: s.clock.Started(time.Duration(v.Started)), Process: event.Text(&v.Process), Call: name(k.Number),
			Device: k.File.DeviceNumber(), Span: of.Span, Traced: of.Part, Calls: int64(v.Calls), Errors: int64(v.Errors),
			Time: time.Duration(v.NS), Longest: time.Duration(v.Longest), Histogram: event.Histogram(v.Steps[:]),
		}
	}
	for _, i := range order {
		k, v := keys[i], &sums[i]
		if len(rows) < maxRows {
			r := row(k, v)
			r.Path = s.path(k.File)
			rows = append(rows, r)
			continue
		}
		id := rest{k.PID, k.Number}
		if sum := more[id]; sum != nil {
			sum.add(v)
			continue
		}
		more[id] = v
		left = append(left, id)
	}
	for _, id := range left {
		rows = append(rows, row(key{PID: id.pid, Number: id.number}, more[id]))
	}
	return rows
}

func (s *sum) add(v *sum) {
	s.Calls += v.Calls
	s.Errors += v.Errors
	s.NS += v.NS
	s.Longest = max(s.Longest, v.Longest)
	for i := range s.Steps {
		s.Steps[i] += v.Steps[i]
	}
}

func (s *Source) path(f event.FileID) string {
	if s.paths == nil {
		return ""
	}
	return s.paths.Path(f)
}

// name is the call with a number.
func name(number uint32) string {
	switch number {
	case noCall:
		return "in the kernel"
	case otherTable:
		return "32-bit"
	}
	return thread.SyscallName(int32(number))
}
