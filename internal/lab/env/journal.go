package env

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"rtrail/internal/safefile"
)

// Kinds of things a lab makes on the machine. Each has one way to undo it,
// used by Env.Cleanup and by Clean alike.
const (
	madeDir     = "dir"     // Name: path of a temporary folder
	madeProcess = "process" // Name: comm, PID, Start: the process and its group
	madeNetNS   = "netns"   // Name: as in `ip netns`
	madeLink    = "link"    // Name: device in the host's network namespace
	madeCgroup  = "cgroup"  // Name: path below /sys/fs/cgroup
	madeLoop    = "loop"    // Name: backing file
	madeMount   = "mount"   // Name: mount point
	madeFreeze  = "freeze"  // Name: frozen mount point
	madeSwap    = "swap"    // Name: device or file in use as swap
	madeZram    = "zram"    // Name: zram device that was given a size
	madeSysctl  = "sysctl"  // Name: a variable of the whole machine, Old: what it held
)

// made is one line of the journal: a thing that exists on the machine because
// of a lab, or is about to.
type made struct {
	Kind  string `json:"kind"`
	Name  string `json:"name"`
	PID   int    `json:"pid,omitempty"`
	Start uint64 `json:"start,omitempty"` // clock ticks since boot, field 22 of /proc/PID/stat
	Old   string `json:"old,omitempty"`
}

// header is the first line of the journal: who made what follows.
type header struct {
	ID    string `json:"id"`
	Case  string `json:"case"`
	PID   int    `json:"pid"`
	Start uint64 `json:"start"`
}

// StateDir is where state files lie. What they say is undone as root, so root's
// is where nobody else can write. It is in memory: what a lab makes does not
// outlive a boot either.
var StateDir = func() (string, error) {
	if os.Geteuid() == 0 {
		return "/run/rtrail-lab", nil
	}
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "rtrail-lab"), err
}

// openState opens the folder of state files; with make it is made if need be.
// Nobody but its owner may even look into it.
func openState(make bool) (*safefile.Dir, error) {
	path, err := StateDir()
	if err != nil {
		return nil, err
	}
	var d *safefile.Dir
	if make {
		d, err = safefile.MakeDir(path, 0o700)
	} else {
		d, err = safefile.OpenDir(path)
	}
	if err != nil {
		return nil, err
	}
	if !d.Exclusive() {
		return nil, errors.Join(fmt.Errorf("others can change what lies in %s: remove it", d.Path()), d.Close())
	}
	if err := d.File().Chmod(0o700); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// journal is the list of everything a lab has made, kept in a file so that
// Clean can undo it after the lab was killed.
type journal struct {
	dir  *safefile.Dir
	name string

	mu    sync.Mutex
	file  *os.File
	items []made
}

const stateSuffix = ".json"

// newJournal creates the state file of one run.
func newJournal(h header) (*journal, error) {
	dir, err := openState(true)
	if err != nil {
		return nil, fmt.Errorf("create the lab's state file, without which leftovers could not be removed: %w", err)
	}
	j := &journal{dir: dir, name: h.ID + stateSuffix}
	if j.file, err = dir.Create(j.name, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("create the lab's state file, without which leftovers could not be removed: %w", err), dir.Close())
	}
	return j, j.write(h)
}

func (j *journal) write(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode a line of the lab's state file: %w", err)
	}
	// One write per line, so that a kill leaves whole lines.
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write the lab's state file %s: %w", j.file.Name(), err)
	}
	return nil
}

// add notes a thing. It is called before the thing is made, except for
// processes, whose PID is not known earlier; they carry a mark in their
// environment instead.
func (j *journal) add(m made) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.write(m); err != nil {
		return err
	}
	j.items = append(j.items, m)
	return nil
}

// drop forgets a thing that was undone early. The file keeps its line:
// undoing twice does no harm.
func (j *journal) drop(kind, name string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for i := len(j.items) - 1; i >= 0; i-- {
		if j.items[i].Kind == kind && j.items[i].Name == name {
			j.items = append(j.items[:i], j.items[i+1:]...)
			return
		}
	}
}

// list returns everything noted, oldest first.
func (j *journal) list() []made {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]made(nil), j.items...)
}

// close removes the state file: nothing is left.
func (j *journal) close() error {
	err := errors.Join(j.file.Close(), j.dir.Remove(j.name), j.dir.Close())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the lab's state file: %w", err)
	}
	return nil
}

// maxState bounds a state file. A lab makes some hundred things of a hundred bytes.
const maxState = 4 << 20

// readJournal reads a state file that another run left. A torn last line is
// ignored: what it would have named was not made yet.
func readJournal(dir *safefile.Dir, name string) (h header, items []made, err error) {
	f, err := dir.Open(name)
	if err != nil {
		return h, nil, fmt.Errorf("read a lab's state file: %w", err)
	}
	defer f.Close()
	if err := ours(f); err != nil {
		return h, nil, err
	}
	text, err := safefile.ReadAll(f, maxState)
	if err != nil {
		return h, nil, fmt.Errorf("read a lab's state file: %w", err)
	}
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	if err := json.Unmarshal(first, &h); err != nil {
		return header{}, nil, fmt.Errorf("state file %s does not begin with a lab's header: %w", f.Name(), errTorn)
	}
	if !isID(h.ID) || h.ID+stateSuffix != name {
		return header{}, nil, fmt.Errorf("state file %s claims to be of lab %q: remove it", f.Name(), h.ID)
	}
	for line := range bytes.Lines(rest) {
		var m made
		if json.Unmarshal(line, &m) == nil && m.Kind != "" {
			items = append(items, m)
		}
	}
	return h, items, nil
}

// errTorn says that a state file was torn at its first write: nothing that it
// would have named was made.
var errTorn = errors.New("it was torn")

// ours says what is wrong with a state file that another user wrote.
func ours(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("state file %s belongs to another user: remove it", f.Name())
	}
	return nil
}

// isID says whether a text may be a lab's ID, as randomID makes them.
func isID(s string) bool {
	return len(s) == 8 && strings.Trim(s, "0123456789abcdef") == ""
}
