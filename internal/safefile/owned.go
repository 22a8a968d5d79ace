package safefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// OpenOwned opens a file that somebody else named for reading: a regular one that
// belongs to one of the owners (any, if there are none). The last part of path is
// not followed if it is a symbolic link, a file with another name is refused, and
// so is what only looks like a file (/proc). Nothing makes the caller wait.
//
// path is absolute, and taken as in root, "/" or /proc/PID/root of a process in a container:
// links within lead nowhere else. That needs Linux 5.6; older kernels open files
// below "/" only.
func OpenOwned(root, path string, owners ...uint32) (*os.File, error) {
	fd, err := openIn(root, path)
	if err != nil {
		if errors.Is(err, unix.ELOOP) {
			err = errors.New("it is a symbolic link")
		}
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	f := os.NewFile(uintptr(fd), path)
	if err := CheckOwned(f, owners...); err != nil {
		f.Close()
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return f, nil
}

// OpenRegular opens a regular file of anybody. Links are followed, and nothing
// makes the caller wait.
func OpenRegular(path string) (*os.File, error) {
	fd, err := unix.Open(path, readFlags&^unix.O_NOFOLLOW, 0)
	return regular(fd, path, err)
}

func regular(fd int, path string, err error) (*os.File, error) {
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	var st unix.Stat_t
	if err = unix.Fstat(fd, &st); err == nil && st.Mode&unix.S_IFMT != unix.S_IFREG {
		err = errKind
	}
	if err != nil {
		_ = unix.Close(fd) // nothing was written to it
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(fd), path), nil
}

const readFlags = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC

func openIn(root, path string) (int, error) {
	dir, err := unix.Open(root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(dir)
	inside := strings.TrimPrefix(filepath.Clean(path), "/")
	fd, err := unix.Openat2(dir, inside, &unix.OpenHow{Flags: readFlags, Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_MAGICLINKS})
	if errors.Is(err, unix.ENOSYS) && filepath.Clean(root) == "/" {
		return unix.Open(path, readFlags, 0)
	}
	return fd, err
}

// CheckOwned says what is wrong with an open file, as OpenOwned does.
func CheckOwned(f *os.File, owners ...uint32) error {
	fd := int(f.Fd())
	var st unix.Stat_t
	var system unix.Statfs_t
	if err := errors.Join(unix.Fstat(fd, &st), unix.Fstatfs(fd, &system)); err != nil {
		return err
	}
	switch {
	case st.Mode&unix.S_IFMT != unix.S_IFREG || system.Type == unix.PROC_SUPER_MAGIC || system.Type == unix.SYSFS_MAGIC:
		return errKind
	case st.Nlink > 1:
		return errHard
	case len(owners) > 0 && !slices.Contains(owners, st.Uid):
		return fmt.Errorf("it belongs to user %d", st.Uid)
	}
	return nil
}

// ReadAll reads a file of at most so many bytes; a larger one is an error.
func ReadAll(f *os.File, most int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(b)) > most {
		err = fmt.Errorf("it is larger than %d KiB", most>>10)
	}
	return b, err
}
