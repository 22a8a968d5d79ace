package disk

import (
	"strings"
	"testing"

	"rtrail/internal/rule/ruletest"
)

func TestCulpritAndVictims(t *testing.T) {
	busy := device{name: "vda", writes: 200, size: 512 << 10, await: 0.2, busy: 1, queue: 40}
	copying := func(h *ruletest.Host) {
		h.Process(ruletest.Process{PID: 7, Comm: "cp", WriteBytes: 100 << 20})
		blocked(h, 7, 7, "balance_dirty_pages", 0.9)
	}
	database := func(h *ruletest.Host) {
		h.Process(ruletest.Process{PID: 8, Comm: "mariadbd", WriteBytes: 40 << 10})
		blocked(h, 8, 81, "jbd2_log_wait_commit", 0.9)
	}
	for _, tt := range []struct {
		name             string
		build            func(*ruletest.Host)
		culprit, victims string
	}{
		{"a writer and one that waits", func(h *ruletest.Host) { disks(h, busy); copying(h); database(h) }, "cp", "mariadbd (8) waits for the disk 909 ms per second"},
		{"who waits most comes first", func(h *ruletest.Host) {
			disks(h, busy)
			copying(h)
			h.Process(ruletest.Process{PID: 9, Comm: "cron", ReadBytes: 4 << 10, BlockDelay: 0.2})
			database(h)
		}, "cp", "mariadbd (8) waits for the disk 909 ms per second, cron (9) waits for the disk 200 ms per second"},
		{"only the writer itself waits", func(h *ruletest.Host) { disks(h, throttledLoop); readers(h) }, "", ""},
		{"a wait that is hardly felt", func(h *ruletest.Host) {
			disks(h, throttledLoop)
			readers(h)
			h.Process(ruletest.Process{PID: 8, Comm: "cron", ReadBytes: 400, BlockDelay: 0.03})
		}, "", ""},
		{"two that move as much, and a third", func(h *ruletest.Host) {
			disks(h, busy)
			for pid := int32(20); pid < 23; pid++ {
				h.Process(ruletest.Process{PID: pid, Comm: "copy", WriteBytes: 30 << 20})
			}
			database(h)
		}, "", ""},
		{"two loaded disks, and nobody knows which one it waits for", func(h *ruletest.Host) {
			disks(h, busy)
			other := busy
			other.name = "vdb"
			disks(h, other)
			copying(h)
			database(h)
		}, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			tt.build(h)
			for _, f := range h.Detect(t, saturated) {
				ruletest.Checked(t, f)
				culprit, victims := "", []string{}
				if f.Culprit != nil {
					culprit = f.Culprit.Name
				}
				for i := range f.Victims {
					victims = append(victims, f.Victims[i].Words().String())
				}
				if got := strings.Join(victims, ", "); culprit != tt.culprit || got != tt.victims {
					t.Errorf("culprit %q, victims %q; want %q, %q", culprit, got, tt.culprit, tt.victims)
				}
			}
		})
	}
}
