package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"rtrail/internal/shell"
)

// maxLinks is how many symbolic links the kernel follows, too.
const maxLinks = 40

// Dir is an open directory. What is done in it is done by its descriptor.
type Dir struct {
	file  *os.File
	path  string // as messages tell it
	owner uint32
	trust trust
	open  bool // users other than the owner may add entries
}

// trust says who else can change the entries of a directory.
type trust uint8

const (
	// exclusive: only root and this program's user.
	exclusive trust = iota
	// sticky: others can add entries, but not change those of root and of this
	// program's user.
	sticky
	// shared: others can change all entries.
	shared
)

// OpenDir opens a directory that this program may write into. A directory on
// the way that others control is an error which says whose it is; so is a link
// that others may have put there.
func OpenDir(path string) (*Dir, error) { return openDir(path, 0) }

// MakeDir is OpenDir, and makes the directories that are not there.
func MakeDir(path string, mode fs.FileMode) (*Dir, error) { return openDir(path, mode) }

func openDir(path string, mode fs.FileMode) (*Dir, error) {
	w, err := begin(path, mode)
	if err != nil {
		return nil, err
	}
	for len(w.rest) > 0 {
		if err := w.step(); err != nil {
			w.at.Close()
			return nil, err
		}
	}
	return w.end()
}

// Parent opens the directory in which a file lies, which need not be there, and
// returns the file's name in it. Links that may be followed are, but for those
// to open files in /proc/PID/fd: the file is then the one they lead to.
func Parent(path string) (d *Dir, name string, err error) {
	w, err := begin(path, 0)
	if err != nil {
		return nil, "", err
	}
	for {
		if len(w.rest) == 0 || w.rest[0] == ".." && len(w.rest) == 1 {
			w.at.Close()
			return nil, "", &fs.PathError{Op: "write", Path: path, Err: unix.EISDIR}
		}
		if len(w.rest) > 1 {
			err = w.step()
		} else if st, statErr := w.at.Stat(w.rest[0]); statErr == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK && !w.at.openFiles() {
			err = w.follow(w.rest[0], st)
		} else {
			name = w.rest[0]
			d, err := w.end()
			return d, name, err
		}
		if err != nil {
			w.at.Close()
			return nil, "", err
		}
	}
}

// walker is on its way to a directory.
type walker struct {
	at    *Dir
	rest  []string    // names still to go
	links int         // followed so far
	mode  fs.FileMode // of directories that are made; 0: none are
}

func begin(path string, mode fs.FileMode) (*walker, error) {
	if path == "" {
		return nil, &fs.PathError{Op: "open", Path: path, Err: unix.ENOENT}
	}
	w := &walker{mode: mode}
	start := "."
	if filepath.IsAbs(path) {
		start = "/"
	}
	if err := w.jump(start); err != nil {
		return nil, err
	}
	w.push(path)
	return w, nil
}

// jump starts at the root or where the program stands.
func (w *walker) jump(start string) error {
	fd, err := unix.Open(start, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return &fs.PathError{Op: "open", Path: start, Err: err}
	}
	d, err := judge(fd, start, nil)
	if err != nil {
		return err
	}
	if w.at != nil {
		w.at.Close()
	}
	w.at = d
	return nil
}

// push puts the names of a path before those still to go.
func (w *walker) push(path string) {
	var names []string
	for name := range strings.SplitSeq(path, "/") {
		if name != "" && name != "." {
			names = append(names, name)
		}
	}
	w.rest = append(names, w.rest...)
}

// step goes on by one name.
func (w *walker) step() error {
	name := w.rest[0]
	st, err := w.at.Stat(name)
	made := false
	if errors.Is(err, fs.ErrNotExist) && w.mode != 0 {
		err = unix.Mkdirat(w.at.fd(), name, uint32(w.mode.Perm()))
		if made = err == nil; made || errors.Is(err, fs.ErrExist) {
			st, err = w.at.Stat(name)
		}
		err = w.at.error("mkdir", name, err)
	}
	if err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFLNK {
		return w.follow(name, st)
	}
	fd, err := unix.Openat(w.at.fd(), name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return w.at.error("open", name, err)
	}
	d, err := judge(fd, filepath.Join(w.at.path, name), w.at)
	if err != nil {
		return err
	}
	w.at.Close()
	w.at, w.rest = d, w.rest[1:]
	if made {
		return w.at.setMode(w.mode) // whatever the umask
	}
	return nil
}

// follow goes where a link leads, if nobody else could have put it there.
func (w *walker) follow(name string, st unix.Stat_t) error {
	ours := st.Uid == 0 || st.Uid == uint32(os.Geteuid())
	if w.at.trust == shared || w.at.trust == sticky && !ours {
		return w.at.error("open", name, errLink)
	}
	if w.links++; w.links > maxLinks {
		return w.at.error("open", name, unix.ELOOP)
	}
	buf := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(w.at.fd(), name, buf)
	if err != nil {
		return w.at.error("readlink", name, err)
	}
	target := string(buf[:n])
	w.rest = w.rest[1:]
	w.push(target)
	if filepath.IsAbs(target) {
		return w.jump("/")
	}
	return nil
}

// errLink is why a link is not followed.
var errLink = errors.New("it is a link that others can change: name the place that it leads to")

// end makes the directory that was reached fit for reading and syncing.
func (w *walker) end() (*Dir, error) {
	fd, err := unix.Openat(w.at.fd(), ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.EACCES) {
		return w.at, nil // one may write into it without reading it
	}
	w.at.Close()
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: w.at.path, Err: err}
	}
	w.at.file = os.NewFile(uintptr(fd), w.at.path)
	return w.at, nil
}

// judge takes a descriptor over and says who controls its directory; parent is
// where it was reached from.
func judge(fd int, path string, parent *Dir) (*Dir, error) {
	d := newDir(fd, path)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		d.Close()
		return nil, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	d.owner = st.Uid
	root := os.Geteuid() == 0
	open, isSticky := othersWrite(fd, &st), st.Mode&unix.S_ISVTX != 0
	d.open = open
	var refused error
	switch {
	case root && !trusted(st.Uid) && !invokes(st.Uid):
		refused = fmt.Errorf("%s belongs to %s, who could lead what root writes elsewhere: choose a directory of root, such as one in /var/log", path, named(st.Uid))
	case root && open && !isSticky:
		refused = fmt.Errorf("others than %s may write into %s and so lead what root writes elsewhere: choose another directory%s", named(st.Uid), path, orChmod(path))
	case !trusted(st.Uid), open && !isSticky:
		d.trust = shared
	case parent != nil && parent.trust == shared:
		// What hangs below a directory that others control may be a filesystem
		// of theirs, that says of owners and links what it likes.
		d.trust = shared
	case open:
		d.trust = sticky
	}
	if refused != nil {
		d.Close()
		return nil, refused
	}
	return d, nil
}

func newDir(fd int, path string) *Dir {
	return &Dir{file: os.NewFile(uintptr(fd), path), path: path}
}

// othersWrite says whether users other than the owner may change the entries.
func othersWrite(fd int, st *unix.Stat_t) bool {
	if st.Mode&0o002 != 0 {
		return true
	}
	return st.Mode&0o020 != 0 && (acl(fd) || !privateGroup(st.Gid, st.Uid))
}

// orChmod is the end of a sentence: how to keep others from writing; "" if the
// path cannot stand in a command.
func orChmod(path string) string {
	c := shell.Line("chmod go-w %s", shell.Path(path))
	if c.Empty() {
		return ""
	}
	return ", or: " + c.String()
}
