package view

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"rtrail/internal/recording"
)

// OpenFile is a path that a process had open while it moved much data, and how far its
// position moved there. A log that is rotated is one path, and several files.
type OpenFile struct {
	Last  recording.OpenFile // the last row
	Moved float64            // bytes that positions went forward
	// PerSecond is Moved by the time in which files of the process were looked at; Unknown
	// if they were so only once.
	PerSecond float64
	Grown     float64 // bytes that the file became larger between the first and the last row, whoever wrote them
	Seconds   float64 // time in which files of the process were looked at, or did not change
	Again     bool    // it was seen at two looks or more
	Readable  bool    // at least one descriptor is open for reading
	Writable  bool    // the same, for writing
	// Replaced says that another file took its name between two looks, or that it was cut: what
	// was written into the old one since the look before is not in Moved.
	Replaced bool
	Late     bool   // it was not open yet at the first look that lists all files of the process, or at the first look of all
	lacking  uint32 // flags that some row is without
}

// accessMode is O_ACCMODE, and the values that it masks.
const (
	accessMode = 3
	readOnly   = 0
	writeOnly  = 1
)

// Direct says whether it is read and written past the page cache (O_DIRECT) by all of its
// descriptors, on a machine of an architecture, as the manifest names it.
func (f *OpenFile) Direct(arch string) bool {
	flag := uint32(0o40000) // asm-generic
	switch {
	case strings.HasPrefix(arch, "ppc"):
		flag = 0o400000
	case strings.HasPrefix(arch, "arm"), arch == "aarch64":
		flag = 0o200000
	}
	return f.lacking&flag == 0
}

// Append says whether every write goes to the end of the file.
func (f *OpenFile) Append() bool {
	const append = 0o2000 // O_APPEND of all architectures that rtrail is built for
	return f.Last.Flags&append != 0
}

// OpenFiles lists what processes that move much data have open, the fastest first.
func (v *View) OpenFiles() []OpenFile {
	return Memo(v, "open files", func() []OpenFile { return openFiles(Rows[recording.OpenFile](v), v.end) })
}

// OpenFilesKnown says whether rows tell all files that a process had open at one look. A
// descriptor has rows at its first two looks and then when it changes: of a process with
// many files, and in older recordings, a window that begins later lacks those that do not.
func (v *View) OpenFilesKnown(p Process) bool {
	whole := Memo(v, "open files that are known", func() map[int32]time.Time {
		return wholeLooks(Rows[recording.OpenFile](v), func(r *recording.OpenFile) int32 { return r.PID })
	})
	if !whole[p.PID].IsZero() {
		return true
	}
	const starts, looks = 3 * time.Second, time.Second // until the first sample, and the second one
	first, _ := span(v.rec)
	started := v.Manifest().Started
	return v.start.Sub(first) <= looks && (started.IsZero() || v.start.Sub(started) <= starts)
}

// wholeLooks is when all files of each process had rows first.
func wholeLooks[K comparable](rows []recording.OpenFile, process func(*recording.OpenFile) K) map[K]time.Time {
	at := map[K]time.Time{}
	for i := range rows {
		if r := &rows[i]; r.Whole && (at[process(r)].IsZero() || r.At.Before(at[process(r)])) {
			at[process(r)] = r.At
		}
	}
	return at
}

// idleAfter is how long a process that moves data may have no row: looks are up to two
// seconds apart.
const idleAfter = 3 * time.Second

// openFiles sums up rows of a window that ends then.
func openFiles(rows []recording.OpenFile, end time.Time) []OpenFile {
	type process struct {
		pid     int32
		started time.Time
	}
	type file struct {
		process
		path, device string
	}
	type descriptor struct {
		process
		fd    int32
		inode uint64
	}
	type move struct {
		at    time.Time
		bytes float64
	}
	first, last := map[process]time.Time{}, map[process]time.Time{}
	whole := wholeLooks(rows, func(r *recording.OpenFile) process { return process{r.PID, r.Started} })
	before := map[descriptor]int64{}
	moves := map[descriptor]move{} // without number: of all descriptors of a file
	sizes := map[descriptor]int64{}
	at := map[file]int{}
	var list []OpenFile
	var seen []time.Time // when each was seen first
	for i := range rows {
		r := &rows[i]
		p := process{r.PID, r.Started}
		d := descriptor{p, r.FD, r.Inode}
		position, known := before[d]
		before[d] = r.Position
		if first[p].IsZero() {
			first[p] = r.At
		}
		last[p] = r.At
		k := file{p, r.Path, r.Device}
		n, ok := at[k]
		if !ok {
			n = len(list)
			at[k] = n
			list = append(list, OpenFile{Late: r.At.After(first[p]) && r.At.After(whole[p])})
			seen = append(seen, r.At)
		}
		f := &list[n]
		f.Again = f.Again || r.At.After(seen[n])
		moved := 0.0
		switch {
		case known && r.Position >= position:
			moved = float64(r.Position - position)
		case known || ok && r.Inode != f.Last.Inode && r.Position <= r.Size:
			// It was cut, or is another file under the name of one that was seen: all of it is new.
			moved, f.Replaced = float64(r.Position), true
		}
		f.Last = *r
		mode := r.Flags & accessMode
		f.Readable, f.Writable = f.Readable || mode != writeOnly, f.Writable || mode != readOnly
		f.lacking |= ^r.Flags
		// Descriptors of one file may share its position: what moved furthest counts.
		d.fd = 0
		m := moves[d]
		if !m.at.Equal(r.At) {
			m = move{at: r.At}
		}
		f.Moved += max(moved-m.bytes, 0)
		if size, ok := sizes[d]; ok {
			f.Grown += float64(r.Size - size)
		}
		sizes[d] = r.Size
		m.bytes = max(moved, m.bytes)
		moves[d] = m
	}
	for i := range list {
		f := &list[i]
		p := process{f.Last.PID, f.Last.Started}
		f.PerSecond = Unknown
		until := last[p]
		if until.After(first[p]) && end.Sub(until) > idleAfter { // nothing has changed since then
			until = end
		}
		if f.Seconds = until.Sub(first[p]).Seconds(); f.Seconds > 0 {
			f.PerSecond = f.Moved / f.Seconds
		}
	}
	slices.SortStableFunc(list, func(a, b OpenFile) int {
		return cmp.Or(cmp.Compare(OrZero(b.PerSecond), OrZero(a.PerSecond)), cmp.Compare(a.Last.PID, b.Last.PID), cmp.Compare(a.Last.Path, b.Last.Path))
	})
	return list
}
