package proc

import (
	"strings"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var deadlock = rule.Rule{
	ID:           "proc/deadlock",
	Title:        "threads of a program wait for each other's locks, forever",
	Plural:       "programs have threads that wait for each other's locks, forever",
	Resource:     "locks of programs",
	Needs:        []recording.Table{recording.Processes, recording.Threads},
	BlindWithout: []recording.Sight{recording.UnseenSyscalls},
	Explains:     []string{"proc/lock-contention"},
	Thresholds:   []*rule.Threshold{&stuckFor},
	Detect:       detectDeadlock,
}

var stuckFor = rule.Threshold{Name: "stuck-for", Value: 1, Unit: "seconds", Source: rule.Judgement,
	Reason: "Time in which none of the threads ran while each waited for a lock of the next one. A cycle seen twice is proof; the pause between the looks excludes a race between them."}

func detectDeadlock(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, d := range v.Deadlocks() {
		p, known := v.Process(d.PID)
		if !known || d.For.Seconds() < stuckFor.Value {
			continue
		}
		stuck := len(d.Cycle) + len(d.Behind)
		f := rule.Finding{Subject: p.Entity(), Confidence: rule.Certain,
			Impact:   rule.Impact{TimeLost: float64(stuck), Text: rule.T("%v forever", unit.Plural(int64(stuck), "thread waits", "threads wait"))},
			Headline: rule.T("deadlock in %s: %s wait for each other's locks", p.Entity(), members(d))}
		if len(d.Cycle) == 1 {
			// With some locks another thread may unlock it: used so, they are a signal.
			f.Confidence = rule.Likely
			f.Headline = rule.T("deadlock in %s: thread %s waits for a lock that it holds itself", p.Entity(), members(d))
			f.Notes = append(f.Notes, rule.T("a few old programs wait like this for a signal of another thread"))
		}
		for _, w := range d.Cycle {
			f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.LockStuck, Value: d.For.Seconds(), Limit: rule.Limit(stuckFor.Value),
				What:  rule.T("%s waits for the lock at %#x, which %s holds; it has not run for at least %v", threadName(w.Thread, w.TID), w.Lock, holderName(d, w), unit.Duration(d.For)),
				Check: shell.Line("cat /proc/%d/task/%d/syscall", p.PID, w.TID)})
		}
		if n := len(d.Behind); n > 0 {
			f.Notes = append(f.Notes, rule.T("%v for locks that these hold", unit.Plural(int64(n), "other thread waits", "other threads wait")))
		}
		f.Fixes = []rule.Fix{
			{Text: rule.T("keep the stacks of its threads: they say where the locks are taken"), Command: shell.Line("rtrail stacks --pid %d", p.PID), Tradeoff: "nothing"},
			{Text: rule.T("restart the program: nothing else frees these threads"), Tradeoff: "it can happen again at any time"},
			{Text: rule.T("take these locks in the same order everywhere, or use one lock for both"), Tradeoff: "takes a developer"},
		}
		found = append(found, f)
	}
	return found, nil
}

// members names the threads of a cycle.
func members(d view.Deadlock) string {
	const most = 4
	var names []string
	for i, w := range d.Cycle {
		if i == most {
			names = append(names, "others")
			break
		}
		names = append(names, threadName(w.Thread, w.TID))
	}
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

func holderName(d view.Deadlock, w recording.LockWait) string {
	for _, c := range d.Cycle {
		if c.TID == w.Holder {
			return threadName(c.Thread, c.TID)
		}
	}
	return threadName("", w.Holder)
}
