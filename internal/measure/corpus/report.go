package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"sync"

	"rtrail/internal/document"
)

// report prints what became of files as they are done, and sums up.
type checked struct {
	mu    sync.Mutex
	to    io.Writer
	lines *os.File // JSON; nil: not asked for
	known map[judgement]string

	of, files, runs, refused int
	kinds                    map[kind]int
	faults                   map[string]int // by kind
	rules                    map[string]*judged
	memory, seconds          worst
	failed                   error
}

// judged counts the findings of a rule.
type judged struct{ right, wrong, open int }

// worst is the file that took most.
type worst struct {
	value float64
	file  string
}

func (w *worst) take(value float64, file string) {
	if value > w.value {
		w.value, w.file = value, file
	}
}

func newReport(to io.Writer, path string, known map[judgement]string, of int) (*checked, error) {
	c := &checked{to: to, known: known, of: of, kinds: map[kind]int{}, faults: map[string]int{}, rules: map[string]*judged{}}
	if path != "" {
		lines, err := os.Create(path)
		if err != nil {
			return nil, fmt.Errorf("write the report: %w", err)
		}
		c.lines = lines
	}
	return c, nil
}

// add prints what is amiss with a file, and what is to be judged.
func (c *checked) add(r result) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.files++
	c.runs += r.Runs
	c.kinds[r.Kind]++
	if r.Refused {
		c.refused++
	}
	c.memory.take(float64(r.Memory>>20), r.path)
	c.seconds.take(r.Seconds, r.path)
	for _, f := range r.Faults {
		c.faults[f.Kind]++
		fmt.Fprintf(c.to, "%s\n  %v\n", r.path, f)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Judged = c.known[judgement{f.Rule, f.Subject, r.File}]
		sum := c.rules[f.Rule]
		if sum == nil {
			sum = &judged{}
			c.rules[f.Rule] = sum
		}
		switch f.Judged {
		case "right":
			sum.right++
		case "wrong":
			sum.wrong++
		default:
			sum.open++
			c.show(&r, f)
		}
	}
	if c.lines != nil {
		c.failed = cmp.Or(c.failed, document.JSONLine(c.lines, r))
	}
	if c.files%500 == 0 {
		fmt.Fprintf(os.Stderr, "corpus-check: %d of %d files\n", c.files, c.of)
	}
}

// show prints a finding with what a person needs to judge it.
func (c *checked) show(r *result, f *finding) {
	fmt.Fprintf(c.to, "%s\n  finding %s, %s: %s\n", r.path, f.Rule, f.Confidence, f.Headline)
	for _, e := range f.Evidence {
		fmt.Fprintf(c.to, "          - %s\n", e)
	}
	if f.Under != "" {
		fmt.Fprintf(c.to, "          explained by %s\n", f.Under)
	}
	fmt.Fprintf(c.to, "          judge: right|wrong\t%s\t%s\t%s\n", f.Rule, f.Subject, r.File)
}

// close sums up; held says that no run failed and no finding is known to be wrong.
func (c *checked) close() (held bool, err error) {
	held = true
	fmt.Fprintf(c.to, "\n%d files", c.files)
	for _, k := range slices.Sorted(maps.Keys(c.kinds)) {
		fmt.Fprintf(c.to, ", %d %s", c.kinds[k], k)
	}
	fmt.Fprintf(c.to, "; %d runs; %d files refused with a reason\n", c.runs, c.refused)
	for _, k := range []string{"crash", "hang", "memory", "output", "check"} {
		fmt.Fprintf(c.to, "%-8s %d\n", k, c.faults[k])
		held = held && c.faults[k] == 0
	}
	fmt.Fprintf(c.to, "most memory %.0f MB: %s\nlongest run %.1f s: %s\n", c.memory.value, c.memory.file, c.seconds.value, c.seconds.file)
	if len(c.rules) > 0 {
		fmt.Fprintf(c.to, "findings above possible%19s%8s%8s\n", "right", "wrong", "open")
	}
	var all judged
	row := func(name string, j judged) { fmt.Fprintf(c.to, "  %-30s%10d%8d%8d\n", name, j.right, j.wrong, j.open) }
	for _, rule := range slices.Sorted(maps.Keys(c.rules)) {
		j := c.rules[rule]
		row(rule, *j)
		all.right, all.wrong, all.open = all.right+j.right, all.wrong+j.wrong, all.open+j.open
	}
	row("all", all)
	if c.lines != nil {
		c.failed = cmp.Or(c.failed, c.lines.Close())
	}
	return held && all.wrong == 0, c.failed
}
