package jvm

import (
	"cmp"
	"slices"
	"strings"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var deadlock = rule.Rule{
	ID:       "jvm/deadlock",
	Title:    "threads of a Java VM wait for each other's locks",
	Plural:   "groups of Java threads wait for each other's locks",
	Resource: "Java deadlocks",
	Needs:    []recording.Table{recording.StackLocks},
	Seen:     locksAwaited,
	Detect:   detectDeadlock,
}

// shownFrames of a holder tell where it took the lock; the rest is how it came
// there.
const shownFrames = 3

// dumped is what the dumps of one VM say of its locks.
type dumped struct {
	who     view.Entity
	source  string
	locks   []recording.StackLock
	members map[string]bool // names of the threads in deadlocks
	cycles  int             // deadlocks
	behind  int64           // threads that wait for a lock of members, and are none themselves
}

func detectDeadlock(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	unknown := int64(0)
	for _, d := range dumps(v) {
		if d.cycles > 0 {
			found = append(found, d.finding())
			continue
		}
		for _, l := range d.locks {
			if l.Holder == "" && strings.Contains(l.Class, "Reentrant") {
				unknown++
			}
		}
	}
	if len(found) == 0 && unknown > 0 {
		return nil, &rule.NotJudged{
			Needs: "the holders of java.util.concurrent locks",
			Why:   rule.T("the dump does not name the holder of %s that threads wait for", unit.Plural(unknown, "lock", "locks")).String(),
			How:   shell.Say("jstack -l PID > dump.txt (-l prints them); rtrail diagnose dump.txt"),
		}
	}
	return found, nil
}

// locksAwaited says whether a thread waited for a lock at all: nobody is in a
// deadlock who waits for none.
func locksAwaited(v *view.View) bool { return len(v.StackLocks()) > 0 }

// dumps lists the VMs whose dumps name locks.
func dumps(v *view.View) []*dumped {
	type vm struct {
		source string
		pid    int32
	}
	var list []*dumped
	keys, series := view.Group(v.StackLocks(), func(l recording.StackLock) vm { return vm{l.Source, l.PID} })
	for _, k := range keys {
		d := &dumped{who: v.ProcessEntity(k.pid, "java"), source: k.source, locks: series[k], members: map[string]bool{}}
		d.who.Detail = k.source
		cycles := map[int32]bool{}
		for _, l := range d.locks {
			if l.Cycle > 0 {
				cycles[l.Cycle] = true
				d.members[l.Waiter], d.members[l.Holder] = true, true
			}
		}
		d.cycles = len(cycles)
		for _, l := range d.locks {
			switch {
			case l.Cycle > 0:
				d.behind += l.Waiters - 1
			case d.members[l.Holder]:
				d.behind += l.Waiters
			}
		}
		list = append(list, d)
	}
	return list
}

// finding words all deadlocks of a VM: one restart ends them all.
func (d *dumped) finding() rule.Finding {
	stuck := int64(len(d.members)) + d.behind
	f := rule.Finding{
		Subject:    d.who,
		Confidence: rule.Certain,
		Impact:     rule.Impact{TimeLost: float64(stuck), Text: rule.T("%s forever", waits(stuck))},
		Headline:   rule.T("%s: %s wait for each other's locks, and all are stuck", d.number(), unit.Plural(len(d.members), "thread", "threads")),
		Fixes: []rule.Fix{
			{Text: rule.T("restart the program: nothing else frees these threads"), Tradeoff: "it can happen again at any time"},
			{Text: rule.T("take these locks in the same order everywhere, or use one lock for both"), Tradeoff: "a change of the program; with a coarser lock fewer threads work at a time"},
			{Text: rule.T("where the order is not known, take the second lock by tryLock with a timeout, and release the first one when it fails"),
				Tradeoff: "a change of the program: the work must be rolled back and retried"},
		},
	}
	if d.behind > 0 {
		f.Headline = rule.T("%s: %s wait for each other's locks, and %d more for theirs; all are stuck", d.number(), unit.Plural(len(d.members), "thread", "threads"), d.behind)
	}
	check := d.check()
	for _, l := range d.inCycles() {
		f.Evidence = append(f.Evidence, rule.Evidence{
			Metric: metric.JVMDeadlockedThreads, Value: float64(len(d.members)), Check: check,
			What: rule.T("%s waits for %s (%s), which %s holds, in %s", quoted(l.Waiter), l.Lock, l.Class, quoted(l.Holder), within(l.Held)),
		})
	}
	if d.behind > 0 {
		f.Evidence = append(f.Evidence, rule.Evidence{
			Metric: metric.JVMBehindDeadlock, Value: float64(d.behind), Check: shell.Line("rtrail stacks %s", d.files()),
			What: rule.T("%s for a lock that one of them holds", waits(d.behind)),
		})
	}
	return f
}

func (d *dumped) number() string {
	if d.cycles == 1 {
		return "deadlock"
	}
	return unit.Plural(d.cycles, "deadlock", "deadlocks")
}

func waits(threads int64) string {
	if threads == 1 {
		return "1 thread waits"
	}
	return unit.Plural(threads, "thread", "threads") + " wait"
}

// inCycles lists the locks of deadlocks, those of one deadlock together.
func (d *dumped) inCycles() []recording.StackLock {
	list := slices.DeleteFunc(slices.Clone(d.locks), func(l recording.StackLock) bool { return l.Cycle == 0 })
	slices.SortStableFunc(list, func(a, b recording.StackLock) int {
		return cmp.Or(cmp.Compare(a.Cycle, b.Cycle), cmp.Compare(a.Lock, b.Lock))
	})
	return list
}

func (d *dumped) files() shell.Paths { return strings.Split(d.source, ", ") }

// check finds the VM's own list of deadlocks, which it writes at the end of a
// dump; compressed ones are seen through.
func (d *dumped) check() shell.Command {
	return shell.Line("zgrep -h -A 30 'Java-level deadlock' %s", d.files())
}

func quoted(name string) string { return `"` + name + `"` }

// within names the innermost functions of the program itself: those of the class
// library only say that a lock is taken.
func within(stack string) string {
	all := strings.Split(stack, ";")
	frames := slices.DeleteFunc(slices.Clone(all), ofLibrary)
	if len(frames) == 0 {
		frames = all
	}
	if len(frames) > shownFrames {
		frames = append(frames[:shownFrames:shownFrames], "...")
	}
	return strings.Join(frames, " <- ")
}

func ofLibrary(frame string) bool {
	return strings.HasPrefix(frame, "java.") || strings.HasPrefix(frame, "jdk.") || strings.HasPrefix(frame, "sun.")
}
