package cpu

import (
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// calling is a process that makes system calls all the time.
type calling struct {
	cpu, system float64
	inCall      float64 // share of its samples in the call
	stack       string  // of these
	reads       float64 // a second, and bytes of each
	bytes       float64
	others      string                 // stack of the other samples; "": its own code
	counted     []recording.SyscallSum // of ten seconds
}

const (
	inFiles   = "filemap_read;vfs_read;ksys_read;do_syscall_64;entry_SYSCALL_64_after_hwframe;read"
	inSocket  = "tcp_recvmsg;sock_recvmsg;sock_read_iter;vfs_read;ksys_read;do_syscall_64;entry_SYSCALL_64_after_hwframe;read"
	inClock   = "posix_get_realtime_timespec;__x64_sys_clock_gettime;do_syscall_64;entry_SYSCALL_64_after_hwframe"
	inPoll    = "do_sys_poll;__x64_sys_poll;do_syscall_64;entry_SYSCALL_64_after_hwframe"
	inStat    = "path_lookupat;__do_sys_newfstatat;do_syscall_64;entry_SYSCALL_64_after_hwframe"
	inSend    = "tcp_sendmsg;__sys_sendto;__x64_sys_sendto;do_syscall_64;entry_SYSCALL_64_after_hwframe"
	inRecv    = "tcp_recvmsg;sock_recvmsg;__sys_recvfrom;__x64_sys_recvfrom;do_syscall_64;entry_SYSCALL_64_after_hwframe"
	inEpoll   = "ep_send_events;do_epoll_wait;__x64_sys_epoll_wait;do_syscall_64;entry_SYSCALL_64_after_hwframe"
	inOldStat = "path_lookupat;__do_sys_newstat;do_syscall_64;entry_SYSCALL_64_after_hwframe"
	inWrite   = "vfs_write;ksys_write;do_syscall_64;entry_SYSCALL_64_after_hwframe"
)

func (c calling) host() *ruletest.Host {
	h := half()
	p := ruletest.Process{PID: 70, Comm: "importer", CPU: c.cpu, System: c.system, Threads: 1, Change: func(s float64, row *recording.ProcessSample) {
		row.ReadCalls, row.ReadChars = int64(c.reads*s), int64(c.reads*c.bytes*s)
	}}
	h.Process(p)
	all := c.cpu * 10 * 49
	started := ruletest.Start.Add(3*time.Millisecond - time.Hour)
	for _, r := range c.counted {
		r.PID, r.Started, r.Process, r.Span, r.At = 70, started, "importer", 10*time.Second, ruletest.Start.Add(10*time.Second)
		ruletest.Add(h, r)
	}
	rest := recording.OnCPUSample{PID: 70, Process: "importer", Samples: int64((1 - c.inCall) * all), Function: "main", Stack: "main"}
	if c.others != "" {
		rest.Kernel, rest.Function, rest.Module, rest.Stack = true, "", recording.KernelModule, c.others
	}
	return h.OnCPU(recording.OnCPUSample{PID: 70, Process: "importer", Samples: int64(c.inCall * all), Kernel: true, Module: recording.KernelModule, Stack: c.stack}, rest)
}

// calls are those of one call, so many a second that take so long each.
func calls(call string, errno int32, perSecond int64, each time.Duration, bytes, nothing int64) recording.SyscallSum {
	return recording.SyscallSum{Call: call, Error: errno, Calls: 10 * perSecond, Time: time.Duration(10*perSecond) * each, Returned: 10 * perSecond * bytes, Nothing: 10 * nothing}
}

func TestSyscallStorm(t *testing.T) {
	const us = time.Microsecond
	by := func(list ...recording.SyscallSum) []recording.SyscallSum { return list }
	var list []ruletest.Situation
	for _, c := range []struct {
		name string
		c    calling
		want rule.Confidence
		says string
	}{
		{"byte by byte", calling{cpu: 1, system: 0.9, inCall: 0.9, stack: inFiles, reads: 1e6, bytes: 1}, rule.Likely, "reads 1 byte at a time, 1,000,000 times a second"},
		{"16 bytes each", calling{cpu: 1, system: 0.9, inCall: 0.9, stack: inFiles, reads: 1e6, bytes: 16}, rule.Likely, "reads 16 bytes at a time"},
		{"a larger buffer", calling{cpu: 1, system: 0.9, inCall: 0.9, stack: inFiles, reads: 1e6, bytes: 17}, 0, ""},
		{"from a socket: a server of tiny requests", calling{cpu: 1, system: 0.9, inCall: 0.9, stack: inSocket, reads: 2e5, bytes: 14}, 0, ""},
		{"few calls", calling{cpu: 1, system: 0.9, inCall: 0.9, stack: inFiles, reads: 9000, bytes: 1}, 0, ""},
		{"mostly its own code", calling{cpu: 1, system: 0.4, inCall: 0.4, stack: inFiles, reads: 1e6, bytes: 1}, 0, ""},
		{"a bit more than half of the samples", calling{cpu: 1, system: 0.9, inCall: 0.53, stack: inFiles, reads: 1e6, bytes: 1}, 0, ""},
		{"little of a core", calling{cpu: 0.45, system: 0.4, inCall: 0.9, stack: inFiles, reads: 1e6, bytes: 1}, 0, ""},
		{"the time", calling{cpu: 1, system: 0.8, inCall: 0.8, stack: inClock}, rule.Likely, "asks the kernel by clock_gettime: this takes 80 %"},
		{"polls", calling{cpu: 1, system: 0.8, inCall: 0.8, stack: inPoll}, rule.Possible, `polls without a pause (poll): this takes 80 %`},
		{"looks for files, nobody knows with which result", calling{cpu: 1, system: 0.9, inCall: 0.9, stack: inStat}, 0, ""},

		{"counted reads", calling{cpu: 1, system: 0.9, inCall: 0.9, stack: inFiles, counted: by(calls("read", 0, 1e6, us/2, 1, 0), calls("lseek", 0, 10, us, 0, 10))}, rule.Likely, "reads 1 byte at a time, 1,000,000 times a second: this takes 90 %"},
		{"counted writes", calling{cpu: 1, system: 0.9, inCall: 0.9, stack: inWrite, counted: by(calls("write", 0, 1e6, us/2, 2, 0))}, rule.Likely, "writes 2 bytes at a time"},
		{"counted reads of nobody knows what", calling{cpu: 1, system: 0.9, inCall: 0, counted: by(calls("read", 0, 1e6, us/2, 1, 0))}, 0, ""},
		{"missing files", calling{cpu: 1, system: 0.9, inCall: 0.9, stack: inStat, counted: by(calls("newfstatat", 2, 5e5, 2*us, 0, 0), calls("newfstatat", 0, 100, 2*us, 0, 0))}, rule.Likely, "makes calls of newfstatat that fail with ENOENT, 500,100 times a second"},
		{"many files", calling{cpu: 1, system: 0.9, inCall: 0.9, stack: inStat, counted: by(calls("newfstatat", 2, 1e5, 2*us, 0, 0), calls("newfstatat", 0, 4e5, 2*us, 0, 0))}, 0, ""},
		{"nothing has come", calling{cpu: 1, system: 0.9, inCall: 0.9, stack: inRecv, counted: by(calls("recvfrom", 11, 1e6, us, 0, 0))}, rule.Possible, "calls recvfrom again and again and finds nothing"},
		{"polls in vain", calling{cpu: 1, system: 0.9, inCall: 0.9, stack: inEpoll, counted: by(calls("epoll_wait", 0, 1e6, us, 0, 1e6))}, rule.Possible, "polls without a pause (epoll_wait), 1,000,000 times a second"},
		{"polls that find something", calling{cpu: 1, system: 0.9, inCall: 0.9, stack: inEpoll, counted: by(calls("epoll_wait", 0, 1e6, us, 3, 1e5))}, 0, ""},
		{"a server that is busy", calling{cpu: 1, system: 0.7, inCall: 0, counted: by(calls("recvfrom", 0, 1e5, 2*us, 40, 0), calls("recvfrom", 11, 1e5, us/2, 0, 0), calls("sendto", 0, 1e5, 4*us, 80, 0))}, 0, ""},
		{"calls that wait", calling{cpu: 1, system: 0.9, inCall: 0, counted: by(calls("connect", 111, 12000, 60*us, 0, 0))}, 0, ""},
		{"locks", calling{cpu: 1, system: 0.9, inCall: 0, counted: by(calls("futex", 11, 1e6, us, 0, 0), calls("sched_yield", 0, 1e6, us, 0, 1e6))}, 0, ""},
		{"two threads that wait in the same call", calling{cpu: 1, system: 0.9, inCall: 0.1, stack: inFiles, others: inSend, counted: by(calls("read", 0, 1e5, us, 1, 0), calls("read", 0, 20, 100*time.Millisecond, 1, 0), calls("sendto", 0, 2e5, 4*us, 1000, 0))}, 0, ""},
		{"missing files, by a call with another name", calling{cpu: 1, system: 0.9, inCall: 0.9, stack: inOldStat, counted: by(calls("stat", 2, 5e5, 2*us, 0, 0))}, rule.Likely, "makes calls of stat that fail with ENOENT"},
		{"a storm beside more of other work", calling{cpu: 1, system: 0.9, inCall: 0, counted: by(calls("access", 2, 2e5, us, 0, 0), calls("sendfile", 0, 1e4, 50*us, 60000, 0))}, 0, ""},
	} {
		list = append(list, ruletest.Situation{Name: c.name, Host: c.c.host, Want: c.want, Kind: view.KindProcess, Subject: "importer", Low: 0.3, High: 0.5, Says: c.says})
	}
	ruletest.Check(t, syscallStorm, list)
}

// A storm says more than that a thread is at its limit; it explains a full host only if
// it is what fills it.
func TestSyscallStormOfOthers(t *testing.T) {
	storm := calling{cpu: 1, system: 0.9, inCall: 0.9, stack: inPoll}
	if f := ruletest.Judge(t, storm.host(), syscallStorm, rule.Possible)[0]; f.AffectsAll {
		t.Error("one of two CPUs is not all")
	}
	storm.host().Silent(t, oneThreadLimit)
	storm.stack = inStat
	if found := storm.host().Detect(t, oneThreadLimit); len(found) != 1 {
		t.Errorf("calls that may be of use: %+v", found)
	}
}
