package cpu

import (
	"strings"
	"testing"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// profiled adds a process with one function that has a share of its samples.
func profiled(h *ruletest.Host, p ruletest.Process, share float64, change func(*recording.OnCPUSample)) *ruletest.Host {
	const seconds, hertz = 10, 49
	all := p.CPU * seconds * hertz
	hot := recording.OnCPUSample{PID: p.PID, Process: p.Comm, Samples: int64(share * all), Function: "find_word", Module: p.Comm, Source: "words.c:31"}
	change(&hot)
	return h.Process(p).OnCPU(hot, recording.OnCPUSample{PID: p.PID, Process: p.Comm, Samples: int64((1-share)*all) / 2, Function: "main", Module: p.Comm},
		recording.OnCPUSample{PID: p.PID, Process: p.Comm, Samples: int64((1-share)*all) / 2, Function: "read_line", Module: p.Comm})
}

func asItIs(*recording.OnCPUSample) {}

var wordCount = ruletest.Process{PID: 70, Comm: "wordcount", CPU: 0.99, Threads: 1}

func half() *ruletest.Host { return ruletest.New(2, 10).CPUs(ruletest.CPU{User: 1}, ruletest.CPU{}) }

func TestHotFunction(t *testing.T) {
	with := func(change func(*ruletest.Process)) ruletest.Process {
		p := wordCount
		change(&p)
		return p
	}
	ruletest.Check(t, hotFunction, []ruletest.Situation{
		{Name: "one function", Host: func() *ruletest.Host { return profiled(half(), wordCount, 0.8, asItIs) },
			Want: rule.Possible, Kind: view.KindProcess, Subject: "wordcount", Low: 0.39, High: 0.41, Says: `spends 80 % of its CPU time in one function: find_word (words.c:31)`},
		{Name: "several threads", Host: func() *ruletest.Host {
			return profiled(half(), with(func(p *ruletest.Process) { p.CPU, p.Threads = 1.9, 4 }), 0.6, asItIs)
		}, Want: rule.Possible, Kind: view.KindProcess, Subject: "wordcount", Low: 0.5, High: 0.6},
		{Name: "one that ended before the window", Host: func() *ruletest.Host {
			return profiled(half(), with(func(p *ruletest.Process) { p.To = 6 }), 0.8, asItIs).Process(ruletest.Process{PID: 1, Comm: "init"})
		}, Want: rule.Possible, Kind: view.KindProcess, Subject: "wordcount", Low: 0.23, High: 0.25, Says: "it uses 0.99 of 2 CPUs while it lived (6 s of 10 s)", Proof: "with 1 thread while it lived"},
		{Name: "a bit more than half of the samples", Host: func() *ruletest.Host { return profiled(half(), wordCount, 0.53, asItIs) }},
		{Name: "too few samples", Host: func() *ruletest.Host {
			return half().Process(wordCount).OnCPU(recording.OnCPUSample{PID: 70, Samples: 3, Function: "find_word"})
		}},
		{Name: "half of a core", Host: func() *ruletest.Host {
			return profiled(half(), with(func(p *ruletest.Process) { p.CPU = 0.5 }), 0.9, asItIs)
		}},
		{Name: "no name", Host: func() *ruletest.Host {
			return profiled(half(), wordCount, 0.9, func(r *recording.OnCPUSample) { r.Function = "" })
		}},
		{Name: "of the kernel", Host: func() *ruletest.Host {
			return profiled(half(), wordCount, 0.9, func(r *recording.OnCPUSample) { r.Function, r.Kernel = "copy_page", true })
		}},
		{Name: "an interpreter", Host: func() *ruletest.Host {
			return profiled(half(), wordCount, 0.9, func(r *recording.OnCPUSample) { r.Function = "_PyEval_EvalFrameDefault" })
		}},
		{Name: "rtrail itself", Host: func() *ruletest.Host {
			return profiled(half(), with(func(p *ruletest.Process) { p.PID, p.Comm = 4242, "rtrail" }), 0.9, asItIs)
		}},
	})
}

// Findings of those that wait name the function; without waiting it has its own.
func TestHotFunctionOfOthers(t *testing.T) {
	names := func(f rule.Finding) bool {
		for _, e := range f.Evidence {
			if strings.Contains(e.What.String(), "in find_word (words.c:31)") {
				return strings.Contains(f.Fixes[0].Text.String()+f.Fixes[1].Text.String(), "find_word (words.c:31) do less")
			}
		}
		return false
	}
	waits := wordCount
	waits.RunDelay = 1
	full := ruletest.New(2, 10).AllCPUs(ruletest.CPU{User: 1})
	for range 3 {
		full.Process(ruletest.Process{Comm: "other", CPU: 0.3, RunDelay: 0.7})
	}
	if found := profiled(full, waits, 0.8, asItIs).Detect(t, saturated); len(found) != 1 || !names(found[0]) {
		t.Errorf("saturated: %+v", found)
	}
	if found := profiled(half(), wordCount, 0.3, asItIs).Detect(t, oneThreadLimit); len(found) != 1 || found[0].Confidence != rule.Possible {
		t.Errorf("a thread at its limit that nobody waits for: %+v", found)
	}
	profiled(half(), wordCount, 0.8, asItIs).Silent(t, oneThreadLimit)
}
