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
		case "high":
			row.High = n
		case "managed":
			row.Managed = n
		case "present": // printed before managed, which old kernels lack
			row.Managed = n
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
