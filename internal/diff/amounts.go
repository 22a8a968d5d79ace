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
	Per   string // what its amounts are divided by, whatever those of others are: "request"; "": by Result.Per, levels by nothing
	floor float64
	level bool   // no amount: not divided
	waits bool   // time that somebody waits: the more of it is lost, the more it explains
	least string // what each part must have, if that is not two samples
	of    source // "": of the host and its processes
}

// source is evidence that many recordings do not have.
type source string

const (
	ofMySQL      source = "mysql"
	ofStatements source = "mysql.statements"
	ofPackets    source = "packets"
)

// sources are all of them, by what they are called.
var sources = []struct {
	source
	name string
}{{ofMySQL, "counters of MySQL"}, {ofStatements, "response times of MySQL's statements"}, {ofPackets, "requests in packets"}}

// Quantities are all that are compared. floor is how much per second the larger side must
// have: less takes no time that anybody waits for.
var Quantities = slices.Concat(hostQuantities, waitQuantities, mysqlQuantities, statementQuantities, packetQuantities)

var hostQuantities = []*Quantity{cpuTime, switches, faults, majorFaults, readBytes, writtenBytes, readCalls, writeCalls, forks, diskReads, diskWrites, diskRead, diskWritten,
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
	kind     kind // of whom
}

// kind is what a quantity is of.
type kind uint8

const (
	ofHost kind = iota // all of it, its disks, interfaces and servers
	ofProcess
	ofSpace // another network namespace: the host's counters do not have it
	ofStatement
	ofGroup // a control group
)

// partSet are parts of a window, a bit each.
type partSet uint8

const allParts partSet = 1<<Parts - 1

// measured is a window and its parts.
type measured struct {
	side       Side
	whole      *view.View
	parts      [Parts]*view.View
	amounts    map[name]*amount
	told       partSet           // of which anything is known
	listed     partSet           // of which processes are known
	unread     map[name]partSet  // in which a process did something, and nobody read how long it waited
	statements partSet           // of which all statements are known
	grouped    partSet           // of which control groups are known
	sources    map[source]bool   // that it has
	names      map[string]*group // processes by their lasting name
	spaces     spaces
	services   names // of packets
	servers    names // of MySQL
}

// amount is how much there was in each part.
type amount struct {
	of, by [Parts]float64 // by is what quantities with a Per of their own are divided by
	told   partSet
}

// complete says that an amount is known of all parts. A process, statement or control group that a
// part does not list did nothing in it, and a process that did nothing waited for nothing: of those there are few
// rows that tell waits.
func (m *measured) complete(k name) bool {
	a := m.amounts[k]
	switch {
	case k.quantity == executions && m.statements == allParts:
		return true
	case a == nil:
		return false
	}
	return a.told == allParts || k.kind == ofProcess && m.listed == allParts && m.unread[k]&^a.told == 0 || k.kind == ofGroup && m.grouped == allParts
}

// amount is that of a name which is complete.
func (m *measured) amount(k name) *amount {
	if a := m.amounts[k]; a != nil {
		return a
	}
	return &amount{}
}

// minConnections is how many connections a median of round trips needs.
const minConnections = 10

// measure measures both windows: what has another name in each is given one for both.
func measure(first, second Side) (a, b *measured) {
	a, b = newMeasured(first), newMeasured(second)
	a.spaces, b.spaces = pairSpaces(a.whole, b.whole)
	a.services, b.services = pairNames(servicesOf(a.whole), servicesOf(b.whole))
	a.servers, b.servers = pairNames(serversOf(a.whole), serversOf(b.whole))
	for _, m := range []*measured{a, b} {
		for i, v := range m.parts {
			m.part(i, v)
			m.mysql(i, v)
		}
		m.digests()
		m.packets()
	}
	return a, b
}

func newMeasured(s Side) *measured {
	m := &measured{side: s, whole: view.New(s.Recording, s.From, s.To), amounts: map[name]*amount{}, unread: map[name]partSet{}, sources: map[source]bool{}}
	m.names = groups(m.whole)
	for i := range m.parts {
		m.parts[i] = view.New(s.Recording, m.begins(i), m.begins(i+1))
	}
	return m
}

// begins is when a part does.
func (m *measured) begins(i int) time.Time {
	return m.side.From.Add(m.side.To.Sub(m.side.From) * time.Duration(i) / Parts)
}

// partOf is the part that a moment lies in; ok is false outside of the window.
func (m *measured) partOf(at time.Time) (i int, ok bool) {
	for i := range Parts {
		if !at.Before(m.begins(i)) && at.Before(m.begins(i+1)) {
			return i, true
		}
	}
	return 0, false
}

// add adds to what somebody did in a part; "": the host.
func (m *measured) add(i int, q *Quantity, who string, n float64) {
	m.addTo(i, name{quantity: q, who: who}, n, 0)
}

// addTo adds an amount, and what it is divided by if the quantity has a Per of its own.
func (m *measured) addTo(i int, k name, n, by float64) {
	a := m.amounts[k]
	if a == nil {
		if len(m.amounts) >= maxNames {
			return
		}
		a = &amount{}
		m.amounts[k] = a
	}
	a.of[i] += n
	a.by[i] += by
	a.told |= 1 << i
	m.told |= 1 << i
}

// maxNames bounds what a recording of strangers makes of names.
const maxNames = 200_000

// part adds what was done in a part.
func (m *measured) part(i int, v *view.View) {
	seconds := v.Seconds()
	if total, ok := v.CPUTotal(); ok {
		// What the hypervisor takes is used by nobody here.
		m.add(i, cpuTime, "", (1-total.Idle-total.IOWait-total.Steal)*seconds*float64(max(v.CPUCount(), 1)))
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
		m.addTo(i, name{cpuTime, who, ofProcess}, p.CPUSeconds, 0)
		for q, perSecond := range map[*Quantity]float64{switches: p.Voluntary + p.Involuntary, faults: p.MinorFaults, majorFaults: p.MajorFaults, readBytes: p.ReadBytes,
			writtenBytes: p.WriteBytes, readCalls: p.ReadCalls, writeCalls: p.WriteCalls, runDelay: p.RunDelay, blockDelay: p.BlockDelay, swapDelay: p.SwapDelay} {
			k := name{q, who, ofProcess}
			switch {
			case view.Known(perSecond):
				m.addTo(i, k, perSecond*p.Seconds, 0)
			case q.waits && (p.CPUSeconds > 0 || p.Voluntary > 0) && len(m.unread) < maxNames:
				m.unread[k] |= 1 << i
			}
		}
	}
	for _, d := range v.BlockDevices() {
		if d.Seconds <= 0 || !view.Known(d.Writes) || !tells(v, recording.Disks, "reads") || !tells(v, recording.Disks, "read_bytes") {
			continue
		}
		for _, who := range []string{d.Device, ""} {
			if who == "" && virtual(v, d.Device) {
				continue
			}
			m.add(i, diskReads, who, d.Reads*seconds)
			m.add(i, diskWrites, who, d.Writes*seconds)
			m.add(i, diskRead, who, d.ReadBytes*seconds)
			m.add(i, diskWritten, who, d.WrittenBytes*seconds)
		}
	}
	m.network(i, v)
	m.waits(i, v)
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

// virtual says whether a device does its I/O on other ones, in memory or on another host: the sum
// of all disks would count it twice, or what no disk did.
func virtual(v *view.View, device string) bool {
	return len(v.Lower(device)) > 0 || v.Stacked(device) || slices.ContainsFunc([]string{"ram", "zram", "nbd"}, func(p string) bool { return strings.HasPrefix(device, p) })
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
	count        func(m *measured, i int) (float64, bool) // in a part
}

// requestKinds are tried in this order.
var requestKinds = []requestKind{
	{"MySQL transaction", "MySQL transactions", func(m *measured, i int) (float64, bool) { return transactions(m.parts[i]) }},
	{"MySQL statement", "MySQL statements", func(m *measured, i int) (float64, bool) { return questions(m.parts[i]) }},
	{"request in packets", "requests in packets", (*measured).requestsInPackets},
	{"accepted connection", "accepted connections", func(m *measured, i int) (float64, bool) {
		v := m.parts[i]
		n := v.CountersOf(v.Manifest().Host.NetNS).Delta("TcpPassiveOpens")
		return n, view.Known(n)
	}},
}

// requests are those of each part; nil if a part has too few.
func (m *measured) requests(kind requestKind) (list []float64) {
	for i := range m.parts {
		n, ok := kind.count(m, i)
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
func settings(a, b *measured) (list []Setting) {
	x, y := settingsOf(a.whole, a.spaces), settingsOf(b.whole, b.spaces)
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
func settingsOf(v *view.View, others spaces) map[string]string {
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
		if in, ok := others.in(v, s.NetNS); ok || s.NetNS == 0 {
			put("sysctl", s.Name+in, s.Value)
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
		if in, ok := others.in(v, d.NetNS); ok && d.MTU > 0 {
			put("MTU", d.Interface+in, unit.Count(d.MTU).String())
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
