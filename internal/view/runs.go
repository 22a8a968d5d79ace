package view

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"rtrail/internal/recording"
)

// Run is a process that ended in the window, as the kernel told when it happened.
type Run struct {
	PID, Parent int32 // Parent made it, if that was seen, or would be told of its end
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
}

func (v *View) lives() *lives {
	return Memo(v, "lives", func() *lives {
		l := &lives{parents: map[int32]int32{}}
		made := map[int32]int32{} // who made those that have not ended
		for _, e := range Rows[recording.ProcessEvent](v) {
			switch e.Kind {
			case recording.ProcessForked:
				made[e.PID], l.parents[e.PID] = e.PPID, e.PPID
			case recording.ProcessExited:
				parent, ok := made[e.PID]
				if !ok {
					parent = e.PPID
				}
				delete(made, e.PID)
				l.parents[e.PID] = parent
				l.runs = append(l.runs, Run{PID: e.PID, Parent: parent, Began: e.At.Add(-e.Lifetime), At: e.At, Comm: e.Comm, Cmdline: e.Cmdline,
					Lifetime: e.Lifetime, CPU: e.CPUTime, Status: e.Status, Signal: e.Signal})
			}
		}
		slices.SortStableFunc(l.runs, func(a, b Run) int { return a.At.Compare(b.At) })
		return l
	})
}

// SpentBelow is the CPU time of processes that began and ended in the window, by the
// process above them that did not end. known is false where the kernel told of no end.
func (v *View) SpentBelow() (spent map[int32]time.Duration, known bool) {
	l := v.lives()
	spent, ended := map[int32]time.Duration{}, map[int32]bool{}
	for i := range l.runs {
		ended[l.runs[i].PID] = true
	}
	for i := range l.runs {
		r := &l.runs[i]
		if r.Began.Before(v.Start()) {
			continue
		}
		above := r.Parent
		for range maxDepth {
			parent, ok := l.parents[above]
			if !ended[above] || !ok {
				break
			}
			above = parent
		}
		spent[above] += r.CPU
	}
	return spent, len(l.runs) > 0
}

// Program is a command line that was started again and again by one process, or by
// its children.
type Program struct {
	Comm, Cmdline string
	Runs          int
	Failed        int
	Ending        string        // the most frequent one
	Endings       int           // how many ended so
	CPU           time.Duration // of all
}

// Descendants sums up the programs that a process and its children started and that
// ended in the window, those with most runs first.
func (v *View) Descendants(pid int32) []Program {
	l := v.lives()
	type command struct{ comm, cmdline string }
	at := map[command]int{}
	endings := []map[string]int{}
	var list []Program
	for i := range l.runs {
		r := &l.runs[i]
		if r.Cmdline == "" || !l.below(r.Parent, pid) {
			continue
		}
		k := command{r.Comm, r.Cmdline}
		n, ok := at[k]
		if !ok {
			n = len(list)
			at[k], list, endings = n, append(list, Program{Comm: r.Comm, Cmdline: r.Cmdline}), append(endings, map[string]int{})
		}
		p := &list[n]
		p.Runs++
		p.CPU += r.CPU
		if r.Failed() {
			p.Failed++
		}
		e := r.Ending()
		endings[n][e]++
		if c := endings[n][e]; c > p.Endings {
			p.Ending, p.Endings = e, c
		}
	}
	slices.SortStableFunc(list, func(a, b Program) int {
		return cmp.Or(cmp.Compare(b.Runs, a.Runs), cmp.Compare(b.CPU, a.CPU), cmp.Compare(a.Cmdline, b.Cmdline))
	})
	return list
}

// maxDepth is how far parents are followed. Numbers are used again: there may be a circle.
const maxDepth = 16

// below says whether a process is another one, or was started below it.
func (l *lives) below(pid, ancestor int32) bool {
	for range maxDepth {
		if pid == ancestor {
			return true
		}
		parent, ok := l.parents[pid]
		if !ok || parent == 0 {
			return false
		}
		pid = parent
	}
	return false
}
