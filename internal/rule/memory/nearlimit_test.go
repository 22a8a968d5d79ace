package memory

import (
	"math"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// use is what a group of 64 MiB uses, in MiB.
type use struct{ memory, anon, inactive int64 }

func limitedGroup(h *ruletest.Host, path string, of func(s float64) use, more func(s float64, row *recording.CgroupSample)) {
	h.Cgroup(ruletest.Cgroup{Path: path, MemoryMax: 64 << 20, Change: func(s float64, row *recording.CgroupSample) {
		u := of(s)
		row.Memory, row.Anon, row.InactiveFile = u.memory<<20, u.anon<<20, u.inactive<<20
		if more != nil {
			more(s, row)
		}
	}})
}

// slowed is a group with memory.high of 56 MiB below its limit of 64 MiB, that so many times a second
// is slowed down, and whose tasks wait for memory so much of the time.
func slowed(u use, hits, stalled float64) *ruletest.Host {
	h := ruletest.New(2, 10)
	limitedGroup(h, "/cache", func(float64) use { return u }, func(s float64, row *recording.CgroupSample) {
		row.MemoryHigh, row.EventsHigh = 56<<20, int64(hits*s)
		row.MemoryStall = time.Minute + time.Duration(stalled*s*float64(time.Second))
	})
	return h
}

func TestCgroupNearLimit(t *testing.T) {
	always := func(u use) func(float64) use { return func(float64) use { return u } }
	ruletest.Check(t, cgroupNearLimit, []ruletest.Situation{
		{Name: "full of anonymous memory", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10).Process(ruletest.Process{PID: 7, Comm: "redis-server", Cgroup: "/cache", MemCgroup: "/cache", Anon: 60 << 20})
			limitedGroup(h, "/cache", always(use{63, 60, 0}), nil)
			return h
		}, Want: rule.Possible, Kind: view.KindCgroup, Subject: "/cache", Low: 0.1, High: 0.1},
		{Name: "and its programs wait at the limit", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10)
			limitedGroup(h, "/cache", always(use{63, 60, 0}), func(s float64, row *recording.CgroupSample) {
				row.EventsMax, row.MemoryStall = int64(50*s), time.Minute+time.Duration(0.3*s*float64(time.Second))
			})
			return h
		}, Want: rule.Certain, Kind: view.KindCgroup, Subject: "/cache", Low: 0.29, High: 0.31},
		{Name: "full of page cache that is not used", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10)
			limitedGroup(h, "/cache", always(use{63, 20, 40}), nil)
			return h
		}},
		{Name: "full of page cache in use", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10)
			limitedGroup(h, "/cache", always(use{63, 20, 1}), nil)
			return h
		}},
		{Name: "anonymous memory, and page cache in use again and again", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10)
			limitedGroup(h, "/cache", always(use{63, 38, 1}), func(_ float64, row *recording.CgroupSample) { row.ActiveFile = 23 << 20 })
			return h
		}},
		{Name: "anonymous memory, and names of files", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10)
			limitedGroup(h, "/cache", always(use{63, 38, 1}), func(_ float64, row *recording.CgroupSample) { row.Reclaimable = 23 << 20 })
			return h
		}},
		{Name: "full of files in memory", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10)
			limitedGroup(h, "/cache", always(use{63, 5, 0}), func(_ float64, row *recording.CgroupSample) { row.Shmem = 57 << 20 })
			return h
		}, Want: rule.Possible, Kind: view.KindCgroup, Subject: "/cache", Low: 0.1, High: 0.1},
		{Name: "at the limit, and nothing tells whether its programs wait", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10)
			limitedGroup(h, "/cache", always(use{63, 60, 0}), func(s float64, row *recording.CgroupSample) {
				row.EventsMax, row.MemoryStall = int64(50*s), recording.Unknown
			})
			return h
		}, Want: rule.Possible, Kind: view.KindCgroup, Subject: "/cache", Low: 0.1, High: 0.1, Note: "how long its programs wait is not known"},
		{Name: "programs wait at the limit of a group below", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10)
			limitedGroup(h, "/pods", always(use{63, 60, 0}), func(s float64, row *recording.CgroupSample) {
				row.EventsMax, row.MemoryStall = 0, time.Minute+time.Duration(0.3*s*float64(time.Second))
			})
			limitedGroup(h, "/pods/log", always(use{63, 5, 50}), func(s float64, row *recording.CgroupSample) {
				row.EventsMax, row.MemoryStall = int64(50*s), time.Minute+time.Duration(0.3*s*float64(time.Second))
			})
			return h
		}, Want: rule.Possible, Kind: view.KindCgroup, Subject: "/pods", Low: 0.1, High: 0.1},
		{Name: "with swap", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10).Swap("/dev/sdb2", 1<<30, 0, 0)
			limitedGroup(h, "/cache", always(use{63, 60, 0}), nil)
			return h
		}, Want: rule.Possible, Kind: view.KindCgroup, Subject: "/cache", Low: 0.1, High: 0.1, Says: "cannot be taken back without swap"},
		{Name: "a peak that is over", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10)
			limitedGroup(h, "/cache", func(s float64) use {
				if s < 6 {
					return use{63, 60, 0}
				}
				return use{30, 28, 0}
			}, nil)
			return h
		}},
		{Name: "with room", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10)
			limitedGroup(h, "/cache", always(use{55, 50, 0}), nil)
			return h
		}},
		{Name: "of groups within each other the inner one", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10)
			limitedGroup(h, "/pods", always(use{63, 60, 0}), nil)
			limitedGroup(h, "/pods/cache", always(use{63, 60, 0}), nil)
			return h
		}, Want: rule.Possible, Kind: view.KindCgroup, Subject: "/pods/cache", Low: 0.1, High: 0.1},
		{Name: "slowed down at memory.high", Host: func() *ruletest.Host {
			return slowed(use{57, 55, 0}, 50, 0.8)
		}, Want: rule.Certain, Kind: view.KindCgroup, Subject: "/cache", Low: 0.79, High: 0.81, Says: "/cache has used up the 56 MiB that it may have before it is slowed down", Proof: "it hit its limit 500 times"},
		{Name: "without memory.max", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10)
			limitedGroup(h, "/cache", always(use{57, 55, 0}), func(s float64, row *recording.CgroupSample) {
				row.MemoryMax, row.MemoryHigh, row.EventsHigh = math.MaxInt64, 56<<20, int64(50*s)
				row.MemoryStall = time.Minute + time.Duration(0.8*s*float64(time.Second))
			})
			return h
		}, Want: rule.Certain, Kind: view.KindCgroup, Subject: "/cache", Low: 0.79, High: 0.81},
		{Name: "slowed down although there is swap", Host: func() *ruletest.Host {
			return slowed(use{57, 55, 0}, 50, 0.8).Swap("/dev/sdb2", 1<<30, 0, 0)
		}, Want: rule.Certain, Kind: view.KindCgroup, Subject: "/cache", Low: 0.79, High: 0.81},
		{Name: "at memory.high, and nobody waits", Host: func() *ruletest.Host { return slowed(use{57, 55, 0}, 50, 0.01) },
			Want: rule.Possible, Kind: view.KindCgroup, Subject: "/cache", Low: 0.1, High: 0.1, Says: "is slowed down above 56 MiB (memory.high)"},
		{Name: "at memory.high with room in swap, and nobody waits", Host: func() *ruletest.Host {
			return slowed(use{57, 55, 0}, 50, 0.01).Swap("/dev/sdb2", 1<<30, 0, 0)
		}},
		{Name: "at memory.high with page cache", Host: func() *ruletest.Host { return slowed(use{57, 30, 26}, 50, 0.8) }},
		{Name: "tasks wait far below memory.high", Host: func() *ruletest.Host { return slowed(use{50, 48, 0}, 0, 0.8) }},
		{Name: "not readable", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10)
			limitedGroup(h, "/cache", always(use{63, 60, 0}), func(_ float64, row *recording.CgroupSample) { row.Anon = recording.Unknown })
			return h
		}},
	})
}

// Where memory.high is raised, memory.max stays above it; a unit of systemd gets both as properties.
func TestRaiseHigh(t *testing.T) {
	for limit, want := range map[int64]string{
		1200:          "echo 1700 > /sys/fs/cgroup/a/memory.max && echo 1500 > /sys/fs/cgroup/a/memory.high",
		math.MaxInt64: "echo 1500 > /sys/fs/cgroup/a/memory.high",
	} {
		c := view.Cgroup{CgroupSample: recording.CgroupSample{Path: "/a", Version: 2, MemoryMax: limit, MemoryHigh: 1000}}
		if got := raiseHigh(ruletest.New(2, 10).View(), c, 1000).Command.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	unit := view.Cgroup{CgroupSample: recording.CgroupSample{Path: "/system.slice/a.service", Version: 2, MemoryMax: 1200, MemoryHigh: 1000}}
	if got, want := raiseHigh(ruletest.New(2, 10).View(), unit, 1000).Command.String(), "systemctl set-property a.service MemoryMax=1700 MemoryHigh=1500"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
