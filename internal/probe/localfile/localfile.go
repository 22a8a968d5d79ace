// Package localfile opens files that a process maps or has written, and never asks a server
// for them. A process can have its files on a filesystem that a program of its user serves:
// when that does not answer, who opens or reads them waits forever, and no signal ends it.
//
// Nothing here follows a path through such a filesystem. Whether a mount is one is known from
// the list of mounts of the namespace, without asking the filesystem. A type alone is not
// enough: users mount overlays of what they serve in namespaces of their own. So the device has
// to be mounted in the namespace of this program, or in that of process 1, too.
package localfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

var (
	errServer = errors.New("it may be on a server that does not answer")
	errKind   = errors.New("it is not a regular file")
)

// opener opens files as one process sees them.
type opener struct {
	theirs  mounts   // of the namespace of the process
	trusted []mounts // of this program and of process 1
}

func newOpener(pid int32) (*opener, error) {
	theirs, err := readMounts(fmt.Sprintf("/proc/%d/mountinfo", pid))
	if err != nil {
		return nil, err
	}
	o := &opener{theirs: theirs}
	for _, p := range []string{"self", "1"} {
		if m, err := readMounts("/proc/" + p + "/mountinfo"); err == nil {
			o.trusted = append(o.trusted, m)
		}
	}
	return o, nil
}

// Open opens a regular file of anybody for reading, as a process sees it: path is absolute,
// from its root directory on. Links are not followed.
func Open(pid int32, path string) (*os.File, error) {
	o, err := newOpener(pid)
	if err != nil {
		return nil, err
	}
	at, err := unix.Open(fmt.Sprintf("/proc/%d/root", pid), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, failed(path, err)
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(filepath.Clean(path), "/"), "/") {
		if err = o.check(at); err != nil {
			break
		}
		var next int
		next, err = unix.Openat(at, part, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != nil {
			break
		}
		unix.Close(at)
		at = next
	}
	defer unix.Close(at)
	if err != nil {
		return nil, failed(path, err)
	}
	return o.open(at, path)
}

// Mapped opens the file that a process maps at a range of addresses, whatever its path leads
// to now. It needs CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE.
func Mapped(pid int32, start, end uint64, path string) (*os.File, error) {
	at, err := unix.Open(fmt.Sprintf("/proc/%d/map_files/%x-%x", pid, start, end), unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, failed(path, err)
	}
	defer unix.Close(at)
	o, err := newOpener(pid)
	if err != nil {
		return nil, err
	}
	return o.open(at, path)
}

// open opens what a descriptor without rights stands for, if it is a regular file.
func (o *opener) open(at int, path string) (*os.File, error) {
	if err := o.check(at); err != nil {
		return nil, failed(path, err)
	}
	var st unix.Statx_t
	if err := unix.Statx(at, "", unix.AT_EMPTY_PATH|unix.AT_STATX_DONT_SYNC, unix.STATX_TYPE, &st); err != nil {
		return nil, failed(path, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return nil, failed(path, errKind)
	}
	fd, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", at), unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, failed(path, err)
	}
	return os.NewFile(uintptr(fd), path), nil
}

// check says whether a file, or all that lies in a directory, is found without a server.
func (o *opener) check(at int) error {
	info, err := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", at))
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(info)) {
		if id, ok := strings.CutPrefix(line, "mnt_id:"); ok && o.answers(strings.TrimSpace(id)) {
			return nil
		}
	}
	return errServer
}

// answers says whether nobody has to be asked for files of a mount.
func (o *opener) answers(id string) bool {
	device, listed := o.theirs.byID[id]
	for _, m := range o.trusted {
		if !listed { // it is above the root directory of a process with chroot: numbers are those of all namespaces
			device, listed = m.byID[id]
		}
	}
	return listed && slices.ContainsFunc(o.trusted, func(m mounts) bool { return m.local[device] })
}

func failed(path string, err error) error { return &fs.PathError{Op: "open", Path: path, Err: err} }
