package show

import (
	"cmp"
	"fmt"
	"slices"

	"rtrail/internal/document"
	"rtrail/internal/recording"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

const (
	// maxAlone is of how many processes there are samples without a sum by program: a
	// profile of a whole host has some hundred.
	maxAlone = 3
	// minAlone is the share of all samples from which one of more processes has a table
	// of its own.
	minAlone = 0.01
)

// program is all processes of one name.
type program struct {
	name    string
	samples int
	pids    map[int32]bool
}

// programs sums up the samples of running threads by program, if they are of many processes, and
// gives the processes that have tables of their own, the busiest first.
func (o Options) programs(processes []view.StackProcess) (sums []document.Block, alone []view.StackProcess) {
	var list []*program
	known := map[string]*program{}
	total, running := 0, 0
	for _, p := range processes {
		if p.Evidence != recording.StackOnCPU {
			continue
		}
		name := cmp.Or(p.Process, label(p))
		x := known[name]
		if x == nil {
			x = &program{name: name, pids: map[int32]bool{}}
			known[name] = x
			list = append(list, x)
		}
		x.samples += p.Threads
		x.pids[p.PID] = true
		total += p.Threads
		running++
	}
	if running <= maxAlone || total == 0 {
		return nil, processes
	}
	slices.SortStableFunc(list, func(a, b *program) int {
		return cmp.Or(cmp.Compare(b.samples, a.samples), cmp.Compare(a.name, b.name))
	})
	// Pages have tables that begin so above their flame graphs.
	t := document.Table{Title: fmt.Sprintf("WHERE THE SAMPLES ARE: %s of %s", unit.Plural(total, "sample", "samples"), unit.Plural(len(list), "program", "programs")),
		Columns: []document.Column{{Name: "samples", Right: true}, {Name: "share", Right: true}, {Name: "processes", Right: true}, {Name: "program", Cut: true, Style: document.Strong}}}
	share := func(samples int) string { return unit.Share(float64(samples) / float64(total)).String() }
	for _, x := range list[:min(len(list), o.Top)] {
		t.Add([]string{unit.Count(x.samples).String(), share(x.samples), unit.Count(len(x.pids)).String(), x.name})
	}
	t.More = more(len(t.Rows), len(list)-len(t.Rows))
	sums = []document.Block{t}

	small, spared := 0, 0
	for _, p := range processes {
		if p.Evidence == recording.StackOnCPU && float64(p.Threads) < minAlone*float64(total) && !o.Verbose {
			small++
			spared += p.Threads
			continue
		}
		alone = append(alone, p)
	}
	weight := func(p view.StackProcess) int {
		if p.Evidence == recording.StackOnCPU {
			return p.Threads
		}
		return 0 // looks at sleeping threads come after them
	}
	slices.SortStableFunc(alone, func(a, b view.StackProcess) int { return cmp.Compare(weight(b), weight(a)) })
	if small > 0 {
		sums = append(sums, document.Prose{Style: document.Quiet, Words: fmt.Sprintf("%s less than %v of the samples, %s together: -v has their tables, too",
			unit.Plural(small, "process has", "processes have"), unit.Share(minAlone), share(spared))})
	}
	return sums, alone
}
