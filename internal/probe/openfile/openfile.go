// Package openfile is the probe of the files that the processes which move most data
// have open, and of how their positions and sizes grow. It looks while a disk is busy, and
// now and then while programs write.
package openfile

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"rtrail/internal/probe"
	"rtrail/internal/probe/census"
	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

const (
	// busyFrom is the share of the time in which a disk must have requests in flight.
	busyFrom = 0.3
	// between is the time between two looks while no disk is busy: what is written goes to
	// the page cache first, and fills a filesystem all the same.
	between = 1500 * time.Millisecond // with samples each second, every other one
	// budget is the CPU time of one sample for /proc/PID/io, about 8 us a process that was not counted.
	budget = 3 * time.Millisecond
	// recent is how long ago a process must have done something to be looked at.
	recent = 3 * time.Second
	// maxProcesses is of how many processes files are read.
	maxProcesses = 4
	// minRate is the bytes per second from and to disks from which a process counts.
	minRate = 256 << 10
)

// Probe reads open files. It is not for concurrent use.
type Probe struct {
	census *census.Census
	all    []census.Entry
	disks  *procfile.File
	vmstat *procfile.File
	dirty  moved             // what all programs dirtied, by the last reading
	busy   map[string]uint64 // milliseconds of each disk
	moved  map[census.Key]moved
	known  map[descriptor]state
	listed map[census.Key]time.Time // when all files of a process had rows last; if never, when it was looked at first
	names  procfile.Names
	buf    []byte
	last   time.Time
	looked time.Time // when files were read last
	budget time.Duration
	from   int32 // PID at which the next look begins, where the last one had no time left
}

// moved is what a process read from and wrote to disks, or all of them wrote.
type moved struct {
	bytes int64
	at    time.Time
}

// New makes the probe. It looks where the census looks.
func New(c *census.Census) *Probe {
	return &Probe{census: c, budget: budget, disks: &procfile.File{Path: c.Root() + "/proc/diskstats"}, vmstat: &procfile.File{Path: c.Root() + "/proc/vmstat"}, busy: map[string]uint64{}, moved: map[census.Key]moved{}, known: map[descriptor]state{}, listed: map[census.Key]time.Time{}, buf: make([]byte, 4096)}
}

// Name is the word users see.
func (p *Probe) Name() string { return "files-open" }

// Brief says that samples wait for nobody.
func (p *Probe) Brief() {}

// Help says what it reads.
func (p *Probe) Help() string {
	return "open files of the processes that move most data while a disk is busy or files are written, and their positions: /proc/PID/fdinfo"
}

// Fills lists the tables it writes.
func (p *Probe) Fills() []recording.Table { return []recording.Table{recording.OpenFiles} }

// Start says whether the probe can run: wherever disks are counted.
func (p *Probe) Start() error {
	if _, err := p.disks.Read(); err != nil {
		return &probe.MissingError{What: "/proc/diskstats", How: "mount -t proc proc /proc", Err: err}
	}
	return nil
}

// Close gives descriptors back.
func (p *Probe) Close() error {
	p.disks.Close()
	p.vmstat.Close()
	return nil
}

// Sample reads the files of a few processes, if a disk is busy or files are written.
func (p *Probe) Sample(ctx context.Context, w *recording.Writer) error {
	now := time.Now()
	share, err := p.busiest(now)
	p.last = now
	if err != nil {
		return err
	}
	// The first look is where rates of processes begin, whatever happens later.
	writes := now.Sub(p.looked) >= between && p.writes(now)
	if share < busyFrom && !writes && !p.looked.IsZero() {
		return nil
	}
	p.looked = now
	if err := p.census.TakeIfOlder(time.Second); err != nil {
		return err
	}
	p.all = p.census.Refresh(p.all)
	for _, e := range p.most(ctx, now, w) {
		p.files(e, w)
	}
	return nil
}

// writes says whether programs dirty as much as would have one of them counted.
func (p *Probe) writes(now time.Time) bool {
	b, err := p.vmstat.Read()
	if err != nil {
		return false
	}
	pages, ok := procfile.Number(b, "nr_dirtied")
	before := p.dirty
	p.dirty = moved{pages * int64(os.Getpagesize()), now}
	return ok && !before.at.IsZero() && float64(p.dirty.bytes-before.bytes) >= minRate*now.Sub(before.at).Seconds()
}

// busiest is the share of the time in which the busiest disk had requests in flight
// since the last sample.
func (p *Probe) busiest(now time.Time) (share float64, err error) {
	b, err := p.disks.Read()
	if err != nil {
		return 0, fmt.Errorf("see whether a disk is busy: %w", err)
	}
	passed := float64(now.Sub(p.last).Milliseconds())
	for line := range procfile.Lines(b) {
		const nameAt, busyAt = 2, 12 // fields, from 0
		var name string
		for i := 0; i <= busyAt; i++ {
			var field []byte
			field, line = procfile.Field(line)
			if i == nameAt {
				name = p.names.String(field)
			}
			if i != busyAt {
				continue
			}
			n, ok := procfile.Uint(field)
			before, had := p.busy[name]
			p.busy[name] = n
			if ok && had && n >= before && passed > 0 {
				share = max(share, float64(n-before)/passed)
			}
		}
	}
	return share, nil
}

// movedBy is what a process moved so far: as it was counted, or by its file.
func (p *Probe) movedBy(e *census.Entry, now time.Time) (moved, bool) {
	if e.Counted {
		return moved{e.Total.IO.ReadBytes + e.Total.IO.WriteBytes, e.At}, true
	}
	b, err := procfile.ReadOnce(fmt.Sprintf("%s/proc/%d/io", p.census.Root(), e.PID), p.buf)
	if err != nil {
		return moved{}, false // it is gone, or somebody else's
	}
	read, _ := procfile.Number(b, "read_bytes:")
	written, _ := procfile.Number(b, "write_bytes:")
	return moved{read + written, now}, true
}

// most are the processes that moved most data since the last time. Where there are more
// than the budget allows, each look goes on where the one before stopped.
func (p *Probe) most(ctx context.Context, now time.Time, w *recording.Writer) []*census.Entry {
	type rated struct {
		e    *census.Entry
		rate float64
	}
	var list []rated
	began := probe.ThreadCPU()
	fresh := make(map[census.Key]moved, len(p.moved))
	start := max(slices.IndexFunc(p.all, func(e census.Entry) bool { return e.PID >= p.from }), 0)
	left := 0 // processes for which there was no time
	p.from = 0
	for i := range p.all {
		e := &p.all[(start+i)%len(p.all)]
		if e.Kernel || now.Sub(e.Active) > recent {
			continue
		}
		if left == 0 && i%8 == 7 && (probe.ThreadCPU()-began > p.budget || ctx.Err() != nil) {
			p.from = e.PID
		}
		if p.from != 0 {
			if left++; !p.moved[e.Key()].at.IsZero() {
				fresh[e.Key()] = p.moved[e.Key()]
			}
			continue
		}
		m, ok := p.movedBy(e, now)
		if !ok {
			continue
		}
		fresh[e.Key()] = m
		before, ok := p.moved[e.Key()]
		if seconds := m.at.Sub(before.at).Seconds(); ok && seconds > 0 {
			if rate := float64(m.bytes-before.bytes) / seconds; rate >= minRate {
				list = append(list, rated{e, rate})
			}
		}
	}
	p.moved = fresh
	if left > 0 {
		w.Unseen(p.Name(), "which processes move most data, and their open files", left, "there are more than one sample has time for: each begins where the last one stopped", "")
	}
	slices.SortFunc(list, func(a, b rated) int { return cmp.Or(cmp.Compare(b.rate, a.rate), cmp.Compare(a.e.PID, b.e.PID)) })
	list = list[:min(len(list), maxProcesses)]
	most := make([]*census.Entry, len(list))
	for i := range list {
		most[i] = list[i].e
	}
	return most
}
