package process

import (
	"rtrail/internal/probe/census"
	"rtrail/internal/recording"
)

const (
	// threadsPerProcess bounds how many threads of one process are read in one
	// sample; with more they take turns.
	threadsPerProcess = 512
	// threadsKept bounds how many threads of one process are followed at all.
	threadsKept = 8192
)

// threadSums adds up counters that the kernel keeps per thread only. A sum
// over live threads would fall whenever one ends; here the last reading of an
// ended thread stays in the sum.
type threadSums struct {
	threads   map[int32]threadCounters
	ended     threadCounters
	first     bool // the next reading is the first one
	next      int  // where the next turn begins
	round     int64
	untracked int
}

type threadCounters struct {
	sched                  census.Sched
	voluntary, involuntary int64
	switched               bool // voluntary and involuntary were read
	round                  int64
}

func (c *threadCounters) add(o threadCounters) {
	c.sched.RunTime += o.sched.RunTime
	c.sched.RunDelay += o.sched.RunDelay
	c.sched.Slices += o.sched.Slices
	c.voluntary += o.voluntary
	c.involuntary += o.involuntary
}

// threadTimes fills in what must be summed over threads. With one thread the
// row already has it.
func (p *Probe) threadTimes(row *recording.ProcessSample, e *census.Entry, d *details) {
	if e.Threads <= 1 && d.threads == nil {
		if e.Sched.Slices < 0 {
			if b, err := p.dir.Read(census.Name(e.PID, "schedstat")); err == nil {
				if s, ok := census.ParseSched(b); ok {
					row.RunTime, row.RunDelay = s.RunTime, s.RunDelay
				}
			}
		}
		return
	}
	if d.threads == nil {
		d.threads = &threadSums{threads: make(map[int32]threadCounters, e.Threads), first: true}
	}
	t := d.threads
	if !p.readThreads(e.PID, t) {
		row.RunTime, row.RunDelay = recording.Unknown, recording.Unknown
		row.Voluntary, row.Involuntary = recording.Unknown, recording.Unknown
		return
	}
	sum := t.ended
	for _, c := range t.threads {
		sum.add(c)
	}
	row.RunTime, row.RunDelay = sum.sched.RunTime, sum.sched.RunDelay
	row.Voluntary, row.Involuntary = sum.voluntary, sum.involuntary
}

// readThreads brings the sums up to date. The first time all threads are read,
// because a thread that appears later counts with its whole life.
func (p *Probe) readThreads(pid int32, t *threadSums) bool {
	list := p.scratch.threads[:0]
	err := p.dir.Numbers(census.Name(pid, "task"), func(tid int32) { list = append(list, tid) })
	p.scratch.threads = list
	if err != nil || len(list) == 0 {
		return false
	}
	t.round++
	room := threadsPerProcess
	if t.first {
		room = threadsKept
	}
	first := t.first
	t.first = false
	if t.next >= len(list) {
		t.next = 0
	}
	t.untracked = 0
	turn := 0
	for i := range list {
		tid := list[(t.next+i)%len(list)]
		c, known := t.threads[tid]
		switch {
		case room == 0 && known:
			c.round = t.round
			t.threads[tid] = c
			continue
		case room == 0 || (!known && len(t.threads) >= threadsKept):
			t.untracked++
			continue
		}
		room--
		turn = i + 1
		now, ok := p.readThread(pid, tid, c, known && !first)
		if !ok {
			continue // it ended: keepEnded takes its last reading
		}
		now.round = t.round
		t.threads[tid] = now
	}
	t.next = (t.next + turn) % len(list)
	t.keepEnded()
	return true
}

// keepEnded moves threads that were not seen this time to the ended ones.
func (t *threadSums) keepEnded() {
	for tid, c := range t.threads {
		if c.round != t.round {
			t.ended.add(c)
			delete(t.threads, tid)
		}
	}
}

// readThread reads the counters of one thread. Its status file is dear: it is
// read only when the thread was on a CPU since.
func (p *Probe) readThread(pid, tid int32, before threadCounters, known bool) (threadCounters, bool) {
	b, err := p.dir.Read(census.TaskName(pid, tid, "schedstat"))
	if err != nil {
		return before, false
	}
	s, ok := census.ParseSched(b)
	if !ok {
		return before, false
	}
	if known && before.switched && s.Slices == before.sched.Slices {
		before.sched = s
		return before, true
	}
	now := threadCounters{sched: s, voluntary: before.voluntary, involuntary: before.involuntary, switched: before.switched}
	if b, err = p.dir.Read(census.TaskName(pid, tid, "status")); err == nil {
		row := recording.ProcessSample{Voluntary: recording.Unknown, Involuntary: recording.Unknown}
		parseStatus(&row, b)
		if row.Voluntary >= 0 && row.Involuntary >= 0 {
			now.voluntary, now.involuntary, now.switched = row.Voluntary, row.Involuntary, true
		}
	}
	return now, true
}
