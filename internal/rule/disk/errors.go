package disk

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var diskErrors = rule.Rule{
	ID:         "disk/errors",
	Title:      "a disk ends requests with errors",
	Plural:     "disks end requests with errors",
	Resource:   "disks",
	Needs:      []recording.Table{recording.KernelLog},
	Explains:   []string{"disk/saturated", "proc/uninterruptible", "disk/slow-sync", "mysql/not-answering"},
	Thresholds: []*rule.Threshold{&timeoutsFrom, &feltWait},
	Detect:     detectErrors,
}

var timeoutsFrom = rule.Threshold{Name: "timeouts", Value: 1, Unit: "count", Source: "kernel, drivers/scsi/scsi_error.c",
	Reason: "Commands that a disk did not answer in time. A single timeout already stops all other commands while the disk is reset."}

// logged are lines of the kernel log about a block device: the first group is its name, the
// second, if there is one, what is said about it.
var logged = []struct {
	kind string
	line *regexp.Regexp
}{
	// block/blk-core.c and blk-mq.c; before 5.17 a function's name stands before it. What a disk
	// does not support is asked by mkfs and discard on healthy ones.
	{requestError, regexp.MustCompile(`^(?:(?:blk_update_request|print_req_error): )?((?:I/O|protection|timeout|recoverable transport|critical target|critical nexus|critical medium|critical space allocation) error), dev (\S{1,32}), sector \d+(?: op 0x[0-9a-f]+:\((\w+)\))?`)},
	{pageError, regexp.MustCompile(`^(Buffer I/O error) on dev(?:ice)? (\S{1,32}), logical block \d+, ((?:lost )?(?:async|sync) page (?:read|write))`)},
	{requestTimeout, regexp.MustCompile(`^nvme (nvme\d+): (I/O .*timeout)`)},
	{filesystemError, regexp.MustCompile(`^(EXT[234]-fs error) \(device (\S{1,32})\): (.*)`)},
	{filesystemError, regexp.MustCompile(`^(XFS) \((\S{1,32})\): (metadata I/O error.*|log I/O error.*|Corruption .*|Filesystem has been shut down.*)`)},
	{filesystemError, regexp.MustCompile(`^(BTRFS (?:error|critical)) \(device (\S{1,32})(?: state \w+)?\)(?:[^:]*): (.*)`)},
	{readOnly, regexp.MustCompile(`^(EXT[234]-fs) \((\S{1,32})\): (Remounting filesystem read-only)`)},
	{readOnly, regexp.MustCompile(`^(BTRFS info) \(device (\S{1,32})(?: state \w+)?\): (forced readonly)`)},
}

// emptyDrive are drives that whoever looks for disks asks in vain: floppy and CD drives without a
// medium, which most virtual machines have.
var emptyDrive = regexp.MustCompile(`^(?:fd|sr)\d+$`)

const (
	requestError    = "requests ended with an error"
	pageError       = "pages could not be read or written" // what came of such requests, or of ones without a line
	requestTimeout  = "requests were not answered in time"
	filesystemError = "its filesystem found damage"
	readOnly        = "its filesystem was made read-only"
)

// failing is what a device did wrong in the window.
type failing struct {
	device   string
	lines    map[string]int // by kind
	first    map[string]recording.KernelLogLine
	reads    int
	writes   int
	timeouts float64 // counted by the SCSI layer
}

func detectErrors(v *view.View) ([]rule.Finding, error) {
	byDevice := map[string]*failing{}
	of := func(device string) *failing {
		device = v.WholeDisk(device)
		if byDevice[device] == nil {
			byDevice[device] = &failing{device: device, lines: map[string]int{}, first: map[string]recording.KernelLogLine{}}
		}
		return byDevice[device]
	}
	for _, line := range v.LogLines() {
		text, _, _ := strings.Cut(line.Text, "\n")
		for _, l := range logged {
			m := l.line.FindStringSubmatch(text)
			if m == nil {
				continue
			}
			device, words := m[2], m[1]
			if l.kind == requestTimeout {
				device, words = m[1], m[2]
			} else if len(m) > 3 {
				words += " " + m[3]
			}
			if emptyDrive.MatchString(device) {
				break
			}
			d := of(device)
			if d.lines[l.kind] == 0 {
				d.first[l.kind] = line
			}
			d.lines[l.kind]++
			if l.kind == requestError || l.kind == pageError && d.lines[requestError] == 0 {
				if strings.Contains(strings.ToLower(words), "write") {
					d.writes++
				} else {
					d.reads++
				}
			}
			break
		}
	}
	type sample = recording.DiskSample
	devices, series := view.Group(view.Rows[sample](v), func(s sample) string { return s.Device })
	for _, name := range devices {
		if series[name][0].Timeouts < 0 {
			continue
		}
		if n, ok := view.Delta(series[name], func(s sample) int64 { return s.Timeouts }); ok && n >= timeoutsFrom.Value {
			of(name).timeouts = n
		}
	}
	var found []rule.Finding
	for _, d := range byDevice {
		found = append(found, d.finding(v))
	}
	slices.SortFunc(found, func(a, b rule.Finding) int { return cmp.Compare(a.Subject.Name, b.Subject.Name) })
	return found, nil
}

func (d *failing) finding(v *view.View) rule.Finding {
	bad := float64(d.reads+d.writes+d.lines[requestTimeout]) + d.timeouts
	f := rule.Finding{Subject: view.DeviceEntity(d.device), Confidence: rule.Certain}
	switch {
	case d.lines[readOnly] > 0:
		f.Headline = rule.T("%s: its filesystem was made read-only after an error: every write fails", d.device)
		f.Impact = rule.Impact{Share: 1, Text: rule.T("every write")}
	case d.reads+d.writes > 0:
		f.Headline = rule.T("disk %s ended %s with an error", d.device, requests(d.reads, d.writes))
		f.Impact = d.impact(v, bad)
	case d.lines[requestTimeout] > 0 || d.timeouts > 0:
		f.Headline = rule.T("disk %s did not answer in time: %s", d.device, unit.Plural(int(max(float64(d.lines[requestTimeout]), d.timeouts)), "request", "requests"))
		f.Impact = d.impact(v, bad)
	default: // damage that is only told by the filesystem may be old
		f.Confidence = rule.Likely
		f.Headline = rule.T("the filesystem on %s is damaged", d.device)
		f.Impact = rule.Impact{Unmeasured: true, Text: rule.T("whatever uses the damaged part")}
	}
	for _, kind := range []string{requestError, pageError, requestTimeout, readOnly, filesystemError} {
		if n := d.lines[kind]; n > 0 {
			f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.KernelLog, Value: float64(n), Check: shell.Line("journalctl -k -g %s", d.device),
				What: rule.T("kernel log, %s of this kind, the first: %q", unit.Plural(n, "line", "lines"), d.first[kind].Text)})
		}
	}
	if d.timeouts > 0 {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.DiskTimeouts, Value: d.timeouts, Limit: rule.Limit(0), Check: shell.Line("cat %s", shell.Path("/sys/block/"+d.device+"/device/iotmo_cnt")),
			What: rule.T("iotmo_cnt of %s grew by %s", d.device, unit.Count(d.timeouts))})
	}
	for _, fs := range v.Filesystems() {
		if fs.Disk == d.device {
			f.Notes = append(f.Notes, rule.T("filesystem %s is on it", fs.MountPoint))
		}
	}
	for _, b := range v.Blocked() {
		if view.DiskWait(b.Where, b.Stack) {
			f.Affects = append(f.Affects, b.Process.Entity())
		}
	}
	f.Notes = append(f.Notes, rule.T("the kernel rate-limits these log lines: there may have been more errors"))
	f.Fixes = []rule.Fix{
		{Text: rule.T("save the data first: after a read error in one sector, others often follow"), Tradeoff: "the copy loads the disk"},
		{Text: rule.T("read the disk's own error log; check cable, controller and power; then replace the disk"), Command: shell.Line("smartctl -x %s", shell.Path("/dev/"+d.device)), Tradeoff: "none; a virtual disk has no such log: ask its provider"},
		{Text: rule.T("check the filesystem after it is unmounted"), Command: shell.Line("fsck -n %s", shell.Path("/dev/"+d.device)), Tradeoff: "an outage for its users"},
	}
	if b, ok := v.BlockDevice(d.device); ok && strings.HasPrefix(d.device, "loop") && b.Backing != "" {
		f.Fixes[1] = rule.Fix{Text: rule.T("see whether its file is complete: it is in another filesystem, which may be full or damaged"), Command: shell.Line("ls -l %s; losetup --list", shell.Path(b.Backing)), Tradeoff: "none"}
	}
	return f
}

// impact is the share of the device's requests that failed, and how many threads wait for it
// meanwhile: a single request that is not answered in time holds up all others.
func (d *failing) impact(v *view.View, bad float64) rule.Impact {
	i := rule.Impact{Unmeasured: true, Text: rule.T("at least %s", unit.Plural(int(bad), "request", "requests"))}
	b, ok := d.block(v)
	if !ok {
		return i
	}
	if all := view.OrZero(b.Requests()) * b.Seconds; all > 0 {
		share := min(bad/max(all, bad), 1)
		i = rule.Impact{Share: share, Text: rule.T("at least %v of its requests; programs get EIO, or wait while the kernel tries again", unit.Share(share))}
	}
	if waiting := waitingFor(v, b); waiting >= feltWait.Value {
		i.Unmeasured, i.TimeLost, i.Text = false, waiting, rule.T("%s; %s threads wait for it at any time", i.Text, unit.Number(waiting))
	}
	return i
}

// block finds the device; of a controller of NVMe, which the kernel names in its place, the
// busiest disk.
func (d *failing) block(v *view.View) (view.BlockDevice, bool) {
	for _, b := range v.BlockDevices() {
		if rest, ok := strings.CutPrefix(b.Device, d.device); ok && (rest == "" || strings.HasPrefix(d.device, "nvme") && strings.HasPrefix(rest, "n")) {
			return b, true
		}
	}
	return view.BlockDevice{}, false
}

// waitingFor is how many threads wait for disks on average, no more than requests of this one
// were under way: on which disk each waits is not told.
func waitingFor(v *view.View, b view.BlockDevice) float64 {
	waiting := 0.0
	for _, t := range v.Blocked() {
		if view.DiskWait(t.Where, t.Stack) {
			waiting += t.Share()
		}
	}
	return min(waiting, max(view.OrZero(b.Queue), float64(b.InFlight)))
}

func requests(reads, writes int) string {
	switch {
	case writes == 0:
		return unit.Plural(reads, "read", "reads")
	case reads == 0:
		return unit.Plural(writes, "write", "writes")
	}
	return unit.Plural(reads, "read", "reads") + " and " + unit.Plural(writes, "write", "writes")
}
