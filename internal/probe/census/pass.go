package census

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"time"

	"rtrail/internal/probe/kernel"
)

// tasks counts by the iterator.
type tasks struct {
	iterator *kernel.Tasks
	threads  []thread // of the last pass, by ascending TID
	spare    []thread // memory for the next one
}

// thread is what is kept of one thread from one pass to the next: the kernel
// forgets the run delay of threads that ended.
type thread struct {
	tid, tgid int32
	start     uint64
	delay     time.Duration
	slices    int64
}

// pass adds up the threads of a process during one pass.
type pass struct {
	round  int64  // the count it belongs to
	born   int64  // the count in which the process was first seen; 0: by no pass
	start  uint64 // of the process, in ns since boot: its identity
	at     time.Time
	leader kernel.Task
	main   bool // leader holds the main thread of this round
	late   bool // other threads came before it

	threads int32
	live    kernel.Counters
	waits   bool // a thread runs, wants to, or waits for a disk

	// Of threads that ended while the census watched.
	endedDelay  time.Duration
	endedSlices int64
}

// openTasks loads the iterator, if it may and can see what /proc shows.
func (c *Census) openTasks() {
	if !c.dir.Live() || kernel.Check() != nil || !c.sameNamespace() {
		return
	}
	if iterator, err := kernel.OpenTasks(&c.loader); err == nil {
		c.tasks = &tasks{iterator: iterator}
	} else {
		c.blind = err
	}
}

// sameNamespace says whether numbers of processes mean the same in this /proc
// and to rtrail: in a container with the host's /proc they do not.
func (c *Census) sameNamespace() bool {
	self, err := c.dir.Link("self")
	return err == nil && string(self) == strconv.Itoa(os.Getpid())
}

// closeTasks goes over to the files of /proc.
func (c *Census) closeTasks(err error) {
	if c.tasks == nil {
		return
	}
	c.tasks.iterator.Close()
	c.tasks, c.blind = nil, err
	for _, p := range c.known {
		p.Counted, p.Total, p.Sched.Slices = false, kernel.Counters{}, -1
		p.CgroupSet, p.UID = 0, -1
	}
}

// Blind says why the iterator is not used although Check saw no reason; nil if
// it is, or was never tried.
func (c *Census) Blind() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.blind
}

// iterate counts with one pass over all tasks.
func (c *Census) iterate(exact bool) error {
	t := c.tasks
	last, next := t.threads, t.spare[:0]
	var p *process
	err := t.iterator.Each(func(task *kernel.Task) {
		if p == nil || p.PID != task.TGID {
			p = c.group(task.TGID)
		}
		p.pass.add(task, c.count)
		last = c.ended(last, task.TID, task.Start)
		next = append(next, thread{task.TID, task.TGID, task.Start, task.RunDelay, task.Slices})
	})
	if err != nil {
		return fmt.Errorf("count all tasks: %w", err)
	}
	c.ended(last, math.MaxInt32, 0)
	t.threads, t.spare = next, t.threads
	// A main thread has the lowest number of its process, unless numbers began
	// again from the bottom.
	if !slices.IsSorted(c.order) {
		slices.Sort(c.order)
	}
	for _, pid := range c.order {
		c.settle(c.known[pid], exact)
	}
	return nil
}

// ended notes the threads of the last pass that are not in this one, up to tid,
// and returns those of the last pass that come after it.
func (c *Census) ended(last []thread, tid int32, start uint64) []thread {
	for len(last) > 0 && last[0].tid <= tid {
		l := last[0]
		last = last[1:]
		if l.tid == tid && l.start == start {
			break
		}
		if p := c.known[l.tgid]; p != nil && p.pass.born != c.count {
			p.pass.endedDelay += l.delay
			p.pass.endedSlices += l.slices
		}
	}
	return last
}

// group finds or makes the process of a task and begins its pass.
func (c *Census) group(pid int32) *process {
	p := c.known[pid]
	if p == nil {
		p = &process{Entry: Entry{PID: pid}, fd: -1}
		c.known[pid] = p
	}
	if p.pass.round != c.count {
		p.pass.begin(c.count)
		c.order = append(c.order, pid)
	}
	return p
}

// begin forgets the sums of the last pass, not what goes on.
func (s *pass) begin(round int64) {
	s.round, s.main, s.late, s.threads, s.waits = round, false, false, 0, false
	s.live = kernel.Counters{}
}

// add takes one thread.
func (s *pass) add(t *kernel.Task, round int64) {
	s.threads++
	s.live.Add(&t.Counters)
	s.waits = s.waits || notAsleep(t.State)
	if !t.Main() {
		return
	}
	if s.start != t.Start { // new, or the number belongs to another process now
		s.start, s.born, s.endedDelay, s.endedSlices = t.Start, round, 0, 0
	}
	s.leader, s.main, s.late, s.at = *t, true, s.threads > 1, t.At
}

// total is what all threads did, given the total of the pass before.
//
// A thread that ended during the pass may have been seen neither alive nor
// among the ended, or as both; the number of threads tells. A total that is too
// low stays where it was, one that may be too high is not taken.
func (s *pass) total(before *kernel.Counters) kernel.Counters {
	if s.late && s.threads != s.leader.Threads && s.born != s.round {
		return *before
	}
	total := s.live
	total.Add(&s.leader.Group)
	total.RunDelay += s.endedDelay
	total.Slices += s.endedSlices
	if s.born != s.round {
		total.AtLeast(before)
	}
	return total
}

// settle brings a process up to date with what the pass saw of it.
func (c *Census) settle(p *process, exact bool) {
	s := &p.pass
	if !s.main {
		return // it ended during the pass
	}
	fresh := s.born == c.count
	if fresh && p.round != 0 {
		*p = process{Entry: Entry{PID: p.PID}, fd: -1, pass: p.pass}
	}
	total := s.total(&p.Total)
	l := &s.leader
	moved := total != p.Total || l.State != p.State || l.Threads != p.Threads
	p.Total, p.Counted, p.At = total, true, s.at
	p.Sched = Sched{l.RunTime, l.RunDelay, l.Slices}
	if fresh || moved || l.State == 'R' || exact && p.RSSPages >= largePages {
		b, err := c.dir.Read(Name(p.PID, "stat"))
		var stat Stat
		ok := err == nil
		if ok {
			stat, ok = ParseStat(b, c.names.String)
		}
		switch {
		case ok && (fresh || stat.StartTicks == p.StartTicks):
			p.Stat = stat
		case fresh:
			return // it ended before anything of it could be read
		}
	}
	// These are of the same instant as the counters.
	p.State, p.PPID, p.Threads, p.Nice, p.Processor = l.State, l.PPID, l.Threads, l.Nice, l.Processor
	p.CgroupSet, p.UID = l.CgroupSet, l.UID
	if l.NetNS != 0 { // a process that ended has left it
		p.NetNS = l.NetNS
	}
	p.MinorFaults, p.MajorFaults = total.MinorFaults, total.MajorFaults
	if !p.Kernel { // of kernel threads the file has longer names
		p.Comm = c.names.String(l.Comm())
	}
	if fresh {
		p.Seen = s.at
		p.Started = c.boot.Add(time.Duration(p.StartTicks) * Tick)
	}
	// A process that begins while rtrail watches is active; of those that were
	// there before nothing is known yet.
	if s.waits || moved && (c.count > 1 || !fresh) {
		p.Active = s.at
	}
	p.round = c.count
}
