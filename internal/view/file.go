package view

import (
	"cmp"
	"slices"
	"time"

	"rtrail/internal/recording"
)

// FileUse is what one process did with one file.
type FileUse struct {
	PID     int32
	Started time.Time
	Process string
	Kind    string // of recording.FileSum
	Path    string // in the mount namespace of the process; "" if not known
	Device  string // number of its filesystem: "8:1"; "" without a file
	Size    int64  // the largest that was seen, bytes
	Grown   int64  // bytes that it is larger at the last reading than at the first

	Reads, ReadBytes, Writes, WrittenBytes int64
	SmallWrites, SmallBytes                int64 // writes of less than 4 KiB
	DirectRead, DirectWritten              int64 // bytes past the page cache
	Opens, FailedOpens, Created, Deleted   int64
	ReadCall, WriteCall                    string // system calls that read and wrote last; "" if not known

	Sliced  bool          // some was counted in slices of the time: sums are scaled, and of files that are used briefly as much as chance has it
	Between time.Duration // the first and the last reading; 0: there was one
	Span    time.Duration // how long files were watched, whatever process used them
}

// PerSecond is a count of the use by the time that files were watched; Unknown if none was.
func (f *FileUse) PerSecond(n int64) float64 {
	if f.Span <= 0 {
		return Unknown
	}
	return float64(n) / f.Span.Seconds()
}

// FileUses sums up what each process did with each file, most bytes first: what the
// kernel told of the window as far as it was traced.
func (v *View) FileUses() []FileUse {
	return Memo(v, "file uses", func() []FileUse { return SumFiles(Rows[recording.FileSum](v), v.watched("files")) })
}

// SumFiles sums up rows of one or more readings, of a source that counted
// for so long; 0: that is not known.
func SumFiles(rows []recording.FileSum, watched time.Duration) []FileUse {
	all := traced(rows, watched, func(r *recording.FileSum) (span, traced time.Duration) { return r.Span, r.Traced })
	type same struct {
		pid                int32
		started            time.Time
		kind, path, device string
	}
	type name struct {
		pid     int32
		started time.Time
		path    string
	}
	at, named := map[same]int{}, map[name]int{}
	var list []FileUse
	var first []*recording.FileSum // of each, that tells its size
	for i := range rows {
		r := &rows[i]
		factor := all.factor(r.Span, r.Traced)
		k := same{r.PID, r.Started, r.Kind, r.Path, r.Device}
		n, ok := at[k]
		if !ok && r.Device == "" && r.Path != "" { // a deletion tells no device
			n, ok = named[name{r.PID, r.Started, r.Path}]
		}
		if !ok {
			n = len(list)
			at[k], named[name{r.PID, r.Started, r.Path}] = n, n
			list = append(list, FileUse{PID: r.PID, Started: r.Started, Kind: r.Kind, Path: r.Path, Device: r.Device})
			first = append(first, nil)
		}
		f := &list[n]
		switch before := first[n]; {
		case r.Device == "": // a deletion tells no size
		case before == nil:
			first[n] = r
		case r.At.After(before.At):
			f.Grown, f.Between = r.Size-before.Size, r.At.Sub(before.At)
		}
		f.Process = r.Process
		f.Sliced = f.Sliced || inSlices(r.Span, r.Traced)
		f.Size = max(f.Size, r.Size)
		f.ReadCall, f.WriteCall = cmp.Or(r.ReadCall, f.ReadCall), cmp.Or(r.WriteCall, f.WriteCall)
		f.Reads += scaled(r.Reads, factor)
		f.ReadBytes += scaled(r.ReadBytes, factor)
		f.Writes += scaled(r.Writes, factor)
		f.WrittenBytes += scaled(r.WrittenBytes, factor)
		f.SmallWrites += scaled(r.SmallWrites, factor)
		f.SmallBytes += scaled(r.SmallBytes, factor)
		f.DirectRead += scaled(r.DirectRead, factor)
		f.DirectWritten += scaled(r.DirectWritten, factor)
		f.Opens += scaled(r.Opens, factor)
		f.FailedOpens += scaled(r.FailedOpens, factor)
		f.Created += scaled(r.Created, factor)
		f.Deleted += scaled(r.Deleted, factor)
	}
	span := all.span
	last := map[ProcessKey]*recording.FileSum{} // a process may rename itself
	for i := range rows {
		k := ProcessKey{rows[i].PID, rows[i].Started.UnixNano()}
		if have := last[k]; have == nil || !rows[i].At.Before(have.At) && (rows[i].Kind != recording.FileNone || have.Kind == recording.FileNone) {
			last[k] = &rows[i]
		}
	}
	for i := range list {
		list[i].Span = span
		list[i].Process = last[ProcessKey{list[i].PID, list[i].Started.UnixNano()}].Process
	}
	slices.SortStableFunc(list, func(a, b FileUse) int {
		return cmp.Or(cmp.Compare(b.ReadBytes+b.WrittenBytes, a.ReadBytes+a.WrittenBytes), cmp.Compare(b.Opens+b.FailedOpens+b.Deleted, a.Opens+a.FailedOpens+a.Deleted),
			cmp.Compare(a.PID, b.PID), cmp.Compare(a.Path, b.Path))
	})
	return list
}
