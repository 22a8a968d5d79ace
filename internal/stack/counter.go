package stack

import (
	"strings"
	"time"

	"rtrail/internal/recording"
)

// Counter counts stacks that a program samples itself.
type Counter struct {
	Kind    string
	PID     int32
	Process string
	Total   int64
	stacks  map[string]*Stack
}

// NewCounter begins to count stacks of one kind of one process.
func NewCounter(kind string, pid int32, process string) *Counter {
	return &Counter{Kind: kind, PID: pid, Process: process, stacks: map[string]*Stack{}}
}

// Add counts a stack, innermost frame first.
func (c *Counter) Add(frames []string, state string, tid int32, thread string) {
	c.AddTimes(frames, state, tid, thread, 1)
}

// AddTimes counts a stack that was seen some times.
func (c *Counter) AddTimes(frames []string, state string, tid int32, thread string, times int64) {
	if len(frames) == 0 || times <= 0 {
		return
	}
	c.Total += times
	clean := make([]string, len(frames))
	for i, f := range frames {
		clean[i] = strings.ReplaceAll(f, ";", ":")
	}
	key := state + "\x00" + strings.Join(clean, ";")
	s := c.stacks[key]
	if s == nil {
		s = &Stack{Kind: c.Kind, PID: c.PID, Process: c.Process, State: state, Frames: clean, TID: tid, Thread: thread}
		c.stacks[key] = s
	}
	s.Count += times
}

// addTo adds the stacks to a profile.
func (c *Counter) addTo(p *Profile, samples int64) {
	for _, s := range c.stacks {
		s.Samples = samples
		p.Stacks = append(p.Stacks, s)
	}
}

// Sampling is how a live process was sampled.
type Sampling struct {
	Began  time.Time
	Length time.Duration
	Period time.Duration // of a running thread's time on a CPU, between two samples
	Looks  int64         // how many times all sleeping threads were looked at
}

// Sampled makes a profile of what was sampled of one process.
func Sampled(name string, running, sleeping *Counter, how Sampling) *Profile {
	p := &Profile{}
	if running.Total > 0 {
		p.Sources = append(p.Sources, Source{Name: name, Format: "perf_event", Kind: recording.StackOnCPU, At: how.Began, Length: how.Length, Every: how.Period,
			Samples: running.Total, Threads: running.Total})
		running.addTo(p, running.Total)
	}
	if sleeping.Total > 0 {
		p.Sources = append(p.Sources, Source{Name: name, Format: "/proc", Kind: recording.StackOffCPU, At: how.Began, Length: how.Length,
			Every: how.Length / time.Duration(max(how.Looks, 1)), Samples: how.Looks, Threads: sleeping.Total})
		sleeping.addTo(p, how.Looks)
	}
	sortStacks(p.Stacks)
	return p
}

// Join adds the stacks of another profile.
func (p *Profile) Join(q *Profile) {
	p.Sources = append(p.Sources, q.Sources...)
	p.Stacks = append(p.Stacks, q.Stacks...)
	p.Locks = append(p.Locks, q.Locks...)
	p.Pools = append(p.Pools, q.Pools...)
	sortStacks(p.Stacks)
}

// Heat names the threads of which another tool told how much CPU they take: the
// stack that was counted with the thread as its example.
func (p *Profile) Heat(top map[int32]float64) {
	seen := map[int32]bool{}
	for _, s := range p.Stacks {
		if cpu, ok := top[s.TID]; ok && !seen[s.TID] {
			seen[s.TID] = true
			p.Hot = append(p.Hot, Hot{TID: s.TID, CPU: cpu, Thread: s.Thread, State: s.State, Frames: s.Frames})
		}
	}
}
