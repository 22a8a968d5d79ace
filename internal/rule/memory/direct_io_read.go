package memory

import (
	"slices"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var directRead = rule.Rule{
	ID:         "mem/direct-io-read",
	Title:      "a program reads the same file from the disk again and again, although memory would hold it",
	Plural:     "programs read the same file from the disk again and again, although memory would hold it",
	Resource:   "reads past the page cache",
	Needs:      []recording.Table{recording.Processes, recording.Memory},
	Explains:   []string{"disk/read-amplified", "disk/saturated", "disk/cgroup-throttled", "proc/uninterruptible", "rt/server-slow", "rt/worker-queueing"},
	Thresholds: []*rule.Threshold{&directShare, &directPasses, &directRoom, &directFelt, &directWaits, &directDisk},
	Seen: func(v *view.View) bool {
		return slices.ContainsFunc(v.FileIO(), func(f view.FileIO) bool { return f.DirectFlag })
	},
	Detect: detectDirectRead,
}

var (
	directShare = rule.Threshold{Name: "direct-share", Value: 0.9, Unit: "share", Source: rule.Judgement,
		Reason: "Largest difference between bytes that a program reads from disks and bytes that it reads by calls. If both are equal, nothing comes from the page cache and nothing is read ahead."}
	directPasses = rule.Threshold{Name: "direct-passes", Value: 2, Unit: "ratio", Source: rule.Judgement,
		Reason: "Bytes read in the window relative to the size of all files that are open with O_DIRECT. From 2 on, each byte was read twice on average. A backup or copy reads each byte once."}
	directRoom = rule.Threshold{Name: "direct-room", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Size of the files relative to available memory, in the program's control group and on the host. Up to half of it, the files stay in the page cache beside all others."}
	directFelt = rule.Threshold{Name: "direct-felt", Value: 0.1, Unit: "threads", Source: rule.Judgement,
		Reason: "Mean number of threads of the program that wait for disks. Below it the disk is so fast that the page cache would hardly help."}
	directWaits = rule.Threshold{Name: "direct-waits", Value: 0.5, Unit: "threads", Source: rule.Judgement,
		Reason: "The same. From 0.5 on, one of its threads spends most of its time reading."}
	directDisk = rule.Threshold{Name: "direct-disk", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Bytes that the program reads from these files relative to all bytes that their disk reads. Below half it may wait only because other programs load the disk."}
)

// rereader is a program that reads files past the page cache, each byte several times.
type rereader struct {
	view.Process
	files   []view.FileIO // that are open with O_DIRECT
	size    float64       // of all of them, bytes
	read    float64       // in the window, bytes
	room    float64       // available memory, bytes
	waits   float64       // threads
	counted bool          // read was counted call by call, file by file
	disk    string        // on which all of the files lie; "" if they lie on several
	most    bool          // it does most of what the disk reads
	under   []string      // of a volume: the disks below it of which it does most, too
}

func detectDirectRead(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, p := range v.Processes() {
		if r, ok := rereaderOf(v, p); ok {
			found = append(found, r.finding())
		}
	}
	return found, nil
}

func rereaderOf(v *view.View, p view.Process) (r rereader, ok bool) {
	if p.Own || p.Kernel || !(p.ReadBytes > 0) || p.ReadBytes < directShare.Value*p.ReadChars || p.ReadChars < directShare.Value*p.ReadBytes {
		return r, false
	}
	r = rereader{Process: p, read: p.ReadBytes * p.Seconds, counted: true, waits: diskWaits(v, []view.Process{p})}
	counted, waits, others, late := 0.0, 0.0, v.Unplaced(p).Read, false
	for _, f := range v.FileIO() {
		switch {
		case f.Process.PID != p.PID:
			continue
		case !f.DirectFlag && f.Direct == 0:
			others = others || f.Open && !f.Standard && f.Readable
			continue
		case f.Size <= 0 || f.Writable:
			// A database or a virtual machine, which caches by itself, or a device as a whole.
			return r, false
		}
		if len(r.files) == 0 {
			r.disk = f.Disk
		} else if f.Disk != r.disk {
			r.disk = ""
		}
		late = late || f.Late || !view.Known(f.Moved)
		r.files = append(r.files, f)
		r.size += float64(f.Size)
		r.counted = r.counted && f.Counted && !f.Sliced // slices do not tell how many files there are
		counted += f.Direct * p.Seconds
		waits += f.Waiting
	}
	switch {
	case r.counted:
		r.read = min(r.read, counted)
	case late, !v.OpenFilesKnown(p): // files may come and go, each of which it reads once
		return r, false
	case others && waits < r.waits/2:
		return r, false // it may be the other files that it reads
	}
	if d, ok := v.BlockDevice(r.disk); ok && p.Seconds > 0 {
		r.most = r.read/p.Seconds >= directDisk.Value*d.ReadBytes
		for _, u := range v.BlockDevices() {
			if u.Device != r.disk && v.LiesOn(r.disk, u.Device) && r.read/p.Seconds >= directDisk.Value*u.ReadBytes {
				r.under = append(r.under, u.Device)
			}
		}
	}
	m, ok := v.MemoryNow()
	if !ok || len(r.files) == 0 || cachesItself[p.Comm] {
		return r, false
	}
	r.room = float64(m.Available)
	if g, limited := v.MemoryLimitOf(p); limited {
		r.room = min(r.room, float64(g.Room()))
	}
	return r, r.read >= directPasses.Value*r.size && r.size <= directRoom.Value*r.room && r.waits >= directFelt.Value
}

// cachesItself are servers that read past the page cache on purpose and have a cache of their
// own, of files that they have open for reading only.
var cachesItself = map[string]bool{
	"mysqld": true, "mariadbd": true, "postgres": true, "oracle": true, "sqlservr": true, "db2sysc": true, "scylla": true, "ceph-osd": true, "mongod": true,
	"clickhouse-serv": true, "asd": true, "tikv-server": true,
}

func (r *rereader) finding() rule.Finding {
	f := &r.files[0]
	for i := range r.files {
		if r.files[i].Size > f.Size {
			f = &r.files[i]
		}
	}
	passes := r.read / r.size
	files := f.Path
	if n := len(r.files) - 1; n > 0 {
		files += " and " + unit.Plural(int64(n), "other file", "other files")
	}
	out := rule.Finding{
		Subject: r.Entity(), Confidence: rule.Possible,
		Headline: rule.T("%s (%d) reads %s past the page cache (O_DIRECT), %v times in the window: memory would hold it", r.Comm, r.PID, files, unit.Number(passes)),
		Impact:   rule.Impact{TimeLost: r.waits, Text: rule.T("%v threads wait for the disk at any time", unit.Number(r.waits))},
		Evidence: []rule.Evidence{
			{Metric: metric.ProcessIOBytes, Value: r.ReadBytes, Check: shell.Line("grep -E '^(rchar|read_bytes)' /proc/%d/io", r.PID),
				What: rule.T("it reads %v/s by calls and %v/s from disks: nothing comes from the page cache", unit.Bytes(r.ReadChars), unit.Bytes(r.ReadBytes))},
			{Metric: metric.FileIO, Value: r.read, Limit: rule.Limit(directPasses.Value * r.size), Check: shell.Line("rtrail trace files -p %d --for 10s", r.PID),
				What: rule.T("%v were read in the window from files of %v", unit.Bytes(r.read), unit.Bytes(r.size))},
			{Metric: metric.MemoryAvailable, Value: r.room, Limit: rule.Limit(r.size / directRoom.Value), Check: shell.Line("free -b"),
				What: rule.T("%v of memory are available to it", unit.Bytes(r.room))},
			{Metric: metric.ProcessDiskWait, Value: r.waits, Limit: rule.Limit(directFelt.Value), Check: shell.Line("ps -L -o tid,stat,wchan:30,comm -p %d", r.PID),
				What: rule.T("%v threads wait for disks on average", unit.Number(r.waits))},
		},
		Fixes: []rule.Fix{
			{Text: rule.T("open the file without O_DIRECT: repeated reads then come from memory"), Command: shell.Line("strace -f -p %d -e trace=openat", r.PID),
				Tradeoff: "the page cache takes memory that others may need; a program with its own cache keeps data twice"},
			{Text: rule.T("if it must not use the page cache, cache the data in the program"), Tradeoff: "memory, and a change of the program"},
		},
	}
	if !r.most {
		return out
	}
	out.Affects = []view.Entity{view.DeviceEntity(f.Disk)}
	for _, under := range r.under {
		out.Affects = append(out.Affects, view.DeviceEntity(under))
	}
	if r.waits >= directWaits.Value {
		if out.Confidence = rule.Likely; len(r.files) == 1 {
			out.Confidence = rule.Certain
		}
	}
	return out
}
