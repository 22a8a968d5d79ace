package rt

import (
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/protocol"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// findThreads asks what the threads of the server did while requests waited.
func (x *slowServer) findThreads() {
	l, ok := x.v.ServedBy(x.s.Server, x.s.Port)
	if !ok {
		return
	}
	x.serving, x.watched = x.v.ServingOf(l, perSecond(x.v, x.serve()))
}

// slept says that the threads of a database slept through most of the time in
// which requests waited for it: what takes the time is no work, and can be shorter.
// Other servers sleep by design, until there is something to tell; those that ask
// others wait for these.
func (x *slowServer) slept() bool {
	return x.watched && !x.serving.Asks && protocol.Of(x.s.Proto).Database &&
		x.serving.Asleep >= mostOfTheTime.Value && x.waitedFor() && x.serve()/time.Duration(x.s.Count) >= worthWaiting.Duration()
}

func (x *slowServer) threadEvidence() []rule.Evidence {
	t := x.serving
	if !x.watched {
		return nil
	}
	p := t.Processes[0]
	return []rule.Evidence{{
		Metric: metric.RTThreads, Value: t.Asleep,
		What: rule.T("while requests waited, the threads of %s were on a CPU %s of the time, waited for one %s, for disks %s, and slept %s: in a lock, until a timer ends, or for another server",
			processes(t), unit.Share(t.OnCPU), unit.Share(t.Runnable), unit.Share(t.Disk), unit.Share(t.Asleep)),
		Check: shell.Line("pidstat -t -u -d -p %d 1; cat /proc/%d/task/*/wchan", p.PID, p.PID),
	}}
}

func processes(t view.Serving) rule.Text {
	if n := len(t.Processes); n > 1 {
		return rule.T("%s ×%d", t.Processes[0].Comm, n)
	}
	return rule.T("%s (%d)", t.Processes[0].Comm, t.Processes[0].PID)
}
