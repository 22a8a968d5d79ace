package proc

import (
	"cmp"
	"math"
	"slices"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var zombies = rule.Rule{
	ID:         "proc/zombies",
	Title:      "a parent does not reap its ended children",
	Plural:     "parents do not reap their ended children",
	Resource:   "process table",
	Needs:      []recording.Table{recording.Processes},
	Columns:    []string{"processes.ppid", "processes.comm", "processes.state", "processes.threads"},
	Levels:     true,
	Thresholds: []*rule.Threshold{&unreaped, &minNew, &enoughToSay, &manyZombies, &freshAfter},
	Detect:     detectZombies,
}

var (
	unreaped = rule.Threshold{Name: "unreaped", Value: 1, Unit: "seconds", Source: rule.Judgement,
		Reason: "Every child is a zombie until its parent runs and calls wait. Within 1 s this happens even on a busy host."}
	minNew = rule.Threshold{Name: "min-new", Value: 3, Unit: "count", Source: rule.Judgement,
		Reason: "New zombies that stay. One or two may belong to a parent that reaps in batches."}
	enoughToSay = rule.Threshold{Name: "enough-to-say", Value: 10, Unit: "count", Source: rule.Judgement,
		Reason: "Fewer old zombies take a few process table entries and nothing else."}
	manyZombies = rule.Threshold{Name: "many-zombies", Value: 100, Unit: "count", Source: rule.Judgement,
		Reason: "Zombies without growth. The parent stopped reaping some time ago, or reaps in bursts."}
)

const (
	// defaultPIDMax is the kernel's smallest default (include/linux/threads.h).
	defaultPIDMax = 32768
)

// family is the zombies of one parent.
type family struct {
	parent int32
	list   []view.Process // there at the end, dead for longer than unreaped, or at the only look
	fresh  int            // of these: not yet zombies when the window began
	reaped int            // zombies of this parent that disappeared
}

func detectZombies(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, fam := range families(v) {
		n := len(fam.list)
		if n == 0 {
			continue
		}
		f := rule.Finding{Subject: v.ProcessEntity(fam.parent, ""), Confidence: rule.Possible}
		switch {
		case fam.fresh >= minNew.Int() && fam.reaped == 0 && n >= enoughToSay.Int():
			f.Confidence = rule.Certain
		case fam.fresh >= minNew.Int() && fam.fresh > fam.reaped && n >= enoughToSay.Int(), n >= manyZombies.Int():
			f.Confidence = rule.Likely
		case n < enoughToSay.Int() && fam.fresh < minNew.Int():
			continue
		}
		limit := pidLimit(v)
		growth := float64(fam.fresh-fam.reaped) / max(v.Seconds(), 1)
		f.Impact = rule.Impact{Share: max(float64(n)/limit, 0.01), Text: rule.T("%s of %s PIDs", unit.Count(n), unit.Count(limit))}
		if growth > 0 {
			f.Impact.Text = rule.T("%s of %s PIDs, all used up in %s", unit.Count(n), unit.Count(limit), unit.Seconds((limit-float64(n))/growth))
		}
		f.Headline = rule.T("%s does not reap its children: %s zombies", f.Subject, unit.Count(n))
		if f.Evidence = zombieEvidence(fam, f.Subject, growth); v.Seconds() == 0 {
			f.Evidence = f.Evidence[:1] // how many came and went is not known
		}
		f.Fixes = zombieFixes(fam.parent)
		found = append(found, f)
	}
	return found, nil
}

func families(v *view.View) []family {
	byParent := map[int32]*family{}
	var order []int32
	for _, p := range v.Processes() {
		since, last := deadFor(p)
		if last == 0 {
			continue
		}
		fam := byParent[p.PPID]
		if fam == nil {
			fam = &family{parent: p.PPID}
			byParent[p.PPID] = fam
			order = append(order, p.PPID)
		}
		switch {
		case p.Gone:
			if last >= unreaped.Duration() {
				fam.reaped++
			}
		case last >= unreaped.Duration(), v.Seconds() == 0: // how long, one look does not show
			fam.list = append(fam.list, p)
			if since.Sub(v.Start()) > freshAfter.Duration() {
				fam.fresh++
			}
		}
	}
	list := make([]family, 0, len(order))
	for _, pid := range order {
		list = append(list, *byParent[pid])
	}
	slices.SortStableFunc(list, func(a, b family) int { return cmp.Compare(len(b.list), len(a.list)) })
	return list
}

var freshAfter = rule.Threshold{Name: "fresh-after", Value: 0.5, Unit: "seconds", Source: rule.Judgement,
	Reason: "The first pass over /proc may take this long."}

// deadFor is since when, and how long up to its last reading, a process was
// seen as a zombie. A dead main thread whose other threads live on is none.
func deadFor(p view.Process) (since time.Time, last time.Duration) {
	for _, s := range p.Samples {
		if s.Of().State != "Z" || s.Of().Threads > 1 {
			since = time.Time{}
			continue
		}
		if since.IsZero() {
			since = s.At()
		}
	}
	if since.IsZero() {
		return since, 0
	}
	// One reading more than none, so that a zombie seen once is not "never".
	return since, max(p.Samples[len(p.Samples)-1].At().Sub(since), 1)
}

func pidLimit(v *view.View) float64 {
	if n, ok := v.SysctlNumber(0, "kernel.pid_max"); ok && n > 0 {
		return float64(n)
	}
	return defaultPIDMax
}

func zombieEvidence(fam family, parent view.Entity, growth float64) []rule.Evidence {
	check := shell.Line("ps -o pid,stat,etime,comm --ppid %d", fam.parent)
	name := fam.list[0].Comm
	list := []rule.Evidence{{
		Metric: metric.ProcessZombies, What: rule.T("%s children of %s are zombies, as %s (%d)", unit.Count(len(fam.list)), parent, name, fam.list[0].PID),
		Value: float64(len(fam.list)), Check: check,
	}}
	list = append(list, rule.Evidence{
		Metric: metric.ProcessZombieGrowth, What: rule.T("%d new in the window, %d reaped", fam.fresh, fam.reaped),
		Value: math.Max(growth, 0), Check: shell.Line("watch -n1 %s", shell.Script(shell.Line("%s | grep -c Z", check))),
	})
	return list
}

func zombieFixes(parent int32) []rule.Fix {
	return []rule.Fix{
		{
			Text:     rule.T("fix the parent: wait for each child, or ignore SIGCHLD so that the kernel reaps them"),
			Command:  shell.Line("grep -E 'Sig(Cgt|Ign|Blk)' /proc/%d/status", parent),
			Tradeoff: "a change of the program",
		},
		{
			Text:     rule.T("restart the parent: init reaps its zombies"),
			Command:  shell.Line("kill %d", parent),
			Tradeoff: "its service is interrupted; zombies themselves cannot be killed",
		},
		{
			Text:     rule.T("in a container, run an init that reaps them (docker run --init, tini)"),
			Tradeoff: "one more small process",
		},
	}
}
