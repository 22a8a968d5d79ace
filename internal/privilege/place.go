package privilege

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"rtrail/internal/safefile"
)

// place is where an output really goes, whatever links lead there.
type place struct {
	at       *os.File    // the directory in which a file is made
	path     string      // of at
	straight bool        // at is written into as it is: a device, a FIFO, an open file
	old      unix.Stat_t // what the new file replaces; no Mode: nothing
}

// placeOfFile finds the place of a file as outfile does; ok is false where that
// would fail, too.
func placeOfFile(path string) (p place, ok bool) {
	d, name, err := safefile.Parent(path)
	if err != nil {
		return place{}, false
	}
	p = place{at: d.File(), path: d.Path()}
	if p.old, err = d.Stat(name); err != nil || p.old.Mode&unix.S_IFMT == unix.S_IFREG {
		return p, true
	}
	// No file is made beside it. A link to an open file is followed: what it leads
	// to is written.
	defer d.Close()
	p.path, p.straight = filepath.Join(d.Path(), name), true
	fd, err := unix.Openat(int(d.File().Fd()), name, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return place{}, false
	}
	p.at = os.NewFile(uintptr(fd), p.path)
	return p, true
}

// placeOfDir is the directory of that name, or the nearest one in which it can be
// made.
func placeOfDir(path string) (p place, ok bool) {
	d, err := safefile.Nearest(path)
	if err != nil {
		return place{}, false
	}
	return place{at: d.File(), path: d.Path()}, true
}

// places are those of all outputs. Whoever takes them closes them.
func (n Needs) places() []place {
	var all []place
	for _, path := range n.Write {
		if p, ok := placeOfFile(path); ok {
			all = append(all, p)
		}
	}
	for _, path := range n.Dirs {
		if p, ok := placeOfDir(path); ok {
			all = append(all, p)
		}
	}
	return all
}

func closeAll(places []place) {
	for _, p := range places {
		p.at.Close() // nothing was written to it
	}
}

// writable says whether this thread may write there as a user. A kernel that
// cannot tell (before Linux 5.8) says no.
func (p place) writable(uid uint32) bool {
	if p.straight {
		return access(p.path, unix.W_OK)
	}
	var dir unix.Stat_t
	if unix.Fstat(int(p.at.Fd()), &dir) != nil {
		return false
	}
	// Only its owner may replace a file in such as /tmp.
	if dir.Mode&unix.S_ISVTX != 0 && p.old.Mode != 0 && uid != p.old.Uid && uid != dir.Uid {
		return false
	}
	return access(p.path, unix.W_OK|unix.X_OK)
}
