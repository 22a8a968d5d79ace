// Package census keeps count of the processes of the machine: who lives, who
// did something lately. Several probes ask for it, so it is taken once and
// shared.
//
// Reading /proc/PID/stat of a thousand processes costs several milliseconds,
// most of it for processes that sleep. A process none of whose threads was put
// on a CPU since the last count cannot have changed. A BPF iterator tells that
// of all tasks with one read, and their counters beside it (pass.go). Where
// there is none, the schedstat file of every process with one thread, kept
// open, tells it for a fraction of the price of stat (poll.go). So the file stat
// is read of processes that are new, ran, or are not asleep; of the others only
// in an exact count, and there only of those with much memory: it can be taken
// from a process that sleeps, nothing else can change.
package census

import (
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe/kernel"
	"rtrail/internal/probe/procfile"
)

// Entry is one process as the last count saw it.
type Entry struct {
	Stat
	PID     int32
	Started time.Time // when the process began; with PID its identity
	At      time.Time // when it was looked at
	Seen    time.Time // when it was first seen
	// Active is when it was last seen to have run, waited for a disk or changed
	// in any way; zero if never.
	Active time.Time
	// Changed is the count that last found anything of it but At to differ; 0
	// where the iterator does not tell.
	Changed int64
	Sched   Sched // of the main thread; Slices is -1 where it could not be read
	// Total is what all threads did since the process began, where Counted;
	// run delay and slices of threads that ended before rtrail began are lost.
	Total   kernel.Counters
	Counted bool
	// Little says that it did next to nothing since the count before, as far as
	// that can be told.
	Little bool
	// Of a counted process; CgroupSet and NetNS are 0 and UID is -1 when they
	// are not known.
	CgroupSet, NetNS uint64
	UID              int64
}

// Key is the identity of a process: PIDs are used again.
type Key struct {
	PID   int32
	Start uint64 // ticks since boot
}

// Key returns the identity.
func (e *Entry) Key() Key { return Key{e.PID, e.StartTicks} }

// Asleep says whether the main thread sleeps and wants nothing.
func (e *Entry) Asleep() bool { return asleep(e.State) }

// Share is how much of a core the process used over its life.
func (e *Entry) Share() float64 {
	age := e.At.Sub(e.Started)
	if age < Tick {
		age = Tick
	}
	return float64(e.User+e.System) / float64(age)
}

// Census counts. It may be used concurrently.
type Census struct {
	root   string
	loader kernel.Loader
	tasks  *tasks // nil: there is no iterator
	blind  error  // why not, if it was tried
	mu     sync.Mutex
	dir    *Dir
	boot   time.Time
	names  procfile.Names
	known  map[int32]*process
	list   []*process // of the last count, by ascending PID
	order  []int32    // PIDs, while files are read
	taken  time.Time
	exact  time.Time // the last exact count
	rested time.Time // when a count was left out last
	count  int64     // counts so far
	files  int       // descriptors kept
	limit  int       // how many may be kept
	calm   calm
}

// process is what is kept of one process between counts.
type process struct {
	Entry
	fd      int // of schedstat (one thread) or stat (several); -1: none
	isSched bool
	round   int64 // last count it was seen in

	pass pass
	file fileOf

	netns     uint64 // 0: nobody told
	netnsComm string // under which name it was read
}

// New makes a census of the machine, or of a recorded tree below root.
func New(root string) *Census {
	dir := OpenDir(root)
	return &Census{root: root, dir: dir, known: map[int32]*process{}, limit: fileLimit(), boot: bootTime(dir)}
}

// Loader loads BPF programs for all who share the census; nil on a recorded
// tree, of which the kernel knows nothing. What loading needs is given back
// with the second count.
func (c *Census) Loader() *kernel.Loader {
	if !c.dir.Live() {
		return nil
	}
	return &c.loader
}

// Root is below which directory the census looks; "" and "/" mean the machine.
func (c *Census) Root() string { return c.root }

// fileLimit is how many descriptors may be kept: a quarter of what rtrail is
// allowed, so that other probes find some left.
func fileLimit() int {
	const maxFiles = 8192
	var r unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &r) != nil {
		return 0
	}
	return int(min(r.Cur/4, maxFiles))
}

// bootTime is when the clock of start times began. On a live system the
// difference of two clocks is exact; /proc/stat rounds it to seconds.
func bootTime(dir *Dir) time.Time {
	if dir.Live() {
		var ts unix.Timespec
		if unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts) == nil {
			// The two clocks are read one after the other; rounding keeps the
			// difference of two starts of rtrail from showing.
			return time.Now().Add(-time.Duration(ts.Nano())).Round(Tick)
		}
	}
	b, _ := dir.Read("stat")
	seconds, _ := procfile.Number(b, "btime")
	return time.Unix(seconds, 0)
}

// Live says whether the census reads the kernel's procfs, not a recorded tree.
func (c *Census) Live() bool { return c.dir.Live() }

// Close gives all descriptors back.
func (c *Census) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.known {
		c.drop(p)
	}
	c.known = map[int32]*process{}
	c.closeTasks(nil)
	return c.dir.Close()
}

// Take counts all processes. In an exact count every process is read again in
// which anything can have changed.
func (c *Census) Take(exact bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.take(exact)
}

// TakeIfOlder counts unless somebody did within the given time.
func (c *Census) TakeIfOlder(age time.Duration) error {
	return c.Share(age, false, 0)
}

// Share counts unless somebody did within the given time, and as exactly. A
// caller that must not be given the same count twice says which one it had; on a
// calm host there may be no other one yet.
func (c *Census) Share(age time.Duration, exact bool, had int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	last := c.taken
	if exact {
		last = c.exact
	}
	if !last.IsZero() && time.Since(last) < age && c.count != had {
		return nil
	}
	if !exact && c.rests() {
		c.rested = time.Now()
		return nil
	}
	return c.take(exact)
}

// TellNetNS lets other probes know the network namespace of a process: reading
// the link costs more than a small file.
func (c *Census) TellNetNS(e *Entry, inode uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.known[e.PID]; p != nil && p.Key() == e.Key() && e.At.Sub(e.Started) > Settled {
		p.netns, p.netnsComm = inode, e.Comm
	}
}

// NetNS is what the iterator read, or what TellNetNS was given for a process that has not
// called exec since; 0 if neither.
func (c *Census) NetNS(e *Entry) uint64 {
	if e.NetNS != 0 {
		return e.NetNS
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.known[e.PID]; p != nil && p.Key() == e.Key() && p.netnsComm == e.Comm {
		return p.netns
	}
	return 0
}

// Settled is the age from which a process is taken to have made up its mind
// about its command line, cgroup and namespaces: it has called exec by then.
const Settled = 5 * time.Second

// Next is when the next count is due where one is taken at an interval: an interval after the
// last one was taken, or left out.
func (c *Census) Next(interval time.Duration) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	last := c.taken
	if c.rested.After(last) {
		last = c.rested
	}
	return last.Add(interval)
}

// Taken is when the last count began and how many there were.
func (c *Census) Taken() (at time.Time, count int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.taken, c.count
}

// List appends the processes of the last count to dst, by ascending PID.
func (c *Census) List(dst []Entry) []Entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.list {
		dst = append(dst, p.Entry)
	}
	return dst
}

// Refresh brings a list of an earlier count up to date, in its place, and
// returns it. It copies only what changed: entries are large, and most
// processes sleep.
func (c *Census) Refresh(list []Entry) []Entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	list = slices.Grow(list, max(0, len(c.list)-len(list)))
	for i, p := range c.list {
		if i >= len(list) {
			list = append(list, p.Entry)
			continue
		}
		if e := &list[i]; e.Changed == 0 || e.Changed != p.Changed || e.PID != p.PID || e.StartTicks != p.StartTicks {
			*e = p.Entry
		} else {
			e.At = p.At
		}
	}
	return list[:len(c.list)]
}

// Each visits the processes of the last count, by ascending PID, without
// copying them. They are valid during the visit, and nobody else may ask the
// census meanwhile.
func (c *Census) Each(visit func(*Entry)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.list {
		visit(&p.Entry)
	}
}

func (c *Census) take(exact bool) error {
	now := time.Now()
	c.count++
	if c.count == 1 {
		c.openTasks()
	} else {
		c.loader.Done()
	}
	if c.tasks != nil {
		if err := c.iterate(exact); err != nil {
			c.closeTasks(err)
		}
	}
	if c.tasks == nil {
		if err := c.poll(exact); err != nil {
			return err
		}
	}
	c.taken = now
	if exact || c.count == 1 { // the first count reads everybody
		c.exact = now
	}
	if len(c.list) == len(c.known) {
		return nil // all who were there still are
	}
	for pid, p := range c.known {
		if p.round != c.count {
			c.drop(p)
			delete(c.known, pid)
		}
	}
	return nil
}
