package view

import (
	"cmp"
	"slices"
	"time"

	"rtrail/internal/recording"
)

// Sync is how one process waited until data of one file was on the disk.
type Sync struct {
	PID     int32
	Started time.Time
	Process string
	Call    string // fsync, fdatasync and others
	Path    string // of the file, in the mount namespace of the process; "" if not known
	Device  string // number of its filesystem: "8:1"; "" without a file

	Calls     int64
	PerSecond float64
	Errors    int64
	Time      time.Duration
	Mean      float64       // threads that waited so at a time
	Longest   time.Duration // of Sliced calls only the part in a slice
	Sliced    bool          // some were counted in slices of the time
	Steps     Steps
}

// Average is how long a call took.
func (s *Sync) Average() time.Duration { return s.Time / time.Duration(max(s.Calls, 1)) }

// AtMost is what a share of the calls did not take longer than: the end of the step that holds it.
// Of calls in slices only those have steps that began and ended in one: it is at least the average.
func (s *Sync) AtMost(share float64) time.Duration {
	if s.Sliced {
		return max(s.Steps.AtMost(share), s.Average())
	}
	return min(s.Steps.AtMost(share), s.Longest)
}

// Syncs sums up the calls of each process, the most time first: what the kernel told of the
// window as far as it was traced.
func (v *View) Syncs() []Sync {
	return Memo(v, "syncs", func() []Sync { return SumSyncs(Rows[recording.SyncSum](v), v.watched("sync")) })
}

// SumSyncs sums up rows of one or more readings, of a source that counted
// for so long; 0: that is not known.
func SumSyncs(rows []recording.SyncSum, watched time.Duration) []Sync {
	all := traced(rows, watched, func(r *recording.SyncSum) (span, traced time.Duration) { return r.Span, r.Traced })
	type same struct {
		pid                int32
		started            time.Time
		call, path, device string
	}
	at := map[same]int{}
	var list []Sync
	for i := range rows {
		r := &rows[i]
		factor := all.factor(r.Span, r.Traced)
		k := same{r.PID, r.Started, r.Call, r.Path, r.Device}
		n, ok := at[k]
		if !ok {
			n = len(list)
			at[k] = n
			list = append(list, Sync{PID: r.PID, Started: r.Started, Process: r.Process, Call: r.Call, Path: r.Path, Device: r.Device})
		}
		s := &list[n]
		s.Calls += scaled(r.Calls, factor)
		s.Errors += scaled(r.Errors, factor)
		s.Time += scaled(r.Time, factor)
		s.Longest = max(s.Longest, r.Longest)
		s.Sliced = s.Sliced || inSlices(r.Span, r.Traced)
		s.Steps.add(r.Histogram, factor)
	}
	span := all.span.Seconds()
	for i := range list {
		if span > 0 {
			list[i].Mean, list[i].PerSecond = list[i].Time.Seconds()/span, float64(list[i].Calls)/span
		}
	}
	slices.SortStableFunc(list, func(a, b Sync) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.PID, b.PID), cmp.Compare(a.Call, b.Call), cmp.Compare(a.Path, b.Path))
	})
	return list
}
