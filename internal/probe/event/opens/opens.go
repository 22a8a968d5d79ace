// Package opens is the source of files that processes open, or fail to open, one
// event each.
package opens

import (
	"context"
	_ "embed"
	"errors"

	"rtrail/internal/probe/event"
	"rtrail/internal/probe/thread"
	"rtrail/internal/recording"
)

//go:generate ../../kernel/build opens ../event/opens

//go:embed opens.o
var object []byte

// maxEvents bounds what is kept between two samples.
const maxEvents = 100_000

// Calls of bpf/opens.c, by what they pass.
var calls = [...]string{1: "open", 2: "openat", 3: "openat2", 4: "creat"}

// maxNumber bounds the numbers of calls.
const maxNumber = 512

// Source is one run's. It is not for concurrent use.
type Source struct {
	ring   *event.Ring
	events event.Bounded[recording.FileOpen]
	clock  event.Clock
	wrong  error // of the goroutine that reads the ring
}

// New makes the source.
func New() *Source { return &Source{events: event.Bounded[recording.FileOpen]{Max: maxEvents}} }

// Name is the word users see.
func (s *Source) Name() string { return "opens" }

// Help says what it reads.
func (s *Source) Help() string { return "files that are opened, and opens that fail; sys_exit" }

// Fills lists the tables it writes.
func (s *Source) Fills() []recording.Table { return []recording.Table{recording.FileOpens} }

// Object is bpf/opens.c.
func (s *Source) Object() event.Object {
	return event.Object{ELF: object, Hooks: []event.Hook{
		{Tracepoint: "sys_exit", Programs: []event.Variant{{Arguments: "pi", Program: "opened"}}},
	}}
}

// Open says which calls to look at, and begins to read the ring buffer.
func (s *Source) Open(set *event.Set) (err error) {
	var kinds [maxNumber]uint8
	for kind, name := range calls {
		for _, n := range thread.SyscallNumbers(name) {
			if n < maxNumber {
				kinds[n] = uint8(kind)
			}
		}
	}
	if s.clock, err = event.ReadClock(); err != nil {
		return err
	}
	if err := errors.Join(set.Set("kinds", kinds), set.Run("begin")); err != nil {
		return err
	}
	s.ring, err = event.OpenRing(set, s.take)
	return err
}

// Attaching has nothing to do.
func (s *Source) Attaching() error { return nil }

// Close ends reading.
func (s *Source) Close() error { return s.ring.Close() }

// Read writes the events since the last time.
func (s *Source) Read(_ context.Context, w *recording.Writer, _ bool) error {
	lost, err := s.ring.Drain()
	list, more := s.events.Take()
	w.Lost(lost + more)
	recording.Give(w, list)
	return errors.Join(err, s.wrong)
}

// take makes a row of an event.
func (s *Source) take(b []byte) {
	row, err := s.row(b)
	if err != nil {
		s.wrong = err
		return
	}
	s.events.Add(row)
}
