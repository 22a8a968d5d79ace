package catalogue

import (
	"slices"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/verdict"
)

// outlines are what some rules find above possible, in the order of the verdict.
func outlines(t *testing.T, h *ruletest.Host, ids ...string) (list []string) {
	t.Helper()
	var rules []rule.Rule
	for _, id := range ids {
		rules = append(rules, mustFind(t, id))
	}
	for _, f := range verdict.Judge(h.View(), rules).Findings {
		if f.Confidence > rule.Possible {
			list = append(list, outline(f))
		}
	}
	return list
}

// A node without memory explains what the host and its programs lack, not what a control group
// lacks at its own limit.
func TestFullNodeAndFullGroup(t *testing.T) {
	const mib, pages = 1 << 20, 8 << 20 // of a node
	host := func(in, out, again float64, stalled float64) *ruletest.Host {
		h := ruletest.New(16, 10).Pressure("memory", stalled, stalled/4).Memory(64<<30, 30<<30, 0).Swap("/dev/zram0", 8<<30, 1<<30, 0)
		h.Readings(func(at time.Time, s float64) {
			for node, free := range []int64{18_000, 5 << 20} {
				ruletest.Add(h, recording.ZoneSample{At: at, Node: int32(node), Zone: "Normal", Free: free, Managed: pages, High: 20_000})
			}
			ruletest.Add(h, recording.VMStatSample{At: at, SwapIn: uint64(in * s), SwapOut: uint64(out * s), ScanKswapd: uint64(90_000 * s), RefaultFile: uint64(again * s)})
		})
		return h
	}
	java := ruletest.Process{PID: 9, Comm: "java", RSS: 900 * mib, Anon: 890 * mib, SwapUsed: 600 * mib, Major: 900}
	for _, c := range []struct {
		name string
		host func() *ruletest.Host
		want []string
	}{
		{"a program of the host swaps", func() *ruletest.Host { return host(5000, 5200, 0, 0.4).Process(java) }, []string{"mem/numa(mem/swapping)"}},
		{"a program swaps at the limit of its group", func() *ruletest.Host {
			p := java
			p.MemCgroup = "/app"
			return host(5000, 5200, 0, 0.4).Process(p).Cgroup(ruletest.Cgroup{Path: "/app", Memory: 1000 * mib, MemoryMax: 1024 * mib, SwapUsed: 600 * mib, EventsMax: 50, MemoryStall: 0.35})
		}, []string{"mem/swapping", "mem/numa"}},
		{"a group reads files again at its limit", func() *ruletest.Host {
			h := host(0, 512, 80_000, 0.45).Process(ruletest.Process{PID: 10, Comm: "redis-server", Anon: 47 * mib, MemCgroup: "/app", BlockDelay: 0.4, ReadBytes: 320 * mib})
			return h.Cgroup(ruletest.Cgroup{Path: "/app", Memory: 48 * mib, MemoryMax: 48 * mib, EventsMax: 70_000, Refaults: 80_000, MemoryStall: 0.4})
		}, []string{"mem/reclaim", "mem/numa"}},
	} {
		if got := outlines(t, c.host(), "mem/numa", "mem/swapping", "mem/reclaim"); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
