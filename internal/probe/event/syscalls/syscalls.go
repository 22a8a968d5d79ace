// Package syscalls is the source of how many system calls each process makes, how
// long they take and which errors they return.
package syscalls

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"rtrail/internal/probe/event"
	"rtrail/internal/probe/kernel"
	"rtrail/internal/recording"
)

//go:generate ../../kernel/build syscalls ../event/syscalls

//go:embed syscalls.o
var object []byte

// DefaultEvery is how often sums are read.
const DefaultEvery = 10 * time.Second

// Source is one run's. It is not for concurrent use.
type Source struct {
	every   time.Duration
	set     *event.Set
	sums    *event.Sums[key, sum]
	clock   event.Clock
	stretch event.Stretch
	crowd   event.Crowd
	pending *kernel.Iterator
}

// New makes the source. Sums are read at this interval, or later; 0: DefaultEvery.
func New(every time.Duration) *Source {
	if every <= 0 {
		every = DefaultEvery
	}
	return &Source{every: every}
}

// Name is the word users see.
func (s *Source) Name() string { return "syscalls" }

// Help says what it reads.
func (s *Source) Help() string {
	return "system calls of each process, their time and their errors: sys_enter, sys_exit"
}

// Fills lists the tables it writes.
func (s *Source) Fills() []recording.Table { return []recording.Table{recording.Syscalls} }

// Object is bpf/syscalls.c.
func (s *Source) Object() event.Object {
	return event.Object{ELF: object, Paused: s.visit, Visits: "under_way", Hooks: []event.Hook{
		{Tracepoint: "sys_enter", Programs: []event.Variant{{Arguments: "pi", Program: "entered"}}},
		{Tracepoint: "sys_exit", Programs: []event.Variant{{Arguments: "pi", Program: "left"}}},
	}}
}

// Open finds what is summed up.
func (s *Source) Open(set *event.Set) (err error) {
	if s.sums, err = event.OpenSums[key, sum](set); err != nil {
		return err
	}
	s.set = set
	if s.clock, err = event.ReadClock(); err != nil {
		return err
	}
	if under := set.Program("under_way"); under != nil {
		s.pending, err = kernel.NewIterator("under_way", under)
	}
	return err
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
func (s *Source) Read(_ context.Context, w *recording.Writer, last bool) error {
	now := time.Now()
	if !last && s.stretch.Since(now) < s.every-s.every/8 { // samples come a little early or late
		return nil
	}
	keys, sums, err := s.sums.Take()
	if err != nil {
		return err
	}
	recording.Give(w, s.rows(keys, sums, now, s.stretch.Next(now)))
	return s.crowd.Tell(s.set, w, s.Name(), "system calls", fmt.Sprintf("there were more than %d of different processes, calls and errors", maxSums))
}
