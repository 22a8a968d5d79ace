package cpu

import (
	"fmt"
	"slices"
	"strings"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var shortLivedProcesses = rule.Rule{
	ID:       "cpu/short-lived-processes",
	Title:    "CPU time goes to processes that end before tools see them",
	Plural:   "parents start processes that end before tools see them",
	Resource: "CPU",
	Needs:    []recording.Table{recording.CPUs, recording.System, recording.Processes},
	Explains: []string{"cpu/saturated"},
	Thresholds: []*rule.Threshold{&birthsFrom, &vanishedShare, &vanishedPossible, &briefCPU, &busyFrom, &fullFrom, &waitRatioPossible, &victimDelay, &crowdedFrom,
		&stalledFrom, &crowdShare, &childShare, &occupiedFrom, &maxBirthsPerRequest, &mainShare, &reapedShare, &consumersShare, &insideShare},
	Detect: detectShortLived,
}

var mainShare = rule.Threshold{Name: "main-share", Value: 0.5, Unit: "share", Source: rule.Judgement,
	Reason: "Share of the busy CPU time from which short-lived processes are the main load; also the share of their time that one parent must account for."}

var reapedShare = rule.Threshold{Name: "reaped-share", Value: 0.25, Unit: "share", Source: rule.Judgement,
	Reason: "Share of the time of exited processes that a parent got back. Below it the parent probably ignores SIGCHLD, and the process with most new children counts as the parent."}

var (
	birthsFrom = rule.Threshold{Name: "births-from", Value: 50.0, Unit: "per second", Source: rule.Measured,
		Reason: "Tasks created per second. Shell scripts, cron jobs and monitoring agents stay below 20/s; 50/s is one every 20 ms."}
	vanishedShare = rule.Threshold{Name: "vanished-share", Value: 0.10, Unit: "share", Source: rule.Judgement,
		Reason: "Share of all CPU time that goes to exited processes while tasks wait because of them. From 10 % on, users notice when they are gone; /proc tick accounting and sampling cause errors of a few percent."}
	vanishedPossible = rule.Threshold{Name: "vanished-possible", Value: 0.05, Unit: "share", Source: rule.Judgement,
		Reason: "Half of vanished-share is worth a hint."}
	briefCPU = rule.Threshold{Name: "brief-cpu", Value: 0.05, Unit: "seconds", Source: rule.Measured,
		Reason: "CPU time per new task. Up to this, start and exit (fork, exec, dynamic linking, page faults: 1 to 5 ms) are a good part of the cost. A build with 0.5 s per process does real work."}
)

func detectShortLived(v *view.View) ([]rule.Finding, error) {
	total, ok := v.CPUTotal()
	sched, ok2 := v.Scheduler()
	if !ok || !ok2 {
		return nil, &rule.NotJudged{Needs: "two readings of /proc/stat", Why: "the fork rate is a difference of two readings", How: shell.Say("watch longer: --for 10s")}
	}
	if sched.Forks < birthsFrom.Value {
		return nil, nil
	}
	var found []rule.Finding
	for _, b := range parents(v, total, sched.Forks) {
		used := min(1, b.taken()/float64(v.CPUCount()))
		if used < vanishedPossible.Value || b.parent.PID == 0 || b.forks < birthsFrom.Value {
			continue
		}
		found = append(found, b.finding(v, used, total))
	}
	return found, nil
}

func (b *books) finding(v *view.View, used float64, total view.CPUShare) rule.Finding {
	f := rule.Finding{Confidence: rule.Possible, AffectsAll: used >= mainShare.Value*total.Busy()}
	// Threads count as forks too; CPU time that came back to a parent from
	// ended children, or that no live process has, proves that these were
	// processes.
	x := harmOf(v, *b, used, total, b.forks)
	if perTask := used * float64(v.CPUCount()) / b.forks; used >= vanishedShare.Value && perTask <= briefCPU.Value && b.newbornCPU <= briefCPU.Value && x.any() {
		f.Confidence = rule.Likely
		if x.crowd && (b.told || b.parentCPU >= mainShare.Value*max(b.missing, b.parentCPU)) {
			f.Confidence = rule.Certain
		}
	}
	describeShortLived(v, &f, *b, used)
	f.Evidence = append(f.Evidence, x.evidence(*b)...)
	if !x.any() {
		f.Notes = append(f.Notes, x.harmless(used, total))
	}
	return f
}

// books is where the CPU time of the window went.
type books struct {
	total     float64 // cores used by processes, from /proc/stat
	live      float64 // of it, by processes that were seen
	missing   float64 // the rest
	allForks  float64 // processes and threads created per second, by everybody
	forks     float64 // of them, those of the parent; all where the kernel does not tell of processes
	told      bool    // by the kernel: forks are processes of this parent
	parent    view.Process
	parentCPU float64 // cores its ended children used
	guessed   bool    // it gets no account of its children; most of those seen at work are its own
	children  []string
	programs  []view.Program // that it and its children started, where the kernel told
	born      int            // its children seen to begin in the window
	// newbornCPU is the CPU seconds that processes born in the window had used
	// when last seen, on average. Forks count threads too, so CPU time per fork
	// makes the processes of a build look brief; this one does not.
	newbornCPU float64
}

// parents are those who start processes: all of which the kernel told, or else the one
// that most points at.
func parents(v *view.View, total view.CPUShare, forks float64) []books {
	host, seen := balance(v, total)
	host.allForks, host.forks = forks, forks
	broods := v.Broods()
	if len(broods) == 0 {
		host.guess(v, seen)
		return []books{host}
	}
	var list []books
	for _, brood := range broods {
		p, ok := v.Process(brood.Parent)
		if !ok || p.Own || p.Kernel {
			continue
		}
		seconds := max(v.Seconds(), 0.001)
		b := host
		b.told, b.parent, b.forks = true, p, float64(brood.Born)/seconds
		b.parentCPU = max(steadyChildCPU(p, v.CPUCount()), brood.CPU.Seconds()/seconds)
		b.newbornCPU = brood.CPU.Seconds() / float64(max(brood.Ended, 1))
		b.born, b.programs, b.children = brood.Born, brood.Programs, programNames(brood.Programs)
		list = append(list, b)
	}
	return list
}

// newborns are the processes that were seen to begin in the window, by parent.
type newborns struct {
	all, working map[int32]int
	names        map[int32]map[string]int
}

// balance is where the CPU time of the window went, and who began in it.
func balance(v *view.View, total view.CPUShare) (books, newborns) {
	b := books{total: (total.User + total.Nice + total.System) * float64(v.CPUCount())}
	seen := newborns{map[int32]int{}, map[int32]int{}, map[int32]map[string]int{}}
	newborn := 0.0
	for _, p := range v.Processes() {
		// A process seen once or briefly counts for the part of the window in
		// which it was seen.
		b.live += p.CPU * min(1, p.Seconds/max(v.Seconds(), 0.001))
		if !p.Started.Before(v.Start()) && !p.Kernel {
			seen.all[p.PPID]++
			last := p.Samples[len(p.Samples)-1].Of()
			newborn++
			b.newbornCPU += max(0, (last.User + last.System).Seconds())
			if last.State == "R" || last.User+last.System > 0 {
				seen.working[p.PPID]++
			}
			if seen.names[p.PPID] == nil {
				seen.names[p.PPID] = map[string]int{}
			}
			seen.names[p.PPID][p.Comm]++
		}
	}
	if newborn > 0 {
		b.newbornCPU /= newborn
	}
	b.missing = max(0, b.total-b.live)
	return b, seen
}

// guess finds the parent by /proc alone: who got back most CPU time of ended children.
func (b *books) guess(v *view.View, seen newborns) {
	for _, p := range v.Processes() {
		if c := steadyChildCPU(p, v.CPUCount()); !p.Own && !p.Kernel && c > b.parentCPU {
			b.parentCPU, b.parent = c, p
		}
	}
	// A parent that ignores SIGCHLD never gets its children's time; then who has
	// most of the new processes that work is the parent.
	if b.parentCPU < reapedShare.Value*b.missing {
		all, most, at := 0, 0, view.Process{}
		for pid, n := range seen.working {
			all += n
			p, ok := v.Process(pid)
			if ok && !p.Own && !p.Kernel && (n > most || n == most && p.PID < at.PID) {
				most, at = n, p
			}
		}
		if most > 0 && float64(most) >= mainShare.Value*float64(all) {
			b.parent, b.parentCPU, b.guessed = at, steadyChildCPU(at, v.CPUCount()), true
		}
	}
	b.born = seen.all[b.parent.PID]
	b.children = childNames(seen.names[b.parent.PID], b.parent.Comm)
}

// taken is the cores that short-lived processes of the parent used: all that is missing
// where most of it is known to be theirs, or nobody else can have used it, and
// otherwise what is known. Where the kernel told of processes, nothing is missing.
func (b books) taken() float64 {
	if b.told {
		return b.parentCPU
	}
	if b.guessed || b.parentCPU >= mainShare.Value*b.missing {
		return max(b.missing, b.parentCPU)
	}
	return b.parentCPU
}

// steadyChildCPU is the cores that ended children of a process used. A child
// that ran for an hour and ends in the window hands over an hour at once: more
// than the CPUs can have done between two readings was done before, and the
// middle of the other rates ignores what may have been.
func steadyChildCPU(p view.Process, cpus int) float64 {
	var rates []float64
	for i := 1; i < len(p.Samples); i++ {
		a, z := p.Samples[i-1].Of(), p.Samples[i].Of()
		seconds := p.Samples[i].At().Sub(p.Samples[i-1].At()).Seconds()
		if seconds <= 0 || a.ChildUser < 0 || z.ChildUser < 0 {
			continue
		}
		rate := max(0, (z.ChildUser+z.ChildSystem-a.ChildUser-a.ChildSystem).Seconds()/seconds)
		if most := float64(cpus); rate <= 1.25*most { // a reading takes its time
			rates = append(rates, min(rate, most))
		}
	}
	return median(rates)
}

// childNames are the names of a parent's newborn children, the most frequent
// first. A child caught before its exec still has its parent's name.
func childNames(seen map[string]int, parent string) []string {
	var list []string
	for len(list) < 3 {
		best, most := "", 0
		for name, n := range seen {
			if name != parent && n > most || n == most && name < best && name != parent {
				best, most = name, n
			}
		}
		if most == 0 {
			break
		}
		list = append(list, best)
		rest := map[string]int{}
		for name, n := range seen {
			if name != best {
				rest[name] = n
			}
		}
		seen = rest
	}
	return list
}

// programNames are the names of programs that were started most.
func programNames(list []view.Program) []string {
	var names []string
	for _, p := range list {
		if !slices.Contains(names, p.Comm) && len(names) < 3 {
			names = append(names, p.Comm)
		}
	}
	return names
}

// programEvidence names what was started, with arguments, and how it ended.
func programEvidence(v *view.View, list []view.Program) (evidence []rule.Evidence) {
	for _, p := range list[:min(len(list), 3)] {
		e := rule.Evidence{Metric: metric.ProcessRuns, Value: float64(p.Runs) / max(v.Seconds(), 1), Check: shell.Line("rtrail trace exec --for 10s"),
			What: rule.T("%s ended %s times, %s of them with %s", p.Cmdline, unit.Count(p.Runs), unit.Count(p.Endings), p.Ending)}
		if p.Endings == p.Runs {
			e.What = rule.T("%s ended %s times with %s", p.Cmdline, unit.Count(p.Runs), p.Ending)
		}
		evidence = append(evidence, e)
	}
	return evidence
}

func describeShortLived(v *view.View, f *rule.Finding, b books, used float64) {
	who := fmt.Sprintf("%s (%d)", b.parent.Comm, b.parent.PID)
	children := "children that end too soon to be seen"
	if len(b.children) > 0 {
		children = strings.Join(b.children, ", ")
	}
	what := "tasks"
	if b.told {
		what = "processes"
	}
	f.Subject = b.parent.Entity()
	f.Headline = rule.T("%s starts short-lived processes (%s): %v new %s, %v of all CPU time", who, children, unit.PerSecond(b.forks), what, unit.Share(used))
	f.Impact = rule.Impact{Share: used, Text: rule.T("%v of all CPU time", unit.Share(used))}
	forks := rule.Evidence{Metric: metric.SchedForks, Value: b.forks, Limit: rule.Limit(birthsFrom.Value),
		What: rule.T("%v processes and threads created; %d new children of %s caught alive", unit.PerSecond(b.allForks), b.born, who)}
	if b.told {
		forks.Metric = metric.ProcessBirths
		forks.What = rule.T("%s and its brief children made %s processes; the host made %v processes and threads", who, unit.Count(b.born), unit.PerSecond(b.allForks))
	}
	childCPU := rule.Evidence{Metric: metric.ProcessChildCPU, Value: b.parentCPU,
		What:  rule.T("ended children of %s used %v cores", who, unit.Number(round(b.parentCPU))),
		Check: shell.Line("pidstat -T CHILD -u -p %d 5 1", b.parent.PID)}
	if b.guessed {
		childCPU.What = rule.T("no parent got back the time of ended children; most of the new processes seen running are children of %s", who)
	}
	// What was started, and how it ended, goes before the sums that it is a part of.
	f.Evidence = append([]rule.Evidence{forks}, programEvidence(v, b.programs)...)
	sums := rule.Evidence{Metric: metric.CPUUnaccounted, Value: b.missing,
		What: rule.T("processes used %v cores; only %v of these belong to processes that were seen", unit.Number(round(b.total)), unit.Number(round(b.live)))}
	if b.told {
		f.Evidence = append(f.Evidence, childCPU, sums)
	} else {
		f.Evidence = append(f.Evidence, sums, childCPU)
	}
	f.Fixes = []rule.Fix{
		{Text: rule.T("see what is started, with which arguments, and whether it fails"), Command: shell.Line("rtrail trace exec --for 10s"), Tradeoff: "tracing costs a little for each exec"},
		{Text: rule.T("do the work inside %s, or keep one child running and feed it", b.parent.Comm), Tradeoff: "a change of the program; a helper's crash is no longer limited to one call"},
		{Text: rule.T("if the child crashes and is restarted at once, stop the loop and read its log"),
			Command: shell.Line("journalctl -e; systemctl list-units --state=activating,failed"), Tradeoff: "the service stays down until it is fixed"},
	}
}
