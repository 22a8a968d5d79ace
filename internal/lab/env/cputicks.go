package env

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// CPUTicks is what a CPU did since boot, in ticks of 10 ms, in the order of
// /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal. Guest times
// follow there, which user holds already.
type CPUTicks [8]uint64

// Places in CPUTicks.
const (
	TicksSoftIRQ = 6
	TicksSteal   = 7
)

// Total is the time of all kinds together.
func (t CPUTicks) Total() (sum uint64) {
	for _, n := range t {
		sum += n
	}
	return sum
}

// ShareSince is the share of the time since an earlier reading that one kind took.
func (t CPUTicks) ShareSince(before CPUTicks, kind int) float64 {
	if t.Total() <= before.Total() || t[kind] < before[kind] {
		return 0
	}
	return float64(t[kind]-before[kind]) / float64(t.Total()-before.Total())
}

// ReadCPUTicks reads the line of one CPU, "cpu1", or of all together, "cpu".
func ReadCPUTicks(cpu string) (CPUTicks, error) {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return CPUTicks{}, err
	}
	return parseCPUTicks(b, cpu)
}

func parseCPUTicks(stat []byte, cpu string) (t CPUTicks, err error) {
	for line := range bytes.Lines(stat) {
		fields := bytes.Fields(line)
		if len(fields) <= len(t) || string(fields[0]) != cpu {
			continue
		}
		for i := range t {
			if t[i], err = strconv.ParseUint(string(fields[i+1]), 10, 64); err != nil {
				return CPUTicks{}, err
			}
		}
		return t, nil
	}
	return t, fmt.Errorf("/proc/stat has no times of %s, steal time included", cpu)
}
