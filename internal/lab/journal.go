package lab

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
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
	madeFile    = "file"    // Name: a kernel file that was written, Old: what it held
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

// stateDirs are where journals may be, best first. A directory in memory is
// right: what a lab makes does not outlive a boot either.
var stateDirs = []string{"/run/rtrail-lab", filepath.Join(os.TempDir(), "rtrail-lab-state")}

// journal is the list of everything a lab has made, kept in a file so that
// Clean can undo it after the lab was killed.
type journal struct {
	path string

	mu    sync.Mutex
	file  *os.File
	items []made
}

// newJournal creates the state file of one run in the first folder that can
// be written.
func newJournal(h header) (*journal, error) {
	var errs []error
	for _, dir := range stateDirs {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			errs = append(errs, err)
			continue
		}
		path := filepath.Join(dir, h.ID+".json")
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		j := &journal{path: path, file: f}
		return j, j.write(h)
	}
	return nil, fmt.Errorf("create the lab's state file, without which leftovers could not be removed: %w", errors.Join(errs...))
}

func (j *journal) write(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode a line of the lab's state file: %w", err)
	}
	// One write per line, so that a kill leaves whole lines.
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write the lab's state file %s: %w", j.path, err)
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
	j.file.Close()
	if err := os.Remove(j.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the lab's state file: %w", err)
	}
	os.Remove(filepath.Dir(j.path)) // succeeds only when it is the last
	return nil
}

// readJournal reads a state file that another run left. A torn last line is
// ignored: what it would have named was not made yet.
func readJournal(path string) (header, []made, error) {
	f, err := os.Open(path)
	if err != nil {
		return header{}, nil, fmt.Errorf("read a lab's state file: %w", err)
	}
	defer f.Close()
	var h header
	var items []made
	scanner := bufio.NewScanner(f)
	for first := true; scanner.Scan(); first = false {
		line := strings.TrimSpace(scanner.Text())
		if first {
			if err := json.Unmarshal([]byte(line), &h); err != nil {
				return header{}, nil, fmt.Errorf("state file %s does not begin with a lab's header: %w", path, err)
			}
			continue
		}
		var m made
		if json.Unmarshal([]byte(line), &m) == nil && m.Kind != "" {
			items = append(items, m)
		}
	}
	return h, items, scanner.Err()
}
