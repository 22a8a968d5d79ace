package host

import (
	"bytes"
	"fmt"
	"time"

	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// parseInterrupts reads /proc/interrupts (kernel kernel/irq/proc.c): a row per line and
// CPU that is not 0. The columns are the CPUs that are online, and the kernel prints line
// by line: one with other columns than the heading is of a moment at which a CPU had gone
// or come, and is left out.
func parseInterrupts(rows []recording.InterruptSample, at time.Time, b []byte, names *procfile.Names) ([]recording.InterruptSample, error) {
	head, b := procfile.Line(b)
	cpus, err := cpuColumns(head)
	if err != nil {
		return rows, fmt.Errorf("heading of /proc/interrupts: %w", err)
	}
	for line := range procfile.Lines(b) {
		irq, rest := procfile.Field(line)
		// ERR and MIS count errors of the whole machine, in one column.
		if len(irq) < 2 || irq[len(irq)-1] != ':' || string(irq) == "ERR:" || string(irq) == "MIS:" {
			continue
		}
		first := len(rows)
		name := names.String(irq[:len(irq)-1])
		columns := 0
		for _, cpu := range cpus {
			n, after, ok := procfile.NextUint(rest)
			if !ok {
				break // what follows is the device
			}
			rest = after
			columns++
			if n > 0 {
				rows = append(rows, recording.InterruptSample{At: at, IRQ: name, CPU: cpu, Count: n})
			}
		}
		if _, _, more := procfile.NextUint(rest); more || columns < len(cpus) {
			rows = rows[:first]
			continue
		}
		device := names.String(bytes.TrimSpace(rest))
		for i := first; i < len(rows); i++ {
			rows[i].Device = device
		}
	}
	return rows, nil
}
