package view

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/recording"
)

// DiskRates is what a block device did between two readings.
type DiskRates struct {
	Seconds      float64
	Reads        float64 // requests completed per second
	Writes       float64
	Flushes      float64
	ReadBytes    float64 // per second
	WrittenBytes float64
	Await        float64 // seconds from issue to completion, mean over reads and writes; NaN: none completed
	ReadAwait    float64
	WriteAwait   float64
	FlushAwait   float64
	Queue        float64 // mean number of requests in flight
	Utilisation  float64 // share of the time with at least one request in flight, 0 to 1
}

// Requests is reads and writes completed per second.
func (r DiskRates) Requests() float64 { return r.Reads + r.Writes }

// Bytes is bytes read and written per second.
func (r DiskRates) Bytes() float64 { return r.ReadBytes + r.WrittenBytes }

// RequestSize is the mean size of a request in bytes; 0 without requests.
func (r DiskRates) RequestSize() float64 {
	if r.Requests() == 0 {
		return 0
	}
	return r.Bytes() / r.Requests()
}

// BlockDevice is one block device over the window.
type BlockDevice struct {
	DiskRates
	Device     string // kernel name
	Backing    string // file or mapped name
	Rotational bool
	InFlight   int64                // requests, at the last reading
	Last       recording.DiskSample // the last reading
	Intervals  []DiskRates          // between neighbouring readings
	Mounts     []string             // where filesystems on it, on its partitions or on volumes on it alone are mounted
}

// BlockDevices lists the whole block devices (no partitions), the busiest first.
func (v *View) BlockDevices() []BlockDevice {
	return Memo(v, "disks", func() []BlockDevice {
		keys, series := Group(Rows[recording.DiskSample](v), func(s recording.DiskSample) string { return s.Device })
		var list []BlockDevice
		for _, k := range keys {
			samples := series[k]
			last := samples[len(samples)-1]
			if last.Partition {
				continue
			}
			d := BlockDevice{DiskRates: diskRates(v, samples), Device: last.Device, Backing: last.Backing,
				Rotational: last.Rotational, InFlight: last.InFlight, Last: last, Mounts: v.mountsOf(last.Device)}
			for i := 1; i < len(samples); i++ {
				d.Intervals = append(d.Intervals, diskRates(v, samples[i-1:i+1]))
			}
			list = append(list, d)
		}
		slices.SortStableFunc(list, func(a, b BlockDevice) int { return cmp.Compare(b.Utilisation, a.Utilisation) })
		return list
	})
}

// DeviceNumbers are the numbers of a device that is named by them, as sar -d does: dev8-16.
func DeviceNumbers(name string) (major, minor uint64, ok bool) {
	numbers, ok := strings.CutPrefix(name, "dev")
	first, second, _ := strings.Cut(numbers, "-")
	major, err := strconv.ParseUint(first, 10, 32)
	minor, noMinor := strconv.ParseUint(second, 10, 32)
	return major, minor, ok && err == nil && noMinor == nil
}

// BlockDevice finds a block device by its kernel name.
func (v *View) BlockDevice(name string) (BlockDevice, bool) {
	for _, d := range v.BlockDevices() {
		if d.Device == name {
			return d, true
		}
	}
	return BlockDevice{}, false
}

func diskRates(v *View, samples []recording.DiskSample) DiskRates {
	r := DiskRates{Seconds: Covered(v, samples).Seconds(), Await: Unknown, ReadAwait: Unknown, WriteAwait: Unknown, FlushAwait: Unknown}
	if r.Seconds <= 0 {
		return r
	}
	count := func(value func(recording.DiskSample) uint64) float64 {
		d, _ := Delta(samples, value)
		return d
	}
	spent := func(value func(recording.DiskSample) time.Duration) float64 {
		d, _ := Delta(samples, value)
		return d / float64(time.Second)
	}
	reads := count(func(s recording.DiskSample) uint64 { return s.Reads })
	writes := count(func(s recording.DiskSample) uint64 { return s.Writes })
	flushes := count(func(s recording.DiskSample) uint64 { return s.Flushes })
	readTime := spent(func(s recording.DiskSample) time.Duration { return s.ReadTime })
	writeTime := spent(func(s recording.DiskSample) time.Duration { return s.WriteTime })
	r.Reads, r.Writes, r.Flushes = reads/r.Seconds, writes/r.Seconds, flushes/r.Seconds
	r.ReadBytes = count(func(s recording.DiskSample) uint64 { return s.ReadBytes }) / r.Seconds
	r.WrittenBytes = count(func(s recording.DiskSample) uint64 { return s.WrittenBytes }) / r.Seconds
	// Weighted by requests: the mean of the two means is nobody's wait.
	r.Await = (readTime + writeTime) / (reads + writes)
	r.ReadAwait, r.WriteAwait = readTime/reads, writeTime/writes
	r.FlushAwait = spent(func(s recording.DiskSample) time.Duration { return s.FlushTime }) / flushes
	r.Queue = spent(func(s recording.DiskSample) time.Duration { return s.WeightedQueue }) / r.Seconds
	// Busy is counted in whole milliseconds and may overshoot by one.
	r.Utilisation = min(spent(func(s recording.DiskSample) time.Duration { return s.Busy })/r.Seconds, 1)
	return r
}

// diskOfFile is the block device that a loop device's backing file lies on;
// "" if its place is not known.
func (v *View) diskOfFile(file string) string {
	if !strings.HasPrefix(file, "/") {
		return ""
	}
	best := recording.MountSample{}
	for _, m := range v.mounts() {
		if within(file, m.MountPoint) && len(m.MountPoint) >= len(best.MountPoint) {
			best = m
		}
	}
	return v.wholeDisk(best)
}

func within(file, dir string) bool {
	return dir == "/" || file == dir || strings.HasPrefix(file, dir+"/")
}

// wholeDisk is the device that a mount's filesystem lies on, its partition
// resolved to the disk it is a part of.
func (v *View) wholeDisk(m recording.MountSample) string {
	devices := Memo(v, "device-names", func() map[[2]int32]recording.DiskSample {
		names := map[[2]int32]recording.DiskSample{}
		for _, s := range Rows[recording.DiskSample](v) {
			names[[2]int32{s.Major, s.Minor}] = s
		}
		return names
	})
	d, ok := devices[[2]int32{m.Major, m.Minor}]
	if !ok || m.Major == 0 && m.Minor == 0 { // reports of other tools do not tell numbers
		return ""
	}
	if !d.Partition {
		return d.Device
	}
	whole := ""
	for _, s := range devices {
		if !s.Partition && strings.HasPrefix(d.Device, s.Device) && len(s.Device) > len(whole) {
			whole = s.Device
		}
	}
	return whole
}

// DeviceOf is the disk that a filesystem with this device number ("8:1") lies on;
// "" if it is on none, or not known.
func (v *View) DeviceOf(number string) string {
	var m recording.MountSample
	if n, err := fmt.Sscanf(number, "%d:%d", &m.Major, &m.Minor); err != nil || n != 2 {
		return ""
	}
	return v.wholeDisk(m)
}

// FilesystemType is the type of the filesystem with this device number ("8:1"); "disk" if
// only the disk is known that it lies on, "" if neither is.
func (v *View) FilesystemType(number string) string {
	types := Memo(v, "filesystem-types", func() map[string]string {
		m := map[string]string{}
		for _, s := range v.mounts() {
			m[fmt.Sprintf("%d:%d", s.Major, s.Minor)] = s.FSType
		}
		return m
	})
	if t := types[number]; t != "" {
		return t
	}
	if v.DeviceOf(number) != "" {
		return "disk"
	}
	return ""
}

// mountsOf are those of filesystems on a device, on its partitions, and on volumes all of which
// lies on it.
func (v *View) mountsOf(device string) []string {
	var points []string
	device = v.reachedBy(device)
	for _, m := range v.mounts() {
		if v.LiesOn(v.wholeDisk(m), device) && !slices.Contains(points, m.MountPoint) {
			points = append(points, m.MountPoint)
		}
	}
	// The shortest path says most: "/" rather than a bind mount of a file.
	slices.SortStableFunc(points, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	return points
}

// mounts is the last reading of every mount.
func (v *View) mounts() []recording.MountSample {
	return Memo(v, "mounts", func() []recording.MountSample {
		type key struct {
			point string
			ns    uint64
		}
		keys, series := Group(Rows[recording.MountSample](v), func(s recording.MountSample) key { return key{s.MountPoint, s.MountNS} })
		list := make([]recording.MountSample, 0, len(keys))
		for _, k := range keys {
			list = append(list, series[k][len(series[k])-1])
		}
		return list
	})
}

// Filesystem is one filesystem over the window, named by its shortest mount
// point; the embedded sample is its last reading.
type Filesystem struct {
	recording.MountSample
	Samples []recording.MountSample
	Seconds float64
	Disk    string // whole block device, a volume or an array too; "" without one
}

// Filesystems lists the filesystems that can be written to: not read-only, not
// images, each once however often it is mounted.
func (v *View) Filesystems() []Filesystem {
	return Memo(v, "filesystems", func() []Filesystem {
		rows := slices.DeleteFunc(slices.Clone(Rows[recording.MountSample](v)), func(s recording.MountSample) bool {
			return s.ReadOnly || s.Size <= 0 || imageTypes[s.FSType]
		})
		type key struct {
			point string
			ns    uint64
		}
		keys, series := Group(rows, func(s recording.MountSample) key { return key{s.MountPoint, s.MountNS} })
		slices.SortStableFunc(keys, func(a, b key) int {
			// Block devices before overlays, so that the filesystem an
			// overlay writes to is the one that keeps its name.
			return cmp.Or(cmp.Compare(rankOf(series[a]), rankOf(series[b])),
				cmp.Compare(len(path.Clean(a.point)), len(path.Clean(b.point))))
		})
		type identity struct {
			major, minor int32
			name         string // where nobody tells the numbers
		}
		type space struct{ size, free, available, inodes, inodesFree int64 }
		seen, spaces := map[identity]bool{}, map[space]bool{}
		var list []Filesystem
		for _, k := range keys {
			samples := series[k]
			last := samples[len(samples)-1]
			id := identity{major: last.Major, minor: last.Minor}
			if id == (identity{}) {
				if id.name = k.point; strings.HasPrefix(last.Device, "/") {
					id.name = last.Device
				}
			}
			sp := space{last.Size, last.Free, last.Available, last.Inodes, last.InodesFree}
			if seen[id] || last.FSType == "overlay" && spaces[sp] {
				continue
			}
			seen[id], spaces[sp] = true, true
			list = append(list, Filesystem{MountSample: last, Samples: samples, Seconds: Elapsed(samples).Seconds(), Disk: v.wholeDisk(last)})
		}
		return list
	})
}

func rankOf(samples []recording.MountSample) int {
	if samples[len(samples)-1].FSType == "overlay" {
		return 1
	}
	return 0
}

// imageTypes are filesystems that are full by construction.
var imageTypes = map[string]bool{
	"squashfs": true, "iso9660": true, "erofs": true, "cramfs": true, "romfs": true, "udf": true,
}
