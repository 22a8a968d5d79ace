package memory

import (
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// direct is a program that reads a file for ten seconds.
type direct struct {
	comm        string
	size        int64 // of the file
	read, chars float64
	flags       uint32
	available   int64
	limit       int64 // of its control group; 0: none
	waits       float64
	fd          int32 // in which it is seen to wait
	other       bool  // it has another file open, without O_DIRECT
	counted     float64
	traced      time.Duration        // of the ten seconds; 0: all
	disk        float64              // bytes per second that the disk reads; 0: as many as the program
	others      []recording.OpenFile // that are open, too
	later       []string             // files with O_DIRECT that it opens afterwards
	long        bool                 // rtrail has been running for an hour
	whole       bool                 // its files have rows at the second look, all of them
}

func (d direct) host() *ruletest.Host {
	h := ruletest.New(2, 10).Memory(8<<30, d.available, 0)
	h.Manifest(func(m *recording.Manifest) {
		m.Host.Arch = "x86_64"
		if d.long {
			m.Started = ruletest.Start.Add(-time.Hour)
		}
	})
	ruletest.Every(h, func(at time.Time, s float64) recording.DiskSample {
		return recording.DiskSample{At: at, Device: "sda", Major: 8, ReadBytes: uint64(max(d.read, d.disk) * s)}
	})
	h.Process(ruletest.Process{PID: 812, Comm: d.comm, ReadBytes: d.read, Change: func(s float64, p *recording.ProcessSample) {
		p.ReadChars = int64(d.chars * s)
		p.MemCgroup = "/app"
	}})
	if d.limit > 0 {
		h.Cgroup(ruletest.Cgroup{Path: "/app", Memory: 10 * mib, MemoryMax: d.limit})
	}
	i := 0
	ruletest.Every(h, func(at time.Time, _ float64) recording.ThreadSample {
		i++
		row := recording.ThreadSample{At: at, PID: 812, TID: 812, State: "S", Syscall: -1, FD: -1, Slices: int64(i)}
		if float64(i%10) < d.waits*10 {
			row.State, row.SyscallName, row.FD, row.WaitChannel = "D", "read", d.fd, "__iomap_dio_rw"
		}
		return row
	})
	for at := range 2 {
		open := func(f recording.OpenFile) {
			f.At, f.PID, f.Process, f.Inode = ruletest.Start.Add(time.Duration(at)*time.Second), 812, d.comm, uint64(f.FD)
			f.Whole = d.whole && at == 1
			ruletest.Add(h, f)
		}
		open(recording.OpenFile{FD: 3, Path: "/srv/table", Device: "8:0", Size: d.size, Flags: d.flags})
		if d.other {
			open(recording.OpenFile{FD: 4, Path: "/srv/large", Device: "8:0", Size: 1 << 40, Flags: 0o100000})
		}
		for _, f := range d.others {
			open(f)
		}
	}
	for i, path := range d.later {
		ruletest.Add(h, recording.OpenFile{At: ruletest.Start.Add(time.Duration(i+1) * time.Second), PID: 812, Process: d.comm, FD: 3, Inode: uint64(10 + i), Path: path, Device: "8:0", Size: d.size, Flags: d.flags})
	}
	if d.counted > 0 {
		ruletest.Add(h, recording.FileSum{At: ruletest.Start.Add(9 * time.Second), PID: 812, Process: d.comm, Kind: recording.FileRegular, Path: "/srv/table", Device: "8:0", Size: d.size,
			Span: 10 * time.Second, Traced: d.traced, Reads: 100, ReadBytes: int64(10 * d.counted), DirectRead: int64(10 * d.counted), ReadCall: "read"})
	}
	return h
}

func TestDirectRead(t *testing.T) {
	usual := direct{comm: "report", size: 32 * mib, read: 34 * mib, chars: 34 * mib, flags: 0o140000, available: 4 << 30, waits: 1, fd: 3}
	situation := func(name string, want rule.Confidence, change func(*direct)) ruletest.Situation {
		d := usual
		change(&d)
		return ruletest.Situation{Name: name, Want: want, Kind: view.KindProcess, Subject: "report", Low: 0.1, High: 1, Host: func() *ruletest.Host { return d.host() }}
	}
	told := situation("the same file ten times", rule.Certain, func(*direct) {})
	told.Says, told.Proof = "reads /srv/table past the page cache (O_DIRECT), 10.6 times", "340 MiB were read in the window from files of 32 MiB"
	several := situation("several files", rule.Likely, func(d *direct) {
		d.others = []recording.OpenFile{{FD: 4, Path: "/srv/small", Device: "8:0", Size: mib, Flags: 0o140000}, {FD: 5, Path: "/srv/tiny", Device: "8:0", Size: mib, Flags: 0o140000}}
	})
	several.Says, several.Proof = "reads /srv/table and 2 other files past the page cache", "1 thread waits for disks on average"
	ruletest.Check(t, directRead, []ruletest.Situation{
		told,
		situation("a file that slices of the time met, beside others", 0, func(d *direct) { d.counted, d.traced, d.other, d.fd = 34*mib, 250*time.Millisecond, true, 4 }),
		situation("counted call by call", rule.Certain, func(d *direct) { d.counted, d.other, d.fd = 34*mib, true, 4 }),
		situation("a fifth of the time", rule.Possible, func(d *direct) { d.waits = 0.2 }),
		situation("twice", rule.Certain, func(d *direct) { d.read, d.chars = 6.5*mib, 6.5*mib }),
		situation("another file open, and waits for this one", rule.Certain, func(d *direct) { d.other = true }),
		situation("another file open, and waits for that one", 0, func(d *direct) { d.other, d.fd = true, 4 }),
		situation("counted, mostly another file", 0, func(d *direct) { d.counted, d.other, d.fd = 5*mib, true, 4 }),
		situation("not twice", 0, func(d *direct) { d.read, d.chars = 6*mib, 6*mib }),
		situation("a fast disk", 0, func(d *direct) { d.waits = 0 }),
		situation("without O_DIRECT", 0, func(d *direct) { d.flags = 0o100000 }),
		situation("a database or virtual machine, which writes, too", 0, func(d *direct) { d.flags = 0o140002 }),
		situation("a server with a cache of its own", 0, func(d *direct) { d.comm = "mariadbd" }),
		situation("mostly from the page cache", 0, func(d *direct) { d.chars = 60 * mib }),
		situation("read ahead for nothing", 0, func(d *direct) { d.chars = 4 * mib }),
		situation("no room on the host", 0, func(d *direct) { d.available = 60 * mib }),
		situation("no room in its group", 0, func(d *direct) { d.limit = 60 * mib }),
		situation("room in its group", rule.Certain, func(d *direct) { d.limit = 100 * mib }),
		situation("others load the disk", rule.Possible, func(d *direct) { d.read, d.chars, d.size, d.disk = 0.4*mib, 0.4*mib, mib, 500*mib }),
		situation("half of what the disk reads", rule.Certain, func(d *direct) { d.disk = 67 * mib }),
		situation("less than half", rule.Possible, func(d *direct) { d.disk = 70 * mib }),
		situation("a backup of many files", 0, func(d *direct) { d.later = []string{"/srv/t1", "/srv/t2"} }),
		situation("in the middle of a long run, of which rows tell what changes", 0, func(d *direct) { d.long = true }),
		situation("in the middle of a long run, with all files at one look", rule.Certain, func(d *direct) { d.long, d.whole = true, true }),
		situation("in the middle of a long run, a backup of many files", 0, func(d *direct) { d.long, d.whole, d.later = true, true, []string{"/srv/t1", "/srv/t2"} }),
		situation("another file on overlay, which it may read", 0, func(d *direct) {
			d.others, d.fd = []recording.OpenFile{{FD: 4, Path: "/var/large", Device: "0:45", Size: 1 << 40, Flags: 0o140000}}, 4
		}),
		situation("a log on overlay", rule.Certain, func(d *direct) {
			d.others, d.fd = []recording.OpenFile{{FD: 4, Path: "/var/log/x", Device: "0:45", Flags: 0o100001}}, -1
		}),
		situation("a file in memory", rule.Certain, func(d *direct) {
			d.others = []recording.OpenFile{{FD: 4, Path: "/dev/shm/x", Device: "0:25", Flags: 0o100002}}
		}),
		situation("the file is open for writing by another descriptor", 0, func(d *direct) {
			d.others = []recording.OpenFile{{FD: 2, Path: "/srv/table", Device: "8:0", Size: d.size, Flags: 0o140002}}
		}),
		several,
		situation("a device, whose size is not known", 0, func(d *direct) { d.size = 0 }),
	})
}
