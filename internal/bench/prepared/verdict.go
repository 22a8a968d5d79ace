package prepared

import (
	"fmt"
	"math"
	"strings"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/unit"
)

// Thresholds of the verdict. They are judgement.
const (
	// clearFrom is from how many times as long on something costs, beyond noise: it is worth a
	// change of a program.
	clearFrom = 2
	// inProportion is how far two ratios may be apart that are called the same.
	inProportion = 1.25
	// mostOf is the share of the CPU time, or of a time, that explains it.
	mostOf = 0.5
	// worthNaming is the share from which a function beside the first is named.
	worthNaming = 0.05
)

// judge says what costs.
func (r *Result) judge() {
	r.Verdict = []Finding{}
	r.judgeTimeouts()
	r.judgePairs("mode", "no mode is clearly slower than the other", true, func(a, b *Cell) bool {
		return a.Mode == ServerSide && b.Mode == ClientSide && a.Spaces == b.Spaces && a.Logs == b.Logs
	},
		func(slow, fast *Cell, times string) string {
			return fmt.Sprintf("%s takes %s, %s times as long as %s (%s), with %s of SQL and %s", slow.Mode, mean(slow), times, fast.Mode, mean(fast), size(slow.SQL), slow.Logs)
		})
	r.judgePairs("log", "no log makes it clearly slower", false, func(a, b *Cell) bool {
		return a.Mode == b.Mode && a.Spaces == b.Spaces && a.Logs != Logs{} && b.Logs == Logs{}
	},
		func(slow, fast *Cell, times string) string {
			return fmt.Sprintf("with %s %s takes %s, with %s %s: %s times as long, with %s of SQL", slow.Logs, slow.Mode, mean(slow), fast.Logs, mean(fast), times, size(slow.SQL))
		})
	r.judgePairs("length", "longer SQL is not clearly slower", false, func(a, b *Cell) bool { return a.Mode == b.Mode && a.Logs == b.Logs && a.SQL > b.SQL },
		func(slow, fast *Cell, times string) string {
			length, more := float64(slow.SQL)/float64(fast.SQL), "in proportion"
			switch ratio := float64(slow.Mean / fast.Mean); {
			case ratio > inProportion*length:
				more = "more than in proportion"
			case ratio < length/inProportion:
				more = "less than in proportion"
			}
			return fmt.Sprintf("%s with %s: %s of SQL take %s, %s take %s; %s times the length, %s times the time: %s", slow.Mode, slow.Logs,
				size(fast.SQL), mean(fast), size(slow.SQL), mean(slow), unit.Number(round(length)), times, more)
		})
	r.judgeLogsAsTheyAre()
	r.judgeCause()
	r.judgePrepare()
	r.judgeClient()
}

func (r *Result) find(about string, costs bool, words string) {
	r.Verdict = append(r.Verdict, Finding{about, costs, words})
}

// noise is how many times as long one round of a cell takes as another one of it, at most: what
// the host and the server do besides.
func (r *Result) noise() float64 {
	noise := 1.0
	for i := range r.Cells {
		if c := &r.Cells[i]; len(c.Rounds) > 0 {
			shortest, longest := c.extremes()
			noise = max(noise, longest/shortest)
		}
	}
	return noise
}

// extremes are the shortest and the longest round.
func (c *Cell) extremes() (shortest, longest float64) {
	shortest = math.Inf(1)
	for _, x := range c.Rounds {
		shortest, longest = min(shortest, float64(x.Took)), max(longest, float64(x.Took))
	}
	return shortest, longest
}

// slower says whether a is clearly slower than b: each of its rounds than each of the other, by
// twice the factor by which rounds of any one cell differ.
func slower(a, b *Cell, noise float64) bool {
	shortest, _ := a.extremes()
	_, longest := b.extremes()
	return shortest >= clearFrom*noise*longest
}

// judgePairs compares the cells of which one differs from the other in one thing, and tells of
// the largest factor where the first of a pair is slower; where either may be, of both.
func (r *Result) judgePairs(about, none string, either bool, pair func(a, b *Cell) bool, words func(slow, fast *Cell, times string) string) {
	var pairs, unfinished int
	var largest float64 // of what is not clear
	var found [2]struct {
		slow, fast *Cell
		ratio      float64
	}
	noise := r.noise()
	for i := range r.Cells {
		for j := range r.Cells {
			a, b := &r.Cells[i], &r.Cells[j]
			if i == j || !pair(a, b) {
				continue
			}
			if pairs++; len(a.Rounds) == 0 || len(b.Rounds) == 0 {
				unfinished++
				continue
			}
			for n, x := range [2][2]*Cell{{a, b}, {b, a}} {
				ratio := float64(x[0].Mean / x[1].Mean)
				if n == 1 && !either || !slower(x[0], x[1], noise) {
					largest = max(largest, ratio)
				} else if ratio > found[n].ratio {
					found[n].slow, found[n].fast, found[n].ratio = x[0], x[1], ratio
				}
			}
		}
	}
	for _, f := range found {
		if f.slow != nil {
			r.find(about, true, words(f.slow, f.fast, unit.Number(round(f.ratio)).String()))
		}
	}
	switch {
	case pairs == 0 || found[0].slow != nil || found[1].slow != nil:
	case unfinished > 0:
		r.find(about, false, fmt.Sprintf("not judged: %d of %d comparisons lack a side", unfinished, pairs))
	default:
		r.find(about, false, fmt.Sprintf("%s: at most %s times as long, and rounds of one cell differ by up to %s times", none, unit.Number(round(largest)), unit.Number(round(noise))))
	}
}

// judgeTimeouts tells of queries that took too long to be measured.
func (r *Result) judgeTimeouts() {
	for i := range r.Cells {
		if c := &r.Cells[i]; c.timedOut {
			r.find("timeout", true, fmt.Sprintf("%s, %s of SQL, %s: %s", c.Mode, size(c.SQL), c.Logs, c.Failed))
		}
	}
}

// judgeLogsAsTheyAre says that logs were not compared.
func (r *Result) judgeLogsAsTheyAre() {
	if !r.toggles {
		r.find("log", false, fmt.Sprintf("measured with %s, as found; --toggle-logs compares", r.now))
	}
}

// slowest is the cell with the longest mean; nil without one.
func (r *Result) slowest() (slow *Cell) {
	for i := range r.Cells {
		if c := &r.Cells[i]; len(c.Rounds) > 0 && (slow == nil || c.Mean > slow.Mean) {
			slow = c
		}
	}
	return slow
}

// judgeCause says where the time of the slowest cell goes.
func (r *Result) judgeCause() {
	c := r.slowest()
	if c == nil {
		return
	}
	where := fmt.Sprintf("%s, %s of SQL, %s (%s)", c.Mode, size(c.SQL), c.Logs, mean(c))
	p := c.Profile
	switch {
	case p == nil:
		why := r.unprofiled
		if why == "" {
			why = "no profile was taken"
		}
		r.find("cause", false, fmt.Sprintf("not known where the time of the slowest, %s, goes: %s", where, why))
	case p.Samples < fewSamples:
		r.find("cause", false, fmt.Sprintf("the slowest, %s, took too little CPU time to say where it goes: %s", where, unit.Plural(p.Samples, "sample", "samples")))
	case c.Mode == ServerSide && p.Inserting >= mostOf:
		words := fmt.Sprintf("the slowest, %s: %s of the server's CPU time (%d samples) is below insert_params: it writes each value into the text of the statement", where, unit.Share(p.Inserting), p.Samples)
		if p.Moving >= mostOf {
			words += fmt.Sprintf(", and moves the rest of the text for each (%s): that costs markers times length", unit.Share(p.Moving))
		}
		r.find("cause", true, words+". It does so where the statement may be logged. Hottest: "+p.hottest())
	default:
		r.find("cause", false, fmt.Sprintf("the slowest, %s: of the server's CPU time (%d samples) goes into %s", where, p.Samples, p.hottest()))
	}
}

// hottest names functions with what calls the first one.
func (p *Profile) hottest() string {
	var names []string
	for i, f := range p.Hot[:min(len(p.Hot), 3)] {
		if i > 0 && f.Share < worthNaming {
			break
		}
		name := fmt.Sprintf("%s (%s) %s", f.Name, f.Module, unit.Share(f.Share))
		if i == 0 && len(p.Stack) > 1 {
			name += ", called by " + strings.Join(p.Stack[1:min(len(p.Stack), 6)], " < ")
		}
		names = append(names, name)
	}
	return strings.Join(names, "; ")
}

// judgePrepare says what the prepare itself takes, and whether the server prepared at all.
func (r *Result) judgePrepare() {
	var dear *Cell
	for i := range r.Cells {
		c := &r.Cells[i]
		if c.Mode != ServerSide || len(c.Rounds) == 0 {
			continue
		}
		if c.PreparedBefore >= 0 && c.PreparedAfter >= 0 && c.PreparedAfter != c.PreparedBefore+1 {
			r.find("fallback", false, fmt.Sprintf("%s of SQL with %s: Com_stmt_prepare went from %d to %d, so something else than the server prepared it; its times prove nothing", size(c.SQL), c.Logs, c.PreparedBefore, c.PreparedAfter))
		}
		if c.Prepare > c.Mean && (dear == nil || c.Prepare > dear.Prepare) {
			dear = c
		}
	}
	if dear != nil {
		r.find("prepare", false, fmt.Sprintf("a statement that is executed once costs its prepare, too: %s before the %s of its execution, with %s of SQL and %s", took(dear.Prepare), mean(dear), size(dear.SQL), dear.Logs))
	}
}

// judgeClient says where rtrail itself is most of a time.
func (r *Result) judgeClient() {
	for i := range r.Cells {
		if c := &r.Cells[i]; len(c.Rounds) > 0 && c.Own > mostOf*c.Mean {
			r.find("client", false, fmt.Sprintf("%s of SQL, %s, %s: %s of %s are rtrail's own CPU time; the server is faster than that", size(c.SQL), c.Mode, c.Logs, took(c.Own), mean(c)))
			return
		}
	}
}

func mean(c *Cell) string { return took(c.Mean) }

func took(n document.Number) string {
	return unit.Duration(float64(n) * float64(time.Millisecond)).String()
}

func size(n int) string { return unit.Bytes(n).String() }

// round leaves three digits.
func round(v float64) float64 {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return v
	}
	scale := math.Pow(10, 2-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*scale) / scale
}
