// Package blockio is the source of requests of block devices: how long they wait in the
// queue and how long the device takes, by device, operation and process.
package blockio

import (
	"context"
	_ "embed"
	"time"

	"rtrail/internal/probe/event"
	"rtrail/internal/recording"
)

//go:generate ../../kernel/build blockio ../event/blockio

//go:embed blockio.o
var object []byte

// Source is one run's. It is not for concurrent use.
type Source struct {
	set     *event.Set
	sums    *event.Sums[key, sum]
	clock   event.Clock
	stretch event.Stretch
	crowd   event.Crowd
}

// New makes the source.
func New() *Source { return &Source{} }

// Name is the word users see.
func (s *Source) Name() string { return "block" }

// Help says what it reads.
func (s *Source) Help() string {
	return "requests of block devices, their time in the queue and in the device: block_io_start, block_rq_issue, block_io_done; where these are missing block_rq_insert, block_rq_complete"
}

// Fills lists the tables it writes.
func (s *Source) Fills() []recording.Table { return []recording.Table{recording.BlockIO} }

// Object is bpf/blockio.c.
func (s *Source) Object() event.Object {
	return event.Object{ELF: object, Paused: event.Stateless, Stays: true, Enums: []string{operations, earlyOperations}, Hooks: []event.Hook{
		{Tracepoint: "block_io_start", Programs: []event.Variant{{Arguments: "p", Program: atStart}}},
		{Tracepoint: "block_rq_issue", Programs: []event.Variant{{Arguments: "p", Program: "issued"}, {Arguments: "pp", Program: "issued_by_queue"}}},
		{Tracepoint: "block_io_done", Programs: []event.Variant{{Arguments: "p", Program: atEnd}}},
		{Tracepoint: "block_rq_insert", InsteadOf: "block_io_start", Programs: []event.Variant{{Arguments: "p", Program: "inserted"}, {Arguments: "pp", Program: "inserted_by_queue"}}},
		{Tracepoint: "block_rq_complete", InsteadOf: "block_io_done", Programs: []event.Variant{{Arguments: "pii", Program: "completed"}}},
	}}
}

// Programs of bpf/blockio.c at tracepoints that Linux has since 6.5.
const (
	atStart = "started"
	atEnd   = "done"
)

// Open finds what is summed up.
func (s *Source) Open(set *event.Set) (err error) {
	if s.sums, err = event.OpenSums[key, sum](set); err != nil {
		return err
	}
	s.set = set
	if set.Program(atStart) == nil {
		if err := set.Set("early", uint32(1)); err != nil {
			return err
		}
	}
	s.clock, err = event.ReadClock()
	return err
}

// Attaching begins to count.
func (s *Source) Attaching() error {
	s.stretch.Begin(s.set)
	return s.set.Run("begin")
}

// Close has nothing to give back.
func (s *Source) Close() error { return nil }

// Read writes what was summed up since the last time.
func (s *Source) Read(_ context.Context, w *recording.Writer, _ bool) error {
	now := time.Now()
	keys, sums, err := s.sums.Take()
	if err != nil {
		return err
	}
	recording.Give(w, s.rows(keys, sums, now, s.stretch.Next(now)))
	return s.crowd.Tell(s.set, w, s.Name(), "requests of block devices", "there were more at a time, or of more different processes, than there is room for")
}
