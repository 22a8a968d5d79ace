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

	"rtrail/internal/safefile"
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
	o, at, err := walk(pid, path, 0, false)
	if err != nil {
		return nil, failed(path, err)
	}
	defer unix.Close(at)
	return o.open(at, path)
}

// OpenLinked opens a regular file of anybody for reading, as a process sees it. Links are
// followed within its root directory, also where the file itself is one.
func OpenLinked(pid int32, path string) (*os.File, error) {
	o, at, err := walk(pid, path, maxLinks, true)
	if err != nil {
		return nil, failed(path, err)
	}
	defer unix.Close(at)
	return o.open(at, path)
}

// maxLinks is how many links a path may lead through, as the kernel has it.
const maxLinks = 40

// OpenOwned opens a file that somebody else named, as a process sees it: a regular one with one
// name that belongs to one of the owners (any, if there are none). Links to directories are
// followed within its root directory; the last part of the path must be none.
func OpenOwned(pid int32, path string, owners ...uint32) (*os.File, error) {
	o, at, err := walk(pid, path, maxLinks, false)
	if err != nil {
		return nil, failed(path, err)
	}
	defer unix.Close(at)
	f, err := o.open(at, path)
	if err != nil {
		return nil, err
	}
	if err := safefile.CheckOwned(f, owners...); err != nil {
		f.Close()
		return nil, failed(path, err)
	}
	return f, nil
}

// Stat says what a file of any kind is, as a process sees it. Links to directories are
// followed; of the last part of the path none is.
func Stat(pid int32, path string) (unix.Stat_t, error) { return stat(pid, path, false) }

// StatFolder says what the directory is that a file lies in.
func StatFolder(pid int32, path string) (unix.Stat_t, error) {
	return stat(pid, filepath.Dir(path), true)
}

func stat(pid int32, path string, last bool) (st unix.Stat_t, err error) {
	o, at, err := walk(pid, path, maxLinks, last)
	if err == nil {
		defer unix.Close(at)
		if err = o.check(at); err == nil {
			err = unix.Fstat(at, &st)
		}
	}
	if err != nil {
		return st, failed(path, err)
	}
	return st, nil
}

// SameDirectory says whether two paths lead to one directory, such as /proc/PID/root of two
// processes. Their filesystems are not asked.
func SameDirectory(one, other string) bool {
	var st [2]unix.Statx_t
	for i, path := range []string{one, other} {
		at, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return false
		}
		err = unix.Statx(at, "", unix.AT_EMPTY_PATH|unix.AT_STATX_DONT_SYNC, unix.STATX_INO, &st[i])
		unix.Close(at)
		if err != nil {
			return false
		}
	}
	return st[0].Ino == st[1].Ino && st[0].Dev_major == st[1].Dev_major && st[0].Dev_minor == st[1].Dev_minor
}

// walk opens, without rights to read, what a path leads to as a process sees it, and each
// directory on the way only where no server has it. It goes through so many links to
// directories at most; last says that the last part of the path may be one, too.
func walk(pid int32, path string, links int, last bool) (o *opener, at int, err error) {
	if o, err = newOpener(pid); err != nil {
		return nil, -1, err
	}
	parts := partsOf(path)
	for {
		linked := -1
		at, linked, err = o.walk(pid, parts, links, last)
		if err != nil || linked < 0 {
			return o, at, err
		}
		to, err := readLink(at)
		unix.Close(at)
		if err != nil {
			return nil, -1, err
		}
		if !filepath.IsAbs(to) {
			to = strings.Join(parts[:linked], "/") + "/" + to
		}
		parts = append(partsOf(to), parts[linked+1:]...)
		links--
	}
}

// walk goes as far as the end of a path, or the first link on the way to it: linked is its place,
// -1 if there is none.
func (o *opener) walk(pid int32, parts []string, links int, last bool) (at, linked int, err error) {
	if at, err = unix.Open(fmt.Sprintf("/proc/%d/root", pid), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err != nil {
		return -1, -1, err
	}
	for i, part := range parts {
		next := -1
		if err = o.check(at); err == nil {
			next, err = unix.Openat(at, part, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		}
		unix.Close(at)
		if err != nil {
			return -1, -1, err
		}
		if at = next; links > 0 && (last || i+1 < len(parts)) && o.isLink(at) {
			return at, i, nil
		}
	}
	return at, -1, nil
}

// isLink says whether a descriptor stands for a link that can be read without a server.
func (o *opener) isLink(at int) bool {
	var st unix.Statx_t
	return o.check(at) == nil && unix.Statx(at, "", unix.AT_EMPTY_PATH|unix.AT_STATX_DONT_SYNC, unix.STATX_TYPE, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK
}

func readLink(at int) (string, error) {
	var b [unix.PathMax]byte
	n, err := unix.Readlinkat(at, "", b[:])
	if err != nil {
		return "", err
	}
	return string(b[:n]), nil
}

// partsOf are the names on a path from the root directory on, which ".." does not leave.
func partsOf(path string) []string {
	return strings.FieldsFunc(filepath.Clean("/"+path), func(r rune) bool { return r == '/' })
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
