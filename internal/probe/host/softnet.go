package host

import (
	"fmt"
	"time"

	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// softnet reads /proc/net/softnet_stat, which is the same in every network
// namespace.
type softnet struct {
	file procfile.File
	rows []recording.SoftnetSample
}

func newSoftnet(fs FS) *softnet { return &softnet{file: fs.file("proc/net/softnet_stat")} }

func (s *softnet) read(w *recording.Writer, _ bool) error {
	b, err := s.file.Read()
	if err != nil {
		return err
	}
	if s.rows, err = parseSoftnet(s.rows[:0], time.Now(), b); err != nil {
		return err
	}
	recording.Append(w, s.rows...)
	return nil
}

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

func parseSoftnet(rows []recording.SoftnetSample, at time.Time, b []byte) ([]recording.SoftnetSample, error) {
	for n := int32(0); len(b) > 0; n++ {
		var line []byte
		line, b = procfile.Line(b)
		row := recording.SoftnetSample{At: at, CPU: n}
		columns := 0
		for ; ; columns++ {
			var field []byte
			if field, line = procfile.Field(line); len(field) == 0 {
				break
			}
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
		}
		if columns <= softnetSqueezed {
			return rows, fmt.Errorf("%d columns in /proc/net/softnet_stat", columns)
		}
		rows = append(rows, row)
	}
	return rows, nil
}
