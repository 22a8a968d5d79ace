package disk

import (
	"fmt"
	"strconv"
	"strings"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var atLimit = rule.Threshold{Name: "at-limit", Value: 0.9, Unit: "share", Source: rule.Judgement,
	Reason: "Rate relative to the limit. The kernel allows bursts and rounds slices, so a throttled cgroup stays a little below or above its limit; one with headroom stays far below."}

var aboveLimit = rule.Threshold{Name: "above-limit", Value: 1.2, Unit: "ratio", Source: rule.Judgement,
	Reason: "Rate relative to the limit. The kernel counts a group's I/O on all disks. A rate above this says nothing about the limited disk, unless that disk itself does no more."}

var groupShare = rule.Threshold{Name: "group-share", Value: 0.5, Unit: "share", Source: rule.Judgement,
	Reason: "A group's limit relative to the traffic of a disk with a queue. Below half, other programs fill the disk, and a higher limit makes it worse."}

// ioLimit is a block I/O limit that a control group reached.
type ioLimit struct {
	path    string
	version int32
	device  string // MAJ:MIN
	key     string // rbps, wbps, riops, wiops
	value   float64
	rate    float64 // of the group, on all disks
	there   float64 // of the disk
	// elsewhere says that the group does more than the limit, on other disks
	elsewhere bool
}

func (l ioLimit) String() string {
	switch l.key {
	case "rbps":
		return fmt.Sprintf("%s/s of reads", unit.Bytes(l.value))
	case "wbps":
		return fmt.Sprintf("%s/s of writes", unit.Bytes(l.value))
	case "riops":
		return fmt.Sprintf("%s reads", unit.PerSecond(l.value))
	}
	return fmt.Sprintf("%s writes", unit.PerSecond(l.value))
}

// files are the names of a limit in cgroup v1.
var files = map[string]string{
	"rbps": "blkio.throttle.read_bps_device", "wbps": "blkio.throttle.write_bps_device",
	"riops": "blkio.throttle.read_iops_device", "wiops": "blkio.throttle.write_iops_device",
}

func (l ioLimit) file() shell.Path {
	if l.version == 1 {
		return shell.Path("/sys/fs/cgroup/blkio" + l.path + "/" + files[l.key])
	}
	return shell.Path("/sys/fs/cgroup" + l.path + "/io.max")
}

// lift is the command that removes the limit.
func (l ioLimit) lift() shell.Command {
	if l.version == 1 {
		return shell.Line("echo %s > %s", l.device+" 0", l.file())
	}
	return shell.Line("echo %s > %s", l.device+" "+l.key+"=max", l.file())
}

func (l ioLimit) evidence() rule.Evidence {
	if l.elsewhere {
		return rule.Evidence{
			Metric: metric.CgroupIOLimit, What: rule.T("%s does %s of the limit of cgroup %s there, %s; the group also uses other disks, and other programs do almost nothing here", l.device, unit.Share(l.there/l.value), l.path, l.String()),
			Value: l.there, Limit: rule.Limit(l.value), Check: shell.Line("cat %s", l.file()),
		}
	}
	return rule.Evidence{
		Metric: metric.CgroupIOLimit, What: rule.T("cgroup %s does %s of its limit on %s, %s", l.path, unit.Share(l.rate/l.value), l.device, l.String()),
		Value: l.rate, Limit: rule.Limit(l.value), Check: shell.Line("cat %s", l.file()),
	}
}

// holds says whether the I/O of the group and that of the disk are such that the limit is
// reached there. What a group does beyond its limit it does elsewhere: then the disk has to
// do as much as the limit allows, and others next to nothing that could be it.
func (l *ioLimit) holds(v *view.View, d view.BlockDevice) bool {
	there := l.of(d)
	l.there = there
	if l.rate < atLimit.Value*l.value || there < atLimit.Value*l.value {
		return false
	}
	if l.rate <= aboveLimit.Value*l.value {
		return true
	}
	l.elsewhere = true
	return there <= aboveLimit.Value*l.value && l.others(v) <= (1-atLimit.Value)*l.bytes(d)
}

// bytes is what a disk moves in the direction of the limit, a second.
func (l *ioLimit) bytes(d view.BlockDevice) float64 {
	if l.writes() {
		return d.WrittenBytes
	}
	return d.ReadBytes
}

func (l *ioLimit) writes() bool { return l.key[0] == 'w' }

// others is what processes outside of the group move in the direction of the limit, on
// whatever disk, bytes a second.
func (l *ioLimit) others(v *view.View) (n float64) {
	for _, p := range v.Processes() {
		switch {
		case p.IOCgroup != "" && view.InGroup(p.IOCgroup, l.path):
		case l.writes():
			n += view.OrZero(p.WriteBytes)
		default:
			n += view.OrZero(p.ReadBytes)
		}
	}
	return n
}

// of is what a disk does of what is limited, a second.
func (l *ioLimit) of(d view.BlockDevice) float64 {
	return map[string]float64{"rbps": d.ReadBytes, "wbps": d.WrittenBytes, "riops": d.Reads, "wiops": d.Writes}[l.key]
}

// heldByCgroup finds the groups that reached an I/O limit, by the name of the
// device the limit is for.
func heldByCgroup(v *view.View) map[string][]*ioLimit {
	names := map[string]string{}
	for _, d := range view.Rows[recording.DiskSample](v) {
		names[fmt.Sprintf("%d:%d", d.Major, d.Minor)] = d.Device
	}
	type key struct {
		path    string
		version int32
	}
	keys, series := view.Group(view.Rows[recording.CgroupSample](v), func(s recording.CgroupSample) key { return key{s.Path, s.Version} })
	held := map[string][]*ioLimit{}
	for _, k := range keys {
		samples := series[k]
		last := samples[len(samples)-1]
		rates := map[string]float64{
			"rbps":  view.Rate(samples, func(s recording.CgroupSample) int64 { return s.ReadBytes }),
			"wbps":  view.Rate(samples, func(s recording.CgroupSample) int64 { return s.WriteBytes }),
			"riops": view.Rate(samples, func(s recording.CgroupSample) int64 { return s.Reads }),
			"wiops": view.Rate(samples, func(s recording.CgroupSample) int64 { return s.Writes }),
		}
		for _, l := range parseLimits(last.IOLimits) {
			l.path, l.version, l.rate = k.path, k.version, rates[l.key]
			if d, ok := v.BlockDevice(names[l.device]); ok && l.holds(v, d) {
				held[d.Device] = append(held[d.Device], &l)
			}
		}
	}
	return held
}

// parseLimits reads "8:0 rbps=1048576 wiops=100;8:16 rbps=...".
func parseLimits(text string) []ioLimit {
	var list []ioLimit
	for device := range strings.SplitSeq(text, ";") {
		words := strings.Fields(device)
		for _, w := range words[min(1, len(words)):] {
			key, value, _ := strings.Cut(w, "=")
			n, err := strconv.ParseFloat(value, 64)
			if err != nil || n <= 0 || files[key] == "" {
				continue
			}
			list = append(list, ioLimit{device: words[0], key: key, value: n})
		}
	}
	return list
}
