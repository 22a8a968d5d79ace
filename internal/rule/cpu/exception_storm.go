package cpu

import (
	"fmt"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var exceptionStorm = rule.Rule{
	ID:         "cpu/exception-storm",
	Title:      "a process spends most of its CPU time on exceptions",
	Plural:     "processes spend most of their CPU time on exceptions",
	Resource:   "CPU",
	Needs:      []recording.Table{recording.CPUs, recording.Processes, recording.OnCPU},
	Explains:   []string{"cpu/one-thread-limit", "cpu/hot-function", "cpu/saturated", "rt/server-slow"},
	Thresholds: []*rule.Threshold{&exceptionBurns, &exceptionShare},
	Detect:     detectExceptionStorm,
}

var (
	exceptionBurns = rule.Threshold{Name: "exception-burns", Value: 0.5, Unit: "cores", Source: rule.Judgement,
		Reason: "CPU use of the process while it was there. Below this its exceptions cost too little to matter."}
	exceptionShare = rule.Threshold{Name: "exception-share", Value: 0.5, Unit: "share", Source: rule.Measured,
		Reason: "Share of the process's CPU time in the functions that throw and catch, minus two standard deviations. Loops that only parse text that is not a number have 74 to 90 %. A program that throws only for real errors has less than 1 %."}
)

func detectExceptionStorm(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	processes := v.Processes()
	for i := range processes {
		p := &processes[i]
		if p.Own || p.Kernel || p.Seconds <= 0 || p.CPU < exceptionBurns.Value {
			continue
		}
		e := v.ExceptionProfile(p.PID)
		if share, atLeast := e.Share(); atLeast >= exceptionShare.Value {
			found = append(found, exceptionFinding(v, p, e, share))
		}
	}
	return found, nil
}

func exceptionFinding(v *view.View, p *view.Process, e view.ExceptionProfile, share float64) rule.Finding {
	who := fmt.Sprintf("%s (%d)", p.Comm, p.PID)
	cpus := float64(v.CPUCount())
	part, lived := life(v, p)
	burnt := share * p.CPU * part
	return rule.Finding{Subject: p.Entity(), Confidence: rule.Likely,
		Headline:   rule.T("%s spends %v of its CPU time on throwing and catching exceptions (%s)", who, unit.Share(share), e.Language),
		Impact:     rule.Impact{Share: min(1, burnt/cpus), Text: rule.T("%s", inCPUs(burnt))},
		AffectsAll: burnt >= cpus/2, // it explains a full host only if it is what fills it
		Evidence: []rule.Evidence{
			{Metric: metric.ProcessExceptions, Value: share, Limit: rule.Limit(exceptionShare.Value), Check: shell.Line("perf top -g -p %d", p.PID),
				What: rule.T("%d of %d samples of %s are in functions that throw exceptions or search for their handlers", e.Exceptions, e.Samples, who)},
			{Metric: metric.ProcessCPU, Value: p.CPU, Limit: rule.Limit(exceptionBurns.Value),
				What:  rule.T("it uses %v s of CPU time per second with %v%s", unit.Number(round(p.CPU)), unit.Plural(int64(p.Threads), "thread", "threads"), lived),
				Check: shell.Line("pidstat -t -u -p %d 1 5", p.PID)},
		},
		Fixes: []rule.Fix{
			whoThrows(p, e.Language),
			{Text: rule.T("check first instead of catching: return an error or an empty result for expected cases"), Tradeoff: "a change of the program"},
			{Text: rule.T("catch close to where it is thrown; in Java leave out the stack trace of exceptions that control the flow (writableStackTrace=false)"), Tradeoff: "the origin is no longer visible without a stack trace"},
		},
	}
}

// whoThrows is how to see where exceptions come from.
func whoThrows(p *view.Process, language string) rule.Fix {
	f := rule.Fix{Text: rule.T("see which exception it is, and which code throws it")}
	switch language {
	case "Java":
		f.Command, f.Tradeoff = shell.Line("jcmd %d JFR.start duration=30s settings=profile filename=exceptions.jfr", p.PID), "costs the program 1 to 2 % for half a minute; jfr print --events JavaExceptionThrow shows them"
	case "C++":
		f.Command, f.Tradeoff = shell.Line("timeout 5 gdb -p %d -batch -ex 'catch throw' -ex continue -ex bt", p.PID), "stops the process while gdb reads symbols, which may take seconds, and until the next exception"
	default:
		f.Command, f.Tradeoff = shell.Line("perf record -g -p %d sleep 5", p.PID), "takes a developer"
	}
	return f
}
