// Package offcpu is the source of how long threads do not run: blocked, with the
// stack in the kernel and who or which interrupt woke them, and runnable without a
// CPU.
package offcpu

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"rtrail/internal/probe/event"
	"rtrail/internal/probe/kernel"
	"rtrail/internal/recording"
)

//go:generate ../../kernel/build offcpu ../event/offcpu

//go:embed offcpu.o
var object []byte

// DefaultEvery is how often sums are read: who waits all the time is visited then.
const DefaultEvery = 10 * time.Second

// Source is one run's. It is not for concurrent use.
type Source struct {
	every     time.Duration
	set       *event.Set
	waiting   *kernel.Iterator
	symbols   *event.Symbols
	clock     event.Clock
	stacks    map[uint64][]uint64
	sums      *event.Sums[key, sum]
	stretch   event.Stretch
	pace      pace
	crowd     event.Crowd
	stackless uint64 // stacks without room that were told
	ring      *event.Ring
	callers   *callers
}

// New makes the source. Sums are read at this interval, or later; 0: DefaultEvery.
func New(every time.Duration) *Source {
	if every <= 0 {
		every = DefaultEvery
	}
	return &Source{every: every, stacks: map[uint64][]uint64{}, callers: newCallers()}
}

// Name is the word users see.
func (s *Source) Name() string { return "offcpu" }

// Help says what it reads.
func (s *Source) Help() string {
	return "how long threads wait, in which function of the kernel, and who wakes them: sched_switch, sched_waking"
}

// Fills lists the tables it writes.
func (s *Source) Fills() []recording.Table { return []recording.Table{recording.OffCPU} }

// Object is bpf/offcpu.c.
func (s *Source) Object() event.Object {
	return event.Object{ELF: object, Paused: s.visit, Hooks: []event.Hook{
		{Tracepoint: "sched_switch", Programs: []event.Variant{
			{Arguments: "ippi", Program: "switch_state"}, {Arguments: "iipp", Program: "switch_early"}, {Arguments: "ipp", Program: "switch_plain"},
		}},
		{Tracepoint: "sched_waking", Programs: []event.Variant{{Arguments: "p", Program: "waking"}}},
	}}
}

// Open takes the time from which waits count.
func (s *Source) Open(set *event.Set) (err error) {
	if s.sums, err = event.OpenSums[key, sum](set); err != nil {
		return err
	}
	s.set, s.symbols = set, event.NewSymbols(set)
	if s.clock, err = event.ReadClock(); err != nil {
		return err
	}
	if s.waiting, err = kernel.NewIterator("waiting", set.Program("waiting")); err != nil {
		return err
	}
	s.ring, err = event.OpenRing(set, s.callers.take)
	return err
}

// Attaching begins to count.
func (s *Source) Attaching() error {
	s.stretch.Begin(s.set)
	s.pace.at = time.Now()
	return errors.Join(s.set.Set("reader", s.callers.own), s.set.Run("begin"))
}

// Close gives back the iterator, and ends reading.
func (s *Source) Close() error {
	s.callers.memory.Close()
	return errors.Join(s.waiting.Close(), s.ring.Close())
}

// Read writes what was summed up since the last time.
func (s *Source) Read(_ context.Context, w *recording.Writer, last bool) error {
	now := time.Now()
	if err := s.adapt(now); err != nil {
		return err
	}
	due := last || s.stretch.Since(now) >= s.every-s.every/8 // samples come a little early or late
	if !due {
		return s.follow(w)
	}
	if !s.set.Sliced() {
		if err := s.visit(); err != nil {
			return err
		}
	}
	if err := s.follow(w); err != nil {
		return err
	}
	keys, sums, err := s.sums.Take()
	if err != nil {
		return err
	}
	s.callers.name(keys, sums)
	if err := s.name(keys); err != nil {
		return err
	}
	recording.Give(w, s.rows(keys, sums, now, s.stretch.Next(now)))
	return s.tell(w)
}

// visit counts waits that go on.
func (s *Source) visit() error {
	if err := s.set.Set("urgent", uint32(urgentCopies)); err != nil {
		return err
	}
	return s.waiting.Each(func(b []byte) int { return len(b) })
}

// follow finds the callers in the stacks that were copied.
func (s *Source) follow(w *recording.Writer) error {
	lost, err := s.ring.Drain()
	if lost += s.callers.follow(s.clock); lost > 0 {
		w.Unseen(s.Name(), "stacks of waits in programs", lost, "they came faster than they are read", "")
	}
	s.callers.memory.Report(w, s.Name(), "stacks of threads that wait all the time")
	return errors.Join(err, s.callers.wrong)
}

// pace is how often stacks are taken.
type pace struct {
	step  uint64 // ns of blocked time
	taken uint64 // stacks, up to at
	at    time.Time
}

const (
	minStep = 1 << 22 // 4.2 ms
	maxStep = 1 << 30 // 1.1 s
	// maxTaken is how many stacks may be taken a second: at 5 us for each pair of
	// them, half a percent of a core.
	maxTaken = 1000
)

// next is the step after some in which so many stacks a second were taken.
func (p pace) next(taken float64) uint64 {
	switch {
	case taken > maxTaken && p.step < maxStep:
		return p.step * 2
	case taken < maxTaken/4 && p.step > minStep:
		return p.step / 2
	}
	return p.step
}

// adapt chooses the step for the time to come.
func (s *Source) adapt(now time.Time) error {
	before := s.pace
	if err := errors.Join(s.set.Get("step", &s.pace.step), s.set.Get("taken", &s.pace.taken)); err != nil {
		return err
	}
	s.pace.at = now
	span := now.Sub(before.at).Seconds()
	if before.at.IsZero() || span <= 0 {
		return nil
	}
	return s.set.Set("step", s.pace.next(float64(s.pace.taken-before.taken)/span))
}

// name learns the stacks of sums and the names in them.
func (s *Source) name(keys []key) error {
	var addresses []uint64
	learn := func(id uint64) {
		if id == 0 || s.stacks[id] != nil {
			return
		}
		var frames [depth]uint64
		if s.set.Map("stacks").Lookup(id, &frames) != nil {
			return // without a name, then
		}
		n := 0
		for n < depth && frames[n] != 0 {
			n++
		}
		s.stacks[id] = frames[:n]
		addresses = append(addresses, frames[:n]...)
	}
	for i := range keys {
		learn(keys[i].Stack)
		learn(keys[i].WakerStack)
		learn(keys[i].HolderStack)
	}
	return s.symbols.Learn(addresses)
}

// tell says what found no room.
func (s *Source) tell(w *recording.Writer) error {
	before := s.stackless
	err := errors.Join(s.crowd.Tell(s.set, w, s.Name(), "waits of threads", fmt.Sprintf("there were more kinds of waits than %d", maxSums)), s.set.Get("stackless", &s.stackless))
	if n := s.stackless - before; n > 0 {
		w.Unseen(s.Name(), "stacks of waits", int(n), fmt.Sprintf("there were more than %d", maxStacks), "")
	}
	return err
}
