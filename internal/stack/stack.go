// Package stack reads stacks of threads in the forms in which tools write them
// (gdb and pstack, eu-stack, jstack, perf script, collapsed, Go), and counts
// identical ones.
//
// Text is read once, in big pieces that end where a thread ends, so that
// several cores can work and memory grows with the number of different stacks
// only.
package stack

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/unit"
)

// Profile is what one or several files hold, identical stacks counted.
type Profile struct {
	Sources []Source
	Stacks  []*Stack // the most frequent ones first
	Locks   []*Lock  // awaited ones, the most awaited first; of dumps that name locks
	Pools   []Pool   // pools whose threads all wait for the same thing
	Hot     []Hot    // threads that Options.Top names, those with most CPU first
}

// Source is one file.
type Source struct {
	Name       string
	Format     string        // "gdb", "eu-stack", "jstack", "perf script", "collapsed", "go"
	Kind       string        // what a count means: one of the recording's kinds of stacks
	At         time.Time     // when it says it was written, else when its file was; or sampling began
	Length     time.Duration // how long was sampled; 0 for files
	Every      time.Duration // what a count stands for: the time between two samples or looks; 0 for files
	Timed      bool          // a count is Every of time, and no number of looks
	Samples    int64         // dumps in the file; of perf and collapsed: the sum of all counts
	Threads    int64         // threads or samples, over all dumps
	Bytes      int64         // uncompressed
	Lines      int64
	Unreadable int64     // lines that make no sense in this format, and stacks cut by them
	Problems   []Problem // the first of them
	Err        error     // why the file, or its rest, could not be read; nil if it could
	Left       Objects   // samples that do not count, by their event: it takes no time of a CPU
}

// LeftOut says which samples do not count; "": all do.
func (s *Source) LeftOut() string {
	event, n := s.Left.Top()
	if n == 0 {
		return ""
	}
	all := int64(0)
	for _, n := range s.Left {
		all += n
	}
	what := event
	if more := len(s.Left) - 1; more > 0 {
		what += " and " + unit.Plural(more, "other event", "other events")
	}
	return fmt.Sprintf("%s of %s left out: only those of cycles or a clock show what runs", unit.Plural(all, "sample", "samples"), what)
}

// Problem is a place in a file that could not be read.
type Problem struct {
	Line int64 // from 1
	What string
}

// Stack is one sequence of frames and who had it.
type Stack struct {
	Kind    string
	PID     int32 // -1: not told
	Process string
	State   string
	Frames  []string // innermost first
	Count   int64    // threads or samples
	Samples int64    // dumps of the sources this kind of stack came from

	TID     int32    // of one thread; -1: not told
	Thread  string   // its name
	Raw     []string // its frames as they were written; empty where they say no more than Frames
	Objects Objects  // what its threads wait for
}

// Objects counts what was waited for; the most frequent ones are kept.
type Objects map[string]int64

// maxObjects bounds the objects kept of one stack: a lock of every row would
// be as many as there are rows.
const maxObjects = 64

func (o *Objects) add(name string, n int64) {
	if *o == nil {
		*o = Objects{}
	}
	if _, known := (*o)[name]; !known && len(*o) >= maxObjects {
		return
	}
	(*o)[name] += n
}

// Top is the most frequent object, "" if there are none.
func (o Objects) Top() (name string, n int64) {
	for k, v := range o {
		if v > n || v == n && (name == "" || k < name) {
			name, n = k, v
		}
	}
	return name, n
}

// Hot is a thread of which another tool told how much CPU it takes.
type Hot struct {
	TID    int32
	CPU    float64 // per cent of one core
	Thread string
	State  string
	Frames []string // empty for threads of the Java VM itself, such as those that collect garbage
}

// Kinds lists the kinds of stacks in a profile: running threads, sleeping ones,
// dumps.
func (p *Profile) Kinds() []string {
	var kinds []string
	for _, kind := range []string{recording.StackOnCPU, recording.StackOffCPU, recording.StackDump} {
		if slices.ContainsFunc(p.Stacks, func(s *Stack) bool { return s.Kind == kind }) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// Every is the time that a count of a kind of stacks stands for; 0 if counts are
// no times.
func (p *Profile) Every(kind string) time.Duration {
	for _, s := range p.Sources {
		if s.Kind == kind && s.Every > 0 {
			return s.Every
		}
	}
	return 0
}

// Unreadable is the sum over all sources.
func (p *Profile) Unreadable() int64 {
	n := int64(0)
	for _, s := range p.Sources {
		n += s.Unreadable
	}
	return n
}

// Merged adds up stacks that differ in state or process only, the most
// frequent ones first.
func (p *Profile) Merged() []*Stack {
	byFrames := map[string]*Stack{}
	var list []*Stack
	for _, s := range p.Stacks {
		k := s.Kind + "\x00" + strings.Join(s.Frames, ";")
		have := byFrames[k]
		if have == nil {
			c := *s
			byFrames[k] = &c
			list = append(list, &c)
			continue
		}
		have.Count += s.Count
		if have.State != s.State {
			have.State = ""
		}
	}
	sortStacks(list)
	return list
}

func sortStacks(list []*Stack) {
	slices.SortFunc(list, func(a, b *Stack) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), slices.Compare(a.Frames, b.Frames),
			strings.Compare(a.State, b.State), cmp.Compare(a.PID, b.PID), strings.Compare(a.Process, b.Process), strings.Compare(a.Kind, b.Kind))
	})
}

// Name is the names of all sources.
func (p *Profile) Name() string {
	var names []string
	for _, s := range p.Sources {
		if !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
	}
	return strings.Join(names, ", ")
}

// Write adds a profile to the rows of a sample.
func (p *Profile) Write(w *recording.Writer) {
	name := p.Name()
	for _, s := range p.Stacks {
		object, n := s.Objects.Top()
		if 2*n <= s.Count {
			object = "" // the threads do not wait for the same thing
		}
		recording.Append(w, recording.StackSample{
			At: w.Started, Source: name, Kind: s.Kind, PID: s.PID, Process: s.Process, TID: s.TID, Thread: s.Thread, State: s.State,
			Frames: strings.Join(s.Frames, ";"), Object: object, Count: s.Count, Samples: max(s.Samples, 1),
		})
	}
	for _, l := range p.Locks {
		recording.Append(w, recording.StackLock{
			At: w.Started, Source: name, PID: recording.Unknown, Lock: l.ID, Class: l.Class, Holder: l.Holder, HolderTID: l.HolderTID,
			Held: strings.Join(l.Held, ";"), Waiter: l.Waiter, Waiters: l.Waiters, Cycle: l.Cycle,
		})
	}
	w.Lost(int(p.Unreadable()))
}

// Tables are what Write fills.
var Tables = []recording.Table{recording.Stacks, recording.StackLocks}
