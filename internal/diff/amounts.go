package diff

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// Quantity is something that is counted, or a level.
type Quantity struct {
	ID    string // "disk.written"
	Name  string // "bytes written by processes"
	Unit  string // "s", "bytes", "" for counts
	floor float64
	level bool   // no amount: not divided
	least string // what each part must have, if that is not two samples
}

// Quantities are all that are compared. floor is how much per second the larger side must
// have: less takes no time that anybody waits for.
var Quantities = []*Quantity{cpuTime, switches, faults, majorFaults, readBytes, writtenBytes, readCalls, writeCalls, forks, diskReads, diskWrites, diskRead, diskWritten,
	received, sent, packetsIn, packetsOut, dropped, errored, segmentsIn, segmentsOut,
	retransmits, accepted, opened, resets, roundTrip}

var (
	cpuTime      = &Quantity{ID: "cpu.time", Name: "CPU time", Unit: "s", floor: 0.02}
	switches     = &Quantity{ID: "sched.switches", Name: "context switches", floor: 100}
	faults       = &Quantity{ID: "mem.faults", Name: "minor page faults", floor: 100}
	majorFaults  = &Quantity{ID: "mem.major-faults", Name: "major page faults", floor: 5}
	readBytes    = &Quantity{ID: "proc.read", Name: "bytes read from storage", Unit: "bytes", floor: 256 << 10}
	writtenBytes = &Quantity{ID: "proc.written", Name: "bytes written to storage", Unit: "bytes", floor: 256 << 10}
	readCalls    = &Quantity{ID: "proc.read-calls", Name: "read calls", floor: 100}
	writeCalls   = &Quantity{ID: "proc.write-calls", Name: "write calls", floor: 100}
	forks        = &Quantity{ID: "sched.forks", Name: "new processes and threads", floor: 5}
	diskReads    = &Quantity{ID: "disk.reads", Name: "disk reads", floor: 5}
	diskWrites   = &Quantity{ID: "disk.writes", Name: "disk writes", floor: 5}
	diskRead     = &Quantity{ID: "disk.read", Name: "bytes read by the disk", Unit: "bytes", floor: 256 << 10}
	diskWritten  = &Quantity{ID: "disk.written", Name: "bytes written by the disk", Unit: "bytes", floor: 256 << 10}
	received     = &Quantity{ID: "net.received", Name: "bytes received by the interface", Unit: "bytes", floor: 256 << 10}
	sent         = &Quantity{ID: "net.sent", Name: "bytes sent by the interface", Unit: "bytes", floor: 256 << 10}
	packetsIn    = &Quantity{ID: "net.packets-in", Name: "packets received by the interface", floor: 100}
	packetsOut   = &Quantity{ID: "net.packets-out", Name: "packets sent by the interface", floor: 100}
	dropped      = &Quantity{ID: "net.dropped", Name: "packets dropped by the interface", floor: 1}
	errored      = &Quantity{ID: "net.errors", Name: "packets with errors", floor: 1}
	segmentsIn   = &Quantity{ID: "net.segments-in", Name: "TCP segments received", floor: 50}
	segmentsOut  = &Quantity{ID: "net.segments-out", Name: "TCP segments sent", floor: 50}
	retransmits  = &Quantity{ID: "net.retransmits", Name: "TCP segments sent again", floor: 1}
	accepted     = &Quantity{ID: "net.accepted", Name: "TCP connections accepted", floor: 1}
	opened       = &Quantity{ID: "net.opened", Name: "TCP connections opened", floor: 1}
	resets       = &Quantity{ID: "net.resets", Name: "TCP resets sent", floor: 1}
	roundTrip    = &Quantity{ID: "net.round-trip", Name: "round-trip time of TCP, median", Unit: "s", floor: 200e-6, level: true, least: "ten connections with data"}
)

// name is a quantity of somebody; "": of the host.
type name struct {
	quantity *Quantity
	who      string
	process  bool // whom it is of
}

// partSet are parts of a window, a bit each.
type partSet uint8

const allParts partSet = 1<<Parts - 1

// measured is a window and its parts.
type measured struct {
	whole   *view.View
	parts   [Parts]*view.View
	amounts map[name]*amount
	told    partSet           // of which anything is known
	listed  partSet           // of which processes are known
	names   map[string]*group // processes by their lasting name
}

// amount is how much there was in each part.
type amount struct {
	of   [Parts]float64
	told partSet
}

// complete says that an amount is known of all parts. A process that a part does not list did nothing
// in it.
func (m *measured) complete(k name) bool {
	a := m.amounts[k]
	return a != nil && (a.told == allParts || k.process && m.listed == allParts)
}

// minConnections is how many connections a median of round trips needs.
const minConnections = 10

func measure(s Side) *measured {
	m := &measured{whole: view.New(s.Recording, s.From, s.To), amounts: map[name]*amount{}}
	m.names = groups(m.whole)
	for i := range m.parts {
		at := func(i int) time.Time { return s.From.Add(s.To.Sub(s.From) * time.Duration(i) / Parts) }
		m.parts[i] = view.New(s.Recording, at(i), at(i+1))
		m.part(i, m.parts[i])
	}
	return m
}

// add adds to what somebody did in a part; "": the host.
func (m *measured) add(i int, q *Quantity, who string, n float64) { m.addTo(i, name{q, who, false}, n) }

func (m *measured) addTo(i int, k name, n float64) {
	if m.amounts[k] == nil {
		if len(m.amounts) >= maxNames {
			return
		}
		m.amounts[k] = &amount{}
	}
	m.amounts[k].of[i] += n
	m.amounts[k].told |= 1 << i
	m.told |= 1 << i
}

// maxNames bounds what a recording of strangers makes of names.
const maxNames = 200_000

// part adds what was done in a part.
func (m *measured) part(i int, v *view.View) {
	seconds := v.Seconds()
	if total, ok := v.CPUTotal(); ok {
		m.add(i, cpuTime, "", (1-total.Idle-total.IOWait)*seconds*float64(max(v.CPUCount(), 1)))
	}
	if s, ok := v.Scheduler(); ok {
		if tells(v, recording.System, "context_switches") {
			m.add(i, switches, "", s.ContextSwitches*seconds)
		}
		if tells(v, recording.System, "forks") {
			m.add(i, forks, "", s.Forks*seconds)
		}
	}
	if p, ok := v.Paging(); ok && tells(v, recording.VMStat, "pgfault") && tells(v, recording.VMStat, "pgmajfault") {
		m.add(i, faults, "", (p.Faults-p.MajorFaults)*seconds)
		m.add(i, majorFaults, "", p.MajorFaults*seconds)
	}
	for _, p := range v.Processes() {
		m.listed |= 1 << i
		if p.Own {
			continue
		}
		who := v.KeyOf(p.Entity()).Name
		m.addTo(i, name{cpuTime, who, true}, p.CPUSeconds)
		for q, perSecond := range map[*Quantity]float64{switches: p.Voluntary + p.Involuntary, faults: p.MinorFaults, majorFaults: p.MajorFaults, readBytes: p.ReadBytes,
			writtenBytes: p.WriteBytes, readCalls: p.ReadCalls, writeCalls: p.WriteCalls} {
			if view.Known(perSecond) {
				m.addTo(i, name{q, who, true}, perSecond*p.Seconds)
			}
		}
	}
	for _, d := range v.BlockDevices() {
		if !view.Known(d.Writes) || !tells(v, recording.Disks, "reads") || !tells(v, recording.Disks, "read_bytes") {
			continue
		}
		for _, who := range []string{d.Device, ""} {
			if who == "" && virtual(d.Device) {
				continue
			}
			m.add(i, diskReads, who, d.Reads*seconds)
			m.add(i, diskWrites, who, d.Writes*seconds)
			m.add(i, diskRead, who, d.ReadBytes*seconds)
			m.add(i, diskWritten, who, d.WrittenBytes*seconds)
		}
	}
	for _, d := range v.Interfaces() {
		if d.NetNS != v.Manifest().Host.NetNS || !view.Known(d.RxBytes) {
			continue
		}
		m.add(i, received, d.Interface, d.RxBytes*seconds)
		m.add(i, sent, d.Interface, d.TxBytes*seconds)
		m.add(i, packetsIn, d.Interface, d.RxPackets*seconds)
		m.add(i, packetsOut, d.Interface, d.TxPackets*seconds)
		if tells(v, recording.NetDevices, "rx_dropped") && tells(v, recording.NetDevices, "rx_errors") {
			m.add(i, dropped, d.Interface, d.Dropped)
			m.add(i, errored, d.Interface, d.Errors)
		}
	}
	c := v.CountersOf(v.Manifest().Host.NetNS)
	for q, counter := range map[*Quantity]string{segmentsIn: "TcpInSegs", segmentsOut: "TcpOutSegs", retransmits: "TcpRetransSegs", accepted: "TcpPassiveOpens", opened: "TcpActiveOpens", resets: "TcpOutRsts"} {
		if d := c.Delta(counter); view.Known(d) && c.Seconds > 0 {
			m.add(i, q, "", d*seconds/c.Seconds)
		}
	}
	if rtt, ok := medianRTT(v); ok {
		m.add(i, roundTrip, "", rtt)
	}
}

// tells says that a column is known: reports of other tools leave columns blank.
func tells(v *view.View, t recording.Table, column string) bool {
	return !slices.ContainsFunc(v.Manifest().Probes, func(p recording.ProbeInfo) bool {
		partly, tells := p.Partly(t)
		return partly && !tells(column)
	})
}

// virtual says whether a device does its I/O on other ones, or in memory: the sum of all
// disks would count it twice.
func virtual(device string) bool {
	return slices.ContainsFunc([]string{"dm-", "md", "loop", "ram", "zram", "nbd", "drbd"}, func(p string) bool { return strings.HasPrefix(device, p) })
}

// medianRTT is that of connections that carried data in the window, in seconds.
func medianRTT(v *view.View) (float64, bool) {
	var list []float64
	for _, c := range v.Connections() {
		if first := c.Samples[0].Of(); c.Info && c.RTT > 0 && c.DataSegsOut != first.DataSegsOut {
			list = append(list, c.RTT.Seconds())
		}
	}
	if len(list) < minConnections {
		return 0, false
	}
	slices.Sort(list)
	return list[len(list)/2], true
}

func (m *measured) seconds() (list []float64) {
	for _, v := range m.parts {
		list = append(list, v.Seconds())
	}
	return list
}

// requestKind is a way to count requests.
type requestKind struct {
	name, plural string
	count        func(v *view.View) (float64, bool)
}

// requestKinds are tried in this order.
var requestKinds = []requestKind{
	{"MySQL statement", "MySQL statements", func(v *view.View) (n float64, ok bool) {
		for _, s := range v.MySQLServers() {
			if d, known := s.Delta("Questions"); known {
				n, ok = n+d, true
			}
		}
		return n, ok
	}},
	{"request in packets", "requests in packets", func(v *view.View) (n float64, ok bool) {
		for _, s := range v.PacketServices() {
			n, ok = n+float64(s.Count), true
		}
		return n, ok
	}},
	{"accepted connection", "accepted connections", func(v *view.View) (float64, bool) {
		n := v.CountersOf(v.Manifest().Host.NetNS).Delta("TcpPassiveOpens")
		return n, view.Known(n)
	}},
}

// requests are those of each part; nil if a part has too few.
func (m *measured) requests(kind requestKind) (list []float64) {
	for _, v := range m.parts {
		n, ok := kind.count(v)
		if !ok || n < minRequests {
			return nil
		}
		list = append(list, n)
	}
	return list
}

// group is all processes of one lasting name.
type group struct {
	count    int
	cpu      float64 // cores
	written  float64 // bytes per second
	commands []string
	lasting  bool // one of them was there for half the window at least
}

// maxCommands bounds the command lines that are kept of a name.
const maxCommands = 3

func groups(v *view.View) map[string]*group {
	all := map[string]*group{}
	for _, p := range v.Processes() {
		if p.Own || p.Kernel {
			continue
		}
		who := v.KeyOf(p.Entity()).Name
		g := all[who]
		if g == nil {
			g = &group{}
			all[who] = g
		}
		g.count++
		g.cpu += p.CPUSeconds / max(v.Seconds(), 1)
		g.written += view.OrZero(p.WriteBytes)
		g.lasting = g.lasting || p.Samples[len(p.Samples)-1].At().Sub(p.First.At).Seconds() >= v.Seconds()/2
		if c := p.Cmdline; c != "" && len(g.commands) <= maxCommands && !slices.Contains(g.commands, c) {
			g.commands = append(g.commands, c)
		}
	}
	return all
}

// Process is one that differs.
type Process struct {
	Name     string
	Count    [2]int
	Cores    [2]float64
	Commands [2]string // where both sides have one, and another one
}

// newCores is how much CPU time a process that is on one side only must use, if it was not
// there for half of the window: programs come and go.
const newCores = 0.02

// listsAll says that a window tells which processes there are: reports list those that did
// something, or the busiest, or none.
func (m *measured) listsAll() bool { return m.listed != 0 && !m.whole.Partly(recording.Processes) }

// processes are those on one side only, and those with another command line.
func processes(a, b *measured) (list []Process) {
	if !a.listsAll() || !b.listsAll() {
		return nil
	}
	for who, x := range a.names {
		y := b.names[who]
		switch {
		case y == nil && (x.lasting || x.cpu >= newCores):
			list = append(list, Process{Name: who, Count: [2]int{x.count, 0}, Cores: [2]float64{x.cpu, 0}})
		case y != nil && len(x.commands) == 1 && len(y.commands) == 1 && x.commands[0] != y.commands[0]:
			list = append(list, Process{Name: who, Count: [2]int{x.count, y.count}, Cores: [2]float64{x.cpu, y.cpu}, Commands: [2]string{x.commands[0], y.commands[0]}})
		}
	}
	for who, y := range b.names {
		if a.names[who] == nil && (y.lasting || y.cpu >= newCores) {
			list = append(list, Process{Name: who, Count: [2]int{0, y.count}, Cores: [2]float64{0, y.cpu}})
		}
	}
	slices.SortFunc(list, func(x, y Process) int {
		return cmp.Or(cmp.Compare(max(y.Cores[0], y.Cores[1]), max(x.Cores[0], x.Cores[1])), cmp.Compare(x.Name, y.Name))
	})
	return list[:min(len(list), maxLines)]
}

// Setting is one that differs; "" is not there.
type Setting struct {
	What  string // "sysctl vm.swappiness"
	Value [2]string
}

// settings are those that both sides know of and that differ. What a side does not know at
// all, as variables of a server that nobody asked there, is no difference.
func settings(a, b *view.View) (list []Setting) {
	x, y := settingsOf(a), settingsOf(b)
	for k, v := range x {
		if w, ok := y[k]; ok && v != w {
			list = append(list, Setting{k, [2]string{v, w}})
		}
	}
	slices.SortFunc(list, func(x, y Setting) int { return cmp.Compare(x.What, y.What) })
	return list[:min(len(list), maxLines)]
}

// moving are variables of MySQL that servers change by themselves.
var moving = []string{"timestamp", "gtid_executed", "gtid_purged", "gtid_binlog_pos", "gtid_binlog_state", "gtid_current_pos", "gtid_slave_pos", "last_gtid", "pseudo_thread_id", "rand_seed1", "rand_seed2"}

// maxValues is how many values of one setting are told.
const maxValues = 4

// settingsOf are all settings of a window. One that has several values, of processes of
// one name, of two servers, or because it was changed, has all of them.
func settingsOf(v *view.View) map[string]string {
	values := map[string][]string{}
	m := v.Manifest()
	put := func(kind, name, value string) {
		k := kind + " " + name
		have := values[k]
		if value != "" && (have != nil || len(values) < maxNames) && len(have) <= maxValues && !slices.Contains(have, value) {
			values[k] = append(have, value)
		}
	}
	put("host", "kernel", m.Host.Kernel)
	put("host", "system", m.Host.OS)
	if m.Host.CPUs > 0 {
		put("host", "CPUs", unit.Count(m.Host.CPUs).String())
	}
	if m.Host.MemoryBytes > 0 {
		put("host", "memory", unit.Bytes(m.Host.MemoryBytes).String())
	}
	for _, s := range view.Rows[recording.SysctlSample](v) {
		if s.NetNS == 0 || s.NetNS == m.Host.NetNS {
			put("sysctl", s.Name, s.Value)
		}
	}
	for _, s := range v.MySQLServers() {
		put("mysql", "version of "+s.Name(), s.Version)
	}
	for _, r := range view.Rows[recording.MySQLVariable](v) {
		if !slices.Contains(moving, r.Name) {
			put("mysql", r.Name, r.Value)
		}
	}
	for _, f := range view.Rows[recording.MountSample](v) {
		if f.PID == 0 {
			mode := "rw"
			if f.ReadOnly {
				mode = "ro"
			}
			put("mount", f.MountPoint, f.FSType+" "+mode+" "+unit.Bytes(f.Size).String())
		}
	}
	for _, d := range view.Rows[recording.NetDeviceSample](v) {
		if d.NetNS == m.Host.NetNS && d.MTU > 0 {
			put("MTU", d.Interface, unit.Count(d.MTU).String())
		}
	}
	for _, d := range view.Rows[recording.DiskSample](v) {
		put("disk scheduler", d.Device, d.Scheduler)
	}
	for _, r := range view.Rows[recording.LimitSample](v) {
		if p, ok := v.Process(r.PID); ok {
			who := v.KeyOf(p.Entity()).Name
			put("limit of open files,", who, limit(r.FilesSoft, false))
			put("limit of processes,", who, limit(r.ProcsSoft, false))
		}
	}
	for _, c := range view.Rows[recording.CgroupSample](v) {
		put("memory.max", c.Path, limit(c.MemoryMax, true))
		if c.Quota > 0 && c.Period > 0 {
			quota := "none"
			if c.Quota != math.MaxInt64 {
				quota = unit.Number(float64(c.Quota)/float64(c.Period)).String() + " cores"
			}
			put("CPU quota,", c.Path, quota)
		}
	}
	all := make(map[string]string, len(values))
	for k, list := range values {
		slices.Sort(list)
		all[k] = strings.Join(list, ", ")
		if len(list) > maxValues {
			all[k] = "many values"
		}
	}
	return all
}

// limit is a limit in words; "": it was not read.
func limit(n int64, bytes bool) string {
	switch {
	case n < 0:
		return ""
	case n == math.MaxInt64:
		return "none"
	case bytes:
		return unit.Bytes(n).String()
	}
	return unit.Count(n).String()
}
