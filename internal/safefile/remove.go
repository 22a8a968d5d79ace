package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// maxDepth bounds how deep RemoveTree goes: descriptors are held on the way.
const maxDepth = 200

// RemoveTree removes an entry with all that is below it. Links are removed and
// not followed; what another filesystem is mounted on stays, with an error.
// What is not there is no error.
func (d *Dir) RemoveTree(name string) error {
	here, err := mountOf(d.fd())
	if err != nil {
		return d.error("stat", "", err)
	}
	return d.removeTree(name, here, maxDepth)
}

// mount tells mounted filesystems apart, also two views of the same one.
type mount struct {
	major, minor uint32
	id           uint64 // 0 before Linux 5.8
}

func mountOf(fd int) (mount, error) {
	var st unix.Statx_t
	err := unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_MNT_ID, &st)
	return mount{st.Dev_major, st.Dev_minor, st.Mnt_id}, err
}

func (d *Dir) removeTree(name string, on mount, depth int) error {
	st, err := d.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		return missingOK(d.Remove(name))
	}
	fd, err := unix.Openat(d.fd(), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return missingOK(d.error("open", name, err))
	}
	// No judgement of who owns it: it goes, whoever that is.
	sub := newDir(fd, filepath.Join(d.path, name))
	defer sub.Close()
	switch here, err := mountOf(fd); {
	case err != nil:
		return d.error("stat", name, err)
	case here != on:
		return d.error("remove", name, errors.New("another filesystem is mounted there: unmount it first"))
	case depth == 0:
		return d.error("remove", name, fmt.Errorf("more than %d directories deep", maxDepth))
	}
	names, err := sub.Names()
	errs := []error{err}
	for _, n := range names {
		errs = append(errs, sub.removeTree(n, on, depth-1))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return missingOK(d.RemoveDir(name))
}

func missingOK(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
