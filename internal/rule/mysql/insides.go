package mysql

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// rulesContention are about what threads of a server contend for inside of it,
// and what they burn CPU for beside their work. Only stacks tell that: counters
// and settings alone prove nothing.
var rulesContention = []rule.Rule{tableCacheContention, mdlContention, spinWaste, preparedPadding, instrumentationCost}

var (
	minQueue = rule.Threshold{Name: "min-queue", Value: 2.0, Unit: "threads", Source: rule.Judgement,
		Reason: "Mean number of threads that wait at one place. One thread that waits while another works is not a queue."}
	queueShare = rule.Threshold{Name: "queue-share", Value: 0.25, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the running statements. Below a quarter another cause matters more, and even healthy servers have such moments."}
	manyWait = rule.Threshold{Name: "many-wait", Value: 4.0, Unit: "threads", Source: rule.Judgement,
		Reason: "Threads that wait at one place, with most-wait. From here on the server mainly waits there."}
	mostWait = rule.Threshold{Name: "most-wait", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the busy threads with the same stack. From half on, this stack is the place to start."}
	fullCPUs = rule.Threshold{Name: "full-cpus", Value: 0.95, Unit: "share", Source: rule.Judgement,
		Reason: "Share of CPU time. Above it the CPUs are a limit, too."}
	fewSamples = rule.Threshold{Name: "few-samples", Value: 60, Unit: "count", Source: rule.Judgement,
		Reason: "Samples of running threads. 60 give a share of 10 % within 4 percentage points."}
	busyServer = rule.Threshold{Name: "busy-server", Value: 2.0, Unit: "statements", Source: rule.Judgement,
		Reason: "Mean number of running statements, without rtrail's. From here on, if stacks are missing, the server counts as not judged."}
)

// insides is one server process and what its stacks tell.
type insides struct {
	v       *view.View
	s       *view.MySQLServer // nil: all that is known is a dump of its stacks
	process view.StackProcess // in the dump, or of sleeping threads
	waits   []view.StackWait
}

// insidesOf lists the servers of which there are stacks. If there are none
// although a server is busy, it says why.
func insidesOf(v *view.View) ([]insides, error) {
	var list []insides
	var why *rule.NotJudged
	known := map[int32]bool{}
	waits := v.StackWaits()
	for _, s := range v.MySQLServers() {
		x := insides{v: v, s: s}
		for _, w := range waits {
			if s.PID > 0 && w.PID == s.PID {
				x.waits = append(x.waits, w)
			}
		}
		if len(x.waits) > 0 {
			known[s.PID] = true
			list = append(list, x)
			continue
		}
		if s.Answered() && running(s) >= busyServer.Value+1 {
			why = withoutStacks(v, s)
		}
	}
	for _, p := range v.StackProcesses() {
		if p.Evidence == recording.StackDump && !known[p.PID] {
			x := insides{v: v, process: p}
			for _, w := range waits {
				if w.PID == p.PID && w.Source == p.Source && w.Process == p.Process {
					x.waits = append(x.waits, w)
				}
			}
			list = append(list, x)
		}
	}
	if len(list) == 0 && why != nil {
		return nil, why
	}
	return list, nil
}

// serverInside says whether there was a server, or a dump of one: stacks of other
// programs show nothing of what threads of MySQL contend for.
func serverInside(v *view.View) bool {
	if len(v.MySQLServers()) > 0 {
		return true
	}
	for _, r := range view.Rows[recording.StackSample](v) {
		row := view.StackRow{Frames: strings.Split(r.Frames, ";")}
		if row.Calls(0, "mysqld_main", "handle_connection", "handle_one_connection", "do_handle_one_connection", "do_command") {
			return true
		}
	}
	return false
}

// withoutStacks says why a busy server has no stacks.
func withoutStacks(v *view.View, s *view.MySQLServer) *rule.NotJudged {
	n := &rule.NotJudged{Needs: "stacks of " + named(s), Why: "it runs on another host", How: shell.Say("run rtrail diagnose on that host, or: pstack $(pidof mysqld) > stacks.txt; rtrail diagnose stacks.txt")}
	if s.PID > 0 {
		n.Why = "none of its threads was caught working or waiting"
		n.How = shell.Say("watch for longer: --for 30s")
	}
	for _, u := range view.Rows[recording.UnseenNote](v) {
		if u.Probe == "stack" {
			n.Why = u.Why
			if u.How != "" {
				n.How = shell.Recorded(u.How)
			}
		}
	}
	if s.Process != nil && s.Process.Gone { // nothing can be done about that any more
		n.Why, n.How = "its process ended in the window", shell.Say("rtrail explain mysql/not-answering")
	}
	return n
}

// runningOf is insidesOf for rules about what running threads do, which dumps do
// not tell: they show running and sleeping threads alike.
func runningOf(v *view.View) ([]insides, error) {
	all, err := insidesOf(v)
	list := slices.DeleteFunc(slices.Clone(all), func(x insides) bool { return x.s == nil })
	if len(list) == 0 && len(all) > 0 && serverInside(v) {
		return nil, &rule.NotJudged{Needs: "samples of running threads", Why: "dumps do not show which threads ran",
			How: shell.Say("rtrail diagnose --mysql DSN on the server's host, while it is slow")}
	}
	return list, err
}

func (x insides) subject() view.Entity {
	if x.s != nil {
		return x.s.Entity()
	}
	e := x.v.ProcessEntity(x.process.PID, cmp.Or(x.process.Process, "mysqld"))
	e.Detail = cmp.Or(e.Detail, x.process.Source)
	return e
}

func (x insides) affects() []view.Entity {
	if x.s == nil {
		return nil
	}
	// What the whole host suffers from is this server's doing if it uses most of
	// the CPU that is used.
	return loaded(x.v, x.s, noBytes)
}

// noBytes: contention inside of a server loads no disk.
var noBytes = direction{func(view.Process) float64 { return 0 }, func(view.DiskRates) float64 { return 0 }}

// queue is how many threads wait at a place, on average, and their share of all
// statements that run.
func (x insides) queue(signature string) (w view.StackWait, waiting, share float64) {
	for _, have := range x.waits {
		if have.ID == signature && have.Evidence != recording.StackOnCPU && have.Mean > waiting {
			w, waiting, share = have, have.Mean, have.Share
		}
	}
	if waiting == 0 {
		return w, 0, 0
	}
	if x.s != nil {
		// Sleeping threads alone are no whole: those that run work, too. One of the
		// server's running threads answers rtrail.
		if n := running(x.s) - 1; n > 0 {
			share = min(share, waiting/max(n, waiting))
		}
	}
	return w, waiting, share
}

// sureOfQueue judges a queue; 0: it is none.
func (x insides) sureOfQueue(waiting, share float64) rule.Confidence {
	switch {
	case waiting >= manyWait.Value && share >= mostWait.Value && x.cpusFull():
		return rule.Likely
	case waiting >= manyWait.Value && share >= mostWait.Value:
		return rule.Certain
	case waiting >= minQueue.Value && share >= queueShare.Value:
		return rule.Likely
	}
	return 0
}

// cpusFull says whether all CPUs of the host are busy. Then threads also queue
// because one lost its CPU while it held the mutex, and ending the queue gains
// only what queueing costs.
func (x insides) cpusFull() bool {
	total, ok := x.v.CPUTotal()
	return ok && total.Busy() >= fullCPUs.Value
}

// gain is what to expect of a fix that ends a queue.
func (x insides) gain() string {
	if x.cpusFull() {
		return "; all CPUs are busy, so the gain is only the cost of queueing itself: measure before and after"
	}
	return ""
}

// burnt is the share of the samples of running threads whose stack fits, and
// how many cores that is; NaN if the process's CPU is not known. share is 0 with
// too few samples.
func (x insides) burnt(fits func(view.StackRow) bool) (share, cores float64, samples int64) {
	if x.s == nil || x.s.PID <= 0 {
		return 0, 0, 0
	}
	list, all := x.v.Stacks(x.s.PID, recording.StackOnCPU)
	if all < int64(fewSamples.Value) {
		return 0, 0, all
	}
	n := int64(0)
	for _, r := range list {
		if fits(r) {
			n += r.Count
		}
	}
	share = float64(n) / float64(all)
	cores = math.NaN()
	if x.s.Process != nil {
		cores = share * x.s.Process.CPU
	}
	return share, cores, all
}

// callers counts the functions that call into what fits, the most frequent
// first: the outermost frame that fits is left out.
func (x insides) callers(fits func(view.StackRow) bool, past ...string) []string {
	list, _ := x.v.Stacks(x.s.PID, recording.StackOnCPU)
	counts := map[string]int{}
	for _, r := range list {
		if !fits(r) {
			continue
		}
		for _, frame := range r.Frames {
			one := view.StackRow{Frames: []string{frame}}
			if !one.Calls(1, past...) && !strings.HasPrefix(frame, "??") && !strings.HasPrefix(frame, "asm_") && !strings.HasPrefix(frame, "[") {
				counts[frame] += int(r.Count)
				break
			}
		}
	}
	var names []string
	for name := range counts {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	return names
}

// stackEvidence is the queue as numbers, with the stack.
func (x insides) stackEvidence(w view.StackWait, waiting, share float64, function string) rule.Evidence {
	e := rule.Evidence{Metric: metric.MySQLStackWaiters, Value: waiting, Limit: rule.Limit(minQueue.Value),
		What:  rule.T("on average %s threads (%s of the running statements) in %s, in %d looks at all threads", unit.Number(waiting), unit.Share(share), path(w), w.Dumps),
		Check: x.dump(shell.Line("grep -c %s", function))}
	if w.Evidence == recording.StackDump {
		e.What = rule.T("on average %s threads (%s of the busy ones) in %s, in %d dumps", unit.Number(waiting), unit.Share(share), path(w), w.Dumps)
	}
	return e
}

// dump is a command line that shows stacks.
func (x insides) dump(rest shell.Command) shell.Command {
	if x.s == nil {
		return shell.Line("rtrail stacks %s", shell.Paths(strings.Split(cmp.Or(x.process.Source, "FILE"), ", ")))
	}
	return shell.Line("eu-stack -p %d | %s   # stops the server for a moment; rtrail stacks --pid %d does not", x.s.PID, rest, x.s.PID)
}

// maxFrames of a stack are named in evidence.
const maxFrames = 4

// path is the telling part of a stack: the functions of the server that are
// innermost.
func path(w view.StackWait) string {
	var names []string
	for _, f := range w.Example {
		if !strings.Contains(f, "futex") && !strings.Contains(f, "lll_") && !strings.Contains(f, "pthread_mutex") && !strings.HasPrefix(f, "inline_mysql") && !strings.HasPrefix(f, "??") {
			names = append(names, f)
		}
		if len(names) == maxFrames {
			break
		}
	}
	if w.Object != "" {
		return strings.Join(names, " < ") + " (" + w.Object + ")"
	}
	return strings.Join(names, " < ")
}

// setting is a variable of the server as evidence.
func setting(s *view.MySQLServer, m *metric.Metric, name string, value int64) rule.Evidence {
	return rule.Evidence{Metric: m, Value: float64(value), What: rule.T("%s is %d", name, value),
		Check: ask(s, shell.SQL("show global variables like %s", name))}
}
