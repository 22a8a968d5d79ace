package disk

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
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
		{"the only file beside one that may be on the disk, too", func(h *ruletest.Host) {
			opened(h, 7, 3, "/srv/bulk", "7:3", read|direct, 0, 0)
			opened(h, 7, 4, "/overlay/t.ibd", "0:45", 0o100002, 0, 0)
		}, "issues most of them", ""},
		{"the only file beside those in memory and of the kernel", func(h *ruletest.Host) {
			filesystem(h, recording.MountSample{MountPoint: "/run", Minor: 25, FSType: "tmpfs", Size: 1 << 20, Free: 1 << 20, Available: 1 << 20}, 0, 0)
			opened(h, 7, 3, "/srv/bulk", "7:3", read|direct, 0, 0)
			opened(h, 7, 4, "/run/x", "0:25", 0o100002, 0, 0)
			opened(h, 7, 5, "/proc/meminfo", "0:21", read, 0, 0)
			opened(h, 7, 6, "/memfd:x (deleted)", "0:1", 0o100002, 0, 0)
			opened(h, 7, 7, "/overlay/log", "0:45", write, 0, 0)
		}, "with file /srv/bulk", "no other file on a disk is open"},
		{"its only file is a log", func(h *ruletest.Host) { opened(h, 7, 3, "/srv/app.log", "7:3", write, 10, 10) }, "issues most of them", ""},
		{"its only file is read by few bytes", func(h *ruletest.Host) {
			opened(h, 17, 3, "/srv/small", "7:3", read, 10, 0)
			h.Process(ruletest.Process{PID: 17, Comm: "imap", ReadBytes: 900000})
		}, "imap (17) issues most of them", ""},
		{"the only file of a writer is open for reading", func(h *ruletest.Host) {
			h.Process(ruletest.Process{PID: 17, Comm: "java", WriteBytes: 900000})
			opened(h, 17, 3, "/srv/modules", "7:3", read, 0, 0)
		}, "java (17) issues most of them", ""},
		{"the only file, mapped", func(h *ruletest.Host) {
			h.Process(ruletest.Process{PID: 17, Comm: "grep", ReadBytes: 900000})
			opened(h, 17, 3, "/srv/bulk", "7:3", read, 0, 0)
			waitsFor(h, 17, 17, -1, "")
		}, "grep (17) issues most of them, with file /srv/bulk", "no other file on a disk is open"},
		{"threads that wait in files which are not open for long", func(h *ruletest.Host) {
			opened(h, 7, 3, "/srv/bulk", "7:3", read|direct, 0, 0)
			waitsFor(h, 7, 21, 5, "read")
		}, "issues most of them", ""},
		{"a descriptor that was seen once", func(h *ruletest.Host) {
			for fd := int32(3); fd < 5; fd++ {
				ruletest.Add(h, recording.OpenFile{At: ruletest.Start, PID: 7, Process: "fio", FD: fd, Path: "/srv/bulk" + string('0'+fd), Device: "7:3", Inode: uint64(fd), Flags: read})
			}
			waitsFor(h, 7, 21, 3, "pread64")
		}, "issues most of them", ""},
		{"a descriptor of a process that had the PID before", func(h *ruletest.Host) {
			ruletest.Every(h, func(at time.Time, _ float64) recording.OpenFile {
				return recording.OpenFile{At: at, PID: 7, Started: at.Add(-time.Minute), Process: "old", FD: 3, Path: "/srv/bulk", Device: "7:3", Inode: 3, Flags: read | direct}
			})
			waitsFor(h, 7, 21, 3, "pread64")
		}, "issues most of them", ""},
		{"the only file of another program, whose data is elsewhere", func(h *ruletest.Host) {
			h.Process(ruletest.Process{PID: 17, Comm: "java", WriteBytes: 450000})
			opened(h, 17, 3, "/srv/app.log", "7:3", write|direct, 0, 0)
			opened(h, 7, 3, "/srv/a", "7:3", 0o100002, 0, 0)
			opened(h, 7, 4, "/srv/b", "7:3", 0o100002, 0, 0)
		}, "fio (7) issues most of them", "java (17) in /srv/app.log: no other file on a disk is open"},
		{"one thread", func(h *ruletest.Host) {
			opened(h, 7, 3, "/srv/bulk", "7:3", read, 0, 0)
			opened(h, 7, 4, "/srv/idle", "7:3", read, 0, 0)
			waitsFor(h, 7, 21, 3, "pread64")
		}, "by pread64 of /srv/bulk", "/srv/bulk: 1 thread waits in pread64"},
		{"one of many files, in few slices of the time", func(h *ruletest.Host) {
			for _, name := range []string{"a", "b"} {
				ruletest.Add(h, recording.FileSum{At: ruletest.Start.Add(9 * time.Second), PID: 7, Process: "fio", Kind: recording.FileRegular, Path: "/srv/" + name, Device: "7:3", Size: 80 << 20,
					Span: 8 * time.Second, Traced: 100 * time.Millisecond, Reads: 64, ReadBytes: 40960, ReadCall: "read"})
			}
		}, "issues most of them", ""},
		{"a file that slices met in two readings", func(h *ruletest.Host) {
			for at := range 2 {
				ruletest.Add(h, recording.FileSum{At: ruletest.Start.Add(time.Duration(4+4*at) * time.Second), PID: 7, Process: "fio", Kind: recording.FileRegular, Path: "/srv/bulk", Device: "7:3", Size: 80 << 20,
					Span: 4 * time.Second, Traced: 100 * time.Millisecond, Reads: 20, ReadBytes: 81920, ReadCall: "read"})
			}
		}, "by read of /srv/bulk", "/srv/bulk: reads 800 KiB/s"},
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

// In a window that begins after the first looks at open files it is not known which others
// were open: those that no call moves have no row.
func TestOpenFilesOfCutWindow(t *testing.T) {
	h := ruletest.New(2, 20)
	h.Manifest(func(m *recording.Manifest) { m.Host.Arch = "x86_64" })
	disks(h, throttledLoop)
	h.Process(ruletest.Process{PID: 7, Comm: "mysqld", ReadBytes: 819200})
	h.Process(ruletest.Process{PID: 9, Comm: "db", ReadBytes: 4096})
	for i := range 2 {
		ruletest.Add(h, recording.OpenFile{At: ruletest.Start.Add(time.Duration(i) * time.Second), PID: 7, Process: "mysqld", FD: 3, Path: "/srv/table.ibd", Device: "7:3", Inode: 3, Size: 1 << 40, Flags: read})
	}
	opened(h, 7, 4, "/srv/small.cnf", "7:3", read, 100, 0)
	for tid := int32(41); tid < 43; tid++ {
		waitsFor(h, 7, tid, -1, "")
	}
	waitsFor(h, 9, 51, -1, "")
	for _, from := range []time.Duration{0, 5 * time.Second} {
		found, err := saturated.Detect(view.New(h.Rec, ruletest.Start.Add(from), ruletest.Start.Add(20*time.Second)))
		if err != nil || len(found) != 1 {
			t.Fatalf("from %v: %d findings, %v", from, len(found), err)
		}
		if got := found[0].Headline.String(); !strings.HasSuffix(got, "issues most of them") {
			t.Errorf("from %v: %s", from, got)
		}
		filesNamed(t, found[0].Evidence, "")
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
			ruletest.Add(h, recording.FileSum{At: ruletest.Start, PID: 7, Kind: recording.FileRegular, Path: "/srv/app.log", Device: "7:3"})
			counted(h, recording.FileSum{PID: 7, Path: "/srv/app.log", Device: "7:3", Size: 900 << 10, Writes: 1000, WrittenBytes: 1024000, WriteCall: "write"})
			opened(h, 9, 3, "/srv/app.log", "7:3", write, 102400, 102400)
		}, "; shop (7) writes 100 KiB/s to /srv/app.log", "/srv/app.log grows by 100 KiB/s, written by shop (7) by 100 write calls a second"},
		{"calls that were counted, in place", func(h *ruletest.Host) {
			ruletest.Add(h, recording.FileSum{At: ruletest.Start, PID: 7, Kind: recording.FileRegular, Path: "/srv/redo", Device: "7:3", Size: 48 << 20})
			counted(h, recording.FileSum{PID: 7, Path: "/srv/redo", Device: "7:3", Size: 48 << 20, Writes: 1000, WrittenBytes: 1024000, WriteCall: "pwrite64"})
		}, "full in 36 s", ""},
		{"an inherited descriptor", func(h *ruletest.Host) {
			opened(h, 9, 3, "/srv/app.log", "7:3", write, 102400, 102400)
			opened(h, 7, 3, "/srv/app.log", "7:3", write, 102400, 102400)
		}, "full in 36 s", "/srv/app.log grows by 100 KiB/s, written by shop (7) or supervisor (9)"},
		{"calls that were counted in one reading", func(h *ruletest.Host) {
			counted(h, recording.FileSum{PID: 7, Path: "/srv/app.log", Device: "7:3", Writes: 1000, WrittenBytes: 1024000, WriteCall: "write"})
		}, "full in 36 s", "shop (7) writes 100 KiB/s to /srv/app.log by 100 write calls a second"},
		{"deleted, and still open", func(h *ruletest.Host) { opened(h, 7, 3, "/srv/app.log (deleted)", "7:3", read, 0, 1<<20) }, "full in 36 s",
			"shop (7) still has /srv/app.log open, which is deleted: closing it frees up to 10 MiB"},
		{"deleted, and still open in several", func(h *ruletest.Host) {
			opened(h, 9, 3, "/srv/app.log (deleted)", "7:3", read, 0, 1<<20)
			opened(h, 7, 3, "/srv/app.log (deleted)", "7:3", read, 0, 1<<20)
		}, "full in 36 s", "shop (7) and supervisor (9) still have /srv/app.log open, which is deleted: closing it frees up to 10 MiB"},
		{"nothing known", func(*ruletest.Host) {}, "full in 36 s", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			disks(h, device{name: "loop3", writes: 1, size: 4096, busy: 0.01})
			h.Process(ruletest.Process{PID: 7, Comm: "shop", WriteBytes: 102400})
			h.Process(ruletest.Process{PID: 9, Comm: "supervisor"})
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

// Two containers call files of their own alike: these are two files.
func TestFullTellsFilesOfOneNameApart(t *testing.T) {
	for _, tt := range []struct {
		name    string
		inode   func(pid int32) uint64
		counted bool
		proof   string
	}{
		{"two files", func(pid int32) uint64 { return uint64(pid) }, false, "/data/app.log grows by 100 KiB/s, written by app (7)\n/data/app.log grows by 100 KiB/s, written by app (9)"},
		{"one file", func(int32) uint64 { return 3 }, false, "/data/app.log grows by 100 KiB/s, written by app (7) or app (9)"},
		{"calls of two containers", nil, true, "app (7) writes 100 KiB/s to /data/app.log by 100 write calls a second\napp (9) writes 100 KiB/s to /data/app.log by 100 write calls a second"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			disks(h, device{name: "loop3", writes: 1, size: 4096, busy: 0.01})
			filesystem(h, recording.MountSample{MountPoint: "/srv", Device: "/dev/loop3", Major: 7, Minor: 3, FSType: "ext4", Size: 100 << 20, Free: 5 << 20, Available: 46 * 204800}, 204800, 0)
			for _, pid := range []int32{7, 9} {
				h.Process(ruletest.Process{PID: pid, Comm: "app", WriteBytes: 102400, Cgroup: fmt.Sprintf("/docker/%d", pid)})
				if tt.counted {
					counted(h, recording.FileSum{PID: pid, Path: "/data/app.log", Device: "7:3", Writes: 1000, WrittenBytes: 1024000, WriteCall: "write"})
					continue
				}
				ruletest.Every(h, func(at time.Time, s float64) recording.OpenFile {
					return recording.OpenFile{At: at, PID: pid, Process: "app", FD: 3, Path: "/data/app.log", Device: "7:3", Inode: tt.inode(pid), Position: int64(102400 * s), Size: int64(102400 * s), Flags: write}
				})
			}
			found := h.Detect(t, full)
			if len(found) != 1 {
				t.Fatalf("%d findings", len(found))
			}
			said := ""
			for _, e := range found[0].Evidence[1:] {
				said += e.What.String() + "\n"
			}
			if !strings.Contains(said, tt.proof) {
				t.Errorf("%s", said)
			}
		})
	}
}

// A filesystem that has been almost full for long is not the fault of who writes a little.
func TestFullBlamesNobodyForLittle(t *testing.T) {
	h := ruletest.New(2, 10)
	disks(h, device{name: "loop3", writes: 1, size: 4096, busy: 0.01})
	h.Process(ruletest.Process{PID: 7, Comm: "rsyslogd", WriteBytes: 4096})
	filesystem(h, recording.MountSample{MountPoint: "/srv", Device: "/dev/loop3", Major: 7, Minor: 3, FSType: "ext4", Size: 100 << 30, Free: 5 << 30, Available: 900 << 20}, 2048, 0)
	opened(h, 7, 3, "/srv/syslog", "7:3", write, 2048, 2048)
	found := h.Detect(t, full)
	if len(found) != 1 || strings.Contains(found[0].Headline.String(), "rsyslogd") {
		t.Errorf("%+v", found)
	}
}

func TestAnyOf(t *testing.T) {
	var list []view.Process
	for i, want := range []string{"", "app (0)", "app (0) or app (1)", "app (0), app (1) or app (2)", "app (0), app (1) or 2 others", "app (0), app (1) or 3 others"} {
		if i > 0 {
			list = append(list, view.Process{ProcessSample: recording.ProcessSample{Comm: "app", PID: int32(i - 1)}})
			if got := anyOf(list, "or"); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
	}
}
