package host

import (
	"bytes"
	"fmt"
	"time"

	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// Columns of softnet_stat, counted from 0 (kernel net/core/net-procfs.c). The
// last two came with 5.14.
const (
	softnetProcessed = 0
	softnetDropped   = 1
	softnetSqueezed  = 2
	softnetBacklog   = 11
	softnetCPU       = 12
)

// softnet reads /proc/net/softnet_stat, which is the same in every network
// namespace.
type softnet struct {
	stat, online procfile.File
	rows         []recording.SoftnetSample
}

func newSoftnet(fs FS) *softnet {
	return &softnet{stat: fs.file("proc/net/softnet_stat"), online: fs.file("sys/devices/system/cpu/online")}
}

func (s *softnet) read(w *recording.Writer, _ bool) error {
	b, err := s.stat.Read()
	if err != nil {
		return err
	}
	s.rows, err = parseSoftnet(s.rows[:0], time.Now(), b, func() ([]int, error) {
		list, err := s.online.Read()
		if err != nil {
			return nil, err
		}
		return procfile.CPUs(list)
	})
	if err != nil {
		return err
	}
	recording.Append(w, s.rows...)
	return nil
}

// parseSoftnet appends a row per CPU that is online. Kernels before 5.14 print the
// lines in their order, and do not say which CPU one is of: online, which is asked
// then only, lists them.
func parseSoftnet(rows []recording.SoftnetSample, at time.Time, b []byte, online func() ([]int, error)) ([]recording.SoftnetSample, error) {
	first, named := len(rows), true
	for line := range procfile.Lines(b) {
		row := recording.SoftnetSample{At: at}
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
		named = named && columns > softnetCPU
		rows = append(rows, row)
	}
	if named {
		return rows, nil
	}
	cpus, err := online()
	if err != nil {
		// Not wrapped: it is about another file than the one that notes name.
		return rows[:first], fmt.Errorf("its lines do not say of which CPU they are, nor anything else which are online: %v", err)
	}
	if lines := len(rows) - first; len(cpus) != lines {
		return rows[:first], fmt.Errorf("its %d lines do not say of which CPU they are, and %d are online", lines, len(cpus))
	}
	for i, cpu := range cpus {
		rows[first+i].CPU = int32(cpu)
	}
	return rows, nil
}

// onlineIn lists the CPUs that were online when /proc/stat was read, which has a line for
// each of them.
func onlineIn(stat []byte) (cpus []int, err error) {
	rows, _, err := parseStat(nil, time.Time{}, stat)
	for _, r := range rows {
		if r.CPU >= 0 {
			cpus = append(cpus, int(r.CPU))
		}
	}
	return cpus, err
}
