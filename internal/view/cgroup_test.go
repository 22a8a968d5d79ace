package view_test

import (
	"math"
	"testing"

	"rtrail/internal/recording"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// A group of version 1 whose two limits are the same hits only the one of memory
// and swap together.
func TestHitLimitOfMemorySwap(t *testing.T) {
	h := ruletest.New(2, 10)
	h.Cgroup(ruletest.Cgroup{Path: "/a", Change: func(s float64, row *recording.CgroupSample) {
		row.Version, row.EventsMax, row.MemswFailures = 1, 0, int64(30*s)
	}})
	if groups := h.View().Cgroups(); len(groups) != 1 || groups[0].HitLimit != 300 {
		t.Errorf("%+v, want one group that hit its limit 300 times", groups)
	}
}

// A group can grow until it has to let go of memory; which group a process is killed in is a matter
// of memory.max.
func TestRoom(t *testing.T) {
	for _, tt := range []struct{ high, limit, memory, cache, want int64 }{
		{math.MaxInt64, 1000, 700, 0, 300},
		{math.MaxInt64, 1000, 700, 100, 400},
		{-1, 1000, 700, 0, 300}, // version 1
		{800, 1000, 700, 50, 150},
		{800, 1000, 900, 0, 0},
		{1200, 1000, 700, 0, 300},
		{800, math.MaxInt64, 700, 0, 100},
	} {
		c := view.Cgroup{CgroupSample: recording.CgroupSample{MemoryHigh: tt.high, MemoryMax: tt.limit, Memory: tt.memory, InactiveFile: tt.cache, ActiveFile: -1}}
		if got := c.Room(); got != tt.want {
			t.Errorf("%+v: %d", tt, got)
		}
	}
	h := ruletest.New(2, 10).Process(ruletest.Process{PID: 7, Comm: "app", MemCgroup: "/pods/app"})
	h.Cgroup(ruletest.Cgroup{Path: "/pods/app", Memory: 900, MemoryMax: 5000, Change: func(_ float64, row *recording.CgroupSample) { row.MemoryHigh = 900 }})
	h.Cgroup(ruletest.Cgroup{Path: "/pods", Memory: 950, MemoryMax: 1000})
	v := h.View()
	if c, ok := v.MemoryLimitOf(v.Processes()[0]); !ok || c.Path != "/pods" {
		t.Errorf("%s, want /pods", c.Path)
	}
}
