package cpu

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

func stress(h *ruletest.Host, n int, each, delay float64, nice int32) *ruletest.Host {
	h.Process(ruletest.Process{Comm: "stress-ng", CPU: 0})
	for range n {
		h.Process(ruletest.Process{Comm: "stress-ng-cpu", CPU: each, RunDelay: delay, Nice: nice})
	}
	return h
}

// reported makes the processes of a host those of a report of another tool, which tells some columns.
func reported(h *ruletest.Host, columns ...string) *ruletest.Host {
	return h.Manifest(func(m *recording.Manifest) {
		m.Probes = append(m.Probes, recording.ProbeInfo{Name: "pidstat", Fills: []recording.Table{recording.Processes}, Only: columns})
	})
}

// Reports tell run delays of main threads: those of a server with many threads are more.
func TestSaturatedInReports(t *testing.T) {
	full := ruletest.CPU{User: 0.97, System: 0.03}
	delays := []string{"processes.user_ns", "processes.system_ns", "processes.run_delay_ns"}
	server := func(delay float64) *ruletest.Host {
		return ruletest.New(4, 10).AllCPUs(full).Process(ruletest.Process{PID: 812, Comm: "mysqld", CPU: 3.9, RunDelay: delay})
	}
	ruletest.Check(t, saturated, []ruletest.Situation{
		{Name: "a long run queue", Host: func() *ruletest.Host { return reported(server(0), delays...).System(ruletest.System{Running: 60}) },
			Want: rule.Likely, Kind: view.KindProcess, Subject: "mysqld", Low: 54.9, High: 55.1, Says: "55 tasks wait for one at any time"},
		{Name: "pressure", Host: func() *ruletest.Host { return reported(server(0.01), delays...).Pressure("cpu", 0.95, 0) },
			Want: rule.Likely, Kind: view.KindProcess, Subject: "mysqld", Low: 0.94, High: 0.96, Says: "and at least 0.95 tasks wait for one at any time"},
		{Name: "who waits is told", Host: func() *ruletest.Host { return reported(server(2.2), delays...).System(ruletest.System{Running: 60}) },
			Want: rule.Likely, Kind: view.KindProcess, Subject: "mysqld", Low: 2.1, High: 2.3},
		{Name: "no task waits", Host: func() *ruletest.Host { return reported(server(0), delays...).System(ruletest.System{Running: 5}) }},
		{Name: "no pressure", Host: func() *ruletest.Host { return reported(server(0), delays...).Pressure("cpu", 0.1, 0) }},
		{Name: "delays alone", Host: func() *ruletest.Host { return reported(server(0), delays...) }, Abstains: "of main threads"},
		{Name: "delays alone on a host with idle CPUs", Host: func() *ruletest.Host {
			return reported(ruletest.New(4, 10).AllCPUs(ruletest.CPU{User: 0.5}).Process(ruletest.Process{PID: 812, Comm: "mysqld", CPU: 2}), delays...)
		}},
		{Name: "one small program, beside a long run queue", Host: func() *ruletest.Host {
			h := ruletest.New(4, 10).AllCPUs(full).Process(ruletest.Process{PID: 90, Comm: "sshd", CPU: 0.1, RunDelay: 2.2})
			return reported(h, delays...).System(ruletest.System{Running: 60})
		}, Want: rule.Likely, Kind: view.KindHost, Subject: "db1", Low: 54.9, High: 55.1, Says: "nothing tells which programs"},
		{Name: "one small program alone", Host: func() *ruletest.Host {
			return reported(ruletest.New(4, 10).AllCPUs(full).Process(ruletest.Process{PID: 90, Comm: "sshd", CPU: 0.1, RunDelay: 2.2}), delays...)
		}, Abstains: "few processes"},
		{Name: "one small program on a host with idle CPUs", Host: func() *ruletest.Host {
			return reported(ruletest.New(4, 10).AllCPUs(ruletest.CPU{User: 0.5}).Process(ruletest.Process{PID: 90, Comm: "sshd", CPU: 0.1}), delays...)
		}},
		{Name: "no CPU time of processes", Host: func() *ruletest.Host {
			return reported(server(0), "processes.write_bytes").System(ruletest.System{Running: 60})
		}, Want: rule.Likely, Kind: view.KindHost, Subject: "db1", Low: 54.9, High: 55.1, Says: "nothing tells which programs"},
		{Name: "a program that gets half of what it asks for, the rest is stolen", Host: func() *ruletest.Host {
			h := ruletest.New(4, 10).AllCPUs(ruletest.CPU{User: 0.4, Steal: 0.6}).Process(ruletest.Process{PID: 812, Comm: "mysqld", CPU: 1.6})
			return reported(h, delays...).System(ruletest.System{Running: 60})
		}, Want: rule.Likely, Kind: view.KindProcess, Subject: "mysqld", Low: 54.9, High: 55.1},
		{Name: "watched, with the delays of all threads", Host: func() *ruletest.Host { return server(0).System(ruletest.System{Running: 60}) }},
	})
}

func TestSaturated(t *testing.T) {
	full := ruletest.CPU{User: 0.97, System: 0.03}
	ruletest.Check(t, saturated, []ruletest.Situation{
		{Name: "twice the cores", Host: func() *ruletest.Host {
			h := stress(ruletest.New(2, 10).AllCPUs(full).Pressure("cpu", 0.98, 0), 4, 0.49, 0.5, 0)
			return h.Process(ruletest.Process{PID: 80, Comm: "nginx", CPU: 0.02, RunDelay: 0.1}).System(ruletest.System{Running: 5})
		}, Want: rule.Certain, Kind: view.KindProcess, Subject: "stress-ng-cpu ×4", Low: 2, High: 2.2, Says: "stress-ng-cpu ×4 uses 98 %"},
		{Name: "five seconds, sixteen CPUs", Host: func() *ruletest.Host {
			return stress(ruletest.New(16, 5).AllCPUs(full), 32, 0.5, 0.5, 0)
		}, Want: rule.Certain, Kind: view.KindProcess, Subject: "stress-ng-cpu ×32", Low: 15, High: 17},
		{Name: "many small programs", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10).AllCPUs(full)
			for _, n := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"} {
				h.Process(ruletest.Process{Comm: n, CPU: 0.2, RunDelay: 0.3})
			}
			return h
		}, Want: rule.Certain, Kind: view.KindHost, Subject: "db1", Low: 2.9, High: 3.1},
		{Name: "only niced work waits", Host: func() *ruletest.Host {
			return stress(ruletest.New(2, 10).AllCPUs(ruletest.CPU{Nice: 1}), 4, 0.5, 0.5, 19)
		}, Want: rule.Possible, Kind: view.KindProcess, Subject: "stress-ng-cpu ×4", Low: 0.1, High: 3},
		{Name: "no run delays but pressure", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10).AllCPUs(full).Pressure("cpu", 0.9, 0)
			return h.Process(ruletest.Process{PID: 7, Comm: "java", CPU: 1.9, Change: func(_ float64, r *recording.ProcessSample) { r.RunDelay = recording.Unknown }})
		}, Want: rule.Likely, Kind: view.KindProcess, Subject: "java", Low: 0.8, High: 1},
		{Name: "pressure, and a run queue that was read too seldom", Host: func() *ruletest.Host {
			return ruletest.New(2, 2).AllCPUs(full).Pressure("cpu", 1, 0).System(ruletest.System{Running: 21})
		}, Want: rule.Likely, Kind: view.KindHost, Subject: "db1", Low: 0.99, High: 1.01, Says: "can do: at least 1 task waits for one at any time; nothing tells which programs"},
		{Name: "pressure, and a run queue that tells how many wait", Host: func() *ruletest.Host {
			return ruletest.New(2, 10).AllCPUs(full).Pressure("cpu", 1, 0).System(ruletest.System{Running: 21})
		}, Want: rule.Likely, Kind: view.KindHost, Subject: "db1", Low: 17.9, High: 18.1, Says: "can do: 18 tasks wait for one at any time"},
		{Name: "a run queue alone", Host: func() *ruletest.Host {
			return ruletest.New(2, 10).AllCPUs(full).System(ruletest.System{Running: 7})
		}, Want: rule.Likely, Kind: view.KindHost, Subject: "db1", Low: 3.9, High: 4.1, Says: "nothing tells which programs"},
		{Name: "in a container, beside others that take the CPUs", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10).AllCPUs(full).Pressure("cpu", 0.95, 0).System(ruletest.System{Running: 9})
			h.Manifest(func(m *recording.Manifest) { m.Host.Container = true })
			return h.Process(ruletest.Process{PID: 7, Comm: "java", CPU: 0.2, RunDelay: 0.5})
		}, Want: rule.Likely, Kind: view.KindHost, Subject: "db1", Low: 5.9, High: 6.1, Says: "most CPU time is used outside this container"},
		{Name: "in a container that takes the CPUs itself", Host: func() *ruletest.Host {
			h := stress(ruletest.New(2, 10).AllCPUs(full).Pressure("cpu", 0.95, 0), 4, 0.45, 0.5, 0)
			h.Manifest(func(m *recording.Manifest) { m.Host.Container = true })
			return h
		}, Want: rule.Certain, Kind: view.KindProcess, Subject: "stress-ng-cpu ×4", Low: 1.9, High: 2.1},
		{Name: "a run queue of niced tasks", Host: func() *ruletest.Host {
			return ruletest.New(2, 10).AllCPUs(ruletest.CPU{Nice: 0.9, User: 0.1}).System(ruletest.System{Running: 7})
		}, Want: rule.Possible, Kind: view.KindHost, Subject: "db1", Low: 3.9, High: 4.1},
		{Name: "as many tasks as CPUs, and who counts them", Host: func() *ruletest.Host {
			return ruletest.New(2, 10).AllCPUs(full).System(ruletest.System{Running: 3})
		}},
		{Name: "half of the cores busy", Host: func() *ruletest.Host {
			return stress(ruletest.New(2, 10).AllCPUs(ruletest.CPU{User: 0.5}), 1, 1, 0.01, 0)
		}},
		{Name: "a batch that fills its cores", Host: func() *ruletest.Host {
			return stress(ruletest.New(2, 10).AllCPUs(full), 2, 0.98, 0.06, 0)
		}},
		{Name: "kernel threads wait beside a batch that fills its cores", Host: func() *ruletest.Host {
			h := stress(ruletest.New(2, 10).AllCPUs(full), 2, 0.98, 0.06, 0)
			for i := range 6 {
				h.Process(ruletest.Process{PID: int32(20 + i), Comm: "kworker/0:1", Kernel: true, CPU: 0.002, RunDelay: 0.4})
			}
			return h
		}},
		{Name: "waiting in a throttled group", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10).AllCPUs(full)
			h.Cgroup(ruletest.Cgroup{Path: "/web", Quota: 10 * time.Millisecond, Periods: 10, Throttled: 9, ThrottledTime: 0.9})
			h.Process(ruletest.Process{Comm: "nginx", Cgroup: "/web/pod", CPU: 0.1, RunDelay: 3})
			return stress(h, 2, 0.95, 0.05, 0)
		}},
		{Name: "compilers that come and go", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10).AllCPUs(full)
			for i := range 10 {
				for range 2 {
					h.Process(ruletest.Process{Comm: "compile", CPU: 0.95, RunDelay: 0.05, From: float64(i), To: float64(i + 1)})
				}
			}
			return h.Process(ruletest.Process{Comm: "make"})
		}},
		{Name: "rtrail itself does not count", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10).AllCPUs(full)
			return h.Process(ruletest.Process{PID: 4242, Comm: "rtrail", CPU: 1.9, RunDelay: 4})
		}},
	})
}

func TestSaturatedNamesVictims(t *testing.T) {
	h := stress(ruletest.New(2, 10).AllCPUs(ruletest.CPU{User: 1}), 4, 0.49, 0.5, 0)
	h.Process(ruletest.Process{PID: 80, Comm: "nginx", CPU: 0.02, RunDelay: 0.1})
	f := h.Detect(t, saturated)[0]
	if len(f.Affects) != 1 || f.Affects[0].PID != 80 {
		t.Errorf("affects %+v, want nginx alone", f.Affects)
	}
	for _, tt := range []struct {
		name   string
		others []ruletest.Process
		want   string
	}{
		{"one", []ruletest.Process{{PID: 80, Comm: "nginx", CPU: 0.02, RunDelay: 0.1}}, "nginx (80) waits for a CPU 100 ms per second"},
		{"who waits longest comes first", []ruletest.Process{{PID: 80, Comm: "nginx", CPU: 0.02, RunDelay: 0.1}, {PID: 90, Comm: "sshd", RunDelay: 0.2}},
			"sshd (90) waits for a CPU 200 ms per second, nginx (80) waits for a CPU 100 ms per second"},
		{"workers together, by the one that waits longest", []ruletest.Process{{PID: 81, Comm: "php-fpm", CPU: 0.01, RunDelay: 0.1}, {PID: 82, Comm: "php-fpm", RunDelay: 0.3}, {PID: 83, Comm: "php-fpm", RunDelay: 0.001}},
			"php-fpm ×2 (82) waits for a CPU 400 ms per second"},
		{"many that hardly wait", []ruletest.Process{{PID: 81, Comm: "php-fpm", RunDelay: 0.004}, {PID: 82, Comm: "php-fpm", RunDelay: 0.004}, {PID: 83, Comm: "php-fpm", RunDelay: 0.004}}, ""},
		{"one that hardly waits", []ruletest.Process{{PID: 80, Comm: "nginx", CPU: 0.02, RunDelay: 0.005}}, ""},
		{"a kernel thread", []ruletest.Process{{PID: 20, Comm: "kworker/0:1", Kernel: true, CPU: 0.002, RunDelay: 0.4}}, ""},
		{"one that asked to go last", []ruletest.Process{{PID: 30, Comm: "backup", CPU: 0.02, RunDelay: 0.4, Nice: 19}}, ""},
		{"whose waits are not known", []ruletest.Process{{PID: 80, Comm: "nginx", CPU: 0.02, Change: func(_ float64, r *recording.ProcessSample) { r.RunDelay = recording.Unknown }}}, ""},
	} {
		h := stress(ruletest.New(2, 10).AllCPUs(ruletest.CPU{User: 1}), 4, 0.49, 0.5, 0)
		for _, p := range tt.others {
			h.Process(p)
		}
		f := h.Detect(t, saturated)[0]
		ruletest.Checked(t, f)
		var list []string
		for i := range f.Victims {
			list = append(list, f.Victims[i].Words().String())
		}
		if got := strings.Join(list, ", "); got != tt.want || len(f.Notes) > 0 {
			t.Errorf("%s: victims %q, notes %v; want %q and no note", tt.name, got, f.Notes, tt.want)
		}
	}
}

// Pressure tells that somebody waits, and not how many: it is a lower bound.
func TestSaturatedByPressureIsALowerBound(t *testing.T) {
	for _, tt := range []struct {
		name    string
		seconds float64
		want    string
	}{
		{"three readings of the run queue", 2, "at least 1 s waited per second"},
		{"eleven", 10, "18 s waited per second"},
	} {
		h := ruletest.New(2, tt.seconds).AllCPUs(ruletest.CPU{User: 1}).Pressure("cpu", 1, 0).System(ruletest.System{Running: 21})
		if got := h.Detect(t, saturated)[0].Impact.Text.String(); got != tt.want {
			t.Errorf("%s: impact %q, want %q", tt.name, got, tt.want)
		}
	}
}

// What makes a finding less sure is said.
func TestSaturatedSaysWhyItIsPossible(t *testing.T) {
	const why = "of the busy CPU time is that of tasks with a positive nice value, which asked to go last: so this is only possible"
	for _, tt := range []struct {
		name  string
		cpu   ruletest.CPU
		sure  rule.Confidence
		notes int
	}{
		{"most is niced", ruletest.CPU{Nice: 0.6, User: 0.4}, rule.Possible, 1},
		{"less than half is niced", ruletest.CPU{Nice: 0.4, User: 0.6}, rule.Likely, 0},
	} {
		h := ruletest.New(2, 10).AllCPUs(tt.cpu).System(ruletest.System{Running: 14})
		f := h.Detect(t, saturated)[0]
		ruletest.Checked(t, f)
		if f.Confidence != tt.sure || len(f.Notes) != tt.notes || tt.notes > 0 && !strings.Contains(f.Notes[0].String(), "60 % "+why) {
			t.Errorf("%s: %v with notes %v, want %v with %d", tt.name, f.Confidence, f.Notes, tt.sure, tt.notes)
		}
	}
}

// The impact and the sum that evidence tells agree: what is left out is said.
func TestSaturatedSaysWhatIsLeftOut(t *testing.T) {
	for _, tt := range []struct {
		name        string
		delay, nice float64
		impact      string
	}{
		{"niced tasks wait, too", 1.32, 2.59, "1.32 s waited per second, besides 2.59 s of tasks with a positive nice value"},
		{"none is niced", 1.32, 0, "1.32 s waited per second"},
		{"all are niced", 0, 2.59, "2.59 s waited per second"},
	} {
		h := ruletest.New(2, 10).AllCPUs(ruletest.CPU{User: 1})
		h.Process(ruletest.Process{Comm: "compile", CPU: 1, RunDelay: tt.delay})
		h.Process(ruletest.Process{Comm: "build", CPU: 0.9, RunDelay: tt.nice, Nice: 10})
		f := h.Detect(t, saturated)[0]
		if got := f.Impact.Text.String(); got != tt.impact {
			t.Errorf("%s: impact %q, want %q", tt.name, got, tt.impact)
		}
	}
}

func TestAbstains(t *testing.T) {
	unknown := func(_ float64, r *recording.ProcessSample) {
		r.RunDelay, r.Voluntary, r.Involuntary = recording.Unknown, recording.Unknown, recording.Unknown
	}
	h := ruletest.New(2, 10).AllCPUs(ruletest.CPU{User: 1}).Process(ruletest.Process{Comm: "java", CPU: 2, Change: unknown})
	h.Abstains(t, saturated)
	h.Abstains(t, contextSwitches)
	h.Abstains(t, shortLivedProcesses) // no fork counter
	blind := ruletest.New(2, 0).AllCPUs(ruletest.CPU{User: 1}).Process(ruletest.Process{Comm: "java", CPU: 2})
	for _, r := range []rule.Rule{saturated, oneThreadLimit, shortLivedProcesses, softirq, contextSwitches} {
		blind.Abstains(t, r) // one reading tells nothing
	}
	ruletest.New(2, 10).Cgroup(ruletest.Cgroup{Path: "/a", Change: func(_ float64, r *recording.CgroupSample) {
		r.Periods, r.Throttled = recording.Unknown, recording.Unknown
	}}).Abstains(t, throttled)
}

func TestThrottled(t *testing.T) {
	web := ruletest.Cgroup{Path: "/web", Quota: 10 * time.Millisecond, CPU: 0.1, Periods: 10, Throttled: 9.5, ThrottledTime: 0.85}
	nginx := ruletest.Process{PID: 80, Comm: "nginx", Cgroup: "/web", CPU: 0.1, RunDelay: 0.8}
	idle := ruletest.CPU{User: 0.05}
	on := func(kernel string, cpus int) *ruletest.Host {
		return ruletest.New(cpus, 10).AllCPUs(idle).Manifest(func(m *recording.Manifest) { m.Host.Kernel = kernel })
	}
	recent := func(cpus int, seconds float64) *ruletest.Host {
		return ruletest.New(cpus, seconds).Manifest(func(m *recording.Manifest) { m.Host.Kernel = "6.6.0" })
	}
	with := func(change func(*ruletest.Cgroup)) ruletest.Cgroup { c := web; change(&c); return c }
	bursts := with(func(c *ruletest.Cgroup) {
		c.Quota, c.CPU, c.Throttled, c.ThrottledTime = 400*time.Millisecond, 2, 0.4, 0.8
	})
	stalled := func(share float64) ruletest.Cgroup { c := bursts; c.CPUStall = share; return c }
	server := func(cpu, delay float64) ruletest.Process {
		return ruletest.Process{PID: 80, Comm: "nginx", Cgroup: "/web", CPU: cpu, RunDelay: delay}
	}
	ruletest.Check(t, throttled, []ruletest.Situation{
		{Name: "a tenth of a CPU", Host: func() *ruletest.Host {
			return recent(2, 10).AllCPUs(idle).Cgroup(web).Process(nginx)
		}, Want: rule.Certain, Kind: view.KindCgroup, Subject: "/web", Low: 0.8, High: 0.9, Says: "nginx (80) in /web may use only 0.1 CPUs: stopped for 89 % of the time",
			Proof: "stopped 0.85 s per second"},
		{Name: "nobody seen waiting", Host: func() *ruletest.Host {
			return recent(2, 10).AllCPUs(idle).Cgroup(web)
		}, Want: rule.Likely, Kind: view.KindCgroup, Subject: "/web", Low: 0.8, High: 0.9},
		{Name: "now and then", Host: func() *ruletest.Host {
			return recent(2, 10).AllCPUs(idle).Cgroup(with(func(c *ruletest.Cgroup) { c.Throttled, c.ThrottledTime = 1, 0.02 })).Process(nginx)
		}, Want: rule.Possible, Kind: view.KindCgroup, Subject: "/web", Low: 0.01, High: 0.1},
		{Name: "one period of 25, which stops many threads", Host: func() *ruletest.Host {
			return recent(16, 10).AllCPUs(idle).Cgroup(with(func(c *ruletest.Cgroup) {
				c.Quota, c.CPU, c.Throttled, c.ThrottledTime = 400*time.Millisecond, 2, 0.4, 0.8
			})).Process(nginx)
		}, Want: rule.Certain, Kind: view.KindCgroup, Subject: "/web", Low: 0.79, High: 0.81, Says: "stopped for 29 %"},
		{Name: "the same, and only its pressure is known", Host: func() *ruletest.Host {
			return recent(16, 10).AllCPUs(idle).Cgroup(with(func(c *ruletest.Cgroup) {
				c.Quota, c.CPU, c.Throttled, c.ThrottledTime, c.CPUStall = 400*time.Millisecond, 2, 0.4, 0.8, 0.06
			}))
		}, Want: rule.Certain, Kind: view.KindCgroup, Subject: "/web", Low: 0.79, High: 0.81},
		{Name: "one period of 25 on many CPUs, on most of which nothing wants to run, as older kernels count it", Host: func() *ruletest.Host {
			return on("5.15.0-105-generic", 32).Cgroup(bursts).Process(server(2, 0.06))
		}, Want: rule.Possible, Kind: view.KindCgroup, Subject: "/web", Low: 0.059, High: 0.061, Says: "stopped for 2.9 %",
			Proof: "stopped 0.06 s per second, summed over the CPUs: 2.9 % of the time in which it wanted one; the kernel counts 0.8 s, but before Linux 6.6 also CPUs on which nothing in it wants to run"},
		{Name: "the same on a newer kernel, where threads that are stopped have no run delay", Host: func() *ruletest.Host {
			return on("6.18.2", 32).Cgroup(bursts).Process(server(2, 0.06))
		}, Want: rule.Certain, Kind: view.KindCgroup, Subject: "/web", Low: 0.79, High: 0.81, Says: "stopped for 29 %"},
		{Name: "an older kernel, and all of that time was waited for", Host: func() *ruletest.Host {
			return on("5.15.0-105-generic", 32).Cgroup(bursts).Process(server(2, 0.9))
		}, Want: rule.Certain, Kind: view.KindCgroup, Subject: "/web", Low: 0.79, High: 0.81, Says: "stopped for 29 %"},
		{Name: "an older kernel, and most of those that wait are not seen", Host: func() *ruletest.Host {
			return on("5.15.0-105-generic", 32).Cgroup(bursts).Process(server(0.1, 0.06))
		}, Want: rule.Likely, Kind: view.KindCgroup, Subject: "/web", Low: 0.79, High: 0.81, Proof: "the kernel counts 0.8 s, but before Linux 6.6"},
		{Name: "an older kernel, and threads that wait do not live long enough to be seen", Host: func() *ruletest.Host {
			return on("5.15.0-105-generic", 32).Cgroup(stalled(0.3)).Process(server(2, 0.02))
		}, Want: rule.Likely, Kind: view.KindCgroup, Subject: "/web", Low: 0.79, High: 0.81, Proof: "the kernel counts 0.8 s, but before Linux 6.6"},
		{Name: "an older kernel, and those that are seen wait for most of it", Host: func() *ruletest.Host {
			return on("5.15.0-105-generic", 32).Cgroup(stalled(0.1)).Process(server(2, 0.06))
		}, Want: rule.Possible, Kind: view.KindCgroup, Subject: "/web", Low: 0.059, High: 0.061, Says: "stopped for 2.9 %"},
		{Name: "an older kernel, and nothing waited", Host: func() *ruletest.Host {
			return on("5.15.0-105-generic", 32).Cgroup(bursts).Process(server(2, 0))
		}},
		{Name: "a tenth of the time", Host: func() *ruletest.Host {
			return recent(2, 10).AllCPUs(idle).Cgroup(with(func(c *ruletest.Cgroup) { c.CPU, c.Throttled, c.ThrottledTime = 1, 1, 0.1 })).Process(nginx)
		}, Want: rule.Likely, Kind: view.KindCgroup, Subject: "/web", Low: 0.09, High: 0.11},
		{Name: "nearly all periods, for half a millisecond each", Host: func() *ruletest.Host {
			return recent(2, 10).AllCPUs(idle).Cgroup(with(func(c *ruletest.Cgroup) { c.ThrottledTime = 0.004 })).Process(nginx)
		}, Want: rule.Possible, Kind: view.KindCgroup, Subject: "/web", Low: 0.003, High: 0.005},
		{Name: "nearly all periods, for next to none of what many threads do", Host: func() *ruletest.Host {
			return recent(16, 10).AllCPUs(idle).Cgroup(with(func(c *ruletest.Cgroup) {
				c.Quota, c.CPU, c.ThrottledTime = 800*time.Millisecond, 8, 0.2
			})).Process(nginx)
		}, Want: rule.Possible, Kind: view.KindCgroup, Subject: "/web", Low: 0.19, High: 0.21},
		{Name: "few periods, for moments", Host: func() *ruletest.Host {
			return recent(2, 10).AllCPUs(idle).Cgroup(with(func(c *ruletest.Cgroup) { c.Throttled, c.ThrottledTime = 0.4, 0.01 })).Process(nginx)
		}},
		{Name: "for how long is not told", Host: func() *ruletest.Host {
			return recent(2, 10).AllCPUs(idle).Cgroup(with(func(c *ruletest.Cgroup) {
				c.Change = func(_ float64, r *recording.CgroupSample) { r.ThrottledTime = recording.Unknown }
			})).Process(nginx)
		}, Want: rule.Certain, Kind: view.KindCgroup, Subject: "/web", Low: 0.94, High: 0.96, Says: "stopped in 95 % of the periods"},
		{Name: "for how long is not told, and in a tenth of the periods", Host: func() *ruletest.Host {
			return recent(2, 10).AllCPUs(idle).Cgroup(with(func(c *ruletest.Cgroup) {
				c.Throttled, c.Change = 1, func(_ float64, r *recording.CgroupSample) { r.ThrottledTime = recording.Unknown }
			})).Process(nginx)
		}, Want: rule.Possible, Kind: view.KindCgroup, Subject: "/web", Low: 0.09, High: 0.11},
		{Name: "a quota that is enough", Host: func() *ruletest.Host {
			return recent(2, 10).AllCPUs(idle).Cgroup(with(func(c *ruletest.Cgroup) { c.Throttled, c.ThrottledTime = 0, 0 })).Process(nginx)
		}},
		{Name: "throttled before the window only, one burst", Host: func() *ruletest.Host {
			return recent(2, 5).AllCPUs(idle).Cgroup(with(func(c *ruletest.Cgroup) { c.Periods, c.Throttled, c.ThrottledTime = 0.4, 0.4, 0.01 })).Process(nginx)
		}},
		{Name: "group made anew in the window", Host: func() *ruletest.Host {
			return recent(2, 10).AllCPUs(idle).Cgroup(ruletest.Cgroup{Path: "/web", Quota: 10 * time.Millisecond, Change: func(s float64, r *recording.CgroupSample) {
				if s < 5 {
					r.Periods, r.Throttled = 1e9, 1e9
				} else {
					r.Periods, r.Throttled = int64(s), 0
				}
			}})
		}},
	})
}

func TestContextSwitches(t *testing.T) {
	kernel := ruletest.CPU{User: 0.13, System: 0.84}
	storm := ruletest.Process{PID: 12, Comm: "sysbench", Threads: 65, CPU: 1.93, System: 1.68, RunDelay: 7.3, Voluntary: 545494, Involuntary: 663735}
	ruletest.Check(t, contextSwitches, []ruletest.Situation{
		// Measured on two CPUs: sysbench threads --threads=64.
		{Name: "storm", Host: func() *ruletest.Host {
			return ruletest.New(2, 10).AllCPUs(kernel).Process(storm).System(ruletest.System{ContextSwitches: 1217864})
		}, Want: rule.Certain, Kind: view.KindProcess, Subject: "sysbench", Low: 0.8, High: 0.9, Says: "1.6 µs at a time"},
		{Name: "storm in a pipe", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10).AllCPUs(kernel).Process(storm).System(ruletest.System{ContextSwitches: 1217864})
			wait := recording.OffCPUWait{At: ruletest.Start.Add(9 * time.Second), PID: 12, TID: 13, Process: "sysbench", State: "S", Span: 10 * time.Second, Waited: 30 * time.Second,
				Waits: 1e6, Stack: "anon_pipe_read;vfs_read", Waker: "sysbench", WakerPID: 12, WakerTID: 14, WakerStack: "anon_pipe_write;__x64_sys_write"}
			other := wait
			other.Stack, other.Waker, other.WakerPID, other.Waited = "ep_poll", "client", 99, 90*time.Second
			ruletest.Add(h, wait, other)
			return h
		}, Want: rule.Certain, Kind: view.KindProcess, Subject: "sysbench", Low: 0.8, High: 0.9, Proof: "most for a pipe: 3 s per second in anon_pipe_read, ended by sysbench (12), write"},
		{Name: "storm on a corner of a big host", Host: func() *ruletest.Host {
			return ruletest.New(32, 5).AllCPUs(ruletest.CPU{User: 0.9}).Process(storm)
		}, Want: rule.Likely, Kind: view.KindProcess, Subject: "sysbench", Low: 0.01, High: 0.1},
		// Measured: redis-benchmark -c 50 against redis-server.
		{Name: "redis at full speed", Host: func() *ruletest.Host {
			return ruletest.New(2, 10).AllCPUs(ruletest.CPU{User: 0.15, System: 0.5, SoftIRQ: 0.27}).
				Process(ruletest.Process{PID: 3, Comm: "redis-server", Threads: 5, CPU: 0.8, System: 0.63, RunDelay: 0.04, Voluntary: 18854, Involuntary: 207})
		}},
		{Name: "MySQL at the knee", Host: func() *ruletest.Host {
			return ruletest.New(2, 10).AllCPUs(ruletest.CPU{User: 0.7, System: 0.25}).
				Process(ruletest.Process{PID: 3, Comm: "mariadbd", Threads: 40, CPU: 1.3, System: 0.4, RunDelay: 0.8, Voluntary: 40000, Involuntary: 3000})
		}},
		{Name: "a pair that passes a token", Host: func() *ruletest.Host {
			return ruletest.New(2, 10).AllCPUs(ruletest.CPU{User: 0.2, System: 0.6}).
				Process(ruletest.Process{PID: 3, Comm: "ping-pong", Threads: 2, CPU: 1, System: 0.8, RunDelay: 0.02, Voluntary: 300000})
		}},
	})
}

// What threads wait for is in the short text, too, if it is known.
func TestContextSwitchesNote(t *testing.T) {
	for _, known := range []bool{false, true} {
		h := ruletest.New(2, 10).AllCPUs(ruletest.CPU{User: 0.13, System: 0.84}).
			Process(ruletest.Process{PID: 12, Comm: "relay", Threads: 2, CPU: 1.93, System: 1.68, RunDelay: 1.3, Voluntary: 663735, Involuntary: 545494})
		want := "contend for a lock or a queue"
		if known {
			want = "threads wait for a pipe"
			ruletest.Add(h, recording.OffCPUWait{At: ruletest.Start.Add(9 * time.Second), PID: 12, TID: 13, Process: "relay", State: "S", Span: 10 * time.Second, Waited: 3 * time.Second,
				Waits: 1e6, Stack: "anon_pipe_read;vfs_read", Waker: "relay", WakerPID: 12, WakerTID: 14})
		}
		found := h.Detect(t, contextSwitches)
		if len(found) != 1 || len(found[0].Notes) != 1 || !strings.Contains(found[0].Notes[0].String(), want) {
			t.Errorf("known: %v, found %+v", known, found)
		}
	}
}

func TestOneThreadLimit(t *testing.T) {
	half := ruletest.CPU{User: 0.5, System: 0.03}
	server := ruletest.Process{PID: 70, Comm: "redis-server", CPU: 0.99, RunDelay: 0.005}
	queue := func(h *ruletest.Host, n uint32, accept uint32) *ruletest.Host {
		ruletest.Every(h, func(at time.Time, _ float64) recording.ListenerSample {
			return recording.ListenerSample{At: at, Port: 6379, Inode: 1, Queue: accept, Backlog: 511}
		})
		ruletest.Add(h, recording.SocketOwner{At: ruletest.Start, Inode: 1, PID: 70}, recording.SocketOwner{At: ruletest.Start, Inode: 2, PID: 70}, recording.SocketOwner{At: ruletest.Start, Inode: 3, PID: 70})
		for i, inode := range []uint64{2, 3} {
			ruletest.Every(h, func(at time.Time, _ float64) recording.TCPSample {
				return recording.TCPSample{At: at.Add(time.Duration(i) * time.Millisecond), Inode: inode, LocalPort: 6379, State: recording.TCPEstablished, RecvQueue: n}
			})
		}
		return h
	}
	ruletest.Check(t, oneThreadLimit, []ruletest.Situation{
		{Name: "unread requests", Host: func() *ruletest.Host {
			return queue(ruletest.New(2, 10).AllCPUs(half).Process(server), 40, 0)
		}, Want: rule.Certain, Kind: view.KindProcess, Subject: "redis-server", Low: 1.9, High: 2.1, Says: "its only thread is busy 99 %"},
		{Name: "connections not accepted", Host: func() *ruletest.Host {
			return queue(ruletest.New(8, 5).AllCPUs(ruletest.CPU{User: 0.13}).Process(server), 0, 30)
		}, Want: rule.Certain, Kind: view.KindProcess, Subject: "redis-server", Low: 29, High: 31},
		{Name: "one of many threads", Host: func() *ruletest.Host {
			h := queue(ruletest.New(2, 10).AllCPUs(half), 40, 0)
			p := server
			p.Threads, p.CPU = 6, 1.05
			return h.Process(p).Thread(ruletest.Thread{PID: 70, TID: 71, Comm: "bio", CPU: 0.05}).Thread(ruletest.Thread{PID: 70, TID: 70, Comm: "main", State: "R", CPU: 0.99})
		}, Want: rule.Certain, Kind: view.KindProcess, Subject: "redis-server", Low: 0.9, High: 1.1, Says: "thread main (70)"},
		{Name: "one of many threads, and one connection that may be its own", Host: func() *ruletest.Host {
			h := queue(ruletest.New(2, 10).AllCPUs(half), 0, 0)
			ruletest.Add(h, recording.SocketOwner{At: ruletest.Start, Inode: 4, PID: 70})
			ruletest.Every(h, func(at time.Time, _ float64) recording.TCPSample {
				return recording.TCPSample{At: at, Inode: 4, LocalPort: 6379, State: recording.TCPEstablished, RecvQueue: 40}
			})
			p := server
			p.Threads, p.CPU = 6, 1.05
			return h.Process(p).Thread(ruletest.Thread{PID: 70, TID: 70, Comm: "main", State: "R", CPU: 0.99})
		}, Want: rule.Possible, Kind: view.KindProcess, Subject: "redis-server", Low: 0.4, High: 0.6, Says: "no process was seen waiting"},
		{Name: "the other threads use a CPU, too", Host: func() *ruletest.Host {
			h := queue(ruletest.New(4, 10).AllCPUs(half), 40, 0)
			p := server
			p.Threads, p.CPU = 6, 1.9
			return h.Process(p).Thread(ruletest.Thread{PID: 70, TID: 70, Comm: "main", State: "R", CPU: 0.99})
		}, Want: rule.Possible, Kind: view.KindProcess, Subject: "redis-server", Low: 0.2, High: 0.3, Says: "its other threads use 91 % of a CPU"},
		{Name: "a thread for each connection, one of which is kept busy", Host: func() *ruletest.Host {
			h := queue(ruletest.New(2, 10).AllCPUs(half), 40, 0)
			p := server
			p.Comm, p.Threads, p.CPU = "app-server", 3, 1
			return h.Process(p).Thread(ruletest.Thread{PID: 70, TID: 71, Comm: "worker", State: "R", CPU: 0.99}).
				Thread(ruletest.Thread{PID: 70, TID: 72, Comm: "worker", Syscall: "recvfrom"})
		}},
		{Name: "a busy connection of a MySQL server", Host: func() *ruletest.Host {
			h := queue(ruletest.New(2, 10).AllCPUs(half), 40, 0)
			p := server
			p.Comm, p.Threads, p.CPU = "mysqld", 37, 1
			return h.Process(p).Thread(ruletest.Thread{PID: 70, TID: 71, Comm: "connection", State: "R", CPU: 0.98})
		}},
		{Name: "rtrail's own questions", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10).AllCPUs(half).Process(server).Process(ruletest.Process{PID: 99, Comm: "rtrail", CPU: 0.01})
			h.Manifest(func(m *recording.Manifest) { m.Host.PID = 99 })
			ruletest.Add(h, recording.SocketOwner{At: ruletest.Start, Inode: 1, PID: 70}, recording.SocketOwner{At: ruletest.Start, Inode: 2, PID: 70},
				recording.SocketOwner{At: ruletest.Start, Inode: 3, PID: 99})
			ruletest.Every(h, func(at time.Time, _ float64) recording.ListenerSample {
				return recording.ListenerSample{At: at, Port: 6379, Inode: 1, Backlog: 511}
			})
			ruletest.Every(h, func(at time.Time, _ float64) recording.TCPSample {
				return recording.TCPSample{At: at, Inode: 2, Local: "127.0.0.1", LocalPort: 6379, Remote: "127.0.0.1", RemotePort: 40000, State: recording.TCPEstablished, RecvQueue: 280}
			})
			ruletest.Every(h, func(at time.Time, _ float64) recording.TCPSample {
				return recording.TCPSample{At: at, Inode: 3, Local: "127.0.0.1", LocalPort: 40000, Remote: "127.0.0.1", RemotePort: 6379, State: recording.TCPEstablished}
			})
			return h
		}, Want: rule.Possible, Kind: view.KindProcess, Subject: "redis-server", Low: 0.4, High: 0.6, Says: "no process was seen waiting"},
		{Name: "a batch nobody waits for", Host: func() *ruletest.Host {
			return ruletest.New(2, 10).AllCPUs(half).Process(server)
		}, Want: rule.Possible, Kind: view.KindProcess, Subject: "redis-server", Low: 0.4, High: 0.6},
		{Name: "keeps up with its queue", Host: func() *ruletest.Host {
			p := server
			p.CPU = 0.6
			return queue(ruletest.New(2, 10).AllCPUs(half).Process(p), 40, 0)
		}},
		{Name: "no other CPU is idle", Host: func() *ruletest.Host {
			return queue(ruletest.New(2, 10).AllCPUs(ruletest.CPU{User: 0.95}).Process(server), 40, 0)
		}},
		{Name: "many threads share the work", Host: func() *ruletest.Host {
			p := server
			p.Threads, p.CPU = 4, 1
			h := queue(ruletest.New(2, 10).AllCPUs(half).Process(p), 40, 0)
			return h.Thread(ruletest.Thread{PID: 70, TID: 71, CPU: 0.5}).Thread(ruletest.Thread{PID: 70, TID: 72, CPU: 0.5})
		}},
	})
}

// justBorn: a process that has used no CPU time to speak of.
func justBorn(_ float64, r *recording.ProcessSample) { r.User, r.System = 0, 0 }

func TestShortLivedProcesses(t *testing.T) {
	busy := ruletest.CPU{User: 0.5, System: 0.3}
	spawner := ruletest.Process{PID: 50, Comm: "php-fpm", CPU: 0.2, Child: 1.1}
	child := func(h *ruletest.Host) *ruletest.Host {
		return h.Process(ruletest.Process{PID: 900, PPID: 50, Comm: "stress", State: "R", From: 3, To: 3, Started: ruletest.Start.Add(3 * time.Second), Change: justBorn}).
			Process(ruletest.Process{PID: 950, PPID: 50, Comm: "php-fpm", From: 5, To: 5, Started: ruletest.Start.Add(5 * time.Second), Change: justBorn})
	}
	half := ruletest.CPU{User: 0.3, System: 0.2}
	script := ruletest.Process{PID: 50, Comm: "bash", CPU: 0.05, Child: 0.6}
	loop := func(h *ruletest.Host) *ruletest.Host {
		return child(h.AllCPUs(half).System(ruletest.System{Forks: 104}).Process(script).Process(ruletest.Process{PID: 7, Comm: "sysbench", CPU: 0.3}))
	}
	served := func(perSecond float64) func() *ruletest.Host {
		return func() *ruletest.Host {
			h := loop(ruletest.New(2, 10))
			ruletest.Add(h, recording.SocketOwner{At: ruletest.Start, Inode: 1, PID: 50})
			ruletest.Every(h, func(at time.Time, _ float64) recording.ListenerSample {
				return recording.ListenerSample{At: at, NetNS: 1, Local: "0.0.0.0", Port: 8080, Inode: 1, Backlog: 5}
			})
			return ruletest.Every(h, func(at time.Time, s float64) recording.TCPSample {
				return recording.TCPSample{At: at, NetNS: 1, Inode: 2, Local: "10.0.0.1", LocalPort: 8080, Remote: "10.0.0.2", RemotePort: 40000,
					State: recording.TCPEstablished, Info: true, DataSegsIn: uint32(perSecond * s)}
			})
		}
	}
	ruletest.Check(t, shortLivedProcesses, []ruletest.Situation{
		{Name: "a parent and its brief children, and tasks that wait", Host: func() *ruletest.Host {
			return child(ruletest.New(2, 10).AllCPUs(busy).Pressure("cpu", 0.6, 0).System(ruletest.System{Forks: 400}).Process(spawner))
		}, Want: rule.Certain, Kind: view.KindProcess, Subject: "php-fpm", Low: 0.6, High: 0.8, Says: "(stress): 400/s new tasks", Proof: "tasks waited for a CPU 60 %"},
		{Name: "the kernel tells what was started, and how it ended", Host: func() *ruletest.Host {
			h := child(ruletest.New(2, 10).AllCPUs(busy).Pressure("cpu", 0.6, 0).System(ruletest.System{Forks: 400}).Process(spawner))
			return brood{parent: 50, comm: "convert", cmdline: "convert -resize 50% in-%d.png out.png", perSecond: 90, cpu: 5 * time.Millisecond, status: 1}.add(h)
		}, Want: rule.Certain, Kind: view.KindProcess, Subject: "php-fpm", Low: 0.54, High: 0.56, Says: "(convert): 81/s new processes", Proof: "convert -resize 50% … out.png ended 810 times with exit status 1"},
		{Name: "a storm beside few children with much CPU time", Host: func() *ruletest.Host {
			p := spawner
			p.Comm, p.Child = "storm.sh", 0.27
			h := ruletest.New(2, 10).AllCPUs(busy).System(ruletest.System{Forks: 400}).Process(p).Process(ruletest.Process{PID: 60, Comm: "heavy.sh", CPU: 0.1, Child: 1})
			brood{parent: 60, comm: "python3", cmdline: "python3 job.py --id=%d", perSecond: 3, cpu: 300 * time.Millisecond}.add(h)
			return brood{parent: 50, comm: "true", cmdline: "true --check=%d", perSecond: 90, cpu: 3 * time.Millisecond}.add(h)
		}, Want: rule.Possible, Kind: view.KindProcess, Subject: "storm.sh", Low: 0.13, High: 0.14, Says: "(true): 81/s new processes, 14 % of all CPU time", Proof: "true --check=… ended 810 times with exit status 0"},
		{Name: "threads, and few processes", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10).AllCPUs(busy).System(ruletest.System{Forks: 1092}).Process(ruletest.Process{PID: 50, Comm: "go", CPU: 0.3, Child: 1.04})
			return brood{parent: 50, comm: "compile", cmdline: "compile %d", perSecond: 6, cpu: 170 * time.Millisecond}.add(h)
		}},
		{Name: "run delay without pressure", Host: func() *ruletest.Host {
			return child(ruletest.New(2, 10).AllCPUs(busy).System(ruletest.System{Forks: 400}).Process(spawner).Process(ruletest.Process{Comm: "nginx", CPU: 0.05, RunDelay: 0.5}))
		}, Want: rule.Certain, Kind: view.KindProcess, Subject: "php-fpm", Low: 0.6, High: 0.8, Proof: "waited 0.5 s per second"},
		{Name: "busy CPUs, and nobody waits", Host: func() *ruletest.Host {
			return child(ruletest.New(2, 10).AllCPUs(busy).Pressure("cpu", 0.1, 0).System(ruletest.System{Forks: 400}).Process(spawner))
		}, Want: rule.Possible, Kind: view.KindProcess, Subject: "php-fpm", Low: 0.6, High: 0.8},
		{Name: "children whose parent gets no account", Host: func() *ruletest.Host {
			p := spawner
			p.Child = 0
			return child(ruletest.New(2, 5).AllCPUs(busy).Pressure("cpu", 0.6, 0).System(ruletest.System{Forks: 400}).Process(p))
		}, Want: rule.Likely, Kind: view.KindProcess, Subject: "php-fpm", Low: 0.6, High: 0.8},
		{Name: "a waiting script beside a build whose parents get no account", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10).AllCPUs(ruletest.CPU{User: 1}).System(ruletest.System{Forks: 73}).Process(ruletest.Process{PID: 60, Comm: "hold.sh"}).
				Process(ruletest.Process{Comm: "compile", CPU: 1.4, RunDelay: 6})
			for i := range 4 {
				h.Process(ruletest.Process{PID: int32(900 + i), PPID: 60, Comm: "sleep", From: float64(i + 1), To: float64(i + 1), Started: ruletest.Start.Add(time.Duration(i+1) * time.Second), Change: justBorn})
			}
			return h
		}},
		{Name: "a parent that got back a part of what is missing", Host: func() *ruletest.Host {
			p := spawner
			p.CPU, p.Child = 0.1, 0.5
			return child(ruletest.New(2, 10).AllCPUs(ruletest.CPU{User: 1}).System(ruletest.System{Forks: 73}).Process(p).Process(ruletest.Process{Comm: "compile", CPU: 0.3, RunDelay: 6}))
		}, Want: rule.Likely, Kind: view.KindProcess, Subject: "php-fpm", Low: 0.24, High: 0.26},
		{Name: "the kernel tells that its children sleep", Host: func() *ruletest.Host {
			p := spawner
			p.CPU, p.Child = 0.1, 0
			h := child(ruletest.New(2, 10).AllCPUs(ruletest.CPU{User: 1}).System(ruletest.System{Forks: 73}).Process(p).Process(ruletest.Process{Comm: "compile", CPU: 1.3, RunDelay: 6}))
			for i := range int32(9) {
				at := ruletest.Start.Add(time.Duration(i) * time.Second)
				ruletest.Add(h, recording.ProcessEvent{At: at, Kind: recording.ProcessForked, PID: 2000 + i, PPID: 50, Comm: "php-fpm"},
					recording.ProcessEvent{At: at.Add(time.Second / 2), Kind: recording.ProcessExited, PID: 2000 + i, PPID: 50, Comm: "sleep", Cmdline: "sleep .5", Lifetime: time.Second / 2, CPUTime: time.Millisecond})
			}
			return h
		}},
		{Name: "a parent without account, and the kernel tells of its children", Host: func() *ruletest.Host {
			p := spawner
			p.Child = 0
			h := ruletest.New(2, 10).AllCPUs(busy).Pressure("cpu", 0.6, 0).System(ruletest.System{Forks: 400}).Process(p)
			return brood{parent: 50, comm: "convert", cmdline: "convert in.png", perSecond: 90, cpu: 14 * time.Millisecond}.add(h)
		}, Want: rule.Certain, Kind: view.KindProcess, Subject: "php-fpm", Low: 0.56, High: 0.57},
		{Name: "a shell loop beside idle CPUs", Host: func() *ruletest.Host {
			return loop(ruletest.New(2, 10).Pressure("cpu", 0.3, 0))
		}, Want: rule.Possible, Kind: view.KindProcess, Subject: "bash", Low: 0.2, High: 0.4},
		{Name: "the same loop beside others that fill the CPUs", Host: func() *ruletest.Host {
			p := script
			p.Child = 0.25
			return child(ruletest.New(2, 10).AllCPUs(ruletest.CPU{User: 1}).Pressure("cpu", 0.9, 0).System(ruletest.System{Forks: 104}).Process(p).
				Process(ruletest.Process{Comm: "java", CPU: 1.7, RunDelay: 2}))
		}, Want: rule.Possible, Kind: view.KindProcess, Subject: "bash", Low: 0.1, High: 0.2},
		{Name: "a script that works on its input", Host: func() *ruletest.Host {
			return loop(ruletest.New(2, 10)).Thread(ruletest.Thread{PID: 50, TID: 50, Comm: "bash", CPU: 0.05, Syscall: "read", Input: 0.4})
		}, Want: rule.Likely, Kind: view.KindProcess, Subject: "bash", Low: 0.2, High: 0.4, Proof: "its children used 92 %"},
		{Name: "a script that mostly waits for input", Host: func() *ruletest.Host {
			return loop(ruletest.New(2, 10)).Thread(ruletest.Thread{PID: 50, TID: 50, Comm: "bash", CPU: 0.05, Syscall: "read", Input: 0.8})
		}, Want: rule.Possible, Kind: view.KindProcess, Subject: "bash", Low: 0.2, High: 0.4},
		{Name: "a server that starts two processes for each request", Host: served(52), Want: rule.Likely, Kind: view.KindProcess, Subject: "bash", Low: 0.2, High: 0.4, Proof: "52/s requests came"},
		{Name: "an agent that is asked now and then", Host: served(0.2), Want: rule.Possible, Kind: view.KindProcess, Subject: "bash", Low: 0.2, High: 0.4},
		{Name: "a build of long compilations", Host: func() *ruletest.Host {
			p := spawner
			p.Comm, p.Child = "make", 1.5
			return ruletest.New(2, 10).AllCPUs(ruletest.CPU{User: 1}).System(ruletest.System{Forks: 20}).Process(p)
		}},
		{Name: "a parallel build with many threads", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10).AllCPUs(ruletest.CPU{User: 0.8}).System(ruletest.System{Forks: 64}).Process(ruletest.Process{PID: 50, Comm: "go", CPU: 0.3, Child: 0.5})
			return h.Process(ruletest.Process{PPID: 50, Comm: "compile", From: 3, To: 3, Started: ruletest.Start.Add(2500 * time.Millisecond), Change: func(_ float64, r *recording.ProcessSample) {
				r.User, r.System = 400*time.Millisecond, 50*time.Millisecond
			}})
		}, Want: rule.Possible, Kind: view.KindProcess, Subject: "go", Low: 0.2, High: 0.8},
		{Name: "threads, not processes", Host: func() *ruletest.Host {
			return ruletest.New(2, 10).AllCPUs(busy).System(ruletest.System{Forks: 3000}).Process(ruletest.Process{PID: 9, Comm: "java", CPU: 1.6})
		}},
		{Name: "one old child handed over its hours", Host: func() *ruletest.Host {
			return ruletest.New(2, 10).AllCPUs(ruletest.CPU{User: 0.05}).System(ruletest.System{Forks: 60}).
				Process(ruletest.Process{PID: 50, Comm: "bash", CPU: 0.1, Change: func(s float64, r *recording.ProcessSample) {
					if s >= 5 {
						r.ChildUser += 2 * time.Hour
					}
				}})
		}},
		{Name: "two readings, and a child that handed over ten seconds", Host: func() *ruletest.Host {
			return ruletest.New(2, 1).AllCPUs(ruletest.CPU{User: 0.5}).System(ruletest.System{Forks: 60}).
				Process(ruletest.Process{PID: 60, Comm: "java", CPU: 1}).
				Process(ruletest.Process{PID: 50, Comm: "bash", Change: func(s float64, r *recording.ProcessSample) {
					if s >= 1 {
						r.ChildUser += 10 * time.Second
					}
				}})
		}},
	})
}

// brood is what the kernel tells of the children of one process, in nine seconds of the window.
type brood struct {
	parent        int32
	comm, cmdline string // with %d: each is another one
	perSecond     int
	cpu           time.Duration // of each
	status        int32
}

func (b brood) add(h *ruletest.Host) *ruletest.Host {
	for i := range int32(9 * b.perSecond) {
		at := ruletest.Start.Add(time.Second/2 + time.Duration(i)*time.Second/time.Duration(b.perSecond))
		pid := b.parent*1000 + i
		ruletest.Add(h, recording.ProcessEvent{At: at, Kind: recording.ProcessForked, PID: pid, PPID: b.parent, Comm: "sh"},
			recording.ProcessEvent{At: at.Add(5 * time.Millisecond), Kind: recording.ProcessExited, PID: pid, PPID: b.parent, Comm: b.comm,
				Cmdline: strings.Replace(b.cmdline, "%d", strconv.Itoa(int(i)), 1), Lifetime: 5 * time.Millisecond, CPUTime: b.cpu, Status: b.status})
	}
	return h
}

// Each parent that starts many is named, with its own rate and CPU time.
func TestShortLivedStorms(t *testing.T) {
	h := ruletest.New(2, 10).AllCPUs(ruletest.CPU{User: 0.5, System: 0.3}).System(ruletest.System{Forks: 300}).
		Process(ruletest.Process{PID: 50, Comm: "php-fpm", Child: 0.5}).Process(ruletest.Process{PID: 60, Comm: "cron", Child: 0.3})
	brood{parent: 50, comm: "convert", cmdline: "convert in.png", perSecond: 100, cpu: 5 * time.Millisecond}.add(h)
	brood{parent: 60, comm: "date", cmdline: "date", perSecond: 120, cpu: time.Millisecond}.add(h)
	got := map[string]float64{}
	for _, f := range h.Detect(t, shortLivedProcesses) {
		got[f.Headline.String()] = f.Impact.Share
	}
	want := map[string]float64{"php-fpm (50) starts short-lived processes (convert): 90/s new processes, 25 % of all CPU time": 0.25,
		"cron (60) starts short-lived processes (date): 108/s new processes, 15 % of all CPU time": 0.15}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 0.01)); diff != "" {
		t.Error(diff)
	}
}

// Why nobody is said to wait agrees with what others find about the same CPUs.
func TestShortLivedHarmless(t *testing.T) {
	for _, tt := range []struct {
		x          harm
		used, busy float64
		want       string
	}{
		{harm{waits: true}, 0.15, 1, "tasks wait for a CPU, but other work uses most of it: 15 % of the busy time is theirs"},
		{harm{waits: true}, 0.4, 1, "only tasks with a positive nice value wait for a CPU"},
		{harm{}, 0.4, 0.5, "no process was seen to wait because of them: the CPUs were idle 50 % of the time"},
		{harm{}, 0.4, 1, "no process was seen to wait for a CPU"},
	} {
		if got := tt.x.harmless(tt.used, view.CPUShare{User: tt.busy, Idle: 1 - tt.busy}).String(); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt, got, tt.want)
		}
	}
}

func TestSoftIRQ(t *testing.T) {
	flood := func(h *ruletest.Host, name string, packets, size float64) *ruletest.Host {
		h.SoftIRQ("NET_RX", 1, packets/8).SoftIRQ("TIMER", 1, 1000)
		h.NetDevice(ruletest.NetDevice{Name: name + "-peer", NetNS: 2, TxPackets: packets, TxBytes: packets * size})
		return h.NetDevice(ruletest.NetDevice{Name: name, RxPackets: packets, RxBytes: packets * size})
	}
	quiet, loaded := ruletest.CPU{User: 0.1}, ruletest.CPU{System: 0.3, SoftIRQ: 0.6}
	ruletest.Check(t, softirq, []ruletest.Situation{
		{Name: "flood through a veth pair", Host: func() *ruletest.Host {
			h := flood(ruletest.New(2, 10).CPUs(quiet, loaded), "veth0", 400000, 42)
			h.Process(ruletest.Process{PID: 20, Comm: "ksoftirqd/1", Kernel: true, CPU: 0.3})
			return ruletest.Every(h, func(at time.Time, s float64) recording.ProtocolSample {
				return recording.ProtocolSample{At: at, NetNS: 1, Protocol: "Udp", Name: "NoPorts", Value: int64(400000 * s)}
			})
		}, Want: rule.Certain, Kind: view.KindInterface, Subject: "veth0", Low: 0.59, High: 0.61, Says: "400,000/s tiny packets arrive on veth0"},
		{Name: "refused packets on a CPU with time left", Host: func() *ruletest.Host {
			return ruletest.Every(flood(ruletest.New(2, 10).CPUs(quiet, ruletest.CPU{User: 0.1, SoftIRQ: 0.35}), "eth0", 90000, 60), func(at time.Time, s float64) recording.ProtocolSample {
				return recording.ProtocolSample{At: at, NetNS: 1, Protocol: "Udp", Name: "NoPorts", Value: int64(90000 * s)}
			})
		}, Want: rule.Certain, Kind: view.KindInterface, Subject: "eth0", Low: 0.3, High: 0.4},
		{Name: "a name server with time left", Host: func() *ruletest.Host {
			return ruletest.Every(flood(ruletest.New(2, 10).CPUs(quiet, ruletest.CPU{User: 0.3, SoftIRQ: 0.35}), "eth0", 90000, 75), func(at time.Time, s float64) recording.ProtocolSample {
				return recording.ProtocolSample{At: at, NetNS: 1, Protocol: "Udp", Name: "InDatagrams", Value: int64(90000 * s)}
			})
		}, Want: rule.Possible, Kind: view.KindInterface, Subject: "eth0", Low: 0.3, High: 0.4},
		{Name: "a name server with time left, beside a busy ksoftirqd of another CPU", Host: func() *ruletest.Host {
			h := flood(ruletest.New(2, 10).CPUs(quiet, ruletest.CPU{User: 0.3, SoftIRQ: 0.35}), "eth0", 90000, 75).
				Process(ruletest.Process{PID: 20, Comm: "ksoftirqd/0", Kernel: true, CPU: 0.06})
			return ruletest.Every(h, func(at time.Time, s float64) recording.ProtocolSample {
				return recording.ProtocolSample{At: at, NetNS: 1, Protocol: "Udp", Name: "InDatagrams", Value: int64(90000 * s)}
			})
		}, Want: rule.Possible, Kind: view.KindInterface, Subject: "eth0", Low: 0.3, High: 0.4},
		{Name: "large packets, beside a busy ksoftirqd of another CPU", Host: func() *ruletest.Host {
			return flood(ruletest.New(4, 5).CPUs(quiet, loaded, quiet, quiet), "eth0", 400000, 1400).
				Process(ruletest.Process{PID: 20, Comm: "ksoftirqd/0", Kernel: true, CPU: 0.3})
		}},
		{Name: "large packets that pile up", Host: func() *ruletest.Host {
			return flood(ruletest.New(4, 5).CPUs(quiet, loaded, quiet, quiet), "eth0", 400000, 1400).
				Process(ruletest.Process{PID: 20, Comm: "ksoftirqd/1", Kernel: true, CPU: 0.3})
		}, Want: rule.Likely, Kind: view.KindInterface, Subject: "eth0", Low: 0.59, High: 0.61},
		{Name: "a flood behind a proxy with a backend on 127.0.0.1", Host: func() *ruletest.Host {
			h := flood(ruletest.New(2, 10).CPUs(quiet, loaded), "eth0", 90000, 60).NetDevice(ruletest.NetDevice{Name: "lo", RxPackets: 100000, RxBytes: 1e8})
			ruletest.Add(h, recording.SysctlSample{At: ruletest.Start, Name: "/sys/class/net/eth0/device/msi_irqs", Value: "30"})
			h.Process(ruletest.Process{PID: 20, Comm: "ksoftirqd/1", Kernel: true, CPU: 0.3})
			return ruletest.Every(h, func(at time.Time, s float64) recording.InterruptSample {
				return recording.InterruptSample{At: at, IRQ: "30", Device: "PCI-MSIX eth0-TxRx-0", CPU: 1, Count: uint64(7 + 50*s)}
			})
		}, Want: rule.Certain, Kind: view.KindInterface, Subject: "eth0", Low: 0.59, High: 0.61},
		{Name: "useful traffic", Host: func() *ruletest.Host {
			return flood(ruletest.New(2, 10).CPUs(quiet, ruletest.CPU{User: 0.3, System: 0.4, SoftIRQ: 0.28}), "eth0", 90000, 300)
		}},
		{Name: "idle", Host: func() *ruletest.Host {
			return flood(ruletest.New(2, 10).CPUs(quiet, quiet), "eth0", 100, 60)
		}},
	})
	lo := flood(ruletest.New(2, 10).CPUs(quiet, loaded), "lo", 300000, 60)
	lo.Silent(t, softirq) // a local benchmark's own traffic
}
