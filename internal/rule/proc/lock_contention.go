package proc

import (
	"fmt"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var lockContention = rule.Rule{
	ID:           "proc/lock-contention",
	Title:        "threads of a program queue for a lock that one of them holds",
	Plural:       "programs have threads that queue for a lock that one of them holds",
	Resource:     "locks of programs",
	Needs:        []recording.Table{recording.Processes, recording.Threads},
	BlindWithout: []recording.Sight{recording.UnseenSyscalls},
	Thresholds:   []*rule.Threshold{&lockWaiters, &lockLooks, &lockStood, &holderStarved, &noneIdle, &briefWait},
	Detect:       detectLockContention,
}

var (
	lockWaiters = rule.Threshold{Name: "waiters", Value: 1, Unit: "threads", Source: rule.Judgement,
		Reason: "Mean number of threads that wait for one lock. From one on, the lock costs the work of a whole thread."}
	lockLooks = rule.Threshold{Name: "looks", Value: 5, Unit: "count", Source: rule.Judgement,
		Reason: "Looks at which threads waited for the lock. Fewer may be a single incident, such as a restart or a reload."}
	lockStood = rule.Threshold{Name: "stood-still", Value: 0.5, Unit: "seconds", Source: rule.Judgement,
		Reason: "Time that a thread did not run while another one held the lock. From here on it waits for this holder, not for its turn among many threads."}
	noneIdle = rule.Threshold{Name: "none-idle", Value: 0.25, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the CPUs that is idle. If a lock limits a program, only one CPU works at a time, so at least half of two or more CPUs is idle. Below this, threads that compute in turn may just wait for a CPU."}
	briefWait = rule.Threshold{Name: "brief-wait", Value: 1e-3, Unit: "seconds", Source: rule.Judgement,
		Reason: "Mean time of a wait: waiting threads divided by the voluntary context switches of the process a second. Threads that wait for less only pass the lock around: fewer of them may do the same work."}
	holderStarved = rule.Threshold{Name: "holder-starved", Value: 0.3, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the window in which the holder was runnable without a CPU. From here on the lock is held for so long because CPUs are short."}
)

func detectLockContention(v *view.View) ([]rule.Finding, error) {
	stuck := map[int32]bool{}
	for _, d := range v.Deadlocks() {
		for _, w := range d.Cycle {
			stuck[w.TID] = true
		}
	}
	var found []rule.Finding
	for _, l := range v.HeldLocks() {
		p, known := v.Process(l.PID)
		if !known || p.Own || len(l.Holders) == 0 || stuck[l.Holders[0].TID] || l.Mean < lockWaiters.Value || l.Looks < lockLooks.Int() {
			continue
		}
		found = append(found, contended(v, &p, l))
	}
	return found, nil
}

func contended(v *view.View, p *view.Process, l view.HeldLock) rule.Finding {
	holder := &l.Holders[0]
	f := rule.Finding{Subject: p.Entity(), Confidence: rule.Likely,
		Impact: rule.Impact{TimeLost: l.Mean, Text: rule.T("on average %v threads of %s wait for the lock", unit.Number(round(l.Mean)), p.Comm)}}
	if l.Longest.Seconds() >= lockStood.Value {
		f.Confidence = rule.Certain
	}
	does := deed(v, p, holder)
	if holder.Share >= 0.5 && holder.DoesShare > 0 {
		b := rule.Behind{For: "lock", Mean: l.Mean, Longest: l.Longest, Who: view.Entity{Kind: view.KindThread, Name: holder.Comm, PID: p.PID, Started: p.Started},
			Words: "its thread " + threadName(holder.Comm, holder.TID) + ", which " + seen(holder)}
		if holder.Does == view.WaitDisk && holder.Sure() {
			b.TID, b.Call = holder.TID, holder.Where
		}
		f.Behind = []rule.Behind{b}
	}
	asked := rule.T("on average %v threads waited for the lock at %#x: %v different ones in %d looks", unit.Number(round(l.Mean)), l.Address, len(l.Waiters), l.Looks)
	if l.Longest > 0 {
		asked = rule.T("%v; at least %v for one holder", asked, unit.Duration(l.Longest))
	}
	f.Headline = rule.T("%v of %s queue for one lock; thread %s holds it%s", unit.Plural(int64(len(l.Waiters)), "thread", "threads"), p.Entity(), threadName(holder.Comm, holder.TID), does)
	if len(l.Holders) > 1 && holder.Share < 0.5 {
		f.Headline = rule.T("%v of %s queue for one lock; they hold it in turn, %s longest%s", unit.Plural(int64(len(l.Waiters)), "thread", "threads"), p.Entity(), threadName(holder.Comm, holder.TID), does)
	}
	f.Evidence = []rule.Evidence{
		{Metric: metric.LockWaiters, Value: l.Mean, Limit: rule.Limit(lockWaiters.Value),
			What:  asked,
			Check: shell.Line("rtrail trace locks -p %d --for 10s", p.PID)},
		{Metric: metric.LockHeld, Value: holder.Share,
			What:  rule.T("%s held it in %v of these waits", threadName(holder.Comm, holder.TID), unit.Share(holder.Share)),
			Check: shell.Line("cat /proc/%d/task/%d/stack", p.PID, holder.TID)},
	}
	if caller := v.LockCaller(p.PID, l.Address); caller != "" {
		f.Evidence[0].What = rule.T("%v; most of the waiting came from %s", f.Evidence[0].What, caller)
	}
	f.Evidence = append(f.Evidence, didThen(v, p, holder)...)
	// Holders that compute in turn, on CPUs that are all busy, wait for CPUs. One that itself
	// waits for a lock may have released this one between the looks at both.
	inTurn := holder.Does == view.OnCPU && holder.Share < 0.5 || holder.Does == view.WaitLock
	if idle := v.IdleCores(); inTurn && idle <= noneIdle.Value*float64(v.CPUCount()) {
		f.Confidence = rule.Possible
		f.Notes = append(f.Notes, rule.T("threads may hold it in turn while they run, and %v of %d CPUs are idle: the cause may be a shortage of CPUs", unit.Number(round(idle)), v.CPUCount()))
	}
	if holder.Share < 0.5 && f.Confidence == rule.Likely {
		switch wait := l.Mean / p.Voluntary; {
		case holder.Does == view.OnCPU && l.Longest == 0:
			f.Confidence = rule.Possible
			f.Notes = append(f.Notes, rule.T("threads hold it in turn, each so briefly that no two looks found the same one: fewer threads may do the same work"))
		case wait <= briefWait.Value:
			f.Confidence = rule.Possible
			f.Notes = append(f.Notes, rule.T("threads hold it in turn and wait %v for it on average: fewer threads may do the same work", unit.Duration(time.Duration(wait*float64(time.Second)))))
		}
	}
	if (holder.Does == view.OnCPU || holder.Measured) && holder.RunDelay >= holderStarved.Value {
		f.Confidence = rule.Possible
		f.Notes = append(f.Notes, rule.T("the holder had no CPU for %v of the time: the lock may be held for so long because CPUs are short", unit.Share(holder.RunDelay)))
	}
	f.Fixes = []rule.Fix{
		{Text: rule.T("see where it takes the lock"), Command: shell.Line("rtrail stacks --pid %d", p.PID), Tradeoff: "none"},
		{Text: rule.T("hold the lock for less time: wait for disks, networks and timers before or after it, and compute on a copy"), Tradeoff: "takes a developer"},
		{Text: rule.T("split it into several locks, or let readers share it"), Tradeoff: "takes a developer"},
	}
	return f
}

func round(x float64) float64 { return float64(int(x*100+0.5)) / 100 }

func threadName(comm string, tid int32) string {
	if comm == "" {
		return fmt.Sprintf("thread %d", tid)
	}
	return fmt.Sprintf("%s (%d)", comm, tid)
}
