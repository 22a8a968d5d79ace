package disk

import (
	"golang.org/x/sys/unix"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var inodesFull = rule.Rule{
	ID:         "disk/inodes-full",
	Title:      "a filesystem has no inodes left",
	Plural:     "filesystems have no inodes left",
	Resource:   "filesystem inodes",
	Needs:      []recording.Table{recording.Mounts},
	Columns:    []string{"mounts.inodes", "mounts.inodes_free", "mounts.size_bytes", "mounts.available_bytes", "mounts.read_only", "mounts.fs_type"},
	Levels:     true,
	Thresholds: []*rule.Threshold{&soonFull, &soonUsed, &laterFull, &laterUsed, &almostUsed},
	Detect:     detectInodesFull,
}

// dynamicInodes are filesystems that make inodes from free space: without
// space they report no inodes, and the space is what is missing.
var dynamicInodes = map[string]bool{"xfs": true, "btrfs": true, "zfs": true, "f2fs": true, "bcachefs": true}

func detectInodesFull(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, fs := range v.Filesystems() {
		if fs.Inodes <= 0 || dynamicInodes[fs.FSType] && fs.Available <= 0 {
			continue
		}
		s := spaceOf(fs, func(m recording.MountSample) int64 { return m.InodesFree })
		s.total = float64(fs.Inodes)
		none := 0
		for _, m := range fs.Samples {
			if m.InodesFree <= 0 {
				none++
			}
		}
		refused := refusedCreates(v)
		felt := s.changed || len(refused) > 0
		f := rule.Finding{Subject: filesystemSubject(fs)}
		switch {
		case none > 0 && felt:
			// Inodes have no reserve for root: whoever creates a file fails.
			f.Confidence = rule.Certain
		case none > 0:
			f.Confidence = rule.Likely
		case s.until() <= soonFull.Value && s.used() >= soonUsed.Value:
			f.Confidence = rule.Likely
		case s.until() <= laterFull.Value && s.used() >= laterUsed.Value, s.used() >= almostUsed.Value:
			f.Confidence = rule.Possible
		default:
			continue
		}
		f.Headline, f.Impact = inodeWords(fs, s, none > 0, felt)
		f.Evidence = inodeEvidence(fs, s, none)
		if none > 0 {
			f.Evidence = append(f.Evidence, refusedEvidence(v, refused)...)
		}
		f.Fixes = inodeFixes(fs)
		found = append(found, f)
	}
	return found, nil
}

// inodeWords are the headline and the impact. felt: somebody uses the filesystem, or fails to
// create a file.
func inodeWords(fs view.Filesystem, s space, none, felt bool) (rule.Text, rule.Impact) {
	if none {
		impact := rule.Impact{Share: 1, Text: rule.T("every file that must be created")}
		if !felt {
			impact = rule.Impact{Share: 0.1, Text: rule.T("nothing yet: nobody is seen to create files")}
		}
		return rule.T("filesystem %s has no inodes left: creating a file fails with ENOSPC although %s are free", fs.MountPoint, unit.Bytes(fs.Available)), impact
	}
	if left := s.until(); left <= laterFull.Value {
		return rule.T("filesystem %s runs out of inodes: %s left, at this rate none in %s", fs.MountPoint, unit.Count(s.left), unit.Seconds(left)),
			rule.Impact{Share: s.used() / 2, Text: rule.T("nothing yet")}
	}
	return rule.T("filesystem %s has almost no inodes left: %s of %s", fs.MountPoint, unit.Count(s.left), unit.Count(s.total)),
		rule.Impact{Share: 0.1, Text: rule.T("nothing yet")}
}

func inodeEvidence(fs view.Filesystem, s space, none int) []rule.Evidence {
	check := shell.Line("df -i %s", shell.Path(fs.MountPoint))
	free := rule.T("%s of %s inodes free", unit.Count(s.left), unit.Count(s.total))
	if none > 0 {
		free = rule.T("%s of %s inodes free in %d of %d samples", unit.Count(s.left), unit.Count(s.total), none, len(fs.Samples))
	}
	list := []rule.Evidence{
		{Metric: metric.FilesystemInodesFree, What: free, Value: s.left, Limit: rule.Limit(0), Check: check},
		{
			Metric: metric.FilesystemAvailable, What: rule.T("%s of %s available: there is enough space", unit.Bytes(fs.Available), unit.Bytes(fs.Size)),
			Value: float64(fs.Available), Check: shell.Line("df -B1 %s", shell.Path(fs.MountPoint)),
		},
	}
	if fs.Available <= 0 {
		list[1].What = rule.T("%s of %s available: space is missing too", unit.Bytes(fs.Available), unit.Bytes(fs.Size))
	}
	if s.growth > 0 {
		list = append(list, rule.Evidence{
			Metric: metric.FilesystemInodeGrowth, What: rule.T("the number of files grew by %s in the window", unit.PerSecond(s.growth)),
			Value: s.growth, Check: shell.Line("watch -d %s", shell.Script(check)),
		})
	}
	return list
}

// creatingCalls are the system calls that may need a new inode.
var creatingCalls = map[string]bool{"open": true, "openat": true, "openat2": true, "creat": true, "mkdir": true, "mkdirat": true,
	"mknod": true, "mknodat": true, "symlink": true, "symlinkat": true}

// refusedCreates sums up the calls of each process that should have created a file and failed with
// ENOSPC, where system calls were counted. They do not tell the filesystem.
func refusedCreates(v *view.View) []view.Syscall {
	return view.Memo(v, "disk/refused-creates", func() []view.Syscall {
		var rows []recording.SyscallSum
		for _, r := range view.Rows[recording.SyscallSum](v) {
			if r.Error == int32(unix.ENOSPC) && creatingCalls[r.Call] {
				rows = append(rows, r)
			}
		}
		return view.SumSyscalls(rows, 0)
	})
}

func refusedEvidence(v *view.View, refused []view.Syscall) []rule.Evidence {
	var list []rule.Evidence
	for i := range refused[:min(len(refused), mentioned)] {
		c := &refused[i]
		list = append(list, rule.Evidence{
			Metric: metric.ProcessCalls, Value: float64(c.Calls) / v.Seconds(), Limit: rule.Limit(0), Check: shell.Line("rtrail trace syscalls -p %d --for 10s", c.PID),
			What: rule.T("%s of %s (%d) to %s failed with ENOSPC, on this or another filesystem", unit.Plural(c.Calls, "call", "calls"), c.Process, c.PID, c.Call),
		})
	}
	return list
}

func inodeFixes(fs view.Filesystem) []rule.Fix {
	return []rule.Fix{
		{
			Text:     rule.T("find the directories with the most files, and delete or move the small ones: sessions, caches, mail queues"),
			Command:  shell.Line("du -x --inodes --max-depth=3 %s | sort -n | tail -20", shell.Path(fs.MountPoint)),
			Tradeoff: "du reads every directory once",
		},
		{
			Text:     rule.T("recreate the filesystem with more inodes (mkfs.ext4 -i 4096), or as XFS, which allocates them when needed"),
			Tradeoff: "data must be moved; ext4 fixes the number of inodes at mkfs",
		},
	}
}
