package main

import (
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// monitorSlack is how late Go's monitor may wake while this host is watched. It
// is how much longer than otherwise a system call that blocks may keep
// goroutines waiting that have no other processor.
const monitorSlack = 2 * time.Millisecond

// slowMonitor lets Go's monitor wake less often. While any goroutine runs or is
// in a system call it wakes every 20 to 70 µs (sysmon of Go's runtime), and
// takes processors from those that are in calls: for a probe that reads small
// files that is a tenth of what watching costs. The kernel may put off timers of
// a thread by its slack (prctl(2), PR_SET_TIMERSLACK), 50 µs if nobody says
// otherwise. Where it may not be set everything stays as it is.
func slowMonitor() {
	id, ok := monitorThread("/proc/self/task")
	if !ok {
		return
	}
	// The file of any thread is there, not only those of main ones.
	_ = os.WriteFile(filepath.Join("/proc", id, "timerslack_ns"), strconv.AppendInt(nil, int64(monitorSlack), 10), 0)
}

// monitorThread is the thread of Go's monitor: the runtime starts it before all
// others, and the kernel lists threads in the order in which they began.
func monitorThread(tasks string) (id string, ok bool) {
	dir, err := os.Open(tasks)
	if err != nil {
		return "", false
	}
	defer dir.Close()
	ids, _ := dir.Readdirnames(2)
	if len(ids) < 2 {
		return "", false
	}
	return ids[1], true
}
