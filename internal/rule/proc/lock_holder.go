package proc

import (
	"fmt"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// doing is what a thread was seen to do: "in fdatasync, waiting for a disk".
func doing(d view.Deed) string {
	where := "waiting"
	if d.Where != "" {
		where = "in " + d.Where
	}
	switch d.Does {
	case view.OnCPU:
		return "running or ready to run"
	case view.WaitDisk:
		return where + ", waiting for a disk"
	case view.WaitNetwork:
		return where + ", waiting for the network"
	case view.WaitLock:
		return where + ", waiting for another lock or a condition"
	}
	return where + ", asleep"
}

// seen is what a holder does, or was seen to do where that does not decide it: "is running or ready to run".
func seen(h *view.LockHolder) string {
	switch {
	case h.Sure():
		return "is " + doing(h.Deed)
	case h.Next.DoesShare > 0:
		return fmt.Sprintf("by %s was %s for about %v of that time, and %s for %v",
			unit.Plural(int64(h.Looks), "look", "looks"), doing(h.Deed), unit.Share(h.DoesShare), doing(h.Next), unit.Share(h.Next.DoesShare))
	}
	return fmt.Sprintf("was %s at the looks at it, but for %v of that time at most", doing(h.Deed), unit.Share(h.DoesShare))
}

// deed says what the holder does, with the file or the function where it is known.
func deed(v *view.View, p *view.Process, h *view.LockHolder) string {
	switch {
	case h.DoesShare == 0:
		return " and was not looked at"
	case !h.Sure():
		return " and " + seen(h)
	}
	switch h.Does {
	case view.OnCPU:
		if on := v.CPUProfile(p.PID); len(on.Functions) > 0 && on.Functions[0].Function != "" && on.Functions[0].AtLeast() >= 0.5 && alone(v, p, h.TID) {
			return " while it runs, mostly in " + on.Functions[0].Function
		}
		return " while it runs"
	case view.WaitDisk:
		words := " while it waits for a disk in " + h.Where
		if s := syncedBy(v, p, h); s != nil {
			words += " of " + s.Path
		}
		return words
	case view.WaitNetwork:
		return " while it waits for the network in " + h.Where
	case view.WaitLock:
		return " while it waits for another lock or a condition"
	}
	return " while it sleeps in " + h.Where
}

// syncedBy is the file that the process syncs most by the system call that the holder is in.
func syncedBy(v *view.View, p *view.Process, h *view.LockHolder) *view.Sync {
	syncs := v.Syncs()
	for i := range syncs {
		if s := &syncs[i]; p.Is(s.PID, s.Started) && s.Path != "" && s.Call == h.Where && s.Time > time.Second/10 {
			return s
		}
	}
	return nil
}

// didThen proves what the holder did while others waited.
func didThen(v *view.View, p *view.Process, h *view.LockHolder) (list []rule.Evidence) {
	if h.DoesShare == 0 {
		return nil
	}
	name := threadName(h.Comm, h.TID)
	e := rule.Evidence{Metric: metric.ThreadState, Value: h.DoesShare, Check: shell.Line("cat /proc/%d/task/%d/stack", p.PID, h.TID),
		What: rule.T("meanwhile %s was %s in about %v of %v at it", name, doing(h.Deed), unit.Share(h.DoesShare), unit.Plural(int64(h.Looks), "look", "looks"))}
	if h.Measured {
		e.What = rule.T("meanwhile %s was in %s for about %v of the time, as counted by the kernel", name, h.Where, unit.Share(h.DoesShare))
	}
	list = append(list, e)
	if s := syncedBy(v, p, h); s != nil && h.Does == view.WaitDisk {
		list = append(list, rule.Evidence{Metric: metric.SyncWait, Value: s.Mean, Check: shell.Line("rtrail trace sync -p %d --for 10s", p.PID),
			What: rule.T("%s of %s: %v s per second, %v calls a second, %v each", s.Call, s.Path, unit.Number(round(s.Mean)), unit.Count(s.PerSecond), unit.Seconds(s.Average().Seconds()))})
	}
	return list
}

// alone says whether a thread uses nearly all of the CPU time of its process: samples
// do not tell threads apart.
func alone(v *view.View, p *view.Process, tid int32) bool {
	for _, t := range v.ThreadTimes() {
		if t.PID == p.PID && t.TID == tid {
			return p.CPU-t.CPU <= 0.25*p.CPU
		}
	}
	return false
}
