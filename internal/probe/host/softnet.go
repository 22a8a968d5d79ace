package host

import (
	"bytes"
	"fmt"
	"time"

	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// Columns of softnet_stat, counted from 0 (kernel net/core/net-procfs.c). The
// last two came with 5.14; without them the lines are in the order of the
// online CPUs.
const (
	softnetProcessed = 0
	softnetDropped   = 1
	softnetSqueezed  = 2
	softnetBacklog   = 11
	softnetCPU       = 12
)

// parseSoftnet reads /proc/net/softnet_stat, which is the same in every network
// namespace.
func parseSoftnet(rows []recording.SoftnetSample, at time.Time, b []byte, _ *procfile.Names) ([]recording.SoftnetSample, error) {
	for line := range procfile.Lines(b) {
		row := recording.SoftnetSample{At: at, CPU: int32(len(rows))}
		columns := 0
		for field := range bytes.FieldsSeq(line) {
			value, ok := procfile.Hex(field)
			if !ok {
				return rows, fmt.Errorf("column %d of /proc/net/softnet_stat is %q, not a number", columns, field)
			}
			switch columns {
			case softnetProcessed:
				row.Processed = value
			case softnetDropped:
				row.Dropped = value
			case softnetSqueezed:
				row.Squeezed = value
			case softnetBacklog:
				row.Backlog = value
			case softnetCPU:
				row.CPU = int32(min(value, 1<<20))
			}
			columns++
		}
		if columns <= softnetSqueezed {
			return rows, fmt.Errorf("%d columns in /proc/net/softnet_stat", columns)
		}
		rows = append(rows, row)
	}
	return rows, nil
}
