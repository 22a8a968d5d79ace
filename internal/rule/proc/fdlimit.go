package proc

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var fdLimit = rule.Rule{
	ID:         "proc/fd-limit",
	Title:      "a process has used up its file descriptors",
	Plural:     "processes have used up their file descriptors",
	Resource:   "file descriptors",
	Needs:      []recording.Table{recording.Limits, recording.Processes},
	Columns:    []string{"limits.files", "limits.files_soft", "processes.ppid", "processes.comm"},
	Levels:     true,
	Explains:   []string{"net/accept-queue-full", "cpu/one-thread-limit"},
	Thresholds: []*rule.Threshold{&nearLimit, &atLimitSlack, &atLimitShare, &standingQueue, &fullTable},
	Detect:     detectFDLimit,
}

var (
	nearLimit = rule.Threshold{Name: "near-limit", Value: 0.9, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the limit in use. Worth a hint."}
	atLimitSlack = rule.Threshold{Name: "at-limit-slack", Value: 1, Unit: "count", Source: rule.Judgement,
		Reason: "One descriptor may be free at the moment of reading: a program fails, closes one and retries, and counting takes time."}
	atLimitShare = rule.Threshold{Name: "at-limit-share", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the samples at the limit. A process that reaches its limit now and then fails only now and then."}
	standingQueue = rule.Threshold{Name: "standing-queue", Value: 3, Unit: "count", Source: rule.Judgement,
		Reason: "Successive samples of an accept queue that is never empty. Descriptors are counted only while a process does something: where they were counted once in a window, such a queue shows that the limit lasts."}
	fullTable = rule.Threshold{Name: "full-table", Value: 0.98, Unit: "share", Source: "kernel, fs/file_table.c",
		Reason: "Share of fs.file-max. At the limit root can still open files; all other users get ENFILE."}
)

// descriptors is one process and its limit over the window.
type descriptors struct {
	view.Process
	last      recording.LimitSample
	readings  int
	atLimit   []time.Time // readings
	most      int64
	listeners []view.Listener
	queued    float64 // connections that wait for accept, in the mean sample
	waiting   int     // listeners in the queue of which connections waited most of the time
	standing  bool    // connections waited in a queue all the time around a reading at the limit
}

func detectFDLimit(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, same := range nearTheirLimit(v) {
		d := same[0]
		f := rule.Finding{Subject: d.Process.Entity(), Confidence: d.confidence()}
		if len(d.listeners) > 0 {
			f.Subject.Port = d.listeners[0].Port
		}
		// The listener may be known by another process that holds it: the one that began it.
		for _, l := range d.listeners {
			f.Affects = append(f.Affects, l.Entity())
		}
		f.Headline = d.headline(len(same), f.Confidence)
		f.Impact = rule.Impact{Share: float64(len(d.atLimit)) / float64(d.readings), Text: rule.T("every open, accept and connect in %d of %d samples", len(d.atLimit), d.readings)}
		if d.queued > 0 {
			f.Impact.TimeLost = d.queued
			f.Impact.Text = rule.T("%s; %s connections wait for accept at any time", f.Impact.Text, unit.Number(d.queued))
		}
		if f.Confidence == rule.Possible {
			f.Impact = rule.Impact{Share: 0.1, Text: rule.T("nothing yet")}
		}
		f.Evidence = d.evidence(v)
		f.Fixes = d.fixes()
		found = append(found, f)
	}
	if f, ok := fileTable(v); ok {
		found = append(found, f)
	}
	return found, nil
}

// nearTheirLimit groups the processes near their limit: workers of one server
// hit the same limit together and are one fault. The worst comes first.
func nearTheirLimit(v *view.View) [][]descriptors {
	type key struct {
		comm  string
		limit int64
		ppid  int32
	}
	pids, series := view.Group(view.Rows[recording.LimitSample](v), func(s recording.LimitSample) int32 { return s.PID })
	groups := map[key][]descriptors{}
	var keys []key
	for _, pid := range pids {
		p, ok := v.Process(pid)
		if !ok || p.Own || p.Kernel {
			continue
		}
		d := measure(p, series[pid])
		if d.readings == 0 || d.confidence() == 0 {
			continue
		}
		d.listen(v)
		k := key{p.Comm, d.last.FilesSoft, p.PPID}
		if groups[k] == nil {
			keys = append(keys, k)
		}
		groups[k] = append(groups[k], d)
	}
	list := make([][]descriptors, 0, len(keys))
	for _, k := range keys {
		slices.SortStableFunc(groups[k], func(a, b descriptors) int {
			return cmp.Or(-cmp.Compare(a.confidence(), b.confidence()), -cmp.Compare(len(a.atLimit), len(b.atLimit)))
		})
		list = append(list, groups[k])
	}
	return list
}

func measure(p view.Process, samples []recording.LimitSample) descriptors {
	d := descriptors{Process: p}
	for _, s := range samples {
		if s.Files < 0 || s.FilesSoft <= 0 || s.FilesSoft == math.MaxInt64 {
			continue
		}
		d.readings++
		d.last = s
		d.most = max(d.most, s.Files)
		if s.Files >= s.FilesSoft-int64(atLimitSlack.Value) {
			d.atLimit = append(d.atLimit, s.At)
		}
	}
	return d
}

// listen finds the sockets the process listens on, and whether connections
// pile up there: a server that cannot accept leaves them in the queue.
func (d *descriptors) listen(v *view.View) {
	for _, l := range v.ListenersOf(d.PID) {
		d.listeners = append(d.listeners, l)
		queued, sum := 0, 0.0
		for _, s := range l.Samples {
			if s.Queue > 0 {
				queued++
				sum += float64(s.Queue)
			}
		}
		if float64(queued) >= atLimitShare.Value*float64(len(l.Samples)) {
			d.waiting++
			d.queued += sum / float64(max(len(l.Samples), 1))
		}
		d.standing = d.standing || slices.ContainsFunc(d.atLimit, func(at time.Time) bool { return stands(l.Samples, at) })
	}
	slices.SortStableFunc(d.listeners, func(a, b view.Listener) int { return -cmp.Compare(a.Longest, b.Longest) })
}

// stands says whether connections waited in a queue at a time, and in successive samples
// around it.
func stands(samples []recording.ListenerSample, at time.Time) bool {
	n := 0
	for _, s := range samples {
		switch {
		case s.Queue > 0:
			n++
		case s.At.After(at):
			return n >= int(standingQueue.Value)
		default:
			n = 0
		}
	}
	return n >= int(standingQueue.Value)
}

func (d descriptors) confidence() rule.Confidence {
	held := (len(d.atLimit) >= 2 || len(d.atLimit) == 1 && d.standing) && float64(len(d.atLimit)) >= atLimitShare.Value*float64(d.readings)
	switch {
	case held && d.waiting > 0:
		return rule.Certain
	case held:
		return rule.Likely
	case float64(d.most) >= nearLimit.Value*float64(d.last.FilesSoft):
		return rule.Possible
	}
	return 0
}

func (d descriptors) headline(workers int, sure rule.Confidence) rule.Text {
	who := d.Process.Entity().String()
	if len(d.listeners) > 0 {
		who += fmt.Sprintf(" on :%d", d.listeners[0].Port)
	}
	if workers > 1 {
		who += fmt.Sprintf(" and %d more like it", workers-1)
	}
	switch {
	case sure == rule.Certain:
		return rule.T("%s cannot accept connections: it has used up its %s file descriptors", who, unit.Count(d.last.FilesSoft))
	case sure == rule.Likely:
		return rule.T("%s has used up its %s file descriptors", who, unit.Count(d.last.FilesSoft))
	}
	return rule.T("%s is near its limit of %s file descriptors", who, unit.Count(d.last.FilesSoft))
}

func (d descriptors) evidence(v *view.View) []rule.Evidence {
	list := []rule.Evidence{{
		Metric: metric.ProcessFiles, What: rule.T("%s descriptors open of %s, at the limit in %d of %d samples", unit.Count(d.last.Files), unit.Count(d.last.FilesSoft), len(d.atLimit), d.readings),
		Value: float64(d.most), Limit: rule.Limit(float64(d.last.FilesSoft)),
		Check: shell.Line("ls /proc/%d/fd | wc -l; grep 'open files' /proc/%d/limits", d.PID, d.PID),
	}}
	for _, l := range d.listeners {
		if l.Longest == 0 {
			continue
		}
		list = append(list, rule.Evidence{
			Metric: metric.TCPAcceptQueue, What: rule.T("up to %d connections wait on :%d%s for accept", l.Longest, l.Port, v.InNetNS(l.NetNS)),
			Value: float64(l.Longest), Limit: rule.Limit(float64(l.Backlog)),
			Check: shell.Line("%s ss -ltn 'sport = :%d'", v.EnterNetNS(l.NetNS), l.Port),
		})
	}
	return list
}

func (d descriptors) fixes() []rule.Fix {
	return []rule.Fix{
		{
			Text:     rule.T("raise the limit of the running process, then for good (LimitNOFILE= of its unit, worker_rlimit_nofile of nginx)"),
			Command:  shell.Line("prlimit --pid %d --nofile=%d:%d", d.PID, raised(d.last.FilesSoft), max(raised(d.last.FilesSoft), known(d.last.FilesHard))),
			Tradeoff: "about 1 KiB of kernel memory per descriptor in use; raising the hard limit needs root",
		},
		{
			Text:     rule.T("see what is open: connections that are never closed, or more clients than planned"),
			Command:  shell.Line(`ls -l /proc/%d/fd | awk '{print $NF}' | sed 's/[0-9]\+//g' | sort | uniq -c | sort -n`, d.PID),
			Tradeoff: "with a leak a higher limit only delays the problem",
		},
	}
}

// raised is a limit with room: four times, at least what systemd gives.
func raised(soft int64) int64 { return max(4*soft, 65536) }

// known is a hard limit that can be written as a number; 0 for no limit.
func known(hard int64) int64 {
	if hard < 0 || hard == math.MaxInt64 {
		return 0
	}
	return hard
}

// fileTable judges the table of open files of the whole host.
func fileTable(v *view.View) (rule.Finding, bool) {
	rows := view.Rows[recording.SystemSample](v)
	full := 0
	for _, s := range rows {
		if s.FilesMax > 0 && float64(s.FilesOpen) >= fullTable.Value*float64(s.FilesMax) {
			full++
		}
	}
	if full == 0 || full < 2 && v.Seconds() > 0 || float64(full) < atLimitShare.Value*float64(len(rows)) {
		return rule.Finding{}, false
	}
	last := rows[len(rows)-1]
	return rule.Finding{
		Subject: v.HostEntity(), Confidence: rule.Likely,
		Headline: rule.T("the host has used up its %s open files: programs that are not root fail with ENFILE", unit.Count(last.FilesMax)),
		Impact:   rule.Impact{Share: 1, Text: rule.T("every open, accept and connect of ordinary users")},
		Evidence: []rule.Evidence{{
			Metric: metric.SystemFiles, What: rule.T("%s files open of %s in %d of %d samples", unit.Count(last.FilesOpen), unit.Count(last.FilesMax), full, len(rows)),
			Value: float64(last.FilesOpen), Limit: rule.Limit(float64(last.FilesMax)),
		}},
		Fixes: []rule.Fix{{Text: rule.T("raise the limit of the host"), Command: shell.Line("sysctl -w fs.file-max=%d", 2*last.FilesMax),
			Tradeoff: "kernel memory; find out first who holds them"}},
	}, true
}
