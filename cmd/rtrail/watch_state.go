package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/crash"
	"rtrail/internal/outfile"
	"rtrail/internal/safefile"
	"rtrail/internal/watch"
)

// keeps is the file that remembers what was notified; "": none does.
func (n *nightWatch) keeps() string {
	if n.state != "" || len(n.targets) == 0 {
		return n.state
	}
	dir, _, _ := strings.Cut(os.Getenv("STATE_DIRECTORY"), ":")
	switch {
	case filepath.IsAbs(dir):
	case os.Geteuid() == 0:
		dir = "/var/lib/rtrail"
	default:
		return ""
	}
	return filepath.Join(dir, "watch.json")
}

// stateKeeper writes a state without anybody waiting for the disk. A nil one keeps nothing.
type stateKeeper struct {
	path string
	lock *os.File // against other watches; nil: there is none
	warn func(string)
	done chan bool // whether all was written

	mu     sync.Mutex
	wake   *sync.Cond
	next   *watch.State
	ends   bool
	failed bool
}

// openState reads the state of an earlier run. What cannot be read is an error, and stays
// as it is; so is a state that another watch keeps.
func openState(path, host string) (_ *stateKeeper, _ watch.State, err error) {
	path, err = filepath.Abs(path)
	if err != nil {
		return nil, watch.State{}, err
	}
	dir, err := safefile.MakeDir(filepath.Dir(path), 0o750)
	if err != nil {
		return nil, watch.State{}, err
	}
	defer dir.Close()
	lock, taken := lockBeside(dir, filepath.Base(path))
	if taken {
		return nil, watch.State{}, errors.New("another watch keeps its state there; give this one its own with --state")
	}
	defer func() {
		if err != nil {
			lock.Close()
		}
	}()
	k := &stateKeeper{path: path, lock: lock, done: make(chan bool, 1)}
	k.wake = sync.NewCond(&k.mu)
	owners := []uint32{0, uint32(os.Geteuid())}
	if id, ok := safefile.Invoker(); ok {
		owners = append(owners, id.UID)
	}
	f, err := safefile.OpenOwned("/", path, owners...)
	if errors.Is(err, fs.ErrNotExist) {
		return k, watch.State{}, nil
	}
	if err != nil {
		return nil, watch.State{}, err
	}
	defer f.Close()
	b, err := safefile.ReadAll(f, watch.MaxState)
	if err != nil {
		return nil, watch.State{}, err
	}
	s, err := watch.DecodeState(b, host, time.Now())
	if err != nil {
		return nil, watch.State{}, fmt.Errorf("this is no state that can be used: %w; remove it to begin afresh", err)
	}
	return k, s, nil
}

// lockBeside locks a file beside a state, which itself is a new file after each write. taken: another
// watch has the lock. Where there can be none, as on a full disk, nobody is kept away.
func lockBeside(dir *safefile.Dir, state string) (lock *os.File, taken bool) {
	lock, err := dir.Create(state+".lock", 0o600)
	if errors.Is(err, fs.ErrExist) {
		lock, err = dir.Open(state + ".lock")
	}
	if err != nil {
		return nil, false
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		lock.Close()
		return nil, errors.Is(err, unix.EWOULDBLOCK)
	}
	return lock, false
}

// start begins to write what is put.
func (k *stateKeeper) start(warn func(string)) {
	if k == nil {
		return
	}
	k.warn = warn
	go func() {
		if err := crash.Guard(func() error { k.run(); return nil }); err != nil {
			k.warn(err.Error())
			k.done <- false
		}
	}()
}

func (k *stateKeeper) run() {
	for {
		k.mu.Lock()
		for k.next == nil && !k.ends {
			k.wake.Wait()
		}
		s := k.next
		k.next = nil
		k.mu.Unlock()
		if s == nil {
			k.done <- !k.failed
			return
		}
		k.write(s)
	}
}

func (k *stateKeeper) write(s *watch.State) {
	b, err := s.Encode()
	if err == nil {
		err = outfile.Write(context.Background(), k.path, func(f *outfile.File) error {
			_, err := f.Write(b)
			return cmp.Or(err, f.Sync())
		})
	}
	if failed := err != nil; failed != k.failed {
		k.failed = failed
		if failed {
			k.warn(fmt.Sprintf("the state was not saved: %v; after a restart notices may come again", err))
		} else {
			k.warn("the state is saved again")
		}
	}
}

// put has a state written in place of earlier ones.
func (k *stateKeeper) put(s watch.State) {
	if k == nil {
		return
	}
	k.mu.Lock()
	k.next = &s
	k.mu.Unlock()
	k.wake.Signal()
}

// close writes the last state, lets it go, and says whether it is on the disk in time.
func (k *stateKeeper) close(s watch.State, patience time.Duration) bool {
	if k == nil {
		return false
	}
	k.put(s)
	k.mu.Lock()
	k.ends = true
	k.mu.Unlock()
	k.wake.Signal()
	select {
	case ok := <-k.done:
		k.lock.Close()
		return ok
	case <-time.After(patience):
		return false
	}
}
