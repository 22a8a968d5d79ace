package disk

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// A stack of devices is one disk, by the device that has the queue.
func TestSaturatedStacks(t *testing.T) {
	const mib = 1 << 20
	busy := device{writes: 200, size: 512 << 10, await: 0.2, busy: 1, queue: 40}
	rested := device{writes: 200, size: 512 << 10, await: 0.001, busy: 0.2, queue: 0.2}
	of := func(d device, name, slaves string, minor int32) device {
		d.name, d.slaves, d.minor = name, slaves, minor
		return d
	}
	half := func(d device) device {
		d.writes, d.queue = d.writes/2, d.queue/2
		return d
	}
	for _, tt := range []struct {
		name     string
		devices  []device
		want     rule.Confidence
		subjects string
		culprit  string
	}{
		{"a volume", []device{of(busy, "vda", "", 1), of(busy, "dm-0", "vda2", 2)}, rule.Certain, "vda", "cp"},
		{"a volume on an encrypted partition", []device{of(busy, "dm-1", "dm-0", 3), of(busy, "dm-0", "vda2", 2), of(busy, "vda", "", 1)}, rule.Certain, "vda", "cp"},
		{"a volume of which is not told what it is made of", []device{of(busy, "vda", "", 1), of(busy, "dm-0", "", 2)}, rule.Likely, "dm-0 vda", ""},
		{"a volume that is slow by itself", []device{of(rested, "vda", "", 1), of(busy, "dm-0", "vda2", 2)}, rule.Certain, "dm-0", "cp"},
		{"a thin volume", []device{of(busy, "vda", "", 1), of(rested, "dm-0", "vda3", 2), of(busy, "dm-1", "vda3", 3), of(busy, "dm-2", "dm-0,dm-1", 4), of(busy, "dm-3", "dm-2", 5)}, rule.Certain, "vda", "cp"},
		{"a thin volume whose data is on two disks", []device{of(half(busy), "vda", "", 1), of(half(busy), "vdb", "", 6), of(rested, "dm-0", "vda3", 2), of(busy, "dm-1", "vda4,vdb1", 3),
			of(busy, "dm-2", "dm-0,dm-1", 4), of(busy, "dm-3", "dm-2", 5)}, rule.Certain, "dm-2", "cp"},
		{"an array", []device{of(busy, "md0", "sda1,sdb1", 1), of(half(busy), "sda", "", 2), of(half(busy), "sdb", "", 3)}, rule.Certain, "md0", "cp"},
		{"a volume on an array", []device{of(busy, "dm-0", "md0", 4), of(busy, "md0", "sda1,sdb1", 1), of(half(busy), "sda", "", 2), of(half(busy), "sdb", "", 3)}, rule.Certain, "md0", "cp"},
		{"an array of encrypted disks", []device{of(busy, "md0", "dm-1,dm-2", 1), of(half(busy), "dm-1", "sda", 4), of(half(busy), "dm-2", "sdb", 5),
			of(half(busy), "sda", "", 2), of(half(busy), "sdb", "", 3)}, rule.Certain, "md0", "cp"},
		{"one slow disk of an array", []device{of(busy, "md0", "sda1,sdb1", 1), of(busy, "sda", "", 2), of(rested, "sdb", "", 3)}, rule.Certain, "sda", "cp"},
		{"multipath", []device{of(half(busy), "sda", "", 2), of(half(busy), "sdb", "", 3), of(busy, "dm-0", "sda,sdb", 1)}, rule.Certain, "dm-0", "cp"},
		{"multipath of NVMe", []device{of(busy, "nvme0n1", "", 1), of(busy, "nvme0c0n1", "", 2)}, rule.Certain, "nvme0n1", "cp"},
		{"multipath of NVMe that an older kernel does not count", []device{of(device{}, "nvme0n1", "", 1), of(busy, "nvme0c0n1", "", 2)}, rule.Certain, "nvme0c0n1", "cp"},
		{"a volume, and another loaded disk", []device{of(busy, "vda", "", 1), of(busy, "dm-0", "vda2", 2), of(busy, "vdb", "", 3)}, rule.Likely, "vda vdb", ""},
		{"an array, and a disk of it that others load", []device{of(half(half(half(busy))), "md0", "sda1,sdb1", 1), of(busy, "sda", "", 2), of(busy, "sdb", "", 3)}, rule.Likely, "md0 sda sdb", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			for _, d := range tt.devices {
				disks(h, d)
			}
			h.Process(ruletest.Process{PID: 7, Comm: "cp", WriteBytes: 100 * mib})
			blocked(h, 7, 7, "balance_dirty_pages", 0.9)
			h.Process(ruletest.Process{PID: 8, Comm: "mysqld", WriteBytes: 40 << 10})
			blocked(h, 8, 81, "jbd2_log_wait_commit", 1)
			var subjects []string
			for _, f := range ruletest.Judge(t, h, saturated, tt.want) {
				subjects = append(subjects, f.Subject.Name)
				culprit := ""
				if f.Culprit != nil {
					culprit = f.Culprit.Name
				}
				if culprit != tt.culprit || (culprit != "") != (len(f.Victims) == 1) {
					t.Errorf("%s: culprit %q, victims %+v; want %q", f.Subject.Name, culprit, f.Victims, tt.culprit)
				}
			}
			slices.Sort(subjects)
			if got := strings.Join(subjects, " "); got != tt.subjects {
				t.Errorf("found about %s, want %s", got, tt.subjects)
			}
		})
	}
}

// The disk below a volume is told with what is mounted on that.
func TestSaturatedSaysWhatIsOnAStack(t *testing.T) {
	h := ruletest.New(2, 10)
	disks(h, device{name: "vda", minor: 1, reads: 200, size: 4096, await: 0.079, busy: 1, queue: 15.8})
	disks(h, device{name: "dm-0", minor: 2, reads: 200, size: 4096, await: 0.079, busy: 1, queue: 15.8, backing: "vg-data", slaves: "vda2"})
	ruletest.Add(h, recording.MountSample{At: ruletest.Start, MountPoint: "/data", Device: "/dev/mapper/vg-data", Major: 7, Minor: 2, FSType: "xfs", Size: 100, Available: 50, Free: 50})
	readers(h)
	opened(h, 7, 3, "/data/table", "7:2", read|direct, 0, 0)
	found := ruletest.Judge(t, h, saturated, rule.Certain)
	if want := "disk vda (/data) is saturated: requests queue, fio (7) issues most of them, with file /data/table"; len(found) != 1 || found[0].Headline.String() != want {
		t.Errorf("want %s: %+v", want, found)
	}
}

// Errors of a disk are those of what lies on it, and a disk that is one of several is not said to
// hold a filesystem.
func TestErrorsOfStacks(t *testing.T) {
	dev := func(name string, minor int32, slaves string) recording.DiskSample {
		return recording.DiskSample{Device: name, Major: 253, Minor: minor, Slaves: slaves, Timeouts: recording.Unknown}
	}
	host := func(reads float64, mounted int32, lines []string, list ...recording.DiskSample) func() *ruletest.Host {
		return func() *ruletest.Host {
			h := ruletest.New(2, 10)
			for _, row := range list {
				ruletest.Every(h, func(at time.Time, s float64) recording.DiskSample {
					row := row
					row.At, row.Reads = at, 1000+uint64(reads*s)
					return row
				})
			}
			if mounted > 0 {
				ruletest.Add(h, recording.MountSample{At: ruletest.Start, MountPoint: "/data", Device: "/dev/mapper/data", Major: 253, Minor: mounted, FSType: "xfs", Size: 100, Available: 50, Free: 50})
			} else {
				ruletest.Add(h, recording.MountSample{At: ruletest.Start, MountPoint: "/", Device: "/dev/vda", Major: 254, FSType: "xfs", Size: 100, Available: 50, Free: 50})
			}
			for i, l := range lines {
				h.Log(1+float64(i), l)
			}
			return h
		}
	}
	const device, certain, likely = view.KindDevice, rule.Certain, rule.Likely
	failed := slices.Repeat([]string{"I/O error, dev sdb, sector 0 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2"}, 8)
	written := []string{"I/O error, dev sdb, sector 2048 op 0x1:(WRITE) flags 0x800 phys_seg 1 prio class 2"}
	shut := "XFS (dm-0): Filesystem has been shut down due to log error (0x2)."
	swap := dev("dm-1", 4, "sdb")
	swap.Swap = true
	ruletest.Check(t, diskErrors, []ruletest.Situation{
		{Name: "reads of a member of a volume group with nothing on it", Host: host(0.8, 0, failed, dev("sdb", 1, ""), dev("dm-0", 2, "sdb")), Want: likely, Kind: device, Subject: "sdb"},
		{Name: "reads of a member of a volume group, on which a filesystem is", Host: host(0.8, 2, failed, dev("sdb", 1, ""), dev("dm-0", 2, "sdb")), Want: certain, Kind: device, Subject: "sdb", Low: 0.9, High: 1},
		{Name: "reads of a member of a volume group, on which swap is", Host: host(0.8, 0, failed, dev("sdb", 1, ""), swap), Want: certain, Kind: device, Subject: "sdb", Low: 0.9, High: 1},
		{Name: "reads of a path of multipath", Host: host(0.8, 2, failed, dev("sda", 3, ""), dev("sdb", 1, ""), dev("dm-0", 2, "sda,sdb")), Want: likely, Kind: device, Subject: "sdb"},
		{Name: "a volume whose filesystem gave up with its disk", Host: host(100, 2, append(written, shut), dev("sdb", 1, ""), dev("dm-0", 2, "sdb")), Want: certain, Kind: device, Subject: "sdb", Low: 1, High: 1,
			Says: "sdb: its filesystem was shut down"},
		{Name: "a volume whose filesystem gave up by itself", Host: host(100, 2, []string{shut}, dev("sdb", 1, ""), dev("dm-0", 2, "sdb")), Want: certain, Kind: device, Subject: "dm-0", Low: 1, High: 1},
		{Name: "a volume whose pool is full", Host: host(100, 2, []string{"Buffer I/O error on dev dm-0, logical block 5, lost async page write"}, dev("sdb", 1, ""), dev("dm-0", 2, "sdb")),
			Want: certain, Kind: device, Subject: "dm-0", Low: 0.0009, High: 0.0011, Says: "disk dm-0 ended 1 write with an error"},
		{Name: "a path of NVMe", Host: host(100, 2, []string{"critical medium error, dev nvme0c0n1, sector 8 op 0x0:(READ) flags 0x4000 phys_seg 1 prio class 2"}, dev("nvme0n1", 2, ""), dev("nvme0c0n1", 1, "")),
			Want: certain, Kind: device, Subject: "nvme0n1", Low: 0.0009, High: 0.0011, Says: "disk nvme0n1 ended 1 read with an error"},
	})
	full := slices.Repeat([]string{"Buffer I/O error on dev dm-0, logical block 5, lost async page write"}, 3)
	for _, tt := range []struct {
		name, line string // of its disk
		want       []string
	}{
		{"a bad sector of its disk", "critical medium error, dev sdb, sector 8 op 0x0:(READ) flags 0x4000 phys_seg 1 prio class 2",
			[]string{"disk dm-0 ended 3 writes with an error", "disk sdb ended 1 read with an error"}},
		{"a bad sector of its disk, as kernels tell it that do not say of what request", "print_req_error: critical medium error, dev sdb, sector 8", []string{"disk sdb ended 1 read with an error"}},
		{"a write of its disk", written[0], []string{"disk sdb ended 1 write with an error"}},
	} {
		t.Run("a volume whose pool is full, and "+tt.name, func(t *testing.T) {
			var got []string
			for _, f := range ruletest.Judge(t, host(100, 2, slices.Concat(full, []string{tt.line}), dev("sdb", 1, ""), dev("dm-0", 2, "sdb"))(), diskErrors, certain) {
				got = append(got, f.Headline.String())
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("found %q, want %q", got, tt.want)
			}
		})
	}
	f := host(0.8, 2, failed, dev("sda", 3, ""), dev("sdb", 1, ""), dev("dm-0", 2, "sda,sdb"))().Detect(t, diskErrors)[0]
	if want := "it is one of the devices that dm-0 (/data) is made of"; !strings.Contains(f.Impact.Text.String(), want) {
		t.Errorf("impact %q, want %q", f.Impact.Text, want)
	}
}
