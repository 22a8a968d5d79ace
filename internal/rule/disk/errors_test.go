package disk

import (
	"math"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// Lines are those of Linux 4.18, 5.14 and 6.18, of bug reports and of the lab.
func TestErrors(t *testing.T) {
	log := func(lines ...string) func() *ruletest.Host {
		return func() *ruletest.Host {
			h := ruletest.New(2, 10)
			disks(h, device{name: "sda", reads: 100, size: 4096, await: 0.01, busy: 0.5, queue: 1})
			h.Log(1, "eth0: link becomes ready")
			for i, l := range lines {
				h.Log(2+float64(i), l)
			}
			return h
		}
	}
	ruletest.Check(t, diskErrors, []ruletest.Situation{
		{Name: "a read failed, 6.18", Host: log("I/O error, dev sda, sector 2048 op 0x0:(READ) flags 0x80700 phys_seg 1 prio class 2"), Want: rule.Certain, Kind: view.KindDevice, Subject: "sda", Low: 0.0009, High: 0.0011},
		{Name: "a read failed, 5.14", Host: log("blk_update_request: I/O error, dev sda, sector 2048 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 0"), Want: rule.Certain, Kind: view.KindDevice, Subject: "sda", Low: 0.0009, High: 0.0011},
		{Name: "a read failed, 4.18", Host: log("print_req_error: critical medium error, dev sda, sector 2048"), Want: rule.Certain, Kind: view.KindDevice, Subject: "sda", Low: 0.0009, High: 0.0011},
		{Name: "a page could not be written", Host: log("Buffer I/O error on dev sda, logical block 5, lost async page write"), Want: rule.Certain, Kind: view.KindDevice, Subject: "sda", Low: 0.0009, High: 0.0011},
		{Name: "a controller that does not answer", Host: log("nvme nvme0: I/O tag 12 (600c) opcode 0x2 (I/O Cmd) QID 3 timeout, aborting req_op:READ(0) size:4096"), Want: rule.Certain, Kind: view.KindDevice, Subject: "nvme0"},
		{Name: "it does not answer, and programs wait", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10).Log(2, "nvme nvme0: I/O tag 12 (600c) opcode 0x2 (I/O Cmd) QID 3 timeout, aborting req_op:READ(0) size:4096")
			disks(h, device{name: "nvme0n1", reads: 100, size: 4096, await: 0.02, busy: 1, queue: 2})
			readers(h)
			return h
		}, Want: rule.Certain, Kind: view.KindDevice, Subject: "nvme0n1", Low: 1.99, High: 2.01},
		{Name: "programs wait for another disk", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10).Log(2, "nvme nvme0: I/O tag 12 (600c) opcode 0x2 (I/O Cmd) QID 3 timeout, aborting req_op:READ(0) size:4096")
			disks(h, device{name: "nvme1n1", reads: 100, size: 4096, await: 0.02, busy: 1, queue: 2})
			readers(h)
			return h
		}, Want: rule.Certain, Kind: view.KindDevice, Subject: "nvme0"},
		{Name: "read-only", Host: log("EXT4-fs error (device sda): ext4_journal_check_start:84: comm app: Detected aborted journal", "EXT4-fs (sda): Remounting filesystem read-only"), Want: rule.Certain, Kind: view.KindDevice, Subject: "sda", Low: 1, High: 1},
		{Name: "damage", Host: log("EXT4-fs error (device sda): ext4_lookup:1855: inode #2: comm ls: deleted inode referenced: 12"), Want: rule.Likely, Kind: view.KindDevice, Subject: "sda"},
		{Name: "what a disk does not know", Host: log("operation not supported error, dev sda, sector 2048 op 0x9:(WRITE_ZEROES) flags 0x800 phys_seg 0 prio class 2")},
		{Name: "the first fstrim of a disk that has no discard", Host: log("critical target error, dev sda, sector 2048 op 0x3:(DISCARD) flags 0x800 phys_seg 1 prio class 0", "blk_update_request: critical target error, dev sda, sector 2048 op 0x9:(WRITE_ZEROES) flags 0x0 phys_seg 0 prio class 0")},
		{Name: "a discard failed", Host: log("I/O error, dev sda, sector 2048 op 0x3:(DISCARD) flags 0x800 phys_seg 1 prio class 0"), Want: rule.Certain, Kind: view.KindDevice, Subject: "sda", Says: "disk sda ended 1 discard with an error", Low: 0.0009, High: 0.0011},
		{Name: "a flush failed", Host: log("I/O error, dev sda, sector 0 op 0x1:(FLUSH) flags 0x800 phys_seg 0 prio class 0"), Want: rule.Certain, Kind: view.KindDevice, Subject: "sda", Says: "disk sda ended 1 write with an error", Low: 0.0009, High: 0.0011},
		{Name: "a disk that was taken away", Host: log("device offline error, dev sda, sector 2048 op 0x1:(WRITE) flags 0x800 phys_seg 1 prio class 2"), Want: rule.Certain, Kind: view.KindDevice, Subject: "sda", Low: 0.0009, High: 0.0011},
		{Name: "a controller that is gone", Host: log("nvme nvme0: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0xffff"), Want: rule.Certain, Kind: view.KindDevice, Subject: "nvme0"},
		{Name: "Btrfs with a state", Host: log("BTRFS error (device sda: state EA): bdev /dev/sda errs: wr 1, rd 0, flush 0, corrupt 0, gen 0"), Want: rule.Likely, Kind: view.KindDevice, Subject: "sda"},
		{Name: "Btrfs gave up", Host: log("BTRFS: error (device sda) in btrfs_commit_transaction:2446: errno=-5 IO failure (Error while writing out transaction)", "BTRFS info (device sda state E): forced readonly"), Want: rule.Certain, Kind: view.KindDevice, Subject: "sda", Low: 1, High: 1},
		{Name: "XFS gave up, 5.4", Host: log("XFS (sda): Corruption of in-memory data detected.  Shutting down filesystem"), Want: rule.Certain, Kind: view.KindDevice, Subject: "sda", Says: "sda: its filesystem was shut down", Low: 1, High: 1},
		{Name: "XFS gave up, 6.18", Host: log("XFS (sda): Filesystem has been shut down due to log error (0x2).", "XFS (sda): Please unmount the filesystem and rectify the problem(s)."), Want: rule.Certain, Kind: view.KindDevice, Subject: "sda", Low: 1, High: 1},
		{Name: "warnings of a filesystem", Host: log("EXT4-fs warning (device sda): ext4_dx_add_entry:2516: Directory (ino: 12) index full, reach max htree level :2")},
		{Name: "drives without a medium", Host: log("blk_update_request: I/O error, dev fd0, sector 0 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 0", "Buffer I/O error on dev sr0, logical block 0, async page read")},
		{Name: "a mount", Host: log("EXT4-fs (sda): mounted filesystem with ordered data mode", "XFS (sda): Mounting V5 Filesystem")},
		{Name: "a program with such a name", Host: log("app[7]: segfault at 0 I/O error, dev sda, sector 1")},
		{Name: "before the window", Host: func() *ruletest.Host {
			h := log()()
			return h.Log(-60, "I/O error, dev sda, sector 2048 op 0x0:(READ) flags 0x80700 phys_seg 1 prio class 2")
		}},
		{Name: "timeouts of the SCSI layer", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10).Log(1, "eth0: link becomes ready")
			return ruletest.Every(h, func(at time.Time, s float64) recording.DiskSample {
				return recording.DiskSample{At: at, Device: "sda", Reads: 1000 + uint64(s), Timeouts: int64(math.Floor(s / 4)), Errors: 3}
			})
		}, Want: rule.Certain, Kind: view.KindDevice, Subject: "sda", Low: 0.1, High: 0.3},
		{Name: "no counters of the SCSI layer", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10).Log(1, "eth0: link becomes ready")
			return ruletest.Every(h, func(at time.Time, s float64) recording.DiskSample {
				return recording.DiskSample{At: at, Device: "vda", Reads: 1000 + uint64(s), Timeouts: recording.Unknown, Errors: recording.Unknown}
			})
		}},
	})
}

// What a partition's filesystem says belongs to the disk that failed.
func TestErrorsOfAPartitionAreThoseOfItsDisk(t *testing.T) {
	h := ruletest.New(2, 10)
	for name, minor := range map[string]int32{"sda": 0, "sda1": 1} {
		ruletest.Every(h, func(at time.Time, s float64) recording.DiskSample {
			return recording.DiskSample{At: at, Device: name, Major: 8, Minor: minor, Partition: minor > 0, Reads: 1000 + uint64(50*s), Timeouts: recording.Unknown}
		})
	}
	h.Log(1, "I/O error, dev sda, sector 2048 op 0x1:(WRITE) flags 0x800 phys_seg 1 prio class 2")
	h.Log(2, "Buffer I/O error on dev sda1, logical block 9, lost async page write")
	found := ruletest.Judge(t, h, diskErrors, rule.Certain)
	if len(found) != 1 || found[0].Headline.String() != "disk sda ended 1 write with an error" {
		t.Errorf("found %+v", found)
	}
}

// A disk that is only looked at serves nobody.
func TestErrorsOfADiskThatIsOnlyLookedAt(t *testing.T) {
	looked := device{name: "sdc", reads: 0.8, size: 4096, await: 0.001}
	host := func(d device, more func(*ruletest.Host)) func() *ruletest.Host {
		return func() *ruletest.Host {
			h := ruletest.New(2, 10)
			disks(h, d)
			ruletest.Add(h, recording.MountSample{At: ruletest.Start, MountPoint: "/", Device: "/dev/sda1", Major: 8, Minor: 1, FSType: "ext4", Size: 100, Available: 50, Free: 50})
			for i := range 8 {
				h.Log(1+float64(i), "I/O error, dev sdc, sector 0 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2")
			}
			more(h)
			return h
		}
	}
	busy := looked
	busy.reads = 2
	queued := looked
	queued.busy, queued.queue = 1, 2
	ruletest.Check(t, diskErrors, []ruletest.Situation{
		{Name: "by pvscan", Host: host(looked, func(*ruletest.Host) {}), Want: rule.Likely, Kind: view.KindDevice, Subject: "sdc", Says: "disk sdc ended 8 reads with an error"},
		{Name: "other reads succeed", Host: host(busy, func(*ruletest.Host) {}), Want: rule.Certain, Kind: view.KindDevice, Subject: "sdc", Low: 0.39, High: 0.41},
		{Name: "a filesystem is on it", Host: host(looked, func(h *ruletest.Host) {
			ruletest.Add(h, recording.MountSample{At: ruletest.Start, MountPoint: "/data", Device: "/dev/sdc", Major: 7, Minor: 3, FSType: "ext4", ReadOnly: true, Size: 100, Available: 50, Free: 50})
		}), Want: rule.Certain, Kind: view.KindDevice, Subject: "sdc", Low: 1, High: 1},
		{Name: "a swap area is on it", Host: host(looked, func(h *ruletest.Host) {
			ruletest.Every(h, func(at time.Time, _ float64) recording.DiskSample {
				return recording.DiskSample{At: at, Device: "sdc2", Major: 8, Minor: 34, Partition: true, Swap: true}
			})
		}), Want: rule.Certain, Kind: view.KindDevice, Subject: "sdc", Low: 1, High: 1},
		{Name: "a write fails, too", Host: host(looked, func(h *ruletest.Host) {
			h.Log(9, "I/O error, dev sdc, sector 8 op 0x1:(WRITE) flags 0x800 phys_seg 1 prio class 2")
		}), Want: rule.Certain, Kind: view.KindDevice, Subject: "sdc", Low: 1, High: 1},
		{Name: "a filesystem that is not known finds damage", Host: host(looked, func(h *ruletest.Host) {
			h.Log(9, "EXT4-fs error (device sdc): ext4_lookup:1855: inode #2: comm ls: deleted inode referenced: 12")
		}), Want: rule.Certain, Kind: view.KindDevice, Subject: "sdc", Low: 1, High: 1},
		{Name: "threads wait for it", Host: host(queued, readers), Want: rule.Certain, Kind: view.KindDevice, Subject: "sdc", Low: 1.9, High: 2.1},
	})
}
