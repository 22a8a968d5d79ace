package disk

import (
	"cmp"
	"maps"
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
	ID:           "disk/errors",
	Title:        "a disk ends requests with errors",
	Plural:       "disks end requests with errors",
	Resource:     "disks",
	Needs:        []recording.Table{recording.KernelLog},
	BlindWithout: []recording.Sight{recording.UnseenKernelLog},
	Explains:     []string{"disk/saturated", "proc/uninterruptible", "disk/slow-sync", "mysql/not-answering"},
	Thresholds:   []*rule.Threshold{&timeoutsFrom, &feltWait},
	Detect:       detectErrors,
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
	{requestError, regexp.MustCompile(`^(?:(?:blk_update_request|print_req_error): )?((?:I/O|protection|timeout|recoverable transport|critical target|critical nexus|critical medium|critical space allocation|device offline) error), dev (\S{1,32}), sector \d+(?: op 0x[0-9a-f]+:\((\w+)\))?`)},
	{pageError, regexp.MustCompile(`^(Buffer I/O error) on dev(?:ice)? (\S{1,32}), logical block \d+, ((?:lost )?(?:async|sync) page (?:read|write))`)},
	{requestTimeout, regexp.MustCompile(`^nvme (nvme\d+): (I/O .*timeout|controller is down; will reset|Device not ready; aborting .*)`)},
	{filesystemError, regexp.MustCompile(`^(EXT[234]-fs error) \(device (\S{1,32})\): (.*)`)},
	{shutDown, regexp.MustCompile(`^(XFS) \((\S{1,32})\): (.*(?:Filesystem has been shut down|Shutting down filesystem).*)`)},
	{filesystemError, regexp.MustCompile(`^(XFS) \((\S{1,32})\): (metadata I/O error.*|log I/O error.*|Corruption (?:detected|warning|of).*)`)},
	{filesystemError, regexp.MustCompile(`^(BTRFS (?:error|critical)) \(device ([^\s:)]{1,32})(?::? state \w+)?\)(?: in \w+:\d+)?: (.*)`)},
	{filesystemError, regexp.MustCompile(`^(BTRFS: error) \(device ([^\s:)]{1,32})(?::? state \w+)?\) (in \w+:\d+: errno=-\d+.*)`)},
	{readOnly, regexp.MustCompile(`^(EXT[234]-fs) \((\S{1,32})\): (Remounting filesystem read-only)`)},
	{readOnly, regexp.MustCompile(`^(BTRFS info) \(device ([^\s:)]{1,32})(?::? state \w+)?\): (forced readonly)`)},
}

// emptyDrive are drives that whoever looks for disks asks in vain: floppy and CD drives without a
// medium, which most virtual machines have.
var emptyDrive = regexp.MustCompile(`^(?:fd|sr)\d+$`)

// unsupported are requests that a healthy disk refuses as it does not have them: the first fstrim
// asks it, and the kernel does not ask again.
var unsupported = regexp.MustCompile(`critical target error, dev .* op 0x[0-9a-f]+:\((?:DISCARD|SECURE_ERASE|WRITE_ZEROES|WRITE_SAME)\)`)

var controller = regexp.MustCompile(`^nvme\d+$`)

const (
	requestError    = "requests ended with an error"
	pageError       = "pages could not be read or written" // what came of such requests, or of ones without a line
	requestTimeout  = "requests were not answered in time"
	filesystemError = "its filesystem found damage"
	shutDown        = "its filesystem was shut down" // XFS: nothing can be read or written any more
	readOnly        = "its filesystem was made read-only"
)

// failing is what a device did wrong in the window.
type failing struct {
	device   string
	lines    map[string]int // by kind
	first    map[string]recording.KernelLogLine
	reads    int
	writes   int
	others   int     // requests to discard blocks
	untold   bool    // some of the reads may be something else: lines of older kernels do not say
	timeouts float64 // counted by the SCSI layer
}

func detectErrors(v *view.View) ([]rule.Finding, error) {
	byDevice := map[string]*failing{}
	of := func(device string) *failing {
		device = diskOf(v, v.WholeDisk(device))
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
			if emptyDrive.MatchString(device) || unsupported.MatchString(text) {
				break
			}
			d := of(device)
			if d.lines[l.kind] == 0 {
				d.first[l.kind] = line
			}
			d.lines[l.kind]++
			if l.kind == requestError || l.kind == pageError && d.lines[requestError] == 0 {
				d.count(words)
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
	joinVolumes(v, byDevice)
	var found []rule.Finding
	for _, d := range byDevice {
		found = append(found, d.finding(v))
	}
	slices.SortFunc(found, func(a, b rule.Finding) int { return cmp.Compare(a.Subject.Name, b.Subject.Name) })
	return found, nil
}

// joinVolumes puts what is told of volumes to the disk below them where that ended such requests
// with errors, too: it is the same again. A volume can fail while its disk does not, as one of a
// full pool of thin volumes does.
func joinVolumes(v *view.View, byDevice map[string]*failing) {
	names := slices.Sorted(maps.Keys(byDevice))
	for _, volume := range names {
		for _, name := range names {
			disk := byDevice[name]
			if name == volume || disk == nil || !v.LiesOn(volume, name) || !disk.fails(byDevice[volume]) {
				continue
			}
			for kind, n := range byDevice[volume].lines {
				if disk.lines[kind] == 0 {
					disk.first[kind] = byDevice[volume].first[kind]
				}
				disk.lines[kind] += n
			}
			delete(byDevice, volume)
			break
		}
	}
}

// fails says that what is told of a volume may be errors of this disk, below it: of the same kinds
// of requests, or of ones that it did not answer in time.
func (d *failing) fails(volume *failing) bool {
	switch {
	case d.lines[requestTimeout] > 0 || d.timeouts > 0:
		return true
	case d.lines[requestError] == 0:
		return false
	case d.untold || volume.untold:
		return true
	}
	return (volume.reads == 0 || d.reads > 0) && (volume.writes == 0 || d.writes > 0) && (volume.others == 0 || d.others > 0)
}

// count counts a request by what words say of it. A flush is a write that does not last.
func (d *failing) count(words string) {
	switch does := func(what string) bool { return strings.Contains(strings.ToUpper(words), what) }; {
	case does("DISCARD"), does("ERASE"):
		d.others++
	case does("WRITE"), does("FLUSH"), does("ZONE_"):
		d.writes++
	default:
		d.reads++
		d.untold = d.untold || !does("READ")
	}
}

func (d *failing) finding(v *view.View) rule.Finding {
	bad := float64(d.reads+d.writes+d.others+d.lines[requestTimeout]) + d.timeouts
	f := rule.Finding{Subject: view.DeviceEntity(d.device), Confidence: rule.Certain}
	probed := false
	switch {
	case d.lines[shutDown] > 0:
		f.Headline = rule.T("%s: its filesystem was shut down after an error: nothing can be read or written", d.device)
		f.Impact = rule.Impact{Share: 1, Text: rule.T("every access")}
	case d.lines[readOnly] > 0:
		f.Headline = rule.T("%s: its filesystem was made read-only after an error: every write fails", d.device)
		f.Impact = rule.Impact{Share: 1, Text: rule.T("every write")}
	case d.reads+d.writes+d.others > 0:
		f.Headline = rule.T("disk %s ended %s with an error", d.device, d.requests())
		f.Impact = d.impact(v, bad)
		switch probed = d.probed(v); {
		case probed:
			f.Confidence = rule.Likely
			f.Impact = rule.Impact{Unmeasured: true, Text: rule.T("none is seen: no filesystem or swap area that is in use is known to be on it, and nobody waits for it")}
			if of := partOf(v, d.device); of != "" {
				f.Impact.Text = rule.T("none is seen: it is one of the devices that %s is made of, and nobody waits for it", of)
			}
			f.Notes = append(f.Notes, rule.T("all of its requests are reads that failed: perhaps only programs that look for disks ask it, as a path of multipath that is not used or a disk that was taken away"))
		case d.readsFail() && !v.Has(recording.Mounts) && (v.Partly(recording.Disks) || !v.Has(recording.Disks)):
			f.Confidence = rule.Likely
			f.Notes = append(f.Notes, rule.T("only reads failed, and what is on it is not told: perhaps only programs that look for disks ask it"))
		}
	case d.lines[requestTimeout] > 0 || d.timeouts > 0:
		f.Headline = rule.T("disk %s did not answer in time: %s", d.device, unit.Plural(int(max(float64(d.lines[requestTimeout]), d.timeouts)), "request", "requests"))
		f.Impact = d.impact(v, bad)
	default: // damage that is only told by the filesystem may be old
		f.Confidence = rule.Likely
		f.Headline = rule.T("the filesystem on %s is damaged", d.device)
		f.Impact = rule.Impact{Unmeasured: true, Text: rule.T("whatever uses the damaged part")}
	}
	for _, kind := range []string{requestError, pageError, requestTimeout, shutDown, readOnly, filesystemError} {
		if n := d.lines[kind]; n > 0 {
			f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.KernelLog, Value: float64(n), Check: shell.Line("journalctl -k -g %s", d.device),
				What: rule.T("kernel log, %s of this kind, the first: %q", unit.Plural(n, "line", "lines"), d.first[kind].Text)})
		}
	}
	if d.timeouts > 0 {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.DiskTimeouts, Value: d.timeouts, Limit: rule.Limit(0), Check: shell.Line("cat %s", shell.Path("/sys/block/"+d.device+"/device/iotmo_cnt")),
			What: rule.T("iotmo_cnt of %s grew by %s", d.device, unit.Count(d.timeouts))})
	}
	var check shell.Command
	for _, fs := range v.Filesystems() {
		if v.LiesOn(fs.Disk, d.device) {
			if c := checks(fs); !c.Empty() {
				check = c
			}
			f.Notes = append(f.Notes, rule.T("filesystem %s is on it", fs.MountPoint))
		}
	}
	for _, b := range v.Blocked() {
		if !probed && view.DiskWait(b.Where, b.Stack) {
			f.Affects = append(f.Affects, b.Process.Entity())
		}
	}
	f.Notes = append(f.Notes, rule.T("the kernel rate-limits these log lines: there may have been more errors"))
	f.Fixes = []rule.Fix{
		{Text: rule.T("save the data first: after a read error in one sector, others often follow"), Tradeoff: "the copy loads the disk"},
		{Text: rule.T("read the disk's own error log; check cable, controller and power; then replace the disk"), Command: shell.Line("smartctl -x %s", shell.Path("/dev/"+d.device)), Tradeoff: "none; a virtual disk has no such log: ask its provider"},
		{Text: rule.T("check the filesystem after it is unmounted"), Command: check, Tradeoff: "an outage for its users"},
	}
	if b, ok := v.BlockDevice(d.device); ok && strings.HasPrefix(d.device, "loop") && b.Backing != "" {
		f.Fixes[1] = rule.Fix{Text: rule.T("see whether its file is complete: it is in another filesystem, which may be full or damaged"), Command: shell.Line("ls -l %s; losetup --list", shell.Path(b.Backing)), Tradeoff: "none"}
	}
	return f
}

// partOf is the array, multipath or volume of several disks with a mounted filesystem that a disk
// is a part of, in words; "" if there is none. Others of its disks may do without this one.
func partOf(v *view.View, device string) string {
	for _, b := range v.BlockDevices() {
		if len(b.Mounts) > 0 && !strings.HasPrefix(b.Device, "loop") && slices.Contains(v.Below(b.Device), device) && !v.LiesOn(b.Device, device) {
			return b.Device + " (" + b.Mounts[0] + ")"
		}
	}
	return ""
}

// probed says that a disk was only looked at, as pvscan and udev do: all of its requests are reads
// that failed, no filesystem or swap area in use is known to lie on it, and nobody waits for it.
func (d *failing) probed(v *view.View) bool {
	disks := disksOf(v, d.device)
	if len(disks) != 1 || !v.Has(recording.Mounts) || !d.readsFail() {
		return false
	}
	b := disks[0]
	if b.Seconds <= 0 || len(b.Mounts) > 0 || swapsOn(v, b.Device) || waitingFor(v, b) >= feltWait.Value {
		return false
	}
	return float64(d.reads)+0.5 >= b.Requests()*b.Seconds
}

// readsFail says that reads failed, and nothing else shows that the disk is used.
func (d *failing) readsFail() bool {
	return d.writes+d.others+d.lines[requestTimeout]+d.lines[filesystemError] == 0 && d.timeouts == 0
}

// swapsOn says whether a swap area lies on a disk, on one of its partitions or on a volume on it.
func swapsOn(v *view.View, device string) bool {
	return slices.ContainsFunc(view.Rows[recording.DiskSample](v), func(s recording.DiskSample) bool { return s.Swap && v.LiesOn(v.WholeDisk(s.Device), device) })
}

// impact is the share of the device's requests that failed, and how many threads wait for it
// meanwhile: a single request that is not answered in time holds up all others.
func (d *failing) impact(v *view.View, bad float64) rule.Impact {
	i := rule.Impact{Unmeasured: true, Text: rule.T("at least %s", unit.Plural(int(bad), "request", "requests"))}
	disks := disksOf(v, d.device)
	if len(disks) == 0 {
		return i
	}
	b := disks[0]
	if all := view.OrZero(b.Requests()) * b.Seconds; all > 0 {
		share := min(bad/max(all, bad), 1)
		i = rule.Impact{Share: share, Text: rule.T("at least %v of its requests; programs get EIO, or wait while the kernel tries again", unit.Share(share))}
	}
	if waiting := waitingFor(v, b); waiting >= feltWait.Value {
		i.Unmeasured, i.TimeLost, i.Text = false, waiting, rule.T("%s; %s threads wait for it at any time", i.Text, unit.Number(waiting))
	}
	return i
}

// disksOf are the disks that a line of the log may be about, the busiest first: the one that it
// names, or all of a controller of NVMe, which the kernel names where one does not answer.
func disksOf(v *view.View, device string) (list []view.BlockDevice) {
	for _, b := range v.BlockDevices() {
		rest, ok := strings.CutPrefix(b.Device, device)
		if ok && (rest == "" || controller.MatchString(device) && strings.HasPrefix(rest, "n")) {
			list = append(list, b)
		}
	}
	return list
}

// diskOf is the name of the disk, if it can be only one.
func diskOf(v *view.View, device string) string {
	if list := disksOf(v, device); len(list) == 1 {
		return list[0].Device
	}
	return device
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

// requests are those that ended with an error, in words.
func (d *failing) requests() string {
	var words []string
	for _, r := range []struct {
		n         int
		one, many string
	}{{d.reads, "read", "reads"}, {d.writes, "write", "writes"}, {d.others, "discard", "discards"}} {
		if r.n > 0 {
			words = append(words, unit.Plural(r.n, r.one, r.many))
		}
	}
	return strings.Join(words, " and ")
}

// checks is the command that looks for damage of a filesystem and repairs nothing; none is known
// of other types.
func checks(fs view.Filesystem) shell.Command {
	if !strings.HasPrefix(fs.Device, "/dev/") {
		return shell.Command{}
	}
	switch fs.FSType {
	case "ext2", "ext3", "ext4":
		return shell.Line("fsck -n %s", shell.Path(fs.Device))
	case "xfs":
		return shell.Line("xfs_repair -n %s", shell.Path(fs.Device))
	case "btrfs":
		return shell.Line("btrfs check --readonly %s", shell.Path(fs.Device))
	}
	return shell.Command{}
}
