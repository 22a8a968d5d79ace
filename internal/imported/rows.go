package imported

import (
	"math"
	"slices"
	"strconv"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/view"
)

// rows are what one file gives the tables of a recording. Reports tell rates, tables hold
// counters: each counter grows by the rate of a report times its interval, from zero at the
// beginning of the first one.
type rows struct {
	told       *told
	cpus       []recording.CPUSample
	system     []recording.SystemSample
	pressure   []recording.PressureSample
	memory     []recording.MemorySample
	vmstat     []recording.VMStatSample
	disks      []recording.DiskSample
	net        []recording.NetDeviceSample
	processes  []recording.ProcessSample
	interrupts []recording.InterruptSample
	softirqs   []recording.SoftIRQSample
	softnet    []recording.SoftnetSample
	swaps      []recording.SwapSample
	zones      []recording.ZoneSample
	protocol   []recording.ProtocolSample
	conntrack  []recording.ConntrackSample
	mounts     []recording.MountSample
	sysctls    []recording.SysctlSample
	limits     []recording.LimitSample
	groups     []recording.CgroupSample
	only       map[recording.Table][]string // columns that are known

	left []string // tables of which another file tells more

	sums    map[string]counter
	procs   map[int32]*process
	seen    map[string]bool          // things that had a row
	telling map[recording.Table]bool // tables of which a report tells something
	first   time.Time
	last    time.Time
	holes   []recording.Hole
	missing time.Duration // all of them that counters stand still in

	totals     recording.SystemSample // counters as last told, without gauges
	paging     recording.VMStatSample
	interfaces map[string]int // the last row in net of each
	backlogs   map[string]int // and in softnet
}

// counter is as it was at the end of the last report that told it.
type counter struct {
	sum float64
	at  time.Time
}

// process is what is known of one process.
type process struct {
	row      recording.ProcessSample // gauges as last told
	sums     [numSums]float64
	reported time.Time // of the last row
	listed   int       // report that listed it last
	sized    bool      // its size was told
	large    bool      // and was more than nothing
	whole    bool      // its CPU time is told as a whole, not split
	told     cpuTold   // of one that is
}

// cpuTold is the CPU time of a process as a whole at a time.
type cpuTold struct {
	seconds float64
	at      time.Time
	missing time.Duration // of rows until then
}

const (
	sumUser = iota
	sumSystem
	sumDelay
	sumBlocked
	sumMinor
	sumMajor
	sumRead
	sumWritten
	sumCancelled
	sumVoluntary
	sumInvoluntary
	numSums
)

// usual is the time between two reports for those that do not tell it.
const usual = time.Second

// fill makes rows of all reports.
func fill(t *told) *rows {
	if t.whole != nil {
		return wholeRows(t)
	}
	r := &rows{told: t, only: map[recording.Table][]string{}, sums: map[string]counter{}, procs: map[int32]*process{}, seen: map[string]bool{}, telling: map[recording.Table]bool{}, totals: blankSystem(),
		interfaces: map[string]int{}, backlogs: map[string]int{}}
	between := spacing(t.reports)
	var before time.Time // when the report before ended
	for i := range t.reports {
		rep := &t.reports[i]
		began := rep.began
		if began.Before(before) {
			began = before
		}
		far := i > 0 && (rep.gap || rep.at.Sub(before) > longest(between))
		switch {
		case rep.base:
			began = rep.at
		case began.IsZero(), !began.Before(rep.at), far && (began.Equal(before) || rep.at.Sub(began) > longest(between)):
			// The host was off or suspended, or nobody recorded: only the last stretch is told.
			began = rep.at.Add(-between)
		}
		if far && began.After(before) {
			r.holes = append(r.holes, recording.Hole{From: before, To: began})
			r.missing += began.Sub(before)
		} else if far {
			began = before
		}
		if r.first.IsZero() {
			r.first = began
		}
		r.report(i, rep, began)
		before = rep.at
	}
	r.rest()
	r.partitions()
	return r
}

// longest is the longest time between two reports of which all is told, where they usually are so
// far apart: one or two are late or lost on a busy host.
func longest(between time.Duration) time.Duration { return 3*between + 2*time.Second }

// countedHoles are the stretches without a copy of counters, which went on in them.
func countedHoles(reports []report) (holes []recording.Hole) {
	between := spacing(reports)
	for i := 1; i < len(reports); i++ {
		if from, to := reports[i-1].at, reports[i].at; to.Sub(from) > longest(between) {
			holes = append(holes, recording.Hole{From: from, To: to, Counted: true})
		}
	}
	return holes
}

// spacing is the usual time between reports.
func spacing(reports []report) time.Duration {
	var list []time.Duration
	for i := range reports {
		if d := reports[i].at.Sub(reports[i].began); !reports[i].began.IsZero() && d > 0 {
			list = append(list, d)
		} else if i > 0 && reports[i].at.After(reports[i-1].at) {
			list = append(list, reports[i].at.Sub(reports[i-1].at))
		}
	}
	if len(list) == 0 {
		return usual
	}
	slices.Sort(list)
	return list[len(list)/2]
}

// step is one report that is made into rows.
type step struct {
	began, at time.Time
	seconds   float64
}

func (r *rows) report(n int, rep *report, began time.Time) {
	s := step{began, rep.at, rep.at.Sub(began).Seconds()}
	r.last = rep.at
	clear(r.telling)
	// Counters go on where a report leaves some out.
	system, memory, paging := r.totals, blankMemory(rep.at), r.paging
	system.At, paging.At = s.at, s.at
	for _, t := range rep.tables {
		for _, line := range t.rows {
			switch {
			case t.header.has("PID"):
				r.process(n, t.header, line, s)
			case t.header.has("%idle", "id") && !t.header.has("intr/s"):
				r.cpu(t.header, line, s)
			case t.header.has("Device", "DEV"):
				r.disk(t.header, line, s)
			case t.header.has("IFACE"):
				r.iface(t.header, line, s)
			case t.header.has("squeezd/s"):
				r.backlog(t.header, line, s)
			}
			if t.header.key < 0 || t.header.has("cs") {
				r.host(t.header, line, s, &system, &memory, &paging)
			}
		}
	}
	r.give(s, system, memory, paging)
	r.processRows(n, s)
}

// knows notes that columns of a table are known.
func (r *rows) knows(t recording.Table, columns ...string) {
	r.telling[t] = true
	for _, c := range columns {
		if !slices.Contains(r.only[t], c) {
			r.only[t] = append(r.only[t], c)
		}
	}
}

// grow adds to a counter what a rate comes to, and gives it before and after; unknown rates
// add nothing.
func (r *rows) grow(s step, thing, column string, rate float64) uint64 {
	k := thing + "\x00" + column
	c := r.sums[k]
	if c.at.Before(s.at) { // sar -A tells some things twice
		c.sum, c.at = min(c.sum+view.OrZero(rate)*s.seconds, maxNumber), s.at
		r.sums[k] = c
	}
	return uint64(c.sum)
}

func (r *rows) growTime(s step, thing, column string, share float64) time.Duration {
	return time.Duration(min(float64(r.grow(s, thing, column, share*float64(time.Second))), math.MaxInt64/2))
}

// new says that a thing had no row yet: then one is needed for when the report began.
func (r *rows) new(thing string) bool {
	was := r.seen[thing]
	r.seen[thing] = true
	return !was
}

// cpu takes a line about one CPU or all. Times that are not told are blank.
func (r *rows) cpu(h *header, line row, s step) {
	cpu, weight := int32(-1), float64(max(r.told.host.CPUs, 1))
	if line.key != "all" && line.key != "" {
		n, err := strconv.ParseInt(line.key, 10, 32)
		if err != nil || n < 0 {
			return
		}
		cpu, weight = int32(n), 1
	}
	sum := 0.0
	share := func(column string, names ...string) float64 {
		v := h.get(line, names...)
		if view.Known(v) {
			r.knows(recording.CPUs, column)
		}
		sum += view.OrZero(v)
		return view.OrZero(v) / 100
	}
	user := share("user_ns", "%usr", "%user", "us")
	guest := share("user_ns", "%guest", "gu")
	nice, guestNice := share("nice_ns", "%nice"), share("nice_ns", "%gnice")
	system, idle := share("system_ns", "%sys", "%system", "sy"), share("idle_ns", "%idle", "id")
	wait, irq := share("iowait_ns", "%iowait", "wa"), share("irq_ns", "%irq")
	soft, steal := share("softirq_ns", "%soft"), share("steal_ns", "%steal", "st")
	if sum < 90 || sum > 110 {
		return // a CPU that is off line, or nonsense
	}
	thing := "cpu" + strconv.Itoa(int(cpu))
	if r.new(thing) {
		r.cpus = append(r.cpus, recording.CPUSample{At: s.began, CPU: cpu})
	}
	grow := func(column string, share float64) time.Duration {
		return r.growTime(s, thing, column, share*weight)
	}
	r.cpus = append(r.cpus, recording.CPUSample{At: s.at, CPU: cpu, User: grow("user", user+guest), Nice: grow("nice", nice+guestNice), System: grow("system", system),
		Idle: grow("idle", idle), IOWait: grow("iowait", wait), IRQ: grow("irq", irq), SoftIRQ: grow("softirq", soft), Steal: grow("steal", steal)})
}

// bytesOf reads bytes in whatever unit they are.
func bytesOf(h *header, line row, kib, mib, sectors string) float64 {
	if v := h.get(line, kib); view.Known(v) {
		return v * 1024
	}
	if v := h.get(line, mib); view.Known(v) {
		return v * (1 << 20)
	}
	return h.get(line, sectors) * 512
}

// disk takes a line of iostat -x or sar -d. Without the time that requests take it says
// nothing worth a row.
func (r *rows) disk(h *header, line row, s step) {
	busy, queue := h.get(line, "%util")/100, h.get(line, "aqu-sz", "avgqu-sz")
	readAwait, writeAwait := h.get(line, "r_await", "await")/1000, h.get(line, "w_await", "await")/1000
	reads, writes := h.get(line, "r/s"), h.get(line, "w/s")
	read, written := bytesOf(h, line, "rkB/s", "rMB/s", "rsec/s"), bytesOf(h, line, "wkB/s", "wMB/s", "wsec/s")
	if !view.Known(read + written) { // sar before 11.6
		read, written = h.get(line, "rd_sec/s")*512, h.get(line, "wr_sec/s")*512
	}
	if h.has("tps") {
		// sar does not tell reads from writes: as their bytes are, so that sums are right.
		part := 0.5
		if all := read + written; all > 0 {
			part = read / all
		}
		reads, writes = h.get(line, "tps")*part, h.get(line, "tps")*(1-part)
	}
	if !view.Known(busy + queue + readAwait + writeAwait + reads + writes + read + written) {
		return
	}
	r.knows(recording.Disks, "reads", "writes", "read_bytes", "written_bytes", "read_time_ns", "write_time_ns", "busy_ns", "weighted_queue_ns")
	blank := blankDisk(line.key)
	blank.At = s.began
	thing := "disk" + line.key
	if r.new(thing) {
		r.disks = append(r.disks, blank)
	}
	blank.At = s.at
	blank.Reads, blank.Writes = r.grow(s, thing, "r", reads), r.grow(s, thing, "w", writes)
	blank.ReadBytes, blank.WrittenBytes = r.grow(s, thing, "rb", read), r.grow(s, thing, "wb", written)
	blank.ReadTime, blank.WriteTime = r.growTime(s, thing, "rt", reads*readAwait), r.growTime(s, thing, "wt", writes*writeAwait)
	blank.Busy, blank.WeightedQueue = r.growTime(s, thing, "busy", min(busy, 1)), r.growTime(s, thing, "queue", queue)
	if h.has("f/s") {
		r.knows(recording.Disks, "flushes", "flush_time_ns")
		blank.Flushes = r.grow(s, thing, "f", h.get(line, "f/s"))
		blank.FlushTime = r.growTime(s, thing, "ft", h.get(line, "f/s")*h.get(line, "f_await")/1000)
	}
	r.disks = append(r.disks, blank)
}

// blankDisk is a row of which nothing is known but what the name of the device tells.
func blankDisk(device string) recording.DiskSample {
	const none = recording.Unknown
	return recording.DiskSample{Device: device, Rotational: !flash(device), InFlight: none, Errors: none, Timeouts: none}
}

// flash says that a device cannot be a spinning disk. Of others that is not known: they get
// the time that one needs.
func flash(device string) bool {
	return len(device) > 4 && (device[:4] == "nvme" || device[:4] == "zram")
}
