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
	if err := owned(fd, owners); err != nil {
		_ = unix.Close(fd) // nothing was written to it
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(fd), path), nil
}

func openIn(root, path string) (int, error) {
	const flags = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC
	dir, err := unix.Open(root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(dir)
	inside := strings.TrimPrefix(filepath.Clean(path), "/")
	fd, err := unix.Openat2(dir, inside, &unix.OpenHow{Flags: flags, Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_MAGICLINKS})
	if errors.Is(err, unix.ENOSYS) && filepath.Clean(root) == "/" {
		return unix.Open(path, flags, 0)
	}
	return fd, err
}

// owned says what is wrong with an open file.
func owned(fd int, owners []uint32) error {
	var st unix.Stat_t
	var system unix.Statfs_t
	if err := errors.Join(unix.Fstat(fd, &st), unix.Fstatfs(fd, &system)); err != nil {
		return err
	}
	switch {
	case st.Mode&unix.S_IFMT != unix.S_IFREG || system.Type == unix.PROC_SUPER_MAGIC || system.Type == unix.SYSFS_MAGIC:
		return errors.New("it is not a regular file")
	case st.Nlink > 1:
		return errors.New("it is a hard link: another name leads to the same file")
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
