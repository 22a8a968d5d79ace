package disk

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
)

// Threads that wait do not say for which disk: another one explains what its requests can hold up.
func TestSaturatedBesideAnotherDisk(t *testing.T) {
	const mib = 1 << 20
	copied := device{name: "sdb", writes: 300, size: 512 << 10, await: 0.13, busy: 1, queue: 40}
	fast := device{name: "nvme0n1", reads: 3840, size: 16 << 10, await: 0.0002, busy: 0.9, queue: 0.9}
	rested := device{name: "nvme0n1", reads: 320, size: 16 << 10, await: 0.0009, busy: 0.3, queue: 0.3}
	copying := func(h *ruletest.Host) {
		disks(h, copied)
		h.Process(ruletest.Process{PID: 7, Comm: "cp", WriteBytes: 150 * mib})
		blocked(h, 7, 7, "balance_dirty_pages", 0.9)
	}
	database := func(h *ruletest.Host, d device, threads int32) {
		disks(h, d)
		h.Process(ruletest.Process{PID: 8, Comm: "mysqld", ReadBytes: d.reads * d.size})
		for tid := int32(81); tid < 81+threads; tid++ {
			blocked(h, 8, tid, "folio_wait_bit_common", 0.9)
		}
	}
	// A device with the numbers of the other disk, beside a database that hardly waits for that.
	again := func(name string) func(*ruletest.Host) {
		return func(h *ruletest.Host) {
			copying(h)
			database(h, rested, 1)
			d := rested
			d.name = name
			disks(h, d)
		}
	}
	for _, tt := range []struct {
		name              string
		build             func(*ruletest.Host)
		want              rule.Confidence
		culprit, affected string
		says              string // part of the headline
	}{
		{"a volume on the other disk, as iostat -N names it", again("vg-data"), rule.Certain, "cp", "cp mysqld", "cp (7) issues most of them"},
		{"several paths to the other disk", again("mpatha"), rule.Certain, "cp", "cp mysqld", "cp (7) issues most of them"},
		{"a volume or a partition, as sar -d names it", again("dev253-1"), rule.Certain, "cp", "cp mysqld", "cp (7) issues most of them"},
		{"a third disk", again("sdc"), rule.Possible, "", "cp mysqld", "programs that were seen waiting may wait for another disk"},
		{"a third disk, as sar -d names it", again("dev8-32"), rule.Possible, "", "cp mysqld", "programs that were seen waiting may wait for another disk"},
		{"a third disk of virtio, as sar -d names it", again("dev253-16"), rule.Possible, "", "cp mysqld", "programs that were seen waiting may wait for another disk"},
		{"a database reads another disk", func(h *ruletest.Host) { copying(h); database(h, fast, 1) },
			rule.Possible, "", "cp", "disk sdb is busy all the time with cp (7); programs that were seen waiting may wait for another disk"},
		{"a database waits while the other disk has hardly a request", func(h *ruletest.Host) { copying(h); database(h, rested, 1) },
			rule.Certain, "cp", "cp mysqld", "cp (7) issues most of them"},
		{"more threads wait than the other disk has requests, as for a journal", func(h *ruletest.Host) { copying(h); database(h, fast, 8) },
			rule.Likely, "", "cp mysqld", "cp (7) issues most of them"},
		{"the database moves more on its disk than the copy", func(h *ruletest.Host) {
			copying(h)
			d := fast
			d.size = 128 << 10
			database(h, d, 1)
		}, rule.Possible, "", "cp", "busy all the time with cp (7)"},
		{"the disk is written by nobody that is known", func(h *ruletest.Host) { disks(h, copied); database(h, fast, 8) },
			rule.Likely, "", "mysqld", "nothing tells which programs issue them"},
		{"a volume on the other disk counts once", func(h *ruletest.Host) {
			copying(h)
			database(h, rested, 1)
			volume := rested
			volume.name, volume.backing = "dm-0", "vg-data"
			disks(h, volume)
		}, rule.Certain, "cp", "cp mysqld", "cp (7) issues most of them"},
		{"a volume on this disk", func(h *ruletest.Host) {
			copying(h)
			database(h, fast, 1)
			volume := copied
			volume.name, volume.backing = "dm-0", "vg-backup"
			disks(h, volume)
		}, rule.Possible, "", "cp", "busy all the time with cp (7)"},
		{"the other disk is loaded, too", func(h *ruletest.Host) {
			copying(h)
			d := fast
			d.await, d.queue, d.busy = 0.02, 77, 1
			database(h, d, 8)
		}, rule.Likely, "", "cp mysqld", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			tt.build(h)
			found := ruletest.Judge(t, h, saturated, tt.want)
			for _, f := range found {
				culprit, affected := "", []string{}
				if f.Culprit != nil {
					culprit = f.Culprit.Name
				}
				for _, e := range f.Affects {
					affected = append(affected, e.Name)
				}
				slices.Sort(affected)
				if got := strings.Join(affected, " "); culprit != tt.culprit || got != tt.affected {
					t.Errorf("%s: culprit %q, affected %q; want %q, %q", f.Subject.Name, culprit, got, tt.culprit, tt.affected)
				}
				if got := f.Headline.String(); !strings.Contains(got, tt.says) {
					t.Errorf("headline %q, want %q", got, tt.says)
				}
				for i := range f.Victims {
					if got := f.Victims[i].Words().String(); got != "mysqld (8) waits for the disk 609 ms per second" {
						t.Errorf("victim: %s", got)
					}
				}
			}
		})
	}
}

// Requests of a loop device are those of the disk below it, and of no other disk.
func TestSaturatedAboveItsDisk(t *testing.T) {
	h := ruletest.New(2, 10)
	disks(h, throttledLoop)
	ruletest.Every(h, func(at time.Time, s float64) recording.DiskSample {
		return recording.DiskSample{At: at, Device: "vda", Major: 254, Reads: uint64(200 * s), ReadBytes: uint64(819200 * s), ReadTime: time.Duration(s * 1.9e9), Busy: time.Duration(s * 0.9e9), WeightedQueue: time.Duration(s * 1.9e9)}
	})
	ruletest.Add(h, recording.MountSample{At: ruletest.Start, MountPoint: "/", Major: 254, FSType: "ext4", Size: 100, Available: 50, Free: 50})
	h.Process(ruletest.Process{PID: 7, Comm: "fio", ReadBytes: 200 * 4096})
	blocked(h, 7, 7, "folio_wait_bit_common", 1)
	h.Process(ruletest.Process{PID: 8, Comm: "table-reader", ReadBytes: 4096})
	blocked(h, 8, 8, "folio_wait_bit_common", 0.9)
	found := ruletest.Judge(t, h, saturated, rule.Certain)
	if len(found) != 1 || found[0].Subject.Name != "loop3" || found[0].Impact.TimeLost < 1.8 || found[0].Culprit == nil || found[0].Culprit.Name != "fio" || len(found[0].Victims) != 1 {
		t.Errorf("want loop3, loaded by fio, for which both wait: %+v", found)
	}
}
