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
	rate float64 // bytes per second
	size bool    // rate is that of its size; else of what is written to it
}

type growing []growingFile

// growingFiles lists the files of a filesystem that explain how it grows, the fastest first.
func growingFiles(v *view.View, fs view.Filesystem, growth float64) (list growing) {
	for _, f := range v.FileIO() {
		if f.Device != deviceNumber(fs) {
			continue
		}
		g := growingFile{FileIO: f, rate: f.Grown, size: true}
		if !f.Open { // its size was not seen
			g.rate, g.size = f.Written, false
		}
		if growth > 0 && g.rate > 0 && g.rate >= fileShare.Value*growth {
			list = append(list, g)
		}
	}
	slices.SortStableFunc(list, func(a, b growingFile) int { return cmp.Compare(b.rate, a.rate) })
	return list[:min(len(list), mentioned)]
}

func deviceNumber(fs view.Filesystem) string { return fmt.Sprintf("%d:%d", fs.Major, fs.Minor) }

func (list growing) evidence() []rule.Evidence {
	var out []rule.Evidence
	for i := range list {
		g := &list[i]
		what := rule.T("%s grows by %v/s, written by %s (%d)%s", g.Path, unit.Bytes(g.rate), g.Process.Comm, g.Process.PID, by(g.WriteCall, g.Writes))
		if !g.size {
			what = rule.T("%s (%d) writes %v/s to %s%s", g.Process.Comm, g.Process.PID, unit.Bytes(g.rate), g.Path, by(g.WriteCall, g.Writes))
		}
		out = append(out, rule.Evidence{Metric: metric.FileGrowth, Value: g.rate, Check: shell.Line("rtrail trace files -p %d --for 10s", g.Process.PID), What: what})
	}
	return out
}

// heldEvidence names deleted files that a process still has open.
func heldEvidence(v *view.View, fs view.Filesystem) []rule.Evidence {
	var out []rule.Evidence
	for _, f := range v.FileIO() {
		if f.Device != deviceNumber(fs) || !f.Open || !f.Deleted() || float64(f.Size) < heldSize.Value*float64(fs.Size) || len(out) == mentioned {
			continue
		}
		out = append(out, rule.Evidence{Metric: metric.FilesystemAvailable, Value: float64(f.Size), Check: shell.Line("lsof +L1 -p %d", f.Process.PID),
			What: rule.T("%s (%d) still has %s open, which is deleted: its %v are free when it closes it", f.Process.Comm, f.Process.PID,
				strings.TrimSuffix(f.Path, " (deleted)"), unit.Bytes(float64(f.Size)))})
	}
	return out
}
