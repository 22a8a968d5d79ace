package verdict

import (
	"math"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/view"
)

// Vitals say how busy the host was in the window, whatever was found. What was
// not read is view.Unknown.
type Vitals struct {
	CPU          float64 // share of all CPUs' time, 0 to 1
	Load         float64 // average over a minute, at the end of the window
	MemoryFree   float64 // share of the memory that is available, 0 to 1
	Disk         float64 // utilisation of the busiest disk, 0 to 1
	NetworkBytes float64 // per second, both directions of the host's own interfaces but lo
	MySQL        []MySQLVitals
	Logs         []LogVitals
	Dumps        []DumpVitals
}

// maxVitals bounds each list of vitals.
const maxVitals = 3

// LogVitals are those of a slow query log that was read without its server.
type LogVitals struct {
	Log        string
	Statements int           // logged in the window
	Took       time.Duration // all of them
}

// DumpVitals are those of a process whose stacks were dumped.
type DumpVitals struct {
	Process       string // "" if the dump does not say
	Threads, Busy int    // all, and those that do not wait for work; means of the dumps
}

// MySQLVitals are those of one server that answered.
type MySQLVitals struct {
	Server     string
	Connected  float64 // connections at the end of the window
	Statements float64 // per second
}

func vitalsOf(v *view.View) Vitals {
	out := Vitals{CPU: view.Unknown, Load: view.Unknown, MemoryFree: view.Unknown, Disk: view.Unknown, NetworkBytes: networkRate(v)}
	if c, ok := v.CPUTotal(); ok {
		out.CPU = c.Busy()
	}
	if rows := view.Rows[recording.SystemSample](v); len(rows) > 0 {
		out.Load = rows[len(rows)-1].Load1
	}
	if m, ok := v.MemoryNow(); ok && m.Total > 0 && m.Available >= 0 {
		out.MemoryFree = float64(m.Available) / float64(m.Total)
	}
	if disks := v.BlockDevices(); len(disks) > 0 {
		out.Disk = disks[0].Utilisation
	}
	for _, s := range v.MySQLServers() {
		m := MySQLVitals{Server: s.Name(), Connected: view.Unknown, Statements: s.Rate("Questions")}
		if _, _, connected, ok := s.Gauge("Threads_connected"); ok {
			m.Connected = connected
		}
		if view.Known(m.Connected) || view.Known(m.Statements) {
			out.MySQL = append(out.MySQL, m)
		}
	}
	for _, log := range v.SlowLogs() {
		l := LogVitals{Log: log}
		for _, q := range v.SlowQueriesOf(log) {
			l.Statements++
			l.Took += max(q.Took, 0)
		}
		if l.Statements > 0 && len(out.Logs) < maxVitals {
			out.Logs = append(out.Logs, l)
		}
	}
	for _, p := range v.StackProcesses() {
		if p.Evidence == recording.StackDump && len(out.Dumps) < maxVitals {
			out.Dumps = append(out.Dumps, DumpVitals{p.Process, p.Threads, p.Busy})
		}
	}
	return out
}

// networkRate is bytes per second in both directions over the host's own
// interfaces but lo.
func networkRate(v *view.View) float64 {
	keys, series := view.Group(view.Rows[recording.NetDeviceSample](v), func(s recording.NetDeviceSample) string {
		if s.Interface == "lo" || !v.OwnNetNS(s.NetNS) {
			return ""
		}
		return s.Interface
	})
	sum := view.Unknown
	for _, k := range keys {
		rate := view.Rate(v, series[k], func(s recording.NetDeviceSample) uint64 { return s.RxBytes + s.TxBytes })
		if k == "" || !view.Known(rate) {
			continue
		}
		if math.IsNaN(sum) {
			sum = 0
		}
		sum += rate
	}
	return sum
}
