package net

import (
	"fmt"

	"rtrail/internal/metric"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// busyElsewhere is what the main thread of a server does instead of accepting.
type busyElsewhere struct {
	pid     int32
	name    string
	cpu     float64 // share of one CPU
	hot     string  // function that takes most of it; "": not known
	halted  bool    // by a signal or a debugger
	waits   string  // where it is found most often while it does not run; "": not known
	found   int     // samples in which it was there
	samples int
}

// busyFrom is the share of a CPU from which a thread has no time to accept.
var busyFrom = rule.Threshold{Name: "busy-from", Value: 0.5, Unit: "share", Source: rule.Judgement,
	Reason: "Share of one CPU that the main thread uses while nothing is accepted. Below it the thread mostly waits, and the call that it waits in says more."}

// insteadOfAccepting looks at the main threads of the processes that listen: in servers
// with one thread it is the one that accepts, in others mostly, too. Of several processes
// one that is stopped tells most, then the busiest: the oldest one is often a master that
// leaves accepting to its workers.
func (o overflow) insteadOfAccepting(v *view.View) (best busyElsewhere, ok bool) {
	threads := view.Memo(v, "net/main-threads", func() map[int32]view.ThreadTime {
		m := map[int32]view.ThreadTime{}
		for _, t := range v.ThreadTimes() {
			if t.PID == t.TID {
				m[t.PID] = t
			}
		}
		return m
	})
	for _, owner := range o.Owners {
		p, known := v.Process(owner.PID)
		if !known {
			continue
		}
		b := lookAt(p, threads[p.PID])
		if b.samples > 0 && (!ok || b.tellsMoreThan(best)) {
			best, ok = b, true
		}
	}
	best.askProfile(v)
	return best, ok
}

// tellsMoreThan compares it with that of an older process. Where both wait, the younger one
// is the worker.
func (b busyElsewhere) tellsMoreThan(older busyElsewhere) bool {
	switch {
	case b.halted != older.halted:
		return b.halted
	case max(b.cpu, older.cpu) >= busyFrom.Value:
		return b.cpu > older.cpu
	}
	return true
}

// lookAt says what the main thread of a process does.
func lookAt(p view.Process, main view.ThreadTime) busyElsewhere {
	b := busyElsewhere{pid: p.PID, name: p.Comm}
	places := map[string]int{}
	add := func(state, call, wchan string) {
		b.samples++
		b.halted = state == "T" || state == "t"
		if state == "R" {
			return
		}
		place := call
		if wchan != "" && wchan != "0" && wchan != call {
			place = fmt.Sprintf("%s (%s)", call, wchan)
			if call == "" {
				place = wchan
			}
		}
		places[place]++
	}
	b.cpu = main.CPU
	for _, s := range main.Samples {
		add(s.State, s.SyscallName, s.WaitChannel)
	}
	if b.samples == 0 { // threads of processes that do nothing are not sampled
		b.cpu = min(p.CPU, 1)
		for _, r := range p.Samples {
			row := r.Row()
			add(row.State, "", row.WaitChannel)
		}
	}
	for place, n := range places {
		if place != "" && (n > b.found || n == b.found && place < b.waits) {
			b.waits, b.found = place, n
		}
	}
	return b
}

// askProfile finds the function that the thread runs. Samples do not tell threads apart:
// it is its own where no other thread works.
func (b *busyElsewhere) askProfile(v *view.View) {
	p, known := v.Process(b.pid)
	if !known {
		return
	}
	if on := v.CPUProfile(p.PID); len(on.Functions) > 0 && on.Functions[0].Function != "" && on.Functions[0].AtLeast() >= 0.5 && p.CPU-b.cpu <= 0.25*p.CPU {
		b.hot = on.Functions[0].Function
		if where := on.Functions[0].Where(); where != "" {
			b.hot += " (" + where + ")"
		}
	}
}

func (b busyElsewhere) evidence() []rule.Evidence {
	e := rule.Evidence{Metric: metric.ThreadCPU, Value: b.cpu, Limit: rule.Limit(busyFrom.Value), Check: shell.Line("cat /proc/%d/task/%d/stack; top -H -p %d", b.pid, b.pid, b.pid)}
	switch {
	case b.halted:
		e.What = rule.T("the main thread of %s (%d) is stopped, by a signal or a debugger", b.name, b.pid)
	case b.cpu >= busyFrom.Value && b.hot != "":
		e.What = rule.T("meanwhile the main thread of %s (%d) is on a CPU %s of the time, most of it in %s", b.name, b.pid, unit.Share(b.cpu), b.hot)
	case b.cpu >= busyFrom.Value:
		e.What = rule.T("meanwhile the main thread of %s (%d) is on a CPU %s of the time", b.name, b.pid, unit.Share(b.cpu))
	case b.waits != "":
		e.What = rule.T("meanwhile the main thread of %s (%d) waits in %s, at %d of %d readings", b.name, b.pid, b.waits, b.found, b.samples)
	default:
		return nil
	}
	return []rule.Evidence{e}
}

// fix is what to do first about it.
func (b busyElsewhere) fix() rule.Fix {
	switch {
	case b.halted:
		return rule.Fix{Text: rule.T("resume %s, unless a debugger holds it", b.name), Command: shell.Line("kill -CONT %d", b.pid), Tradeoff: "somebody may have stopped it on purpose, and a debugger still holds it"}
	case b.cpu >= busyFrom.Value && b.hot != "":
		return rule.Fix{Text: rule.T("make %s do less in the thread that accepts: it is in %s; a larger queue only makes clients wait longer", b.name, b.hot),
			Command: shell.Line("perf top -g -p %d", b.pid), Tradeoff: "takes a developer"}
	}
	return rule.Fix{Text: rule.T("find out what %s is doing instead of accepting; a larger queue only makes clients wait longer", b.name),
		Command: shell.Line("cat /proc/%d/task/*/stack; strace -f -p %d", b.pid, b.pid), Tradeoff: "strace slows it down while it is attached"}
}
