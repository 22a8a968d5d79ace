package view

import (
	"math"
	"testing"
	"time"

	"rtrail/internal/recording"
)

var began = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func recorded[T recording.Row](rows ...T) *View {
	rec := recording.New(recording.Manifest{Host: recording.Host{CPUs: 2, PageSize: 4096}})
	w := recording.NewWriter(began)
	recording.Append(w, rows...)
	if err := rec.Commit(w); err != nil {
		panic(err)
	}
	return New(rec, began, began.Add(time.Minute))
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func TestCPUsSurviveCountersThatRunBackwards(t *testing.T) {
	s := time.Second
	v := recorded(
		recording.CPUSample{At: began, CPU: 0, User: 100 * s, Idle: 1000 * s, IOWait: 50 * s},
		recording.CPUSample{At: began, CPU: -1, User: 200 * s, Idle: 2000 * s},
		recording.CPUSample{At: began, CPU: 1, User: 100 * s, Idle: 1000 * s},
		// iowait of one CPU falls by a tick: no hour of waiting appears.
		recording.CPUSample{At: began.Add(4 * s), CPU: 0, User: 103 * s, Idle: 1001 * s, IOWait: 50*s - 10*time.Millisecond},
		// CPU 1 went away and came back.
		recording.CPUSample{At: began.Add(4 * s), CPU: 1, User: s, Idle: 3 * s},
		recording.CPUSample{At: began.Add(8 * s), CPU: 1, User: 2 * s, Idle: 6 * s},
	)
	cpus := v.CPUs()
	if len(cpus) != 2 {
		t.Fatalf("%d CPUs, want 2", len(cpus))
	}
	near(t, "user of CPU 0", cpus[0].User, 0.75)
	near(t, "busy of CPU 0", cpus[0].Busy(), 0.75)
	near(t, "user of CPU 1", cpus[1].User, 0.25)
	total, ok := v.CPUTotal()
	if !ok {
		t.Fatal("no total")
	}
	near(t, "user of all", total.User, 0.5)
	near(t, "idle cores", v.IdleCores(), 1)
}

func TestStallAndScheduler(t *testing.T) {
	s := time.Second
	v := recorded(
		recording.PressureSample{At: began, Resource: "cpu", Some: 100 * s},
		recording.PressureSample{At: began, Resource: "memory", Some: 7 * s},
		recording.PressureSample{At: began.Add(10 * s), Resource: "cpu", Some: 104 * s},
	)
	cpu, ok := v.Stall("cpu")
	near(t, "cpu some", cpu.Some, 0.4)
	if !ok {
		t.Error("no stall of cpu")
	}
	if _, ok := v.Stall("memory"); ok {
		t.Error("one reading gave a stall")
	}
	v = recorded(
		recording.SystemSample{At: began, Forks: 1000, Running: 1, ContextSwitches: 5},
		recording.SystemSample{At: began.Add(5 * s), Forks: 1100, Running: 4, ContextSwitches: 10},
	)
	sched, _ := v.Scheduler()
	near(t, "forks", sched.Forks, 20)
	near(t, "running", sched.Running, 2.5)
}

func TestCgroups(t *testing.T) {
	s := time.Second
	row := func(at int, path string, periods, throttled int64, stopped time.Duration) recording.CgroupSample {
		return recording.CgroupSample{At: began.Add(time.Duration(at) * s), Path: path, Version: 2, Quota: 50 * time.Millisecond, Period: 100 * time.Millisecond,
			Periods: periods, Throttled: throttled, ThrottledTime: stopped, MemoryMax: math.MaxInt64, OOMKills: recording.Unknown}
	}
	v := recorded(row(0, "/a", 100, 10, s), row(0, "/b", 900, 900, 9*s), row(10, "/a", 200, 60, 6*s), row(10, "/b", 50, 5, s))
	groups := v.Cgroups()
	a, b := groups[0], groups[1]
	near(t, "periods", a.PeriodsIn, 100)
	near(t, "throttled", a.ThrottledIn, 50)
	near(t, "throttling", a.Throttling, 0.5)
	near(t, "cores", a.Cores(), 0.5)
	near(t, "throttled of a recreated group", b.ThrottledIn, 5)
	if a.Limited() || !a.HasQuota() {
		t.Error("limits misread")
	}
	if !math.IsNaN(a.Kills) {
		t.Errorf("unreadable kills became %v", a.Kills)
	}
	for _, c := range []struct {
		path, group string
		in          bool
	}{{"/a/b", "/a", true}, {"/a", "/a", true}, {"/ab", "/a", false}, {"/x", "/", true}, {"", "/", false}, {"/../x", "/", false}, {"/..", "/", false}, {"/..x", "/", true}} {
		if got := InGroup(c.path, c.group); got != c.in {
			t.Errorf("InGroup(%q, %q) = %t", c.path, c.group, got)
		}
	}
}

func TestPaging(t *testing.T) {
	v := recorded(
		recording.VMStatSample{At: began, SwapIn: 100, SwapOut: 100, OOMKills: 3},
		recording.VMStatSample{At: began.Add(time.Second), SwapIn: 200, SwapOut: 100, OOMKills: 3},
		recording.VMStatSample{At: began.Add(2 * time.Second), SwapIn: 300, SwapOut: 150, OOMKills: 4},
	)
	p, ok := v.Paging()
	if !ok {
		t.Fatal("no paging")
	}
	near(t, "swap-in", p.SwapIn, 100*4096)
	near(t, "swap-out", p.SwapOut, 25*4096)
	near(t, "steady in", p.InSteady, 1)
	near(t, "steady out", p.OutSteady, 0.5)
	near(t, "kills", p.OOMKills, 1)
}
