package view

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"rtrail/internal/recording"
)

// FileIO is what one process does with one file on a disk, as far as evidence tells: by
// calls that the kernel counted, or positions of open files, and by threads that were seen
// waiting in a call of it.
type FileIO struct {
	Process Process
	Path    string // in the mount namespace of the process; " (deleted)" at the end: it has no name any more
	Device  string // number of its filesystem, of a block device its own
	Inode   uint64 // 0: not known
	Disk    string // where it lies

	Read, Written       float64 // bytes per second by calls, from and to the page cache or past it
	Reads, Writes       float64 // calls per second; Unknown unless Counted
	ReadCall, WriteCall string  // system calls; "" if not known
	Counted             bool    // by calls; else by positions
	Sliced              bool    // rates are scaled from slices of the time
	Lasting             bool    // it was used in several readings, or open at several looks: it is not by chance that slices met it
	Direct              float64 // of Read and Written, bytes past the page cache

	Waiting    float64 // threads in state D in a call of it, mean
	WaitCall   string  // the call that most of them were in
	Sync       Sync    // the kind of sync that takes most time; no calls: none was seen
	Grown      float64 // bytes per second that it became larger between the first and the last look; Unknown: it was looked at once
	Size       int64   // bytes, as was told last; 0 of block devices
	Open       bool    // its descriptor was seen
	Readable   bool    // it is, or was, open for reading
	Writable   bool    // the same, for writing
	DirectFlag bool    // it is open with O_DIRECT, by all of its descriptors
	Late       bool    // it was not there yet when files of the process were looked at first
	Moved      float64 // bytes per second that positions went forward; Unknown: not seen
	Standard   bool    // as one of standard input, output and error
}

// Bytes is what is read and written, per second.
func (f *FileIO) Bytes() float64 { return f.Read + f.Written }

// Deleted says whether the file has no name any more.
func (f *FileIO) Deleted() bool { return strings.HasSuffix(f.Path, " (deleted)") }

// FileIO lists what programs do with files that lie on disks, most bytes first. Files on
// filesystems without a disk that can be told are left out.
func (v *View) FileIO() []FileIO { return v.fileTable().list }

func (v *View) fileTable() *fileTable {
	return Memo(v, "file io", func() *fileTable {
		t := &fileTable{view: v, at: map[fileKey]int{}, unplaced: map[int32]Unplaced{}}
		t.addCounted()
		t.addOpen()
		t.addWaits()
		t.addSyncs()
		// Entries are large: their order is found first.
		order := make([]*FileIO, len(t.list))
		for i := range t.list {
			order[i] = &t.list[i]
		}
		slices.SortStableFunc(order, func(a, b *FileIO) int {
			return cmp.Or(cmp.Compare(b.Bytes(), a.Bytes()), cmp.Compare(b.Waiting, a.Waiting), cmp.Compare(a.Process.PID, b.Process.PID), cmp.Compare(a.Path, b.Path))
		})
		list := make([]FileIO, len(order))
		for i, f := range order {
			list[i] = *f
		}
		t.list = list
		return t
	})
}

type fileKey struct {
	pid          int32
	path, device string
}

// fileTable joins what several tables tell of files.
type fileTable struct {
	view *View
	at   map[fileKey]int
	list []FileIO

	unplaced map[int32]Unplaced // by process
}

// of is the entry of a file; nil if its process or disk is not known, or judged by nobody.
func (t *fileTable) of(pid int32, started time.Time, path, device string) *FileIO {
	p, ok := t.view.ProcessThat(pid, started)
	if !ok {
		return nil
	}
	k := fileKey{pid, path, device}
	if i, ok := t.at[k]; ok {
		return &t.list[i]
	}
	disk := t.view.DeviceOf(device)
	if p.Own || p.Kernel || path == "" || disk == "" {
		return nil
	}
	t.at[k] = len(t.list)
	t.list = append(t.list, FileIO{Process: p, Path: path, Device: device, Disk: disk, Reads: Unknown, Writes: Unknown, Grown: Unknown, Moved: Unknown})
	return &t.list[len(t.list)-1]
}

func (t *fileTable) addCounted() {
	uses := t.view.FileUses()
	for i := range uses {
		u := &uses[i]
		if u.Kind != recording.FileRegular && u.Kind != recording.FileBlock && u.Kind != recording.FileOthers || u.Span <= 0 {
			continue
		}
		if _, ok := t.view.ProcessThat(u.PID, u.Started); !ok {
			continue
		}
		f := t.of(u.PID, u.Started, u.Path, u.Device)
		if f == nil {
			t.leaveOut(u.PID, u.Path, u.Device, Unplaced{u.ReadBytes > 0, u.WrittenBytes > 0})
		} else {
			f.Counted = true
			f.Read, f.Written = u.PerSecond(u.ReadBytes), u.PerSecond(u.WrittenBytes)
			f.Reads, f.Writes = u.PerSecond(u.Reads), u.PerSecond(u.Writes)
			f.ReadCall, f.WriteCall = u.ReadCall, u.WriteCall
			f.Direct = u.PerSecond(u.DirectRead + u.DirectWritten)
			f.Sliced, f.Lasting = u.Sliced, u.Between > 0
			if f.Size = u.Size; u.Between > 0 {
				between := u.Between
				if u.Span-between > idleAfter { // it was not used before, or is not any more
					between = u.Span
				}
				f.Grown = float64(u.Grown) / between.Seconds()
			}
			f.Readable, f.Writable = u.Reads > 0, u.Writes > 0
		}
	}
}

// oneWay is how many times more bytes a process must write than read, or the other way
// round, so that the position of a file that is open for both tells which it is.
const oneWay = 4

func (t *fileTable) addOpen() {
	files := t.view.OpenFiles()
	arch := t.view.Manifest().Host.Arch
	for i := range files {
		o := &files[i]
		if _, ok := t.view.ProcessThat(o.Last.PID, o.Last.Started); !ok {
			continue
		}
		f := t.of(o.Last.PID, o.Last.Started, o.Last.Path, o.Last.Device)
		if f == nil {
			if o.Last.FD > 2 || o.Moved > 0 {
				t.leaveOut(o.Last.PID, o.Last.Path, o.Last.Device, Unplaced{o.Readable, o.Writable})
			}
			continue
		}
		f.Open, f.Size, f.Inode, f.Standard = true, o.Last.Size, o.Last.Inode, o.Last.FD <= 2
		f.Readable, f.Writable = f.Readable || o.Readable, f.Writable || o.Writable
		f.Lasting = f.Lasting || o.Again
		f.DirectFlag, f.Late, f.Moved = o.Direct(arch), o.Late, o.PerSecond
		if o.Seconds > 0 && o.Writable {
			f.Grown = o.Grown / o.Seconds
		}
		if f.Counted || !Known(o.PerSecond) {
			continue
		}
		p := &f.Process
		switch {
		case !o.Writable, o.Readable && p.ReadChars >= oneWay*p.WriteChars:
			f.Read = o.PerSecond
		case !o.Readable, p.WriteChars >= oneWay*p.ReadChars:
			f.Written = o.PerSecond
		}
		if o.Direct(arch) {
			f.Direct = f.Read + f.Written
		}
	}
}

// addWaits counts threads that waited in calls whose descriptor is known: it stood for the
// same file at two looks or more, and for no other one.
func (t *fileTable) addWaits() {
	type descriptor struct{ pid, fd int32 }
	type seen struct {
		fileKey
		first   time.Time
		again   bool
		several bool
	}
	open := map[descriptor]seen{}
	files := Rows[recording.OpenFile](t.view)
	for i := range files {
		r := &files[i]
		if _, ok := t.view.ProcessThat(r.PID, r.Started); !ok {
			continue
		}
		d, k := descriptor{r.PID, r.FD}, fileKey{r.PID, r.Path, r.Device}
		o, ok := open[d]
		if !ok {
			o = seen{fileKey: k, first: r.At}
		}
		o.again, o.several = o.again || r.At.After(o.first), o.several || o.fileKey != k
		open[d] = o
	}
	type fileCall struct {
		fileKey
		call string
	}
	calls := map[fileCall]int{}
	for _, thread := range t.view.ThreadTimes() {
		share := 1 / float64(max(len(thread.Samples), 1))
		for i := range thread.Samples {
			s := &thread.Samples[i]
			d := descriptor{s.PID, s.FD}
			k, ok := open[d]
			if s.State != "D" || s.FD <= 0 || !DiskWait(place(*s), s.Stack) {
				continue
			}
			if !ok && s.FD > 2 { // the file is not open whenever somebody looks
				t.leaveOut(s.PID, "", "", Unplaced{true, true})
			}
			if !k.again || k.several {
				continue
			}
			if f := t.of(k.pid, time.Time{}, k.path, k.device); f != nil {
				f.Waiting += share
				c := fileCall{k.fileKey, s.SyscallName}
				if calls[c]++; calls[c] >= calls[fileCall{k.fileKey, f.WaitCall}] {
					f.WaitCall = s.SyscallName
				}
			}
		}
	}
}

func (t *fileTable) addSyncs() {
	for _, s := range t.view.Syncs() {
		if f := t.of(s.PID, s.Started, s.Path, s.Device); f != nil && s.Time > f.Sync.Time {
			f.Sync = s
		}
	}
}
