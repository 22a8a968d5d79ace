package disk

import (
	"cmp"
	"slices"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var slowSync = rule.Rule{
	ID:         "disk/slow-sync",
	Title:      "a program waits for each record to be on the disk",
	Plural:     "programs wait for each record to be on the disk",
	Resource:   "syncs",
	Needs:      []recording.Table{recording.Processes},
	Explains:   []string{"rt/server-slow", "rt/worker-queueing", "proc/uninterruptible"},
	HoldsUp:    []string{"mysql/row-lock-wait", "mysql/metadata-lock", "proc/lock-contention"},
	Thresholds: []*rule.Threshold{&syncTime, &syncWaiting, &syncsAgain, &syncShare, &syncOthersWork},
	Seen:       func(v *view.View) bool { return len(v.Syncs()) > 0 },
	Detect:     detectSlowSync,
}

var (
	syncTime = rule.Threshold{Name: "sync-time", Value: 0.005, Unit: "seconds", Source: rule.Judgement,
		Reason: "Mean time of a sync. Flash with power-loss protection and cached controllers take well under 1 ms, network volumes 1 to 3, a spinning disk needs a rotation, at least 8 ms."}
	syncWaiting = rule.Threshold{Name: "sync-waiting", Value: 0.5, Unit: "threads", Source: rule.Judgement,
		Reason: "Mean number of threads of the program that wait for syncs of one file. From 0.5 on, syncs are what limits a thread."}
	syncsAgain = rule.Threshold{Name: "syncs-again", Value: 2, Unit: "per second", Source: rule.Judgement,
		Reason: "Syncs of the same file. A log is synced again for each record or transaction; a checkpoint or a copy syncs each file once, in the background, and causes no waits."}
	syncShare = rule.Threshold{Name: "sync-share", Value: 0.8, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the time that a program's only thread waits for syncs. From here on syncs explain its throughput: without them it would be at least five times as fast."}
	syncOthersWork = rule.Threshold{Name: "others-work", Value: 0.05, Unit: "cores", Source: rule.Judgement,
		Reason: "CPU use of the threads beside the one that syncs, waits for a CPU included. Above this the program also works while it syncs."}
)

// syncedFile is one file that one process syncs, by whatever calls.
type syncedFile struct {
	view.Sync         // sums of all calls; Call is the one with most time
	all       float64 // threads of the process that wait for syncs of any file, mean
}

func detectSlowSync(v *view.View) ([]rule.Finding, error) {
	files := syncedFiles(v)
	if len(files) == 0 && !traced(v, "sync") {
		return nil, &rule.NotJudged{Needs: "calls of fsync by file", Why: "they were not counted in the window",
			How: shell.Say("run as root on a kernel with BPF; filesystems other than ext4 need: %s", shell.Line("rtrail --events all"))}
	}
	var found []rule.Finding
	seen := map[int32]bool{}
	for _, f := range files {
		p, ok := v.Process(f.PID)
		if !ok || p.Own || p.Kernel || seen[f.PID] {
			continue
		}
		if sure := f.confidence(v, p); sure != 0 {
			seen[f.PID] = true
			found = append(found, f.finding(v, p, sure))
		}
	}
	return found, nil
}

// traced says whether a source of events ran.
func traced(v *view.View, probe string) bool {
	return slices.ContainsFunc(view.Rows[recording.ProbeRun](v), func(p recording.ProbeRun) bool { return p.Probe == probe && p.Error == "" })
}

// syncedFiles lists what processes sync, the most time first.
func syncedFiles(v *view.View) []syncedFile {
	type same struct {
		pid          int32
		started      time.Time
		path, device string
	}
	all := map[int32]float64{}
	at := map[same]int{}
	var list []syncedFile
	for _, s := range v.Syncs() {
		if _, ok := v.ProcessThat(s.PID, s.Started); !ok {
			continue
		}
		all[s.PID] += s.Mean
		k := same{s.PID, s.Started, s.Path, s.Device}
		i, ok := at[k]
		if !ok {
			at[k] = len(list)
			list = append(list, syncedFile{Sync: s})
			continue
		}
		f := &list[i]
		f.Calls += s.Calls
		f.PerSecond += s.PerSecond
		f.Errors += s.Errors
		f.Time += s.Time
		f.Mean += s.Mean
		f.Longest = max(f.Longest, s.Longest)
		f.Sliced = f.Sliced || s.Sliced
	}
	for i := range list {
		list[i].all = all[list[i].PID]
	}
	slices.SortStableFunc(list, func(a, b syncedFile) int { return cmp.Compare(b.Time, a.Time) })
	return list
}

func (f *syncedFile) confidence(v *view.View, p view.Process) rule.Confidence {
	if f.Path == "" || f.Mean < syncWaiting.Value || f.PerSecond < syncsAgain.Value {
		return 0
	}
	slow, alone := f.Average().Seconds() >= syncTime.Value, p.Threads == 1
	switch {
	case slow && alone && f.Mean >= syncShare.Value:
		return rule.Certain
	case slow:
		return rule.Likely
	case alone, oneWorks(v, p):
		return rule.Possible
	}
	return 0
}

// oneWorks says whether one thread of a program does all of its work, waits for disks
// included, and the others sleep, as in Redis. All of them must have been seen.
func oneWorks(v *view.View, p view.Process) bool {
	var others, most float64 // cores
	threads, atDisk := int32(0), 0
	for _, t := range v.ThreadTimes() {
		if t.PID != p.PID {
			continue
		}
		threads++
		work := t.Share[view.OnCPU] + t.Share[view.Runnable]
		if t.Share[view.WaitDisk] > 0 {
			atDisk++
		}
		others += min(work, most)
		most = max(most, work)
	}
	return threads >= p.Threads && atDisk == 1 && others <= syncOthersWork.Value
}

func (f *syncedFile) finding(v *view.View, p view.Process, sure rule.Confidence) rule.Finding {
	check := shell.Line("rtrail trace sync -p %d --for 10s", p.PID)
	where := f.Path
	disk := v.DeviceOf(f.Device)
	if disk != "" {
		where += " on " + disk
	}
	takes := rule.T("a sync takes %v, the longest took %v", unit.Seconds(f.Average().Seconds()), unit.Seconds(f.Longest.Seconds()))
	if f.Sliced { // the longest is the part of it that lies in a slice
		takes = rule.T("a sync takes %v on average", unit.Seconds(f.Average().Seconds()))
	}
	out := rule.Finding{
		Subject: p.Entity(), Confidence: sure,
		Headline: rule.T("%s (%d) waits for each record to be on the disk: it syncs %s %v times a second, %v each", p.Comm, p.PID, where, unit.Count(f.PerSecond), unit.Seconds(f.Average().Seconds())),
		Impact:   rule.Impact{TimeLost: f.Mean, Text: rule.T("%v threads wait for this file at any time", unit.Number(f.Mean))},
		Evidence: []rule.Evidence{
			{Metric: metric.SyncWait, Value: f.Mean, Limit: rule.Limit(syncWaiting.Value), Check: check,
				What: rule.T("%v s per second in %s of this file, %v in syncs of all its files", unit.Number(f.Mean), f.Call, unit.Number(f.all))},
			{Metric: metric.SyncTime, Value: f.Average().Seconds(), Limit: rule.Limit(syncTime.Value), Check: check,
				What: takes},
			{Metric: metric.Syncs, Value: f.PerSecond, Limit: rule.Limit(syncsAgain.Value), Check: check,
				What: rule.T("the same file is synced %v times a second", unit.Count(f.PerSecond))},
		},
		Fixes: []rule.Fix{
			{Text: rule.T("sync once for several records: group commits, or a timer (Redis: appendfsync everysec)"), Tradeoff: "a power failure loses what was written since the last sync"},
			{Text: rule.T("put %s on a device whose cache survives a power failure", f.Path), Tradeoff: "money, and a move of data"},
		},
	}
	if disk != "" {
		out.Evidence = append(append(out.Evidence, deviceBeside(v, disk)...), syncBaseline(v, disk)...)
	}
	if sure == rule.Possible {
		out.Notes = append(out.Notes, rule.T("each sync is fast: the cost is their number"))
	}
	return out
}

// deviceBeside tells how busy a device is meanwhile.
func deviceBeside(v *view.View, name string) []rule.Evidence {
	d, ok := v.BlockDevice(name)
	if !ok || !view.Known(d.Await) {
		return nil
	}
	return []rule.Evidence{{Metric: metric.DiskAwait, Value: d.Await, Check: shell.Line("iostat -dx %s 1   # r_await, w_await", name),
		What: rule.T("a request of %s takes %v; %v requests are in flight on average", name, unit.Seconds(d.Await), unit.Number(d.Queue))}}
}
