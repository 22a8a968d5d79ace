package show

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"rtrail/internal/escape"
	"rtrail/internal/recording"
	"rtrail/internal/stack"
	"rtrail/internal/view"
)

// rooted gives the frames of a stack of p, innermost first. Where counts of
// several kinds stand beside each other, which do not add up, or are looks at
// sleeping threads, the outermost one says which kind it is.
func rooted(p *stack.Profile) func(s *stack.Stack, frames []string) []string {
	if kinds := p.Kinds(); len(kinds) < 2 && !slices.Contains(kinds, recording.StackOffCPU) {
		return func(_ *stack.Stack, frames []string) []string { return frames }
	}
	return func(s *stack.Stack, frames []string) []string {
		return append(slices.Clip(frames), s.KindFrame())
	}
}

// PMP prints all stacks as pt-pmp does: count, blank, frames joined by commas,
// innermost first.
func PMP(out io.Writer, p *stack.Profile) error {
	w := bufio.NewWriter(out)
	root := rooted(p)
	for _, s := range p.Merged() {
		fmt.Fprintf(w, "%7d %s\n", s.Count, escape.Text(strings.Join(root(s, s.Frames), ",")))
	}
	return w.Flush()
}

// Collapsed prints all stacks for flame graph tools: frames joined by
// semicolons, outermost first, blank, count. Stacks of several processes begin
// with the process.
func Collapsed(out io.Writer, p *stack.Profile) error {
	w := bufio.NewWriter(out)
	root := rooted(p)
	sums := map[string]int64{}
	var order []string
	for _, s := range p.Stacks {
		frames := slices.Clone(s.Frames)
		if s.Process != "" {
			frames = append(frames, s.Process)
		}
		frames = root(s, frames)
		slices.Reverse(frames)
		line := escape.Text(strings.Join(frames, ";"))
		if sums[line] == 0 {
			order = append(order, line)
		}
		sums[line] += s.Count
	}
	for _, line := range order {
		fmt.Fprintf(w, "%s %d\n", line, sums[line])
	}
	return w.Flush()
}

// The result that --json prints; docs/stacks.md describes it.
type result struct {
	Sources []source  `json:"sources"`
	Notes   []string  `json:"notes,omitempty"` // what could not be seen
	Process []process `json:"processes"`
	Waits   []wait    `json:"waits"`
	Locks   []lock    `json:"locks,omitempty"`
	Pools   []pool    `json:"pools,omitempty"`
	Hot     []hot     `json:"hot,omitempty"`
	Stacks  []entry   `json:"stacks"`
}

type source struct {
	Name       string           `json:"name"`
	Format     string           `json:"format"`
	Kind       string           `json:"kind"`
	Dumps      int64            `json:"dumps"`
	Threads    int64            `json:"threads"`
	Bytes      int64            `json:"bytes"`
	Lines      int64            `json:"lines"`
	Unreadable int64            `json:"unreadable"`
	Problems   []problem        `json:"problems,omitempty"`
	LeftOut    map[string]int64 `json:"left_out,omitempty"` // samples, by their event
	Error      string           `json:"error,omitempty"`
}

type problem struct {
	Line int64  `json:"line"`
	What string `json:"what"`
}

type process struct {
	Process string `json:"process"`
	PID     int32  `json:"pid"`
	Source  string `json:"source"`
	Kind    string `json:"kind"`
	Dumps   int64  `json:"dumps"`
	Threads int    `json:"threads"`
	Busy    int    `json:"busy"`
	Known   int    `json:"known"`
}

type wait struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Does     string   `json:"does"` // kind of the signature: lock, cpu, disk...
	Meaning  string   `json:"meaning"`
	Act      string   `json:"act"`
	Process  string   `json:"process"`
	PID      int32    `json:"pid"`
	Source   string   `json:"source"`
	Kind     string   `json:"kind"`
	Threads  int      `json:"threads"`
	Busy     int      `json:"busy"`
	Share    float64  `json:"share"`
	Object   string   `json:"object,omitempty"`
	Examples []string `json:"example"`
}

type lock struct {
	Lock      string   `json:"lock"`
	Class     string   `json:"class"`
	Waiters   int64    `json:"waiters"`
	Waiter    string   `json:"waiter"`
	Holder    string   `json:"holder"`
	HolderTID int32    `json:"holder_tid"`
	Held      []string `json:"held"`
	Cycle     int32    `json:"cycle"`
}

type pool struct {
	Name    string   `json:"name"`
	Threads int64    `json:"threads"`
	ID      string   `json:"id"`
	Title   string   `json:"title"`
	Dumps   int64    `json:"dumps"`
	Of      int64    `json:"of"`
	Example []string `json:"example"`
}

type hot struct {
	TID    int32    `json:"tid"`
	CPU    float64  `json:"cpu_percent"`
	Thread string   `json:"thread"`
	State  string   `json:"state"`
	Frames []string `json:"frames"`
}

type entry struct {
	Kind    string           `json:"kind"`
	Count   int64            `json:"count"`
	PID     int32            `json:"pid"`
	Process string           `json:"process,omitempty"`
	State   string           `json:"state,omitempty"`
	TID     int32            `json:"tid"`
	Thread  string           `json:"thread,omitempty"`
	Frames  []string         `json:"frames"`
	Raw     []string         `json:"raw,omitempty"`
	Objects map[string]int64 `json:"objects,omitempty"`
}

// Result is everything for JSON.
func Result(p *stack.Profile, v *view.View, notes []string) any {
	d := result{Notes: notes, Process: []process{}, Waits: []wait{}, Stacks: []entry{}}
	for _, s := range p.Sources {
		e := source{Name: s.Name, Format: s.Format, Kind: s.Kind, Dumps: s.Samples, Threads: s.Threads, Bytes: s.Bytes, Lines: s.Lines, Unreadable: s.Unreadable, LeftOut: s.Left}
		for _, b := range s.Problems {
			e.Problems = append(e.Problems, problem(b))
		}
		if s.Err != nil {
			e.Error = s.Err.Error()
		}
		d.Sources = append(d.Sources, e)
	}
	for _, x := range v.StackProcesses() {
		d.Process = append(d.Process, process{x.Process, x.PID, x.Source, x.Evidence, x.Dumps, x.Threads, x.Busy, x.Known})
	}
	for _, x := range v.StackWaits() {
		d.Waits = append(d.Waits, wait{
			x.ID, x.Title, string(x.Kind), x.Meaning, x.Act, x.Process, x.PID, x.Source, x.Evidence, x.Threads, x.BusyThreads, x.Share, x.Object, x.Example,
		})
	}
	for _, l := range p.Locks {
		d.Locks = append(d.Locks, lock{l.ID, l.Class, l.Waiters, l.Waiter, l.Holder, l.HolderTID, l.Held, l.Cycle})
	}
	for _, x := range p.Pools {
		d.Pools = append(d.Pools, pool{x.Name, x.Threads, x.Signature.ID, x.Signature.Title, x.Dumps, x.Of, x.Example})
	}
	for _, h := range p.Hot {
		d.Hot = append(d.Hot, hot(h))
	}
	for _, s := range p.Stacks {
		d.Stacks = append(d.Stacks, entry{s.Kind, s.Count, s.PID, s.Process, s.State, s.TID, s.Thread, s.Frames, s.Raw, s.Objects})
	}
	return d
}
