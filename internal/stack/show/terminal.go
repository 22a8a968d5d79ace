// Package show prints profiles of stacks: as a table of waits, as lines like
// those of pt-pmp, collapsed, as JSON and in the format of pprof.
package show

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"rtrail/internal/escape"
	"rtrail/internal/recording"
	"rtrail/internal/stack"
	"rtrail/internal/stack/signatures"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// Options say how much is printed, and how.
type Options struct {
	Width   int
	Top     int  // stacks, locks and threads at most
	Verbose bool // also what idle threads do, and all frames
	Color   bool
}

const (
	bold = "1"
	dim  = "2"
)

// leastShare is the share of busy threads below which a wait is left out of
// the summary unless it is among the first few: the table of stacks has it.
const leastShare = 0.005

type page struct {
	*bufio.Writer
	Options
}

// Terminal prints a profile for people.
func Terminal(out io.Writer, p *stack.Profile, v *view.View, notes []string, o Options) error {
	w := &page{bufio.NewWriter(out), o}
	w.sources(p, notes)
	processes := v.StackProcesses()
	for _, proc := range processes {
		w.waits(proc, v, len(processes) > 1)
	}
	w.deadlocks(p)
	w.locks(p)
	w.pools(p)
	w.hot(p)
	w.states(p)
	w.stacks(p)
	return w.Flush()
}

func (w *page) paint(style, s string) string {
	if !w.Color {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[0m"
}

func (w *page) title(s string) { fmt.Fprintf(w, "\n%s\n", w.paint(bold, s)) }

// text prints words in lines that fit, indented.
func (w *page) text(indent int, first, words string) {
	line, pad := first, strings.Repeat(" ", indent)
	used := utf8.RuneCountInString(first)
	for word := range strings.FieldsSeq(escape.Text(words)) {
		n := utf8.RuneCountInString(word)
		if used > indent && used+1+n > w.Width {
			fmt.Fprintln(w, line)
			line, used = pad+word, indent+n
			continue
		}
		if used > indent || used > 0 && !strings.HasSuffix(line, " ") {
			line += " "
			used++
		}
		line += word
		used += n
	}
	fmt.Fprintln(w, line)
}

func (w *page) sources(p *stack.Profile, notes []string) {
	for _, s := range p.Sources {
		switch {
		case s.Format == "":
			w.text(2, "", fmt.Sprintf("%s: %v", s.Name, s.Err))
			continue
		case s.Kind == recording.StackOnCPU:
			w.text(2, "", fmt.Sprintf("%s: %s, %s", s.Name, s.Format, plural(s.Threads, "sample")))
		case s.Kind == recording.StackOffCPU:
			w.text(2, "", fmt.Sprintf("%s: %s, %s at %s", s.Name, s.Format, plural(s.Samples, "look"), plural(s.Threads, "sleeping thread")))
		default:
			w.text(2, "", fmt.Sprintf("%s: %s, %s, %s", s.Name, s.Format, plural(s.Samples, "dump"), plural(s.Threads, "thread")))
		}
		if s.Err != nil {
			w.text(4, "  ", fmt.Sprintf("not all of it: %v", s.Err))
		}
		if s.Unreadable > 0 {
			w.text(4, "  ", plural(s.Unreadable, "line")+" could not be read, the first at "+problems(s.Problems))
		}
	}
	for _, n := range notes {
		w.text(2, "", n)
	}
}

func problems(list []stack.Problem) string {
	var parts []string
	for _, b := range list[:min(len(list), 3)] {
		parts = append(parts, fmt.Sprintf("line %d: %s", b.Line, b.What))
	}
	return strings.Join(parts, "; ")
}

// waits prints what the threads of one process wait for.
func (w *page) waits(proc view.StackProcess, v *view.View, several bool) {
	name := "WHAT BUSY THREADS DO"
	unitName := "thread"
	switch proc.Evidence {
	case recording.StackOnCPU:
		name, unitName = "WHAT RUNNING THREADS DO", "sample"
	case recording.StackOffCPU:
		name = "WHAT SLEEPING THREADS WAIT FOR"
	}
	if several {
		name += "  " + label(proc)
	}
	var waits []view.StackWait
	busy := 0.0
	for _, s := range v.StackWaits() {
		if s.PID == proc.PID && s.Process == proc.Process && s.Source == proc.Source && s.Evidence == proc.Evidence {
			waits = append(waits, s)
			if s.Share > 0 {
				busy += s.Mean
			}
		}
	}
	w.title(fmt.Sprintf("%s    %s busy of %s", name, mean(busy), plural(int64(proc.Threads), unitName)))
	var idle []string
	shown, cut := 0, 0
	for _, s := range waits {
		switch {
		case s.Share == 0:
			idle = append(idle, fmt.Sprintf("%s × %s", mean(s.Mean), s.Title))
		case shown >= 3 && s.Share < leastShare:
		case shown >= w.Top:
			cut++
		default:
			shown++
			w.wait(s)
		}
	}
	if cut > 0 {
		fmt.Fprintf(w, "        and %d more: --top %d\n", cut, shown+cut)
	}
	if busy == 0 {
		fmt.Fprintln(w, "  none: all threads wait for work")
	}
	if len(idle) > 0 {
		w.text(8, "  idle: ", strings.Join(idle, ", "))
	}
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

func (w *page) wait(s view.StackWait) {
	title := s.Title
	if s.ID == "" {
		title = "in functions that the dictionary does not know"
	}
	kind := string(s.Kind)
	fmt.Fprintf(w, "%7s  %5s  %-8s %s\n", mean(s.Mean), unit.Share(s.Share), kind, w.paint(bold, escape.Text(title)))
	const indent = 25
	pad := strings.Repeat(" ", indent)
	if s.Object != "" {
		w.text(indent+5, pad+"for: ", s.Object)
	}
	if s.ID != "" {
		w.text(indent, pad, s.Meaning)
		if sig := signatures.Default().ByID(s.ID); sig != nil && sig.Versions != "" {
			w.text(indent+7, pad+"where: ", sig.Versions)
		}
	}
	if s.Act != "" { // idle threads, which count where they run, have none
		w.text(indent+4, pad+"do: ", s.Act)
	}
	w.text(indent+4, pad+"in: ", strings.Join(w.frames(s.Example), " <- "))
}

// shownFrames is how many frames of an example are printed.
const shownFrames = 8

func (w *page) frames(frames []string) []string {
	if w.Verbose || len(frames) <= shownFrames {
		return frames
	}
	return append(slices.Clone(frames[:shownFrames]), "...")
}

func label(p view.StackProcess) string {
	switch {
	case p.Process != "" && p.PID > 0:
		return fmt.Sprintf("%s (%d)", escape.Text(p.Process), p.PID)
	case p.PID > 0:
		return fmt.Sprintf("process %d", p.PID)
	case p.Process != "":
		return escape.Text(p.Process)
	}
	return escape.Text(p.Source)
}

func (w *page) deadlocks(p *stack.Profile) {
	cycles := map[int32][]*stack.Lock{}
	for _, l := range p.Locks {
		if l.Cycle > 0 {
			cycles[l.Cycle] = append(cycles[l.Cycle], l)
		}
	}
	if len(cycles) == 0 {
		return
	}
	w.title(fmt.Sprintf("DEADLOCKS    %d", len(cycles)))
	for c := int32(1); c <= int32(len(cycles)); c++ {
		for _, l := range cycles[c] {
			w.text(6, fmt.Sprintf("%3d ", c), fmt.Sprintf("%q waits for %s (%s), which %q holds", l.Waiter, l.ID, l.Class, l.Holder))
			w.text(10, "      ", fmt.Sprintf("%q in: %s", l.Holder, strings.Join(w.frames(l.Held), " <- ")))
		}
	}
	fmt.Fprintln(w, "    None of these threads ever goes on. Take these locks in the same order everywhere.")
}

func (w *page) locks(p *stack.Profile) {
	shown, cut := 0, 0
	for _, l := range p.Locks {
		if l.Cycle > 0 && l.Waiters < 2 {
			continue
		}
		if shown >= w.Top {
			cut++
			continue
		}
		if shown == 0 {
			w.title("MOST AWAITED LOCKS    threads")
		}
		shown++
		holder := "held by no thread of the dump"
		if l.Holder != "" {
			holder = fmt.Sprintf("held by %q", l.Holder)
		}
		w.text(10, fmt.Sprintf("%7d  ", l.Waiters), fmt.Sprintf("%s (%s), %s", l.ID, l.Class, holder))
		if len(l.Held) > 0 {
			w.text(14, "          in: ", strings.Join(w.frames(l.Held), " <- "))
		}
	}
	if cut > 0 {
		fmt.Fprintf(w, "        and %d more: --top %d\n", cut, shown+cut)
	}
}

func (w *page) pools(p *stack.Profile) {
	shown := 0
	for _, pool := range p.Pools {
		if shown >= w.Top {
			break
		}
		if shown == 0 {
			w.title("POOLS WITHOUT A FREE THREAD")
		}
		shown++
		w.text(4, "  ", fmt.Sprintf("%s: all %d threads, in %d of %s: %s", pool.Name, pool.Threads, pool.Dumps, plural(pool.Of, "dump"), pool.Signature.Title))
		if pool.Signature.ID == "java/wait-for-task" {
			w.text(4, "    ", "If the tasks they wait for are queued in the same pool, nobody is left to run them.")
		}
	}
}

// hotThread is the share of a core from which a thread counts as hot.
const hotThread = 5

func (w *page) hot(p *stack.Profile) {
	shown := 0
	for _, h := range p.Hot {
		if h.CPU < hotThread || shown >= w.Top {
			continue
		}
		if shown == 0 {
			w.title("HOT THREADS    % of a core")
		}
		shown++
		w.text(10, fmt.Sprintf("%7.1f  ", h.CPU), fmt.Sprintf("%q (%d, %#x) %s", h.Thread, h.TID, h.TID, h.State))
		in := strings.Join(w.frames(h.Frames), " <- ")
		if len(h.Frames) == 0 {
			in = "a thread of the VM itself"
		}
		w.text(14, "          in: ", in)
	}
}

func (w *page) states(p *stack.Profile) {
	counts := map[string]int64{}
	for _, s := range p.Stacks {
		if s.State != "" && s.Kind == recording.StackDump {
			counts[s.State] += s.Count
		}
	}
	if len(counts) == 0 {
		return
	}
	var parts []string
	for state, n := range counts {
		parts = append(parts, fmt.Sprintf("%d %s", n, state))
	}
	slices.SortFunc(parts, func(a, b string) int {
		var x, y int
		fmt.Sscan(a, &x)
		fmt.Sscan(b, &y)
		return cmp.Or(cmp.Compare(y, x), strings.Compare(a, b))
	})
	w.title("STATES")
	w.text(2, "  ", strings.Join(parts, ", "))
}

// stacks prints the most frequent stacks, those of each kind on their own:
// samples of running threads and looks at sleeping ones come at different rates.
func (w *page) stacks(p *stack.Profile) {
	all, kinds := p.Merged(), p.Kinds()
	for _, kind := range kinds {
		var list []*stack.Stack
		total := int64(0)
		for _, s := range all {
			if s.Kind == kind {
				list = append(list, s)
				total += s.Count
			}
		}
		title := "STACKS"
		if len(kinds) > 1 {
			title = map[string]string{recording.StackOnCPU: "STACKS OF RUNNING THREADS", recording.StackOffCPU: "STACKS OF SLEEPING THREADS", recording.StackDump: "STACKS OF THE DUMP"}[kind]
		}
		w.title(fmt.Sprintf("%s    %s, innermost frame first", title, unit.Plural(len(list), "different one", "different ones")))
		for _, s := range list[:min(len(list), w.Top)] {
			share := ""
			if len(kinds) > 1 {
				share = fmt.Sprintf(" %6s ", unit.Share(float64(s.Count)/float64(total)))
			}
			line := fmt.Sprintf("%7d%s %s", s.Count, share, escape.Text(strings.Join(s.Frames, ",")))
			if !w.Verbose && utf8.RuneCountInString(line) > w.Width {
				r := []rune(line)
				line = string(r[:max(w.Width-3, 20)]) + "..."
			}
			fmt.Fprintln(w, line)
		}
		if rest := len(list) - w.Top; rest > 0 {
			fmt.Fprintf(w, "        and %d more: --top %d, or --pmp for all\n", rest, len(list))
		}
	}
}

func plural(n int64, one string) string {
	if n == 1 {
		return "1 " + one
	}
	if strings.HasSuffix(one, "look") {
		return fmt.Sprintf("%d looks", n)
	}
	return unit.Count(n).String() + " " + one + "s"
}
