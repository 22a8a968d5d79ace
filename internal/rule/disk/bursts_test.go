package disk

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
)

// waitsWhile records a thread that waits for a disk at some of its looks.
func waitsWhile(h *ruletest.Host, pid, tid int32, while func(s float64) bool) {
	slices := int64(0)
	ruletest.Every(h, func(at time.Time, s float64) recording.ThreadSample {
		slices++
		row := recording.ThreadSample{At: at, PID: pid, TID: tid, Comm: "t", State: "S", Syscall: -1, Slices: slices, SyscallName: "nanosleep"}
		if while(s) {
			row.State, row.WaitChannel, row.SyscallName = "D", "folio_wait_bit_common", "pread64"
		}
		return row
	})
}

// A job that reads now and then is at its limit while it does, and far below on average.
func TestCgroupThrottledInBursts(t *testing.T) {
	first := func(seconds float64) func(float64) bool {
		return func(s float64) bool { return s > 0 && s <= seconds }
	}
	idle := device{name: "loop3", reads: 50, size: 4096, await: 0.0002, busy: 0.02, queue: 0.02}
	// job reads at a rate for the first seconds of ten.
	job := func(h *ruletest.Host, limits string, rate, seconds float64, waits func(float64) bool) {
		h.Process(ruletest.Process{PID: 7, Comm: "report", ReadBytes: 4096 * rate * seconds / 10, IOCgroup: "/batch"})
		waitsWhile(h, 7, 7, waits)
		h.Cgroup(ruletest.Cgroup{Path: "/batch", Change: func(s float64, c *recording.CgroupSample) {
			done := int64(rate * min(s, seconds))
			c.IOLimits, c.IODone = limits, fmt.Sprintf("7:3 rbytes=%d wbytes=0 rios=%d wios=0", 4096*done, done)
		}})
	}
	for _, tt := range []struct {
		name  string
		build func(*ruletest.Host)
		want  rule.Confidence
	}{
		{"half of the time at a limit of requests", func(h *ruletest.Host) { disks(h, idle); job(h, "7:3 riops=100", 100, 5, first(5)) }, rule.Certain},
		{"half of the time at a limit of bytes", func(h *ruletest.Host) { disks(h, idle); job(h, "7:3 rbps=409600 wbps=100", 100, 5, first(5)) }, rule.Certain},
		{"half of the time at little more than half of the limit", func(h *ruletest.Host) { disks(h, idle); job(h, "7:3 riops=100", 60, 5, first(5)) }, 0},
		{"far above a limit that is not of this kernel", func(h *ruletest.Host) { disks(h, idle); job(h, "7:3 riops=100", 150, 5, first(5)) }, 0},
		{"a short burst", func(h *ruletest.Host) { disks(h, idle); job(h, "7:3 riops=100", 100, 2, first(2)) }, 0},
		{"it waits in the pauses only", func(h *ruletest.Host) {
			disks(h, idle)
			job(h, "7:3 riops=100", 100, 5, func(s float64) bool { return s > 5 })
		}, 0},
		{"it waits a third of the time that it is at the limit", func(h *ruletest.Host) {
			disks(h, idle)
			job(h, "7:3 riops=100", 100, 6, func(s float64) bool { return s == 2 || s == 4 })
		}, 0},
		{"it waits for requests that the disk has", func(h *ruletest.Host) {
			d := idle
			d.await, d.queue, d.busy = 0.02, 1, 0.9
			disks(h, d)
			job(h, "7:3 riops=100", 100, 5, first(5))
		}, 0},
		{"it may wait for requests that another disk has", func(h *ruletest.Host) {
			disks(h, idle)
			disks(h, device{name: "nvme0n1", minor: 4, reads: 9000, size: 4096, await: 0.0001, busy: 0.9, queue: 0.9})
			job(h, "7:3 riops=100", 100, 5, first(5))
		}, 0},
		{"so few requests that a limit is met by chance", func(h *ruletest.Host) { disks(h, idle); job(h, "7:3 riops=5", 5, 5, first(5)) }, 0},
		{"a limit of another disk", func(h *ruletest.Host) { disks(h, idle); job(h, "7:9 riops=100", 100, 5, first(5)) }, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			tt.build(h)
			for _, f := range ruletest.Judge(t, h, cgroupThrottled, tt.want) {
				if f.Impact.TimeLost < 0.4 || f.Impact.TimeLost > 0.5 {
					t.Errorf("time lost %v, want that of half of the window", f.Impact.TimeLost)
				}
				proof := ""
				for _, e := range f.Evidence {
					proof += e.What.String() + "\n"
				}
				if !strings.Contains(proof, "cgroup /batch does 100 % of its limit on 7:3, ") || !strings.Contains(proof, " of reads, in 50 % of the time") && !strings.Contains(proof, "100/s reads, in 50 % of the time") {
					t.Errorf("evidence: %s", proof)
				}
			}
		})
	}
}

// A disk with a queue is not explained by a limit that is reached now and then, nor is it doubtful
// for which disk threads wait because of a limit for which nobody does.
func TestSaturatedBesideLimits(t *testing.T) {
	for name, limits := range map[string]string{"in bursts on this disk": "7:3 riops=100", "of a group that does not wait": "7:4 riops=100"} {
		t.Run(name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			disks(h, throttledLoop)
			disks(h, device{name: "nvme0n1", minor: 4, reads: 100, size: 4096, await: 0.0001, busy: 0.01, queue: 0.01})
			h.Process(ruletest.Process{PID: 7, Comm: "fio", ReadBytes: 200 * 4096, IOCgroup: "/"})
			for tid := int32(8); tid < 12; tid++ {
				blocked(h, 7, tid, "folio_wait_bit_common", 1)
			}
			h.Cgroup(ruletest.Cgroup{Path: "/batch", Change: func(s float64, c *recording.CgroupSample) {
				done := int64(100 * s)
				if strings.HasPrefix(limits, "7:3") {
					done = int64(100 * min(s, 5))
				}
				c.IOLimits, c.IODone = limits, fmt.Sprintf("%s rbytes=%d wbytes=0 rios=%d wios=0", limits[:3], 4096*done, done)
			}})
			found := ruletest.Judge(t, h, saturated, rule.Certain)
			if len(found) != 1 || !strings.Contains(found[0].Headline.String(), "disk loop3 (backed by /srv/disk.img) is saturated") {
				t.Errorf("want loop3 saturated: %+v", found)
			}
			if others := h.Detect(t, cgroupThrottled); len(others) > 0 {
				t.Errorf("nobody waits at the limit: %+v", others)
			}
		})
	}
}

// Requests that the limit of a disk holds back wait in the queue of a volume on it: the finding is
// about the volume, as it is while that is full all the time.
func TestCgroupThrottledBelowAVolume(t *testing.T) {
	const reads, size = 100, 4096
	full := device{name: "dm-0", minor: 2, slaves: "vda", reads: reads, size: size, await: 0.08, busy: 1, queue: 8}
	half, idle := full, full
	half.until = 5
	idle.await, idle.busy, idle.queue = 0.0002, 0.02, 0.02
	for _, tt := range []struct {
		name    string
		volume  device
		rule    rule.Rule
		subject string
	}{
		{"its queue is full all the time", full, saturated, "dm-0"},
		{"its queue is full for half of the time", half, cgroupThrottled, "dm-0"},
		{"nothing is in its queue", idle, cgroupThrottled, "vda"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			seconds := 10.0
			if tt.volume.until > 0 {
				seconds = tt.volume.until
			}
			disks(h, device{name: "vda", minor: 1, reads: reads, size: size, await: 0.0002, busy: 0.02, queue: 0.02, until: tt.volume.until})
			disks(h, tt.volume)
			h.Process(ruletest.Process{PID: 7, Comm: "fio", ReadBytes: size * reads * seconds / 10, IOCgroup: "/batch"})
			for tid := int32(7); tid < 15; tid++ {
				waitsWhile(h, 7, tid, func(s float64) bool { return s > 0 && s <= seconds })
			}
			h.Cgroup(ruletest.Cgroup{Path: "/batch", Change: func(s float64, c *recording.CgroupSample) {
				done := int64(reads * min(s, seconds))
				c.IOLimits, c.IODone = "7:1 riops=100", fmt.Sprintf("7:1 rbytes=%d wbytes=0 rios=%d wios=0", size*done, done)
			}})
			for _, r := range []rule.Rule{saturated, cgroupThrottled} {
				found, err := r.Detect(h.View()) // by other names it would be no stack
				if err != nil {
					t.Fatal(err)
				}
				if r.ID != tt.rule.ID {
					if len(found) > 0 {
						t.Errorf("%s too: %+v", r.ID, found)
					}
					continue
				}
				if len(found) != 1 || found[0].Confidence != rule.Certain || found[0].Subject.Name != tt.subject || !strings.Contains(found[0].Headline.String(), "at the limit of cgroup /batch") {
					t.Fatalf("%s: %+v; want one about %s, certain", r.ID, found, tt.subject)
				}
				if r.ID == cgroupThrottled.ID && !strings.Contains(found[0].Notes[0].String(), "disk vda itself was busy") {
					t.Errorf("notes %q", found[0].Notes)
				}
			}
		})
	}
}
