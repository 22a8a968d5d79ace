package disk

import (
	"fmt"
	"slices"
	"strings"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var (
	fileShare = rule.Threshold{Name: "file-share", Value: 0.2, Unit: "share", Source: rule.Judgement,
		Reason: "Share of what a program reads or writes, and of the disk's traffic. Files and programs below it are not named: the disk is busy with something else."}
	cachedReads = rule.Threshold{Name: "cached-reads", Value: 2, Unit: "ratio", Source: rule.Judgement,
		Reason: "Bytes that a program reads or writes by calls relative to those that reach disks. Above it most of them stay in the page cache, and calls do not show which files cause requests."}
)

// usedFile is a file that explains what a program does to a disk.
type usedFile struct {
	view.FileIO
	read, written bool // calls tell that this much goes to the disk
	only          bool // it can be what loads the disk, and the program was seen with no other file
}

// usedFiles lists the files by which a program loads a disk, those that explain most first.
func usedFiles(v *view.View, disk string, p view.Process) []usedFile {
	var read, written float64 // by calls, of files on any disk
	all := 0
	known := v.OpenFilesKnown(p)
	load := loadOf(v, p)
	var list []usedFile
	for _, f := range v.FileIO() {
		if f.Process.PID != p.PID {
			continue
		}
		if !f.Standard || f.Bytes() > 0 {
			all++
		}
		read += f.Read
		written += f.Written
		if f.Disk == disk || slices.Contains(v.Underlying(f.Disk), disk) {
			list = append(list, usedFile{FileIO: f})
		}
	}
	for i := range list {
		f := &list[i]
		direct, met := f.Direct >= f.Bytes()/2, f.Sliced && !f.Lasting // by a few slices, as chance had it
		f.read = !met && f.Read > 0 && f.Read >= fileShare.Value*p.ReadBytes && (direct || read <= cachedReads.Value*p.ReadBytes)
		f.written = !met && f.Written > 0 && f.Written >= fileShare.Value*p.WriteBytes && (direct || written <= cachedReads.Value*p.WriteBytes)
		f.only = known && all == 1 && f.Open && !f.Standard && load.fits(&f.FileIO)
	}
	list = slices.DeleteFunc(list, func(f usedFile) bool {
		return !f.read && !f.written && !f.only && f.Waiting < minWaiting.Value && f.Sync.Mean < minWaiting.Value
	})
	return list[:min(len(list), mentioned)]
}

// fileLoad is what one program does to disks, as far as it tells by which file.
type fileLoad struct {
	bytes    float64 // per second, in the direction of most
	writes   bool
	unplaced bool // it may be a file whose disk is not known
	inPlace  bool // calls are seen that leave positions of files alone
}

func loadOf(v *view.View, p view.Process) fileLoad {
	l := fileLoad{bytes: view.OrZero(p.ReadBytes), unplaced: v.Unplaced(p).Read}
	if written := view.OrZero(p.WriteBytes); written > l.bytes {
		l = fileLoad{bytes: written, writes: true, unplaced: v.Unplaced(p).Write}
	}
	for _, t := range v.ThreadTimes() {
		if t.PID != p.PID {
			continue
		}
		l.inPlace = l.inPlace || asyncShare(t, nil) > 0 || slices.ContainsFunc(t.Samples, func(s recording.ThreadSample) bool {
			// Without a call it is a fault in a file that is mapped.
			return s.State == "D" && (s.SyscallName == "" || strings.HasPrefix(s.SyscallName, "pread") || strings.HasPrefix(s.SyscallName, "pwrite") || s.SyscallName == "msync")
		})
	}
	return l
}

// fits says whether all of the load can be one file's: it is open in that direction, and its
// position does not tell that little is read or written.
func (l fileLoad) fits(f *view.FileIO) bool {
	if l.unplaced || l.writes && !f.Writable || !l.writes && !f.Readable {
		return false
	}
	return f.DirectFlag || l.inPlace || !view.Known(f.Moved) || f.Moved >= fileShare.Value*l.bytes
}

// does says in a few words what the program does with the file: "reads 8 MiB/s by pread64 calls".
func (f *usedFile) does() string {
	var parts []string
	if f.read {
		parts = append(parts, fmt.Sprintf("reads %v/s%s", unit.Bytes(f.Read), by(f.ReadCall, f.Reads)))
	}
	if f.written {
		parts = append(parts, fmt.Sprintf("writes %v/s%s", unit.Bytes(f.Written), by(f.WriteCall, f.Writes)))
	}
	if f.Direct > 0 && len(parts) > 0 {
		parts = append(parts, "past the page cache (O_DIRECT)")
	}
	if f.Waiting >= minWaiting.Value {
		parts = append(parts, rule.T("%v threads wait in %s", unit.Number(f.Waiting), f.WaitCall).String())
	}
	if f.Sync.Calls > 0 {
		parts = append(parts, fmt.Sprintf("%s %v times a second, %v each", f.Sync.Call, unit.Count(f.Sync.PerSecond), unit.Seconds(f.Sync.Average().Seconds())))
	}
	if len(parts) == 0 {
		return "no other file on a disk is open"
	}
	return strings.Join(parts, ", ")
}

// by says which call it is, and how often it is made where that was counted.
func by(call string, calls float64) string {
	switch {
	case call == "":
		return ""
	case !view.Known(calls):
		return " by " + call
	}
	return fmt.Sprintf(" by %v %s calls a second", unit.Count(calls), call)
}

// call is the system call that matters most to the disk; "" if not known.
func (f *usedFile) call() string {
	switch {
	case f.Waiting >= minWaiting.Value:
		return f.WaitCall
	case f.read && f.Read >= f.Written:
		return f.ReadCall
	case f.written:
		return f.WriteCall
	}
	return ""
}

// means says by which call of which file the load is made, as the end of a headline.
func (f *usedFile) means() string {
	if call := f.call(); call != "" {
		return fmt.Sprintf(", by %s of %s", call, f.Path)
	}
	return ", with file " + f.Path
}

// findMain looks for the file that most of the load of a disk goes to, and moves the program
// that uses it to the front of those that issue requests: which disk others use is not known.
func (w *waiters) findMain(v *view.View, d view.BlockDevice) (usedFile, bool) {
	for i, p := range w.issuers {
		if i == maxIssuers {
			break
		}
		if moves(p) < ownStream.Value*d.Bytes() {
			continue
		}
		list := usedFiles(v, d.Device, p)
		if len(list) == 0 {
			continue
		}
		f, half := list[0], ownStream.Value*d.Bytes()
		// That nothing else is open says nothing about programs which may use other disks.
		if f.read && f.Read >= half || f.written && f.Written >= half || f.only && i == 0 || len(list) == 1 && f.Waiting >= minWaiting.Value {
			w.issuers, w.told = slices.Insert(slices.Delete(w.issuers, i, i+1), 0, p), true
			return f, true
		}
	}
	return usedFile{}, false
}

// maxIssuers is how many programs are looked at, those that move most data first.
const maxIssuers = 8

// filesEvidence names the files that the programs use which make the load of a disk.
func (w waiters) filesEvidence(v *view.View, d view.BlockDevice) []rule.Evidence {
	var list []rule.Evidence
	for _, p := range w.issuers[:min(len(w.issuers), maxIssuers)] {
		if moves(p) < fileShare.Value*d.Bytes() {
			continue
		}
		for _, f := range usedFiles(v, d.Device, p) {
			if len(list) < mentioned {
				list = append(list, rule.Evidence{Metric: metric.FileIO, Value: f.Bytes(), Check: shell.Line("rtrail trace files -p %d --for 10s", p.PID),
					What: rule.T("%s (%d) in %s: %s", p.Comm, p.PID, f.Path, f.does())})
			}
		}
	}
	return list
}
