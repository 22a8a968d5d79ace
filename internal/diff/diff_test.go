package diff

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// load is what a made-up host does per second, on the average.
type load struct {
	statements, written, cpu, spin float64
	restarted                      bool // db has another command line
	batch                          bool
	sysctl                         string

	await     float64 // seconds of each of 100 reads; 0: there is no disk
	delay     float64 // seconds that db waits for a CPU
	throttled float64 // seconds that its group is stopped; 0: it is not known
	steal     float64 // seconds of all CPUs; 0: nothing is known of them
}

const seconds = 60

// side records a minute of it, with noise.
func side(l load, seed uint64) Side {
	rnd := rand.New(rand.NewPCG(seed, 1))
	h := ruletest.New(4, seconds)
	noise := func() float64 { return 0.8 + 0.4*rnd.Float64() }
	sums := make([]float64, 4)
	h.Readings(func(at time.Time, s float64) {
		for i, v := range []float64{l.statements, l.written, l.cpu, l.spin} {
			sums[i] += v * noise()
		}
		ruletest.Add(h, recording.SystemSample{At: at, ContextSwitches: uint64(sums[0] * 3)})
		ruletest.Add(h, recording.MySQLServer{At: at, Server: "db:3306", State: recording.ServerAnswers, Version: "11.4"})
		ruletest.Add(h, recording.MySQLStatus{At: at, Server: "db:3306", Name: "Questions", Value: sums[0]})
		cmdline := "mysqld"
		if l.restarted {
			cmdline += " --skip-networking"
		}
		ticks := func(s float64) time.Duration { return time.Duration(s * 1e9).Truncate(10 * time.Millisecond) }
		ruletest.Add(h, recording.ProcessSample{At: at, PID: 7, Started: ruletest.Start.Add(-time.Hour), Comm: "mysqld", Cmdline: cmdline, Cgroup: "/system.slice/db.service", Full: true,
			User: ticks(sums[2]), WriteBytes: int64(sums[1]), Voluntary: int64(sums[0]), RunDelay: time.Duration(l.delay * s * 1e9)})
		ruletest.Add(h, recording.ProcessSample{At: at, PID: 8, Started: ruletest.Start.Add(-time.Hour), Comm: "spin", Cmdline: "spin", Full: true, User: ticks(sums[3])})
		if l.batch {
			ruletest.Add(h, recording.ProcessSample{At: at, PID: 9, Started: ruletest.Start.Add(-time.Hour), Comm: "batch", Cmdline: "batch -p secret", Full: true, User: ticks(sums[2])})
		}
		if l.await > 0 { // 50 writes of a millisecond each
			ruletest.Add(h, recording.DiskSample{At: at, Device: "vda", Reads: uint64(100 * s), ReadBytes: uint64(100*s) << 14, ReadTime: time.Duration(100 * l.await * s * 1e9),
				Writes: uint64(50 * s), WrittenBytes: uint64(50*s) << 14, WriteTime: time.Duration(50e6 * s)})
		}
	})
	if l.throttled > 0 {
		h.Cgroup(ruletest.Cgroup{Path: "/system.slice/db.service", CPU: l.cpu, ThrottledTime: l.throttled})
	}
	if l.steal > 0 {
		h.AllCPUs(ruletest.CPU{User: 0.25, Steal: l.steal / 4})
	}
	if l.sysctl != "" {
		ruletest.Add(h, recording.SysctlSample{At: ruletest.Start, Name: "vm.swappiness", Value: l.sysctl})
	}
	return Side{Recording: h.Rec, From: ruletest.Start, To: ruletest.Start.Add(seconds * time.Second)}
}

// told are the differences in short.
func told(r Result) string {
	var words []string
	for _, c := range r.Changes {
		words = append(words, fmt.Sprintf("%s of %s %.2g", c.Quantity.ID, c.Who, c.Ratio()))
	}
	for _, p := range r.Processes {
		words = append(words, fmt.Sprintf("%s %v %q", p.Name, p.Count, p.Commands))
	}
	for _, s := range r.Settings {
		words = append(words, fmt.Sprintf("%s %q", s.What, s.Value))
	}
	return strings.Join(words, "; ")
}

func TestCompare(t *testing.T) {
	usual := load{statements: 1000, written: 4 << 20, cpu: 1, spin: 0.2, sysctl: "60"}
	with := func(change func(*load)) load { l := usual; change(&l); return l }
	for _, c := range []struct {
		name          string
		first, second load
		per, want     string
	}{
		{"the same load", usual, usual, "MySQL statement", ""},
		{"15 times more writes", with(func(l *load) { l.written *= 15 }), usual, "MySQL statement", "proc.written of mysqld in db.service 15"},
		{"fewer writes", usual, with(func(l *load) { l.written *= 15 }), "MySQL statement", "proc.written of mysqld in db.service 0.066"},
		{"more load is no change of what a statement costs", with(func(l *load) { l.statements, l.written, l.cpu, l.spin = 3000, l.written*3, l.cpu*3, l.spin*3 }), usual, "MySQL statement", ""},
		{"too little more", with(func(l *load) { l.written *= 1.4 }), usual, "MySQL statement", ""},
		{"too little to matter", with(func(l *load) { l.spin = 0.015 }), with(func(l *load) { l.spin = 0.005 }), "MySQL statement", ""},
		{"too few statements: per second", with(func(l *load) { l.statements = 0; l.cpu = 3 }), with(func(l *load) { l.statements = 0 }), "second", "cpu.time of mysqld in db.service 3"},
		{"settings", with(func(l *load) { l.sysctl = "1" }), usual, "MySQL statement", `sysctl vm.swappiness ["1" "60"]`},
		{"a setting that one side does not know", with(func(l *load) { l.sysctl = "" }), usual, "MySQL statement", ""},
		{"a process that is new", with(func(l *load) { l.batch = true }), usual, "MySQL statement", `batch [1 0] ["" ""]`},
		{"equal work and a slower disk", with(func(l *load) { l.await = 0.02 }), with(func(l *load) { l.await = 0.001 }), "MySQL statement", "disk.read-time of vda 20"},
		{"equal work and an equal disk", with(func(l *load) { l.await = 0.02 }), with(func(l *load) { l.await = 0.02 }), "MySQL statement", ""},
		{"a throttled group", with(func(l *load) { l.throttled = 0.5 }), with(func(l *load) { l.throttled = 0.01 }), "MySQL statement", "cgroup.throttled of /system.slice/db.service 50"},
		{"throttled for a moment", with(func(l *load) { l.throttled = 0.04 }), with(func(l *load) { l.throttled = 0.001 }), "MySQL statement", ""},
		{"steal, which is no CPU time", with(func(l *load) { l.steal = 0.5 }), with(func(l *load) { l.steal = 0.01 }), "MySQL statement", "cpu.steal of  50"},
		{"usual steal", with(func(l *load) { l.steal = 0.04 }), with(func(l *load) { l.steal = 0.004 }), "MySQL statement", ""},
		{"a wait for CPUs", with(func(l *load) { l.delay = 0.5 }), with(func(l *load) { l.delay = 0.01 }), "MySQL statement", "sched.run-delay of mysqld in db.service 50"},
		{"a wait too small to matter", with(func(l *load) { l.delay = 0.0005 }), with(func(l *load) { l.delay = 0.0001 }), "MySQL statement", ""},
		{"a small wait that grew a hundredfold is not first", with(func(l *load) { l.delay, l.cpu = 0.06, 3 }), with(func(l *load) { l.delay = 0.0006 }), "MySQL statement", "cpu.time of mysqld in db.service 3"},
		{"another command line", with(func(l *load) { l.restarted = true }), usual, "MySQL statement", `mysqld in db.service [1 1] ["mysqld --skip-networking" "mysqld"]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(5) {
				r, err := Compare(side(c.first, seed), side(c.second, seed+100))
				if err != nil {
					t.Fatal(err)
				}
				if r.Per != c.per {
					t.Errorf("per %s, want %s", r.Per, c.per)
				}
				got := told(r)
				if c.want == "" && got != "" || !strings.HasPrefix(got, strings.TrimRight(c.want, "0123456789")) {
					t.Errorf("%q, want %q", got, c.want)
				}
			}
		})
	}
}

func TestApart(t *testing.T) {
	for _, c := range []struct {
		x, y []float64
		want bool
	}{
		{[]float64{3, 4}, []float64{1, 2}, true}, {[]float64{1, 2}, []float64{3, 4}, true}, {[]float64{1, 3}, []float64{2, 4}, false}, {[]float64{1, 2}, []float64{2, 3}, false},
		{[]float64{1, math.NaN()}, []float64{3, 4}, false}, {[]float64{1, 2}, []float64{3, math.Inf(1)}, false}, {nil, []float64{1}, false},
	} {
		if got := apart(c.x, c.y); got != c.want {
			t.Errorf("%v and %v: %v, want %v", c.x, c.y, got, c.want)
		}
	}
}

// A part without samples is no evidence that nothing was done.
func TestGap(t *testing.T) {
	whole := side(load{statements: 1000, cpu: 1}, 1)
	late := whole
	late.To = late.To.Add(20 * time.Second)
	if _, err := Compare(late, whole); err == nil || !strings.Contains(err.Error(), "fewer than two samples") {
		t.Errorf("got %v", err)
	}
}

// A setting that two servers have in two ways is no difference, in whichever order they are read.
func TestSettingsOfSeveral(t *testing.T) {
	at := time.Unix(100, 0)
	window := func(values ...string) *measured {
		rec := recording.New(recording.Manifest{})
		w := recording.NewWriter(at)
		for _, v := range values {
			recording.Append(w, recording.MySQLVariable{At: at, Name: "max_connections", Value: v})
		}
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
		return &measured{whole: view.New(rec, at, at.Add(time.Second))}
	}
	if got := settings(window("100", "200"), window("200", "100")); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	if got := settings(window("100", "200"), window("100", "300")); len(got) != 1 || got[0].Value != [2]string{"100, 200", "100, 300"} {
		t.Errorf("%+v", got)
	}
	if got := settingsOf(window("1", "2", "3", "4", "5", "6").whole, nil)["mysql max_connections"]; got != "many values" {
		t.Errorf("%q", got)
	}
}

// interfaces is a minute of an interface that receives some bytes per second from a moment on, in seconds, and of nothing else.
func interfaces(t *testing.T, bytes, from float64, only ...string) Side {
	t.Helper()
	m := recording.Manifest{Host: recording.Host{Name: "net"}}
	if len(only) > 0 {
		m.Probes = []recording.ProbeInfo{{Name: "sar", Fills: []recording.Table{recording.NetDevices}, Only: only}}
	}
	rec := recording.New(m)
	w := recording.NewWriter(ruletest.Start)
	for i := range seconds + 1 {
		if s := float64(i); s >= from {
			recording.Append(w, recording.NetDeviceSample{At: ruletest.Start.Add(time.Duration(i) * time.Second), Interface: "eth0", RxBytes: uint64(bytes * s), RxDropped: uint64(10 * s)})
		}
	}
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	return Side{Recording: rec, From: ruletest.Start, To: ruletest.Start.Add(seconds * time.Second)}
}

// why is why something was not compared; "": it was.
func why(r Result, id string) string {
	for _, m := range r.Missing {
		if m.ID == id {
			return m.Why
		}
	}
	return ""
}

// What there is is compared, and the rest is named.
func TestOnlyInterfaces(t *testing.T) {
	sar := []string{"net_devices.rx_bytes", "net_devices.tx_bytes", "net_devices.rx_packets", "net_devices.tx_packets"}
	r, err := Compare(interfaces(t, 8<<20, 0, sar...), interfaces(t, 1<<20, 0))
	if err != nil {
		t.Fatal(err)
	}
	if got := told(r); got != "net.received of eth0 8" || r.Compared != 4 || r.Per != "second" {
		t.Errorf("%q of %d quantities", got, r.Compared)
	}
	for id, want := range map[string]string{"net.received": "", "net.dropped": "told only by the second window", "cpu.time": "told by neither window", "net.round-trip": "fewer than ten connections with data in a part of both windows",
		ProcessList: "not all processes are listed in both windows"} {
		if got := why(r, id); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	reasons := strings.Join(Reasons(r.Missing), "\n")
	if !strings.HasPrefix(reasons, "told by neither window: CPU time, context switches, ") || !strings.Contains(reasons, "\ntold only by the second window: packets dropped by the interface, packets with errors\n") {
		t.Error(reasons)
	}

	// What a part does not tell is no zero.
	whole := side(load{statements: 1000, cpu: 1}, 1)
	late := interfaces(t, 8<<20, 15)
	w := recording.NewWriter(ruletest.Start)
	for _, s := range recording.Rows[recording.NetDeviceSample](late.Recording) {
		s.NetNS = whole.Recording.Manifest().Host.NetNS
		recording.Append(w, s)
	}
	if err := whole.Recording.Commit(w); err != nil {
		t.Fatal(err)
	}
	if r, err = Compare(whole, whole); err != nil || why(r, "net.received") != "fewer than two samples in a part of both windows" || why(r, "sched.switches") != "" || why(r, ProcessList) != "" {
		t.Errorf("%v, %+v", err, r.Missing)
	}

	if _, err := Compare(interfaces(t, 1, 0), side(load{statements: 1000, cpu: 1}, 1)); err == nil || !strings.Contains(err.Error(), "no quantity is known of both windows: ") || !strings.Contains(err.Error(), "told only by the first window: bytes received by the interface, ") {
		t.Error(err)
	}
	if _, err := Compare(late, interfaces(t, 1, 0)); err == nil || !strings.Contains(err.Error(), "net has fewer than two samples") {
		t.Error(err)
	}
}

// What a side does not know is no setting.
func TestSettingsUnknown(t *testing.T) {
	told, blank := interfaces(t, 1, 0), interfaces(t, 1, 0)
	told.Recording.UpdateManifest(func(m *recording.Manifest) { m.Host.CPUs, m.Host.MemoryBytes = 4, 1<<30 })
	w := recording.NewWriter(ruletest.Start)
	recording.Append(w, recording.NetDeviceSample{At: ruletest.Start, Interface: "eth0", MTU: 1500})
	if err := told.Recording.Commit(w); err != nil {
		t.Fatal(err)
	}
	if got := settings(newMeasured(told), newMeasured(blank)); len(got) > 0 {
		t.Errorf("%+v", got)
	}
}
