package disk

import (
	"math"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// flood is a program that writes a log for ten seconds beside a service that reads
// from the same disk.
type flood struct {
	path      string
	flags     uint32
	rate      float64 // bytes a second
	written   float64 // by the disk
	busy      float64
	waits     float64 // of the service
	counted   bool
	elsewhere bool    // the file is on another filesystem
	twice     bool    // standard output and error are one open file
	read      float64 // by the disk, bytes a second
	other     float64 // how busy another disk is
	rotated   float64 // at so many bytes; 0: never
	also      float64 // bytes a second that the program writes to another file
	below     float64 // bytes a second of the disk below the loop device; 0: it is not known
}

func (f flood) host() *ruletest.Host {
	h := ruletest.New(2, 10)
	backing := ""
	if f.below > 0 {
		backing = "/srv/disk.img"
		ruletest.Every(h, func(at time.Time, s float64) recording.DiskSample {
			return recording.DiskSample{At: at, Device: "vda", Major: 254, Writes: uint64(64 * s), WrittenBytes: uint64(f.below * s), Busy: time.Duration(0.3 * s * float64(time.Second))}
		})
		ruletest.Add(h, recording.MountSample{At: ruletest.Start, MountPoint: "/", Major: 254, FSType: "ext4", Size: 100, Available: 50, Free: 50})
	}
	disks(h, device{name: "loop3", backing: backing, writes: 64, reads: 64 * f.read / f.written, size: f.written / 64, await: 0.2, busy: f.busy, queue: 15})
	if f.other > 0 {
		ruletest.Every(h, func(at time.Time, s float64) recording.DiskSample {
			return recording.DiskSample{At: at, Device: "sda", Major: 8, Busy: time.Duration(f.other * s * float64(time.Second)), WeightedQueue: time.Duration(f.other * s * float64(time.Second))}
		})
	}
	h.Process(ruletest.Process{PID: 812, Comm: "shop", WriteBytes: f.rate, BlockDelay: 0.9})
	h.Process(ruletest.Process{PID: 813, Comm: "table-reader", ReadBytes: 40960, BlockDelay: f.waits})
	blocked(h, 813, 813, "folio_wait_bit_common", f.waits)
	device := "7:3"
	if f.elsewhere {
		device = "0:44"
	}
	for s := range 10 {
		position, inode := int64(1<<30+f.rate*float64(s)), uint64(5)
		if f.rotated > 0 {
			n := math.Floor(f.rate * float64(s) / f.rotated)
			position, inode = int64(f.rate*float64(s)-n*f.rotated), uint64(5+n)
		}
		ruletest.Add(h, recording.OpenFile{At: ruletest.Start.Add(time.Duration(s) * time.Second), PID: 812, Process: "shop", FD: 3, Path: f.path, Device: device, Inode: inode, Position: position, Size: position, Flags: f.flags})
		if f.also > 0 {
			data := int64(f.also * float64(s))
			ruletest.Add(h, recording.OpenFile{At: ruletest.Start.Add(time.Duration(s) * time.Second), PID: 812, Process: "shop", FD: 9, Path: "/srv/shop/data", Device: device, Inode: 6, Position: data, Size: data, Flags: 0o100001})
		}
		if f.twice {
			ruletest.Add(h, recording.OpenFile{At: ruletest.Start.Add(time.Duration(s) * time.Second), PID: 812, Process: "shop", FD: 4, Path: f.path, Device: device, Inode: 5, Position: position, Size: position, Flags: f.flags})
		}
	}
	if f.counted {
		ruletest.Add(h, recording.FileSum{At: ruletest.Start.Add(9 * time.Second), PID: 812, Process: "shop", Kind: recording.FileRegular, Path: f.path, Device: "7:3",
			Span: 9 * time.Second, Writes: 900, WrittenBytes: int64(9 * f.rate)})
	}
	return h
}

func TestLogFlood(t *testing.T) {
	const mib = 1 << 20
	usual := flood{path: "/srv/shop/debug.log", flags: 0o102001, rate: 40 * mib, written: 32 * mib, busy: 0.97, waits: 0.8}
	situation := func(name string, want rule.Confidence, change func(*flood)) ruletest.Situation {
		f := usual
		change(&f)
		s := ruletest.Situation{Name: name, Want: want, Kind: view.KindProcess, Subject: "shop", Low: 0.75, High: 0.85, Host: func() *ruletest.Host { return f.host() }}
		if want == rule.Possible {
			s.Low, s.High = 0.01, 0.01
		}
		return s
	}
	told := situation("a debug log", rule.Certain, func(*flood) {})
	told.Says, told.Proof = "to its log /srv/shop/debug.log", "advances by 40 MiB/s"
	counted := situation("counted call by call", rule.Certain, func(f *flood) { f.counted = true })
	counted.Proof = "by 100 calls a second"
	ruletest.Check(t, logFlood, []ruletest.Situation{
		told,
		counted,
		situation("the disk has pauses", rule.Likely, func(f *flood) { f.busy = 0.89 }),
		situation("nobody else waits", rule.Possible, func(f *flood) { f.waits = 0.4 }),
		situation("a directory of logs", rule.Certain, func(f *flood) { f.path = "/var/log/shop/today" }),
		situation("a log that was rotated", rule.Certain, func(f *flood) { f.path = "/srv/shop/app.log.1" }),
		situation("rotated between looks, of which a part of each log is not seen", rule.Certain, func(f *flood) { f.rotated, f.written = 100*mib, 70*mib }),
		situation("rotated, but the program writes other files, too", 0, func(f *flood) { f.rotated, f.written, f.also = 100*mib, 70*mib, 20*mib }),
		situation("just fast enough", rule.Certain, func(f *flood) { f.rate, f.written = 5.1*mib, 10*mib }),
		situation("a slow log", 0, func(f *flood) { f.rate, f.written = 4.9*mib, 5*mib }),
		situation("a slow log, open twice", 0, func(f *flood) { f.rate, f.written, f.twice = 4.9*mib, 5*mib, true }),
		situation("others read more", 0, func(f *flood) { f.read = 60 * mib }),
		situation("another disk is busy, too", rule.Likely, func(f *flood) { f.other = 0.6 }),
		situation("a relay log", 0, func(f *flood) { f.path = "/var/log/mysql/relay-bin.000007" }),
		situation("a build of a program", 0, func(f *flood) { f.path = "/src/target/debug/deps/a.o" }),
		situation("others write more", 0, func(f *flood) { f.written = 81 * mib }),
		situation("a disk that is mostly idle", 0, func(f *flood) { f.busy = 0.49 }),
		situation("a copy of a log", 0, func(f *flood) { f.flags = 0o100001 }),
		situation("a journal of Redis", 0, func(f *flood) { f.path = "/data/appendonly.aof" }),
		situation("a redo log", 0, func(f *flood) { f.path = "/var/lib/mysql/ib_logfile0" }),
		situation("a log of a database", 0, func(f *flood) { f.path = "/var/lib/cassandra/commitlog/CommitLog-7-1.db" }),
		situation("a filesystem on no disk", 0, func(f *flood) { f.elsewhere = true }),
	})
}

// Victims are those that wait for this disk, whatever another one does.
func TestLogFloodVictims(t *testing.T) {
	const mib = 1 << 20
	for name, c := range map[string]struct {
		waits, other float64
		also         func(*ruletest.Host)
		want         string
	}{
		"one that reads":                      {waits: 0.8, want: "table-reader (813) waits for the disk 818 ms per second"},
		"longer than another disk is busy":    {waits: 0.8, other: 0.6, want: "table-reader (813) waits for the disk 218 ms per second"},
		"no longer than another disk is busy": {waits: 0.8, other: 0.8},
		"at most possible":                    {waits: 0.4},
		"a kernel thread, and one that hardly waits": {waits: 0.8, also: func(h *ruletest.Host) {
			h.Process(ruletest.Process{PID: 20, Comm: "jbd2/loop3-8", Kernel: true})
			blocked(h, 20, 20, "jbd2_log_wait_commit", 0.9)
			h.Process(ruletest.Process{PID: 814, Comm: "cron", ReadBytes: 400, BlockDelay: 0.03})
		}, want: "table-reader (813) waits for the disk 818 ms per second"},
		"who waits longest comes first": {waits: 0.8, also: func(h *ruletest.Host) {
			h.Process(ruletest.Process{PID: 815, Comm: "mariadbd", ReadBytes: 400, BlockDelay: 0.9})
		}, want: "mariadbd (815) waits for the disk 900 ms per second, table-reader (813) waits for the disk 818 ms per second"},
	} {
		t.Run(name, func(t *testing.T) {
			h := flood{path: "/srv/shop/debug.log", flags: 0o102001, rate: 40 * mib, written: 32 * mib, busy: 0.97, waits: c.waits, other: c.other, below: 40 * mib}.host()
			if c.also != nil {
				c.also(h)
			}
			f := h.Detect(t, logFlood)[0]
			ruletest.Checked(t, f)
			var list []string
			for i := range f.Victims {
				list = append(list, f.Victims[i].Words().String())
			}
			if got := strings.Join(list, ", "); got != c.want {
				t.Errorf("victims %q, want %q", got, c.want)
			}
		})
	}
}

// TestLogFloodOnLoop: what a loop device does, the disk below it does, if that does little else.
func TestLogFloodOnLoop(t *testing.T) {
	const mib = 1 << 20
	for below, want := range map[float64]bool{40 * mib: true, 400 * mib: false} {
		f := flood{path: "/srv/shop/debug.log", flags: 0o102001, rate: 40 * mib, written: 32 * mib, busy: 0.97, waits: 0.8, below: below}
		found := f.host().Detect(t, logFlood)
		if len(found) != 1 {
			t.Fatalf("%d findings, want 1: %+v", len(found), found)
		}
		if got := found[0].Affected(view.DeviceEntity("vda")); got != want || !found[0].Affected(view.DeviceEntity("loop3")) {
			t.Errorf("with %.0f bytes/s below it affects %v", below, found[0].Affects)
		}
	}
}
