package view

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"rtrail/internal/recording"
)

// diskStacks is which block devices lie on which others, by the names of whole ones. Recordings
// before these were told, and reports of other tools, have none of device mapper and md.
type diskStacks struct {
	whole map[string]bool     // devices that are no partitions
	made  map[string][]string // what devices of device mapper and md are made of
	lower map[string][]string // the same, the disk of a loop device's file, and the paths of an NVMe multipath
	under map[string][]string // what all of a device of device mapper or md lies on
}

// maxBelow bounds the devices below one: a recording may come from a stranger.
const maxBelow = 256

func (v *View) stacks() *diskStacks {
	return Memo(v, "disk-stacks", func() *diskStacks {
		last := map[string]recording.DiskSample{}
		for _, s := range Rows[recording.DiskSample](v) {
			last[s.Device] = s
		}
		st := &diskStacks{whole: map[string]bool{}, made: map[string][]string{}, lower: map[string][]string{}, under: map[string][]string{}}
		for name := range last {
			s := last[name]
			if s.Partition {
				continue
			}
			st.whole[name] = true
			head := pathOf(name)
			switch {
			case s.Slaves != "":
				st.made[name] = wholeOnes(name, s.Slaves, last)
				st.lower[name] = st.made[name]
			case strings.HasPrefix(name, "loop"):
				if disk := v.diskOfFile(s.Backing); disk != "" && disk != name {
					st.lower[name] = []string{disk}
				}
			case head != "" && last[head].Device != "":
				st.lower[head] = append(st.lower[head], name)
			}
		}
		for name, list := range st.lower {
			slices.Sort(list) // that of paths is in the order of a map
			if st.made[name] != nil {
				st.under[name] = allOn(name, st.made)
			}
		}
		return st
	})
}

// wholeOnes are the devices of a list of names, partitions as the disks that they are parts of.
func wholeOnes(device, list string, known map[string]recording.DiskSample) (names []string) {
	for name := range strings.SplitSeq(list, ",") {
		if s, ok := known[name]; !ok || s.Partition {
			// sda2, or nvme0n1p2 where the name of the disk ends in a digit
			number := strings.TrimRight(name, "0123456789")
			for _, disk := range []string{strings.TrimSuffix(number, "p"), number} {
				if d, ok := known[disk]; ok && !d.Partition && number != name {
					name = disk
					break
				}
			}
		}
		if name != "" && name != device && !slices.Contains(names, name) && len(names) < maxBelow {
			names = append(names, name)
		}
	}
	return names
}

// allBelow lists what is below a device, the nearest first, and those of it that lie on nothing.
func allBelow(device string, lower map[string][]string) (all, ends []string) {
	if len(lower[device]) == 0 {
		return nil, nil
	}
	seen := map[string]bool{device: true}
	next := []string{device}
	for len(next) > 0 && len(all) < maxBelow {
		for _, name := range lower[next[0]] {
			if seen[name] {
				continue
			}
			seen[name] = true
			all, next = append(all, name), append(next, name)
			if len(lower[name]) == 0 {
				ends = append(ends, name)
			}
		}
		next = next[1:]
	}
	return all, ends
}

// allOn lists the devices that all of a device lies on: down to where it is spread over several,
// and the disk that these are on in the end, if it is a single one, as below a thin pool.
func allOn(device string, lower map[string][]string) (list []string) {
	for at := device; len(list) < maxBelow; {
		next := lower[at]
		if len(next) != 1 {
			if _, ends := allBelow(at, lower); len(ends) == 1 {
				list = append(list, ends[0])
			}
			return list
		}
		if at = next[0]; at == device || slices.Contains(list, at) {
			return list
		}
		list = append(list, at)
	}
	return list
}

// nvmePath are names of paths to an NVMe namespace (drivers/nvme/host/multipath.c): by the
// subsystem, the controller and the namespace. Programs use the device without the controller.
var nvmePath = regexp.MustCompile(`^nvme(\d+)c\d+n(\d+)$`)

// pathOf is the device that a path of NVMe leads to; "" for all other devices.
func pathOf(device string) string {
	if m := nvmePath.FindStringSubmatch(device); m != nil {
		return "nvme" + m[1] + "n" + m[2]
	}
	return ""
}

// NVMePath says whether a device is one path of several to an NVMe disk, which has no file in /dev.
func NVMePath(device string) bool { return pathOf(device) != "" }

// Lower lists the whole devices right below one: what a device of device mapper or md is made of,
// the disk of a loop device's file, the paths of an NVMe multipath. There are none below a disk,
// or if it is not known.
func (v *View) Lower(device string) []string { return v.stacks().lower[device] }

// Stacked says that the requests of a device are those of other devices, and that it is not told
// of which.
func (v *View) Stacked(device string) bool {
	if len(v.Lower(device)) > 0 {
		return false
	}
	if major, minor, ok := DeviceNumbers(device); ok {
		return stackedByNumber(major, minor)
	}
	// Reports name volumes as the device mapper does: vg-root.
	return strings.Contains(device, "-") ||
		slices.ContainsFunc([]string{"mpath", "md", "loop", "bcache", "drbd", "zd"}, func(kind string) bool { return strings.HasPrefix(device, kind) })
}

// stackedByNumber says it of the numbers of a device (Documentation/admin-guide/devices.txt). 252 to 254
// are given to drivers as they are loaded, such as the device mapper and virtio, whose disks have 16 numbers
// each, for their partitions.
func stackedByNumber(major, minor uint64) bool {
	switch major {
	case 7, 9, 147, 230: // loop, md, drbd, zvol
		return true
	case 252, 253, 254:
		return minor%16 != 0
	}
	return false
}

// Below lists all devices below one, the nearest first.
func (v *View) Below(device string) []string {
	all, _ := allBelow(device, v.stacks().lower)
	return all
}

// SameStack says whether one of two devices lies on the other.
func (v *View) SameStack(a, b string) bool {
	return slices.Contains(v.Below(a), b) || slices.Contains(v.Below(b), a)
}

// Underlying lists the devices that all of a device lies on, the nearest first: the disk of a
// volume, of an encrypted device, of a loop device's file. An array lies on none of its disks.
func (v *View) Underlying(device string) []string {
	st := v.stacks()
	list := st.under[device]
	end := device
	if len(list) > 0 {
		end = list[len(list)-1]
	}
	if strings.HasPrefix(end, "loop") && len(st.lower[end]) == 1 {
		disk := st.lower[end][0]
		list = append(append(slices.Clone(list), disk), st.under[disk]...)
	}
	return list
}

// LiesOn says whether a device is a disk, or a volume or the like all of which lies on that disk.
// A file of a loop device is a part of its disk only.
func (v *View) LiesOn(device, disk string) bool {
	return device != "" && (device == disk || slices.Contains(v.stacks().under[device], disk))
}

// reachedBy is the device by which programs use one: that to which a path of NVMe leads, or itself.
func (v *View) reachedBy(device string) string {
	if head := pathOf(device); v.stacks().whole[head] {
		return head
	}
	return device
}

// WholeDisk is the disk that a device is a partition of, or an NVMe path to, by kernel names; the
// name itself if it is neither, or not known.
func (v *View) WholeDisk(name string) string {
	for _, s := range Rows[recording.DiskSample](v) {
		if s.Device == name {
			name = cmp.Or(v.wholeDisk(recording.MountSample{Major: s.Major, Minor: s.Minor}), name)
			break
		}
	}
	return v.reachedBy(name)
}
