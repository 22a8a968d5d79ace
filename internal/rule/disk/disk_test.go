package disk

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// device is how a block device's counters run per second.
type device struct {
	name          string
	minor         int32 // of its number; 3 unless told otherwise
	reads, writes float64
	size          float64 // bytes per request
	await         float64 // seconds
	busy, queue   float64
	resetAt       float64 // seconds after which its counters restart
	until         float64 // seconds after which it does nothing more; 0: never
	partition     bool
	backing       string
	slaves        string
}

func disks(h *ruletest.Host, d device) {
	ruletest.Every(h, func(at time.Time, s float64) recording.DiskSample {
		if d.until > 0 {
			s = min(s, d.until)
		}
		if d.resetAt > 0 && s >= d.resetAt {
			s -= d.resetAt
		} else {
			s += 1000
		}
		n := func(rate float64) uint64 { return uint64(rate * s) }
		t := func(seconds float64) time.Duration { return time.Duration(seconds * s * float64(time.Second)) }
		return recording.DiskSample{At: at, Device: d.name, Major: 7, Minor: cmp.Or(d.minor, 3), Partition: d.partition, Backing: d.backing, Slaves: d.slaves,
			Reads: n(d.reads), ReadBytes: n(d.reads * d.size), ReadTime: t(d.reads * d.await),
			Writes: n(d.writes), WrittenBytes: n(d.writes * d.size), WriteTime: t(d.writes * d.await),
			Busy: t(d.busy), WeightedQueue: t(d.queue)}
	})
}

// blocked records a thread that waits in D in a share of its samples.
func blocked(h *ruletest.Host, pid, tid int32, where string, share float64) {
	i := 0
	ruletest.Every(h, func(at time.Time, s float64) recording.ThreadSample {
		i++
		row := recording.ThreadSample{At: at, PID: pid, TID: tid, Comm: "t", State: "S", Syscall: -1, Slices: int64(i), SyscallName: "nanosleep"}
		if float64(i%10) < share*10 {
			row.State, row.WaitChannel, row.SyscallName = "D", where, "pread64"
		}
		return row
	})
}

var throttledLoop = device{name: "loop3", reads: 200, size: 4096, await: 0.079, busy: 1, queue: 15.8, backing: "/srv/disk.img"}

// readers are four threads of fio that read 4 KiB at random.
func readers(h *ruletest.Host) {
	h.Process(ruletest.Process{PID: 7, Comm: "fio", ReadBytes: 200 * 4096})
	for tid := int32(8); tid < 12; tid++ {
		blocked(h, 7, tid, "folio_wait_bit_common", 1)
	}
}

// Reports tell the wait for disks of main threads: that of others is not in it.
func TestSaturatedInReports(t *testing.T) {
	for _, tt := range []struct {
		name    string
		waits   float64 // of fio; -1: not told
		journal float64 // of jbd2
		blocked int64   // tasks of the host
		want    rule.Confidence
		says    string // part of the headline
	}{
		{"no waits are told", -1, -1, 12, rule.Likely, "fio (7) issues most of them"},
		{"a journal waits", 0, 0.5, 12, rule.Likely, "fio (7) issues most of them"},
		{"a main thread waits a little", 0.2, 0.5, 12, rule.Likely, "fio (7) issues most of them"},
		{"a main thread waits", 0.9, 0.5, 12, rule.Certain, "fio (7) issues most of them"},
		{"nobody is blocked", 0, 0.5, 0, rule.Possible, "nothing tells whether anybody waits for it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			h.Manifest(func(m *recording.Manifest) {
				m.Probes = append(m.Probes, recording.ProbeInfo{Name: "pidstat", Fills: []recording.Table{recording.Processes}, Only: []string{"processes.read_bytes", "processes.block_delay_ns"}})
			})
			disks(h, throttledLoop)
			h.System(ruletest.System{Blocked: tt.blocked})
			told := func(wait float64) func(float64, *recording.ProcessSample) {
				return func(_ float64, p *recording.ProcessSample) {
					if wait < 0 {
						p.BlockDelay = recording.Unknown
					}
				}
			}
			h.Process(ruletest.Process{PID: 7, Comm: "fio", ReadBytes: 200 * 4096, BlockDelay: tt.waits, Change: told(tt.waits)})
			h.Process(ruletest.Process{PID: 20, Comm: "jbd2/loop3-8", Kernel: true, BlockDelay: tt.journal, Change: told(tt.journal)})
			for _, f := range ruletest.Judge(t, h, saturated, tt.want) {
				if got := f.Headline.String(); !strings.Contains(got, tt.says) {
					t.Errorf("headline %q, want %q", got, tt.says)
				}
			}
		})
	}
}

func TestSaturated(t *testing.T) {
	tests := []struct {
		name  string
		build func(*ruletest.Host)
		want  rule.Confidence
	}{
		{"readers wait in a long queue", func(h *ruletest.Host) { disks(h, throttledLoop); readers(h) }, rule.Certain},
		{"counters were reset", func(h *ruletest.Host) {
			d := throttledLoop
			d.resetAt = 4.5
			disks(h, d)
			readers(h)
		}, rule.Certain},
		{"busy all the time without a queue", func(h *ruletest.Host) {
			disks(h, device{name: "nvme0n1", reads: 9000, size: 4096, await: 0.0001, busy: 1, queue: 0.9})
			readers(h)
		}, 0},
		{"deep queue answered fast", func(h *ruletest.Host) {
			disks(h, device{name: "nvme0n1", reads: 90000, size: 4096, await: 0.0003, busy: 1, queue: 27})
			readers(h)
		}, 0},
		{"one buffered copy", func(h *ruletest.Host) {
			disks(h, device{name: "vda", writes: 200, size: 512 << 10, await: 0.2, busy: 1, queue: 40})
			h.Process(ruletest.Process{PID: 7, Comm: "cp", WriteBytes: 100 << 20})
			blocked(h, 7, 7, "balance_dirty_pages", 0.9)
			h.Process(ruletest.Process{PID: 9, Comm: "kworker/u4:1", Kernel: true})
			blocked(h, 9, 9, "blk_mq_get_tag", 0.9)
		}, rule.Possible},
		{"one copy that reads from the same disk", func(h *ruletest.Host) {
			disks(h, device{name: "vda", reads: 400, size: 256 << 10, await: 0.05, busy: 1, queue: 20})
			h.Process(ruletest.Process{PID: 7, Comm: "cp", ReadBytes: 100 << 20, WriteBytes: 90 << 20})
			blocked(h, 7, 7, "folio_wait_bit_common", 0.9)
		}, rule.Possible},
		{"workers that read large pages, each by itself", func(h *ruletest.Host) {
			disks(h, device{name: "vda", reads: 200, size: 64 << 10, await: 0.03, busy: 1, queue: 6})
			for pid := int32(7); pid < 13; pid++ {
				h.Process(ruletest.Process{PID: pid, Comm: "nginx", ReadBytes: 200 * 64 << 10 / 6, Change: func(s float64, p *recording.ProcessSample) {
					p.ReadCalls, p.ReadChars = int64(s*200/6), int64(s*200/6)*64<<10
				}})
				blocked(h, pid, pid, "__iomap_dio_rw", 1)
			}
		}, rule.Certain},
		{"two copies, of which one reads another disk", func(h *ruletest.Host) {
			disks(h, device{name: "vda", reads: 400, size: 256 << 10, await: 0.05, busy: 1, queue: 20})
			for pid := int32(7); pid < 9; pid++ {
				h.Process(ruletest.Process{PID: pid, Comm: "tar", ReadBytes: 100 << 20})
				blocked(h, pid, pid, "folio_wait_bit_common", 0.9)
			}
		}, rule.Possible},
		{"a database suffers from a copy", func(h *ruletest.Host) {
			disks(h, device{name: "vda", writes: 200, size: 512 << 10, await: 0.2, busy: 1, queue: 40})
			h.Process(ruletest.Process{PID: 7, Comm: "cp", WriteBytes: 100 << 20})
			h.Process(ruletest.Process{PID: 8, Comm: "mariadbd", WriteBytes: 40 << 10})
			blocked(h, 7, 7, "balance_dirty_pages", 0.9)
			blocked(h, 8, 81, "jbd2_log_wait_commit", 0.9)
		}, rule.Certain},
		{"a database on XFS suffers from a copy", func(h *ruletest.Host) {
			disks(h, device{name: "vda", writes: 200, size: 512 << 10, await: 0.2, busy: 1, queue: 40})
			h.Process(ruletest.Process{PID: 7, Comm: "cp", WriteBytes: 100 << 20})
			h.Process(ruletest.Process{PID: 8, Comm: "mysqld", WriteBytes: 40 << 10})
			blocked(h, 7, 7, "balance_dirty_pages", 0.9)
			blocked(h, 8, 81, "xlog_wait_on_iclog", 0.9)
		}, rule.Certain},
		{"a program waits for a lock beside a copy", func(h *ruletest.Host) {
			disks(h, device{name: "vda", writes: 200, size: 512 << 10, await: 0.2, busy: 1, queue: 40})
			h.Process(ruletest.Process{PID: 7, Comm: "cp", WriteBytes: 100 << 20})
			h.Process(ruletest.Process{PID: 8, Comm: "mysqld", WriteBytes: 40 << 10})
			blocked(h, 7, 7, "balance_dirty_pages", 0.9)
			blocked(h, 8, 81, "rwsem_down_write_slowpath", 0.9)
		}, rule.Possible},
		{"a partition is not a device of its own", func(h *ruletest.Host) {
			d := throttledLoop
			d.partition = true
			disks(h, d)
			readers(h)
		}, 0},
		{"nobody's waits are readable", func(h *ruletest.Host) {
			disks(h, throttledLoop)
			h.Process(ruletest.Process{PID: 7, Comm: "fio", ReadBytes: 200 * 4096, Change: func(_ float64, p *recording.ProcessSample) { p.BlockDelay = recording.Unknown }})
			h.Pressure("io", 0.9, 0.5)
		}, rule.Likely},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			tt.build(h)
			found := h.Detect(t, saturated)
			if got := ruletest.Worst(found); got != tt.want {
				t.Fatalf("confidence %v, want %v: %+v", got, tt.want, found)
			}
			for _, f := range found {
				ruletest.Checked(t, f)
			}
		})
	}
}

func TestCgroupThrottled(t *testing.T) {
	for _, tt := range []struct {
		name  string
		build func(*ruletest.Host)
		want  rule.Confidence
	}{
		{"held by a cgroup before the device sees it", func(h *ruletest.Host) {
			disks(h, device{name: "loop3", reads: 100, size: 4096, await: 0.0002, busy: 0.02, queue: 0.02})
			readers(h)
			h.Cgroup(ruletest.Cgroup{Path: "/batch", Processes: 1, Change: func(s float64, c *recording.CgroupSample) {
				c.IOLimits, c.Reads, c.ReadBytes = "7:3 riops=100", int64(100*s), int64(409600*s)
			}})
		}, rule.Certain},
		{"the limit is lifted as the window ends", func(h *ruletest.Host) {
			disks(h, device{name: "loop3", reads: 100, size: 4096, await: 0.0002, busy: 0.02, queue: 0.02})
			readers(h)
			h.Cgroup(ruletest.Cgroup{Path: "/batch", Processes: 1, Change: func(s float64, c *recording.CgroupSample) {
				c.Reads, c.ReadBytes = int64(100*s), int64(409600*s)
				if s < 9 {
					c.IOLimits, c.IODone = "7:3 riops=100", fmt.Sprintf("7:3 rbytes=0 wbytes=0 rios=%d wios=0", int64(100*s))
				}
			}})
		}, rule.Certain},
		{"held by a cgroup of which nobody waits", func(h *ruletest.Host) {
			disks(h, device{name: "loop3", reads: 100, size: 4096, await: 0.0002, busy: 0.02, queue: 0.02})
			h.Process(ruletest.Process{PID: 7, Comm: "mysqld", ReadBytes: 4096, IOCgroup: "/"})
			blocked(h, 7, 71, "folio_wait_bit_common", 0.9)
			h.Cgroup(ruletest.Cgroup{Path: "/batch", Change: func(s float64, c *recording.CgroupSample) {
				c.IOLimits, c.Reads = "7:3 riops=100", int64(100*s)
			}})
		}, 0},
		{"far below the limit of its cgroup", func(h *ruletest.Host) {
			disks(h, device{name: "loop3", reads: 20, size: 4096, await: 0.0002, busy: 0.02, queue: 0.02})
			readers(h)
			h.Cgroup(ruletest.Cgroup{Path: "/batch", Processes: 1, Change: func(s float64, c *recording.CgroupSample) {
				c.IOLimits, c.Reads = "7:3 riops=100", int64(20*s)
			}})
		}, 0},
		{"a queue at the disk itself", func(h *ruletest.Host) {
			disks(h, throttledLoop)
			readers(h)
			h.Cgroup(ruletest.Cgroup{Path: "/batch", Processes: 1, Change: func(s float64, c *recording.CgroupSample) {
				c.IOLimits, c.Reads = "7:3 riops=200", int64(200*s)
			}})
		}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			tt.build(h)
			ruletest.Judge(t, h, cgroupThrottled, tt.want)
		})
	}
}

func TestSaturatedNamesLimitAndIssuer(t *testing.T) {
	h := ruletest.New(2, 10)
	disks(h, throttledLoop)
	readers(h)
	h.Cgroup(ruletest.Cgroup{Path: "/batch", Change: func(s float64, c *recording.CgroupSample) {
		c.IOLimits, c.Reads = "7:3 riops=200", int64(200*s)
	}})
	found := h.Detect(t, saturated)
	if len(found) != 1 {
		t.Fatalf("%d findings", len(found))
	}
	want := "I/O on loop3 (backed by /srv/disk.img) is held at the limit of cgroup /batch (200/s reads); fio (7) waits"
	if got := found[0].Headline.String(); got != want {
		t.Errorf("headline\n%s\nwant\n%s", got, want)
	}
	if got := found[0].Impact.TimeLost; got < 3.5 || got > 4.5 {
		t.Errorf("time lost %v, want four threads", got)
	}
}

// Who waits for the limit of a group is in that group.
func TestLimitNamesThoseInItsGroup(t *testing.T) {
	h := ruletest.New(2, 10)
	disks(h, throttledLoop)
	h.Process(ruletest.Process{PID: 7, Comm: "mysqld", ReadBytes: 1 << 20, IOCgroup: "/"})
	h.Process(ruletest.Process{PID: 8, Comm: "fio", ReadBytes: 200 * 4096, IOCgroup: "/batch/1"})
	for tid := int32(71); tid < 75; tid++ {
		blocked(h, 7, tid, "folio_wait_bit_common", 1)
	}
	blocked(h, 8, 8, "folio_wait_bit_common", 1)
	h.Cgroup(ruletest.Cgroup{Path: "/batch", Change: func(s float64, c *recording.CgroupSample) {
		c.IOLimits, c.Reads = "7:3 riops=200", int64(200*s)
	}})
	found := h.Detect(t, saturated)
	if len(found) != 1 || !strings.HasSuffix(found[0].Headline.String(), "; fio (8) waits") || found[0].Impact.TimeLost > 1.5 || len(found[0].Affects) != 1 {
		t.Fatalf("only fio waits: %+v", found)
	}
}

// A limit on purpose does not explain a disk that others fill; of several that of the
// group that waits is told, and only if the group reaches it on that disk.
func TestLimitsOfGroups(t *testing.T) {
	group := func(h *ruletest.Host, path, limits string, reads, bytes float64) {
		h.Cgroup(ruletest.Cgroup{Path: path, Change: func(s float64, c *recording.CgroupSample) {
			c.IOLimits, c.Reads, c.ReadBytes = limits, int64(reads*s), int64(bytes*s)
		}})
	}
	there := func(h *ruletest.Host, path, limits string, reads, onThatDisk float64) {
		h.Cgroup(ruletest.Cgroup{Path: path, Change: func(s float64, c *recording.CgroupSample) {
			c.IOLimits, c.Reads = limits, int64(reads*s)
			c.IODone = fmt.Sprintf("7:3 rbytes=%d wbytes=0 rios=%d wios=0", int64(4096*onThatDisk*s), int64(onThatDisk*s))
		}})
	}
	old := func(h *ruletest.Host, path, limits string, reads float64) {
		h.Cgroup(ruletest.Cgroup{Path: path, Change: func(s float64, c *recording.CgroupSample) {
			c.Version, c.IOLimits, c.Reads = 1, limits, int64(reads*s)
			c.IODone = fmt.Sprintf("7:3 rbytes=%d wbytes=0 rios=%d wios=0", int64(4096*reads*s), int64(reads*s))
		}})
	}
	waits := func(h *ruletest.Host, pid int32, name, group string, threads int32) {
		h.Process(ruletest.Process{PID: pid, Comm: name, ReadBytes: 1 << 20, IOCgroup: group})
		for tid := pid*10 + 1; tid <= pid*10+threads; tid++ {
			blocked(h, pid, tid, "folio_wait_bit_common", 1)
		}
	}
	for name, c := range map[string]struct {
		build func(*ruletest.Host)
		says  string // "": no finding
	}{
		"a disk that others fill": {func(h *ruletest.Host) {
			disks(h, device{name: "loop3", reads: 2000, size: 16 << 10, await: 0.02, busy: 1, queue: 40})
			waits(h, 7, "postgres", "/", 30)
			waits(h, 8, "backup", "/backup", 1)
			group(h, "/backup", "7:3 rbps=1048576", 64, 1<<20)
		}, "disk loop3 is saturated: requests queue"},
		"of two groups that which waits": {func(h *ruletest.Host) {
			disks(h, device{name: "loop3", reads: 200, size: 4096, await: 0.0002, busy: 0.02, queue: 0.02})
			waits(h, 7, "a", "/a", 5)
			group(h, "/a", "7:3 riops=100", 100, 100*4096)
			group(h, "/b", "7:3 riops=100", 100, 100*4096)
		}, "I/O on loop3 is held at the limit of cgroup /a (100/s reads); a (7) waits"},
		"a limit beside I/O on another disk": {func(h *ruletest.Host) {
			disks(h, device{name: "loop3", reads: 100, size: 4096, await: 0.0002, busy: 0.02, queue: 0.02})
			waits(h, 7, "a", "/a", 5)
			there(h, "/a", "7:3 riops=100", 4000, 100)
		}, "I/O on loop3 is held at the limit of cgroup /a (100/s reads); a (7) waits"},
		"others that do as much on the limited disk": {func(h *ruletest.Host) {
			disks(h, device{name: "loop3", reads: 100, size: 4096, await: 0.0002, busy: 0.02, queue: 0.02})
			waits(h, 7, "a", "/a", 5)
			there(h, "/a", "7:3 riops=100", 4000, 5)
		}, ""},
		"a limit in a recording that has sums of all disks only": {func(h *ruletest.Host) {
			disks(h, device{name: "loop3", reads: 100, size: 4096, await: 0.0002, busy: 0.02, queue: 0.02})
			waits(h, 7, "a", "/a", 5)
			group(h, "/a", "7:3 riops=100", 100, 400<<10)
		}, "I/O on loop3 is held at the limit of cgroup /a (100/s reads); a (7) waits"},
		"a limit that was lowered as the window ends": {func(h *ruletest.Host) {
			disks(h, device{name: "loop3", reads: 600, size: 4096, await: 0.0002, busy: 0.02, queue: 0.02})
			waits(h, 7, "a", "/a", 5)
			there(h, "/a", "7:3 riops=100", 600, 600)
		}, ""},
		"a limit of cgroup v1 of the parent group of those who wait": {func(h *ruletest.Host) {
			disks(h, device{name: "loop3", reads: 100, size: 4096, await: 0.0002, busy: 0.02, queue: 0.02})
			waits(h, 7, "a", "/pods/a", 5)
			old(h, "/pods", "7:3 riops=100", 100)
		}, ""},
		"a limit of cgroup v1 of the group itself": {func(h *ruletest.Host) {
			disks(h, device{name: "loop3", reads: 100, size: 4096, await: 0.0002, busy: 0.02, queue: 0.02})
			waits(h, 7, "a", "/pods", 5)
			old(h, "/pods", "7:3 riops=100", 100)
		}, "I/O on loop3 is held at the limit of cgroup /pods (100/s reads); a (7) waits"},
		"I/O on another disk in such a recording": {func(h *ruletest.Host) {
			disks(h, device{name: "loop3", reads: 100, size: 4096, await: 0.0002, busy: 0.02, queue: 0.02})
			waits(h, 7, "a", "/a", 5)
			group(h, "/a", "7:3 riops=100", 4000, 40<<20)
		}, ""},
	} {
		h := ruletest.New(2, 10)
		c.build(h)
		found := append(h.Detect(t, saturated), h.Detect(t, cgroupThrottled)...)
		got := ""
		if len(found) > 0 {
			got = found[0].Headline.String()
		}
		if c.says == "" && len(found) > 0 || !strings.HasPrefix(got, c.says) {
			t.Errorf("%s: %q, want %q", name, got, c.says)
		}
	}
}

func TestSaturatedBlamesTheDiskBelow(t *testing.T) {
	h := ruletest.New(2, 10)
	disks(h, throttledLoop)
	ruletest.Every(h, func(at time.Time, s float64) recording.DiskSample {
		n := func(v float64) uint64 { return uint64(v * s) }
		return recording.DiskSample{At: at, Device: "vda", Major: 254, Reads: n(200), ReadBytes: n(200 * 4096),
			ReadTime: time.Duration(s * 15.8e9), Busy: time.Duration(s * 1e9), WeightedQueue: time.Duration(s * 15.8e9)}
	})
	ruletest.Add(h, recording.MountSample{At: ruletest.Start, MountPoint: "/", Major: 254, FSType: "ext4", Size: 100, Available: 50, Free: 50})
	readers(h)
	found := h.Detect(t, saturated)
	if len(found) != 1 || found[0].Subject.Name != "vda" {
		t.Fatalf("want vda only: %+v", found)
	}
}

// filesystem records one that shrinks by a rate.
func filesystem(h *ruletest.Host, m recording.MountSample, rate, inodeRate float64) {
	ruletest.Every(h, func(at time.Time, s float64) recording.MountSample {
		row := m
		row.At = at
		row.Available = max(m.Available-int64(rate*s), 0)
		row.Free = max(m.Free-int64(rate*s), 0)
		row.InodesFree = max(m.InodesFree-int64(inodeRate*s), 0)
		return row
	})
}

func TestFull(t *testing.T) {
	root := recording.MountSample{MountPoint: "/var", Device: "/dev/vdb", Major: 254, FSType: "ext4", Size: 100 << 20, Free: 5 << 20, Inodes: 1000, InodesFree: 900}
	with := func(available int64, change func(*recording.MountSample)) recording.MountSample {
		m := root
		m.Available = available
		if change != nil {
			change(&m)
		}
		return m
	}
	failing := func(h *ruletest.Host) {
		h.Process(ruletest.Process{PID: 9, Comm: "writer", Change: func(s float64, p *recording.ProcessSample) { p.WriteCalls = int64(20 * s) }})
	}
	// synced is a program that writes 40 times a second where crumbs are left: bytes that it
	// dirties a second, and bytes that it writes.
	synced := func(h *ruletest.Host, page int, dirtied, written float64) {
		h.Manifest(func(m *recording.Manifest) { m.Host.PageSize = page })
		filesystem(h, with(10<<10, nil), 0, 0)
		h.Process(ruletest.Process{PID: 9, Comm: "writer", WriteBytes: dirtied, Change: func(s float64, p *recording.ProcessSample) {
			p.WriteCalls, p.WriteChars = int64(40*s), int64(written*s)
		}})
	}
	tests := []struct {
		name  string
		build func(*ruletest.Host)
		want  rule.Confidence
	}{
		{"full and writes fail", func(h *ruletest.Host) { filesystem(h, with(0, nil), 0, 0); failing(h) }, rule.Certain},
		{"fills up in the window", func(h *ruletest.Host) { filesystem(h, with(1<<20, nil), 1<<18, 0) }, rule.Certain},
		{"crumbs left, file writes fail", func(h *ruletest.Host) {
			filesystem(h, with(10<<10, nil), 0, 0)
			h.Process(ruletest.Process{PID: 9, Comm: "writer", WriteBytes: 1 << 20, Change: func(s float64, p *recording.ProcessSample) { p.WriteCalls = int64(20 * s) }})
		}, rule.Likely},
		{"crumbs left, file writes fail and are logged elsewhere", func(h *ruletest.Host) {
			filesystem(h, with(10<<10, nil), 0, 0)
			h.Process(ruletest.Process{PID: 9, Comm: "writer", WriteBytes: 1 << 20, Change: func(s float64, p *recording.ProcessSample) {
				p.WriteCalls, p.WriteChars = int64(40*s), int64(2000*s)
			}})
		}, rule.Likely},
		{"crumbs left, and writes succeed", func(h *ruletest.Host) {
			filesystem(h, with(10<<10, nil), 0, 0)
			h.Process(ruletest.Process{PID: 9, Comm: "writer", WriteBytes: 1 << 20, Change: func(s float64, p *recording.ProcessSample) {
				p.WriteCalls, p.WriteChars = int64(40*s), int64(40*512*s)
			}})
		}, rule.Possible},
		{"crumbs left, and small records are synced", func(h *ruletest.Host) { synced(h, 4096, 40*4096, 40*32) }, rule.Possible},
		{"crumbs left, and records are synced with large pages", func(h *ruletest.Host) { synced(h, 64<<10, 40*64<<10, 40*512) }, rule.Possible},
		{"crumbs left, and some records cross a border of large pages", func(h *ruletest.Host) { synced(h, 64<<10, 42*64<<10, 40*655) }, rule.Possible},
		{"crumbs left, file writes fail and are logged elsewhere, with large pages", func(h *ruletest.Host) { synced(h, 64<<10, 20<<20, 2000) }, rule.Likely},
		{"crumbs left, sockets would block", func(h *ruletest.Host) { filesystem(h, with(10<<10, nil), 0, 0); failing(h) }, rule.Possible},
		{"full and untouched", func(h *ruletest.Host) { filesystem(h, with(0, nil), 0, 0) }, rule.Possible},
		{"full in half a minute", func(h *ruletest.Host) { filesystem(h, with(4<<20, nil), 100<<10, 0) }, rule.Likely},
		{"much is written to a half empty one", func(h *ruletest.Host) { filesystem(h, with(50<<20, nil), 2<<20, 0) }, 0},
		{"nearly full and quiet", func(h *ruletest.Host) { filesystem(h, with(1<<19, nil), 0, 0) }, rule.Possible},
		{"97 % and quiet", func(h *ruletest.Host) { filesystem(h, with(3<<20, nil), 0, 0) }, 0},
		{"read-only", func(h *ruletest.Host) {
			filesystem(h, with(0, func(m *recording.MountSample) { m.ReadOnly = true }), 0, 0)
		}, 0},
		{"an image", func(h *ruletest.Host) {
			filesystem(h, with(0, func(m *recording.MountSample) { m.FSType = "squashfs" }), 0, 0)
		}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			tt.build(h)
			found := h.Detect(t, full)
			if got := ruletest.Worst(found); got != tt.want {
				t.Fatalf("confidence %v, want %v", got, tt.want)
			}
			for _, f := range found {
				ruletest.Checked(t, f)
			}
		})
	}
}

// By a full filesystem somebody loses something only where somebody is seen to use it.
func TestFullAndIdle(t *testing.T) {
	archive := recording.MountSample{MountPoint: "/srv/archive", Device: "/dev/vdb", Major: 254, FSType: "ext4", Size: 100 << 20, Free: 5 << 20, Inodes: 1000, InodesFree: 900}
	host := func(rate float64) *ruletest.Host {
		h := ruletest.New(2, 10)
		filesystem(h, archive, rate, 0)
		return h
	}
	ruletest.Check(t, full, []ruletest.Situation{
		{Name: "untouched", Host: func() *ruletest.Host { return host(0) },
			Want: rule.Possible, Kind: view.KindFilesystem, Subject: "/srv/archive", Low: 0.1, High: 0.1, Says: "is full: the next write"},
		{Name: "root takes of its reserve", Host: func() *ruletest.Host { return host(1 << 10) },
			Want: rule.Certain, Kind: view.KindFilesystem, Subject: "/srv/archive", Low: 1, High: 1, Says: "is full: writes fail"},
		{Name: "a program's writes fail", Host: func() *ruletest.Host {
			return host(0).Process(ruletest.Process{PID: 9, Comm: "writer", Change: func(s float64, p *recording.ProcessSample) { p.WriteCalls = int64(20 * s) }})
		}, Want: rule.Certain, Kind: view.KindFilesystem, Subject: "/srv/archive", Low: 1, High: 1, Proof: "writer (9) calls write 20/s and writes 0 B/s: its calls fail"},
		{Name: "a program's writes succeed elsewhere", Host: func() *ruletest.Host {
			return host(0).Process(ruletest.Process{PID: 9, Comm: "writer", WriteBytes: 1 << 20, Change: func(s float64, p *recording.ProcessSample) {
				p.WriteCalls, p.WriteChars = int64(20*s), int64(1<<20*s)
			}})
		}, Want: rule.Possible, Kind: view.KindFilesystem, Subject: "/srv/archive", Low: 0.1, High: 0.1},
	})
}

// The same for inodes, and calls that fail are seen where calls are counted.
func TestInodesFullAndIdle(t *testing.T) {
	host := func(calls ...recording.SyscallSum) func() *ruletest.Host {
		return func() *ruletest.Host {
			h := ruletest.New(2, 10)
			filesystem(h, recording.MountSample{MountPoint: "/srv", Device: "/dev/vdb", Major: 254, FSType: "ext4", Size: 100 << 20, Available: 40 << 20, Free: 45 << 20, Inodes: 1000}, 0, 0)
			for _, c := range calls {
				c.At, c.PID, c.Process, c.Span = ruletest.Start.Add(5*time.Second), 71, "app", 10*time.Second
				ruletest.Add(h, c)
			}
			return h
		}
	}
	const enospc, enoent = int32(unix.ENOSPC), int32(unix.ENOENT)
	ruletest.Check(t, inodesFull, []ruletest.Situation{
		{Name: "untouched", Host: host(), Want: rule.Likely, Kind: view.KindFilesystem, Subject: "/srv", Low: 0.1, High: 0.1},
		{Name: "creates fail", Host: host(recording.SyscallSum{Call: "openat", Calls: 900}, recording.SyscallSum{Call: "openat", Error: enoent, Calls: 800}, recording.SyscallSum{Call: "openat", Error: enospc, Calls: 200}),
			Want: rule.Certain, Kind: view.KindFilesystem, Subject: "/srv", Low: 1, High: 1, Proof: "200 calls of app (71) to openat failed with ENOSPC"},
		{Name: "opens fail for another reason", Host: host(recording.SyscallSum{Call: "openat", Error: enoent, Calls: 200}), Want: rule.Likely, Kind: view.KindFilesystem, Subject: "/srv", Low: 0.1, High: 0.1},
		{Name: "writes to another filesystem fail", Host: host(recording.SyscallSum{Call: "write", Error: enospc, Calls: 200}), Want: rule.Likely, Kind: view.KindFilesystem, Subject: "/srv", Low: 0.1, High: 0.1},
	})
}

func TestFullTellsOneFilesystemOnce(t *testing.T) {
	h := ruletest.New(2, 10)
	m := recording.MountSample{MountPoint: "/data", Device: "/dev/vdb", Major: 254, FSType: "ext4", Size: 100 << 20}
	filesystem(h, m, 0, 0)
	m.MountPoint = "/srv/bind/data"
	filesystem(h, m, 0, 0)
	m.MountPoint, m.FSType, m.Major, m.Minor = "/merged", "overlay", 0, 44
	filesystem(h, m, 0, 0)
	found := h.Detect(t, full)
	if len(found) != 1 || found[0].Subject.Name != "/data" {
		t.Fatalf("want /data once: %+v", found)
	}
}

func TestInodesFull(t *testing.T) {
	base := recording.MountSample{MountPoint: "/srv", Device: "/dev/vdb", Major: 254, FSType: "ext4", Size: 100 << 20, Available: 40 << 20, Free: 45 << 20, Inodes: 1000}
	tests := []struct {
		name      string
		free      int64
		rate      float64
		fstype    string
		inodes    int64
		available int64
		want      rule.Confidence
	}{
		{name: "none free and untouched", want: rule.Likely},
		{name: "the last are used in the window", free: 5, rate: 1, want: rule.Certain},
		{name: "none in half a minute", free: 30, rate: 1, want: rule.Likely},
		{name: "many files made, most free", free: 700, rate: 50, want: 0},
		{name: "few left, quiet", free: 5, want: rule.Possible},
		{name: "no fixed number", inodes: -1, want: 0},
		{name: "XFS without space", fstype: "xfs", available: -1, want: 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			m := base
			m.InodesFree = tt.free
			if tt.fstype != "" {
				m.FSType = tt.fstype
			}
			if tt.inodes < 0 {
				m.Inodes = 0
			}
			if tt.available < 0 {
				m.Available = 0
			}
			filesystem(h, m, 0, tt.rate)
			found := h.Detect(t, inodesFull)
			if got := ruletest.Worst(found); got != tt.want {
				t.Fatalf("confidence %v, want %v", got, tt.want)
			}
			for _, f := range found {
				ruletest.Checked(t, f)
			}
		})
	}
}

func TestSaturatedTellsALimitBelowALoopDeviceOnce(t *testing.T) {
	h := ruletest.New(2, 10)
	disks(h, throttledLoop)
	ruletest.Every(h, func(at time.Time, s float64) recording.DiskSample {
		return recording.DiskSample{At: at, Device: "vda", Major: 254, Reads: uint64(200 * s), ReadBytes: uint64(819200 * s), ReadTime: time.Duration(s * 4e7), Busy: time.Duration(s * 4e7)}
	})
	ruletest.Add(h, recording.MountSample{At: ruletest.Start, MountPoint: "/", Major: 254, FSType: "ext4", Size: 100, Available: 50, Free: 50})
	readers(h)
	h.Cgroup(ruletest.Cgroup{Path: "/batch", Change: func(s float64, c *recording.CgroupSample) {
		c.IOLimits, c.Reads = "254:0 riops=200", int64(200*s)
	}})
	found := h.Detect(t, saturated)
	if len(found) != 1 || found[0].Subject.Name != "loop3" || found[0].Confidence != rule.Certain {
		t.Fatalf("want the limit told for loop3 only: %+v", found)
	}
}

// Where nothing tells of processes, tasks that wait for I/O tell that somebody waits.
func TestSaturatedWithoutProcesses(t *testing.T) {
	for _, tc := range []struct {
		blocked int64
		want    rule.Confidence
	}{{0, rule.Possible}, {6, rule.Likely}} {
		h := ruletest.New(2, 10)
		disks(h, throttledLoop)
		ruletest.Every(h, func(at time.Time, _ float64) recording.SystemSample {
			return recording.SystemSample{At: at, Blocked: tc.blocked}
		})
		if got := ruletest.Worst(h.Detect(t, saturated)); got != tc.want {
			t.Errorf("%d blocked: %v, want %v", tc.blocked, got, tc.want)
		}
	}
}

func TestReadAmplified(t *testing.T) {
	const mib = 1 << 20
	type traffic struct{ requests, received, sent float64 }
	// server reads for two clients, one request of each under way most of the time.
	serverWith := func(blockedShare, reads, open float64, of traffic) *ruletest.Host {
		h := ruletest.New(2, 10)
		disks(h, device{name: "sdb", reads: 400, size: 16 << 10, await: 0.005, busy: 1, queue: 2})
		h.Process(ruletest.Process{PID: 7, Comm: "mariadbd", ReadBytes: reads})
		for tid := int32(8); tid < 10; tid++ {
			blocked(h, 7, tid, "folio_wait_bit_common", blockedShare)
		}
		ruletest.Add(h, recording.ListenerSample{At: ruletest.Start, NetNS: 1, Local: "0.0.0.0", Port: 3306, Inode: 1})
		for n := range 2 {
			inode, i := uint64(2+n), 0
			ruletest.Every(h, func(at time.Time, s float64) recording.TCPSample {
				i++
				row := recording.TCPSample{At: at, NetNS: 1, Local: "10.0.0.1", LocalPort: 3306, Remote: "10.0.0.2", RemotePort: 40000 + uint16(n), Inode: inode, State: recording.TCPEstablished, Info: true,
					DataSegsIn: uint32(10 + of.requests*s/2), BytesReceived: uint64(1000 + of.received*s/2), BytesSent: uint64(1000 + of.sent*s/2),
					LastReceive: at.Add(-900 * time.Millisecond), LastSend: at.Add(-300 * time.Millisecond)}
				if float64(i%10) < 10*open/2 {
					row.LastSend = at.Add(-1200 * time.Millisecond)
				}
				return row
			})
			ruletest.Every(h, func(at time.Time, _ float64) recording.SocketOwner {
				return recording.SocketOwner{At: at, PID: 7, Inode: inode, FD: int32(inode)}
			})
		}
		return h
	}
	server := func(reads, open float64, of traffic) *ruletest.Host { return serverWith(0.8, reads, open, of) }
	queries := traffic{requests: 2, received: 120, sent: 2000}
	full := 400.0 * (16 << 10)
	ruletest.Check(t, readAmplified, []ruletest.Situation{
		{Name: "a table is scanned for a row", Host: func() *ruletest.Host { return server(6*mib, 1.8, queries) },
			Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 1.6, High: 1.7, Says: "mariadbd (7) reads 2.75 MiB from disk sdb for each request"},
		{Name: "lookups in a small cache", Host: func() *ruletest.Host { return server(6*mib, 1.8, traffic{requests: 90, received: 5400, sent: 30000}) }},
		{Name: "a request of many segments", Host: func() *ruletest.Host { return server(6*mib, 1.8, traffic{requests: 200, received: 280000, sent: 2000}) }},
		{Name: "many requests in a segment", Host: func() *ruletest.Host { return server(6*mib, 1.8, traffic{requests: 2, received: 3000, sent: 20000}) }},
		{Name: "a dump", Host: func() *ruletest.Host { return server(6*mib, 1.8, traffic{requests: 2, received: 120, sent: 5 * mib}) }},
		{Name: "a job of the server", Host: func() *ruletest.Host { return server(6*mib, 0.2, queries) }},
		{Name: "another program reads more", Host: func() *ruletest.Host { return server(2*mib, 1.8, queries) }},
		{Name: "from the cache", Host: func() *ruletest.Host { return server(0, 1.8, queries) }},
		{Name: "a compaction reads ahead while requests are answered from the cache", Host: func() *ruletest.Host { return serverWith(0, 6*mib, 1.8, queries) },
			Want: rule.Possible, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.1, High: 0.1},
		{Name: "threads read also while no request is open", Host: func() *ruletest.Host { return serverWith(1, 6*mib, 0.8, queries) },
			Want: rule.Possible, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.1, High: 0.1},
		{Name: "one of two disks", Host: func() *ruletest.Host {
			h := server(full, 1.8, queries)
			disks(h, device{name: "sdc", reads: 400, size: 16 << 10, await: 0.005, busy: 1, queue: 2})
			return h
		}},
		{Name: "beside a disk at rest", Host: func() *ruletest.Host {
			h := server(full, 1.8, queries)
			disks(h, device{name: "sdc", reads: 1, size: 16 << 10, await: 0.005})
			return h
		}, Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 1.6, High: 1.7},
	})
}
