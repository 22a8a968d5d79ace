package host

import (
	"bytes"
	"fmt"
	"time"

	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// parseSoftIRQs reads /proc/softirqs (kernel fs/proc/softirqs.c). The columns are all
// possible CPUs; kinds that never ran on a CPU have no row there.
func parseSoftIRQs(rows []recording.SoftIRQSample, at time.Time, b []byte, names *procfile.Names) ([]recording.SoftIRQSample, error) {
	head, b := procfile.Line(b)
	cpus, err := cpuColumns(head)
	if err != nil {
		return rows, fmt.Errorf("heading of /proc/softirqs: %w", err)
	}
	for line := range procfile.Lines(b) {
		kind, rest := procfile.Field(line)
		if len(kind) == 0 || kind[len(kind)-1] != ':' {
			continue
		}
		name := names.String(kind[:len(kind)-1])
		for _, cpu := range cpus {
			var n uint64
			var ok bool
			if n, rest, ok = procfile.NextUint(rest); !ok {
				break
			}
			if n > 0 {
				rows = append(rows, recording.SoftIRQSample{At: at, Kind: name, CPU: cpu, Count: n})
			}
		}
	}
	return rows, nil
}

// cpuColumns reads a heading "CPU0 CPU1 CPU4".
func cpuColumns(head []byte) (cpus []int32, err error) {
	for field := range bytes.FieldsSeq(head) {
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
