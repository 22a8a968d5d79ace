package host

import (
	"bytes"
	"fmt"
	"time"

	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// disk reads /proc/diskstats (kernel Documentation/admin-guide/iostats.rst)
// and, for what hardly changes, /sys/class/block.
type disk struct {
	fs    FS
	stats procfile.File
	swaps procfile.File
	names procfile.Names
	rows  []recording.DiskSample
	known map[string]device
	swap  map[string]bool
	buf   []byte
}

func newDisk(fs FS) *disk {
	return &disk{fs: fs, stats: fs.file("proc/diskstats"), swaps: fs.file("proc/swaps"), known: map[string]device{}}
}

func (d *disk) read(w *recording.Writer, full bool) error {
	b, err := d.stats.Read()
	if err != nil {
		return err
	}
	bad := d.parse(time.Now(), b)
	if full {
		clear(d.known)
		d.readSwap()
	}
	rows := d.rows[:0]
	for _, row := range d.rows {
		dev, known := d.known[row.Device]
		if !known {
			dev = d.readDevice(row.Device)
			d.known[row.Device] = dev
		}
		// Free loop and RAM devices: nothing behind them and nothing done yet.
		if dev.size == 0 && row.Reads == 0 && row.Writes == 0 {
			continue
		}
		dev.fill(&row)
		row.Swap = d.swap[row.Device]
		rows = append(rows, row)
	}
	d.rows = rows
	recording.Append(w, rows...)
	return bad
}

// sector is the unit of diskstats and of sysfs sizes, whatever the device has.
const sector = 512

// parse fills d.rows. Kernels before 4.18 print 14 columns, those before 5.5
// 18 with discards, later ones 20 with flushes; a partition of kernels before
// 2.6.25 has 7 and is left out.
func (d *disk) parse(at time.Time, b []byte) error {
	d.rows = d.rows[:0]
	var bad error
	for line := range procfile.Lines(b) {
		major, rest, ok1 := procfile.NextUint(line)
		minor, rest, ok2 := procfile.NextUint(rest)
		name, rest := procfile.Field(rest)
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var v [17]uint64
		n := 0
		for ; n < len(v); n++ {
			var ok bool
			if v[n], rest, ok = procfile.NextUint(rest); !ok {
				break
			}
		}
		if !ok1 || !ok2 || major > 1<<20 || minor > 1<<20 || n < 11 {
			if n != 4 {
				bad = fmt.Errorf("cannot read device %q in /proc/diskstats", name)
			}
			continue
		}
		d.rows = append(d.rows, recording.DiskSample{
			At: at, Device: d.names.String(name), Major: int32(major), Minor: int32(minor),
			Reads: v[0], ReadBytes: v[2] * sector, ReadTime: procfile.Duration(v[3], time.Millisecond),
			Writes: v[4], WrittenBytes: v[6] * sector, WriteTime: procfile.Duration(v[7], time.Millisecond),
			InFlight: int64(min(v[8], 1<<62)), Busy: procfile.Duration(v[9], time.Millisecond), WeightedQueue: procfile.Duration(v[10], time.Millisecond),
			Flushes: v[15], FlushTime: procfile.Duration(v[16], time.Millisecond),
		})
	}
	return bad
}
