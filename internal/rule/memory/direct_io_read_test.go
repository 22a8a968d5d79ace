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
}

func (d direct) host() *ruletest.Host {
	h := ruletest.New(2, 10).Memory(8<<30, d.available, 0)
	h.Manifest(func(m *recording.Manifest) { m.Host.Arch = "x86_64" })
	ruletest.Every(h, func(at time.Time, s float64) recording.DiskSample {
		return recording.DiskSample{At: at, Device: "sda", Major: 8, ReadBytes: uint64(d.read * s)}
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
	ruletest.Add(h, recording.OpenFile{At: ruletest.Start, PID: 812, Process: d.comm, FD: 3, Path: "/srv/table", Device: "8:0", Inode: 3, Size: d.size, Flags: d.flags})
	if d.other {
		ruletest.Add(h, recording.OpenFile{At: ruletest.Start, PID: 812, Process: d.comm, FD: 4, Path: "/srv/large", Device: "8:0", Inode: 4, Size: 1 << 40, Flags: 0o100000})
	}
	if d.counted > 0 {
		ruletest.Add(h, recording.FileSum{At: ruletest.Start.Add(9 * time.Second), PID: 812, Process: d.comm, Kind: recording.FileRegular, Path: "/srv/table", Device: "8:0", Size: d.size,
			Span: 10 * time.Second, Reads: 100, ReadBytes: int64(10 * d.counted), DirectRead: int64(10 * d.counted), ReadCall: "read"})
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
	ruletest.Check(t, directRead, []ruletest.Situation{
		told,
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
		situation("a device, whose size is not known", 0, func(d *direct) { d.size = 0 }),
	})
}
