package host

import (
	"bytes"
	"fmt"
	"time"

	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// parseZones reads /proc/zoneinfo (kernel mm/vmstat.c). Zones without pages of their
// own have no row.
func parseZones(rows []recording.ZoneSample, at time.Time, b []byte, names *procfile.Names) ([]recording.ZoneSample, error) {
	var row *recording.ZoneSample
	perNode := false
	for line := range procfile.Lines(b) {
		key, rest := procfile.Field(line)
		switch string(key) {
		case "Node":
			rows = dropEmpty(rows)
			node, name, err := zoneHeading(rest)
			if err != nil {
				return rows, err
			}
			rows = append(rows, recording.ZoneSample{At: at, Node: node, Zone: names.String(name)})
			row = &rows[len(rows)-1]
			perNode = false
			continue
		case "per-node":
			perNode = true
			continue
		case "pages": // "pages free 3840" begins what is the zone's own
			perNode = false
			key, rest = procfile.Field(rest)
		}
		if row == nil || perNode {
			continue
		}
		value, _, ok := procfile.NextUint(rest)
		if !ok {
			continue
		}
		n := int64(min(value, 1<<52))
		switch string(key) {
		case "free":
			row.Free = n
		case "min":
			row.Min = n
		case "low":
			row.Low = n
		case "high":
			row.High = n
		case "managed":
			row.Managed = n
		case "present": // printed before managed, which old kernels lack
			row.Managed = n
		case "nr_zone_active_anon", "nr_active_anon": // without zone_ before 4.8
			row.ActiveAnon = n
		case "nr_zone_inactive_anon", "nr_inactive_anon":
			row.InactiveAnon = n
		case "nr_zone_active_file", "nr_active_file":
			row.ActiveFile = n
		case "nr_zone_inactive_file", "nr_inactive_file":
			row.InactiveFile = n
		}
	}
	if row == nil {
		return rows, fmt.Errorf("no zone in /proc/zoneinfo")
	}
	return dropEmpty(rows), nil
}

func dropEmpty(rows []recording.ZoneSample) []recording.ZoneSample {
	if n := len(rows); n > 0 && rows[n-1].Managed == 0 {
		return rows[:n-1]
	}
	return rows
}

// zoneHeading reads "0, zone   Normal", what follows "Node".
func zoneHeading(b []byte) (int32, []byte, error) {
	number, rest, ok := bytes.Cut(bytes.TrimSpace(b), []byte{','})
	node, isNumber := procfile.Uint(number)
	_, rest = procfile.Field(rest) // the word "zone"
	name, _ := procfile.Field(rest)
	if !ok || !isNumber || node > 1<<20 || len(name) == 0 {
		return 0, nil, fmt.Errorf("heading %q in /proc/zoneinfo", b)
	}
	return int32(node), name, nil
}
