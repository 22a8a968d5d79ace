package memory

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"time"

	"rtrail/internal/cgname"
	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var leak = rule.Rule{
	ID:       "mem/leak",
	Title:    "a process takes more and more memory and frees none",
	Plural:   "processes take more and more memory and free none",
	Resource: "memory",
	Needs:    []recording.Table{recording.Processes, recording.Memory},
	Explains: []string{"mem/cgroup-near-limit", "mem/swapping", "mem/reclaim"},
	Thresholds: []*rule.Threshold{&soon, &longWindow, &grownUp, &solidGrowth, &distant, &manyReadings, &leastReadings, &leastGrowth, &largestStep,
		&upShare, &downShare, &straightShare, &straightBytes, &evenSteps, &keptShare},
	Detect: detectLeak,
}

var (
	soon = rule.Threshold{Name: "soon", Value: 10 * 60, Unit: "seconds", Source: rule.Judgement,
		Reason: "Memory is gone before anybody on call can act. So the growth is a problem, whether it is a leak or not."}
	longWindow = rule.Threshold{Name: "long-window", Value: 10 * 60, Unit: "seconds", Source: rule.Judgement,
		Reason: "Growth without a pause for 10 minutes is not a warm-up."}
	grownUp = rule.Threshold{Name: "grown-up", Value: 60, Unit: "seconds", Source: rule.Judgement,
		Reason: "A younger process is still filling its caches and heaps, and processes of a build take memory as long as they run. If memory runs out within that time, the kind of growth does not matter."}
	solidGrowth = rule.Threshold{Name: "solid-growth", Value: 1 << 20, Unit: "bytes", Source: rule.Judgement,
		Reason: "Growth in the window. Below it the forecast depends on a few pages."}
	distant = rule.Threshold{Name: "distant", Value: 4 * 3600, Unit: "seconds", Source: rule.Judgement,
		Reason: "Beyond this there is no need to act in this shift, and a forecast multiplies the window by thousands. Only a constant rate allows that; caches and heaps fill fast, then slowly, then not at all."}
	manyReadings = rule.Threshold{Name: "many-readings", Value: 15, Unit: "count", Source: rule.Judgement,
		Reason: "Samples on a straight line. Five or six small steps can lie on a line by chance, or because a load has just started."}
)

const (
	// maxShown: growing processes worth a line.
	maxShown = 3
)

// grower is a process that takes more and more memory.
type grower struct {
	process view.Process
	trend   trend
	pool    *bufferPool // of a MySQL server, if it grew as well
}

func detectLeak(v *view.View) ([]rule.Finding, error) {
	enough := false
	var unclear *rule.NotJudged
	var list []grower
	for _, p := range v.Processes() {
		t := trendOf(privateMemory(p))
		enough = enough || t.readings >= leastReadings.Int()
		if p.Own || p.Kernel || !suspicious(v, p, t) {
			continue
		}
		g := grower{process: p, trend: t}
		pool, known := poolOf(v, p)
		switch {
		case known && pool.grown() > 0:
			g.pool = &pool
			if !pool.fits(ceilingOf(v, p)) {
				break
			}
			g.trend = trendOf(pool.without(privateMemory(p)))
			if !suspicious(v, p, g.trend) {
				continue
			}
			if pool.mayHold(g.trend) && sureOf(v, p, g.trend) == rule.Possible {
				unclear = fillsToo(p, g.trend, pool)
				continue
			}
		case !known && isMySQL(p) && p.Age(p.Samples[0].At()) < grownUp.Duration() && sureOf(v, p, t) == rule.Possible:
			unclear = notAsked(p, t)
			continue
		}
		list = append(list, g)
	}
	if !enough {
		return nil, &rule.NotJudged{Needs: "more readings of processes", Why: fmt.Sprintf("a trend takes at least %d readings of a process's memory", leastReadings.Int()), How: shell.Say("watch longer: --for 30s")}
	}
	slices.SortStableFunc(list, func(a, b grower) int { return cmp.Compare(b.trend.slope, a.trend.slope) })
	var found []rule.Finding
	for _, g := range list[:min(len(list), maxShown)] {
		found = append(found, leakFinding(v, g))
	}
	if unclear != nil {
		return found, unclear
	}
	return found, nil
}

// suspicious says whether growth is worth a word.
func suspicious(v *view.View, p view.Process, t trend) bool {
	return t.steady() && (fills(v, p, t) || t.seconds >= longWindow.Value || leaksEvenly(p, t))
}

// sureOf is likely if the memory is gone soon, or growth never paused for long.
func sureOf(v *view.View, p view.Process, t trend) rule.Confidence {
	c := ceilingOf(v, p)
	if p.Age(v.End()) >= grownUp.Duration() && (c.known && c.left(t) <= soon.Duration() && t.grown >= solidGrowth.Value || t.seconds >= longWindow.Value && t.grown >= solidGrowth.Value/16) {
		return rule.Likely
	}
	return rule.Possible
}

// fills says whether memory will be gone before long. How fast a program begins says
// nothing of the hours to come: until it is grown up, growth counts that goes on at one
// rate, step by step, for no longer than the program was there before, or that leaves no time.
func fills(v *view.View, p view.Process, t trend) bool {
	left := ceilingOf(v, p).left(t)
	switch {
	case t.grown >= solidGrowth.Value && left <= grownUp.Duration():
		return true
	case p.Age(p.Samples[0].At()) < grownUp.Duration() && (t.grown < solidGrowth.Value || !t.straight() || !t.even() || !begun(p, t)):
		return false
	}
	return left <= distant.Duration()
}

// leaksEvenly says whether slow growth is at one rate, and not that of a program
// that begins.
func leaksEvenly(p view.Process, t trend) bool {
	return t.straight() && t.readings*t.block >= manyReadings.Int() && begun(p, t)
}

// begun says whether a program was there for as long again as it was watched.
func begun(p view.Process, t trend) bool { return p.Age(p.Samples[0].At()).Seconds() >= t.seconds }

// ceiling is what a growing process runs into.
type ceiling struct {
	room  float64 // bytes until then
	group view.Cgroup
	host  bool
	known bool
}

// left is how long the memory lasts at this rate; 0 if nobody told how much there is.
func (c ceiling) left(t trend) time.Duration {
	if !c.known {
		return 0
	}
	return time.Duration(min(c.room/t.slope, 1e9) * 1e9)
}

func ceilingOf(v *view.View, p view.Process) (c ceiling) {
	if m, ok := v.MemoryNow(); ok && m.Available >= 0 {
		c = ceiling{room: float64(m.Available + v.SwapSpace().Free()), host: true, known: true}
	}
	if g, ok := v.MemoryLimitOf(p); ok {
		room := float64(g.RoomBelow(g.MemoryMax)) // above memory.high it still grows
		if !c.known || room < c.room {
			c = ceiling{room: room, group: g, known: true}
		}
	}
	return c
}

func leakFinding(v *view.View, g grower) rule.Finding {
	p, t := g.process, g.trend
	who := fmt.Sprintf("%s (%d)", p.Comm, p.PID)
	c := ceilingOf(v, p)
	f := rule.Finding{Subject: p.Entity(), Confidence: sureOf(v, p, t)}
	left := c.left(t)
	old := p.Age(v.End()) >= grownUp.Duration()
	f.Headline = rule.T("%s takes %v more memory every second and frees none", who, unit.Bytes(t.slope))
	keeper := keeperOf(v, p, t)
	if keeper != nil {
		f.Headline = rule.T("%s takes %v more memory every second: %s (%s) allocates it, and it is not freed", who, unit.Bytes(t.slope), keeper.Function, keeper.Where())
	}
	f.Impact = rule.Impact{Share: 0.001, Text: rule.T("%v/s", unit.Bytes(t.slope))}
	if c.known && !c.host {
		f.Affects = append(f.Affects, view.CgroupEntity(c.group.Path))
	}
	if c.known {
		// How much of the time to react is gone by the end of the window: a
		// leak that needs days weighs little beside anything that hurts now.
		f.Impact.Share = max(0.001, min(1, t.seconds/max(left.Seconds(), 1e-3)))
		what := "the host's memory"
		if !c.host {
			what = "the limit of " + c.group.Path
		}
		f.Impact.Text = rule.T("%s is used up in %v", what, unit.Duration(left))
	}
	what := "private memory"
	if t.block > 1 {
		what = fmt.Sprintf("private memory (the lowest of every %d readings)", t.block)
	}
	f.Evidence = []rule.Evidence{{Metric: metric.ProcessAnonGrowth, Value: t.slope,
		What:  rule.T("its %s grew by %v in %v: up in %d of %d steps, down in %d", what, unit.Bytes(t.grown), unit.Seconds(t.seconds), t.up, t.up+t.flat+t.down, t.down),
		Check: shell.Line("watch -n 1 %s", shell.Script(shell.Line("grep -E 'RssAnon|VmSwap' /proc/%d/status", p.PID)))}}
	f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.ProcessAnon, Value: float64(weight(p)),
		What: rule.T("it holds %v, in RAM and swap", unit.Bytes(weight(p))), Check: shell.Line("pidstat -r -p %d 1 5", p.PID)})
	if g.pool != nil {
		f.Evidence = append(f.Evidence, g.pool.evidence(c))
	}
	if keeper != nil {
		f.Evidence = slices.Insert(f.Evidence, 1, rule.Evidence{Metric: metric.ProcessAllocated, Value: float64(keeper.Held),
			What:  rule.T("%s (%s) allocated %v in the window, and %v were not freed; it was called by %s", keeper.Function, keeper.Where(), unit.Bytes(keeper.Bytes), unit.Bytes(keeper.Held), callers(keeper)),
			Check: shell.Line("rtrail trace alloc -p %d --for 30s", p.PID)})
	}
	switch {
	case c.known && c.host:
		f.Evidence = append(f.Evidence, availableNow(v)...)
	case c.known:
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.CgroupMemory, Value: float64(c.group.Memory), Limit: rule.Limit(float64(c.group.MemoryMax)),
			What: rule.T("%s uses %v of %v", c.group.Path, unit.Bytes(c.group.Memory), unit.Bytes(c.group.MemoryMax)), Check: shell.Line("cat %s", memoryFile(c.group, "memory.current", "memory.usage_in_bytes"))})
	}
	if f.Confidence == rule.Possible {
		note := "%v of growth prove no leak: caches and heaps fill up like this too"
		if !old {
			note = "%v of growth prove no leak, and the process is young: caches and heaps fill up like this too"
		}
		f.Notes = append(f.Notes, rule.T(note, unit.Seconds(t.seconds)))
	}
	f.Fixes = []rule.Fix{
		{Text: rule.T("see whether it continues: watch it for an hour with little load"), Command: shell.Line("pidstat -r -p %d 60 60", p.PID), Tradeoff: "takes an hour"},
		findAllocation(p, keeper),
		{Text: rule.T("until it is fixed: give it its own limit and restart it when load is low"), Command: ownLimit(v, p), Tradeoff: "hides the leak; each restart empties its caches"},
	}
	if g.pool != nil && !g.pool.fits(c) {
		f.Fixes = slices.Insert(f.Fixes, 0, rule.Fix{Text: rule.T("make its buffer pool fit into the available memory"), Command: g.pool.shrink(c), Tradeoff: "more reads from disk"})
	}
	return f
}

// ownLimit gives the unit of systemd that a process belongs to half as much memory again as
// it uses. A unit of which nothing tells how much that is may be killed at once: none then.
func ownLimit(v *view.View, p view.Process) shell.Command {
	unit := cgname.Unit(p.MemCgroup)
	for _, c := range v.Cgroups() {
		if unit != "" && c.Memory > 0 && path.Base(c.Path) == unit && view.InGroup(p.MemCgroup, c.Path) {
			return rule.SetProperty(c.Path, shell.Line("MemoryMax=%dM", (c.Memory>>20)*3/2+1))
		}
	}
	return shell.Command{}
}
