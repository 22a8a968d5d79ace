package proc

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var crashLoop = rule.Rule{
	ID:         "proc/crash-loop",
	Title:      "a program is started again and again, and fails at once",
	Plural:     "programs are started again and again, and fail at once",
	Resource:   "restarts",
	Needs:      []recording.Table{recording.ProcessEvents},
	Explains:   []string{"cpu/short-lived-processes"},
	Thresholds: []*rule.Threshold{&minStarts, &endsAtOnce, &inTurn, &startCPU},
	Detect:     detectCrashLoop,
}

var (
	minStarts = rule.Threshold{Name: "min-starts", Value: 4, Unit: "count", Source: rule.Judgement,
		Reason: "Runs of the same command line that failed. One restart is normal, and two may be a retry; four in one window are a loop. By default systemd gives up after five in 10 s."}
	endsAtOnce = rule.Threshold{Name: "ends-at-once", Value: 2, Unit: "seconds", Source: rule.Judgement,
		Reason: "Median lifetime. A service that fails because of its configuration, an address in use or a missing file fails during its start. A service that lives longer had begun to work."}
	inTurn = rule.Threshold{Name: "in-turn", Value: 0.9, Unit: "share", Source: rule.Judgement,
		Reason: "Runs that began after the previous one had ended. Parallel jobs overlap, restarts do not."}
	startCPU = rule.Threshold{Name: "start-cpu", Value: 0.005, Unit: "seconds", Source: rule.Judgement,
		Reason: "Median CPU time of a run. From here on a failure without a supervisor counts. Commands whose exit status is an answer, such as grep and test, use a millisecond or two."}
)

// restarts are the runs of one command line under one parent, all of which failed.
type restarts struct {
	runs     []view.Run
	parent   view.Entity
	ending   string
	alike    int    // runs that ended so
	shim     string // that kept the container in which they ran; "": in none
	ownShim  bool   // each ran under another shim, which ended, too
	byClient bool   // a client made each of these containers: nothing says that one is restarted
	signal   int32
	status   int32
	down     float64 // share of the time from the first start to the last end
}

func detectCrashLoop(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, r := range failing(v) {
		sure := r.confidence()
		if sure == 0 {
			continue
		}
		found = append(found, r.finding(v, sure))
	}
	return found, nil
}

// container is the name of the process that keeps the container in which a run began, "" if none
// does. What makes a container (runc) ends before that starts its program, and there is a new one
// each time; so there may be of the shim.
func container(v *view.View, r *view.Run, ended map[int32]string) string {
	if _, over := ended[r.Parent]; r.Told != r.Parent && !over {
		return ""
	}
	name := ended[r.Told]
	if p, ok := v.Process(r.Told); ok {
		name = p.Comm
	}
	if slices.Contains(shims, name) {
		return name
	}
	return ""
}

// shims keep containers: that of containerd and Docker, whose name the kernel cuts, and that of
// Podman and CRI-O.
var shims = []string{"containerd-shim", "conmon"}

// clients make containers of containerd and Docker for who calls them, and end with the container.
var clients = []string{"docker", "nerdctl", "ctr"}

// makesContainer says whether a run is that of a client that has a container run for as long:
// "docker run", "docker start -a", "docker compose up".
func makesContainer(r *view.Run) bool {
	words := strings.Fields(r.Cmdline)
	return slices.Contains(clients, r.Comm) && slices.ContainsFunc(words[min(1, len(words)):], func(w string) bool { return w == "run" || w == "start" || w == "up" })
}

// failing lists what was started again and again, and failed each time.
func failing(v *view.View) []restarts {
	type program struct {
		cmdline string
		parent  int32  // 0: a shim of its own, which ended
		shim    string // "": in no container
	}
	var order []program
	runs := map[program][]view.Run{}
	all := v.Runs()
	ended := map[int32]string{}
	calls := 0 // of clients
	for i := range all {
		ended[all[i].PID] = all[i].Comm
		if makesContainer(&all[i]) {
			calls++
		}
	}
	for _, r := range all {
		if r.Cmdline == "" {
			continue
		}
		k := program{r.Cmdline, r.Parent, ""}
		if shim := container(v, &r, ended); shim != "" {
			k = program{r.Cmdline, r.Told, shim}
			if _, over := ended[r.Told]; over {
				k.parent = 0
			}
		}
		if runs[k] == nil {
			order = append(order, k)
		}
		runs[k] = append(runs[k], r)
	}
	var list []restarts
	for _, k := range order {
		r := restarts{runs: runs[k], parent: v.ProcessEntity(k.parent, "")}
		if k.shim != "" {
			told := map[int32]bool{}
			for i := range r.runs {
				told[r.runs[i].Told] = true
			}
			r.shim, r.ownShim, r.parent = k.shim, k.parent == 0 && len(told) == len(r.runs), v.ProcessEntity(r.runs[len(r.runs)-1].Told, k.shim)
			// The client of the last container may still be there: it ends after that.
			r.byClient = !r.mayBeCheck() && calls >= len(r.runs)-1
		}
		if r.loops() {
			list = append(list, r)
		}
	}
	slices.SortStableFunc(list, func(a, b restarts) int { return cmp.Compare(len(b.runs), len(a.runs)) })
	return list
}

// loops says whether the runs are restarts of something that fails at once.
func (r *restarts) loops() bool {
	if len(r.runs) < minStarts.Int() {
		return false
	}
	slices.SortStableFunc(r.runs, func(a, b view.Run) int { return a.Began.Compare(b.Began) })
	endings := map[string]int{}
	turns, ran := 0, time.Duration(0)
	for i := range r.runs {
		run := &r.runs[i]
		if !run.Failed() {
			return false
		}
		if i > 0 && !run.Began.Before(r.runs[i-1].At) {
			turns++
		}
		ran += run.Lifetime
		e := run.Ending()
		endings[e]++
		if n := endings[e]; n > r.alike {
			r.alike, r.ending, r.signal, r.status = n, e, run.Signal, run.Status
		}
	}
	span := r.runs[len(r.runs)-1].At.Sub(r.runs[0].Began)
	if span > 0 {
		r.down = max(0, 1-ran.Seconds()/span.Seconds())
	}
	return float64(turns) >= inTurn.Value*float64(len(r.runs)-1) && r.median(func(x view.Run) float64 { return x.Lifetime.Seconds() }) <= endsAtOnce.Value
}

func (r *restarts) median(of func(view.Run) float64) float64 {
	all := make([]float64, len(r.runs))
	for i, run := range r.runs {
		all[i] = of(run)
	}
	slices.Sort(all)
	return all[len(all)/2]
}

const (
	// A shell ends with these statuses if it cannot run a command (POSIX, 2.8.2).
	notExecutable, notFound = 126, 127
	// and with a signal's number above this one if a signal ended the command.
	byOfSignal = 128
)

// confidence is 0 where the status may be an answer.
func (r *restarts) confidence() rule.Confidence {
	signal := r.signal
	if signal == 0 && r.status > byOfSignal {
		signal = r.status - byOfSignal
	}
	switch {
	case crashes(signal):
		return rule.Certain
	case r.status == notExecutable, r.status == notFound:
		return rule.Likely
	case r.mayBeCheck() && r.signal == 0, r.byClient:
		return rule.Possible
	case supervises(r.parent) && !r.mayBeCheck():
		return rule.Likely
	case r.signal != 0:
		return 0 // somebody ends it
	case r.median(func(x view.Run) float64 { return x.CPU.Seconds() }) >= startCPU.Value:
		return rule.Possible
	}
	return 0
}

// mayBeCheck says that the runs may be health checks of a container, whose status is an answer:
// they run under the shim of the container, and under Podman under one of their own. A new shim of
// containerd for each run is a new container.
func (r *restarts) mayBeCheck() bool {
	return r.shim != "" && (r.shim != "containerd-shim" || !r.ownShim)
}

// crashes says whether a signal is what a program gets for its own fault.
func crashes(signal int32) bool {
	switch unix.Signal(signal) {
	case unix.SIGILL, unix.SIGABRT, unix.SIGBUS, unix.SIGFPE, unix.SIGSEGV, unix.SIGSYS:
		return true
	}
	return false
}

// supervises says whether a process is one that restarts services when they end.
func supervises(e view.Entity) bool {
	const initProcess = 1
	return e.PID == initProcess || slices.Contains([]string{"systemd", "supervisord", "runsv", "s6-supervise", "supervise", "containerd-shim", "conmon", "monit", "tini", "dumb-init", "catatonit"}, e.Name)
}

func (r *restarts) finding(v *view.View, sure rule.Confidence) rule.Finding {
	last := r.runs[len(r.runs)-1]
	who := v.ProcessEntity(last.PID, last.Comm)
	who.Detail = last.Cmdline
	span := last.At.Sub(r.runs[0].Began)
	check := sure < rule.Certain && r.mayBeCheck()
	f := rule.Finding{
		Subject: who, Affects: []view.Entity{r.parent}, Confidence: sure,
		Headline: rule.T("%s starts %s again and again: it ends at once with %s", r.parent, last.Comm, r.ending),
		Impact:   rule.Impact{Share: r.down, Text: rule.T("%s did not run for %v of the time", last.Comm, unit.Share(r.down))},
		Fixes:    r.fixes(sure, check),
	}
	if r.ownShim {
		f.Affects = nil // each shim ends with its container
		f.Headline = rule.T("%s is started again and again in a container, under a new %s each time: it ends at once with %s", last.Comm, r.shim, r.ending)
	}
	f.Evidence = []rule.Evidence{{
		Metric: metric.ProcessRuns, Value: float64(len(r.runs)) / max(v.Seconds(), 1), Limit: rule.Limit(minStarts.Value / max(v.Seconds(), 1)),
		What: rule.T("%s ended %s times in %v, %s times with %s", last.Cmdline, unit.Count(len(r.runs)), unit.Seconds(span.Seconds()), unit.Count(r.alike), r.ending),
	}}
	if check {
		f.Impact = rule.Impact{Unmeasured: true, Text: rule.T("if it is a health check, the container counts as unhealthy")}
		f.Notes = append(f.Notes, rule.T("it may be a health check of a container, which looks the same as a container that is restarted: the log of the container tells"))
		return f
	}
	f.Evidence = append(f.Evidence, rule.Evidence{
		Metric: metric.ProcessDown, Value: r.down,
		What: rule.T("each lived %v (median); it was not running %v of the time", unit.Seconds(r.median(func(x view.Run) float64 { return x.Lifetime.Seconds() })), unit.Share(r.down)),
	})
	if sure == rule.Possible {
		f.Notes = append(f.Notes, rule.T("it may be intended: a loop that waits until a command succeeds looks the same"))
	}
	return f
}

// fixes are what to do; check says that the runs may be health checks.
func (r *restarts) fixes(sure rule.Confidence, check bool) []rule.Fix {
	last := r.runs[len(r.runs)-1]
	fixes := []rule.Fix{{Text: rule.T("read why it ends: its log, or its output when you start it by hand"), Command: r.log(last.Comm), Tradeoff: "none"}}
	if sure == rule.Certain {
		fixes = append(fixes, rule.Fix{Text: rule.T("see where it crashed"), Command: shell.Line("coredumpctl info %d", last.PID), Tradeoff: "needs systemd-coredump"})
	}
	if check {
		return append(fixes, rule.Fix{
			Text:     rule.T("if it is a health check, read what it printed, and correct its command"),
			Command:  shell.Line("docker inspect -f '{{json .State.Health}}' NAME   # Kubernetes: kubectl describe pod NAME; Podman: podman inspect NAME"),
			Tradeoff: "none",
		})
	}
	return append(fixes, rule.Fix{Text: rule.T("stop restarting it until the cause is found, or restart it with a growing delay"), Tradeoff: "the service stays down until it is fixed"})
}

// log shows what the program printed last. In the journal the lines of a container, if it has any, are
// those of dockerd or conmon, not of the program.
func (r *restarts) log(comm string) shell.Command {
	switch r.shim {
	case "":
		return shell.Line("journalctl -n 50 _COMM=%s", comm)
	case "conmon":
		return shell.Line("podman ps -a; podman logs --tail 50 NAME   # CRI-O: crictl ps -a; crictl logs ID")
	}
	return shell.Line("docker ps -a; docker logs --tail 50 NAME   # Kubernetes: crictl ps -a; crictl logs ID")
}
