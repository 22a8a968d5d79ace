package memory

import (
	"strings"

	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/view"
)

var keptShare = rule.Threshold{Name: "kept-share", Value: 0.5, Unit: "share", Source: rule.Judgement,
	Reason: "Share of the growth that one function holds, if the process's allocations were traced. Below it the function explains too little to be named."}

// keeperOf is what allocates most of the growth of a process and does not free it; nil:
// its allocations were not followed, or no function stands out.
func keeperOf(v *view.View, p view.Process, t trend) *view.Allocated {
	type function struct{ name, module string }
	sums := map[function]*view.Allocated{}
	var most *view.Allocated
	for _, a := range v.Allocations() {
		if !p.Is(a.PID, a.Started) || a.Function == "" || !view.Known(a.Growth) {
			continue
		}
		k := function{a.Function, a.Module}
		sum := sums[k]
		if sum == nil { // with the stack that keeps most
			sum = &a
			sums[k] = sum
		} else {
			sum.Held += a.Held
			sum.Bytes += a.Bytes
			sum.Growth += a.Growth
		}
		if most == nil || sum.Growth > most.Growth {
			most = sum
		}
	}
	if most == nil || most.Growth < keptShare.Value*t.slope {
		return nil
	}
	return most
}

// maxCallers: functions of a stack that are shown.
const maxCallers = 3

// callers are the functions that led to an allocation, innermost first.
func callers(a *view.Allocated) string {
	list := strings.Split(a.Stack, ";")
	for i, f := range list {
		if f == a.Function {
			list = list[i+1:]
			break
		}
	}
	if len(list) == 0 {
		return "code that the stack does not show"
	}
	return strings.Join(list[:min(len(list), maxCallers)], ", ")
}

// findAllocation says how to find, or what to do about, the code that keeps memory.
func findAllocation(p view.Process, keeper *view.Allocated) rule.Fix {
	if keeper != nil {
		return rule.Fix{Text: rule.T("find which code should free what %s (%s) allocates", keeper.Function, keeper.Where()), Command: shell.Line("rtrail trace alloc -p %d --for 60s", p.PID), Tradeoff: "a malloc and its free take some 7 microseconds longer meanwhile: programs that allocate a lot become much slower"}
	}
	return rule.Fix{Text: rule.T("find the code that allocates and does not free"), Command: shell.Line("rtrail --alloc %d --for 60s   # Java: jcmd PID GC.class_histogram; Go: pprof heap", p.PID), Tradeoff: "a malloc and its free take some 7 microseconds longer meanwhile: programs that allocate a lot become much slower"}
}
