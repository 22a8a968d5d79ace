// Package syncs is the source of calls that wait until data is on the disk: which
// process, which file, how long.
package syncs

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"rtrail/internal/probe/event"
	"rtrail/internal/probe/kernel"
	"rtrail/internal/probe/thread"
	"rtrail/internal/recording"
)

//go:generate ../../kernel/build syncs ../event/syncs

//go:embed syncs.o
var object []byte

// Calls that name a file, and others.
var (
	ofFile = []string{"fsync", "fdatasync", "sync_file_range", "sync_file_range2", "syncfs"}
	others = []string{"msync", "sync"}
)

// Source is one run's. It is not for concurrent use.
type Source struct {
	all     bool
	set     *event.Set
	sums    *event.Sums[key, sum]
	paths   *event.Paths
	clock   event.Clock
	stretch event.Stretch
	crowd   event.Crowd
	pending *kernel.Iterator // nil: only of ext4
}

// New makes the source that sees these calls on all filesystems, by a look at each
// system call of the host.
func New() *Source { return &Source{all: true} }

// OfExt4 makes the source that sees them on ext4 only, and costs nothing but for
// them. It also sees synchronous writes and what threads of the kernel sync.
func OfExt4() *Source { return &Source{} }

// pendingProgram counts calls that go on.
const pendingProgram = "under_way"

// Name is the word users see.
func (s *Source) Name() string { return "sync" }

// Help says what it reads.
func (s *Source) Help() string {
	if s.all {
		return "calls that wait until data is on the disk, by file: fsync, fdatasync, msync, sync_file_range; sys_enter, sys_exit"
	}
	return "calls that wait until data of ext4 is on the disk, by file: ext4_sync_file_enter, ext4_sync_file_exit; --events all sees other filesystems, too"
}

// Fills lists the tables it writes.
func (s *Source) Fills() []recording.Table { return []recording.Table{recording.Syncs} }

// Object is bpf/syncs.c.
func (s *Source) Object() event.Object {
	if !s.all {
		return event.Object{ELF: object, Unused: []string{"sync_entered", "sync_left", pendingProgram}, Hooks: []event.Hook{
			{Tracepoint: "ext4_sync_file_enter", Module: "ext4", Programs: []event.Variant{{Arguments: "pi", Program: "ext4_entered"}}},
			{Tracepoint: "ext4_sync_file_exit", Module: "ext4", Programs: []event.Variant{{Arguments: "pi", Program: "ext4_left"}}},
		}}
	}
	return event.Object{ELF: object, Paused: s.visit, Unused: []string{"ext4_entered", "ext4_left"}, Hooks: []event.Hook{
		{Tracepoint: "sys_enter", Programs: []event.Variant{{Arguments: "pi", Program: "sync_entered"}}},
		{Tracepoint: "sys_exit", Programs: []event.Variant{{Arguments: "pi", Program: "sync_left"}}},
	}}
}

// Open says which calls to look at.
func (s *Source) Open(set *event.Set) (err error) {
	if s.sums, err = event.OpenSums[key, sum](set); err != nil {
		return err
	}
	s.set, s.paths = set, event.NewPaths(set)
	files, all := bits(ofFile), bits(others)
	for i := range all {
		all[i] |= files[i]
	}
	s.clock, err = event.ReadClock()
	if err := errors.Join(err, set.Set("of_file", files), set.Set("wanted", all)); err != nil {
		return err
	}
	if s.all {
		s.pending, err = kernel.NewIterator(pendingProgram, set.Program(pendingProgram))
	}
	return err
}

// bits has one for the number of each call.
func bits(names []string) (set [maxNumber / 64]uint64) {
	for _, n := range thread.SyscallNumbers(names...) {
		if n < maxNumber {
			set[n/64] |= 1 << (n % 64)
		}
	}
	return set
}

// Attaching begins to count.
func (s *Source) Attaching() error {
	s.stretch.Begin(s.set)
	return s.set.Run("begin")
}

// visit counts calls that go on when a slice ends.
func (s *Source) visit() error { return s.pending.Each(func(b []byte) int { return len(b) }) }

// Close gives back the iterator.
func (s *Source) Close() error {
	if s.pending == nil {
		return nil
	}
	return s.pending.Close()
}

// Read writes what was summed up since the last time.
func (s *Source) Read(_ context.Context, w *recording.Writer, _ bool) error {
	now := time.Now()
	keys, sums, err := s.sums.Take()
	if err != nil {
		return err
	}
	recording.Give(w, s.rows(keys, sums, now, s.stretch.Next(now)))
	return errors.Join(s.crowd.Tell(s.set, w, s.Name(), "calls that wait for a disk", fmt.Sprintf("there were more than %d of different processes and files", maxSums)), s.paths.Tell(w, s.Name()))
}
