package host

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// device is what /sys/class/block says about a block device.
type device struct {
	partition  bool
	rotational bool
	backing    string
	slaves     string
	scheduler  string
	size       int64
	// Of the SCSI layer, which SATA disks are in as well; else Unknown.
	errors, timeouts int64
}

func (d device) fill(row *recording.DiskSample) {
	row.Partition, row.Rotational, row.Backing = d.partition, d.rotational, d.backing
	row.Slaves, row.Scheduler, row.Errors, row.Timeouts = d.slaves, d.scheduler, d.errors, d.timeouts
}

// readDevice asks sysfs about one device. What is not there stays empty; a
// size that cannot be read is Unknown.
func (d *disk) readDevice(name string) device {
	// sysfs writes the slash of names like cciss/c0d0 as an exclamation mark.
	dir := d.fs.path("sys/class/block", strings.ReplaceAll(name, "/", "!"))
	dev := device{size: recording.Unknown, errors: recording.Unknown, timeouts: recording.Unknown}
	if sectors, ok := procfile.Int(d.attribute(dir, "size")); ok {
		dev.size = sectors * sector
	}
	if dev.size == 0 {
		return dev
	}
	queue := dir
	if d.attribute(dir, "partition") != nil {
		dev.partition = true
		// The link ends in .../DISK/PARTITION; only the disk has a queue.
		if parent := d.parent(name); parent != "" {
			queue = d.fs.path("sys/class/block", parent)
		}
	}
	dev.rotational = string(d.attribute(queue, "queue/rotational")) == "1"
	dev.scheduler = chosen(d.attribute(queue, "queue/scheduler"))
	switch {
	case strings.HasPrefix(name, "sd") && !dev.partition:
		dev.errors, dev.timeouts = d.hexCounter(dir, "device/ioerr_cnt"), d.hexCounter(dir, "device/iotmo_cnt")
	case strings.HasPrefix(name, "loop"):
		dev.backing = string(d.attribute(dir, "loop/backing_file"))
	case strings.HasPrefix(name, "dm-"):
		dev.backing, dev.slaves = string(d.attribute(dir, "dm/name")), slaves(dir)
	case strings.HasPrefix(name, "md") && !dev.partition:
		dev.slaves = slaves(dir)
	}
	return dev
}

const (
	// maxSlaves bounds how many devices another one is made of; of more they are not told.
	maxSlaves = 64
	// maxName is DISK_NAME_LEN of the kernel.
	maxName = 32
)

// slaves lists what a device is made of: sysfs has a link to each, which bears its name. It is ""
// if that cannot be read as a whole, for half of it would say that the device is on one disk.
func slaves(dir string) string {
	f, err := os.Open(filepath.Join(dir, "slaves"))
	if err != nil {
		return ""
	}
	defer f.Close()
	names, err := f.Readdirnames(maxSlaves + 1)
	if err != nil || len(names) > maxSlaves {
		return ""
	}
	for i, name := range names {
		if len(name) > maxName || strings.ContainsAny(name, ", ") {
			return ""
		}
		names[i] = strings.ReplaceAll(name, "!", "/")
	}
	slices.Sort(names)
	return strings.Join(names, ",")
}

// hexCounter reads a counter of drivers/scsi/scsi_sysfs.c, as 0x1f; Unknown if
// the kernel does not have it.
func (d *disk) hexCounter(dir, name string) int64 {
	digits, ok := bytes.CutPrefix(d.attribute(dir, name), []byte("0x"))
	n, valid := procfile.Hex(digits)
	if !ok || !valid || n > math.MaxUint32 {
		return recording.Unknown
	}
	return int64(n)
}

// attribute is the trimmed content of a sysfs file, nil when not readable.
func (d *disk) attribute(dir, name string) []byte {
	b, err := procfile.ReadOnce(filepath.Join(dir, name), d.buf)
	if err != nil {
		return nil
	}
	d.buf = b
	return bytes.TrimSpace(b)
}

// parent is the disk a partition lies on, "" for a whole disk.
func (d *disk) parent(name string) string {
	link, err := os.Readlink(d.fs.path("sys/class/block", name))
	if err != nil {
		return ""
	}
	parent := filepath.Base(filepath.Dir(link))
	if parent == "block" || parent == "." || parent == "/" {
		return ""
	}
	return parent
}

// chosen picks "bfq" out of "none [bfq] mq-deadline".
func chosen(b []byte) string {
	if _, rest, ok := bytes.Cut(b, []byte{'['}); ok {
		name, _, _ := bytes.Cut(rest, []byte{']'})
		return string(name)
	}
	return string(b)
}

// readSwap finds the devices swap areas live on: the partition itself, or the
// device of the filesystem that holds the swap file; and the disk of either.
func (d *disk) readSwap() {
	d.swap = map[string]bool{}
	b, err := d.swaps.Read()
	if err != nil {
		return
	}
	var mounts []mountEntry
	areas, _ := parseSwaps(nil, time.Time{}, b, nil)
	for _, area := range areas {
		name, ok := strings.CutPrefix(area.Device, "/dev/")
		if area.Kind == "file" {
			if mounts == nil {
				info, err := procfile.ReadOnce(d.fs.path("proc/self/mountinfo"), nil)
				if err != nil {
					continue
				}
				mounts, _ = parseMountinfo(info)
			}
			name, ok = d.deviceOf(area.Device, visible(mounts))
		}
		if !ok {
			continue
		}
		if target, err := os.Readlink(d.fs.path("dev", name)); err == nil { // /dev/mapper/vg-swap
			name = filepath.Base(target)
		}
		d.swap[name] = true
		if parent := d.parent(name); parent != "" {
			d.swap[parent] = true
		}
	}
}

// deviceOf finds the block device of the filesystem that holds a path.
func (d *disk) deviceOf(path string, mounts []mountEntry) (string, bool) {
	var best mountEntry
	for _, m := range mounts {
		below := m.point == "/" || strings.HasPrefix(path, m.point+"/")
		if below && len(m.point) > len(best.point) {
			best = m
		}
	}
	for i := range d.rows {
		if best.point != "" && d.rows[i].Major == best.major && d.rows[i].Minor == best.minor {
			return d.rows[i].Device, true
		}
	}
	return "", false
}
