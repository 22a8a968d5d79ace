package safefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// Path is the directory's name, as messages tell it.
func (d *Dir) Path() string { return d.path }

// Close lets the directory go.
func (d *Dir) Close() error { return d.file.Close() }

// File is the open directory itself, to be locked.
func (d *Dir) File() *os.File { return d.file }

func (d *Dir) fd() int { return int(d.file.Fd()) }

// Exclusive says that none but root and this program's user can change the
// directory's entries.
func (d *Dir) Exclusive() bool { return d.trust == exclusive }

// OthersAdd says that users other than the directory's owner may add entries.
func (d *Dir) OthersAdd() bool { return d.open }

// Invokers says that the directory belongs to the user who called this program
// through sudo, and who that is.
func (d *Dir) Invokers() (ID, bool) {
	id, ok := Invoker()
	return id, ok && d.owner == id.UID
}

func (d *Dir) error(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: filepath.Join(d.path, name), Err: err}
}

// Stat looks at an entry, and not at what a link leads to.
func (d *Dir) Stat(name string) (unix.Stat_t, error) {
	var st unix.Stat_t
	err := unix.Fstatat(d.fd(), name, &st, unix.AT_SYMLINK_NOFOLLOW)
	return st, d.error("stat", name, err)
}

// Gone says that the directory was removed, wherever its name leads now.
func (d *Dir) Gone() bool {
	var st unix.Stat_t
	return unix.Fstat(d.fd(), &st) == nil && st.Nlink == 0
}

// Create makes a new file, to be read and written. What has its name already is
// an error, links included. mode holds whatever the umask is.
func (d *Dir) Create(name string, mode fs.FileMode) (*os.File, error) {
	fd, err := unix.Openat(d.fd(), name, unix.O_CREAT|unix.O_EXCL|unix.O_RDWR|unix.O_NOFOLLOW|unix.O_CLOEXEC, uint32(mode.Perm()))
	if err != nil {
		return nil, d.error("create", name, err)
	}
	f := os.NewFile(uintptr(fd), filepath.Join(d.path, name))
	if err := f.Chmod(mode.Perm()); err != nil {
		return nil, errors.Join(err, f.Close(), d.Remove(name))
	}
	return f, nil
}

// Open opens a regular file of the directory for reading: no link, nothing that
// another name leads to as well, nothing that makes the reader wait, such as a
// FIFO.
func (d *Dir) Open(name string) (*os.File, error) {
	fd, err := unix.Openat(d.fd(), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ELOOP) {
		err = errLinked
	}
	if err != nil {
		return nil, d.error("open", name, err)
	}
	var st unix.Stat_t
	if err = unix.Fstat(fd, &st); err == nil {
		err = plain(&st)
	}
	if err != nil {
		unix.Close(fd)
		return nil, d.error("open", name, err)
	}
	return os.NewFile(uintptr(fd), filepath.Join(d.path, name)), nil
}

// OpenSpecial opens what is no regular file, and was seen by Stat, to be written:
// a device, a FIFO or a socket, or a file that somebody has open, by its name in
// /proc/PID/fd, to whose end is written then. Opening a FIFO waits for its reader.
func (d *Dir) OpenSpecial(name string, seen *unix.Stat_t) (*os.File, error) {
	flags := unix.O_WRONLY | unix.O_NOCTTY | unix.O_CLOEXEC
	switch {
	case seen.Mode&unix.S_IFMT == unix.S_IFLNK && d.openFiles():
		flags |= unix.O_APPEND
	case d.trust != exclusive && !trusted(seen.Uid) && !invokes(seen.Uid):
		return nil, d.error("open", name, fmt.Errorf("it belongs to %s, and is no file", named(seen.Uid)))
	default:
		flags |= unix.O_NOFOLLOW
	}
	fd, err := unix.Openat(d.fd(), name, flags, 0)
	if err != nil {
		return nil, d.error("open", name, err)
	}
	var st unix.Stat_t
	if err = unix.Fstat(fd, &st); err == nil && flags&unix.O_NOFOLLOW != 0 && (st.Dev != seen.Dev || st.Ino != seen.Ino) {
		err = errors.New("it was replaced meanwhile")
	}
	if err != nil {
		unix.Close(fd)
		return nil, d.error("open", name, err)
	}
	return os.NewFile(uintptr(fd), filepath.Join(d.path, name)), nil
}

// openFiles says that the entries are the open files of a process: names that
// lead to files themselves, not to other names.
func (d *Dir) openFiles() bool {
	var fs unix.Statfs_t
	return unix.Fstatfs(d.fd(), &fs) == nil && fs.Type == unix.PROC_SUPER_MAGIC && filepath.Base(d.path) == "fd"
}

// Dup opens the directory once more.
func (d *Dir) Dup() (*Dir, error) {
	fd, err := unix.FcntlInt(d.file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, d.error("open", "", err)
	}
	again := *d
	again.file = os.NewFile(uintptr(fd), d.path)
	return &again, nil
}

var (
	errLinked = errors.New("it is a symbolic link, which is not followed")
	errHard   = errors.New("it is a hard link: another name leads to the same file")
	errKind   = errors.New("it is not a regular file")
)

// plain says what is wrong with a file that should be a regular one of one name.
func plain(st *unix.Stat_t) error {
	switch {
	case st.Mode&unix.S_IFMT == unix.S_IFLNK:
		return errLinked
	case st.Mode&unix.S_IFMT != unix.S_IFREG:
		return errKind
	case st.Nlink > 1:
		return errHard
	}
	return nil
}

// Plain says what is wrong with an entry that should be a regular file of one
// name.
func (d *Dir) Plain(name string) error {
	st, err := d.Stat(name)
	if err != nil {
		return err
	}
	return d.error("open", name, plain(&st))
}

// Sub opens a directory below. A link is an error, as is a directory that others
// control.
func (d *Dir) Sub(name string) (*Dir, error) {
	fd, err := unix.Openat(d.fd(), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ELOOP) {
		err = errLinked
	}
	if err != nil {
		return nil, d.error("open", name, err)
	}
	return judge(fd, filepath.Join(d.path, name), d)
}

// Mkdir makes a directory below and opens it.
func (d *Dir) Mkdir(name string, mode fs.FileMode) (*Dir, error) {
	if err := unix.Mkdirat(d.fd(), name, uint32(mode.Perm())); err != nil {
		return nil, d.error("mkdir", name, err)
	}
	fd, err := unix.Openat(d.fd(), name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, d.error("open", name, err)
	}
	made := newDir(fd, filepath.Join(d.path, name))
	defer made.Close()
	if err := made.setMode(mode); err != nil {
		return nil, err
	}
	return d.Sub(name)
}

// setMode holds whatever the umask is, under which a new directory may be closed
// to its maker: by name of the descriptor, which need not be open for reading.
func (d *Dir) setMode(mode fs.FileMode) error {
	return d.error("chmod", "", unix.Chmod(descriptor(d.fd()), uint32(mode.Perm())))
}

// descriptor is a name of an open file.
func descriptor(fd int) string { return fmt.Sprintf("/proc/self/fd/%d", fd) }

// Names lists the entries, in no order. More than maxNames are an error, with the
// first of them.
func (d *Dir) Names() ([]string, error) {
	// A descriptor of its own: where reading stands belongs to the descriptor.
	fd, err := unix.Openat(d.fd(), ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, d.error("open", "", err)
	}
	f := os.NewFile(uintptr(fd), d.path)
	defer f.Close()
	return names(f)
}

// maxNames bounds the entries that are listed: a year of a busy host has 50,000
// segments, and a name takes a hundred bytes of memory.
const maxNames = 1 << 20

func names(of *os.File) (all []string, err error) {
	for len(all) < maxNames {
		some, err := of.Readdirnames(4096)
		all = append(all, some...)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
	}
	return all, fmt.Errorf("%s has more than %d entries", of.Name(), maxNames)
}

// Rename moves an entry to another name, here or in another directory. What had
// that name is replaced; a link is, too, and not followed.
func (d *Dir) Rename(name string, to *Dir, newName string) error {
	return to.error("rename", newName, unix.Renameat(d.fd(), name, to.fd(), newName))
}

// Remove removes a file, or a link itself.
func (d *Dir) Remove(name string) error {
	return d.error("remove", name, unix.Unlinkat(d.fd(), name, 0))
}

// RemoveDir removes an empty directory.
func (d *Dir) RemoveDir(name string) error {
	return d.error("remove", name, unix.Unlinkat(d.fd(), name, unix.AT_REMOVEDIR))
}

// Sync puts the names of the directory on the disk.
func (d *Dir) Sync() error { return d.file.Sync() }

// Modified is when an entry was last written to; zero when it is not there.
func (d *Dir) Modified(name string) time.Time {
	st, err := d.Stat(name)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(st.Mtim.Unix())
}
