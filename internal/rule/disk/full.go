package disk

import (
	"cmp"
	"math"
	"slices"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var full = rule.Rule{
	ID:         "disk/full",
	Title:      "a filesystem has no space left",
	Plural:     "filesystems have no space left",
	Resource:   "filesystem space",
	Needs:      []recording.Table{recording.Mounts},
	Columns:    []string{"mounts.size_bytes", "mounts.free_bytes", "mounts.available_bytes", "mounts.read_only", "mounts.fs_type"},
	Levels:     true,
	Thresholds: []*rule.Threshold{&soonFull, &soonUsed, &laterFull, &laterUsed, &almostUsed, &crumbs, &failingCalls, &failingChars, &inVain, &pagesPerWrite, &minWriting, &fileShare, &heldSize, &ownStream},
	Detect:     detectFull,
}

var (
	soonFull = rule.Threshold{Name: "soon-full", Value: 60.0, Unit: "seconds", Source: rule.Judgement,
		Reason: "At the current rate it is full within a minute: too late to act."}
	soonUsed = rule.Threshold{Name: "soon-used", Value: 0.95, Unit: "share", Source: rule.Judgement,
		Reason: "Required with soon-full, so that a large temporary file on a half-empty filesystem is not reported."}
	laterFull = rule.Threshold{Name: "later-full", Value: 600.0, Unit: "seconds", Source: rule.Judgement,
		Reason: "Worth a hint only: a file that grows for seconds is often deleted within minutes."}
	laterUsed = rule.Threshold{Name: "later-used", Value: 0.90, Unit: "share", Source: rule.Judgement,
		Reason: "Required with later-full, so that a large temporary file on a half-empty filesystem is not reported."}
	almostUsed = rule.Threshold{Name: "almost-used", Value: 0.99, Unit: "share", Source: rule.Judgement,
		Reason: "Less than 1 % is left. Many filesystems slow down long before."}
	crumbs = rule.Threshold{Name: "crumbs", Value: 0.005, Unit: "share", Source: rule.Judgement,
		Reason: "Share that is left. Below it a write of ordinary size can fail although the number is not 0: allocators keep a few blocks back."}
)

// space is how full one filesystem is, in bytes or inodes.
type space struct {
	total, left, leftRoot float64
	growth                float64 // of what is used, per second
	changed               bool    // in the window
}

// used is the share that programs of ordinary users cannot have.
func (s space) used() float64 { return 1 - s.left/max(s.total, 1) }

// until is the number of seconds until nothing is left; infinite when it does
// not shrink.
func (s space) until() float64 {
	if s.growth <= 0 {
		return math.Inf(1)
	}
	return s.left / s.growth
}

// spaceOf is how much of one filesystem is left, and how fast it shrinks.
func spaceOf(fs view.Filesystem, left func(recording.MountSample) int64) space {
	first, last := fs.Samples[0], fs.Samples[len(fs.Samples)-1]
	s := space{left: float64(left(last)), total: float64(fs.Size)}
	if fs.Seconds > 0 {
		s.growth = float64(left(first)-left(last)) / fs.Seconds
	}
	for _, m := range fs.Samples {
		s.changed = s.changed || left(m) != left(first) || m.Free != first.Free
	}
	return s
}

func detectFull(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, fs := range v.Filesystems() {
		s := spaceOf(fs, func(m recording.MountSample) int64 { return m.Available })
		s.total, s.leftRoot = float64(fs.Size), float64(fs.Free)
		none := 0
		for _, m := range fs.Samples {
			if m.Available <= 0 {
				none++
			}
		}
		failing := failingWriters(v)
		felt := s.changed || len(failing) > 0
		f := rule.Finding{Subject: filesystemSubject(fs)}
		switch {
		case none > 0 && felt:
			f.Confidence = rule.Certain
		case starved(s, failing):
			// Whose writes go to which filesystem is not in any counter.
			f.Confidence = rule.Likely
		case none > 0:
			// It may have been full for months without anybody who writes.
			f.Confidence = rule.Possible
		case s.until() <= soonFull.Value && s.used() >= soonUsed.Value:
			f.Confidence = rule.Likely
		case s.until() <= laterFull.Value && s.used() >= laterUsed.Value, s.used() >= almostUsed.Value:
			f.Confidence = rule.Possible
		default:
			continue
		}
		isFull := none > 0 || starved(s, failing)
		f.Headline, f.Impact = fullWords(fs, s, isFull, felt)
		f.Evidence = fullEvidence(fs, s, none)
		if isFull && !felt && len(fs.Samples) > 1 {
			f.Notes = append(f.Notes, rule.T("its free space did not change in the window, and no program's writes were seen to fail"))
		}
		if isFull {
			f.Evidence = append(f.Evidence, failingEvidence(failing)...)
		}
		growing := growingFiles(v, fs, s.growth)
		f.Evidence = append(f.Evidence, growing.evidence()...)
		if len(growing) == 0 {
			f.Evidence = append(f.Evidence, writersEvidence(v)...)
		} else if g := &growing[0]; s.until() <= laterFull.Value && g.size && len(g.writers) == 1 && g.rate >= ownStream.Value*s.growth {
			f.Headline = rule.T("%s; %s (%d) writes %v/s to %s", f.Headline, g.Process.Comm, g.Process.PID, unit.Bytes(g.rate), g.Path)
		}
		f.Evidence = append(f.Evidence, heldEvidence(v, fs)...)
		f.Fixes = fullFixes(fs)
		found = append(found, f)
	}
	return found, nil
}

// starved says that next to nothing is left and that a program's writes to
// files fail: it dirties pages, and not a byte is written in the end.
func starved(s space, failing []view.Process) bool {
	return s.left <= crumbs.Value*s.total && slices.ContainsFunc(failing, func(p view.Process) bool { return p.WriteBytes > 0 })
}

func filesystemSubject(fs view.Filesystem) view.Entity {
	detail := fs.Device
	if fs.FSType != "" {
		detail += ", " + fs.FSType
	}
	e := view.Entity{Kind: view.KindFilesystem, Name: fs.MountPoint, Detail: detail}
	if fs.PID != 0 { // seen in another mount namespace
		e.Place = fs.Device
	}
	return e
}

// fullWords are the headline and the impact. felt: somebody uses the filesystem, or fails to write.
func fullWords(fs view.Filesystem, s space, none, felt bool) (rule.Text, rule.Impact) {
	switch {
	case none && !felt:
		return rule.T("filesystem %s is full: the next write that needs space fails with ENOSPC", fs.MountPoint),
			rule.Impact{Share: 0.1, Text: rule.T("nothing yet")}
	case none:
		// Whoever must write there fails each time: the whole of the service.
		return rule.T("filesystem %s is full: writes fail with ENOSPC", fs.MountPoint),
			rule.Impact{Share: 1, Text: rule.T("every write that needs space")}
	}
	if left := s.until(); left <= laterFull.Value {
		return rule.T("filesystem %s fills up: %s left, at this rate full in %s", fs.MountPoint, unit.Bytes(s.left), unit.Seconds(left)),
			rule.Impact{Share: s.used() / 2, Text: rule.T("nothing yet")}
	}
	return rule.T("filesystem %s is almost full: %s left", fs.MountPoint, unit.Bytes(s.left)),
		rule.Impact{Share: 0.1, Text: rule.T("nothing yet")}
}

func fullEvidence(fs view.Filesystem, s space, none int) []rule.Evidence {
	check := shell.Line("df -B1 %s", shell.Path(fs.MountPoint))
	list := []rule.Evidence{{
		Metric: metric.FilesystemAvailable, What: rule.T("%s of %s available, %s more for root", unit.Bytes(s.left), unit.Bytes(s.total), unit.Bytes(s.leftRoot-s.left)),
		Value: s.left, Limit: rule.Limit(0), Check: check,
	}}
	if none > 0 {
		list[0].What = rule.T("%s of %s available in %d of %d samples, %s more for root",
			unit.Bytes(s.left), unit.Bytes(s.total), none, len(fs.Samples), unit.Bytes(s.leftRoot-s.left))
	}
	if s.growth > 0 {
		list = append(list, rule.Evidence{
			Metric: metric.FilesystemGrowth, What: rule.T("grew by %s/s in the window", unit.Bytes(s.growth)),
			Value: s.growth, Check: shell.Line("watch -d %s", shell.Script(check)),
		})
	}
	return list
}

var (
	failingCalls = rule.Threshold{Name: "failing-calls", Value: 1.0, Unit: "per second", Source: rule.Judgement,
		Reason: "Rate of write calls that move no bytes. Above it a program fails again and again; single failures are normal."}
	failingChars = rule.Threshold{Name: "failing-chars", Value: 1.0, Unit: "bytes", Source: rule.Judgement,
		Reason: "Mean bytes per write call. Below one byte most calls fail; the kernel counts failed calls too."}
	inVain = rule.Threshold{Name: "in-vain", Value: 100.0, Unit: "ratio", Source: rule.Judgement,
		Reason: "Dirtied bytes relative to written bytes. A write that finds no space dirties pages that are then dropped. A write that succeeds dirties about as much as it writes, or at most one page per small write."}
	pagesPerWrite = rule.Threshold{Name: "pages-per-write", Value: 2, Unit: "count", Source: rule.Judgement,
		Reason: "Pages dirtied per write call, required with in-vain. A small record that is synced dirties its page each time, or two at a page border; with pages of 64 KiB that is more than 100 times what it writes."}
)

// failingWriters lists programs that call write(2) without anything being
// written: so it looks when calls fail with ENOSPC.
func failingWriters(v *view.View) []view.Process {
	return view.Memo(v, "disk/failing-writers", func() []view.Process {
		var list []view.Process
		for _, p := range v.Processes() {
			if p.Kernel || p.Own || !(p.WriteCalls >= failingCalls.Value) {
				continue
			}
			dropped := p.WriteBytes >= inVain.Value*max(p.WriteChars, 1) && p.WriteBytes > pagesPerWrite.Value*float64(v.PageSize())*p.WriteCalls
			if p.WriteChars < failingChars.Value*p.WriteCalls || dropped {
				list = append(list, p)
			}
		}
		return list
	})
}

func failingEvidence(failing []view.Process) []rule.Evidence {
	var list []rule.Evidence
	for i, p := range failing {
		if i == mentioned {
			break
		}
		list = append(list, rule.Evidence{
			Metric: metric.ProcessWriteCalls, What: rule.T("%s (%d) calls write %s and writes %s/s: its calls fail", p.Comm, p.PID, unit.PerSecond(p.WriteCalls), unit.Bytes(p.WriteChars)),
			Value: p.WriteCalls, Check: shell.Line("strace -f -p %d -e trace=write,pwrite64 -e status=failed", p.PID),
		})
	}
	return list
}

// writersEvidence names who writes most. Which filesystem they write to cannot
// be told from counters of processes.
func writersEvidence(v *view.View) []rule.Evidence {
	var writers []view.Process
	for _, p := range v.Processes() {
		if !p.Kernel && !p.Own && p.WriteBytes >= minWriting.Value {
			writers = append(writers, p)
		}
	}
	slices.SortStableFunc(writers, func(a, b view.Process) int { return cmp.Compare(b.WriteBytes, a.WriteBytes) })
	var list []rule.Evidence
	for i, p := range writers {
		if i == mentioned {
			break
		}
		list = append(list, rule.Evidence{
			Metric: metric.ProcessIOBytes, What: rule.T("%s (%d) writes %s/s, to this or another filesystem", p.Comm, p.PID, unit.Bytes(p.WriteBytes)),
			Value: p.WriteBytes, Check: shell.Line("ls -l /proc/%d/fd", p.PID),
		})
	}
	return list
}

var minWriting = rule.Threshold{Name: "min-writing", Value: 4096.0, Unit: "bytes per second", Source: rule.Judgement,
	Reason: "Programs that only write a line now and then stay below."}

func fullFixes(fs view.Filesystem) []rule.Fix {
	return []rule.Fix{
		{
			Text:     rule.T("find what takes the space, and delete or move it"),
			Command:  shell.Line("du -xh --max-depth=2 %s | sort -h | tail -20", shell.Path(fs.MountPoint)),
			Tradeoff: "du reads every directory once",
		},
		{
			Text:     rule.T("look for deleted files that a process still holds open: their space is free only when it closes them"),
			Command:  shell.Line("lsof +L1 %s", shell.Path(fs.MountPoint)),
			Tradeoff: "restarting or truncating interrupts that process",
		},
		{
			Text:     rule.T("grow the filesystem, or limit what fills it (log rotation, quota)"),
			Tradeoff: "needs space below it, or loses old data sooner",
		},
	}
}
