package view_test

import (
	"testing"

	"rtrail/internal/recording"
	"rtrail/internal/rule/ruletest"
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
