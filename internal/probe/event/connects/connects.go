// Package connects is the source of TCP connects: which process, to whom, how long they
// take and how they end; and of how many connections come in at which port.
package connects

import (
	"context"
	_ "embed"
	"errors"
	"time"

	"rtrail/internal/probe/event"
	"rtrail/internal/recording"
)

//go:generate ../../kernel/build connects ../event/connects

//go:embed connects.o
var object []byte

// maxEvents is how many connects are kept between two samples, if each is told.
const maxEvents = 100_000

// Source is one run's. It is not for concurrent use.
type Source struct {
	each    bool
	set     *event.Set
	sums    *event.Sums[key, sum]
	ring    *event.Ring // nil: sums
	events  event.Bounded[recording.Connect]
	clock   event.Clock
	stretch event.Stretch
	crowd   event.Crowd
}

// New makes the source that sums up connects.
func New() *Source { return &Source{} }

// Each makes the source that tells each connect, and of none that come in.
func Each() *Source {
	return &Source{each: true, events: event.Bounded[recording.Connect]{Max: maxEvents}}
}

// Name is the word users see.
func (s *Source) Name() string { return "connects" }

// Help says what it reads.
func (s *Source) Help() string {
	return "TCP connects by process and destination, with their time and result, and connections that come in: inet_sock_set_state"
}

// Fills lists the tables it writes.
func (s *Source) Fills() []recording.Table { return []recording.Table{recording.Connects} }

// Object is bpf/connects.c.
func (s *Source) Object() event.Object {
	o := event.Object{ELF: object, Hooks: []event.Hook{
		{Tracepoint: "inet_sock_set_state", Programs: []event.Variant{{Arguments: "pii", Program: "state_set"}}},
	}}
	if !s.each {
		o.Paused, o.Stays = event.Stateless, true
	}
	return o
}

// Open finds what is summed up, or reads each connect.
func (s *Source) Open(set *event.Set) (err error) {
	s.set = set
	if s.clock, err = event.ReadClock(); err != nil {
		return err
	}
	if !s.each {
		s.sums, err = event.OpenSums[key, sum](set)
		return err
	}
	if err := set.Set("each", uint32(1)); err != nil {
		return err
	}
	s.ring, err = event.OpenRing(set, func(b []byte) {
		if row, ok := s.row(b); ok {
			s.events.Add(row)
		}
	})
	return err
}

// Attaching begins to count.
func (s *Source) Attaching() error {
	s.stretch.Begin(s.set)
	return s.set.Run("begin")
}

// Close ends reading of events.
func (s *Source) Close() error {
	if s.ring == nil {
		return nil
	}
	return s.ring.Close()
}

// Read writes what was summed up or told since the last time.
func (s *Source) Read(_ context.Context, w *recording.Writer, _ bool) error {
	now := time.Now()
	if s.ring != nil {
		lost, err := s.ring.Drain()
		rows, more := s.events.Take()
		w.Lost(lost + more)
		recording.Give(w, rows)
		return errors.Join(err, s.tell(w))
	}
	keys, sums, err := s.sums.Take()
	if err := errors.Join(err, s.set.Set("apart", uint32(0))); err != nil {
		return err
	}
	recording.Give(w, s.rows(keys, sums, now, s.stretch.Next(now)))
	return s.tell(w)
}

func (s *Source) tell(w *recording.Writer) error {
	return s.crowd.Tell(s.set, w, s.Name(), "TCP connects", "there were more at a time, or of more different processes and ports, than there is room for")
}
