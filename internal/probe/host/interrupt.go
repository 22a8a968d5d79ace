package host

import (
	"bytes"
	"fmt"
	"time"

	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// interrupt reads /proc/interrupts (kernel kernel/irq/proc.c).
type interrupt struct {
	file  procfile.File
	names procfile.Names
	cpus  []int32
	rows  []recording.InterruptSample
}

func newInterrupt(fs FS) *interrupt { return &interrupt{file: fs.file("proc/interrupts")} }

func (s *interrupt) read(w *recording.Writer, _ bool) error {
	return readRows(w, &s.file, &s.rows, s.parse)
}

// parse fills s.rows: a count per line and CPU that is not 0.
func (s *interrupt) parse(at time.Time, b []byte) error {
	head, b := procfile.Line(b)
	s.rows = s.rows[:0]
	var err error
	if s.cpus, err = cpuColumns(s.cpus[:0], head); err != nil {
		return fmt.Errorf("heading of /proc/interrupts: %w", err)
	}
	for len(b) > 0 {
		var line []byte
		line, b = procfile.Line(b)
		irq, rest := procfile.Field(line)
		// ERR and MIS count errors of the whole machine, in one column.
		if len(irq) < 2 || irq[len(irq)-1] != ':' || string(irq) == "ERR:" || string(irq) == "MIS:" {
			continue
		}
		first := len(s.rows)
		name := s.names.String(irq[:len(irq)-1])
		for _, cpu := range s.cpus {
			n, after, ok := procfile.NextUint(rest)
			if !ok {
				break
			}
			rest = after
			if n > 0 {
				s.rows = append(s.rows, recording.InterruptSample{At: at, IRQ: name, CPU: cpu, Count: n})
			}
		}
		if first == len(s.rows) {
			continue
		}
		device := s.names.String(bytes.TrimSpace(rest))
		for i := first; i < len(s.rows); i++ {
			s.rows[i].Device = device
		}
	}
	return nil
}
