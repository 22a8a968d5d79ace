package cpu

import (
	"fmt"
	"slices"

	"rtrail/internal/metric"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// counted says whether it is known how often the calls are made.
func (s *storm) counted() bool { return view.Known(s.perSecond) }

// confidence: calls that cannot be of use are a fault, whoever makes them. To look
// again and again whether something has come is what some programs are made for.
func (s *storm) confidence() rule.Confidence {
	if s.kind == polling {
		return rule.Possible
	}
	return rule.Likely
}

// does is what the process does, as a headline has it.
func (s *storm) does() string {
	switch s.kind {
	case tiny:
		if slices.Contains(writes, s.call) {
			return fmt.Sprintf("writes %s at a time", plainBytes(s.bytes))
		}
		return fmt.Sprintf("reads %s at a time", plainBytes(s.bytes))
	case failing:
		return fmt.Sprintf("makes calls of %s that fail with %s", s.call, s.error)
	case polling:
		if s.error == "EAGAIN" {
			return fmt.Sprintf("calls %s again and again and finds nothing", s.call)
		}
		return fmt.Sprintf("polls without a pause (%s)", s.call)
	}
	return "asks the kernel by " + s.call
}

// plainBytes prints a mean size.
func plainBytes(n float64) string {
	if n < 1.05 {
		return "1 byte"
	}
	return fmt.Sprintf("%s bytes", unit.Number(round(n)))
}

func stormFinding(v *view.View, p *view.Process, s storm) rule.Finding {
	who := fmt.Sprintf("%s (%d)", p.Comm, p.PID)
	cpus := float64(v.CPUCount())
	part, lived := life(v, p)
	burnt := s.share * p.CPU * part
	f := rule.Finding{Subject: p.Entity(), Confidence: s.confidence(),
		Impact:     rule.Impact{Share: min(1, burnt/cpus), Text: rule.T("%s", inCPUs(burnt))},
		AffectsAll: burnt >= cpus/2, // it explains a full host only if it is what fills it
		Headline:   rule.T("%s %s: this takes %v of its CPU time", who, s.does(), unit.Share(s.share)),
	}
	if s.counted() {
		f.Headline = rule.T("%s %s, %v times a second: this takes %v of its CPU time", who, s.does(), unit.Count(s.perSecond), unit.Share(s.share))
	}
	f.Evidence = s.evidence(p, who, lived)
	if s.kind == polling {
		f.Notes = append(f.Notes, rule.T("some programs poll on purpose, to answer sooner than a thread that sleeps"))
		if s.samples > 0 {
			f.Notes = append(f.Notes, rule.T("it is not known how many of these calls find something; rtrail trace syscalls counts them"))
		}
	}
	f.Fixes = s.fixes(p)
	return f
}

func (s *storm) evidence(p *view.Process, who, lived string) []rule.Evidence {
	trace := shell.Line("rtrail trace syscalls -p %d --for 5s", p.PID)
	share := rule.Evidence{Metric: metric.ProcessCallShare, Value: s.share, Limit: rule.Limit(stormShare.Value), Check: trace,
		What: rule.T("%s spends %v of its CPU time in %s; its calls were counted and timed", who, unit.Share(s.share), s.names())}
	if s.samples > 0 {
		share.What = rule.T("%s spends %v of its CPU time in %s, in %d samples", who, unit.Share(s.share), s.names(), s.samples)
	}
	list := []rule.Evidence{share}
	if s.counted() {
		list = append(list, rule.Evidence{Metric: metric.ProcessCalls, Value: s.perSecond, Limit: rule.Limit(stormCalls.Value), Check: trace, What: s.result()})
	}
	return append(list, rule.Evidence{Metric: metric.ProcessCPUSystem, Value: p.System / p.CPU, Limit: rule.Limit(stormShare.Value),
		What:  rule.T("%v of its CPU time is kernel time; it uses %v s per second%s and goes to sleep %v", unit.Share(p.System/p.CPU), unit.Number(round(p.CPU)), lived, sleeps(p)),
		Check: shell.Line("pidstat -uw -p %d 1 5", p.PID)})
}

// sleeps is how often a process gives up a CPU.
func sleeps(p *view.Process) string {
	if !view.Known(p.Voluntary) {
		return "an unknown number of times"
	}
	return unit.PerSecond(p.Voluntary).String()
}

// names is the calls of a storm.
func (s *storm) names() string {
	if s.calls > 1 {
		return s.call + " and the like"
	}
	return s.call
}

// result is what counted calls gave.
func (s *storm) result() rule.Text {
	rate := unit.PerSecond(s.perSecond)
	switch {
	case s.kind == tiny:
		return rule.T("%v calls of %s move %s each", rate, s.names(), plainBytes(s.bytes))
	case s.kind == failing, s.error != "":
		return rule.T("%v calls of %s fail, most with %s", rate, s.names(), s.error)
	case s.kind == polling:
		return rule.T("%v calls of %s return at once and find nothing", rate, s.names())
	}
	return rule.T("%v calls of %s", rate, s.names())
}

func (s *storm) fixes(p *view.Process) []rule.Fix {
	who := rule.Fix{Text: rule.T("see where in the program the calls come from"), Command: shell.Line("perf top -g -p %d", p.PID), Tradeoff: "takes a developer"}
	switch s.kind {
	case tiny:
		return []rule.Fix{
			{Text: rule.T("read and write through a buffer of 4 KiB or more (BufferedReader, bufio, setvbuf, dd bs=64k)"), Tradeoff: "a few KiB of memory; output appears later, unless it is flushed"}, who}
	case failing:
		return []rule.Fix{
			{Text: rule.T("see which arguments fail"), Command: shell.Line("timeout 1 strace -f -e trace=%s -p %d", s.call, p.PID), Tradeoff: "stops the process at each call for that second"},
			{Text: rule.T("stop looking for what does not exist: a search path with missing directories, a removed file, a closed descriptor"), Tradeoff: "a change of settings or of the program"}, who}
	case polling:
		return []rule.Fix{
			{Text: rule.T("wait in the call: a timeout above 0, or a blocking descriptor"), Tradeoff: "a wake-up takes some microseconds"}, who}
	}
	once := rule.Fix{Text: rule.T("ask once and keep the answer"), Tradeoff: "a change of the program"}
	if !slices.Contains([]string{"clock_gettime", "gettimeofday", "time"}, s.call) {
		return []rule.Fix{once, who}
	}
	return []rule.Fix{
		{Text: rule.T("see whether the clock can be read without a system call: not with the clock sources hpet and acpi_pm, nor for CPU-time clocks"),
			Command: shell.Line("cat /sys/devices/system/clocksource/clocksource0/current_clocksource /sys/devices/system/clocksource/clocksource0/available_clocksource"), Tradeoff: "another source may be wrong on this hardware"},
		once, who}
}
