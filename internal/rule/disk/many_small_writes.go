package disk

import (
	"path"
	"slices"
	"strings"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var manySmallWrites = rule.Rule{
	ID:       "disk/many-small-writes",
	Title:    "a program writes many small files and throws them away",
	Plural:   "programs write many small files and throw them away",
	Resource: "small files",
	Needs:    []recording.Table{recording.Processes},
	Explains: []string{"disk/slow-sync", "proc/uninterruptible", "rt/server-slow", "rt/worker-queueing"},
	Thresholds: []*rule.Threshold{&thrownRate, &thrownShare, &thrownProof, &smallWrite, &partialPages, &smallFile, &scratchFiles, &keptFiles, &fileCost,
		&scratchFelt, &scratchMuch, &mostWrites},
	Seen:   func(v *view.View) bool { return len(scratchers(v)) > 0 },
	Detect: detectManySmallWrites,
}

var (
	thrownRate = rule.Threshold{Name: "thrown-rate", Value: 1 << 20, Unit: "bytes per second", Source: rule.Judgement,
		Reason: "Bytes that a program writes and deletes before they reach a disk, in whole pages: 256 small files a second. Less costs little."}
	thrownShare = rule.Threshold{Name: "thrown-share", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of what a program writes that it deletes again, in bytes or in files. Above half, most of its files are scratch files. Builds, copies and archives keep their files."}
	thrownProof = rule.Threshold{Name: "thrown-proof", Value: 0.1, Unit: "share", Source: rule.Judgement,
		Reason: "Share of what a program writes that it deletes before it reaches a disk, where files were counted. Below it the program deletes old files and keeps the new ones, like an update or a cache at its limit."}
	smallWrite = rule.Threshold{Name: "small-write", Value: 16 << 10, Unit: "bytes", Source: rule.Judgement,
		Reason: "Mean bytes of a write call. Programs that spill sorts and joins to temporary files write pieces of 16 KiB and more: this data does not fit into memory."}
	partialPages = rule.Threshold{Name: "partial-pages", Value: 1.2, Unit: "ratio", Source: rule.Judgement,
		Reason: "Bytes of pages that a program dirties relative to bytes that it writes. A large file written sequentially dirties as much as is written. Small files and random writes fill their pages only in part and dirty more."}
	smallFile = rule.Threshold{Name: "small-file", Value: 64 << 10, Unit: "bytes", Source: rule.Judgement,
		Reason: "Mean bytes written for each file created. In larger files the data is the main cost."}
	scratchFiles = rule.Threshold{Name: "scratch-files", Value: 100, Unit: "per second", Source: rule.Judgement,
		Reason: "Files created. A server that keeps one for each request creates some tens a second."}
	keptFiles = rule.Threshold{Name: "kept-files", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Syncs relative to files created. A program that syncs every other file needs its files to survive a crash, like databases with journals that they delete after a commit. disk/slow-sync judges these."}
	fileCost = rule.Threshold{Name: "file-cost", Value: 200e-6, Unit: "seconds", Source: rule.Measured,
		Reason: "CPU time in the kernel to make, write, read and delete a small file on ext4: 0.1 to 0.2 ms. Time above it goes to other work of the program."}
	scratchFelt = rule.Threshold{Name: "scratch-felt", Value: 0.1, Unit: "threads", Source: rule.Judgement,
		Reason: "CPU time in the kernel and waits to create or write files, in seconds per second. Below it the program would hardly be faster without these files."}
	scratchMuch = rule.Threshold{Name: "scratch-much", Value: 0.3, Unit: "threads", Source: rule.Judgement,
		Reason: "The same. From a third of a thread on, the program would be at least 1.5 times as fast without these files."}
	mostWrites = rule.Threshold{Name: "most-writes", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of this program in the pages that all programs dirty. Below half, its waits to create files may be due to other writers."}
)

// scratcher is a program that writes small pieces and throws them away.
type scratcher struct {
	view.Process
	made    float64 // files per second; pages thrown away if it is not counted
	deleted float64 // per second; Unknown unless counted
	size    float64 // bytes written for each file; Unknown unless counted
	dir     string  // where most of them are; "" if not known
	thrown  bool    // bytes never reach a disk
	counted bool    // files were counted call by call
	waits   float64 // threads that wait to create or write files, mean; 0 if others write as much
}

func detectManySmallWrites(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, s := range scratchers(v) {
		if f, ok := s.judge(); ok {
			found = append(found, f)
		}
	}
	return found, nil
}

// scratchers lists programs that make many small files and throw them away.
func scratchers(v *view.View) []scratcher {
	return view.Memo(v, "disk/scratchers", func() []scratcher {
		counted, waits, syncs := churn(v), creating(v), map[int32]float64{}
		for _, s := range v.Syncs() {
			if _, ok := v.ProcessThat(s.PID, s.Started); !ok {
				continue
			}
			syncs[s.PID] += s.PerSecond
		}
		dirtied := 0.0
		for _, p := range v.Processes() {
			if !p.Kernel {
				dirtied += view.OrZero(p.WriteBytes)
			}
		}
		page := float64(v.PageSize())
		var list []scratcher
		for _, p := range v.Processes() {
			if p.Kernel || p.Own {
				continue
			}
			s := scratcher{Process: p, deleted: view.Unknown, size: view.Unknown}
			if p.WriteBytes > 0 && p.WriteBytes >= mostWrites.Value*dirtied {
				s.waits = waits[p.PID]
			}
			s.thrown = p.Cancelled >= thrownRate.Value && p.Cancelled >= thrownShare.Value*p.WriteBytes && p.WriteBytes >= thrownShare.Value*p.Cancelled &&
				p.WriteChars <= smallWrite.Value*p.WriteCalls && p.WriteBytes >= partialPages.Value*p.WriteChars &&
				p.Cancelled <= p.WriteCalls*(smallWrite.Value+page) // pages of mapped files come without calls
			if s.thrown {
				s.made = min(p.Cancelled/page, p.WriteCalls) // a file takes a page and a call, or more
			}
			if c, ok := counted[p.PID]; ok && c.made >= scratchFiles.Value {
				s.made, s.deleted, s.size, s.dir, s.counted = c.made, c.deleted, c.written/c.made, c.dir, true
			}
			small := s.thrown && !s.counted || s.counted && s.size <= smallFile.Value && (s.thrown || s.deleted >= thrownShare.Value*s.made && s.throws())
			if small && syncs[p.PID] < keptFiles.Value*s.made {
				list = append(list, s)
			}
		}
		return list
	})
}

// throws says that some of what it writes is deleted before it reaches a disk: the files
// that it deletes are those that it makes, and they are not on a tmpfs.
func (s *scratcher) throws() bool {
	return s.Cancelled > 0 && s.Cancelled >= thrownProof.Value*s.WriteBytes
}

// creating is how many threads of each process wait for disks to create, write or delete
// files, on average.
func creating(v *view.View) map[int32]float64 {
	waits := map[int32]float64{}
	for _, b := range v.Blocked() {
		if view.DiskWait(b.Where, b.Stack) && slices.ContainsFunc(append(strings.Split(b.Stack, ";"), b.Where), creates) {
			waits[b.PID] += b.Share()
		}
	}
	return waits
}

// creates says whether a frame of a kernel stack is in a function that creates, writes or
// deletes a file. A sync waits in others: jbd2_log_wait_commit.
func creates(frame string) bool {
	name, _, _ := strings.Cut(strings.TrimSpace(frame), "+")
	switch name {
	case "jbd2__journal_start", "jbd2_journal_get_write_access", "jbd2_journal_get_create_access", "start_this_handle", "wait_transaction_locked", "add_transaction_credits",
		"ext4_create", "ext4_mkdir", "ext4_unlink", "xfs_create", "xfs_generic_create", "xfs_remove", "btrfs_create", "f2fs_create", "vfs_unlink",
		"balance_dirty_pages", "balance_dirty_pages_ratelimited", "balance_dirty_pages_ratelimited_flags":
		return true
	}
	return false
}

// churned is what a program makes and deletes, per second.
type churned struct {
	made, deleted, written float64
	dir                    string
	inDir                  float64 // of made, in dir
}

// churn sums up the files on disks that programs make, where calls were counted.
func churn(v *view.View) map[int32]churned {
	sums, elsewhere, nowhere := map[int32]churned{}, map[int32]float64{}, map[int32]float64{}
	dirs := map[int32]map[string]float64{}
	uses := v.FileUses()
	for i := range uses {
		u := &uses[i]
		if p, ok := v.Process(u.PID); ok && !p.Is(u.PID, u.Started) {
			continue
		}
		switch {
		case u.Span <= 0 || u.Created+u.Deleted == 0:
			continue
		case u.Device == "" && u.Created == 0: // a deletion tells no device
			nowhere[u.PID] += u.PerSecond(u.Deleted)
			continue
		case v.InMemory(u.Path, u.Device) || v.FilesystemType(u.Device) == "":
			elsewhere[u.PID] += u.PerSecond(u.Created)
			continue
		}
		c := sums[u.PID]
		c.made += u.PerSecond(u.Created)
		c.deleted += u.PerSecond(u.Deleted)
		c.written += u.PerSecond(u.WrittenBytes)
		if u.Created > 0 && u.Path != "" {
			// A directory for each request: the one above is the same.
			for _, dir := range []string{path.Dir(u.Path), path.Dir(path.Dir(u.Path))} {
				if dirs[u.PID] == nil {
					dirs[u.PID] = map[string]float64{}
				}
				dirs[u.PID][dir] += u.PerSecond(u.Created)
				if n := dirs[u.PID][dir]; dir != "/" && (n > c.inDir || n == c.inDir && len(dir) > len(c.dir)) {
					c.dir, c.inDir = dir, n
				}
			}
		}
		sums[u.PID] = c
	}
	for pid, c := range sums {
		if c.made > 0 {
			c.deleted += nowhere[pid] * c.made / (c.made + elsewhere[pid])
		}
		if c.inDir < c.made/2 {
			c.dir = ""
		}
		sums[pid] = c
	}
	return sums
}

func (s *scratcher) judge() (rule.Finding, bool) {
	// Not more than the files can cost: the kernel does other work for it, too.
	kernel := min(s.System, s.made*fileCost.Value)
	lost := kernel + s.waits
	f := rule.Finding{Subject: s.Entity(), Confidence: rule.Possible, Impact: rule.Impact{TimeLost: lost,
		Text: rule.T("%v s per second of CPU time in the kernel", unit.Number(kernel))}}
	if s.waits > 0 {
		f.Impact.Text = rule.T("%v s per second of CPU time in the kernel, and %v threads wait to create or write files", unit.Number(kernel), unit.Number(s.waits))
	}
	switch {
	case !(lost >= scratchFelt.Value):
		return f, false
	case kernel >= scratchMuch.Value && s.counted:
		f.Confidence = rule.Certain
	case lost >= scratchMuch.Value:
		f.Confidence = rule.Likely // by bytes: the files were not seen
	}
	check := shell.Line("rtrail trace files -p %d --for 10s", s.PID)
	if !s.counted {
		f.Headline = rule.T("%s (%d) writes pieces of %v to files and deletes or overwrites these at once: %v/s of %v/s never reach a disk", s.Comm, s.PID,
			unit.Bytes(s.WriteChars/s.WriteCalls), unit.Bytes(s.Cancelled), unit.Bytes(s.WriteBytes))
	} else {
		where := ""
		if s.dir != "" {
			where = " in " + s.dir
		}
		f.Headline = rule.T("%s (%d) creates %v small files a second%s and throws them away", s.Comm, s.PID, unit.Count(s.made), where)
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.FileChurn, Value: s.made, Limit: rule.Limit(scratchFiles.Value), Check: check,
			What: rule.T("%v files are created and %v deleted a second, with %v written for each", unit.Count(s.made), unit.Count(s.deleted), unit.Bytes(s.size))})
	}
	thrown := rule.Evidence{Metric: metric.ProcessCancelled, Value: s.Cancelled, Check: shell.Line("pidstat -d -p %d 1   # kB_ccwr/s", s.PID),
		What: rule.T("of %v/s that it writes, %v/s are thrown away before they reach a disk", unit.Bytes(s.WriteBytes), unit.Bytes(s.Cancelled))}
	if s.thrown {
		thrown.Limit = rule.Limit(thrownRate.Value)
	}
	f.Evidence = append(f.Evidence, thrown)
	if s.WriteCalls > 0 {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.ProcessWriteCalls, Value: s.WriteCalls, Check: check,
			What: rule.T("%v write calls a second, of %v on average", unit.Count(s.WriteCalls), unit.Bytes(s.WriteChars/s.WriteCalls))})
	}
	f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.ProcessCPUSystem, Value: s.System, Check: shell.Line("pidstat -u -p %d 1", s.PID),
		What: rule.T("it uses %v of a CPU in the kernel in total, at most %v for these files", unit.Share(s.System), unit.Share(kernel))})
	f.Fixes = []rule.Fix{
		{Text: rule.T("keep intermediate data in memory, or write one file instead of many"), Tradeoff: "memory, and a change of the program"},
		{Text: rule.T("have the program use a tmpfs such as /dev/shm for its temporary files (TMPDIR)"), Command: shell.Line("df -h /dev/shm"), Tradeoff: "memory; the calls themselves stay"},
	}
	return f, true
}
