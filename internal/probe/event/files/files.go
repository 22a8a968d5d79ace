// Package files is the source of what processes do with files: which one, how many
// bytes, by how many calls.
package files

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"sync"
	"time"

	"rtrail/internal/probe/event"
	"rtrail/internal/probe/thread"
	"rtrail/internal/recording"
)

//go:generate ../../kernel/build files ../event/files

//go:embed files.o
var object []byte

// Kinds of system calls of bpf/files.c.
var calls = [...][]string{
	1: {"read", "pread64", "readv", "preadv", "preadv2"},
	2: {"write", "pwrite64", "writev", "pwritev", "pwritev2"},
	3: {"sendfile"},
	4: {"splice", "copy_file_range"},
	5: {"open", "openat", "openat2", "creat"},
	6: {"unlink"},
	7: {"unlinkat"},
	8: {"rmdir"},
}

// Source is one run's. It is not for concurrent use.
type Source struct {
	set     *event.Set
	sums    *event.Sums[key, sum]
	paths   *event.Paths
	clock   event.Clock
	stretch event.Stretch
	ring    *event.Ring
	gone    event.Bounded[event.Named] // deletions
	mu      sync.Mutex                 // guards what follows
	wrong   error                      // of the goroutine that reads the ring
	crowd   event.Crowd
}

// New makes the source.
func New() *Source { return &Source{gone: event.Bounded[event.Named]{Max: maxDeletions}} }

// Name is the word users see.
func (s *Source) Name() string { return "files" }

// Help says what it reads.
func (s *Source) Help() string {
	return "bytes and calls of each process and file, opens, new and deleted files; sys_exit"
}

// Fills lists the tables it writes.
func (s *Source) Fills() []recording.Table { return []recording.Table{recording.Files} }

// Object is bpf/files.c.
func (s *Source) Object() event.Object {
	return event.Object{ELF: object, Paused: event.Stateless, Hooks: []event.Hook{
		{Tracepoint: "sys_exit", Programs: []event.Variant{{Arguments: "pi", Program: "file_used"}}},
	}}
}

// Open says which calls to look at.
func (s *Source) Open(set *event.Set) (err error) {
	if s.sums, err = event.OpenSums[key, sum](set); err != nil {
		return err
	}
	s.set, s.paths = set, event.NewPaths(set)
	var kinds [maxNumber]uint8
	for kind, names := range calls {
		for _, n := range thread.SyscallNumbers(names...) {
			if n < maxNumber {
				kinds[n] = uint8(kind)
			}
		}
	}
	if s.clock, err = event.ReadClock(); err != nil {
		return err
	}
	if err := set.Set("kinds", kinds); err != nil {
		return err
	}
	s.ring, err = event.OpenRing(set, s.take)
	return err
}

// take keeps a deletion.
func (s *Source) take(b []byte) {
	n, err := event.ParseNamed(b)
	if err != nil {
		s.mu.Lock()
		s.wrong = err
		s.mu.Unlock()
		return
	}
	s.gone.Add(n)
}

// Attaching begins to count.
func (s *Source) Attaching() error {
	s.stretch.Begin(s.set)
	return s.set.Run("begin")
}

// Close ends reading.
func (s *Source) Close() error { return s.ring.Close() }

// Read writes what was summed up since the last time.
func (s *Source) Read(_ context.Context, w *recording.Writer, _ bool) error {
	now := time.Now()
	keys, sums, err := s.sums.Take()
	if err != nil {
		return err
	}
	if err := s.set.Set([...]string{"held", "held_too"}[s.sums.Emptied()], uint32(0)); err != nil {
		return err
	}
	if _, err := s.ring.Drain(); err != nil {
		return err
	}
	deletions, more := s.gone.Take()
	w.Lost(more) // what finds no room in the ring is counted by process
	if err := s.set.Set("deletions", uint32(0)); err != nil {
		return err
	}
	s.mu.Lock()
	wrong := s.wrong
	s.wrong = nil
	s.mu.Unlock()
	of := s.stretch.Next(now)
	recording.Give(w, s.withDeletions(s.rows(keys, sums, now, of), deletions, now, of))
	return errors.Join(wrong, s.crowd.Tell(s.set, w, s.Name(), "calls that use files", fmt.Sprintf("there were more than %d of different processes and files", maxSums)), s.paths.Tell(w, s.Name()))
}
