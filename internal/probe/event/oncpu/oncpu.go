// Package oncpu is the source of which code runs: a clock of each CPU counts
// processes and stacks.
package oncpu

import (
	"context"
	_ "embed"
	"os"
	"runtime"
	"time"

	"rtrail/internal/probe/event"
	"rtrail/internal/probe/procmem"
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
	own     int // PID, whose functions are of no interest
	period  time.Duration
	set     *event.Set
	symbols *event.Symbols
	code    *stack.Code
	memory  procmem.Reader // of code that runs
	clock   event.Clock
	sums    *event.Sums[key, sum]
	from    time.Time
	counts  map[key]*count
	crowd   event.Crowd
	lost    int64 // of counts
}

// New makes the source. Rows are written at this interval, or later; 0: DefaultEvery.
func New(every time.Duration) *Source {
	if every <= 0 {
		every = DefaultEvery
	}
	return &Source{every: every, own: os.Getpid(), period: period(runtime.NumCPU()), code: stack.NewCode(), counts: map[key]*count{}}
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
	if s.sums, err = event.OpenSums[key, sum](set); err != nil {
		return err
	}
	s.set, s.symbols = set, event.NewSymbols(set)
	s.clock, err = event.ReadClock()
	return err
}

// Attaching begins to count.
func (s *Source) Attaching() error {
	s.from = time.Now()
	return s.set.Run("begin")
}

// Close ends what reads memory.
func (s *Source) Close() error {
	s.memory.Close()
	return nil
}

// Read takes what was counted since the last time, and writes rows when it is time.
func (s *Source) Read(_ context.Context, w *recording.Writer, last bool) error {
	now := time.Now()
	keys, sums, err := s.sums.Take()
	if err != nil {
		return err
	}
	for i := range keys {
		s.add(keys[i], &sums[i])
	}
	if !last && now.Sub(s.from) < s.every-s.every/8 { // samples come a little early or late
		return nil
	}
	rows, err := s.rows(now)
	if err != nil {
		return err
	}
	recording.Give(w, rows)
	s.memory.Report(w, s.Name(), "loops that wait without sleeping")
	s.from = now
	return s.tell(w)
}

// tell says what found no room.
func (s *Source) tell(w *recording.Writer) error {
	const what, why = "samples of what runs", "there were more different stacks than there is room for"
	if s.lost > 0 {
		w.Lost(int(s.lost))
		w.Unseen(s.Name(), what, int(s.lost), why, "")
		s.lost = 0
	}
	return s.crowd.Tell(s.set, w, s.Name(), what, why)
}
