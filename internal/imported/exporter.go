package imported

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/recording"
)

// sample is a line of the text format of Prometheus: name, labels and value.
var sampleLine = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? ([0-9.eE+-]+)(?: [0-9]+)?$`)

// label is one of the labels of a sample. Values of node_exporter that are read hold no quotes.
var label = regexp.MustCompile(`([a-zA-Z_][a-zA-Z0-9_]*)="([^"\\]*)"`)

// nodeLine is a sample of node_exporter.
var nodeLine = regexp.MustCompile(`(?m)^node_[a-zA-Z0-9_]+(?:\{[^}]*\})? [0-9.eE+-]+$`)

// isScrape says that a text is what node_exporter answers.
func isScrape(head []byte) bool {
	return nodeLine.Match(head) || bytes.HasPrefix(head, []byte("# HELP ")) && bytes.Contains(head, []byte("\n# TYPE "))
}

// parseScrape reads one answer of node_exporter: the host as it was at node_time_seconds.
func parseScrape(file, text string, _ time.Time) (*told, error) {
	t := &told{tool: "node_exporter", file: file, dated: true}
	s := scrape{cpus: map[string]*recording.CPUSample{}, disks: map[string]*recording.DiskSample{}, pressure: map[string]*recording.PressureSample{}}
	s.system, s.memory = blankSystem(), blankMemory(time.Time{})
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
			if !strings.HasPrefix(line, "node_") {
				continue // NaN, or of another exporter
			}
			lines.damaged(line)
			continue
		}
		value, err := strconv.ParseFloat(m[3], 64)
		if err != nil || value < 0 || value > maxNumber {
			continue
		}
		lines.rows++
		s.take(t, m[1], m[2], value)
		if len(s.cpus)+len(s.disks) > maxThings {
			return nil, fmt.Errorf("reading %s: it tells of more than %d CPUs and disks", file, maxThings)
		}
	}
	if err := lines.check(t); err != nil {
		return nil, err
	}
	if !sane(s.at) {
		return nil, fmt.Errorf("reading %s: there is no node_time_seconds in it, which says when it was answered", file)
	}
	t.trees = []*tree{{at: s.at, scrape: &s}}
	return t, nil
}

// maxThings bounds the CPUs and disks of an answer.
const maxThings = 20_000

// scrape is one answer.
type scrape struct {
	at       time.Time
	cpus     map[string]*recording.CPUSample
	disks    map[string]*recording.DiskSample
	pressure map[string]*recording.PressureSample
	system   recording.SystemSample
	memory   recording.MemorySample
	vmstat   recording.VMStatSample
}

// seconds makes a duration of a counter.
func seconds(v float64) time.Duration { return time.Duration(min(v, 9e9) * float64(time.Second)) }

// take keeps a sample, if a table has it.
func (s *scrape) take(t *told, name, labels string, v float64) {
	of := map[string]string{}
	for _, l := range label.FindAllStringSubmatch(labels, -1) {
		of[l[1]] = strings.Clone(l[2])
	}
	switch name {
	case "node_time_seconds":
		s.at = time.Unix(0, int64(min(v, 9e9)*1e9))
	case "node_uname_info":
		t.host.Name, t.host.Kernel, t.host.Arch = clip(of["nodename"]), clip(of["release"]), clip(of["machine"])
	case "node_cpu_seconds_total":
		s.cpu(of["cpu"], of["mode"], v)
	case "node_context_switches_total":
		s.system.ContextSwitches = uint64(v)
	case "node_intr_total":
		s.system.Interrupts = uint64(v)
	case "node_forks_total":
		s.system.Forks = uint64(v)
	case "node_procs_running":
		s.system.Running = int64(v)
	case "node_procs_blocked":
		s.system.Blocked = int64(v)
	case "node_load1":
		s.system.Load1 = v
	case "node_load5":
		s.system.Load5 = v
	case "node_load15":
		s.system.Load15 = v
	case "node_vmstat_pswpin":
		s.vmstat.SwapIn = uint64(v)
	case "node_vmstat_pswpout":
		s.vmstat.SwapOut = uint64(v)
	case "node_vmstat_pgpgin":
		s.vmstat.PageIn = uint64(v)
	case "node_vmstat_pgpgout":
		s.vmstat.PageOut = uint64(v)
	case "node_vmstat_pgfault":
		s.vmstat.Faults = uint64(v)
	case "node_vmstat_pgmajfault":
		s.vmstat.MajorFaults = uint64(v)
	case "node_vmstat_oom_kill":
		s.vmstat.OOMKills = uint64(v)
	case "node_memory_MemTotal_bytes":
		s.memory.Total = int64(v)
	case "node_memory_MemFree_bytes":
		s.memory.Free = int64(v)
	case "node_memory_MemAvailable_bytes":
		s.memory.Available = int64(v)
	case "node_memory_SwapTotal_bytes":
		s.memory.SwapTotal = int64(v)
	case "node_memory_SwapFree_bytes":
		s.memory.SwapFree = int64(v)
	}
	if measured, ok := strings.CutPrefix(name, "node_disk_"); ok && of["device"] != "" {
		s.disk(clip(of["device"]), measured, v)
	}
	if resource, ok := strings.CutPrefix(name, "node_pressure_"); ok {
		s.stall(resource, v)
	}
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
		*to = seconds(v)
	}
}

func (s *scrape) disk(device, measured string, v float64) {
	d := s.disks[device]
	if d == nil {
		blank := blankDisk(device)
		d = &blank
		s.disks[device] = d
	}
	switch measured {
	case "reads_completed_total":
		d.Reads = uint64(v)
	case "writes_completed_total":
		d.Writes = uint64(v)
	case "read_bytes_total":
		d.ReadBytes = uint64(v)
	case "written_bytes_total":
		d.WrittenBytes = uint64(v)
	case "read_time_seconds_total":
		d.ReadTime = seconds(v)
	case "write_time_seconds_total":
		d.WriteTime = seconds(v)
	case "io_now":
		d.InFlight = int64(v)
	case "io_time_seconds_total":
		d.Busy = seconds(v)
	case "io_time_weighted_seconds_total":
		d.WeightedQueue = seconds(v)
	}
}

func (s *scrape) stall(name string, v float64) {
	resource, how, _ := strings.Cut(name, "_")
	if resource != "cpu" && resource != "memory" && resource != "io" {
		return
	}
	p := s.pressure[resource]
	if p == nil {
		p = &recording.PressureSample{Resource: resource}
		s.pressure[resource] = p
	}
	switch how {
	case "waiting_seconds_total":
		p.Some = seconds(v)
	case "stalled_seconds_total":
		p.Full = seconds(v)
	}
}

// write makes rows of an answer.
func (s *scrape) write(w *recording.Writer) {
	for _, c := range s.cpus {
		c.At = s.at
		recording.Append(w, *c)
	}
	for _, d := range s.disks {
		d.At = s.at
		recording.Append(w, *d)
	}
	for _, p := range s.pressure {
		p.At = s.at
		recording.Append(w, *p)
	}
	s.system.At, s.memory.At, s.vmstat.At = s.at, s.at, s.at
	recording.Append(w, s.system)
	recording.Append(w, s.memory)
	if s.vmstat != (recording.VMStatSample{At: s.at}) {
		recording.Append(w, s.vmstat)
	}
}
