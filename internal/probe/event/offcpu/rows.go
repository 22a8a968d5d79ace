package offcpu

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"rtrail/internal/probe/event"
	"rtrail/internal/recording"
)

// Bounds and shapes of bpf/offcpu.c.
const (
	depth     = 32
	maxSums   = 16384
	maxStacks = 8192
)

// maxRows is how many rows one reading gives. What has less time is summed up by
// process and state.
const maxRows = 2000

// key is struct key of bpf/offcpu.c.
type key struct {
	PID, TID          uint32
	Stack, WakerStack uint64
	Lock              uint64
	Waker             uint32
	State             uint32
	HolderStack       uint64
	Holder            uint32
	Copied            uint32 // number of the copy of the stack in the program; 0: there is none
}

// sum is struct sum of bpf/offcpu.c.
type sum struct {
	NS, Waits, Longest, Started uint64
	WakerTID                    uint32
	Unused                      uint32
	Process, Thread, Waker      [16]byte
}

// rows makes rows of sums, those with most time first.
func (s *Source) rows(keys []key, sums []sum, now time.Time, of event.Traced) []recording.OffCPUWait {
	type same struct {
		pid, tid, waker, holder                  int32
		lock                                     uint64
		state, stack, interrupt, wakerStack, who string
		holderStack, userStack                   string
	}
	at := map[same]int{}
	var rows []recording.OffCPUWait
	add := func(row recording.OffCPUWait) {
		k := same{row.PID, row.TID, row.WakerPID, 0, row.Lock, row.State, row.Stack, row.Interrupt, row.WakerStack, row.Waker, row.HolderStack, row.UserStack}
		if row.Lock != 0 {
			k.holder = row.WakerTID
		}
		i, ok := at[k]
		if !ok {
			at[k] = len(rows)
			rows = append(rows, row)
			return
		}
		r := &rows[i]
		r.Waited += row.Waited
		r.Waits += row.Waits
		if row.Longest > r.Longest {
			r.Longest, r.WakerTID = row.Longest, row.WakerTID
		}
	}
	for i := range keys {
		k, v := &keys[i], &sums[i]
		row := recording.OffCPUWait{
			At: now, PID: int32(k.PID), TID: int32(k.TID), Started: s.clock.Started(time.Duration(v.Started)), Process: event.Text(&v.Process), Thread: event.Text(&v.Thread),
			State: state(k.State), Span: of.Span, Traced: of.Part, Step: time.Duration(s.pace.step), Waited: time.Duration(v.NS), Waits: float64(v.Waits) / 1024, Longest: time.Duration(v.Longest),
			Stack: strings.Join(s.frames(k.Stack, entersSleep), ";"), Lock: k.Lock &^ 1, Mutex: k.Lock&1 != 0,
		}
		s.callers.write(&row, k.Copied)
		// Without the stack it may have been an interrupt that came while the waker ran.
		if frames := s.frames(k.WakerStack, wakes); len(frames) > 0 {
			if frames, row.Interrupt = interrupted(frames); row.Interrupt == "" {
				row.Waker, row.WakerPID, row.WakerTID = event.Text(&v.Waker), int32(k.Waker), int32(cmp.Or(k.Holder, v.WakerTID))
			}
			row.WakerStack = strings.Join(frames, ";")
			if row.Waker != "" {
				row.HolderStack = strings.Join(s.frames(k.HolderStack, entersSleep), ";")
			}
		}
		add(row)
	}
	most(rows)
	if len(rows) <= maxRows {
		return rows
	}
	rest := slices.Clone(rows[maxRows:])
	rows = rows[:maxRows]
	clear(at)
	for _, r := range rest {
		r.TID, r.Thread, r.Stack, r.Waker, r.WakerPID, r.WakerTID, r.Interrupt, r.WakerStack, r.Lock, r.Mutex, r.HolderStack, r.UserStack, r.Caller = 0, "", "", "", 0, 0, "", "", 0, false, "", "", ""
		add(r)
	}
	return rows
}

// most puts the longest times first.
func most(rows []recording.OffCPUWait) {
	slices.SortFunc(rows, func(a, b recording.OffCPUWait) int {
		return cmp.Or(cmp.Compare(b.Waited, a.Waited), cmp.Compare(a.PID, b.PID), cmp.Compare(a.TID, b.TID), cmp.Compare(a.Stack, b.Stack), cmp.Compare(a.WakerStack, b.WakerStack))
	})
}

// frames are the names in a stack, without the innermost ones that all have.
func (s *Source) frames(id uint64, common map[string]bool) []string {
	stack := s.stacks[id]
	names := make([]string, len(stack))
	from := 0
	for i, a := range stack {
		names[i] = s.symbols.Name(a)
		// An interrupt may have come in where a thread was in one of them, too.
		if common[names[i]] && (from == 0 || from == i) {
			from = i + 1
		}
	}
	return names[from:]
}

// entersSleep are the functions by which all threads give up their CPU.
var entersSleep = set("__schedule schedule preempt_schedule_common schedule_idle schedule_preempt_disabled schedule_rtlock")

// wakes are those that every waking goes through.
var wakes = set("try_to_wake_up default_wake_function wake_up_process wake_up_q wake_up_state")

func set(words string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(words) {
		all[w] = true
	}
	return all
}

// state is the letter of a state as sched_switch has it; 0 is runnable.
func state(s uint32) string {
	const letters = "SDTtXZPI"
	if s == 0 {
		return "R"
	}
	for i := range letters {
		if s>>i&1 != 0 {
			return letters[i : i+1]
		}
	}
	return "D" // of a lock in a kernel with real-time locks, frozen
}
