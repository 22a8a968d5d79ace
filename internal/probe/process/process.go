// Package process is the probe of processes and their limits.
//
// Every sample gives a row for every process; for one that slept since its last
// row only the time is noted. Reading all there is about a thousand processes
// would cost a tenth of a second, so rows come in two depths: full rows for
// processes that did something since their last one, are new, large or known
// to be busy; light rows, with what /proc/PID/stat and, where the census has
// it, the BPF iterator tell, for the others. In the first and the last sample of a window every
// process gets a full row as far as the budget reaches, the interesting ones
// first.
package process

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"rtrail/internal/probe"
	"rtrail/internal/probe/census"
	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

const (
	// budget is the CPU time one sample may spend on full rows; edgeBudget
	// that of the first and the last one. All of rtrail must stay under
	// one percent of a core at one sample a second. A full row costs about
	// 20 us, 30 without the iterator: on a host with some hundred processes all
	// of them are read, beyond that the interesting ones, and the rest in the
	// samples that follow.
	budget     = 500 * time.Microsecond
	edgeBudget = 4 * time.Millisecond
	// At the end the iterator has read the counters of all: what is left are
	// details of who slept all the time.
	lastBudget = 2 * time.Millisecond
	// Without the iterator the same number of rows takes longer.
	slowBudget     = 1500 * time.Microsecond
	slowEdgeBudget = 6 * time.Millisecond

	// rowsAtOnce is for how many rows memory is taken: how many there will be
	// shows only while they are made.
	rowsAtOnce = 64

	// SharedFor is how old a count by somebody else may be. Probes wake up
	// together and end one after the other.
	SharedFor = 250 * time.Millisecond

	// reclaimable is the resident size, in bytes, from which a process is read
	// again at the end although it slept: the kernel may have taken memory away.
	reclaimable = 8 << 20

	// refreshEvery is how many samples a large or busy process may go without
	// a full row although it did nothing.
	refreshEvery = 10
)

// Probe reads processes. It is not for concurrent use.
type Probe struct {
	census  *census.Census
	dir     *census.Dir
	delays  *delays
	all     []census.Entry
	last    time.Time // start of the last sample
	samples int64
	count   int64 // the census of the last sample
	closing bool
	page    int64
	names   procfile.Names
	groups  map[uint64]*groups // by census.Entry.CgroupSet
	scratch scratch
	cpuTime func() time.Duration // used by this thread: what budgets are held against
}

// scratch is memory that is used again in every sample.
type scratch struct {
	order   []int      // of all, those that may get a row, in which order they are filled
	rest    []int      // of order, those that get a light row
	backlog []int      // of order, at its end: who sleeps and never had a full row
	details []*details // of all
	before  []*details // of all of the sample before
	threads []int32
	limits  []recording.LimitSample
}

// New makes the probe. It looks where the census looks.
func New(c *census.Census) *Probe {
	dir := census.OpenDir(c.Root())
	return &Probe{census: c, dir: dir, groups: map[uint64]*groups{}, page: pageSize(), delays: newDelays(dir), cpuTime: probe.ThreadCPU}
}

// Name is the word users see.
func (p *Probe) Name() string { return "process" }

// Brief says that samples wait for nobody.
func (p *Probe) Brief() {}

// Help says what it reads.
func (p *Probe) Help() string {
	return "CPU, memory, I/O, waits and limits of every process: /proc/PID, taskstats"
}

// Fills lists the tables it writes.
func (p *Probe) Fills() []recording.Table {
	return []recording.Table{recording.Processes, recording.Limits}
}

// Start says whether the probe can run: wherever there is a /proc.
func (p *Probe) Start() error {
	if err := p.dir.Err(); err != nil {
		return &probe.MissingError{What: "/proc", How: "mount -t proc proc /proc", Err: err}
	}
	return nil
}

// Closing makes the next sample read as much as the first one did.
func (p *Probe) Closing() { p.closing = true }

// Close gives descriptors back.
func (p *Probe) Close() error {
	p.delays.close()
	return p.dir.Close()
}

// Sample reads all processes.
func (p *Probe) Sample(ctx context.Context, w *recording.Writer) error {
	edge := p.samples == 0 || p.closing
	if err := p.census.Share(SharedFor, edge, p.count); err != nil {
		return err
	}
	_, count := p.census.Taken()
	if count == p.count {
		return nil // the host is calm: with the next one
	}
	p.count = count
	p.all = p.census.Refresh(p.all)
	p.samples++
	p.plan(edge)

	limit := p.budget(edge)
	var missed unseen
	began := p.cpuTime()
	s := &p.scratch
	var rows []recording.ProcessSample
	s.limits = s.limits[:0]
	for n, i := range s.order {
		e := &p.all[i]
		d := s.details[i]
		// A look at the clock costs as much as reading a small file.
		over := n%8 == 7 && limit > 0 && d.want > 0 && (p.cpuTime()-began > limit || ctx.Err() != nil)
		if over {
			limit = 0
		}
		if limit == 0 && !edge && d.asleep(e) {
			if n >= len(s.order)-len(s.backlog) {
				break // all others are like this one
			}
			continue // another time
		}
		if len(rows) == 0 {
			rows = make([]recording.ProcessSample, min(rowsAtOnce, len(s.order)-n))
		}
		row := &rows[0]
		rows = rows[1:]
		p.light(row, e, d)
		d.last, d.changed = row, e.Changed
		if limit > 0 && d.want > 0 {
			p.fill(row, e, d, &missed, edge)
		} else if edge {
			p.idle(row, e, d)
		}
	}
	// The rows of all, new ones and those that hold still, in the usual order.
	all := make([]recording.Again[recording.ProcessSample], len(p.all))
	for i, d := range s.details {
		all[i] = recording.Again[recording.ProcessSample]{Row: d.last, At: p.all[i].At}
	}
	recording.Repeat(w, all, lighten)
	recording.Append(w, s.limits...)
	missed.report(w, p.Name())
	p.delays.report(w, p.Name())
	p.forget()
	p.last, p.closing = w.Started, false
	return nil
}

// budget is what this sample may spend on full rows.
func (p *Probe) budget(edge bool) time.Duration {
	quick := len(p.all) > 0 && p.all[0].Counted
	switch {
	case quick && edge && p.samples > 1:
		return lastBudget
	case quick && edge:
		return edgeBudget
	case quick:
		return budget
	case edge:
		return slowEdgeBudget
	}
	return slowBudget
}

// plan decides who gets a full row and in which order.
func (p *Probe) plan(edge bool) {
	s := &p.scratch
	s.order, s.rest, s.backlog = s.order[:0], s.rest[:0], s.backlog[:0]
	s.details, s.before = s.before[:0], s.details
	before := s.before // by ascending PID, as all
	for i := range p.all {
		e := &p.all[i]
		for len(before) > 0 && before[0].key.PID < e.PID {
			before = before[1:]
		}
		var d *details
		if len(before) > 0 && before[0].key == e.Key() {
			d = before[0]
		} else {
			d = &details{key: e.Key(), uid: recording.Unknown}
		}
		s.details = append(s.details, d)
		if !edge && d.still(e, p.samples) {
			if d.want > 0 {
				s.backlog = append(s.backlog, i)
			}
			continue
		}
		p.told(e, d)
		d.want = p.want(e, d, edge)
		d.plan(e, p)
		switch {
		case d.want > 0 && d.still(e, p.samples) && !edge:
			s.backlog = append(s.backlog, i)
		case d.want > 0:
			s.order = append(s.order, i)
		case edge || !d.asleep(e):
			s.rest = append(s.rest, i)
		}
	}
	slices.SortStableFunc(s.order, func(a, b int) int {
		return cmp.Compare(s.details[b].want, s.details[a].want)
	})
	s.order = append(append(s.order, s.rest...), s.backlog...)
}

// plan notes how long the decision about a process holds unless it does
// something: most processes sleep, and to decide again about each of a thousand
// costs more than to read the few that do not.
func (d *details) plan(e *census.Entry, p *Probe) {
	d.until = 0
	if !d.asleep(e) || d.groups == nil && !e.Kernel {
		return
	}
	large := e.RSSPages*p.page >= large
	switch {
	case d.want > 0 && d.full == 0 && !large:
		d.until = math.MaxInt64 // until its turn comes
	case d.want > 0:
	case d.active || large:
		d.until = d.full + refreshEvery
	default:
		d.until = math.MaxInt64
	}
}

// still says whether the last decision about a process holds in a sample.
func (d *details) still(e *census.Entry, sample int64) bool {
	if sample >= d.until || d.changed != e.Changed {
		return false
	}
	if d.groups != nil {
		d.groups.round = sample
	}
	return true
}

// asleep says whether a light row of a process would be what its last row was.
func (d *details) asleep(e *census.Entry) bool {
	return e.Counted && d.last != nil && d.changed == e.Changed &&
		d.last.UID == d.uid && d.last.NetNS == d.netns && d.last.Cgroup == d.in.CPU && d.last.MemCgroup == d.in.Memory && d.last.IOCgroup == d.in.IO
}

// lighten makes of the last row of a process the one of a time up to which it
// slept: a light one, as what only a full row holds was not read again.
func lighten(last *recording.ProcessSample, at time.Time) recording.ProcessSample {
	const unknown = recording.Unknown
	row := *last
	if at.Equal(last.At) {
		return row
	}
	row.At, row.Full, row.WaitChannel = at, false, ""
	row.BlockDelay, row.SwapDelay = unknown, unknown
	row.Anon, row.File, row.Shmem, row.Swap = unknown, unknown, unknown, unknown
	return row
}

// want is how much a full row of a process is wanted; 0: not at all. Kernel
// threads have next to nothing that a light row does not hold.
func (p *Probe) want(e *census.Entry, d *details, edge bool) float64 {
	resident := float64(e.RSSPages * p.page)
	active := !e.Active.IsZero() && !e.Active.Before(p.last)
	score := 1 + e.Share()*1000 + resident/(1<<30)
	if active {
		score += 1e6
	}
	if d.full == 0 {
		score += 100
	}
	if d.active {
		score += 1000 // there is a row before it with which rates can be formed
	}
	d.active = d.active || active
	due := p.samples-d.full >= refreshEvery
	if active && !edge && !due && d.full != 0 && e.Counted && e.Asleep() && e.Total.Little(&d.total) && !d.nearFileLimit() {
		return 0 // it woke and did next to nothing since its last full row
	}
	switch {
	case e.Kernel && !active:
		return 0
	case active, d.full == 0:
		return score
	case edge && (!settled(e) || resident >= reclaimable || d.row.Swap != 0 || e.Active.After(d.row.At)):
		return score
	case due && (resident >= large || d.active):
		return score
	}
	return 0
}

// nearFileLimit says whether a process had few file descriptors left when they were counted
// last. A server at its limit does next to nothing: it wakes, and cannot accept.
func (d *details) nearFileLimit() bool {
	const near = 0.9
	l := &d.limits
	return l.PID != 0 && l.FilesSoft > 0 && float64(l.Files) >= near*float64(l.FilesSoft)
}

// light is the row that /proc/PID/stat alone can fill.
func (p *Probe) light(row *recording.ProcessSample, e *census.Entry, d *details) {
	const unknown = recording.Unknown
	*row = recording.ProcessSample{
		At: e.At, PID: e.PID, PPID: e.PPID, Started: e.Started, Comm: e.Comm, Cmdline: d.cmdline, Kernel: e.Kernel,
		State: state(e.State), UID: d.uid, Threads: e.Threads, Nice: e.Nice, NetNS: d.netns,
		User: e.User, System: e.System, ChildUser: e.ChildUser, ChildSystem: e.ChildSystem,
		RunTime: unknown, RunDelay: unknown, BlockDelay: unknown, SwapDelay: unknown, Voluntary: unknown, Involuntary: unknown,
		MinorFaults: e.MinorFaults, MajorFaults: e.MajorFaults, VirtualSize: e.VirtualSize, RSS: e.RSSPages * p.page,
		Anon: unknown, File: unknown, Shmem: unknown, Swap: unknown,
		ReadChars: unknown, WriteChars: unknown, ReadCalls: unknown, WriteCalls: unknown,
		ReadBytes: unknown, WriteBytes: unknown, Cancelled: unknown,
	}
	d.in.tell(row)
	if e.Counted {
		counted(row, e)
	} else if e.Threads == 1 && e.Sched.Slices >= 0 {
		row.RunTime, row.RunDelay = e.Sched.RunTime, e.Sched.RunDelay
	}
}

// counted fills in what the iterator read of all threads: the same counters
// from which the kernel makes schedstat, status and io.
func counted(row *recording.ProcessSample, e *census.Entry) {
	t := &e.Total
	row.RunTime, row.RunDelay = t.RunTime, t.RunDelay
	row.Voluntary, row.Involuntary = t.Voluntary, t.Involuntary
	if e.Kernel || e.State == 'Z' || e.State == 'X' {
		return // as /proc, which shows no I/O of these
	}
	i := &t.IO
	row.ReadChars, row.WriteChars, row.ReadCalls, row.WriteCalls = i.ReadChars, i.WriteChars, i.ReadCalls, i.WriteCalls
	row.ReadBytes, row.WriteBytes, row.Cancelled = i.ReadBytes, i.WriteBytes, i.Cancelled
}

// settled says whether the census would know if the process had done anything:
// by the counters of all threads, or by those of its only one.
func settled(e *census.Entry) bool {
	return e.Counted || e.Threads == 1 && e.Sched.Slices >= 0
}

// idle makes a full row of a light one for a process that did not run since
// its last full row: then its counters, limits and files are what they were.
// Only what others do to it can differ: how much of its few resident pages is
// swapped out, for which want has those with many read again.
func (p *Probe) idle(row *recording.ProcessSample, e *census.Entry, d *details) {
	if d.full == 0 || !settled(e) || d.row.Swap != 0 || e.Active.After(d.row.At) {
		return
	}
	light := *row
	*row = d.row
	row.At = light.At
	if e.Counted {
		row.State, row.PPID, row.Nice, row.UID = light.State, light.PPID, light.Nice, light.UID
		row.Cgroup, row.MemCgroup, row.IOCgroup, row.NetNS = light.Cgroup, light.MemCgroup, light.IOCgroup, light.NetNS
	}
	if d.limits.PID != 0 {
		l := d.limits
		l.At = light.At
		p.scratch.limits = append(p.scratch.limits, l)
	}
}

// state turns the letter into a string without allocation.
func state(c byte) string {
	const letters = "RSDZTtIXxKWP"
	for i := range letters {
		if letters[i] == c {
			return letters[i : i+1]
		}
	}
	return string(rune(c))
}

// forget drops the groups in which no process is left.
func (p *Probe) forget() {
	for k, g := range p.groups {
		if g.round != p.samples {
			delete(p.groups, k)
		}
	}
}
