// Package exec is the source of processes that are made, begin programs and end,
// with arguments, parent, lifetime and exit status: also of those that live too
// briefly to be seen in /proc.
package exec

import (
	"bytes"
	"context"
	_ "embed"
	"errors"

	"rtrail/internal/probe/event"
	"rtrail/internal/recording"
	"rtrail/internal/redact"
)

//go:generate ../../kernel/build exec ../event/exec

//go:embed exec.o
var object []byte

const (
	// maxEvents bounds what is kept between two samples: with a second between
	// them it is more than one CPU can start and end.
	maxEvents = 8192
	// maxKnown bounds the processes whose arguments are remembered until they end.
	maxKnown = 4096
	// maxLines bounds the command lines whose redacted form is remembered: loops
	// start the same ones again and again.
	maxLines = 1024
)

// Source is one run's. It is not for concurrent use.
type Source struct {
	ring   *event.Ring
	events event.Bounded[recording.ProcessEvent]

	// Of the goroutine that reads the ring.
	clock event.Clock
	known map[int32]string  // command lines of live processes that began here
	lines map[string]string // redacted command lines
	wrong error
}

// New makes the source.
func New() *Source {
	return &Source{events: event.Bounded[recording.ProcessEvent]{Max: maxEvents}, known: map[int32]string{}, lines: map[string]string{}}
}

// Name is the word users see.
func (s *Source) Name() string { return "exec" }

// Help says what it reads.
func (s *Source) Help() string {
	return "processes as they are made, begin programs and end: sched_process_fork, _exec, _exit"
}

// Fills lists the tables it writes.
func (s *Source) Fills() []recording.Table { return []recording.Table{recording.ProcessEvents} }

// Object is bpf/exec.c.
func (s *Source) Object() event.Object {
	return event.Object{ELF: object, Hooks: []event.Hook{
		{Tracepoint: "sched_process_fork", Programs: []event.Variant{{Arguments: "pp", Program: "forked"}}, Without: "processes that fork"},
		{Tracepoint: "sched_process_exec", Programs: []event.Variant{{Arguments: "p", Program: "executed"}}},
		{Tracepoint: "sched_process_exit", Programs: []event.Variant{{Arguments: "p", Program: "exited"}}, Without: "exit statuses of processes"},
	}}
}

// Open begins to read the ring buffer.
func (s *Source) Open(set *event.Set) (err error) {
	if err := set.Run("begin"); err != nil {
		return err
	}
	if s.clock, err = event.ReadClock(); err != nil {
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
	e, err := parse(b)
	if err != nil {
		s.wrong = err
		return
	}
	s.events.Add(s.row(&e))
}

func (s *Source) row(e *happening) recording.ProcessEvent {
	const unknown = recording.Unknown
	row := recording.ProcessEvent{
		At: s.clock.Monotonic.Add(e.at), PID: e.pid, PPID: e.ppid, Started: s.clock.Started(e.started), Comm: e.comm,
		Lifetime: unknown, CPUTime: unknown, Status: unknown,
	}
	switch e.kind {
	case forked:
		row.Kind = recording.ProcessForked
	case began:
		row.Kind, row.Cmdline = recording.ProcessExec, s.line(e)
		if len(s.known) < maxKnown {
			s.known[e.pid] = row.Cmdline
		}
	case exited:
		row.Kind, row.Cmdline = recording.ProcessExited, s.known[e.pid]
		delete(s.known, e.pid)
		row.Lifetime = max(e.at+s.clock.Asleep-e.started, 0)
		row.CPUTime = e.cpu
		row.Status, row.Signal = status(e.code)
	}
	return row
}

// line takes the secrets out of arguments. Half an argument could hide one.
func (s *Source) line(e *happening) string {
	args := e.args
	if end := bytes.LastIndexByte(args, 0); e.cut && end >= 0 {
		args = args[:end]
	}
	if line, ok := s.lines[string(args)]; ok {
		return line
	}
	line := redact.CommandLine(args)
	if len(s.lines) >= maxLines {
		clear(s.lines)
	}
	s.lines[string(args)] = line
	return line
}
