// Package cgroup reads control groups: what they may use, what they use and
// how often they hit a limit. Version 2 and version 1 hierarchies and hosts
// that have both are read alike; version 1 controllers that know a group by
// the same path are merged into one row.
package cgroup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"sync/atomic"
	"syscall"
	"time"

	"rtrail/internal/probe"
	"rtrail/internal/recording"
)

const (
	// maxGroups bounds one sample; the deepest groups are left out first.
	maxGroups = 2000
	// seldom is how often all groups are read in full. In between, groups that
	// used no CPU since have no row: nothing in them can have changed but by the
	// hand of somebody outside.
	seldom = 5 * time.Second
	// rarely is how often counters are read that hardly any group ever moves.
	rarely = time.Minute
	// unlimited is what stands for "no limit" in a row.
	unlimited = math.MaxInt64
)

// Probe reads all control groups it can see.
type Probe struct {
	root     string
	closing  atomic.Bool
	lastFull time.Time
	lastRare time.Time
	rare     bool     // this sample reads counters that hardly ever move
	huge     []string // sizes of huge pages, as files of control groups name them
	mounted  []*hierarchy
	groups   []*group
	changed  bool                       // groups came or went since the list was made
	cut      int                        // groups that are not in the list
	lost     int                        // groups that are not even in the trees
	usage    map[groupKey]time.Duration // CPU time of the groups when they last had a row
	limits   map[groupKey]limits        // as read by the last full sample
	files    *files
	buf      []byte
	denied   int
}

var (
	_ probe.Probe     = (*Probe)(nil)
	_ probe.Bracketed = (*Probe)(nil)
)

// New makes the probe "cgroup" for the running system.
func New() *Probe { return newAt("/") }

// newAt reads a tree that was recorded below root.
func newAt(root string) *Probe {
	return &Probe{root: root, usage: map[groupKey]time.Duration{}, limits: map[groupKey]limits{}, files: newFiles()}
}

// Name is "cgroup".
func (p *Probe) Name() string { return "cgroup" }

// Brief says that samples wait for nobody.
func (p *Probe) Brief() {}

// Help says what the probe reads.
func (p *Probe) Help() string {
	return "limits, use and limit events of control groups v1 and v2, from the mounted hierarchies"
}

// Fills lists the tables.
func (p *Probe) Fills() []recording.Table {
	return []recording.Table{recording.Cgroups, recording.Unseen}
}

// Start asks for a mounted hierarchy.
func (p *Probe) Start() error {
	list, err := p.hierarchies()
	if err != nil {
		return &probe.MissingError{What: "the list of mounts", How: "mount -t proc proc /proc", Err: err}
	}
	if len(list) == 0 {
		return &probe.MissingError{What: "a mounted cgroup hierarchy", How: "mount -t cgroup2 none /sys/fs/cgroup"}
	}
	return nil
}

// Closing makes the next sample a full one.
func (p *Probe) Closing() { p.closing.Store(true) }

// Close gives descriptors back.
func (p *Probe) Close() error {
	p.files.close()
	return nil
}

// Sample reads all groups, or in between those that used CPU.
func (p *Probe) Sample(ctx context.Context, w *recording.Writer) error {
	edge := p.closing.Swap(false) || p.lastFull.IsZero()
	full := edge || w.Started.Sub(p.lastFull) >= seldom
	if p.rare = edge || w.Started.Sub(p.lastRare) >= rarely; p.rare {
		p.lastRare = w.Started
		p.huge = p.hugeSizes()
	}
	if err := p.find(ctx, full); err != nil {
		return err
	}
	w.Lost(p.cut + p.lost)
	p.files.begin(full)
	if full {
		p.lastFull = w.Started
		clear(p.limits)
	}
	p.denied = 0
	for i, g := range p.groups {
		if i%64 == 63 && ctx.Err() != nil {
			return fmt.Errorf("stop after %d of %d groups: %w", i, len(p.groups), ctx.Err())
		}
		if row, ok := p.row(g, full); ok {
			recording.Append(w, row)
		}
	}
	if p.denied > 0 {
		w.Unseen(p.Name(), "files of control groups", p.denied, "permission denied", "run as root")
	}
	return nil
}

// row reads one group. It is false when there is nothing to tell.
func (p *Probe) row(g *group, full bool) (recording.CgroupSample, bool) {
	row := unknownRow()
	row.At, row.Path, row.Version = time.Now(), g.path, g.version
	r := reading{probe: p, row: &row}
	r.cpuTime(g)
	key := g.key()
	if last, have := p.usage[key]; !full && have && row.CPUTime != recording.Unknown && row.CPUTime == last {
		return row, false
	}
	l, have := p.limits[key]
	if !have {
		l = r.limits(g)
		p.limits[key] = l
	}
	l.fill(&row)
	// The kernel walks all processes of a group to list them; that is too dear
	// for every sample.
	_, told := p.usage[key]
	// The root group lists all processes of the machine, which the kernel sorts
	// for every reader: with a thousand of them that is most of a sample's cost.
	r.count = (full || !told) && g.path != "/"
	r.use(g)
	r.failures(g, p.rare || !told)
	if r.gone {
		return row, false
	}
	if r.count && row.Processes <= 0 && !g.inner && idle(&row) {
		return row, false
	}
	if len(p.usage) > 4*maxGroups { // groups come and go
		clear(p.usage)
	}
	p.usage[key] = row.CPUTime
	return row, true
}

// idle says that an empty group has neither limits nor anything that happened.
func idle(row *recording.CgroupSample) bool {
	for _, limit := range []int64{int64(row.Quota), row.MemoryMax, row.MemoryHigh, row.PidsMax} {
		if limit != recording.Unknown && limit < unlimited {
			return false
		}
	}
	for _, events := range []int64{row.Throttled, row.EventsHigh, row.EventsMax, row.OOMKills, row.PidsEvents, row.MemswFailures, row.HugeFailures} {
		if events > 0 {
			return false
		}
	}
	return row.IOLimits == ""
}

func unknownRow() recording.CgroupSample {
	const u = recording.Unknown
	return recording.CgroupSample{
		Processes: u, CPUTime: u, Quota: u, Period: u, Periods: u, Throttled: u, ThrottledTime: u,
		Memory: u, MemoryMax: u, MemoryHigh: u, SwapUsed: u, SwapMax: u, Anon: u, File: u, Shmem: u, InactiveFile: u, ActiveFile: u, Reclaimable: u,
		EventsHigh: u, EventsMax: u, EventsOOM: u, OOMKills: u, MajorFaults: u, RefaultFile: u,
		CPUStall: u, MemoryStall: u, ReadBytes: u, WriteBytes: u, Reads: u, Writes: u,
		Pids: u, PidsMax: u, PidsEvents: u,
		MemswFailures: u, KmemFailures: u, SocketFailures: u, HugeFailures: u,
	}
}

// reading fills one row.
type reading struct {
	probe *Probe
	row   *recording.CgroupSample
	gone  bool // the group was removed meanwhile
	count bool // count the group's processes
}

// file returns the content of a file of the group's directory in the hierarchy
// of a controller; nil when the group or the kernel does not have it.
func (r *reading) file(dir, name string) []byte {
	if dir == "" {
		return nil
	}
	return r.content(r.probe.files.read(dir, name))
}

// once is file for what is not read in every sample.
func (r *reading) once(dir, name string) []byte {
	if dir == "" {
		return nil
	}
	return r.content(r.probe.files.once(dir, name))
}

func (r *reading) content(b []byte, err error) []byte {
	switch {
	case err == nil:
		return b
	case errors.Is(err, syscall.ENODEV):
		r.gone = true
	case errors.Is(err, fs.ErrPermission):
		r.probe.denied++
	}
	return nil
}

// number reads a file that holds one number or "max".
func (r *reading) number(dir, name string) int64 { return parseNumber(r.file(dir, name)) }
