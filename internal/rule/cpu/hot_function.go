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

var hotFunction = rule.Rule{
	ID:         "cpu/hot-function",
	Title:      "a process spends most of a CPU in one function",
	Plural:     "processes spend most of a CPU in one function",
	Resource:   "CPU",
	Needs:      []recording.Table{recording.CPUs, recording.Processes, recording.OnCPU},
	Thresholds: []*rule.Threshold{&burnsFrom, &mostOfIt, &worthNaming},
	Detect:     detectHotFunction,
}

var (
	burnsFrom = rule.Threshold{Name: "burns-from", Value: 0.9, Unit: "cores", Source: rule.Judgement,
		Reason: "CPU use of the process while it was there. Below this it has time left for more work."}
	mostOfIt = rule.Threshold{Name: "most-of-it", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the process's CPU time in one function, minus two standard deviations. Without that function the process would need less than half of the CPU time."}
	worthNaming = rule.Threshold{Name: "worth-naming", Value: 0.2, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the CPU time, minus two standard deviations. A function below this is one of many."}
)

func detectHotFunction(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	processes := v.Processes()
	for i := range processes {
		if hot, ok := hotProcess(v, &processes[i]); ok {
			found = append(found, hotFinding(v, &processes[i], hot))
		}
	}
	return found, nil
}

// hotProcess says whether a process burns a CPU and spends most of that in one
// function of its own.
func hotProcess(v *view.View, p *view.Process) (hotSpot, bool) {
	if p.Own || p.Kernel || p.Seconds <= 0 || p.CPU < burnsFrom.Value || v.Throttled(p) {
		return hotSpot{}, false
	}
	hot := hottest(v, *p)
	return hot, hot.known && !hot.Kernel && !hot.interprets() && hot.AtLeast() >= mostOfIt.Value
}

// hotSpot is the function in which processes spend most of their CPU time.
type hotSpot struct {
	view.HotFunction
	who     string
	pid     int32 // of the busiest process
	samples int64 // of all functions
	known   bool  // there is one, and it is worth naming
}

// hottest looks for the function in which processes, the busiest first, spend most of
// their CPU time.
func hottest(v *view.View, processes ...view.Process) hotSpot {
	if len(processes) == 0 {
		return hotSpot{}
	}
	h := hotSpot{pid: processes[0].PID, who: fmt.Sprintf("%s (%d)", processes[0].Comm, processes[0].PID)}
	if len(processes) > 1 {
		h.who = fmt.Sprintf("%s ×%d", processes[0].Comm, len(processes))
	}
	pids := make([]int32, len(processes))
	for i := range processes {
		pids[i] = processes[i].PID
	}
	on := v.CPUProfile(pids...)
	if len(on.Functions) == 0 || on.Functions[0].Function == "" || on.Functions[0].AtLeast() < worthNaming.Value {
		return h
	}
	h.HotFunction, h.samples, h.known = on.Functions[0], on.Samples, true
	return h
}

// name is the function as a sentence names it, with its place.
func (h *hotSpot) name() string {
	if where := h.Where(); where != "" {
		return fmt.Sprintf("%s (%s)", h.Function, where)
	}
	return h.Function
}

// evidence is a line about the function; none if it is not worth naming.
func (h *hotSpot) evidence() []rule.Evidence {
	if !h.known {
		return nil
	}
	return []rule.Evidence{{Metric: metric.ProcessHotFunction, Value: h.Share,
		What:  rule.T("%s spent %v of its CPU time in %s, in %d samples", h.who, unit.Share(h.Share), h.name(), h.samples),
		Check: shell.Line("perf top -p %d", h.pid)}}
}

// advice names the function to begin with, where it is known.
func (h *hotSpot) advice(without rule.Text) rule.Text {
	if !h.known {
		return without
	}
	if h.interprets() {
		return rule.T("make it compute less: %s is the loop of an interpreter, so the time goes into the script that it runs", h.Function)
	}
	return rule.T("make %s do less: %v of the CPU time of %s goes there", h.name(), unit.Share(h.Share), h.who)
}

// interpreters are the functions that run scripts.
var interpreters = []string{"_PyEval_EvalFrameDefault", "execute_ex", "vm_exec_core", "rb_vm_exec", "Perl_runops_standard", "luaV_execute", "lj_BC_", "zend_execute_ex"}

// runtimes begin the file names of interpreters. Where their functions have no names, any of them
// may be the loop.
var runtimes = []string{"python", "libpython", "ruby", "libruby", "php", "libphp", "perl", "libperl", "lua", "liblua"}

// interprets says whether the function is the loop of an interpreter: it is hot
// whatever the script does.
func (h *hotSpot) interprets() bool {
	unnamed := strings.HasPrefix(h.Function, h.Module+"+0x")
	return slices.ContainsFunc(interpreters, func(name string) bool { return strings.HasPrefix(h.Function, name) }) ||
		unnamed && slices.ContainsFunc(runtimes, func(name string) bool { return strings.HasPrefix(h.Module, name) })
}

func hotFinding(v *view.View, p *view.Process, h hotSpot) rule.Finding {
	part, lived := life(v, p)
	burnt := h.Share * p.CPU * part
	f := rule.Finding{Subject: p.Entity(), Confidence: rule.Possible,
		Headline: rule.T("%s spends %v of its CPU time in one function: %s; it uses %v of %d CPUs%s",
			h.who, unit.Share(h.Share), h.name(), unit.Number(round(p.CPU)), v.CPUCount(), lived),
		Impact:   rule.Impact{Share: burnt / float64(v.CPUCount()), Text: rule.T("%s", inCPUs(burnt))},
		Evidence: h.evidence(),
	}
	f.Evidence[0].Limit = rule.Limit(mostOfIt.Value)
	f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.ProcessCPU, Value: p.CPU, Limit: rule.Limit(burnsFrom.Value),
		What:  rule.T("%s used %v s of CPU time per second with %v%s", h.who, unit.Number(round(p.CPU)), unit.Plural(int64(p.Threads), "thread", "threads"), lived),
		Check: shell.Line("pidstat -t -u -p %d 1 5", p.PID)})
	if next := v.CPUProfile(p.PID).Functions; len(next) > 1 && next[1].Function != "" {
		f.Notes = append(f.Notes, rule.T("next is %s with %v", next[1].Function, unit.Share(next[1].Share)))
	}
	f.Notes = append(f.Notes, rule.T("no process was seen waiting for it; if this is its normal work, nothing is wrong"))
	f.Fixes = []rule.Fix{
		{Text: rule.T("see who calls %s, and call it less often or for less data", h.Function),
			Command: shell.Line("perf top -g -p %d", p.PID), Tradeoff: "takes a developer"},
		{Text: rule.T("look for what makes it long: a growing list that is searched, a loop within a loop, a missing cache, a debug build"), Tradeoff: "takes a developer"},
		{Text: rule.T("if it can wait, lower its priority"), Command: shell.Line("renice -n 19 -p %d", p.PID), Tradeoff: "it gets slower while others need the CPU"},
	}
	return f
}
