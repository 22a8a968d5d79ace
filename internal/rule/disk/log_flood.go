package disk

import (
	"cmp"
	"regexp"
	"slices"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var logFlood = rule.Rule{
	ID:       "disk/log-flood",
	Title:    "a program writes so much into its log that a disk is busy with it",
	Plural:   "programs write so much into their logs that a disk is busy with it",
	Resource: "disks",
	Needs:    []recording.Table{recording.Disks, recording.Processes},
	Explains: []string{"disk/saturated", "disk/cgroup-throttled", "disk/slow-sync", "disk/full", "proc/uninterruptible", "rt/server-slow"},
	Thresholds: []*rule.Threshold{&logRate, &logShare, &logBusy, &busyShare, &minWaiting, &bulkRequest, &ownStream, &oneStream, &sameDisk, &feltWait,
		&waitingQueue, &slowFlash, &slowSpindle, &mostIntervals},
	Detect: detectLogFlood,
}

var (
	logRate = rule.Threshold{Name: "log-rate", Value: 5 << 20, Unit: "bytes per second", Source: rule.Judgement,
		Reason: "Bytes that a program adds to one log. Logs of busy servers grow by some 100 KiB a second; 5 MiB are 400 GiB a day, which nobody reads or keeps."}
	logShare = rule.Threshold{Name: "log-share", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Bytes added to the log relative to bytes that the disk reads and writes. Above half, the log is most of the disk's traffic."}
	logBusy = rule.Threshold{Name: "log-busy", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the time in which the disk has requests in flight. Below it the disk is mostly idle: the log costs space, but hardly any time."}
)

// logName are paths of logs: a word "log" in a name, or a directory of logs. What databases call
// so (binlog, ib_logfile0, commitlog) is data, and no such word.
var logName = regexp.MustCompile(`(?i)(^|[^a-z])logs?([^a-z]|$)|\.(log|out|err|trace)(\.|-|$)|(^|[^a-z])(debug|trace)([^a-z/][^/]*)?$`)

// dataName are files of databases below directories of logs.
var dataName = regexp.MustCompile(`(?i)(bin|relay|binlog)\.\d+$`)

// growingLog is a log that grows fast, on its disk.
type growingLog struct {
	view.OpenFile
	process view.Process
	disk    view.BlockDevice
	rate    float64 // bytes per second
	calls   float64 // writes per second; Unknown: not counted
	counted bool    // rate was counted call by call
}

func detectLogFlood(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	seen := map[int32]bool{}
	for _, f := range v.OpenFiles() {
		l, ok := logOf(v, f)
		if !ok || seen[f.Last.PID] {
			continue
		}
		seen[f.Last.PID] = true
		found = append(found, l.finding(v))
	}
	return found, nil
}

// logOf says whether a file is a log that keeps its disk busy.
func logOf(v *view.View, f view.OpenFile) (l growingLog, ok bool) {
	p, ok := v.ProcessThat(f.Last.PID, f.Last.Started)
	if !ok || p.Own || p.Kernel || !f.Append() || !logName.MatchString(f.Last.Path) || dataName.MatchString(f.Last.Path) {
		return l, false
	}
	l = growingLog{OpenFile: f, process: p, rate: f.PerSecond, calls: view.Unknown}
	for _, u := range v.FileUses() {
		if p.Is(u.PID, u.Started) && u.Path == f.Last.Path && u.Device == f.Last.Device {
			l.rate, l.calls, l.counted = u.PerSecond(u.WrittenBytes), u.PerSecond(u.Writes), true
		}
	}
	if l.disk, ok = v.BlockDevice(v.DeviceOf(f.Last.Device)); !ok {
		return l, false
	}
	// What a program dirties is more than what the disk has got so far, and logs are cut before they are written.
	return l, l.rate >= logRate.Value && l.written(v) >= logShare.Value*(l.disk.ReadBytes+l.disk.WrittenBytes) && l.disk.WrittenBytes > 0 && l.disk.Utilisation >= logBusy.Value
}

// written are the bytes of the log that are for the disk, a second. A log that is rotated
// between two looks has grown by up to as much again as was seen: that part counts as far as the
// program wrote it to no other file.
func (l *growingLog) written(v *view.View) float64 {
	most := l.rate
	if l.Replaced && !l.counted {
		elsewhere := 0.0
		for _, f := range v.OpenFiles() {
			if f.Writable && l.process.Is(f.Last.PID, f.Last.Started) && (f.Last.Path != l.Last.Path || f.Last.Device != l.Last.Device) {
				elsewhere += view.OrZero(f.PerSecond)
			}
		}
		most = max(l.rate, min(2*l.rate, l.process.WriteBytes-elsewhere))
	}
	return min(most, l.process.WriteBytes)
}

// disks are that of the log and, of a loop device or a volume, those below, if the log is most of
// what they do, too.
func (l *growingLog) disks(v *view.View) []view.Entity {
	list := []view.Entity{view.DeviceEntity(l.disk.Device)}
	for _, name := range v.Underlying(l.disk.Device) {
		if under, ok := v.BlockDevice(name); ok && l.written(v) >= logShare.Value*(under.ReadBytes+under.WrittenBytes) {
			list = append(list, view.DeviceEntity(under.Device))
		}
	}
	return list
}

// otherBusy says whether another disk is busy, too, that is not below or above it.
func (l *growingLog) otherBusy(v *view.View) bool {
	for _, d := range v.BlockDevices() {
		if d.Device != l.disk.Device && d.Utilisation >= logBusy.Value && !v.SameStack(d.Device, l.disk.Device) {
			return true
		}
	}
	return false
}

// victims are other programs that were seen to wait for the disk of the log, rather than for another
// one that works meanwhile, who waits longest first.
func (l *growingLog) victims(v *view.View) (list []rule.Victim) {
	for _, w := range waitersAt(v, l.disk, beside(v, l.disk), nil).suffer() {
		if w.PID != l.process.PID && !w.Kernel && w.here >= feltWait.Value {
			list = append(list, rule.Victim{Who: w.Entity(), Seconds: w.here, Lost: rule.T("waits for the disk %v per second", unit.Seconds(w.here))})
		}
	}
	slices.SortStableFunc(list, func(a, b rule.Victim) int { return cmp.Compare(b.Seconds, a.Seconds) })
	return list
}

func (l *growingLog) finding(v *view.View) rule.Finding {
	p := l.process
	others := 0.0
	var affected []view.Entity
	for _, w := range diskWaiters(v, l.disk).suffer() {
		if w.PID != p.PID && !w.Kernel && w.waiting > 0 {
			others += w.waiting
			affected = append(affected, w.Entity())
		}
	}
	sure, impact := rule.Possible, rule.Impact{TimeLost: 0.01, Text: rule.T("%s is busy with it %v of the time; no other program was seen waiting", l.disk.Device, unit.Share(l.disk.Utilisation))}
	if others >= minWaiting.Value {
		sure, impact = rule.Likely, rule.Impact{TimeLost: others, Text: rule.T("%s threads of other programs wait for a disk at any time", unit.Number(others))}
		// Which disk somebody waits for is not known: with another busy one, or where small
		// requests take the time, it may be something else.
		if l.disk.Utilisation >= busyShare.Value && l.disk.RequestSize() >= bulkRequest.Value && !l.otherBusy(v) {
			sure = rule.Certain
		}
	}
	var victims []rule.Victim
	if sure > rule.Possible {
		victims = l.victims(v)
	}
	check := shell.Line("rtrail trace files -p %d --for 10s", p.PID)
	what := rule.T("the position in %s advances by %v/s", l.Last.Path, unit.Bytes(l.rate))
	if l.counted {
		what = rule.T("%v/s are written to %s by %v calls a second", unit.Bytes(l.rate), l.Last.Path, unit.Count(l.calls))
	}
	return rule.Finding{
		Subject: p.Entity(), Confidence: sure, Impact: impact,
		Affects:  append(affected, l.disks(v)...),
		Victims:  victims,
		Headline: rule.T("%s (%d) writes %v/s to its log %s: this is most of what disk %s writes", p.Comm, p.PID, unit.Bytes(l.rate), l.Last.Path, l.disk.Device),
		Evidence: []rule.Evidence{
			{Metric: metric.FileWritten, Value: l.rate, Limit: rule.Limit(logRate.Value), Check: check, What: what},
			{Metric: metric.ProcessIOBytes, Value: p.WriteBytes, Check: shell.Line("pidstat -d -p %d 1", p.PID),
				What: rule.T("the process writes %v/s to files on disks; %s writes %v/s", unit.Bytes(p.WriteBytes), l.disk.Device, unit.Bytes(l.disk.WrittenBytes))},
			{Metric: metric.DiskUtilisation, Value: l.disk.Utilisation, Limit: rule.Limit(logBusy.Value), Check: shell.Line("iostat -dx %s 1   # %%util", l.disk.Device),
				What: rule.T("%s is busy %v of the time, with %v requests in flight on average", l.disk.Device, unit.Share(l.disk.Utilisation), unit.Number(l.disk.Queue))},
		},
		Fixes: []rule.Fix{
			{Text: rule.T("raise the log level of %s from debug to info or warning, and look for an error that is logged in a loop", p.Comm), Command: shell.Line("tail -n 20 %s", shell.Path(l.Last.Path)), Tradeoff: "the next error is logged in less detail"},
			{Text: rule.T("put logs on a disk of their own, and rotate them by size"), Tradeoff: "the program still spends its time on the log"},
		},
	}
}
