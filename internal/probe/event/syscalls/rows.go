package syscalls

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"rtrail/internal/probe/event"
	"rtrail/internal/probe/thread"
	"rtrail/internal/recording"
)

// Bounds and shapes of bpf/syscalls.c.
const (
	maxSums    = 8192
	otherTable = 0xffff
)

// maxRows is how many rows one reading gives. What has less time is summed up by
// process.
const maxRows = 2000

// key is struct key of bpf/syscalls.c.
type key struct {
	PID           uint32
	Number, Error uint16
}

// sum is struct sum of bpf/syscalls.c.
type sum struct {
	Calls, NS, Longest, Returned, Nothing, Started uint64
	Process                                        [16]byte
}

// rows makes rows of sums, those with most time first.
func (s *Source) rows(keys []key, sums []sum, now time.Time, of event.Traced) []recording.SyscallSum {
	if len(keys) == 0 {
		return nil
	}
	each := len(sums) / len(keys) // of the CPUs
	rows := make([]recording.SyscallSum, 0, len(keys))
	for i, k := range keys {
		row := recording.SyscallSum{At: now, PID: int32(k.PID), Call: name(k.Number), Error: int32(k.Error), Span: of.Span, Traced: of.Part}
		for _, v := range sums[i*each : (i+1)*each] {
			row.Calls += int64(v.Calls)
			row.Time += time.Duration(v.NS)
			row.Longest = max(row.Longest, time.Duration(v.Longest))
			row.Returned += int64(v.Returned)
			row.Nothing += int64(v.Nothing)
			if v.Started != 0 {
				row.Started, row.Process = s.clock.Started(time.Duration(v.Started)), event.Text(&v.Process)
			}
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b recording.SyscallSum) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.PID, b.PID), cmp.Compare(a.Call, b.Call), cmp.Compare(a.Error, b.Error))
	})
	if len(rows) <= maxRows {
		return rows
	}
	rest, others := rows[maxRows:], map[int32]int{}
	rows = slices.Clone(rows[:maxRows])
	for _, r := range rest {
		at, ok := others[r.PID]
		if !ok {
			at = len(rows)
			others[r.PID] = at
			rows = append(rows, recording.SyscallSum{At: r.At, PID: r.PID, Started: r.Started, Process: r.Process, Call: "others", Span: r.Span, Traced: r.Traced})
		}
		o := &rows[at]
		o.Calls += r.Calls
		o.Time += r.Time
		o.Longest = max(o.Longest, r.Longest)
	}
	return rows
}

// name is the call with a number.
func name(number uint16) string {
	if number == otherTable {
		return "32-bit"
	}
	if name := thread.SyscallName(int32(number)); name != "" {
		return name
	}
	return fmt.Sprintf("syscall %d", number)
}
