// Package oncpu is the source of which code runs: a clock of each CPU counts
// processes and stacks.
package oncpu

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/cilium/ebpf"

	"rtrail/internal/probe/event"
	"rtrail/internal/probe/stack"
	"rtrail/internal/recording"
)

//go:generate ../../kernel/build oncpu ../event/oncpu

//go:embed oncpu.o
var object []byte

// DefaultEvery is how often rows are written. Counts are taken with every sample.
const DefaultEvery = 10 * time.Second

// A CPU is looked at 49 times a second: at no rate at which programs do things. On
// hosts with many CPUs it is less, so that the looks at all of them cost no more
// than half a percent of a core.
const (
	hertz     = 49
	fullCPUs  = 8
	maxCounts = 1 << 14 // of processes with a stack, until rows are written
)

// period is the time on a CPU that one sample stands for.
func period(cpus int) time.Duration {
	return time.Second / hertz * time.Duration(max(cpus, fullCPUs)) / fullCPUs
}

// Source is one run's. It is not for concurrent use.
type Source struct {
	every   time.Duration
	period  time.Duration
	set     *event.Set
	symbols *event.Symbols
	code    *stack.Code
	clock   event.Clock
	too     uint32 // the map that the program fills
	from    time.Time
	counts  map[key]*count
	keys    []key // of one call
	sums    []sum
	crowded uint64 // samples of the kernel that were told
	lost    int64  // of counts
}

// New makes the source. Rows are written at this interval, or later; 0: DefaultEvery.
func New(every time.Duration) *Source {
	if every <= 0 {
		every = DefaultEvery
	}
	return &Source{every: every, period: period(runtime.NumCPU()), code: stack.NewCode(), counts: map[key]*count{}}
}

// Name is the word users see.
func (s *Source) Name() string { return "oncpu" }

// Help says what it reads.
func (s *Source) Help() string { return "which functions run, of all processes: a clock of each CPU" }

// Fills lists the tables it writes.
func (s *Source) Fills() []recording.Table { return []recording.Table{recording.OnCPU} }

// Object is bpf/oncpu.c.
func (s *Source) Object() event.Object {
	return event.Object{ELF: object, Clocks: []event.Clocked{{Program: "on_cpu", Every: s.period}}}
}

// Open begins with no names.
func (s *Source) Open(set *event.Set) (err error) {
	s.set, s.symbols = set, event.NewSymbols(set)
	s.clock, err = event.ReadClock()
	return err
}

// Attaching begins to count.
func (s *Source) Attaching() error {
	s.from = time.Now()
	return s.set.Run("begin")
}

// Close has nothing to give back.
func (s *Source) Close() error { return nil }

// Read takes what was counted since the last time, and writes rows when it is time.
func (s *Source) Read(_ context.Context, w *recording.Writer, last bool) error {
	now := time.Now()
	if err := s.take(); err != nil {
		return err
	}
	if !last && now.Sub(s.from) < s.every-s.every/8 { // samples come a little early or late
		return nil
	}
	rows, err := s.rows(now)
	if err != nil {
		return err
	}
	recording.Give(w, rows)
	s.from = now
	return s.tell(w)
}

// batch is how many counts are taken with one call.
const batch = 512

// take empties the map that the program fills, and gives it the other one.
func (s *Source) take() error {
	full := s.set.Map([...]string{"sums", "sums_too"}[s.too])
	s.too = 1 - s.too
	if err := s.set.Set("too", s.too); err != nil {
		return err
	}
	time.Sleep(time.Millisecond) // a program that still uses it takes a few microseconds
	var cursor ebpf.MapBatchCursor
	if s.keys == nil {
		s.keys, s.sums = make([]key, batch), make([]sum, batch)
	}
	for {
		n, err := full.BatchLookupAndDelete(&cursor, s.keys, s.sums, nil)
		for i := range n {
			s.add(s.keys[i], &s.sums[i])
		}
		switch {
		case errors.Is(err, ebpf.ErrKeyNotExist):
			return nil
		case err != nil:
			return fmt.Errorf("read the counts of the BPF program on_cpu: %w", err)
		}
	}
}

// tell says what found no room.
func (s *Source) tell(w *recording.Writer) error {
	var crowded uint64
	err := s.set.Get("crowded", &crowded)
	if n := int64(crowded-s.crowded) + s.lost; n > 0 {
		w.Lost(int(n))
		w.Unseen(s.Name(), "samples of what runs", int(n), "there were more different stacks than there is room for", "")
	}
	s.crowded, s.lost = crowded, 0
	return err
}
