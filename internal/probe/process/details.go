package process

import (
	"bytes"
	"math"
	"os"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe/census"
	"rtrail/internal/probe/kernel"
	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
	"rtrail/internal/redact"
)

// details is what is kept of one process between samples: things that hardly
// change, and sums over its threads.
type details struct {
	key     census.Key
	changed int64 // census.Entry.Changed of the last row
	until   int64 // before which sample want holds while nothing changes; 0: decide again
	full    int64 // last sample it got a full row in; 0: never
	want    float64
	active  bool    // was active once since the probe began
	groups  *groups // where in is from; nil: from its file

	last *recording.ProcessSample // given to the recording

	comm    string // under which cmdline was read
	cmdline string
	uid     int64
	in      Groups
	netns   uint64
	limits  recording.LimitSample
	row     recording.ProcessSample // the last full one
	total   kernel.Counters         // of the process at that time
	threads *threadSums
}

// large is how many bytes resident make a process one that may be the leak, or
// the kernel's choice when memory runs out.
const large = 64 << 20

// fill turns a light row into a full one. The process may vanish at any point:
// what was read until then stays.
func (p *Probe) fill(row *recording.ProcessSample, e *census.Entry, d *details, missed *unseen, edge bool) {
	b, err := p.dir.Read(census.Name(e.PID, "status"))
	if err != nil {
		return
	}
	voluntary, involuntary := row.Voluntary, row.Involuntary
	parseStatus(row, b)
	if e.Counted { // status has them of the main thread only
		row.Voluntary, row.Involuntary = voluntary, involuntary
	}
	row.Full = true
	p.identity(e, d, missed)
	row.Cmdline, row.NetNS = d.cmdline, d.netns
	d.in.tell(row)
	d.uid = row.UID
	if e.State != 'Z' && e.State != 'X' {
		if !e.Counted {
			p.io(row, e, missed)
			p.threadTimes(row, e, d)
		}
		p.waitChannel(row, e, missed)
		p.files(e, d, missed, edge)
		p.delays.read(row, e.Threads)
	}
	d.full, d.row, d.total, d.until = p.samples, *row, e.Total, 0
}

// identity reads what a process hardly ever changes.
func (p *Probe) identity(e *census.Entry, d *details, missed *unseen) {
	young := d.full == 0 || e.At.Sub(e.Started) < census.Settled
	if d.comm == e.Comm && !young {
		return
	}
	d.comm = e.Comm
	if e.Kernel {
		return
	}
	if b, err := p.dir.Read(census.Name(e.PID, "cmdline")); err == nil {
		if line := redact.CommandLine(b); line != "" {
			d.cmdline = line
		}
	}
	p.cgroups(e, d)
	if n := p.census.NetNS(e); n != 0 {
		d.netns = n
		return
	}
	b, err := p.dir.Link(census.Name(e.PID, "ns/net"))
	if err == nil {
		d.netns, _ = census.NamespaceInode(b)
		p.census.TellNetNS(e, d.netns)
	} else if census.Denied(err) {
		missed.namespaces++
	}
}

// groups are the control groups that processes have in common.
type groups struct {
	Groups
	set   uint64 // census.Entry.CgroupSet
	round int64  // last sample a process was in them
}

// tell writes them into a row.
func (g *Groups) tell(row *recording.ProcessSample) {
	row.Cgroup, row.MemCgroup, row.IOCgroup = g.CPU, g.Memory, g.IO
}

// told takes what the census knows of a process without reading a file.
func (p *Probe) told(e *census.Entry, d *details) {
	if !e.Counted || e.Kernel {
		return
	}
	if e.UID >= 0 {
		d.uid = e.UID
	}
	if e.NetNS != 0 {
		d.netns = e.NetNS
	}
	g := d.groups
	if g == nil || g.set != e.CgroupSet {
		g = p.groups[e.CgroupSet]
	}
	if d.groups = g; g != nil {
		d.in, g.round = g.Groups, p.samples
	}
}

// cgroups reads the control groups of a process, unless another one told them.
func (p *Probe) cgroups(e *census.Entry, d *details) {
	if d.groups = p.groups[e.CgroupSet]; d.groups != nil {
		d.in = d.groups.Groups
		return
	}
	b, err := p.dir.Read(census.Name(e.PID, "cgroup"))
	if err != nil {
		return
	}
	d.in = Cgroups(b)
	// Who has just begun may have been moved since the census looked.
	if e.CgroupSet != 0 && e.At.Sub(e.Started) > census.Settled {
		p.groups[e.CgroupSet] = &groups{d.in, e.CgroupSet, p.samples}
	}
}

// io reads /proc/PID/io, which sums over all threads, ended ones included.
func (p *Probe) io(row *recording.ProcessSample, e *census.Entry, missed *unseen) {
	if e.Kernel {
		return
	}
	b, err := p.dir.Read(census.Name(e.PID, "io"))
	if err != nil {
		if census.Denied(err) {
			missed.io++
		}
		return
	}
	parseIO(row, b)
}

// waitChannel reads what the main thread sleeps in. Of processes that did
// nothing yet that is of interest for waits that are no plain sleep.
func (p *Probe) waitChannel(row *recording.ProcessSample, e *census.Entry, missed *unseen) {
	if e.State == 'R' || e.State != 'D' && e.Active.IsZero() {
		return
	}
	b, err := p.dir.Read(census.Name(e.PID, "wchan"))
	if err != nil {
		if census.Denied(err) {
			missed.wchan++
		}
		return
	}
	row.WaitChannel = p.names.String(census.Function(b))
}

// files counts descriptors and reads the limits beside them.
func (p *Probe) files(e *census.Entry, d *details, missed *unseen, edge bool) {
	if e.Kernel {
		return
	}
	if edge || d.full == 0 || p.samples-d.full >= refreshEvery {
		var ok bool
		if d.limits, ok = p.limits(e.PID); !ok {
			return
		}
	}
	l := &d.limits
	l.At, l.PID, l.Files = e.At, e.PID, recording.Unknown
	n, err := p.dir.Count(census.Name(e.PID, "fd"))
	switch {
	case err == nil:
		l.Files = n
	case census.Denied(err):
		missed.files++
	default:
		return
	}
	p.scratch.limits = append(p.scratch.limits, *l)
}

// limits reads the limits of a process. prlimit(2) costs a fifth of the file,
// but the kernel answers it for processes of other users only with
// CAP_SYS_RESOURCE.
func (p *Probe) limits(pid int32) (recording.LimitSample, bool) {
	if p.dir.Live() {
		var l recording.LimitSample
		var r unix.Rlimit
		ok := true
		for _, known := range [...]struct {
			resource   int
			soft, hard *int64
		}{
			{unix.RLIMIT_NOFILE, &l.FilesSoft, &l.FilesHard},
			{unix.RLIMIT_NPROC, &l.ProcsSoft, nil},
		} {
			if ok = unix.Prlimit(int(pid), known.resource, nil, &r) == nil; !ok {
				break
			}
			// Unlimited is the largest number there is, as in the file's rows.
			*known.soft = int64(min(r.Cur, math.MaxInt64))
			if known.hard != nil {
				*known.hard = int64(min(r.Max, math.MaxInt64))
			}
		}
		if ok {
			return l, true
		}
	}
	b, err := p.dir.Read(census.Name(pid, "limits"))
	if err != nil {
		return recording.LimitSample{}, false
	}
	return ParseLimits(b), true
}

func pageSize() int64 { return int64(os.Getpagesize()) }

// ParseLimits parses /proc/PID/limits.
func ParseLimits(b []byte) recording.LimitSample {
	const unknown = recording.Unknown
	l := recording.LimitSample{
		Files: unknown, FilesSoft: unknown, FilesHard: unknown, ProcsSoft: unknown,
	}
	for line := range procfile.Lines(b) {
		for _, known := range [...]struct {
			name       string
			soft, hard *int64
		}{
			{"Max open files ", &l.FilesSoft, &l.FilesHard},
			{"Max processes ", &l.ProcsSoft, nil},
		} {
			rest, ok := bytes.CutPrefix(line, []byte(known.name))
			if !ok {
				continue
			}
			soft, rest := procfile.Field(rest)
			hard, _ := procfile.Field(rest)
			*known.soft = limit(soft)
			if known.hard != nil {
				*known.hard = limit(hard)
			}
		}
	}
	return l
}

func limit(b []byte) int64 {
	if string(b) == "unlimited" {
		return math.MaxInt64
	}
	n, ok := procfile.Uint(b)
	if !ok {
		return recording.Unknown
	}
	return int64(min(n, math.MaxInt64))
}
