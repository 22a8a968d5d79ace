// Package env gives experiments on this machine a place of their own: processes,
// network namespaces, control groups, filesystems and settings of the kernel,
// all of which are undone at the end, also after a kill. It knows nothing of
// servers, loads and what is to be found out.
package env

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/safefile"
)

// Env is the place one run of a case happens in: a temporary folder, own
// processes, network namespaces, cgroups and loop devices. Everything that is
// made through it is undone by Cleanup, in reverse order, and is noted in a
// state file first, so that Clean can undo it when the lab itself was killed.
//
// All methods may be used from several goroutines.
type Env struct {
	ID   string // random, part of every name the lab gives
	Case string
	Dir  string // temporary folder of this run

	progress io.Writer
	journal  *journal

	mu      sync.Mutex
	procs   []*Proc
	started int // number of processes started, names their output files
	subnets int // number of 10.213.x.0/24 networks handed out
	parts   int
	links   int
	hooks   map[int]hook
	hookID  int
	cleaned bool
}

// hook is an action that Cleanup runs before it undoes what is journalled.
type hook struct {
	what string
	do   func() error
}

// New makes the folder and the state file of one run. Progress is written
// to progress, if not nil.
func New(caseID string, progress io.Writer) (*Env, error) {
	id := randomID()
	// What this program inherited, such as the lock file of flock(1), is not
	// for servers that may outlive a killed lab.
	if err := unix.CloseRange(3, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC); err != nil && !errors.Is(err, unix.ENOSYS) {
		return nil, fmt.Errorf("keep inherited files from the lab's processes: %w", err)
	}
	if progress == nil {
		progress = io.Discard
	}
	start, err := startTime(os.Getpid())
	if err != nil {
		return nil, err
	}
	j, err := newJournal(header{ID: id, Case: caseID, PID: os.Getpid(), Start: start})
	if err != nil {
		return nil, err
	}
	e := &Env{
		ID: id, Case: caseID, Dir: filepath.Join(os.TempDir(), namePrefix+id),
		progress: progress, journal: j, hooks: map[int]hook{},
	}
	if err := j.add(made{Kind: madeDir, Name: e.Dir}); err != nil {
		return nil, err
	}
	// Servers such as nginx and MariaDB drop to users of their own, and must
	// still reach their files.
	if err := makeFolder(e.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("create the lab's folder: %w", errors.Join(err, j.close()))
	}
	return e, nil
}

// subnetsOfAPart is how many networks an Env and each of its parts can hand out.
const subnetsOfAPart = 32

// Part gives another experiment a place beside that of e, in which no name, file or
// address of the one is in the way of the other. Cleanup of e cleans it up as well.
func (e *Env) Part(name string) (*Env, error) {
	part, err := New(name, e.progress)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	e.parts++
	part.subnets = e.parts * subnetsOfAPart
	e.mu.Unlock()
	e.Defer(name, part.Cleanup)
	return part, nil
}

// makeFolder makes the folder of a run where none but its owner can replace it.
func makeFolder(path string, mode fs.FileMode) error {
	parent, err := safefile.OpenDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer parent.Close()
	if id, ok := parent.Invokers(); ok {
		return fmt.Errorf("%s belongs to user %d, who could replace what root writes there: set TMPDIR to a directory of root", parent.Path(), id.UID)
	}
	made, err := parent.Mkdir(filepath.Base(path), mode)
	if err != nil {
		return err
	}
	return made.Close()
}

func randomID() string {
	var b [4]byte
	rand.Read(b[:]) // never fails: crypto/rand aborts the program instead
	return hex.EncodeToString(b[:])
}

// Logf reports progress to the user.
func (e *Env) Logf(format string, args ...any) {
	fmt.Fprintf(e.progress, format+"\n", args...)
}

// Path returns the path of a file in the lab's folder.
func (e *Env) Path(name string) string { return filepath.Join(e.Dir, name) }

// WriteFile writes a file into the lab's folder and returns its path.
func (e *Env) WriteFile(name, content string) (string, error) {
	path := e.Path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", fmt.Errorf("write %s for the lab: %w", name, err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		return "", fmt.Errorf("write %s for the lab: %w", name, err)
	}
	return path, nil
}

// Defer has Cleanup call do, after later hooks and before it undoes what is
// journalled. It is for things inside this process, such as a goroutine that
// drives load or holds connections: they end with the process anyway and need
// no journal. The returned function runs it early, once.
func (e *Env) Defer(what string, do func() error) (early func() error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.hookID++
	id := e.hookID
	e.hooks[id] = hook{what, do}
	return func() error {
		e.mu.Lock()
		h, ok := e.hooks[id]
		delete(e.hooks, id)
		e.mu.Unlock()
		if !ok {
			return nil
		}
		return h.do()
	}
}

// Background runs do in a goroutine until it returns or Cleanup cancels its
// context and waits for it. stop does the same early.
func (e *Env) Background(what string, do func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		do(ctx)
	}()
	early := e.Defer(what, func() error {
		cancel()
		select {
		case <-done:
			return nil
		case <-time.After(5 * time.Second):
			return errors.New("did not stop within 5 s")
		}
	})
	return func() { _ = early() }
}

// Cleanup stops and removes everything that was made, newest first. It can be
// called more than once. When something could not be removed the state file
// stays, for Clean.
func (e *Env) Cleanup() error {
	e.mu.Lock()
	if e.cleaned {
		e.mu.Unlock()
		return nil
	}
	e.cleaned = true
	hooks := e.hooks
	last := e.hookID
	e.hooks = map[int]hook{}
	e.mu.Unlock()

	var errs []error
	for id := last; id > 0; id-- {
		if h, ok := hooks[id]; ok {
			if err := h.do(); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", h.what, err))
			}
		}
	}
	if err := undoAll(e.ID, e.journal.list()); err != nil {
		errs = append(errs, err)
	}
	e.reap()
	if len(errs) > 0 {
		return fmt.Errorf("clean up after %s (rtrail lab clean tries again): %w", e.Case, errors.Join(errs...))
	}
	return e.journal.close()
}

// reap waits for the processes this lab started, so that none stays behind
// as a zombie of a lab that goes on to the next case.
func (e *Env) reap() {
	e.mu.Lock()
	procs := e.procs
	e.mu.Unlock()
	for _, p := range procs {
		select {
		case <-p.done:
		case <-time.After(2 * time.Second):
		}
	}
}
