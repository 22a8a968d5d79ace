package memory

import (
	"strings"
	"testing"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule/ruletest"
)

func TestSwappingCulpritAndVictims(t *testing.T) {
	java := ruletest.Process{PID: 9, Comm: "java", RSS: 900 * mib, Anon: 890 * mib, SwapUsed: 600 * mib, Major: 900}
	mysqld := ruletest.Process{PID: 10, Comm: "mysqld", RSS: 300 * mib, Anon: 290 * mib, Major: 40}
	pushed := func(p ruletest.Process, rate float64) ruletest.Process {
		p.AnonGrowth, p.SwapGrowth = -rate, rate
		return p
	}
	growing := func(rate float64) ruletest.Process {
		return ruletest.Process{PID: 11, Comm: "job", Anon: 50 * mib, AnonGrowth: rate}
	}
	for _, tt := range []struct {
		name             string
		list             []ruletest.Process
		culprit, victims string
	}{
		{"nobody grows: the largest", []ruletest.Process{java, pushed(mysqld, 0)}, "java", ""},
		{"a smaller one grows and pushes the largest out", []ruletest.Process{pushed(java, 5*mib), growing(6 * mib)}, "job", "java (9) has"},
		{"one grows while nobody loses anything", []ruletest.Process{java, growing(6 * mib)}, "java", ""},
		{"one grows by a little of what others lose", []ruletest.Process{pushed(java, 5*mib), growing(mib)}, "java", ""},
		{"one grows slowly", []ruletest.Process{pushed(java, 0.1*mib), growing(0.1 * mib)}, "java", ""},
		{"a victim known by its delay", func() []ruletest.Process {
			mysqld.SwapDelay, mysqld.SwapUsed = 0.4, 20*mib
			return []ruletest.Process{java, mysqld}
		}(), "java", "mysqld (10) waits for its pages to come back 400 ms per second, 20 MiB in swap"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10).VMStat(ruletest.VMStat{SwapIn: 5000, SwapOut: 5200, MajorFaults: 1000, Faults: 20000}).
				Memory(2*gib, 50*mib, 0).Swap("/dev/zram0", 2*gib, gib, 0).Pressure("memory", 0.4, 0.2)
			for _, p := range tt.list {
				h.Process(p)
			}
			f := h.Detect(t, swapping)[0]
			ruletest.Checked(t, f)
			var victims []string
			for i := range f.Victims {
				victims = append(victims, f.Victims[i].Words().String())
			}
			if got := strings.Join(victims, ", "); f.Subject.Name != tt.culprit || !strings.HasPrefix(got, tt.victims) || (tt.victims == "") != (got == "") {
				t.Errorf("culprit %q, victims %q; want %q, %q", f.Subject.Name, got, tt.culprit, tt.victims)
			}
		})
	}
}

// What the kernel holds is told where it is much of the host's memory, and the host is short.
func TestSwappingKernelMemory(t *testing.T) {
	const told = "the kernel itself holds 600 MiB that it cannot free: 500 MiB in slab caches, 100 MiB in page tables"
	for _, tt := range []struct {
		name          string
		slabs, tables int64
		limited       bool
		want          string
	}{
		{"much", 500 * mib, 100 * mib, false, told},
		{"little", 300 * mib, 100 * mib, false, ""},
		{"not known", -1, -1, false, ""},
		{"much, but a control group is short", 500 * mib, 100 * mib, true, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10).VMStat(ruletest.VMStat{SwapIn: 5000, SwapOut: 5200, MajorFaults: 1000, Faults: 20000}).Pressure("memory", 0.4, 0.2)
			ruletest.Every(h, func(at time.Time, _ float64) recording.MemorySample {
				return recording.MemorySample{At: at, Total: 2 * gib, Available: 50 * mib, SUnreclaim: tt.slabs, PageTables: tt.tables}
			})
			java := ruletest.Process{PID: 9, Comm: "java", RSS: 900 * mib, Anon: 890 * mib, SwapUsed: 600 * mib, Major: 900}
			if tt.limited {
				java.MemCgroup = "/small"
				h.Cgroup(ruletest.Cgroup{Path: "/small", Processes: 1, Memory: 95 * mib, MemoryMax: 100 * mib, SwapUsed: mib, EventsMax: 50})
			}
			f := h.Process(java).Detect(t, swapping)[0]
			ruletest.Checked(t, f)
			got := ""
			for _, e := range f.Evidence {
				if e.Metric == metric.MemoryKernel {
					got = e.What.String()
				}
			}
			if got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
