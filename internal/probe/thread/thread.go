// Package thread is the probe of what threads are doing: several times a
// second it looks at the threads of processes that did something lately and
// notes state, system call, wait channel and where possible the kernel stack.
//
// A thread that was not put on a CPU since the last look is still in the same
// wait. Its schedstat file, kept open, tells that for less than a
// microsecond, so only threads that moved are read in full. Threads of processes
// that do next to nothing, or have done little for a minute, are looked at once a second,
// by the count of all tasks, and what they wait for is read every third time.
package thread

import (
	"context"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe"
	"rtrail/internal/probe/census"
	"rtrail/internal/probe/procfile"
	"rtrail/internal/probe/procmem"
	"rtrail/internal/recording"
)

//go:generate go run gen.go

const (
	// interval between two looks: with 50 of them in a ten second window a wait
	// that takes 5 % of a thread's time is seen.
	interval = 200 * time.Millisecond

	// share of one core the probe may use; above it looks are left out.
	share = 0.003

	// slowest is how far looks are stretched to stay within share.
	slowest = time.Second

	// perLook bounds the threads read in one look; more take turns.
	perLook = 400

	// stacksPerLook bounds the kernel stacks: walking one is the dearest read.
	stacksPerLook = 32

	// awake is how long a process stays of interest after it did something. Where
	// the census cannot count all threads, activity of processes with several
	// shows in CPU ticks of 10 ms only, so that one which uses 0.1 % of a core
	// shows up every ten seconds.
	awake        = 3 * time.Second
	awakeThreads = 12 * time.Second

	// busyForLife is the share of a core above which a process is of interest
	// before anything is known about what it does now.
	busyForLife = 0.0005

	// relist is how long a list of threads is good.
	relist = time.Second
)

// Probe looks at threads. It is not for concurrent use.
type Probe struct {
	census *census.Census
	dir    *census.Dir
	names  procfile.Names
	count  int64 // of the census, when queue was made
	known  map[census.Key]*watched
	own    int32      // rtrail itself: it runs in every look, and nobody asks why
	queue  []*watched // processes to look at, in order
	turns  turns
	next   time.Time // before that no look is made

	resting      []*watched // quiet ones, to look at with this count
	restingTurns turns
	fresh        time.Duration // how old a count may be to stand for a look
	looks        int64
	files        int
	limit        int
	rows         []recording.ThreadSample
	locks        []recording.LockWait
	swept        map[census.Key]sweptAt // when resting processes were asked for locks
	sweepFrom    int32                  // the PID up to which they were, in this turn
	memory       procmem.Reader
	began        time.Time
}

// watched is a process whose threads are looked at.
type watched struct {
	census.Entry
	threads []*thread
	listed  time.Time
	foreign bool // another architecture: numbers of system calls mean other things
	round   int64
	counted []census.Thread // of a quiet process, beside threads
	calm    calm            // since it did more, or waited for a disk
	locked  time.Time       // when a thread of it was last seen to wait for a lock
	nested  answer          // it has a PID namespace of its own
	inside  map[int32]int32 // its threads by their number in that one, while threads stays
}

// thread is what is kept of one thread between looks.
type thread struct {
	tid   int32
	fds   [filesOfThread]int // 1 more than the descriptor; 0: not kept
	row   recording.ThreadSample
	ok    bool      // row holds a reading
	held  int       // counts in which the wait of row was taken from the one before
	futex futexCall // that row waits for
	inner int32     // its number in a PID namespace of its own; 0: not known
}

// New makes the probe. It looks where the census looks.
func New(c *census.Census) *Probe {
	dir := census.OpenDir(c.Root())
	return &Probe{census: c, dir: dir, known: map[census.Key]*watched{}, swept: map[census.Key]sweptAt{}, limit: fileLimit(), fresh: freshCount, own: int32(os.Getpid())}
}

// fileLimit is how many descriptors may be kept: a quarter of what is allowed.
func fileLimit() int {
	const maxFiles = int(filesOfThread) * perLook
	var r unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &r) != nil {
		return 0
	}
	return int(min(r.Cur/4, uint64(maxFiles)))
}

// Name is the word users see.
func (p *Probe) Name() string { return "thread" }

// Brief says that samples wait for nobody.
func (p *Probe) Brief() {}

// Help says what it reads.
func (p *Probe) Help() string {
	return "what threads of active processes do, up to five times a second: /proc/PID/task"
}

// Fills lists the tables it writes.
func (p *Probe) Fills() []recording.Table {
	return []recording.Table{recording.Threads, recording.Locks}
}

// Start says whether the probe can run: wherever there is a /proc.
func (p *Probe) Start() error {
	if err := p.dir.Err(); err != nil {
		return &probe.MissingError{What: "/proc", How: "mount -t proc proc /proc", Err: err}
	}
	return nil
}

// Interval is five looks for each sample of the others, but not more than five
// a second, and at uneven times. Waking costs as much as some looks do: where there is
// nothing to look at before the next count, or no budget, the probe sleeps until then.
func (p *Probe) Interval(run time.Duration) time.Duration {
	return p.sleep(run, time.Now(), p.census.Next(run))
}

// sleep is the time from now to the next look, if the next count is due at until.
func (p *Probe) sleep(run time.Duration, now, until time.Time) time.Duration {
	often := max(run/5, min(interval, run))
	if p.looks < firstLooks {
		return often
	}
	look := len(p.queue) > 0 && p.next.Before(until)
	if look {
		until = p.next
	}
	// In whole steps, to wake together with the other probes.
	steps := (until.Sub(now) + often/2) / often
	d := max(steps, 1) * often
	if look {
		d = max(d-often+probe.Scatter(often), until.Sub(now))
	}
	return min(d, run)
}

// firstLooks are made at full pace: two counts in a row are needed to see who
// is active.
const firstLooks = 2

// Close gives descriptors back.
func (p *Probe) Close() error {
	for _, w := range p.known {
		p.drop(w)
	}
	p.memory.Close()
	return p.dir.Close()
}

// Sample looks once.
func (p *Probe) Sample(ctx context.Context, w *recording.Writer) error {
	p.began = time.Now()
	due := !p.began.Before(p.next)
	before := probe.ThreadCPU()
	if counted, err := p.choose(due); err != nil || !counted && !due {
		return err
	}
	p.rows, p.locks = p.rows[:0], p.locks[:0]
	var denied unseen
	stacks := stacksPerLook
	lost := p.lookQuiet(ctx, &stacks, &denied)
	p.resting = p.resting[:0]
	if due {
		p.looks++
		p.next = p.began.Add(-interval / 4)
		lost += p.look(ctx, &stacks, &denied)
	}
	recording.Append(w, p.rows...)
	recording.Append(w, p.locks...)
	w.Lost(lost)
	denied.report(w, p.Name())
	p.memory.Report(w, p.Name(), "who holds locks of programs")
	// The next look waits until this one has become cheap enough.
	pause := time.Duration(float64(probe.ThreadCPU()-before) / share)
	p.next = p.next.Add(min(pause, slowest))
	return nil
}

// choose brings the list of processes up to date when there is a new count, and
// says whether there was one. Where a look is due it sees to it that there is.
func (p *Probe) choose(due bool) (counted bool, err error) {
	age := 1500 * time.Millisecond // the process probe counts once a second
	if p.looks < firstLooks {
		age = interval / 2
	}
	if due {
		if err := p.census.TakeIfOlder(age); err != nil {
			return false, err
		}
	}
	taken, count := p.census.Taken()
	if count == p.count {
		return false, nil
	}
	p.count = count
	p.queue = p.queue[:0]
	// While the census is visited all that ask it wait: files of processes, which may
	// hang, are read afterwards.
	var asked []census.Entry
	var found []*watched
	p.census.Each(func(e *census.Entry) {
		k := e.Key()
		have := p.known[k]
		if !p.interesting(e) && (have == nil || p.began.Sub(have.locked) >= awake) {
			if len(asked) < perSweep && p.restsUnasked(e) {
				asked = append(asked, *e)
			}
			return
		}
		if have == nil {
			have = &watched{}
			p.known[k] = have
			found = append(found, have)
		}
		if have.Threads != e.Threads {
			have.listed = time.Time{}
		}
		have.calm.see(&have.Entry, e)
		have.Entry, have.round = *e, count
		if (quiet(e) || have.calm.long(e.At)) && have.locked.IsZero() && p.began.Sub(taken) < p.fresh {
			have.listed = time.Time{}
			p.resting = append(p.resting, have)
		} else {
			p.queue = append(p.queue, have)
		}
	})
	for _, w := range found {
		w.foreign = p.foreign(w.PID)
	}
	p.sweepAll(asked, count)
	p.listQuiet()
	for k, was := range p.swept {
		if p.began.Sub(was.at) > sweepStill+sweepAgain {
			delete(p.swept, k)
		}
	}
	for k, have := range p.known {
		if have.round != count {
			p.drop(have)
			delete(p.known, k)
		}
	}
	return true, nil
}

// interesting says whether the threads of a process are worth a look. Kernel
// threads are so only while they wait for a disk.
func (p *Probe) interesting(e *census.Entry) bool {
	if e.State == 'Z' || e.State == 'X' || e.PID == p.own && p.dir.Live() {
		return false
	}
	if e.Kernel {
		return e.State == 'D'
	}
	if e.Active.IsZero() {
		return e.Share() > busyForLife
	}
	if e.Threads > 1 && !e.Counted {
		return p.began.Sub(e.Active) < awakeThreads
	}
	return p.began.Sub(e.Active) < awake
}

// look reads the threads of all chosen processes, as far as the bound allows,
// and returns how many threads had no turn.
func (p *Probe) look(ctx context.Context, stacks *int, denied *unseen) (lost int) {
	const room = perLook
	total := 0
	for _, w := range p.queue {
		if p.began.Sub(w.listed) >= relist {
			p.list(w)
		}
		total += len(w.threads)
	}
	p.turns = p.turns.next(total, room)
	lost = max(total-room, 0)
	at, done := 0, 0
	for _, w := range p.queue {
		for _, t := range w.threads {
			at++
			if !p.turns.has(at - 1) {
				continue
			}
			if done%64 == 63 && ctx.Err() != nil {
				return total - done
			}
			done++
			p.read(w, t, stacks, denied)
		}
	}
	return lost
}

// turns says which threads are read in a look when there are more than one
// look may read. Threads are numbered through.
type turns struct{ start, room, total int }

func newTurns(total, room int) turns { return turns{0, room, total} }

// next are the turns of the following look.
func (t turns) next(total, room int) turns {
	if total <= room {
		return newTurns(total, room)
	}
	return turns{(t.start + t.room) % total, room, total}
}

// has says whether a thread is read. The turn may wrap around.
func (t turns) has(number int) bool {
	return number >= t.start && number < t.start+t.room || number < t.start+t.room-t.total
}

// list finds which threads a process has. One thread has the number of its process: a busy host has
// hundreds of such that wake and sleep again every second.
func (p *Probe) list(w *watched) {
	w.listed = p.began
	have := make(map[int32]*thread, len(w.threads))
	for _, t := range w.threads {
		have[t.tid] = t
	}
	w.threads, w.inside = w.threads[:0], nil
	keep := func(tid int32) {
		t := have[tid]
		if t == nil {
			t = &thread{tid: tid}
		}
		delete(have, tid)
		w.threads = append(w.threads, t)
	}
	if w.Threads == 1 {
		keep(w.PID)
	} else if err := p.dir.Numbers(census.Name(w.PID, "task"), keep); err != nil {
		w.threads = w.threads[:0]
	}
	for _, t := range have {
		p.close(t)
	}
}

func (p *Probe) drop(w *watched) {
	for _, t := range w.threads {
		p.close(t)
	}
	w.threads = nil
}

func (p *Probe) close(t *thread) {
	for f := range t.fds {
		p.closeFile(t, file(f))
	}
}

func (p *Probe) closeFile(t *thread, f file) {
	if t.fds[f] > 0 {
		unix.Close(t.fds[f] - 1)
		t.fds[f] = 0
		p.files--
	}
}
