package openfile

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe/census"
	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

const (
	maxDescriptors = 512  // of one process that are looked at
	maxKnown       = 4096 // that are remembered
	// listEvery is the time after which all files of a process have rows again, so that a window
	// in the middle of a long run has them.
	listEvery = 4 * time.Second
	// maxListed is of how many descriptors that is so: a database may have thousands.
	maxListed = 64
)

// descriptor is one of a process, as long as it stands for the same file.
type descriptor struct {
	process census.Key
	fd      int32
	inode   uint64
}

// state is what changes of an open file.
type state struct {
	position, size int64
	again          bool // it was seen at two looks or more
}

// files writes rows of what a process has open: at the first two looks, whenever they change,
// and all of a few every listEvery. The second row tells that a descriptor lasts.
func (p *Probe) files(e *census.Entry, w *recording.Writer) {
	dir := fmt.Sprintf("%s/proc/%d/", p.census.Root(), e.PID)
	f, err := os.Open(dir + "fd")
	if err != nil {
		return // it is gone, or somebody else's
	}
	names, _ := f.Readdirnames(maxDescriptors)
	f.Close()
	if len(names) == maxDescriptors {
		w.Unseen(p.Name(), "open files of "+e.Comm, 1, fmt.Sprintf("it has %d or more; the others are not looked at", maxDescriptors), "")
	}
	if len(p.known) > maxKnown || len(p.listed) > maxKnown {
		clear(p.known)
		clear(p.listed)
	}
	at := time.Now() // of one look: descriptors that share a position are known by it
	listed, met := p.listed[e.Key()]
	whole := !met && len(names) < maxDescriptors || len(names) <= maxListed && at.Sub(listed) >= listEvery
	if !met || whole {
		p.listed[e.Key()] = at
	}
	for _, name := range names {
		fd, err := strconv.ParseInt(name, 10, 32)
		if err != nil {
			continue
		}
		row, ok := look(dir, name, p.buf)
		if !ok {
			continue
		}
		d := descriptor{e.Key(), int32(fd), row.Inode}
		before, known := p.known[d]
		now := state{row.Position, row.Size, known}
		p.known[d] = now
		if known && before == now && !whole {
			continue
		}
		row.At, row.PID, row.Started, row.Process, row.FD, row.Whole = at, e.PID, e.Started, e.Comm, d.fd, whole
		recording.Append(w, row)
	}
}

// look reads one descriptor; false unless it is a regular file or a block device. Nothing here asks
// the filesystem, which may be one of a server that does not answer.
func look(dir, name string, buf []byte) (row recording.OpenFile, ok bool) {
	var st unix.Statx_t
	link := dir + "fd/" + name
	if unix.Statx(unix.AT_FDCWD, link, unix.AT_STATX_DONT_SYNC|unix.AT_NO_AUTOMOUNT, unix.STATX_TYPE|unix.STATX_SIZE|unix.STATX_INO, &st) != nil {
		return row, false
	}
	row.Device = fmt.Sprintf("%d:%d", st.Dev_major, st.Dev_minor)
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFBLK:
		row.Device = fmt.Sprintf("%d:%d", st.Rdev_major, st.Rdev_minor)
	default:
		return row, false
	}
	b, err := procfile.ReadOnce(dir+"fdinfo/"+name, buf)
	if err != nil {
		return row, false
	}
	row.Inode, row.Size = st.Ino, int64(st.Size)
	if row.Position, row.Flags, ok = parseInfo(b); !ok {
		return row, false
	}
	path, err := os.Readlink(link)
	if err != nil {
		return row, false
	}
	row.Path = strings.ToValidUTF8(path, "?")
	return row, true
}

// parseInfo takes /proc/PID/fdinfo/N: "pos:\t4096\nflags:\t0102001\n".
func parseInfo(b []byte) (position int64, flags uint32, ok bool) {
	found := 0
	for line := range procfile.Lines(b) {
		key, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimSpace(value)
		switch string(key) {
		case "pos":
			n, err := strconv.ParseInt(string(value), 10, 64)
			if err != nil {
				return 0, 0, false
			}
			position = n
			found++
		case "flags":
			n, err := strconv.ParseUint(string(value), 8, 32)
			if err != nil {
				return 0, 0, false
			}
			flags = uint32(n)
			found++
		}
	}
	return position, flags, found == 2
}
