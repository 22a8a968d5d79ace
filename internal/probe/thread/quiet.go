package thread

import (
	"cmp"
	"context"
	"slices"
	"time"

	"rtrail/internal/probe/census"
	"rtrail/internal/recording"
)

// freshCount is how old a count is that stands for a look: the probes that are
// read together with the one that counts come milliseconds later.
const freshCount = 100 * time.Millisecond

// quiet says that a process sleeps and did next to nothing since the count
// before. What its threads do is then looked at once for each count, which tells
// which of them moved: no rule asks for the waits of a process that uses less
// than a hundredth of a core, waits for no disk and for no CPU.
func quiet(e *census.Entry) bool { return e.Counted && e.Little && e.Asleep() }

// listQuiet lists the threads of quiet processes by the count that has just
// been taken.
func (p *Probe) listQuiet() {
	if len(p.resting) == 0 {
		return
	}
	byPID := make(map[int32]*watched, len(p.resting))
	for _, w := range p.resting {
		byPID[w.PID] = w
		w.counted = append(w.counted[:0], census.Thread{TID: w.PID, PID: w.PID, Sched: w.Sched, State: w.State, Processor: w.Processor})
	}
	p.census.Threads(func(t *census.Thread) {
		if w := byPID[t.PID]; w != nil {
			w.counted = append(w.counted, *t)
		}
	})
	for _, w := range p.resting {
		byTID := func(a, b census.Thread) int { return cmp.Compare(a.TID, b.TID) }
		if !slices.IsSortedFunc(w.counted, byTID) { // numbers began again from the bottom
			slices.SortFunc(w.counted, byTID)
		}
		p.match(w)
	}
}

// match makes the threads of a process those that were counted.
func (p *Probe) match(w *watched) {
	slices.SortFunc(w.threads, func(a, b *thread) int { return cmp.Compare(a.tid, b.tid) })
	had := w.threads
	w.threads = make([]*thread, 0, len(w.counted))
	for i := range w.counted {
		tid := w.counted[i].TID
		for len(had) > 0 && had[0].tid < tid {
			p.close(had[0])
			had = had[1:]
		}
		if len(had) > 0 && had[0].tid == tid {
			w.threads = append(w.threads, had[0])
			had = had[1:]
			continue
		}
		w.threads = append(w.threads, &thread{tid: tid})
	}
	for _, t := range had {
		p.close(t)
	}
}

// lookQuiet adds the rows of quiet processes and returns how many threads had no
// turn.
func (p *Probe) lookQuiet(ctx context.Context, stacks *int, denied *unseen) (lost int) {
	total := 0
	for _, w := range p.resting {
		total += len(w.threads)
	}
	p.restingTurns = p.restingTurns.next(total, perLook)
	at := 0
	for _, w := range p.resting {
		for i, t := range w.threads {
			at++
			if !p.restingTurns.has(at - 1) {
				continue
			}
			if at%64 == 0 && ctx.Err() != nil {
				return total - at + 1
			}
			p.take(w, t, &w.counted[i], stacks, denied)
		}
	}
	return max(total-perLook, 0)
}

// take adds the row of a thread that was counted.
func (p *Probe) take(w *watched, t *thread, c *census.Thread, stacks *int, denied *unseen) {
	if t.ok && asleep(t.row.State) && t.row.State == state(c.State) &&
		c.Sched.Slices == t.row.Slices && c.Sched.RunTime == t.row.CPUTime {
		t.row.At = w.At // still in the same wait
		p.rows = append(p.rows, t.row)
		p.lock(w, t)
		return
	}
	row := recording.ThreadSample{
		At: w.At, PID: w.PID, TID: t.tid, State: state(c.State), Processor: c.Processor,
		CPUTime: c.Sched.RunTime, RunDelay: c.Sched.RunDelay, Slices: c.Sched.Slices, Syscall: recording.Unknown, FD: recording.Unknown,
	}
	if row.Comm = w.Comm; t.tid != w.PID {
		row.Comm = p.names.String(c.Comm())
	}
	switch {
	case t.holds(row.State):
		t.held++
		t.futex = futexCall{} // it ran since: a lock that it waited for then may be its own now
		row.Syscall, row.SyscallName, row.Input = t.row.Syscall, t.row.SyscallName, t.row.Input
		row.WaitChannel, row.Stack = t.row.WaitChannel, t.row.Stack
	case row.State != "R":
		p.wait(w, t, &row, stacks, denied)
	default:
		t.futex = futexCall{}
	}
	p.add(w, t, row)
}

// maxHeld is for how many counts in a row a thread that woke for a moment is
// taken to have gone back to the wait it was in. Reading that costs more than all
// else of its row: the kernel looks up a name among all of its functions. A row
// stays for each count, so that waits that were read weigh as much as before
// against running and disk waits, which are never taken from the row before.
const maxHeld = 2

// holds says whether a thread in a state is taken to be in the wait it was in.
func (t *thread) holds(state string) bool {
	return t.held < maxHeld && t.ok && state == "S" && t.row.State == state && t.row.Syscall != recording.Unknown
}
