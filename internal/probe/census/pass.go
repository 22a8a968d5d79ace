package census

import (
	"bytes"
	"cmp"
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
	threads  []Thread   // of the last pass but the main ones, by ascending TID
	before   []*process // of the last pass, by ascending PID, as far as not reached
	moved    []*process // of this pass, those that are not as in the one before
	// Memory for the next pass.
	spareThreads []Thread
	spareList    []*process
}

// Thread is what a pass saw of one thread. It is kept until the next one: the
// kernel forgets the run delay of threads that ended.
type Thread struct {
	TID, PID  int32
	start     uint64
	Sched     Sched
	Processor int32
	State     byte
	comm      kernel.Comm
}

// Comm is its name.
func (t *Thread) Comm() []byte { return t.comm.Bytes() }

// Threads visits the threads of the last count that are not the main ones of
// their processes, by ascending TID; none where the iterator does not tell.
// They are valid during the visit, and nobody else may ask the census meanwhile.
func (c *Census) Threads(visit func(*Thread)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tasks == nil {
		return
	}
	for i := range c.tasks.threads {
		visit(&c.tasks.threads[i])
	}
}

// pass adds up the threads of a process during one pass.
type pass struct {
	round  int64  // the count it belongs to
	born   int64  // the count in which the process was first seen; 0: by no pass
	start  uint64 // of the process, in ns since boot: its identity
	at     time.Time
	leader kernel.Task
	row    [kernel.MainRow]byte // of the main thread, when it was last parsed
	same   bool                 // it has not changed since the pass before
	main   bool                 // leader holds the main thread of this round
	late   bool                 // other threads came before it

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
		p.CgroupSet, p.UID, p.Changed, p.Little = 0, -1, 0, false
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
	last, next := t.threads, t.spareThreads[:0]
	t.before = c.list
	c.list, t.spareList, t.moved = t.spareList[:0], c.list, t.moved[:0]
	err := t.iterator.Each(c.same, func(task *kernel.Task) {
		p := c.group(task.TGID)
		p.pass.add(task, c.count)
		if task.Main() {
			return
		}
		last = c.ended(last, task.TID, task.Start)
		next = append(next, Thread{
			TID: task.TID, PID: task.TGID, start: task.Start, State: task.State, Processor: task.Processor, comm: task.Comm,
			Sched: Sched{task.RunTime, task.RunDelay, task.Slices},
		})
	})
	if err != nil {
		return fmt.Errorf("count all tasks: %w", err)
	}
	c.ended(last, math.MaxInt32, 0)
	t.threads, t.spareThreads = next, t.threads
	// A main thread has the lowest number of its process, unless numbers began
	// again from the bottom.
	byPID := func(a, b *process) int { return cmp.Compare(a.PID, b.PID) }
	if !slices.IsSortedFunc(c.list, byPID) {
		slices.SortFunc(c.list, byPID)
	}
	settle, gone := t.moved, false
	if exact {
		settle = c.list
	}
	for _, p := range settle {
		c.settle(p, exact)
		gone = gone || p.round != c.count
	}
	if gone {
		c.list = slices.DeleteFunc(c.list, func(p *process) bool { return p.round != c.count })
	}
	return nil
}

// same takes the row of a main thread that is, byte by byte, that of the last
// pass: the process has one thread, and it slept.
func (c *Census) same(pid int32, row []byte, at time.Time) bool {
	p := c.find(pid)
	if p == nil {
		return false
	}
	s := &p.pass
	if s.round != c.count-1 || s.threads != 1 || s.waits || p.Threads != 1 || !bytes.Equal(s.row[:], row) {
		copy(s.row[:], row)
		return false
	}
	s.round, s.same, s.at = c.count, true, at
	// While it is in the cache: most processes sleep, and nobody comes back to them.
	p.At, p.Little, p.round = at, true, c.count
	c.list = append(c.list, p)
	return true
}

// find returns a process that was known before. Numbers mostly ascend, and then
// it is the next one.
func (c *Census) find(pid int32) *process {
	t := c.tasks
	for len(t.before) > 0 && t.before[0].PID < pid {
		t.before = t.before[1:]
	}
	if len(t.before) > 0 && t.before[0].PID == pid {
		return t.before[0]
	}
	return c.known[pid]
}

// ended notes the threads of the last pass that are not in this one, up to tid,
// and returns those of the last pass that come after it.
func (c *Census) ended(last []Thread, tid int32, start uint64) []Thread {
	for len(last) > 0 && last[0].TID <= tid {
		l := &last[0]
		last = last[1:]
		if l.TID == tid && l.start == start {
			break
		}
		if p := c.known[l.PID]; p != nil && p.pass.born != c.count {
			p.pass.endedDelay += l.Sched.RunDelay
			p.pass.endedSlices += l.Sched.Slices
		}
	}
	return last
}

// group finds or makes the process of a task and begins its pass.
func (c *Census) group(pid int32) *process {
	p := c.find(pid)
	if p == nil {
		p = &process{Entry: Entry{PID: pid}, fd: -1}
		c.known[pid] = p
	}
	if p.pass.round != c.count {
		p.pass.begin(c.count)
		c.list = append(c.list, p)
		c.tasks.moved = append(c.tasks.moved, p)
	}
	return p
}

// begin forgets the sums of the last pass, not what goes on.
func (s *pass) begin(round int64) {
	s.round, s.same, s.main, s.late, s.threads, s.waits = round, false, false, false, 0, false
	s.live = kernel.Counters{}
}

// add takes one thread.
func (s *pass) add(t *kernel.Task, round int64) {
	if s.same {
		return // a thread that began after the main one was seen: next time
	}
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

// settle brings a process up to date with what the pass saw of it. One that
// slept has changed only in an exact count.
func (c *Census) settle(p *process, exact bool) {
	s := &p.pass
	if s.same {
		if !exact || p.RSSPages < largePages && !p.file.moved {
			return
		}
		before := p.Entry
		if c.readStat(p) {
			c.overlay(p)
			if before != p.Entry {
				p.Changed = c.count
			}
		}
		return
	}
	if !s.main {
		return // it ended during the pass
	}
	fresh := s.born == c.count
	if fresh && p.round != 0 {
		*p = process{Entry: Entry{PID: p.PID}, fd: -1, pass: p.pass}
	}
	before := p.Entry
	total := s.total(&p.Total)
	l := &s.leader
	moved := total != p.Total || l.State != p.State || l.Threads != p.Threads
	p.Little = !fresh && !s.waits && total.Little(&p.Total)
	p.Total, p.Counted, p.At = total, true, s.at
	p.Sched = Sched{l.RunTime, l.RunDelay, l.Slices}
	p.file.moved = p.file.moved || moved
	if fresh || exact && (p.file.moved || p.RSSPages >= largePages) || (moved || l.State == 'R') && c.due(p) {
		if !c.readStat(p) && fresh {
			return // it ended before anything of it could be read
		}
	}
	c.overlay(p)
	p.CgroupSet, p.UID = l.CgroupSet, l.UID
	if l.NetNS != 0 { // a process that ended has left it
		p.NetNS = l.NetNS
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
	if before.At, before.Little = p.At, p.Little; before != p.Entry {
		p.Changed = c.count
	}
	p.round = c.count
}

// filePasses is how many passes a process that does next to nothing goes without
// its file being read.
const filePasses = 10

// due says whether the file of a process that moved can tell more than a
// tick's difference: one that does next to nothing waits for more of it.
func (c *Census) due(p *process) bool {
	return !asleep(p.pass.leader.State) || p.pass.waits || c.count-p.file.round >= filePasses || !p.Total.Little(&p.file.total)
}

// overlay puts what the pass saw over what the file has: it is of the same
// instant as the counters.
func (c *Census) overlay(p *process) {
	l := &p.pass.leader
	p.State, p.PPID, p.Threads, p.Nice, p.Processor = l.State, l.PPID, l.Threads, l.Nice, l.Processor
	p.MinorFaults, p.MajorFaults = p.Total.MinorFaults, p.Total.MajorFaults
	p.ChildUser, p.ChildSystem = l.ChildUser.Truncate(Tick), l.ChildSystem.Truncate(Tick)
	if !p.Kernel { // of kernel threads the file has longer names
		p.Comm = c.names.String(l.Comm.Bytes())
	}
}

// fileOf says when the file of a process was last read.
type fileOf struct {
	round int64
	total kernel.Counters // of the process at that time
	moved bool            // it did something since
}

// readStat reads what only the file has. It keeps what is known when the process
// has ended.
func (c *Census) readStat(p *process) bool {
	b, err := c.dir.Read(Name(p.PID, "stat"))
	if err != nil {
		return false
	}
	stat, ok := ParseStat(b, c.names.String)
	if !ok || p.StartTicks != 0 && stat.StartTicks != p.StartTicks {
		return false
	}
	p.Stat = stat
	p.file = fileOf{round: c.count, total: p.Total}
	return true
}
