package view

import (
	"fmt"
	"slices"
	"time"

	"rtrail/internal/recording"
)

// Run is a process that ended in the window, as the kernel told when it happened.
type Run struct {
	PID, Parent int32 // Parent made it, if that was seen, or would be told of its end
	Told        int32 // was told of its end: Parent, or who took it over when that had ended
	Began, At   time.Time
	Comm        string
	Cmdline     string // "": it began no program while it was watched
	Lifetime    time.Duration
	CPU         time.Duration // at least
	Status      int32         // of one that ended by itself; else Unknown
	Signal      int32         // that ended it; 0: none
}

// Failed says that it ended by a signal or with another status than 0.
func (r *Run) Failed() bool { return r.Signal != 0 || r.Status != 0 }

// Ending is how it ended: "exit status 1", "signal 11".
func (r *Run) Ending() string { return ending(r.Status, r.Signal) }

func ending(status, signal int32) string {
	if signal != 0 {
		return fmt.Sprintf("signal %d", signal)
	}
	return fmt.Sprintf("exit status %d", status)
}

// Runs lists the processes that ended in the window, in the order in which they did.
func (v *View) Runs() []Run { return v.lives().runs }

// lives is what events tell of processes.
type lives struct {
	runs    []Run
	parents map[int32]int32 // of all that were made or ended
	born    []int32         // who made each of those that were made
}

func (v *View) lives() *lives {
	return Memo(v, "lives", func() *lives {
		l := &lives{parents: map[int32]int32{}}
		made := map[int32]int32{} // who made those that have not ended
		for _, e := range Rows[recording.ProcessEvent](v) {
			switch e.Kind {
			case recording.ProcessForked:
				made[e.PID], l.parents[e.PID] = e.PPID, e.PPID
				l.born = append(l.born, e.PPID)
			case recording.ProcessExited:
				parent, ok := made[e.PID]
				if !ok {
					parent = e.PPID
				}
				delete(made, e.PID)
				l.parents[e.PID] = parent
				l.runs = append(l.runs, Run{PID: e.PID, Parent: parent, Told: e.PPID, Began: e.At.Add(-e.Lifetime), At: e.At, Comm: e.Comm, Cmdline: e.Cmdline,
					Lifetime: e.Lifetime, CPU: e.CPUTime, Status: e.Status, Signal: e.Signal})
			}
		}
		slices.SortStableFunc(l.runs, func(a, b Run) int { return a.At.Compare(b.At) })
		return l
	})
}
