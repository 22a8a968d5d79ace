package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// OpenBelow opens a regular file below a directory for reading, whoever owns
// them: no link on the way is followed, nothing makes the reader wait, and what
// has another name as well must be of the directory's owner.
func OpenBelow(root *os.File, name string) (*os.File, error) {
	folder, err := below(root, path.Dir(name))
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	full := path.Join(root.Name(), name)
	fd, err := unix.Openat(int(folder.Fd()), path.Base(name), unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ELOOP) {
		err = errLinked
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: full, Err: err}
	}
	f := os.NewFile(uintptr(fd), full)
	var st, of unix.Stat_t
	if err = errors.Join(unix.Fstat(fd, &st), unix.Fstat(int(folder.Fd()), &of)); err == nil {
		err = plain(&st)
	}
	if errors.Is(err, errHard) && st.Uid == of.Uid {
		err = nil // a copy that shares its files, as backups make them
	}
	if err != nil {
		f.Close()
		return nil, &fs.PathError{Op: "open", Path: full, Err: err}
	}
	return f, nil
}

// NamesBelow lists the entries of a directory below another, in no order. No
// link on the way is followed.
func NamesBelow(root *os.File, name string) ([]string, error) {
	folder, err := below(root, name)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	return names(folder)
}

// below opens a directory below another.
func below(root *os.File, name string) (*os.File, error) {
	at, err := subdirectory(root, ".")
	for part := range strings.SplitSeq(path.Clean(name), "/") {
		if err != nil {
			return nil, err
		}
		if part == ".." || part == "" {
			at.Close()
			return nil, fmt.Errorf("%s leads out of %s", name, root.Name())
		}
		up := at
		at, err = subdirectory(up, part)
		up.Close()
	}
	return at, err
}

func subdirectory(of *os.File, name string) (*os.File, error) {
	full := path.Join(of.Name(), name)
	fd, err := unix.Openat(int(of.Fd()), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ELOOP) {
		err = errLinked
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: full, Err: err}
	}
	return os.NewFile(uintptr(fd), full), nil
}
