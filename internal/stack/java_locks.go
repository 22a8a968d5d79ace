package stack

import (
	"cmp"
	"slices"
	"strings"

	"rtrail/internal/recording"
	"rtrail/internal/stack/signatures"
)

// Lock is a lock that threads wait for.
type Lock struct {
	ID        string // address
	Class     string
	Holder    string // name of the thread that has it; "" if no thread says so
	HolderTID int32
	Held      []string // the holder's stack
	Waiter    string   // one of those that want it
	Waiters   int64    // threads that want it, in the dump in which most did
	Dumps     int64    // dumps in which somebody waited for it
	Cycle     int32    // number of the deadlock it belongs to, from 1; 0: none
}

// Pool is a pool of threads which all wait for the same thing.
type Pool struct {
	Name      string // of its threads, with # for their number
	Threads   int64
	Signature *signatures.Signature
	Example   []string // the stack of one of them
	Dumps     int64    // dumps in which it was so
	Of        int64    // dumps in which the pool is
}

// dump is one dump of a Java VM while it is read: only what threads say of
// locks and the sizes of pools.
type dump struct {
	threads []javaState
	holder  map[string]int // lock to thread
	pools   map[string]*poolState
}

type javaState struct {
	name  string
	tid   int32
	wants string // lock
	class string
	timed bool // it gives up after some time, as tryLock does
	stack *Stack
}

type poolState struct {
	threads int64
	same    int64 // of them with the signature of the first one
	sig     *signatures.Signature
	example []string
}

// java collects what dumps of Java VMs say beyond stacks.
type java struct {
	now   *dump
	locks map[string]*Lock
	pools map[string]*Pool // by name and signature
	seen  map[string]int64 // dumps in which a pool is
	known map[*Stack]*signatures.Signature
	cycle int32
}

func newJava() *java {
	return &java{locks: map[string]*Lock{}, pools: map[string]*Pool{}, seen: map[string]int64{}, known: map[*Stack]*signatures.Signature{}}
}

func (j *java) begin() {
	j.end()
	j.now = &dump{holder: map[string]int{}, pools: map[string]*poolState{}}
}

// add takes what a thread says about locks. s is nil when it has no frames.
func (j *java) add(t *thread, s *Stack) {
	if s == nil {
		return
	}
	if j.now == nil {
		j.begin()
	}
	d := j.now
	j.addToPool(string(t.name), s)
	if len(t.notes) == 0 {
		return
	}
	me := javaState{name: threadName(t), tid: t.tid, stack: s, timed: s.State == "TIMED_WAITING"}
	gave := ""
	for _, n := range t.notes {
		switch lock := string(n.lock); {
		case n.kind == wants && me.wants == "":
			me.wants, me.class = lock, string(n.class)
			s.Objects.add(lock+" ("+me.class+")", 1)
		case n.kind == expects:
			gave = lock
		case n.kind == holds && lock != gave && lock != me.wants:
			d.holder[lock] = len(d.threads)
		}
	}
	d.threads = append(d.threads, me)
}

func (j *java) addToPool(name string, s *Stack) {
	stem := strings.TrimRight(name, "0123456789")
	if stem == name || stem == "" || !isWorker(s.Frames) {
		return
	}
	sig, done := j.known[s]
	if !done {
		sig = signatures.Default().Match(s.Frames, s.State)
		j.known[s] = sig
	}
	p := j.now.pools[stem]
	if p == nil {
		p = &poolState{sig: sig, example: s.Frames}
		j.now.pools[stem] = p
	}
	p.threads++
	if p.sig == sig {
		p.same++
	}
}

// end draws the conclusions from a dump.
func (j *java) end() {
	d := j.now
	if d == nil {
		return
	}
	j.now = nil
	waiters := map[string]int64{}
	for _, t := range d.threads {
		if t.wants != "" {
			waiters[t.wants]++
		}
	}
	seen := map[string]bool{}
	for _, t := range d.threads {
		if t.wants == "" {
			continue
		}
		l := j.locks[t.wants]
		if l == nil {
			l = &Lock{ID: t.wants, Class: t.class, HolderTID: recording.Unknown, Waiter: t.name}
			j.locks[t.wants] = l
		}
		if seen[t.wants] {
			continue
		}
		seen[t.wants] = true
		l.Dumps++
		l.Waiters = max(l.Waiters, waiters[t.wants])
		if h, held := d.holder[t.wants]; held {
			l.Holder, l.HolderTID, l.Held = d.threads[h].name, d.threads[h].tid, d.threads[h].stack.Frames
		}
	}
	for _, cycle := range d.cycles() {
		// The same deadlock is in every dump.
		if j.locks[d.threads[cycle[0]].wants].Cycle == 0 {
			j.cycle++
			for _, i := range cycle {
				j.locks[d.threads[i].wants].Cycle = j.cycle
				j.locks[d.threads[i].wants].Waiter = d.threads[i].name
			}
		}
	}
	j.endPools(d)
}

// blocker is the thread that has the lock which a thread waits for until it gets
// it. Who gives up after some time is no part of a deadlock.
func (d *dump) blocker(at int) (holder int, waits bool) {
	t := &d.threads[at]
	if t.wants == "" || t.timed {
		return 0, false
	}
	holder, waits = d.holder[t.wants]
	return holder, waits
}

// cycles finds the deadlocks: threads that wait for a lock whose holder waits
// for a lock, and so on, back to the first.
func (d *dump) cycles() [][]int {
	const fresh, done = 0, -1
	state := make([]int, len(d.threads)) // or the number of the walk, from 1
	var list [][]int
	for i := range d.threads {
		walk := i + 1
		at := i
		for state[at] == fresh {
			state[at] = walk
			next, waits := d.blocker(at)
			if !waits {
				break
			}
			at = next
			if state[at] == walk {
				cycle := []int{at}
				for n, _ := d.blocker(at); n != at; n, _ = d.blocker(n) {
					cycle = append(cycle, n)
				}
				list = append(list, cycle)
			}
		}
		for at := i; state[at] == walk; {
			state[at] = done
			next, waits := d.blocker(at)
			if !waits {
				break
			}
			at = next
		}
	}
	return list
}

// workerFrames is how many frames from the outermost one tell what a thread was
// started as. Further in, a thread may only use a pool.
const workerFrames = 4

// workerClasses are in the names of the classes whose run methods take one task
// after the other: those of java.util.concurrent, Tomcat, Jetty, Netty, JBoss,
// WebLogic.
var workerClasses = []string{"ThreadPool", "Executor", "ForkJoin", "Worker", "ExecuteThread"}

// isWorker says whether a stack is that of a thread of a pool.
func isWorker(frames []string) bool {
	return slices.ContainsFunc(frames[max(0, len(frames)-workerFrames):], func(frame string) bool {
		at := strings.LastIndexByte(frame, '.')
		return at > 0 && strings.HasPrefix(frame[at+1:], "run") &&
			slices.ContainsFunc(workerClasses, func(word string) bool { return strings.Contains(frame[:at], word) })
	})
}

func (j *java) endPools(d *dump) {
	for stem, p := range d.pools {
		j.seen[stem]++
		if p.threads < 2 || p.same < p.threads || p.sig == nil || p.sig.Kind == signatures.Idle || p.sig.Kind == signatures.CPU {
			continue
		}
		key := stem + "\x00" + p.sig.ID
		have := j.pools[key]
		if have == nil {
			have = &Pool{Name: stem + "#", Signature: p.sig, Example: p.example}
			j.pools[key] = have
		}
		have.Dumps++
		have.Threads = max(have.Threads, p.threads)
	}
}

// result gives what all dumps said.
func (j *java) result(p *Profile) {
	j.end()
	for _, l := range j.locks {
		p.Locks = append(p.Locks, l)
	}
	slices.SortFunc(p.Locks, func(a, b *Lock) int {
		return cmp.Or(cmp.Compare(b.Waiters, a.Waiters), strings.Compare(a.ID, b.ID))
	})
	for _, pool := range j.pools {
		pool.Of = j.seen[strings.TrimSuffix(pool.Name, "#")]
		p.Pools = append(p.Pools, *pool)
	}
	slices.SortFunc(p.Pools, func(a, b Pool) int {
		return cmp.Or(cmp.Compare(b.Threads, a.Threads), strings.Compare(a.Name, b.Name))
	})
}
