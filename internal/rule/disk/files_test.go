package disk

import (
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
)

// opened records a descriptor of a process on the throttled loop device, whose position and
// size go forward.
func opened(h *ruletest.Host, pid, fd int32, path, device string, flags uint32, position, size float64) {
	ruletest.Every(h, func(at time.Time, s float64) recording.OpenFile {
		return recording.OpenFile{At: at, PID: pid, Process: "p", FD: fd, Path: path, Device: device, Inode: uint64(fd), Position: int64(position * s), Size: int64(size * s), Flags: flags}
	})
}

// waitsFor records a thread that waits for the disk in a call of a descriptor.
func waitsFor(h *ruletest.Host, pid, tid, fd int32, call string) {
	i := int64(0)
	ruletest.Every(h, func(at time.Time, _ float64) recording.ThreadSample {
		i++
		return recording.ThreadSample{At: at, PID: pid, TID: tid, Comm: "t", State: "D", Syscall: 17, SyscallName: call, FD: fd, WaitChannel: "folio_wait_bit_common", Slices: i}
	})
}

func counted(h *ruletest.Host, f recording.FileSum) {
	f.At, f.Kind, f.Span, f.Process = ruletest.Start.Add(9*time.Second), recording.FileRegular, 10*time.Second, "p"
	ruletest.Add(h, f)
}

// filesNamed checks what evidence says of files: nothing, or this of one.
func filesNamed(t *testing.T, list []rule.Evidence, want string) {
	t.Helper()
	said := 0
	for _, e := range list {
		if text := e.What.String(); strings.Contains(text, "/srv/") || strings.Contains(text, "/home/") {
			if said++; want == "" || !strings.Contains(text, want) {
				t.Errorf("says: %s", text)
			}
		}
	}
	if want != "" && said != 1 {
		t.Errorf("%d files named, want: %s", said, want)
	}
}

const read, write, direct = 0o100000, 0o100001, 0o40000

// The files that load a disk are named with the call, and no others.
func TestSaturatedNamesFiles(t *testing.T) {
	reader := ruletest.Process{PID: 7, Comm: "fio", ReadBytes: 819200}
	victim := ruletest.Process{PID: 9, Comm: "db", ReadBytes: 4096}
	for _, tt := range []struct {
		name  string
		build func(*ruletest.Host)
		says  string // the end of the headline
		proof string // part of one evidence; "": no file is named
	}{
		{"calls that were counted", func(h *ruletest.Host) {
			counted(h, recording.FileSum{PID: 7, Path: "/srv/bulk", Device: "7:3", Reads: 2000, ReadBytes: 8192000, DirectRead: 8192000, ReadCall: "pread64"})
			counted(h, recording.FileSum{PID: 7, Path: "/srv/other", Device: "7:3", Reads: 20, ReadBytes: 81920, ReadCall: "read"})
			counted(h, recording.FileSum{PID: 9, Path: "/srv/db", Device: "7:3", Reads: 10, ReadBytes: 40960, ReadCall: "read"})
		}, "by pread64 of /srv/bulk", "/srv/bulk: reads 800 KiB/s by 200 pread64 calls a second, past the page cache (O_DIRECT)"},
		{"positions", func(h *ruletest.Host) { opened(h, 7, 3, "/srv/bulk", "7:3", read, 819200, 0) }, "with file /srv/bulk", "/srv/bulk: reads 800 KiB/s"},
		{"a position in a file that is in the page cache", func(h *ruletest.Host) {
			opened(h, 7, 3, "/srv/cached", "7:3", read, 81920000, 0)
			opened(h, 7, 4, "/srv/idle", "7:3", read, 0, 0)
		}, "issues most of them", ""},
		{"threads that wait", func(h *ruletest.Host) {
			opened(h, 7, 3, "/srv/bulk", "7:3", read, 0, 0)
			opened(h, 7, 4, "/srv/idle", "7:3", read, 0, 0)
			for tid := int32(21); tid < 25; tid++ {
				waitsFor(h, 7, tid, 3, "pread64")
			}
		}, "by pread64 of /srv/bulk", "/srv/bulk: 4 threads wait in pread64"},
		{"threads of a victim", func(h *ruletest.Host) {
			opened(h, 9, 3, "/srv/db", "7:3", read, 0, 0)
			waitsFor(h, 9, 21, 3, "pread64")
		}, "issues most of them", ""},
		{"a descriptor that stood for two files", func(h *ruletest.Host) {
			opened(h, 7, 3, "/srv/bulk", "7:3", read, 0, 0)
			opened(h, 7, 3, "/srv/later", "7:3", read, 0, 0)
			waitsFor(h, 7, 21, 3, "pread64")
		}, "issues most of them", ""},
		{"the only file it has open", func(h *ruletest.Host) { opened(h, 7, 3, "/srv/bulk", "7:3", read|direct, 0, 0) }, "with file /srv/bulk", "no other file on a disk is open"},
		{"the only file beside its output", func(h *ruletest.Host) {
			opened(h, 7, 3, "/srv/bulk", "7:3", read|direct, 0, 0)
			opened(h, 7, 1, "/home/out", "7:3", write, 0, 0)
		}, "with file /srv/bulk", "no other file on a disk is open"},
		{"a file on another disk", func(h *ruletest.Host) { opened(h, 7, 3, "/home/bulk", "8:1", read, 819200, 0) }, "issues most of them", ""},
		{"a program that moves more elsewhere", func(h *ruletest.Host) {
			h.Process(ruletest.Process{PID: 8, Comm: "cp", ReadBytes: 100 << 20})
			opened(h, 8, 3, "/home/bulk", "8:1", read, 100<<20, 0)
			opened(h, 7, 3, "/srv/bulk", "7:3", read, 819200, 0)
		}, "fio (7) issues most of them, with file /srv/bulk", "/srv/bulk: reads 800 KiB/s"},
		{"nothing known", func(*ruletest.Host) {}, "issues most of them", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			h.Manifest(func(m *recording.Manifest) { m.Host.Arch = "x86_64" })
			disks(h, throttledLoop)
			h.Process(reader)
			h.Process(victim)
			for tid := int32(31); tid < 35; tid++ {
				blocked(h, 7, tid, "folio_wait_bit_common", 1)
			}
			tt.build(h)
			found := h.Detect(t, saturated)
			if len(found) != 1 {
				t.Fatalf("%d findings", len(found))
			}
			if got := found[0].Headline.String(); !strings.HasSuffix(got, tt.says) {
				t.Errorf("headline: %s", got)
			}
			filesNamed(t, found[0].Evidence, tt.proof)
		})
	}
}

// A file that grows on a filesystem that fills up is named with its writer, and no others.
func TestFullNamesFiles(t *testing.T) {
	for _, tt := range []struct {
		name  string
		build func(*ruletest.Host)
		says  string
		proof string
	}{
		{"a log", func(h *ruletest.Host) {
			opened(h, 7, 3, "/srv/app.log", "7:3", write, 102400, 102400)
			opened(h, 7, 4, "/srv/small", "7:3", write, 100, 100)
			opened(h, 7, 5, "/srv/read", "7:3", read, 102400, 102400)
			opened(h, 7, 6, "/home/copy", "8:1", write, 102400, 102400)
		}, "; shop (7) writes 100 KiB/s to /srv/app.log", "/srv/app.log grows by 100 KiB/s, written by shop (7)"},
		{"written in place", func(h *ruletest.Host) { opened(h, 7, 3, "/srv/redo", "7:3", write, 102400, 0) }, "full in 36 s", ""},
		{"calls that were counted", func(h *ruletest.Host) {
			counted(h, recording.FileSum{PID: 7, Path: "/srv/app.log", Device: "7:3", Writes: 1000, WrittenBytes: 1024000, WriteCall: "write"})
		}, "; shop (7) writes 100 KiB/s to /srv/app.log", "shop (7) writes 100 KiB/s to /srv/app.log by 100 write calls a second"},
		{"deleted, and still open", func(h *ruletest.Host) { opened(h, 7, 3, "/srv/app.log (deleted)", "7:3", read, 0, 1<<20) }, "full in 36 s",
			"shop (7) still has /srv/app.log open, which is deleted: its 10 MiB are free when it closes it"},
		{"nothing known", func(*ruletest.Host) {}, "full in 36 s", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			disks(h, device{name: "loop3", writes: 1, size: 4096, busy: 0.01})
			h.Process(ruletest.Process{PID: 7, Comm: "shop", WriteBytes: 102400})
			filesystem(h, recording.MountSample{MountPoint: "/srv", Device: "/dev/loop3", Major: 7, Minor: 3, FSType: "ext4", Size: 100 << 20, Free: 5 << 20, Available: 46 * 102400}, 102400, 0)
			tt.build(h)
			found := h.Detect(t, full)
			if len(found) != 1 {
				t.Fatalf("%d findings", len(found))
			}
			if got := found[0].Headline.String(); !strings.HasSuffix(got, tt.says) {
				t.Errorf("headline: %s", got)
			}
			filesNamed(t, found[0].Evidence[1:], tt.proof)
		})
	}
}
