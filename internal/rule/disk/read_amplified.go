package disk

import (
	"cmp"
	"slices"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var readAmplified = rule.Rule{
	ID:         "disk/read-amplified",
	Title:      "a server reads far more from a disk than it answers",
	Plural:     "servers read far more from a disk than they answer",
	Resource:   "disks",
	Needs:      []recording.Table{recording.Disks, recording.Processes, recording.TCPSockets},
	Explains:   []string{"disk/saturated", "disk/cgroup-throttled", "proc/uninterruptible", "rt/server-slow", "rt/worker-queueing"},
	Thresholds: []*rule.Threshold{&readPerRequest, &answeredShare, &openRequests, &minWaiting, &mostReads, &besideShare},
	Seen:       func(v *view.View) bool { return len(amplifiers(v)) > 0 },
	Detect:     detectReadAmplified,
}

var (
	readPerRequest = rule.Threshold{Name: "read-per-request", Value: 1 << 20, Unit: "bytes", Source: rule.Judgement,
		Reason: "Bytes read from the disk for each request. A lookup by an index reads a few pages of 4 to 16 KiB for each row, also with an empty cache: some 10 rows make less than this."}
	answeredShare = rule.Threshold{Name: "answered-share", Value: 0.05, Unit: "share", Source: rule.Judgement,
		Reason: "Bytes sent to clients relative to bytes read. Servers of files, dumps and large results send most of what they read."}
	openRequests = rule.Threshold{Name: "open-requests", Value: 0.5, Unit: "requests", Source: rule.Judgement,
		Reason: "Mean number of requests at the server. Below it clients hardly wait, and what reads is a job of the server itself: a backup, a compaction, a check."}
	besideShare = rule.Threshold{Name: "beside-share", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Threads that wait for a disk beyond the requests at the server, relative to those that requests explain. With more, jobs of the server read: a compaction waits for the disk also while no request is open."}
	mostReads = rule.Threshold{Name: "most-reads", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the server in what the disk reads. Below half another program is the reason why requests wait there."}
)

// amplifier is a server that reads from a disk while requests are at it.
type amplifier struct {
	view.Process
	view.Answering
	disks   []view.BlockDevice // the one it reads from, and the one below it
	waiting float64            // threads that wait for reads while requests are at the server, mean; 0: not known to be for these
	each    float64            // bytes read for a request, at least
}

// amplifiers are the servers that read from one disk while requests are at them, those
// that read most first.
func amplifiers(v *view.View) (list []amplifier) {
	for _, p := range v.Processes() {
		if p.Kernel || p.Own || !(p.ReadBytes > 0) {
			continue
		}
		a := amplifier{Process: p, Answering: v.AnsweringOf(p), disks: readBy(v, p)}
		if a.Open == 0 || len(a.disks) == 0 {
			continue
		}
		// A request that came before the window counts as one, too.
		a.each = p.ReadBytes * v.Seconds() / max(a.Requests*v.Seconds()+a.Open, 1)
		list = append(list, a)
	}
	slices.SortStableFunc(list, func(a, b amplifier) int { return cmp.Compare(b.ReadBytes, a.ReadBytes) })
	return list
}

// readBy is the disk that a process reads from, and what is below it: counters of processes
// name no disks, but of one disk alone the reads fit. None: it could be several.
func readBy(v *view.View, p view.Process) (disks []view.BlockDevice) {
	for _, d := range v.BlockDevices() {
		if p.ReadBytes < mostReads.Value*d.ReadBytes || d.ReadBytes < mostReads.Value*p.ReadBytes {
			continue
		}
		if slices.ContainsFunc(disks, func(o view.BlockDevice) bool { return !v.SameStack(d.Device, o.Device) }) {
			return nil
		}
		at := slices.IndexFunc(disks, func(o view.BlockDevice) bool { return slices.Contains(v.Below(d.Device), o.Device) })
		if at < 0 {
			at = len(disks)
		}
		disks = slices.Insert(disks, at, d)
	}
	return disks
}

func detectReadAmplified(v *view.View) (found []rule.Finding, err error) {
	for _, a := range amplifiers(v) {
		if a.each < readPerRequest.Value || a.Sent > answeredShare.Value*a.ReadBytes || a.Open < openRequests.Value {
			continue
		}
		serving, beside := v.ServingDiskWaits(a.Process)
		switch {
		case serving >= minWaiting.Value && beside <= besideShare.Value*serving:
			a.waiting = serving
			found = append(found, a.finding())
		// Threads that read ahead, or have others read for them, do not wait in D. That reads are
		// under way while requests are open does not say that these wait for them.
		case max(v.DiskWaits(a.Process), min(a.disks[0].Queue, a.Open)) >= minWaiting.Value:
			found = append(found, a.finding())
		}
	}
	return found, nil
}

func (a *amplifier) finding() rule.Finding {
	name := a.disks[0].Device
	f := rule.Finding{
		Subject:    a.Entity(),
		Confidence: rule.Likely,
		Headline: rule.T("%s (%d) reads %s from disk %s for each request and answers with %s", a.Comm, a.PID,
			unit.Bytes(a.each), name, unit.Bytes(a.Sent/max(a.ReadBytes, 1)*a.each)),
		Impact: rule.Impact{TimeLost: a.waiting, Text: rule.T("%s requests wait for the disk at any time", unit.Number(a.waiting))},
		Evidence: []rule.Evidence{
			{Metric: metric.ProcessIOBytes, Value: a.ReadBytes, Check: shell.Line("pidstat -d -p %d 1", a.PID),
				What: rule.T("%s (%d) reads %s/s, all disk reads of %s are %s/s", a.Comm, a.PID, unit.Bytes(a.ReadBytes), name, unit.Bytes(a.disks[0].ReadBytes))},
			{Metric: metric.TCPArrivals, Value: a.Requests, Check: shell.Line("ss -tinp"),
				What: rule.T("at most %v requests come, and %s/s are answered: %s are read for each byte", unit.PerSecond(a.Requests), unit.Bytes(a.Sent), unit.Bytes(a.ReadBytes/max(a.Sent, 1)))},
			{Metric: metric.DiskQueue, Value: a.disks[0].Queue, Limit: rule.Limit(minWaiting.Value), Check: shell.Line("iostat -dx %s 1   # aqu-sz", name),
				What: rule.T("%s reads are under way on %s while %s requests are at the server", unit.Number(a.disks[0].Queue), name, unit.Number(a.Open))},
		},
		Fixes: []rule.Fix{
			{Text: rule.T("find the requests that read so much, and give them an index or read less"), Command: shell.Line("rtrail trace files -p %d --for 10s", a.PID), Tradeoff: "an index costs space and slows writes down"},
			{Text: rule.T("give %s a larger cache, if what it reads again and again would fit", a.Comm), Tradeoff: "memory that others lack"},
			{Text: rule.T("if a backup, a compaction or a check of %s reads, move it to a quiet hour", a.Comm), Tradeoff: "it ends later"},
		},
	}
	if a.waiting == 0 {
		f.Confidence = rule.Possible
		f.Impact = rule.Impact{Share: 0.1, Text: rule.T("not known: a job of the server may read while requests are answered from its cache")}
	}
	for _, d := range a.disks {
		f.Affects = append(f.Affects, view.Entity{Kind: view.KindDevice, Name: d.Device})
	}
	return f
}
