// Package show prints profiles of stacks: as a document of waits, as lines like
// those of pt-pmp, collapsed, as JSON and in the format of pprof.
package show

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"rtrail/internal/document"
	"rtrail/internal/recording"
	"rtrail/internal/stack"
	"rtrail/internal/stack/signatures"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// Options say how much is shown.
type Options struct {
	Top     int  // stacks, waits, locks and threads at most
	Verbose bool // all frames
}

// minShare is the share of busy threads below which a wait is left out of the
// summary unless it is among the first few: the table of stacks has it.
const minShare = 0.005

// Document is a profile for people.
func Document(p *stack.Profile, v *view.View, notes []string, o Options) document.Document {
	d := document.Document{Title: "Stacks of " + p.Name(), Blocks: sources(p, notes)}
	processes := v.StackProcesses()
	sums, alone := o.programs(processes)
	d.Blocks = append(d.Blocks, sums...)
	for _, proc := range alone {
		d.Blocks = append(d.Blocks, o.waits(proc, v, len(processes) > 1, sums != nil)...)
	}
	tables := append([]document.Table{o.deadlocks(p), o.locks(p), o.pools(p), o.hot(p)}, o.stacks(p)...)
	for _, t := range tables {
		if len(t.Rows) > 0 {
			d.Blocks = append(d.Blocks, t)
		}
	}
	if words := states(p); words != "" {
		d.Blocks = append(d.Blocks, document.Prose{Label: "STATES", Style: document.Strong, Words: words})
	}
	return d
}

func sources(p *stack.Profile, notes []string) (blocks []document.Block) {
	note := func(words string) {
		blocks = append(blocks, document.Prose{Label: "NOTE", Style: document.Warn, Words: words})
	}
	for _, s := range p.Sources {
		held := unit.Plural(s.Samples, "dump", "dumps") + ", " + unit.Plural(s.Threads, "thread", "threads")
		switch {
		case s.Format == "":
			note(fmt.Sprintf("%s: %v", s.Name, s.Err))
			continue
		case s.Kind == recording.StackOnCPU:
			held = unit.Plural(s.Threads, "sample", "samples")
		case s.Kind == recording.StackOffCPU:
			held = unit.Plural(s.Samples, "look", "looks") + " at " + unit.Plural(s.Threads, "sleeping thread", "sleeping threads")
		}
		blocks = append(blocks, document.Prose{Label: "FROM", Words: s.Name + ": " + s.Format + ", " + held})
		if s.Err != nil {
			note(fmt.Sprintf("%s: not all of it: %v", s.Name, s.Err))
		}
		if s.Unreadable > 0 {
			note(fmt.Sprintf("%s: %s could not be read, the first at %s", s.Name, unit.Plural(s.Unreadable, "line", "lines"), problems(s.Problems)))
		}
		if left := s.LeftOut(); left != "" {
			note(s.Name + ": " + left)
		}
	}
	for _, n := range notes {
		note(n)
	}
	return blocks
}

func problems(list []stack.Problem) string {
	var parts []string
	for _, b := range list[:min(len(list), 3)] {
		parts = append(parts, fmt.Sprintf("line %d: %s", b.Line, b.What))
	}
	return strings.Join(parts, "; ")
}

// waits is what the threads of one process wait for. With sums above them, pages show those of running
// threads after the flame graphs.
func (o Options) waits(proc view.StackProcess, v *view.View, several, summed bool) []document.Block {
	title, counted, one := "WHAT BUSY THREADS DO", "threads", "thread"
	switch proc.Evidence {
	case recording.StackOnCPU:
		title, counted, one = "WHAT RUNNING THREADS DO", "samples", "sample"
		if summed {
			title = "RUNNING THREADS"
		}
	case recording.StackOffCPU:
		title = "WHAT SLEEPING THREADS WAIT FOR"
	}
	if several {
		title += ", " + label(proc)
	}
	t := document.Table{Under: 1, Columns: []document.Column{{Name: counted, Right: true}, {Name: "share", Right: true}, {Name: "kind"}, {Name: "wait", Wrap: true, Style: document.Strong}}}
	busy := 0.0
	var idle []string
	cut := 0
	for _, s := range v.StackWaits() {
		if s.PID != proc.PID || s.Process != proc.Process || s.Source != proc.Source || s.Evidence != proc.Evidence {
			continue
		}
		if s.Share == 0 {
			idle = append(idle, mean(s.Mean)+" × "+s.Title)
			continue
		}
		busy += s.Mean
		switch {
		case len(t.Rows) >= 3 && s.Share < minShare:
		case len(t.Rows) >= o.Top:
			cut++
		default:
			o.wait(&t, s)
		}
	}
	t.Title = fmt.Sprintf("%s: %s busy of %s", title, mean(busy), unit.Plural(proc.Threads, one, one+"s"))
	t.More = more(len(t.Rows), cut)
	if busy == 0 {
		t.Add([]string{"0", "-", "", "all threads wait for work"})
	}
	if len(idle) == 0 {
		return []document.Block{t}
	}
	return []document.Block{t, document.Prose{Label: "IDLE", Style: document.Quiet, Words: strings.Join(idle, ", ")}}
}

// more says how to see what was cut off.
func more(shown, cut int) string {
	if cut == 0 {
		return ""
	}
	return fmt.Sprintf("and %d more: --top %d", cut, shown+cut)
}

// mean is a number of threads, over several dumps the mean of it: less than ten
// with a decimal, so that what one dump of several has is not 0.
func mean(n float64) string {
	switch {
	case n == math.Trunc(n) || n >= 9.95:
		return unit.Count(math.Round(n)).String()
	case n < 0.1:
		return "<0.1"
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", n), ".0")
}

func (o Options) wait(t *document.Table, s view.StackWait) {
	title := s.Title
	if s.ID == "" {
		title = "in functions that the dictionary does not know"
	}
	var below []document.Row
	add := func(label, words string) {
		if words != "" {
			below = append(below, document.Row{Label: label, Words: words})
		}
	}
	add("for", s.Object)
	if s.ID != "" {
		add("", s.Meaning)
		if sig := signatures.Default().ByID(s.ID); sig != nil {
			add("where", sig.Versions)
		}
	}
	add("do", s.Act) // idle threads, which count where they run, have none
	add("in", o.frames(s.Example))
	t.Add([]string{mean(s.Mean), unit.Share(s.Share).String(), string(s.Kind), title}, below...)
}

// maxFrames is how many frames of an example are shown.
const maxFrames = 8

func (o Options) frames(frames []string) string {
	if !o.Verbose && len(frames) > maxFrames {
		frames = append(slices.Clone(frames[:maxFrames]), "...")
	}
	return strings.Join(frames, " <- ")
}

func label(p view.StackProcess) string {
	switch {
	case p.Process != "" && p.PID > 0:
		return fmt.Sprintf("%s (%d)", p.Process, p.PID)
	case p.PID > 0:
		return fmt.Sprintf("process %d", p.PID)
	}
	return cmp.Or(p.Process, p.Source)
}

func (o Options) deadlocks(p *stack.Profile) document.Table {
	locks := slices.DeleteFunc(slices.Clone(p.Locks), func(l *stack.Lock) bool { return l.Cycle == 0 })
	slices.SortStableFunc(locks, func(a, b *stack.Lock) int { return cmp.Compare(a.Cycle, b.Cycle) })
	t := document.Table{Under: 1, More: "None of these threads ever goes on. Take these locks in the same order everywhere.",
		Columns: []document.Column{{Name: "deadlock", Right: true}, {Name: "who waits for whom", Wrap: true}}}
	for _, l := range locks {
		t.Title = fmt.Sprintf("DEADLOCKS: %d", l.Cycle) // the last one's number is how many there are
		t.Add([]string{fmt.Sprint(l.Cycle), fmt.Sprintf("%q waits for %s (%s), which %q holds", l.Waiter, l.ID, l.Class, l.Holder)},
			document.Row{Label: fmt.Sprintf("%q in", l.Holder), Words: o.frames(l.Held)})
	}
	return t
}

func (o Options) locks(p *stack.Profile) document.Table {
	t := document.Table{Title: "MOST AWAITED LOCKS", Under: 1, Columns: []document.Column{{Name: "waiting", Right: true}, {Name: "lock", Wrap: true}}}
	cut := 0
	for _, l := range p.Locks {
		switch {
		case l.Cycle > 0 && l.Waiters < 2:
			continue
		case len(t.Rows) >= o.Top:
			cut++
			continue
		}
		holder := "held by no thread of the dump"
		if l.Holder != "" {
			holder = fmt.Sprintf("held by %q", l.Holder)
		}
		t.Add([]string{fmt.Sprint(l.Waiters), fmt.Sprintf("%s (%s), %s", l.ID, l.Class, holder)}, o.in(l.Held)...)
	}
	t.More = more(len(t.Rows), cut)
	return t
}

// in are frames below a row; nothing if there are none.
func (o Options) in(frames []string) []document.Row {
	if len(frames) == 0 {
		return nil
	}
	return []document.Row{{Label: "in", Words: o.frames(frames)}}
}

func (o Options) pools(p *stack.Profile) document.Table {
	t := document.Table{Title: "POOLS WITHOUT A FREE THREAD", Columns: []document.Column{{Name: "pool"}, {Name: "threads", Right: true}, {Name: "dumps"}, {Name: "wait", Wrap: true}}}
	for _, pool := range p.Pools[:min(len(p.Pools), o.Top)] {
		var below []document.Row
		if pool.Signature.ID == "java/wait-for-task" {
			below = append(below, document.Row{Words: "If the tasks they wait for are queued in the same pool, no thread is left to run them."})
		}
		t.Add([]string{pool.Name, fmt.Sprint(pool.Threads), fmt.Sprintf("%d of %d", pool.Dumps, pool.Of), pool.Signature.Title}, below...)
	}
	return t
}

// hotThread is the share of a core from which a thread counts as hot.
const hotThread = 5

func (o Options) hot(p *stack.Profile) document.Table {
	t := document.Table{Title: "HOT THREADS", Under: 1, Columns: []document.Column{{Name: "% of a core", Right: true}, {Name: "thread", Wrap: true}}}
	for _, h := range p.Hot {
		if h.CPU < hotThread || len(t.Rows) >= o.Top {
			continue
		}
		below := o.in(h.Frames)
		if below == nil {
			below = []document.Row{{Words: "a thread of the VM itself"}}
		}
		t.Add([]string{fmt.Sprintf("%.1f", h.CPU), fmt.Sprintf("%q (%d, %#x) %s", h.Thread, h.TID, h.TID, h.State)}, below...)
	}
	return t
}

// states counts the threads of dumps by state.
func states(p *stack.Profile) string {
	counts := map[string]int64{}
	for _, s := range p.Stacks {
		if s.State != "" && s.Kind == recording.StackDump {
			counts[s.State] += s.Count
		}
	}
	var parts []string
	for _, state := range slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) }) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[state], state))
	}
	return strings.Join(parts, ", ")
}

var stacksOf = map[string]string{recording.StackOnCPU: "STACKS OF RUNNING THREADS", recording.StackOffCPU: "STACKS OF SLEEPING THREADS", recording.StackDump: "STACKS OF THE DUMP"}

// stacks are the most frequent stacks, those of each kind on their own: samples of
// running threads and looks at sleeping ones come at different rates.
func (o Options) stacks(p *stack.Profile) (tables []document.Table) {
	kinds := p.Kinds()
	for _, kind := range kinds {
		list := slices.DeleteFunc(p.Merged(), func(s *stack.Stack) bool { return s.Kind != kind })
		total := int64(0)
		for _, s := range list {
			total += s.Count
		}
		title := "STACKS"
		if len(kinds) > 1 {
			title = stacksOf[kind]
		}
		t := document.Table{Title: fmt.Sprintf("%s: %s, innermost frame first", title, unit.Plural(len(list), "different one", "different ones")),
			Columns: []document.Column{{Name: "count", Right: true}, {Name: "share", Right: true}, {Name: "stack", Cut: !o.Verbose}}}
		for _, s := range list[:min(len(list), o.Top)] {
			t.Add([]string{fmt.Sprint(s.Count), unit.Share(float64(s.Count) / float64(total)).String(), strings.Join(s.Frames, ",")})
		}
		if cut := len(list) - len(t.Rows); cut > 0 {
			t.More = more(len(t.Rows), cut) + ", or --pmp for all"
		}
		tables = append(tables, t)
	}
	return tables
}
