package host

import (
	"fmt"
	"strings"
	"time"

	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// Snapshot makes rows of a file of /proc that somebody kept, by its name below /proc
// ("stat", "pressure/cpu"): what a probe would have read at that time, without what it
// reads elsewhere. stat is the file stat of the same time, which says which CPUs were
// online; nil: nobody kept it. known is false for files that it does not read.
func Snapshot(w *recording.Writer, name string, at time.Time, b, stat []byte) (known bool, err error) {
	switch name {
	case "stat":
		rows, totals, err := parseStat(nil, at, b)
		recording.Append(w, rows...)
		recording.Append(w, totals)
		return true, err
	case "meminfo":
		row, err := parseMeminfo(b)
		if row.At = at; err == nil {
			recording.Append(w, row)
		}
		return true, err
	case "vmstat":
		row, _, err := parseVMStat(b)
		if row.At = at; err == nil {
			recording.Append(w, row)
		}
		return true, err
	case "diskstats":
		d := disk{}
		err := d.parse(at, b)
		for i := range d.rows {
			d.rows[i].Errors, d.rows[i].Timeouts = recording.Unknown, recording.Unknown
		}
		recording.Append(w, d.rows...)
		return true, err
	case "softirqs":
		return true, snapshotOf(w, at, b, parseSoftIRQs)
	case "net/softnet_stat":
		rows, err := parseSoftnet(nil, at, b, func() ([]int, error) { return onlineIn(stat) })
		recording.Append(w, rows...)
		return true, err
	case "swaps":
		return true, snapshotOf(w, at, b, parseSwaps)
	case "zoneinfo":
		return true, snapshotOf(w, at, b, parseZones)
	case "interrupts":
		return true, snapshotOf(w, at, b, parseInterrupts)
	}
	if resource, ok := strings.CutPrefix(name, "pressure/"); ok {
		row, err := parsePressure(b)
		if err != nil {
			return true, fmt.Errorf("pressure of %s: %w", resource, err)
		}
		row.At, row.Resource = at, resource
		recording.Append(w, row)
		return true, nil
	}
	return false, nil
}

func snapshotOf[T recording.Row](w *recording.Writer, at time.Time, b []byte, parse func([]T, time.Time, []byte, *procfile.Names) ([]T, error)) error {
	rows, err := parse(nil, at, b, &procfile.Names{})
	recording.Append(w, rows...)
	return err
}
