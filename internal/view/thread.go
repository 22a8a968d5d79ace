package view

import (
	"cmp"
	"slices"
	"strings"

	"rtrail/internal/recording"
)

// Activity is what a thread was doing when it was sampled.
type Activity int

// The activities "WHERE THE TIME WENT" tells apart. WaitLock stands for waiting on
// a futex or a lock of the kernel, and is called futex: the kernel does not tell
// a mutex that somebody holds from a timer or a queue without work; WaitNetwork for waiting in a socket or poll call;
// Sleeping for everything a thread does of its own will: timers, idle waits.
const (
	OnCPU Activity = iota
	Runnable
	WaitDisk
	WaitLock
	WaitNetwork
	Sleeping
	Activities // how many there are
)

func (a Activity) String() string {
	return [...]string{"on CPU", "runnable", "disk", "futex", "network", "sleeping", ""}[a]
}

// ThreadTime is one thread over the window.
type ThreadTime struct {
	PID, TID int32
	Comm     string
	Samples  []recording.ThreadSample
	Seconds  float64 // between the first and the last sample
	CPU      float64 // cores, 0 to 1; from its own counter, not from samples
	RunDelay float64 // share of the time it was runnable without a CPU
	Slices   float64 // times per second it was put on a CPU
	Share    [Activities]float64
	// Idle: it slept in all samples and used no CPU; its time says nothing.
	Idle bool
}

// ThreadTimes lists the sampled threads of the window.
func (v *View) ThreadTimes() []ThreadTime {
	return Memo(v, "thread-times", func() []ThreadTime {
		type key struct{ pid, tid int32 }
		keys, series := Group(Rows[recording.ThreadSample](v), func(s recording.ThreadSample) key {
			return key{s.PID, s.TID}
		})
		list := make([]ThreadTime, 0, len(keys))
		for _, k := range keys {
			list = append(list, newThreadTime(series[k]))
		}
		return list
	})
}

// newThreadTime splits a thread's time. CPU time and run delay come from the
// thread's counters, which miss nothing; only the rest is divided by samples.
func newThreadTime(samples []recording.ThreadSample) ThreadTime {
	last := samples[len(samples)-1]
	t := ThreadTime{PID: last.PID, TID: last.TID, Comm: last.Comm, Samples: samples, Seconds: Elapsed(samples).Seconds()}
	var waits [Activities]float64
	for _, s := range samples {
		waits[Classify(s)]++
	}
	n := float64(len(samples))
	counted := false
	if t.Seconds > 0 {
		cpu, ok := Delta(samples, func(s recording.ThreadSample) float64 { return known(s.CPUTime) })
		delay, _ := Delta(samples, func(s recording.ThreadSample) float64 { return known(s.RunDelay) })
		switches, _ := Delta(samples, func(s recording.ThreadSample) int64 { return s.Slices })
		t.CPU = min(cpu/t.Seconds, 1)
		t.RunDelay = min(delay/t.Seconds, 1)
		t.Slices = switches / t.Seconds
		counted = ok
	}
	if !counted {
		for a, w := range waits {
			t.Share[a] = w / n
		}
		t.Idle = waits[Sleeping]+waits[WaitNetwork] == n
		return t
	}
	t.Share[OnCPU] = t.CPU
	t.Share[Runnable] = min(t.RunDelay, 1-t.CPU)
	rest := 1 - t.Share[OnCPU] - t.Share[Runnable]
	if waiting := n - waits[OnCPU] - waits[Runnable]; waiting > 0 {
		for _, a := range []Activity{WaitDisk, WaitLock, WaitNetwork, Sleeping} {
			t.Share[a] = rest * waits[a] / waiting
		}
	} else {
		t.Share[Sleeping] = rest
	}
	t.Idle = t.CPU < 0.0005 && waits[WaitDisk]+waits[OnCPU]+waits[Runnable] == 0
	return t
}

// ProcessTime is how the threads of one process spent the window. The shares
// are means over its threads that were not idle.
type ProcessTime struct {
	Process Process
	Threads int // that were not idle
	Samples int
	Share   [Activities]float64
}

// hardlyWorked is the time per second, over all threads of a process, below
// which there is nothing to split.
const hardlyWorked = 0.01

// ProcessTimes lists the processes whose threads were sampled and did
// something, those with the most time on CPU, runnable and in disk waits first.
func (v *View) ProcessTimes() []ProcessTime {
	return Memo(v, "process-times", func() []ProcessTime {
		pids, threads := []int32{}, map[int32][]ThreadTime{}
		for _, t := range v.ThreadTimes() {
			if t.Idle {
				continue
			}
			if threads[t.PID] == nil {
				pids = append(pids, t.PID)
			}
			threads[t.PID] = append(threads[t.PID], t)
		}
		var list []ProcessTime
		for _, pid := range pids {
			p, ok := v.Process(pid)
			if !ok || p.Own {
				continue
			}
			pt := ProcessTime{Process: p, Threads: len(threads[pid])}
			for _, t := range threads[pid] {
				pt.Samples += len(t.Samples)
				for a := range t.Share {
					pt.Share[a] += t.Share[a] / float64(pt.Threads)
				}
			}
			list = append(list, pt)
		}
		// Threads of a pool wait for work in a futex, which looks like waiting
		// for a lock: it counts only beside other work.
		worked := func(p ProcessTime) float64 {
			return (p.Share[OnCPU] + p.Share[Runnable] + p.Share[WaitDisk]) * float64(p.Threads)
		}
		list = slices.DeleteFunc(list, func(p ProcessTime) bool { return worked(p) < hardlyWorked })
		slices.SortStableFunc(list, func(a, b ProcessTime) int { return cmp.Compare(worked(b), worked(a)) })
		return list
	})
}

// Classify says what a thread was doing, from its state, its system call and
// the kernel function it waits in. A running thread and one that waits for a
// CPU are both in state R; the two are told apart by counters, not here.
func Classify(s recording.ThreadSample) Activity {
	switch s.State {
	case "R":
		return OnCPU
	case "D":
		if waits[s.WaitChannel] == WaitLock {
			return WaitLock
		}
		return WaitDisk
	}
	for _, word := range []string{s.SyscallName, s.WaitChannel} {
		if a, ok := waits[word]; ok {
			return a
		}
	}
	for _, p := range waitPrefixes {
		if strings.HasPrefix(s.WaitChannel, p.prefix) {
			return p.activity
		}
	}
	return Sleeping
}

// waits maps system calls and wait channels to activities. epoll, poll and
// select wait for sockets in every server; that a timer may share them does
// not matter to somebody who asks where the time went.
var waits = map[string]Activity{
	"futex": WaitLock, "futex_wait_queue": WaitLock, "futex_wait_queue_me": WaitLock, "flock": WaitLock,
	"rwsem_down_read_slowpath": WaitLock, "rwsem_down_write_slowpath": WaitLock, "__mutex_lock": WaitLock,
	"recvfrom": WaitNetwork, "recvmsg": WaitNetwork, "recvmmsg": WaitNetwork, "sendto": WaitNetwork, "sendmsg": WaitNetwork, "sendmmsg": WaitNetwork,
	"accept": WaitNetwork, "accept4": WaitNetwork, "connect": WaitNetwork,
	"epoll_wait": WaitNetwork, "epoll_pwait": WaitNetwork, "epoll_pwait2": WaitNetwork, "poll": WaitNetwork, "ppoll": WaitNetwork,
	"select": WaitNetwork, "pselect6": WaitNetwork,
	"ep_poll": WaitNetwork, "do_epoll_wait": WaitNetwork, "do_sys_poll": WaitNetwork, "poll_schedule_timeout": WaitNetwork, "do_select": WaitNetwork,
	"sk_wait_data": WaitNetwork, "inet_csk_accept": WaitNetwork, "sk_stream_wait_memory": WaitNetwork, "unix_stream_read_generic": WaitNetwork,
	"skb_wait_for_more_packets": WaitNetwork, "__skb_wait_for_more_packets": WaitNetwork, "inet_stream_connect": WaitNetwork,
	"fsync": WaitDisk, "fdatasync": WaitDisk, "sync": WaitDisk, "syncfs": WaitDisk, "sync_file_range": WaitDisk, "msync": WaitDisk,
	"io_schedule": WaitDisk, "folio_wait_bit_common": WaitDisk, "wait_on_page_bit": WaitDisk, "blkdev_issue_flush": WaitDisk,
	"clock_nanosleep": Sleeping, "nanosleep": Sleeping, "pause": Sleeping, "wait4": Sleeping, "waitid": Sleeping,
	"rt_sigtimedwait": Sleeping, "rt_sigsuspend": Sleeping, "restart_syscall": Sleeping,
}

var waitPrefixes = []struct {
	prefix   string
	activity Activity
}{
	{"futex", WaitLock}, {"rwsem", WaitLock}, {"tcp_", WaitNetwork}, {"inet_", WaitNetwork}, {"unix_", WaitNetwork}, {"sock_", WaitNetwork}, {"sk_", WaitNetwork},
	{"jbd2_", WaitDisk}, {"ext4_", WaitDisk}, {"xfs_", WaitDisk}, {"xlog_", WaitDisk}, {"_xfs_", WaitDisk}, {"__xfs_", WaitDisk}, {"btrfs_", WaitDisk},
	{"wait_log_commit", WaitDisk}, {"wait_current_trans", WaitDisk}, {"wait_for_commit", WaitDisk}, {"blk_", WaitDisk}, {"bio_", WaitDisk}, {"wait_on_page", WaitDisk}, {"folio_wait", WaitDisk},
}
