package imported

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/unit"
)

// sample is a line of the text format of Prometheus: name, labels and value.
var sampleLine = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? ([0-9.eE+-]+)(?: [0-9]+)?$`)

// label is one of the labels of a sample. Values of node_exporter that are read hold no quotes.
var label = regexp.MustCompile(`([a-zA-Z_][a-zA-Z0-9_]*)="([^"\\]*)"`)

// nodeLine is a sample of node_exporter.
var nodeLine = regexp.MustCompile(`(?m)^node_[a-zA-Z0-9_]+(?:\{[^}]*\})? [0-9.eE+-]+(?: [0-9]+)?$`)

// isScrape says that a text is what node_exporter answers.
func isScrape(head []byte) bool {
	return nodeLine.Match(head) || bytes.HasPrefix(head, []byte("# HELP ")) && bytes.Contains(head, []byte("\n# TYPE "))
}

// parseScrape reads answers of node_exporter, one after the other: the host as it was at
// node_time_seconds. An answer ends where its first sample comes again.
func parseScrape(file, text string, _ time.Time) (*told, error) {
	t := &told{tool: "node_exporter", file: file, dated: true, things: besides}
	s, first, instance, untimed := newScrape(), "", "", 0
	end := func() {
		if sane(s.at) && len(t.trees) < maxTrees {
			t.trees = append(t.trees, &tree{at: s.at, scrape: s})
		} else {
			untimed++
			t.things -= s.size() + besides
		}
		s, first = newScrape(), ""
		t.things += besides
	}
	lines := lineReader{text: text}
	for {
		line, ok := lines.next()
		if !ok {
			break
		}
		if line == "" || line[0] == '#' {
			continue
		}
		m := sampleLine.FindStringSubmatch(line)
		if m == nil {
			if !strings.HasPrefix(line, "node_") || strings.HasSuffix(line, " NaN") || strings.HasSuffix(line, "Inf") {
				continue // nothing is known, or of another exporter
			}
			lines.damaged(line)
			continue
		}
		value, err := strconv.ParseFloat(m[3], 64)
		if err != nil || value < 0 || value > maxNumber {
			continue
		}
		lines.rows++
		if key := m[1] + "{" + m[2]; first == "" {
			first = strings.Clone(key)
		} else if key == first {
			end()
			first = strings.Clone(key)
		}
		labels := map[string]string{}
		for _, l := range label.FindAllStringSubmatch(m[2], -1) {
			labels[l[1]] = l[2]
		}
		host := ""
		if m[1] == "node_uname_info" {
			host = clip(labels["nodename"])
		}
		switch i := labels["instance"]; {
		case i != "" && instance != "" && i != instance:
			return nil, fmt.Errorf("reading %s: line %d: it is of %.80q, others are of %.80q; judge one host at a time", file, lines.n, i, instance)
		case i != "":
			instance = i // which tells hosts apart: the name may be that of a container that was started again
		case host != "" && t.host.Name != "" && host != t.host.Name:
			return nil, fmt.Errorf("reading %s: line %d: it is of host %.80q, others are of %.80q; judge one host at a time", file, lines.n, host, t.host.Name)
		}
		if _, err := s.keep(t, m[1], labels, value); err != nil {
			return nil, fmt.Errorf("reading %s: %w", file, err)
		}
	}
	if err := lines.check(t); err != nil {
		return nil, err
	}
	end()
	if len(t.trees) == 0 {
		return nil, fmt.Errorf("reading %s: there is no node_time_seconds in it, which says when it was answered", file)
	}
	if untimed > 0 {
		t.note("%s: %s without a time, or of more than %d, left out", file, unit.Plural(int64(untimed), "answer", "answers"), maxTrees)
	}
	return t, nil
}

const (
	// maxThings bounds the CPUs, disks, interfaces, filesystems and counters of an answer.
	maxThings = 20_000
	// maxAllThings bounds those of all answers that are read together: a day of a host with 100
	// CPUs, once a minute, has 720,000.
	maxAllThings = 1_000_000
	// besides is what else an answer takes, in things.
	besides = 20
)

// scrape is one answer.
type scrape struct {
	at       time.Time
	cpus     map[string]*recording.CPUSample
	disks    map[string]*recording.DiskSample
	pressure map[string]*recording.PressureSample
	system   recording.SystemSample
	memory   recording.MemorySample
	vmstat   recording.VMStatSample

	interfaces map[string]*recording.NetDeviceSample
	mounts     map[string]*recording.MountSample // by mount point
	softnet    map[string]*recording.SoftnetSample
	counters   map[[2]string]int64 // of protocols, by protocol and name
	conntrack  recording.ConntrackSample

	only map[recording.Table]map[string]bool // columns that it tells
}

func newScrape() *scrape {
	return &scrape{cpus: map[string]*recording.CPUSample{}, disks: map[string]*recording.DiskSample{}, pressure: map[string]*recording.PressureSample{},
		interfaces: map[string]*recording.NetDeviceSample{}, mounts: map[string]*recording.MountSample{}, softnet: map[string]*recording.SoftnetSample{}, counters: map[[2]string]int64{},
		system: blankSystem(), memory: blankMemory(time.Time{}), only: map[recording.Table]map[string]bool{}}
}

// size is how many things it tells of.
func (s *scrape) size() int {
	return len(s.cpus) + len(s.disks) + len(s.interfaces) + len(s.mounts) + len(s.softnet) + len(s.counters)
}

// keep takes a sample; an error says that there are more things than any host has.
func (s *scrape) keep(t *told, name string, of map[string]string, v float64) (known bool, err error) {
	had := s.size()
	known = s.take(t, name, of, v)
	t.things += s.size() - had
	switch {
	case s.size() > maxThings:
		return known, fmt.Errorf("it tells of more than %d CPUs, disks, interfaces and filesystems", maxThings)
	case t.things > maxAllThings:
		return known, errThings
	}
	return known, nil
}

// boundedThings says that answers are not of more things together than is read.
func boundedThings(all []*told) error {
	things := 0
	for _, t := range all {
		things += t.things
	}
	if things > maxAllThings {
		return errThings
	}
	return nil
}

var errThings = fmt.Errorf("all answers together tell of more than %d CPUs, disks, interfaces, filesystems and counters; give fewer answers, or ask for less time or a longer step", maxAllThings)

// knows notes that a column is told.
func (s *scrape) knows(t recording.Table, column string) {
	if s.only[t] == nil {
		s.only[t] = map[string]bool{}
	}
	s.only[t][column] = true
}

// seconds makes a duration of a counter.
func seconds(v float64) time.Duration { return time.Duration(min(v, 9e9) * float64(time.Second)) }

// take keeps a sample; false: no table has it.
func (s *scrape) take(t *told, name string, of map[string]string, v float64) (known bool) {
	count := func(table recording.Table, column string, to *uint64) {
		s.knows(table, column)
		*to = uint64(v)
	}
	gauge := func(table recording.Table, column string, to *int64) {
		s.knows(table, column)
		*to = int64(v)
	}
	load := func(column string, to *float64) {
		s.knows(recording.System, column)
		*to = v
	}
	switch name {
	case "node_time_seconds":
		s.at = time.Unix(0, int64(min(v, 9e9)*1e9))
	case "node_uname_info":
		t.host.Name, t.host.Kernel, t.host.Arch = clip(of["nodename"]), clip(of["release"]), clip(of["machine"])
	case "node_cpu_seconds_total":
		s.cpu(of["cpu"], of["mode"], v)
	case "node_context_switches_total":
		count(recording.System, "context_switches", &s.system.ContextSwitches)
	case "node_intr_total":
		count(recording.System, "interrupts", &s.system.Interrupts)
	case "node_forks_total":
		count(recording.System, "forks", &s.system.Forks)
	case "node_procs_running":
		gauge(recording.System, "running", &s.system.Running)
	case "node_procs_blocked":
		gauge(recording.System, "blocked", &s.system.Blocked)
	case "node_load1":
		load("load1", &s.system.Load1)
	case "node_load5":
		load("load5", &s.system.Load5)
	case "node_load15":
		load("load15", &s.system.Load15)
	case "node_vmstat_pswpin":
		count(recording.VMStat, "pswpin", &s.vmstat.SwapIn)
	case "node_vmstat_pswpout":
		count(recording.VMStat, "pswpout", &s.vmstat.SwapOut)
	case "node_vmstat_pgpgin":
		count(recording.VMStat, "pgpgin", &s.vmstat.PageIn)
	case "node_vmstat_pgpgout":
		count(recording.VMStat, "pgpgout", &s.vmstat.PageOut)
	case "node_vmstat_pgfault":
		count(recording.VMStat, "pgfault", &s.vmstat.Faults)
	case "node_vmstat_pgmajfault":
		count(recording.VMStat, "pgmajfault", &s.vmstat.MajorFaults)
	case "node_vmstat_oom_kill":
		count(recording.VMStat, "oom_kill", &s.vmstat.OOMKills)
	default:
		return s.things(name, of, v)
	}
	return true
}

// things keeps a sample of a collector whose names begin alike.
func (s *scrape) things(name string, of map[string]string, v float64) (known bool) {
	family, measured, _ := strings.Cut(strings.TrimPrefix(name, "node_"), "_")
	device := clip(of["device"])
	switch {
	case family == "memory":
		return keep(s, recording.Memory, memoryGauges, measured, &s.memory, v)
	case family == "pressure":
		return s.stall(measured, v)
	case family == "disk" && device != "":
		return s.disk(device, measured, v)
	case family == "network" && device != "":
		return s.network(device, measured, v)
	case family == "filesystem":
		return s.filesystem(of, measured, v)
	case family == "softnet":
		return s.backlog(of["cpu"], measured, v)
	case family == "netstat", family == "sockstat":
		return s.counter(family, measured, v)
	case family == "nf":
		return s.tracking(measured, v)
	}
	return false
}

// clip bounds a name, and keeps nothing of the text that it is in.
func clip(s string) string {
	return strings.Clone(strings.ToValidUTF8(s[:min(len(s), maxKey)], ""))
}

func (s *scrape) cpu(name, mode string, v float64) {
	n, err := strconv.ParseInt(name, 10, 32)
	if err != nil || n < 0 {
		return
	}
	c := s.cpus[name]
	if c == nil {
		c = &recording.CPUSample{CPU: int32(n)}
		s.cpus[name] = c
	}
	if to := map[string]*time.Duration{"user": &c.User, "nice": &c.Nice, "system": &c.System, "idle": &c.Idle, "iowait": &c.IOWait, "irq": &c.IRQ,
		"softirq": &c.SoftIRQ, "steal": &c.Steal}[mode]; to != nil {
		s.knows(recording.CPUs, mode+"_ns")
		*to = seconds(v)
	}
}

func (s *scrape) disk(device, measured string, v float64) (known bool) {
	d := s.disks[device]
	if d == nil {
		blank := blankDisk(device)
		d = &blank
		s.disks[device] = d
	}
	const table = recording.Disks
	count := func(column string, to *uint64) {
		s.knows(table, column)
		*to = uint64(v)
	}
	spent := func(column string, to *time.Duration) {
		s.knows(table, column)
		*to = seconds(v)
	}
	switch measured {
	case "reads_completed_total":
		count("reads", &d.Reads)
	case "writes_completed_total":
		count("writes", &d.Writes)
	case "read_bytes_total":
		count("read_bytes", &d.ReadBytes)
	case "written_bytes_total":
		count("written_bytes", &d.WrittenBytes)
	case "read_time_seconds_total":
		spent("read_time_ns", &d.ReadTime)
	case "write_time_seconds_total":
		spent("write_time_ns", &d.WriteTime)
	case "io_now":
		s.knows(table, "in_flight")
		d.InFlight = int64(v)
	case "io_time_seconds_total":
		spent("busy_ns", &d.Busy)
	case "io_time_weighted_seconds_total":
		spent("weighted_queue_ns", &d.WeightedQueue)
	default:
		return false
	}
	return true
}

func (s *scrape) stall(name string, v float64) (known bool) {
	resource, how, _ := strings.Cut(name, "_")
	if resource != "cpu" && resource != "memory" && resource != "io" {
		return false
	}
	p := s.pressure[resource]
	if p == nil {
		p = &recording.PressureSample{Resource: resource}
		s.pressure[resource] = p
	}
	switch how {
	case "waiting_seconds_total":
		s.knows(recording.Pressure, "some_ns")
		p.Some = seconds(v)
	case "stalled_seconds_total":
		s.knows(recording.Pressure, "full_ns")
		p.Full = seconds(v)
	default:
		return false
	}
	return true
}

// wrapsAt is where sums over CPUs begin again, as counters do, in ns: 146 years of CPU time, which
// many CPUs have after months. What a sum grew between two answers stays right.
const wrapsAt = 1 << 62

// cpuSum is the time of all CPUs in answers one after the other. What a CPU counted until it came
// on line is not in it, what one counted that went off line stays, and a fall adds nothing.
type cpuSum struct {
	all  recording.CPUSample
	last map[string]recording.CPUSample // as each CPU was told last
}

// add takes the CPUs of one more answer.
func (c *cpuSum) add(cpus map[string]*recording.CPUSample) {
	first := c.last == nil
	if first {
		c.last = map[string]recording.CPUSample{}
	}
	for name, now := range cpus {
		was, known := c.last[name]
		if !known && !first {
			was = *now
		}
		to, of, before := cpuTimes(&c.all), cpuTimes(now), cpuTimes(&was)
		for i := range to {
			*to[i] = time.Duration((uint64(*to[i]) + uint64(max(0, *of[i]-*before[i]))) % wrapsAt)
		}
		c.last[name] = *now
	}
}

// cpuTimes are the counters of a row.
func cpuTimes(c *recording.CPUSample) [8]*time.Duration {
	return [8]*time.Duration{&c.User, &c.Nice, &c.System, &c.Idle, &c.IOWait, &c.IRQ, &c.SoftIRQ, &c.Steal}
}

// write makes rows of an answer, and adds its CPUs to the sum of those before.
func (s *scrape) write(w *recording.Writer, sum *cpuSum) {
	for _, c := range s.cpus {
		c.At = s.at
		recording.Append(w, *c)
	}
	if len(s.cpus) > 0 {
		sum.add(s.cpus)
		sum.all.At, sum.all.CPU = s.at, -1
		recording.Append(w, sum.all)
	}
	for _, d := range s.disks {
		d.At = s.at
		recording.Append(w, *d)
	}
	for _, p := range s.pressure {
		p.At = s.at
		recording.Append(w, *p)
	}
	s.writeNetwork(w)
	for _, m := range s.mounts {
		m.At = s.at
		recording.Append(w, *m)
	}
	s.system.At, s.memory.At, s.vmstat.At = s.at, s.at, s.at
	if len(s.only[recording.System]) > 0 {
		recording.Append(w, s.system)
	}
	if len(s.only[recording.Memory]) > 0 {
		recording.Append(w, s.memory)
	}
	if len(s.only[recording.VMStat]) > 0 {
		recording.Append(w, s.vmstat)
	}
}
