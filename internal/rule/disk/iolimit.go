package disk

import (
	"fmt"
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

var atLimit = rule.Threshold{Name: "at-limit", Value: 0.9, Unit: "share", Source: rule.Judgement,
	Reason: "Rate relative to the limit. The kernel allows bursts and rounds slices, so a throttled cgroup stays a little below or above its limit; one with headroom stays far below."}

var aboveLimit = rule.Threshold{Name: "above-limit", Value: 1.2, Unit: "ratio", Source: rule.Judgement,
	Reason: "Rate relative to the limit. A rate above this was not held by it: the limit is newer than most of the window, or, in older recordings, the rate is that of other disks or groups, too."}

var groupShare = rule.Threshold{Name: "group-share", Value: 0.5, Unit: "share", Source: rule.Judgement,
	Reason: "A group's limit relative to the traffic of a disk with a queue. Below half, other programs fill the disk, and a higher limit makes it worse."}

// ioLimit is a block I/O limit that a control group reached.
type ioLimit struct {
	path    string
	version int32
	device  string // MAJ:MIN
	key     string // rbps, wbps, riops, wiops
	value   float64
	rate    float64 // of what the limit binds on that disk; in older recordings on all disks, with cgroup v1 of groups below, too
	there   bool    // rate is that of the disk

	// Of a limit that is reached in parts of the window:
	bursts []burst // when; rate is that of these; none: over all of the window
	part   float64 // share of the window that they take; 1 without any
	queue  float64 // requests in flight meanwhile at this disk and all others, mean
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
	return rule.IOGroups.File(l.version, l.path, "io.max", files[l.key])
}

// lift removes the limit, and those of the groups above that allow no more. It writes files, also of
// units of systemd: without their property systemd only removes limits that it set itself.
func (l ioLimit) lift(v *view.View) rule.Fix {
	f := rule.Fix{Text: rule.T("raise or remove the I/O limit of cgroup %s", l.path), Tradeoff: "the group's I/O competes with that of its neighbours again"}
	c := view.Cgroup{CgroupSample: recording.CgroupSample{Path: l.path, Version: l.version}}
	return rule.IOGroups.Loosen(v, f, c, "", func(g view.Cgroup) []rule.Setting {
		here := ioLimit{path: g.Path, version: g.Version, device: l.device, key: l.key}
		same := func(o ioLimit) bool { return o.device == l.device && o.key == l.key && o.value <= l.value }
		switch {
		case g.Path != l.path && (!here.binds(l.path) || !slices.ContainsFunc(parseLimits(limitsOf(g.Samples)), same)):
			return nil
		case l.version == 1:
			return []rule.Setting{{Value: shell.Line("%s", l.device+" 0"), File: here.file()}}
		}
		return []rule.Setting{{Value: shell.Line("%s", l.device+" "+l.key+"=max"), File: here.file()}}
	})
}

func (l ioLimit) evidence() rule.Evidence {
	what := rule.T("cgroup %s does %s of its limit on %s, %s", l.path, unit.Share(l.rate/l.value), l.device, l.String())
	if l.bursts != nil {
		what = rule.T("%s, in %s of the time", what, unit.Share(l.part))
	}
	return rule.Evidence{
		Metric: metric.CgroupIOLimit, What: what,
		Value: l.rate, Limit: rule.Limit(l.value), Check: shell.Line("cat %s", l.file()),
	}
}

// reached says whether the group does on the disk what the limit allows.
func (l *ioLimit) reached(d view.BlockDevice) bool {
	if l.rate < atLimit.Value*l.value || l.rate > aboveLimit.Value*l.value {
		return false
	}
	return l.there || l.of(d) >= atLimit.Value*l.value
}

// binds says whether a limit holds back processes of a group. In cgroup v1 limits of block I/O
// are no hierarchy: each holds for its own group alone (block/blk-throttle.c).
func (l *ioLimit) binds(group string) bool {
	return group == l.path || l.version != 1 && view.InGroup(group, l.path)
}

// of is what a disk does of what is limited, a second.
func (l *ioLimit) of(d view.BlockDevice) float64 {
	return map[string]float64{"rbps": d.ReadBytes, "wbps": d.WrittenBytes, "riops": d.Reads, "wiops": d.Writes}[l.key]
}

// heldByCgroup finds the groups that reached an I/O limit, by the name of the
// device the limit is for. Groups that were there for less than most of the window are left out:
// what waits at their limit is held against disks, which are judged over all of it.
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
	inside := map[string]bool{} // groups with processes of their own
	for _, p := range v.Processes() {
		inside[p.IOCgroup] = true
	}
	held := map[string][]*ioLimit{}
	for _, k := range keys {
		samples := series[k]
		if there := samples[len(samples)-1].At.Sub(samples[0].At).Seconds(); there < mostIntervals.Value*v.Seconds() {
			continue
		}
		if k.version == 1 && !inside[k.path] && !inside[""] {
			continue
		}
		all := map[string]float64{
			"rbps":  view.Rate(v, samples, func(s recording.CgroupSample) int64 { return s.ReadBytes }),
			"wbps":  view.Rate(v, samples, func(s recording.CgroupSample) int64 { return s.WriteBytes }),
			"riops": view.Rate(v, samples, func(s recording.CgroupSample) int64 { return s.Reads }),
			"wiops": view.Rate(v, samples, func(s recording.CgroupSample) int64 { return s.Writes }),
		}
		for _, l := range parseLimits(limitsOf(samples)) {
			l.path, l.version, l.rate, l.part = k.path, k.version, all[l.key], 1
			if rate, ok := l.rateThere(v, samples); ok {
				l.rate, l.there = rate, true
			}
			if d, ok := v.BlockDevice(names[l.device]); ok && (l.reached(d) || l.inBursts(v, samples, d.Device)) {
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

// limitsOf are the limits that a group had last in the window: whoever is held lifts them.
func limitsOf(samples []recording.CgroupSample) string {
	for _, s := range slices.Backward(samples) {
		if s.IOLimits != "" {
			return s.IOLimits
		}
	}
	return ""
}

// counters are the names of what a limit is about in recording.CgroupSample.IODone.
var counters = map[string]string{"rbps": "rbytes", "wbps": "wbytes", "riops": "rios", "wiops": "wios"}

// rateThere is what the group did on the disk of the limit, a second; ok is false where it was
// not recorded at least twice.
func (l *ioLimit) rateThere(v *view.View, samples []recording.CgroupSample) (rate float64, ok bool) {
	type reading struct {
		recording.CgroupSample
		done float64
	}
	var list []reading
	for _, s := range samples {
		if n, ok := doneThere(s.IODone, l.device, counters[l.key]); ok {
			list = append(list, reading{s, n})
		}
	}
	if len(list) < 2 {
		return 0, false
	}
	rate = view.Rate(v, list, func(r reading) float64 { return r.done })
	return rate, view.Known(rate)
}

// doneThere reads one counter of "8:0 rbytes=1 wbytes=2 rios=3 wios=4;8:16 ...".
func doneThere(text, device, counter string) (n float64, ok bool) {
	for part := range strings.SplitSeq(text, ";") {
		words := strings.Fields(part)
		if len(words) == 0 || words[0] != device {
			continue
		}
		for _, w := range words[1:] {
			if key, value, _ := strings.Cut(w, "="); key == counter {
				n, err := strconv.ParseFloat(value, 64)
				return n, err == nil
			}
		}
	}
	return 0, false
}
