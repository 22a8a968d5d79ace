package view

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"rtrail/internal/recording"
)

// CallProfile is what samples on the CPUs tell of the system calls of a process.
type CallProfile struct {
	Samples int64         // of the process
	InCalls int64         // of these, in the kernel on behalf of a system call
	Named   int64         // of these, in a call that the stack names
	Calls   []SampledCall // those with most samples first
}

// SampledCall is one system call in which samples found a process.
type SampledCall struct {
	Call     string // "read"; of 32-bit calls, too
	Samples  int64
	Messages int64 // samples in sockets, pipes, counters and the like, of which the other side or the kernel says how long a message is
}

// Of is what samples tell of one call; none if there were none in it.
func (p *CallProfile) Of(call string) SampledCall {
	for _, c := range p.Calls {
		if c.Call == call {
			return c
		}
	}
	return SampledCall{Call: call}
}

// Share is the part of the CPU time of the process that a call takes, and what is
// exceeded with a probability of 97 %. Samples on the way into calls and out of them
// count for the calls in proportion.
func (p *CallProfile) Share(c SampledCall) (share, atLeast float64) {
	if p.Samples == 0 || p.Named == 0 {
		return 0, 0
	}
	share = float64(p.InCalls) / float64(p.Samples) * float64(c.Samples) / float64(p.Named)
	return share, shareAtLeast(share, float64(p.Samples))
}

// shareAtLeast is Wilson's lower bound, of two standard deviations, of a share that
// was found in a number of samples.
func shareAtLeast(share, samples float64) float64 {
	const z2 = 4
	middle := share + z2/(2*samples)
	return (middle - math.Sqrt(z2*(share*(1-share)/samples+z2/(4*samples*samples)))) / (1 + z2/samples)
}

// CallProfile sums up in which system calls samples found a process.
func (v *View) CallProfile(pid int32) CallProfile {
	var p CallProfile
	at := map[string]int{}
	for _, r := range v.onCPU()[pid] {
		p.Samples += r.Samples
		if !r.Kernel {
			continue
		}
		call, in, messages := calledIn(r.Stack)
		if !in {
			continue
		}
		p.InCalls += r.Samples
		if call == "" {
			continue
		}
		p.Named += r.Samples
		i, ok := at[call]
		if !ok {
			i = len(p.Calls)
			at[call] = i
			p.Calls = append(p.Calls, SampledCall{Call: call})
		}
		p.Calls[i].Samples += r.Samples
		if messages {
			p.Calls[i].Messages += r.Samples
		}
	}
	slices.SortStableFunc(p.Calls, func(a, b SampledCall) int {
		return cmp.Or(cmp.Compare(b.Samples, a.Samples), cmp.Compare(a.Call, b.Call))
	})
	return p
}

// callEntries are the functions of the kernel from which those of all system calls
// are called: of x86, and of arm64.
var callEntries = []string{"do_syscall_64", "do_int80_syscall_32", "do_fast_syscall_32", "__do_fast_syscall_32", "do_el0_svc", "el0_svc"}

// callPrefixes precede the name of a call in the name of its function.
var callPrefixes = []string{"__x64_sys_", "__ia32_compat_sys_", "__ia32_sys_", "__arm64_compat_sys_", "__arm64_sys_", "__do_compat_sys_", "__do_sys_", "__se_sys_", "ksys_"}

// callNames are the names of calls whose functions are called otherwise.
var callNames = map[string]string{"newstat": "stat", "newlstat": "lstat", "newfstat": "fstat", "newuname": "uname", "sendfile64": "sendfile"}

// messageFunctions are the functions of files whose readers and writers do not choose
// how much a call moves.
var messageFunctions = []string{"sock_", "__sock_", "tcp_", "udp_", "unix_", "pipe_", "anon_pipe_", "fifo_pipe_", "eventfd_", "timerfd_", "signalfd_", "tty_", "perf_read", "msr_read"}

// calledIn says which system call a stack is in: "" if it is on the way to one.
func calledIn(stack string) (call string, in, messages bool) {
	for frame := range strings.SplitSeq(stack, ";") {
		if slices.Contains(callEntries, frame) {
			return call, true, messages
		}
		for _, prefix := range callPrefixes {
			if name, ok := strings.CutPrefix(frame, prefix); ok {
				call = cmp.Or(callNames[name], name)
				break
			}
		}
		messages = messages || slices.ContainsFunc(messageFunctions, func(prefix string) bool { return strings.HasPrefix(frame, prefix) })
	}
	return "", false, false
}

// onCPU are the samples of each process.
func (v *View) onCPU() map[int32][]recording.OnCPUSample {
	return Memo(v, "oncpu", func() map[int32][]recording.OnCPUSample {
		_, series := Group(Rows[recording.OnCPUSample](v), func(s recording.OnCPUSample) int32 { return s.PID })
		for pid, rows := range series {
			if p, ok := v.Process(pid); ok {
				series[pid] = slices.DeleteFunc(rows, func(s recording.OnCPUSample) bool { return !p.Is(pid, s.Started) })
			}
		}
		return series
	})
}
