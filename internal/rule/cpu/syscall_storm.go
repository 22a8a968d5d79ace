package cpu

import (
	"cmp"
	"slices"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/view"
)

var syscallStorm = rule.Rule{
	ID:         "cpu/syscall-storm",
	Title:      "a process spends most of its CPU time in system calls that do next to nothing",
	Plural:     "processes spend most of their CPU time in system calls that do next to nothing",
	Resource:   "CPU",
	Needs:      []recording.Table{recording.CPUs, recording.Processes, recording.OnCPU},
	Explains:   []string{"cpu/one-thread-limit", "cpu/hot-function", "cpu/saturated", "rt/server-slow"},
	Thresholds: []*rule.Threshold{&stormBurns, &stormShare, &stormCalls, &tinyBytes, &failedShare, &shortCall, &messageShare},
	Detect:     detectSyscallStorm,
}

var (
	stormBurns = rule.Threshold{Name: "storm-burns", Value: 0.5, Unit: "cores", Source: rule.Judgement,
		Reason: "CPU use of the process over the window. Below this the calls cost too little to matter."}
	stormShare = rule.Threshold{Name: "storm-share", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the process's CPU time in the kernel for calls of one kind, minus two standard deviations. Without these calls it would need less than half of the CPU time."}
	stormCalls = rule.Threshold{Name: "storm-calls", Value: 10_000, Unit: "per second", Source: rule.Measured,
		Reason: "The simplest calls take 0.1 to 1 µs, a file lookup 1 to 5 µs. The other limits need at least a quarter of a core: that is 10,000 calls of 25 µs a second. Longer calls do some work."}
	tinyBytes = rule.Threshold{Name: "tiny-bytes", Value: 16, Unit: "bytes", Source: rule.Measured,
		Reason: "Mean size of reads and writes of files. A read of 1 byte takes 0.35 µs and one of 4 KiB 0.5 µs: up to 16 bytes nearly all of the time is the fixed cost of the call."}
	failedShare = rule.Threshold{Name: "failed-share", Value: 0.9, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the calls that fail or find nothing. A program that reads until nothing is left fails once after each read, so at most half of its calls fail."}
	shortCall = rule.Threshold{Name: "short-call", Value: 25e-6, Unit: "seconds", Source: rule.Judgement,
		Reason: "Mean time of a call. Calls that take longer wait or work."}
	messageShare = rule.Threshold{Name: "message-share", Value: 0.1, Unit: "share", Source: rule.Judgement,
		Reason: "Share of a call's samples in sockets, pipes and the like. Above it the other side decides how much a call moves."}
)

// waste is why calls are of no use.
type waste int

const (
	tiny    waste = iota + 1 // they move a few bytes each
	failing                  // they fail
	polling                  // they ask whether something has come, and nothing has
	asking                   // they tell the time, or who the process is
)

// storm is the calls of one kind in which a process spends its time.
type storm struct {
	kind      waste
	call      string  // the one with most time
	calls     int     // different ones of the kind
	share     float64 // of the CPU time of the process
	perSecond float64 // NaN: not counted
	bytes     float64 // that a call moves, of tiny ones
	error     string  // most frequent one, of those that fail
	samples   int64   // on a CPU; 0: calls were counted one by one
}

func detectSyscallStorm(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	processes := v.Processes()
	for i := range processes {
		if s, ok := stormOf(v, &processes[i]); ok {
			found = append(found, stormFinding(v, &processes[i], s))
		}
	}
	return found, nil
}

// stormOf says whether a process spends its time in a storm of calls.
func stormOf(v *view.View, p *view.Process) (storm, bool) {
	if p.Own || p.Kernel || p.Seconds <= 0 || p.CPU < stormBurns.Value || p.System < stormShare.Value*p.CPU {
		return storm{}, false
	}
	if s, ok := countedStorm(v, p); ok {
		return s, true
	}
	return sampledStorm(v, p)
}

// countedStorm looks for a storm in calls that the kernel counted one by one.
func countedStorm(v *view.View, p *view.Process) (storm, bool) {
	profile := v.CallProfile(p.PID)
	all := 0.0 // calls under way at a time
	kinds := map[waste]*storm{}
	longest := map[waste]float64{}
	sampled := map[waste]int64{}
	counts := map[string]bool{} // calls whose samples are in sampled
	for _, c := range v.Syscalls() {
		if !p.Is(c.PID, c.Started) {
			continue
		}
		all += c.Mean
		if c.Calls == 0 {
			continue // none has ended
		}
		kind := wasteOf(&c, &profile)
		if kind == 0 || c.Average().Seconds() > shortCall.Value {
			continue
		}
		s := kinds[kind]
		if s == nil {
			s = &storm{kind: kind}
			kinds[kind] = s
		}
		if c.Mean > longest[kind] {
			longest[kind], s.call, s.error = c.Mean, c.Call, ""
			if float64(c.Errors) >= failedShare.Value*float64(c.Calls) {
				s.error = c.Error
			}
		}
		s.bytes += float64(c.Returned) / float64(c.Calls) * c.PerSecond
		s.perSecond += c.PerSecond
		s.share += c.Mean
		s.calls++
		if !counts[c.Call] {
			counts[c.Call] = true
			sampled[kind] += profile.Of(c.Call).Samples
		}
	}
	var most storm
	for kind, s := range kinds {
		// Of the time in the kernel that is no call but its way there and back, these
		// calls have their part. Calls that wait take no CPU time meanwhile: it is no more
		// than samples of the CPUs show.
		onCPU, _ := profile.Share(view.SampledCall{Samples: sampled[kind]})
		s.share = min(onCPU, min(p.System, max(s.share, s.share/max(all, 1e-9)*p.System))/p.CPU)
		s.bytes /= max(s.perSecond, 1)
		if s.share > most.share {
			most = *s
		}
	}
	return most, most.share >= stormShare.Value && most.perSecond >= stormCalls.Value
}

// wasteOf says why counted calls are of no use; 0: nothing says so.
func wasteOf(c *view.Syscall, profile *view.CallProfile) waste {
	switch calls := float64(c.Calls); {
	case slices.Contains(locks, c.Call):
		return 0
	case slices.Contains(asks, c.Call):
		return asking
	case slices.Contains(polls, c.Call) && float64(c.Nothing) >= failedShare.Value*calls,
		float64(c.OfError) >= failedShare.Value*calls && c.Error == "EAGAIN":
		return polling
	case float64(c.Errors) >= failedShare.Value*calls:
		if slices.Contains(answers, c.Error) {
			return 0
		}
		return failing
	case slices.Contains(reads, c.Call) && float64(c.Nothing) >= failedShare.Value*calls:
		return polling // at the end of a file
	case float64(c.Returned) <= tinyBytes.Value*calls && (slices.Contains(reads, c.Call) || slices.Contains(writes, c.Call)) && ofFiles(profile, c.Call):
		return tiny
	}
	return 0
}

// The calls of which something is known.
var (
	reads  = []string{"read", "pread64", "readv", "preadv", "preadv2"}
	writes = []string{"write", "pwrite64", "writev", "pwritev", "pwritev2"}
	polls  = []string{"poll", "ppoll", "select", "pselect6", "epoll_wait", "epoll_pwait", "epoll_pwait2"}
	asks   = []string{"clock_gettime", "gettimeofday", "time", "times", "getrusage", "getpid", "gettid", "getppid", "getuid", "geteuid", "getgid", "getegid", "getcpu"}
	// Threads that meet in locks: their calls fail or yield as the lock says.
	locks = []string{"futex", "futex_wait", "futex_waitv", "sched_yield", "nanosleep", "clock_nanosleep"}
)

// answers are errors that say how things are, and that callers expect.
var answers = []string{"EINPROGRESS", "EALREADY", "EINTR", "ENODATA"}

// ofFiles says whether samples found a call enough to know that it reads or writes
// files: how long messages are is not for their reader to say.
func ofFiles(profile *view.CallProfile, call string) bool {
	c := profile.Of(call)
	return c.Samples >= minSamples && float64(c.Messages) < messageShare.Value*float64(c.Samples)
}

// minSamples are needed to say what a call works on.
const minSamples = 10

// sampledStorm looks for a storm in samples of the CPUs and in the counters of reads
// and writes: it finds what these prove.
func sampledStorm(v *view.View, p *view.Process) (storm, bool) {
	profile := v.CallProfile(p.PID)
	var all []storm
	for _, kind := range []waste{tiny, polling, asking} {
		s := storm{kind: kind, samples: profile.Samples, perSecond: view.Unknown}
		together := view.SampledCall{}
		for _, c := range profile.Calls {
			if !kind.of(c.Call) || kind == tiny && !ofFiles(&profile, c.Call) {
				continue
			}
			s.call = cmp.Or(s.call, c.Call)
			s.calls++
			together.Samples += c.Samples
		}
		share, atLeast := profile.Share(together)
		s.share = min(share, p.System/p.CPU)
		if kind == polling && (!(p.Voluntary < stormCalls.Value/10) || countsPolls(v, p)) { // it sleeps in these calls, or what they find is known
			continue
		}
		if atLeast < stormShare.Value || s.share < stormShare.Value || kind == tiny && !s.countTiny(p) {
			continue
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		return storm{}, false
	}
	return slices.MaxFunc(all, func(a, b storm) int { return cmp.Compare(a.share, b.share) }), true
}

// countsPolls says whether polls of a process were counted one by one.
func countsPolls(v *view.View, p *view.Process) bool {
	return slices.ContainsFunc(v.Syscalls(), func(c view.Syscall) bool { return p.Is(c.PID, c.Started) && c.Calls > 0 && polling.of(c.Call) })
}

// of says whether samples alone show that a call is of this kind.
func (k waste) of(call string) bool {
	switch k {
	case tiny:
		return slices.Contains(reads, call) || slices.Contains(writes, call)
	case polling:
		return slices.Contains(polls, call)
	}
	return slices.Contains(asks, call)
}

// countTiny takes how many reads and writes there were, and how many bytes they moved,
// from the counters of the process.
func (s *storm) countTiny(p *view.Process) bool {
	calls, chars := p.ReadCalls, p.ReadChars
	if slices.Contains(writes, s.call) {
		calls, chars = p.WriteCalls, p.WriteChars
	}
	// NaN where they could not be read: comparisons are false.
	if !(calls >= stormCalls.Value && chars <= tinyBytes.Value*calls) {
		return false
	}
	s.perSecond, s.bytes = calls, chars/calls
	return true
}
