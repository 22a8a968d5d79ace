package memory

import (
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

func compactions(h *ruletest.Host, perSecond float64) *ruletest.Host {
	return ruletest.Every(h, func(at time.Time, s float64) recording.VMStatSample {
		return recording.VMStatSample{At: at, CompactStalls: 1000 + uint64(perSecond*s)}
	})
}

func TestFragmentation(t *testing.T) {
	const gib = 1 << 30
	host := func(perSecond float64, available int64) *ruletest.Host {
		return compactions(ruletest.New(8, 10).Memory(32*gib, available, 0), perSecond).Process(ruletest.Process{PID: 7, Comm: "mysqld"})
	}
	seen := recording.OnCPUSample{PID: 7, Process: "mysqld", Every: 20 * time.Millisecond, Span: 10 * time.Second, Samples: 200, Function: "isolate_migratepages_block", Module: "kernel", Kernel: true,
		Stack: "isolate_migratepages_block;compact_zone;compact_zone_order;try_to_compact_pages;__alloc_pages_direct_compact;__alloc_pages_slowpath.constprop.0"}
	ruletest.Check(t, fragmentation, []ruletest.Situation{
		{Name: "programs move pages together", Host: func() *ruletest.Host { return host(150, 12*gib).OnCPU(seen) }, Want: rule.Certain, Kind: view.KindHost, Subject: "db1", Low: 0.39, High: 0.41},
		{Name: "nobody was seen in it", Host: func() *ruletest.Host { return host(150, 12*gib) }, Want: rule.Possible, Kind: view.KindHost, Subject: "db1"},
		{Name: "a few compactions", Host: func() *ruletest.Host { return host(5, 12*gib) }},
		{Name: "memory itself is short", Host: func() *ruletest.Host { return host(150, 2*gib).OnCPU(seen) }},
		{Name: "the kernel could not get a large piece", Host: func() *ruletest.Host {
			return host(0, 12*gib).Log(3, "kworker/0:1: page allocation failure: order:4, mode:0x40cc0(GFP_KERNEL|__GFP_COMP), nodemask=(null),cpuset=/,mems_allowed=0")
		}, Want: rule.Likely, Kind: view.KindHost, Subject: "db1"},
		{Name: "it could not get a single page", Host: func() *ruletest.Host {
			return host(0, 12*gib).Log(3, "swapper/0: page allocation failure: order:0, mode:0x920(GFP_ATOMIC|__GFP_ZERO), nodemask=(null)")
		}},
	})
}

// zone records one zone of a node, in pages.
func zone(h *ruletest.Host, node int32, free, managed int64) {
	ruletest.Every(h, func(at time.Time, _ float64) recording.ZoneSample {
		return recording.ZoneSample{At: at, Node: node, Zone: "Normal", Free: free, Managed: managed, High: 20000}
	})
}

func TestNUMA(t *testing.T) {
	const pages = 8 << 20 // 32 GiB
	host := func(full, other int64, row func(s float64, r *recording.VMStatSample)) func() *ruletest.Host {
		return func() *ruletest.Host {
			h := ruletest.New(16, 10)
			zone(h, 0, full, pages)
			if other >= 0 {
				zone(h, 1, other, pages)
			}
			return ruletest.Every(h, func(at time.Time, s float64) recording.VMStatSample {
				r := recording.VMStatSample{At: at}
				row(s, &r)
				return r
			})
		}
	}
	swaps := func(s float64, r *recording.VMStatSample) { r.SwapOut, r.ScanKswapd = uint64(512*s), uint64(9000*s) }
	ofGroup := func(s float64, r *recording.VMStatSample) { r.SwapOut = uint64(512 * s) }
	stalls := func(s float64, r *recording.VMStatSample) { r.AllocStalls = uint64(40 * s) }
	misses := func(s float64, r *recording.VMStatSample) { r.NUMAMiss = uint64(5000 * s) }
	quiet := func(float64, *recording.VMStatSample) {}
	ruletest.Check(t, numa, []ruletest.Situation{
		{Name: "one node swaps beside an empty one", Host: host(18000, 5<<20, swaps), Want: rule.Likely, Kind: view.KindHost, Subject: "db1"},
		{Name: "one node swaps, and tasks wait", Host: func() *ruletest.Host { return host(18000, 5<<20, swaps)().Pressure("memory", 0.2, 0.1) },
			Want: rule.Likely, Kind: view.KindHost, Subject: "db1", Low: 0.19, High: 0.21},
		{Name: "one node swaps, and tasks wait, mostly in a group at its limit", Host: func() *ruletest.Host {
			h := host(18000, 5<<20, swaps)().Pressure("memory", 0.2, 0.1)
			return h.Cgroup(ruletest.Cgroup{Path: "/app", Memory: gib, MemoryMax: gib, EventsMax: 50, MemoryStall: 0.15})
		}, Want: rule.Likely, Kind: view.KindHost, Subject: "db1", Low: 0.04, High: 0.06},
		{Name: "one node swaps, and tasks wait, mostly in a group at its limit, in another such group", Host: func() *ruletest.Host {
			h := host(18000, 5<<20, swaps)().Pressure("memory", 0.2, 0.1)
			return h.Cgroup(ruletest.Cgroup{Path: "/app", Memory: gib, MemoryMax: gib, EventsMax: 50, MemoryStall: 0.15}).
				Cgroup(ruletest.Cgroup{Path: "/app/db", Memory: gib / 2, MemoryMax: gib / 2, EventsMax: 50, MemoryStall: 0.15}).
				Cgroup(ruletest.Cgroup{Path: "/all", Memory: gib / 2, EventsMax: 50, MemoryStall: 0.2})
		}, Want: rule.Likely, Kind: view.KindHost, Subject: "db1", Low: 0.04, High: 0.06},
		{Name: "one node swaps, and a process waits for its pages", Host: func() *ruletest.Host {
			return host(18000, 5<<20, swaps)().Process(ruletest.Process{Comm: "mysqld", SwapDelay: 0.3})
		}, Want: rule.Likely, Kind: view.KindHost, Subject: "db1", Low: 0.29, High: 0.31},
		{Name: "allocations wait", Host: host(18000, 5<<20, stalls), Want: rule.Likely, Kind: view.KindHost, Subject: "db1"},
		{Name: "pages come from the other node", Host: host(18000, 5<<20, misses), Want: rule.Possible, Kind: view.KindHost, Subject: "db1"},
		{Name: "a control group swaps at its limit", Host: host(18000, 5<<20, ofGroup)},
		{Name: "a control group swaps at its limit while kswapd looks at some pages", Host: func() *ruletest.Host {
			h := host(18000, 5<<20, func(s float64, r *recording.VMStatSample) { r.SwapOut, r.ScanKswapd = uint64(5120*s), uint64(300*s) })()
			return h.Cgroup(ruletest.Cgroup{Path: "/app", Memory: gib, MemoryMax: gib, EventsMax: 50, SwapGrowth: 20 << 20})
		}},
		{Name: "a node full of page cache", Host: host(18000, 5<<20, quiet)},
		{Name: "both are full", Host: host(18000, 19000, swaps)},
		{Name: "both have room", Host: host(4<<20, 5<<20, swaps)},
		{Name: "one node", Host: host(18000, -1, swaps)},
	})
}
