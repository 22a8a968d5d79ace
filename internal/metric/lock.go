package metric

import (
	"rtrail/internal/recording"
)

var (
	LockWaiters = add(Metric{ID: "lock.waiters",
		Labels: []string{"pid", "lock"}, Series: total(lock, func(s recording.LockWait) int32 { return s.TID }, func(recording.LockWait) float64 { return 1 }),
		Name: "threads that wait for a lock", Unit: "threads",
		Help:   "threads of a program that wait at a time for one lock which another thread of it holds, mean",
		Source: "/proc/PID/task/TID/syscall, and the owner of the mutex in the memory of the process, up to five times a second",
		Tools:  []string{"rtrail trace locks", "perf lock contention", "offcputime-bpfcc -p PID"},
		Traps:  []string{"idle threads of a pool wait in futex as well, for a condition", "locks of Java, Go and Python are no futexes of this kind"}, Healthy: "well under 1"})
	LockHeld = add(Metric{ID: "lock.held", Name: "waits during which one thread held a lock", Unit: "share",
		Help:   "part of the waits for a lock that were seen in which the named thread held it",
		Source: "owner of the mutex in the memory of the process (glibc), or the word of a lock with priority inheritance",
		Tools:  []string{"gdb -p PID -ex 'print *(pthread_mutex_t *)0xADDRESS' -batch   # __owner"}, Traps: []string{"a lock that is held briefly and often is seen with whoever had it at that moment"}})
	LockStuck = add(Metric{ID: "lock.stuck", Course: LockWaiters, Name: "time without progress in a deadlock", Unit: "seconds",
		Help:   "time in which none of the threads ran that wait for each other's locks, as far as it was watched",
		Source: "/proc/PID/task/TID/{syscall,schedstat}, and the owners of the mutexes in the memory of the process",
		Tools:  []string{"gdb -p PID -ex 'thread apply all bt' -batch"}, Healthy: "there is none"})
)
