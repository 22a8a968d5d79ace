package proc

import (
	"cmp"
	"fmt"
	"slices"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var uninterruptible = rule.Rule{
	ID:         "proc/uninterruptible",
	Title:      "threads hang in uninterruptible sleep",
	Plural:     "processes have threads that hang in uninterruptible sleep",
	Resource:   "uninterruptible sleep",
	Needs:      []recording.Table{recording.Processes},
	Thresholds: []*rule.Threshold{&halfTheTime, &fewReadings, &briefly, &queueOfReaders},
	Detect:     detectUninterruptible,
}

var (
	halfTheTime = rule.Threshold{Name: "half-the-time", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the samples in state D. A thread with ordinary I/O is in D in few of them."}
	fewReadings = rule.Threshold{Name: "few-readings", Value: 3, Unit: "count", Source: rule.Judgement,
		Reason: "Samples in state D. A single slow moment shows in fewer."}
	briefly = rule.Threshold{Name: "briefly", Value: 1.0, Unit: "seconds", Source: rule.Judgement,
		Reason: "Time from the first to the last sample in state D. A single slow moment is shorter."}
	queueOfReaders = rule.Threshold{Name: "queue-of-readers", Value: 3.0, Unit: "threads", Source: rule.Judgement,
		Reason: "One or two threads that wait for a disk are a copy. From three on, threads queue for the disk."}
)

// hang is the threads that wait in the same place.
type hang struct {
	where   string
	threads []view.Blocked
	mean    float64 // threads in D at any time
	stuck   int     // threads that never left the wait
	disk    bool
}

func detectUninterruptible(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, h := range hangs(v) {
		f := rule.Finding{Confidence: h.confidence()}
		if f.Confidence == 0 {
			continue
		}
		groups := h.processes()
		f.Subject = groups[0].Entity()
		for _, p := range groups[1:] {
			f.Affects = append(f.Affects, p.Entity())
		}
		f.Headline = h.headline(groups)
		f.Impact = rule.Impact{TimeLost: h.mean, Text: rule.T("%s threads hang at any time, which adds %s to the load", unit.Number(h.mean), unit.Number(h.mean))}
		f.Evidence = h.evidence(v)
		f.Fixes = h.fixes(groups[0])
		if h.unseen() {
			f.Plural = "processes have threads that are mostly in uninterruptible sleep"
			f.Impact.Text = rule.T("%s threads are in uninterruptible sleep at any time, which adds %s to the load", unit.Number(h.mean), unit.Number(h.mean))
			f.Notes = []rule.Text{rule.T("the place is not readable, as without root: an ordinary reader of a disk looks the same")}
		}
		found = append(found, f)
	}
	return found, nil
}

func hangs(v *view.View) []hang {
	var long []view.Blocked
	for _, b := range v.Blocked() {
		if b.Share() >= halfTheTime.Value && b.InD >= fewReadings.Int() && b.Seconds >= briefly.Value {
			long = append(long, b)
		}
	}
	places, byPlace := groupBlocked(long)
	var list []hang
	for _, w := range places {
		h := hang{where: w, threads: byPlace[w]}
		for _, b := range h.threads {
			h.mean += b.Share()
			if b.Stuck {
				h.stuck++
			}
			h.disk = h.disk || view.DiskWait(b.Where, b.Stack)
		}
		list = append(list, h)
	}
	return list
}

// groupBlocked puts threads together by place; all waits for disks are one
// place, whatever function of which filesystem they sleep in.
func groupBlocked(threads []view.Blocked) (places []string, byPlace map[string][]view.Blocked) {
	byPlace = map[string][]view.Blocked{}
	for _, b := range threads {
		w := b.Where
		if view.DiskWait(b.Where, b.Stack) {
			w = "block I/O"
		}
		if byPlace[w] == nil {
			places = append(places, w)
		}
		byPlace[w] = append(byPlace[w], b)
	}
	return places, byPlace
}

func (h hang) confidence() rule.Confidence {
	switch {
	case h.where == "__refrigerator":
		return rule.Possible // frozen on purpose, by a cgroup or for suspend
	case h.disk && h.mean < queueOfReaders.Value:
		return 0
	case h.disk && h.stuck == 0:
		return rule.Likely // they get on, slowly; a disk rule knows more
	case h.unseen():
		return rule.Possible // it may be a copy
	case h.where == "":
		return rule.Likely // hangs, and nobody may see where
	case h.stuck > 0:
		return rule.Certain
	}
	return rule.Likely
}

// unseen says that nobody may see where the threads wait, and nothing else tells that they hang.
func (h hang) unseen() bool {
	return h.where == "" && h.stuck == 0 && h.mean < queueOfReaders.Value
}

// processes lists the programs the threads belong to, most threads first.
func (h hang) processes() []view.Process {
	n, byPID := map[int32]int{}, map[int32]view.Process{}
	for _, b := range h.threads {
		n[b.PID]++
		byPID[b.PID] = b.Process
	}
	list := make([]view.Process, 0, len(byPID))
	for _, p := range byPID {
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b view.Process) int {
		return cmp.Or(cmp.Compare(n[b.PID], n[a.PID]), cmp.Compare(a.PID, b.PID))
	})
	return list
}

func (h hang) headline(groups []view.Process) rule.Text {
	where := cmp.Or(h.where, unknownPlace)
	if m := meanings[h.where]; m != "" {
		where += " (" + m + ")"
	}
	who := groups[0].Entity().String()
	if len(groups) > 1 {
		who = fmt.Sprintf("%s and %d more processes", who, len(groups)-1)
	}
	switch one := len(h.threads) == 1; {
	case h.unseen() && one:
		return rule.T("a thread of %s is mostly in uninterruptible sleep; where cannot be read", who)
	case h.unseen():
		return rule.T("%d threads of %s are mostly in uninterruptible sleep; where cannot be read", len(h.threads), who)
	case one:
		return rule.T("a thread of %s hangs in uninterruptible sleep, in %s", who, where)
	}
	return rule.T("%d threads of %s hang in uninterruptible sleep, in %s", len(h.threads), who, where)
}

const unknownPlace = "an unknown place in the kernel"

// named is how many threads evidence names.
const named = 4

func (h hang) evidence(v *view.View) []rule.Evidence {
	list := []rule.Evidence{{
		Metric: metric.ProcessUninterruptible, What: rule.T("%s threads in state D at any time, %d of them in one wait all the time", unit.Number(h.mean), h.stuck),
		Value: h.mean,
	}}
	for i, b := range h.threads {
		if i == named {
			break
		}
		in := cmp.Or(b.Where, unknownPlace)
		if b.Syscall != "" {
			in = b.Syscall + " > " + in
		}
		list = append(list, rule.Evidence{
			Metric: metric.ThreadState, What: rule.T("%s (%d): in D in %d of %d samples, in %s", b.Comm, b.TID, b.InD, b.Readings, in),
			Value: b.Share(), Check: shell.Line("cat /proc/%d/task/%d/stack", b.PID, b.TID),
		})
	}
	if rows := view.Rows[recording.SystemSample](v); len(rows) > 0 {
		load := rows[len(rows)-1].Load1
		list = append(list, rule.Evidence{
			Metric: metric.SchedLoad, What: rule.T("load average %s over one minute, of which %s are these threads", unit.Number(load), unit.Number(h.mean)),
			Value: load,
		})
	}
	return list
}

func (h hang) fixes(p view.Process) []rule.Fix {
	fixes := []rule.Fix{{
		Text:     rule.T("read the kernel stack: it says which filesystem, device or lock the thread waits for"),
		Command:  shell.Line("cat /proc/%d/task/*/stack", p.PID),
		Tradeoff: "none; needs root",
	}}
	switch {
	case h.unseen(): // the stack tells whether there is anything to fix
	case h.disk:
		fixes = append(fixes, rule.Fix{Text: rule.T("relieve the disk they wait for"), Command: shell.Line("iostat -dx 1"), Tradeoff: "its current users have to wait or move"})
	case h.where == "__refrigerator":
		fixes = append(fixes, rule.Fix{Text: rule.T("thaw the control group unless it was frozen on purpose"), Command: shell.Line("cat /proc/%d/cgroup", p.PID), Tradeoff: "the programs in it continue"})
	default:
		fixes = append(fixes, rule.Fix{Text: rule.T("fix what they wait for: thaw a frozen filesystem, bring the file server back, end the lock's holder"),
			Tradeoff: "SIGKILL works only on waits the kernel made killable; a reboot is the last resort"})
	}
	return fixes
}

// meanings say what a wait is for, in the words of people.
var meanings = map[string]string{
	"__refrigerator":           "frozen by its control group",
	"rpc_wait_bit_killable":    "an NFS server that does not answer",
	"nfs_wait_bit_killable":    "an NFS server that does not answer",
	"request_wait_answer":      "a FUSE file server that does not answer",
	"fuse_wait_answer":         "a FUSE file server that does not answer",
	"percpu_rwsem_wait":        "a lock, often of a frozen filesystem",
	"__percpu_down_read":       "a lock, often of a frozen filesystem",
	"sb_wait_write":            "a frozen filesystem",
	"__sb_start_write":         "a frozen filesystem",
	"wait_for_vfork_done":      "its vfork child, to run a program or end",
	"kernel_clone":             "its vfork child, to run a program or end",
	"rwsem_down_read_slowpath": "a lock that a writer holds", "rwsem_down_write_slowpath": "a lock that others hold",
	"__mutex_lock":       "a kernel lock",
	"autofs_wait":        "the automounter",
	"cifs_wait_for_free": "an SMB server that does not answer", "wait_for_response": "an SMB server that does not answer",
}
