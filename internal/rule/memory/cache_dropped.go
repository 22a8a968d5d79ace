package memory

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var cacheDropped = rule.Rule{
	ID:         "mem/cache-dropped",
	Title:      "a process empties the page cache, and files are read from disks again",
	Plural:     "processes empty the page cache",
	Resource:   "memory",
	Needs:      []recording.Table{recording.VMStat, recording.Processes},
	Explains:   []string{"disk/read-amplified", "disk/saturated", "disk/cgroup-throttled", "mem/reclaim", "proc/uninterruptible", "rt/server-slow"},
	Thresholds: []*rule.Threshold{&droppedAgain, &droppedFelt},
	Detect:     detectCacheDropped,
}

var (
	droppedAgain = rule.Threshold{Name: "dropped-again", Value: 2, Unit: "count", Source: rule.Judgement,
		Reason: "Times that the page cache was emptied in the window. Twice is a loop or a timer; Once may be a benchmark that starts with cold caches on purpose."}
	droppedFelt = rule.Threshold{Name: "dropped-felt", Value: 0.1, Unit: "threads", Source: rule.Judgement,
		Reason: "Mean number of threads of other programs that wait for disks. Below it hardly any dropped data is read again."}
)

// droppedBy is the line of fs/drop_caches.c. A name may hold anything.
var droppedBy = regexp.MustCompile(`(?s)^(.{1,15}) \((\d+)\): drop_caches: \d+$`)

// dropper is who emptied the page cache.
type dropper struct {
	entity view.Entity
	pid    int32 // 0: not known
	told   string
	logged bool    // by the kernel
	pages  bool    // it emptied the page cache
	names  float64 // times that it dropped names and inodes
}

func detectCacheDropped(v *view.View) ([]rule.Finding, error) {
	rows := view.Rows[recording.VMStatSample](v)
	if len(rows) < 2 {
		return nil, &rule.NotJudged{Needs: "two readings of /proc/vmstat", Why: "drops are a difference of two readings", How: shell.Say("watch longer: --for 10s")}
	}
	pages, _ := view.Delta(rows, func(s recording.VMStatSample) uint64 { return s.DropPageCache })
	names, _ := view.Delta(rows, func(s recording.VMStatSample) uint64 { return s.DropSlab })
	times := max(pages, names)
	if times < 1 {
		return nil, nil
	}
	who := droppers(v)
	who.pages, who.names = pages >= 1, names
	others := v.Processes()
	var waiting []view.Process
	for _, p := range others {
		if p.PID != who.pid && diskWaits(v, []view.Process{p}) >= droppedFelt.Value/2 {
			waiting = append(waiting, p)
		}
	}
	threads, read := diskWaits(v, waiting), 0.0
	for _, p := range waiting {
		read += view.OrZero(p.ReadBytes)
	}
	sure := rule.Possible
	if pages >= droppedAgain.Value && threads >= droppedFelt.Value && read > 0 {
		// Certain where what is read is most of what disks do: those who wait do not wait for writes.
		if sure = rule.Likely; who.logged && mostlyReads(v) {
			sure = rule.Certain
		}
	}
	return []rule.Finding{who.finding(v, sure, times, threads, read, waiting)}, nil
}

// victims are those of some processes that wait for what they read from disks, who waits longest
// first. Who mostly writes may wait for that.
func victims(v *view.View, waiting []view.Process) (list []rule.Victim) {
	for i := range waiting {
		p := &waiting[i] // they are large
		if read := view.OrZero(p.ReadBytes); read > 0 && view.OrZero(p.WriteBytes) <= read {
			waited := diskWaits(v, waiting[i:i+1])
			list = append(list, rule.Victim{Who: p.Entity(), Seconds: waited, Lost: rule.T("waits for disks %v per second, reads %v/s from them", unit.Seconds(waited), unit.Bytes(read))})
		}
	}
	slices.SortStableFunc(list, func(a, b rule.Victim) int { return cmp.Compare(b.Seconds, a.Seconds) })
	return list
}

// mostlyReads says whether disks read more than they write.
func mostlyReads(v *view.View) bool {
	read, written := 0.0, 0.0
	for _, d := range v.BlockDevices() {
		read += view.OrZero(d.ReadBytes)
		written += view.OrZero(d.WrittenBytes)
	}
	return read > written
}

// droppers names who emptied the cache: the last one of the window. The kernel log is
// asked first, for anybody can call a file so in a mount namespace of his own.
func droppers(v *view.View) dropper {
	lines := v.LogLinesWith(": drop_caches: ")
	for i := len(lines) - 1; i >= 0; i-- {
		m := droppedBy.FindStringSubmatch(lines[i].Text)
		if m == nil {
			continue
		}
		if pid, err := strconv.ParseInt(m[2], 10, 32); err == nil && pid > 0 {
			return dropper{entity: v.ProcessEntity(int32(pid), m[1]), pid: int32(pid), told: "the kernel log has: " + lines[i].Text, logged: true}
		}
	}
	for _, u := range v.FileUses() {
		if u.Writes > 0 && u.Path == "/proc/sys/vm/drop_caches" && withoutDisk(v, u.Device) {
			return dropper{entity: v.ProcessEntity(u.PID, u.Process), pid: u.PID, told: "it wrote to /proc/sys/vm/drop_caches"}
		}
	}
	return dropper{entity: v.HostEntity()}
}

// withoutDisk says whether a filesystem may be /proc: its number is none of a block device,
// nor of another filesystem that is known.
func withoutDisk(v *view.View, device string) bool {
	kind := v.FilesystemType(device)
	return strings.HasPrefix(device, "0:") && (kind == "" || kind == "proc")
}

func (d *dropper) finding(v *view.View, sure rule.Confidence, times, threads, read float64, waiting []view.Process) rule.Finding {
	who, what := "some process", "the page cache"
	if d.pid != 0 {
		who = d.entity.String()
	}
	if !d.pages {
		what = "the cache of file names and inodes"
	}
	out := rule.Finding{
		Subject: d.entity, Confidence: sure,
		Headline: rule.T("%s emptied %s %v: programs read their files from disks again", who, what, unit.Plural(int64(times), "time", "times")),
		Impact:   rule.Impact{TimeLost: max(threads, 0.01), Text: rule.T("%v threads of other programs wait for disks at any time", unit.Number(threads))},
		Evidence: []rule.Evidence{
			{Metric: metric.CacheDrops, Value: times, Limit: rule.Limit(droppedAgain.Value), Check: shell.Line("grep drop_ /proc/vmstat; sleep 5; grep drop_ /proc/vmstat"),
				What: rule.T("%s was emptied %v in the window", what, unit.Plural(int64(times), "time", "times"))},
		},
		Fixes: []rule.Fix{
			{Text: rule.T("do not write to /proc/sys/vm/drop_caches: the kernel frees cache whenever a program needs memory, so dropping it gains nothing"),
				Command: shell.Line("grep -rs drop_caches /etc/cron* /var/spool/cron /etc/systemd /usr/local"), Tradeoff: "none; free shows more memory in buff/cache"},
		},
	}
	if d.pages && d.names >= 1 {
		out.Evidence = append(out.Evidence, rule.Evidence{Metric: metric.CacheDrops, Value: d.names, Check: shell.Line("grep drop_slab /proc/vmstat"),
			What: rule.T("names and inodes of files were dropped, too, %v: programs also look up paths again", unit.Plural(int64(d.names), "time", "times"))})
	}
	if d.told != "" {
		out.Evidence = append(out.Evidence, rule.Evidence{Metric: metric.CacheDrops, Value: times, Check: shell.Line("dmesg -T"), What: rule.T("%s", d.told)})
	} else {
		out.Notes = append(out.Notes, rule.T("the process is unknown: the kernel log usually names it, but not after a write of 4, 5, 6 or 7, which disables the message; rtrail --events all names it, too"))
	}
	if threads < droppedFelt.Value || read == 0 {
		out.Headline = rule.T("%s emptied %s %v", who, what, unit.Plural(int64(times), "time", "times"))
	}
	for _, p := range waiting {
		out.Affects = append(out.Affects, p.Entity())
	}
	if sure > rule.Possible && d.pid != 0 { // else it may be one of them
		out.Victims = victims(v, waiting)
	}
	if read > 0 {
		out.Evidence = append(out.Evidence, rule.Evidence{Metric: metric.ProcessIOBytes, Value: read, Check: shell.Line("pidstat -d 1"),
			What: rule.T("the waiting programs read %v/s from disks", unit.Bytes(read))})
	}
	for _, disk := range v.BlockDevices() {
		if sure == rule.Certain && disk.ReadBytes > disk.WrittenBytes {
			out.Affects = append(out.Affects, view.DeviceEntity(disk.Device))
		}
	}
	return out
}
