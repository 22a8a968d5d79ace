package disk

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rtrail/internal/metric"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var heldSize = rule.Threshold{Name: "held-size", Value: 0.05, Unit: "share", Source: rule.Judgement,
	Reason: "Size of a deleted file that is still open, relative to the filesystem. Smaller ones do not fill it; programs keep temporary files this way on purpose."}

// growingFile is a file that takes space of a filesystem in the window.
type growingFile struct {
	view.FileIO
	writers []view.Process // one of them, if there are several: an inherited descriptor shares its position
	rate    float64        // bytes per second
	size    bool           // rate is that of its size; else of what is written to it
}

type growing []growingFile

// growingFiles lists the files of a filesystem that explain how it grows, the fastest first.
func growingFiles(v *view.View, fs view.Filesystem, growth float64) (list growing) {
	for _, f := range v.FileIO() {
		if f.Device != deviceNumber(fs) || !f.Writable {
			continue
		}
		g := growingFile{FileIO: f, writers: []view.Process{f.Process}, rate: f.Grown, size: true}
		if !view.Known(f.Grown) {
			g.rate, g.size = f.Written, false
			if f.Sliced && !f.Lasting {
				continue // how much of it is chance is not known
			}
		}
		if !(growth > 0 && g.rate > 0 && g.rate >= fileShare.Value*growth) {
			continue
		}
		n := slices.IndexFunc(list, g.is)
		switch {
		case n < 0:
			list = append(list, g)
		case g.Counted == list[n].Counted:
			list[n].writers = append(list[n].writers, f.Process)
			list[n].rate = max(list[n].rate, g.rate)
		case g.Counted: // calls tell who it is
			list[n] = g
		}
	}
	slices.SortStableFunc(list, func(a, b growingFile) int { return cmp.Compare(b.rate, a.rate) })
	return list[:min(len(list), mentioned)]
}

// is says whether two processes mean the same file of a filesystem. Calls tell no inode, and
// each container has a tree of names of its own.
func (g *growingFile) is(other growingFile) bool {
	if g.Inode != 0 && other.Inode != 0 {
		return g.Inode == other.Inode
	}
	return g.Path == other.Path && g.Process.Cgroup == other.Process.Cgroup
}

func deviceNumber(fs view.Filesystem) string { return fmt.Sprintf("%d:%d", fs.Major, fs.Minor) }

func (list growing) evidence() []rule.Evidence {
	var out []rule.Evidence
	for i := range list {
		g := &list[i]
		who := anyOf(g.writers, "or")
		what := rule.T("%s grows by %v/s, written by %s%s", g.Path, unit.Bytes(g.rate), who, by(g.WriteCall, g.Writes))
		if !g.size {
			what = rule.T("%s writes %v/s to %s%s", who, unit.Bytes(g.rate), g.Path, by(g.WriteCall, g.Writes))
		}
		out = append(out, rule.Evidence{Metric: metric.FileGrowth, Value: g.rate, Check: shell.Line("rtrail trace files -p %d --for 10s", g.Process.PID), What: what})
	}
	return out
}

// anyOf names some processes: "app (5), app (7) or 3 others".
func anyOf(list []view.Process, word string) string {
	var names []string
	for i, p := range list {
		if more := len(list) - i; i == mentioned-1 && more > 1 {
			names = append(names, unit.Plural(more, "other", "others"))
			break
		}
		names = append(names, fmt.Sprintf("%s (%d)", p.Comm, p.PID))
	}
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " " + word + " " + names[last]
}

// heldFile is a deleted file that takes space as long as somebody has it open.
type heldFile struct {
	view.FileIO
	holders []view.Process
}

// heldEvidence names deleted files that processes still have open.
func heldEvidence(v *view.View, fs view.Filesystem) []rule.Evidence {
	var list []heldFile
	at := map[uint64]int{}
	for _, f := range v.FileIO() {
		if f.Device != deviceNumber(fs) || !f.Open || !f.Deleted() || float64(f.Size) < heldSize.Value*float64(fs.Size) {
			continue
		}
		n, ok := at[f.Inode]
		if !ok {
			n = len(list)
			at[f.Inode] = n
			list = append(list, heldFile{FileIO: f})
		}
		list[n].holders = append(list[n].holders, f.Process)
	}
	slices.SortStableFunc(list, func(a, b heldFile) int { return cmp.Compare(b.Size, a.Size) })
	var out []rule.Evidence
	for i := range list[:min(len(list), mentioned)] {
		f := &list[i]
		have := "has"
		if len(f.holders) > 1 {
			have = "have"
		}
		out = append(out, rule.Evidence{Metric: metric.FileHeld, Value: float64(f.Size), Check: shell.Line("lsof +L1 -p %d", f.Process.PID),
			What: rule.T("%s still %s %s open, which is deleted: closing it frees up to %v", anyOf(f.holders, "and"), have,
				strings.TrimSuffix(f.Path, " (deleted)"), unit.Bytes(float64(f.Size)))})
	}
	return out
}
