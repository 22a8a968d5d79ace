package diff

import (
	"fmt"
	"math"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule/ruletest"
)

// waiting is a minute of a host that also does what is asked for.
func waiting(more func(h *ruletest.Host)) Side {
	h := ruletest.New(4, seconds).System(ruletest.System{ContextSwitches: 1000})
	more(h)
	return Side{Recording: h.Rec, From: ruletest.Start, To: ruletest.Start.Add(seconds * time.Second)}
}

func TestWaits(t *testing.T) {
	pressed := func(memory, io, in, out float64) Side {
		return waiting(func(h *ruletest.Host) {
			h.Pressure("cpu", 0.02, 0).Pressure("memory", memory, 0).Pressure("io", io, 0).VMStat(ruletest.VMStat{SwapIn: in, SwapOut: out})
		})
	}
	delayed := func(block, swap float64, change func(float64, *recording.ProcessSample)) Side {
		return waiting(func(h *ruletest.Host) {
			h.Process(ruletest.Process{PID: 7, Comm: "mysqld", BlockDelay: block, SwapDelay: swap, Change: change})
		})
	}
	unaccounted := func(_ float64, row *recording.ProcessSample) {
		row.BlockDelay, row.SwapDelay = recording.Unknown, recording.Unknown
	}
	untold := func(since float64) func(float64, *recording.ProcessSample) {
		return func(s float64, row *recording.ProcessSample) {
			if s > since {
				row.BlockDelay = recording.Unknown
			}
		}
	}
	busy := func(block, since float64) Side {
		return waiting(func(h *ruletest.Host) {
			h.Process(ruletest.Process{PID: 7, Comm: "mysqld", CPU: 0.1, BlockDelay: block, Change: untold(since)})
		})
	}
	queue := func(delay float64) Side {
		return waiting(func(h *ruletest.Host) {
			for i := range 20 {
				h.Process(ruletest.Process{Comm: fmt.Sprintf("worker%d", i), RunDelay: delay})
			}
		})
	}
	group := func(stopped float64, hierarchy string, change func(float64, *recording.CgroupSample)) Side {
		return waiting(func(h *ruletest.Host) {
			h.Manifest(func(m *recording.Manifest) { m.Host.CgroupVersion = hierarchy })
			h.Cgroup(ruletest.Cgroup{Path: "/app", ThrottledTime: stopped, Change: change})
		})
	}
	old := func(_ float64, row *recording.CgroupSample) { row.Version = 1 }
	without := func(_ float64, row *recording.CgroupSample) {
		row.Periods, row.Throttled, row.ThrottledTime = recording.Unknown, recording.Unknown, recording.Unknown
	}
	// Of groups that use no CPU there are few rows.
	asleep := waiting(func(h *ruletest.Host) {
		h.Cgroup(ruletest.Cgroup{Path: "/", CPU: 1})
		h.Readings(func(at time.Time, s float64) {
			if s <= 5 {
				ruletest.Add(h, recording.CgroupSample{At: at, Path: "/app", Version: 2, CPUTime: time.Hour, MemoryMax: math.MaxInt64})
			}
		})
	})
	rare := func(await float64, devices ...string) Side {
		return waiting(func(h *ruletest.Host) {
			for _, device := range devices {
				ruletest.Every(h, func(at time.Time, s float64) recording.DiskSample {
					return recording.DiskSample{At: at, Device: device, Reads: uint64(s), ReadTime: time.Duration(await * s * 1e9)}
				})
			}
		})
	}
	for _, c := range []struct {
		name          string
		first, second Side
		want          string
		missing, why  string // a quantity that is not compared
	}{
		{"pressure and swapping", pressed(0.3, 0.6, 300, 200), pressed(0.01, 0.01, 20, 20),
			"mem.swapped-in of  15; mem.swapped-out of  10; pressure.io of  60; pressure.memory of  30", "sched.run-delay", "told by neither window"},
		{"cold pages", pressed(0.01, 0.01, 9, 60), pressed(0.01, 0.01, 1, 1), "", "cpu.steal", "told by neither window"},
		{"delays of a process", delayed(0.5, 0.3, nil), delayed(0.01, 0.01, nil), "proc.block-delay of mysqld 50; proc.swap-delay of mysqld 30", "pressure.io", "told by neither window"},
		{"delays that one side did not count", delayed(0.5, 0.3, nil), delayed(0, 0, unaccounted), "", "proc.block-delay", "told only by the first window"},
		{"delays of a busy process", busy(0.5, seconds), busy(0.01, seconds), "proc.block-delay of mysqld 50", "proc.block-delay", ""},
		{"delays of a part only", busy(0.5, 10), busy(0.01, seconds), "", "proc.block-delay", "fewer than two samples in a part of the first window"},
		{"the same, of the second window", busy(0.01, seconds), busy(0.5, 10), "", "proc.block-delay", "fewer than two samples in a part of the second window"},
		{"delays of one that does nothing since", delayed(0.5, 0, untold(10)), delayed(0.01, 0, nil), "", "proc.block-delay", ""},
		{"a little of each of many processes", queue(0.02), queue(0.002), "sched.run-delay of  10", "proc.block-delay", ""},
		{"a group of version 1", group(0.5, "v1", old), group(0.01, "v1", old), "cgroup.throttled of /app 50", "cgroup.throttled", ""},
		{"a group without a quota", group(0.5, "v2", nil), group(0, "v2", without), "cgroup.throttled of /app +Inf", "cgroup.throttled", ""},
		{"a group of which nobody knows the quota", group(0.5, "hybrid", nil), group(0, "hybrid", without), "", "cgroup.throttled", "told only by the first window"},
		{"a group that was asleep", group(0.5, "v2", nil), asleep, "cgroup.throttled of /app +Inf", "cgroup.throttled", ""},
		{"a request a second", rare(0.5, "sda"), rare(0.01, "sda"), "disk.read-time of sda 50", "disk.await", "fewer than twenty requests to one disk in a part of both windows"},
		{"a volume, and its disk", rare(0.5, "sda", "vg-root"), rare(0.01, "sda", "vg-root"), "disk.read-time of sda 50; disk.read-time of vg-root 50", "cpu.steal", "told by neither window"},
		{"a volume by its numbers", rare(0.5, "dev8-0", "dev253-1"), rare(0.01, "dev8-0", "dev253-1"), "disk.read-time of dev253-1 50; disk.read-time of dev8-0 50", "cpu.steal", "told by neither window"},
		{"two disks", rare(0.5, "sda", "sdb"), rare(0.01, "sda", "sdb"), "disk.read-time of  50; disk.read-time of sda 50; disk.read-time of sdb 50", "cpu.steal", "told by neither window"},
	} {
		r, err := Compare(c.first, c.second)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := told(r); got != c.want || why(r, c.missing) != c.why {
			t.Errorf("%s: %q, %s: %q, want %q, %q", c.name, got, c.missing, why(r, c.missing), c.want, c.why)
		}
	}
}

// Time per request is of the requests to the disk, whatever else is told per statement.
func TestTimePerDiskRequest(t *testing.T) {
	slow, fast := load{statements: 1000, cpu: 1, await: 0.02}, load{statements: 1000, cpu: 1, await: 0.001}
	r, err := Compare(side(slow, 1), side(fast, 2))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]struct {
		per           string
		first, second float64 // per that; of statements as far as they are as many
	}{"disk.read-time": {"MySQL statement", 0.002, 0.0001}, "disk.await": {"disk request", 2.05 / 150, 0.001}}
	for _, c := range r.Changes {
		w, ok := want[c.Quantity.ID]
		if !ok || c.Who != "vda" || c.Per != w.per || c.Amount[0] < 0.9*w.first || c.Amount[0] > 1.1*w.first || c.Amount[1] < 0.9*w.second || c.Amount[1] > 1.1*w.second {
			t.Errorf("%s of %q: %v per %s, want %v", c.Quantity.ID, c.Who, c.Amount, c.Per, w)
		}
		delete(want, c.Quantity.ID)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}
