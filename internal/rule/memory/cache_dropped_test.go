package memory

import (
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// dropping is a host whose page cache is emptied while a database reads.
type dropping struct {
	times  uint64 // in the window
	names  uint64 // times that names and inodes were dropped
	log    string // line of the kernel log
	waits  float64
	read   float64
	traced bool
	writes float64 // of the disk, bytes a second
}

func (d dropping) host() *ruletest.Host {
	h := ruletest.New(2, 10)
	ruletest.Every(h, func(at time.Time, s float64) recording.VMStatSample {
		return recording.VMStatSample{At: at, DropPageCache: 5 + uint64(float64(d.times)*s/10+0.001), DropSlab: 7 + uint64(float64(d.names)*s/10+0.001)}
	})
	ruletest.Every(h, func(at time.Time, s float64) recording.DiskSample {
		return recording.DiskSample{At: at, Device: "sda", ReadBytes: uint64(d.read * s), WrittenBytes: uint64(d.writes * s)}
	})
	h.Process(ruletest.Process{PID: 812, Comm: "mariadbd", ReadBytes: d.read, BlockDelay: d.waits})
	h.Process(ruletest.Process{PID: 27617, Comm: "cleaner", BlockDelay: 0.7})
	if d.log != "" {
		h.Log(3, d.log)
	}
	if d.traced {
		ruletest.Add(h, recording.FileSum{At: ruletest.Start.Add(5 * time.Second), PID: 27617, Process: "cleaner", Kind: recording.FileRegular, Path: "/proc/sys/vm/drop_caches", Device: "0:22",
			Span: 5 * time.Second, Writes: 2, WrittenBytes: 4})
	}
	return h
}

func TestCacheDropped(t *testing.T) {
	usual := dropping{times: 3, log: "cleaner (27617): drop_caches: 3", waits: 0.9, read: 20 * mib}
	situation := func(name string, want rule.Confidence, kind, subject string, change func(*dropping)) ruletest.Situation {
		d := usual
		change(&d)
		s := ruletest.Situation{Name: name, Want: want, Kind: kind, Subject: subject, Low: 0.89, High: 0.91, Host: d.host}
		if d.waits < 0.1 {
			s.Low, s.High = 0.01, 0.09
		}
		return s
	}
	told := situation("a loop that the kernel log names", rule.Certain, view.KindProcess, "cleaner", func(*dropping) {})
	told.Says, told.Proof = "emptied the page cache 3 times", "cleaner (27617): drop_caches: 3"
	both := situation("names and inodes, too", rule.Certain, view.KindProcess, "cleaner", func(d *dropping) { d.names = 2 })
	both.Says, both.Proof = "emptied the page cache 3 times", "names and inodes of files were dropped, too, 2 times"
	names := situation("names and inodes only", rule.Possible, view.KindProcess, "cleaner", func(d *dropping) { d.times, d.names = 0, 3 })
	names.Says, names.Proof = "emptied the cache of file names and inodes 3 times", "the cache of file names and inodes was emptied 3 times"
	ruletest.Check(t, cacheDropped, []ruletest.Situation{
		told, both, names,
		situation("seen in the kernel", rule.Likely, view.KindProcess, "cleaner", func(d *dropping) { d.log, d.traced = "", true }),
		situation("a name that looks like a line", rule.Certain, view.KindProcess, "cleaner", func(d *dropping) { d.log = "x (1): drop (27617): drop_caches: 1" }),
		situation("the disk mostly writes", rule.Likely, view.KindProcess, "cleaner", func(d *dropping) { d.writes = 50 * mib }),
		situation("once", rule.Possible, view.KindProcess, "cleaner", func(d *dropping) { d.times = 1 }),
		situation("nobody waits", rule.Possible, view.KindProcess, "cleaner", func(d *dropping) { d.waits = 0.09 }),
		situation("nobody reads", rule.Possible, view.KindProcess, "cleaner", func(d *dropping) { d.read = 0 }),
		situation("nobody dropped it", 0, "", "", func(d *dropping) { d.times = 0 }),
	})
	unnamed := usual
	unnamed.log = "somebody: drop_caches: 3"
	f := unnamed.host().Detect(t, cacheDropped)[0]
	if f.Confidence != rule.Likely || f.Subject.Kind != view.KindHost || len(f.Notes) != 1 {
		t.Errorf("nobody is named: %+v", f)
	}
	const reader = "mariadbd (812) waits for disks 900 ms per second, reads 20 MiB/s from them"
	for name, c := range map[string]struct {
		change func(*dropping)
		also   ruletest.Process
		want   string
	}{
		"the dropper waits, too":         {change: func(*dropping) {}, want: reader},
		"seen in the kernel":             {change: func(d *dropping) { d.log, d.traced = "", true }, want: reader},
		"nobody knows who dropped it":    {change: func(d *dropping) { d.log = "" }},
		"once":                           {change: func(d *dropping) { d.times = 1 }},
		"another one waits for writes":   {change: func(*dropping) {}, also: ruletest.Process{PID: 900, Comm: "journal", BlockDelay: 0.5, ReadBytes: 4096, WriteBytes: 5 * mib}, want: reader},
		"another one hardly waits":       {change: func(*dropping) {}, also: ruletest.Process{PID: 900, Comm: "cron", BlockDelay: 0.04, ReadBytes: mib}, want: reader},
		"who waits longest comes first":  {change: func(*dropping) {}, also: ruletest.Process{PID: 900, Comm: "search", BlockDelay: 1.5, ReadBytes: mib}, want: "search (900) waits for disks 1.5 s per second, reads 1 MiB/s from them, " + reader},
		"a kernel thread waits for them": {change: func(*dropping) {}, also: ruletest.Process{PID: 900, Comm: "kswapd0", Kernel: true, BlockDelay: 0.5, ReadBytes: mib}, want: reader},
	} {
		d := usual
		c.change(&d)
		h := d.host()
		if c.also.PID != 0 {
			h.Process(c.also)
		}
		if got := said(h.Detect(t, cacheDropped)[0]); got != c.want {
			t.Errorf("%s: victims %q, want %q", name, got, c.want)
		}
	}
	ruletest.New(2, 0).VMStat(ruletest.VMStat{}).Abstains(t, cacheDropped)
}

// A file that somebody calls like the kernel's accuses nobody.
func TestCacheDroppedFileOfThatName(t *testing.T) {
	for name, c := range map[string]struct{ log, device, kind, want string }{
		"on a disk":                     {"", "8:1", view.KindHost, ""},
		"in memory":                     {"", "0:40", view.KindHost, ""},
		"on a disk, the log names":      {"cleaner (27617): drop_caches: 3", "8:1", view.KindProcess, "cleaner"},
		"where the kernel's may be too": {"cleaner (27617): drop_caches: 3", "0:22", view.KindProcess, "cleaner"},
	} {
		h := dropping{times: 3, log: c.log, waits: 0.9, read: 20 * mib}.host()
		h.Process(ruletest.Process{PID: 666, Comm: "innocent"})
		ruletest.Add(h, recording.MountSample{At: ruletest.Start, MountPoint: "/tmp", FSType: "tmpfs", Minor: 40})
		ruletest.Add(h, recording.FileSum{At: ruletest.Start.Add(5 * time.Second), PID: 666, Process: "innocent", Kind: recording.FileRegular, Path: "/proc/sys/vm/drop_caches", Device: c.device,
			Span: 5 * time.Second, Writes: 1000, WrittenBytes: 4 << 20})
		if f := h.Detect(t, cacheDropped)[0]; f.Subject.Kind != c.kind || c.want != "" && f.Subject.Name != c.want {
			t.Errorf("%s: %v", name, f.Subject)
		}
	}
}

// What is asked for each process is not added up anew for it.
func TestCacheDroppedWithManyProcesses(t *testing.T) {
	const processes = 4000
	h := ruletest.New(2, 2).Memory(8<<30, 4<<30, 0)
	w := recording.NewWriter(ruletest.Start)
	for s := range 3 {
		at := ruletest.Start.Add(time.Duration(s) * time.Second)
		for k := range processes {
			recording.Append(w, recording.ProcessSample{At: at, PID: int32(10000 + k), Comm: "php-fpm", State: "D", Full: true, Started: ruletest.Start.Add(-time.Hour), WaitChannel: "folio_wait_bit_common"})
		}
		recording.Append(w, recording.VMStatSample{At: at, DropPageCache: uint64(s)})
	}
	if err := h.Rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if _, err := cacheDropped.Detect(h.View()); err != nil || time.Since(began) > 2*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
}
