package host

import (
	"bytes"
	"fmt"
	"time"

	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// softIRQ reads /proc/softirqs (kernel fs/proc/softirqs.c).
type softIRQ struct {
	file  procfile.File
	names procfile.Names
	cpus  []int32
	rows  []recording.SoftIRQSample
}

func newSoftIRQ(fs FS) *softIRQ { return &softIRQ{file: fs.file("proc/softirqs")} }

func (s *softIRQ) read(w *recording.Writer, _ bool) error {
	return readRows(w, &s.file, &s.rows, s.parse)
}

// parse fills s.rows. The columns are all possible CPUs; kinds that never ran
// on a CPU have no row there.
func (s *softIRQ) parse(at time.Time, b []byte) error {
	head, b := procfile.Line(b)
	s.rows = s.rows[:0]
	var err error
	if s.cpus, err = cpuColumns(s.cpus[:0], head); err != nil {
		return fmt.Errorf("heading of /proc/softirqs: %w", err)
	}
	for len(b) > 0 {
		var line []byte
		line, b = procfile.Line(b)
		kind, rest := procfile.Field(line)
		if len(kind) == 0 || kind[len(kind)-1] != ':' {
			continue
		}
		name := s.names.String(kind[:len(kind)-1])
		for _, cpu := range s.cpus {
			var n uint64
			var ok bool
			if n, rest, ok = procfile.NextUint(rest); !ok {
				break
			}
			if n > 0 {
				s.rows = append(s.rows, recording.SoftIRQSample{At: at, Kind: name, CPU: cpu, Count: n})
			}
		}
	}
	return nil
}

// cpuColumns reads a heading "CPU0 CPU1 CPU4".
func cpuColumns(cpus []int32, head []byte) ([]int32, error) {
	for {
		var field []byte
		if field, head = procfile.Field(head); len(field) == 0 {
			break
		}
		digits, ok := bytes.CutPrefix(field, []byte("CPU"))
		n, number := procfile.Uint(digits)
		if !ok || !number || n > 1<<20 {
			return cpus, fmt.Errorf("column %q is not a CPU", field)
		}
		cpus = append(cpus, int32(n))
	}
	if len(cpus) == 0 {
		return cpus, fmt.Errorf("no CPU columns")
	}
	return cpus, nil
}
