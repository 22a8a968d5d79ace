package procfile

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// OnlineCPUs lists the CPUs that run.
func OnlineCPUs() ([]int, error) {
	b, err := os.ReadFile("/sys/devices/system/cpu/online")
	if err != nil {
		return nil, fmt.Errorf("reading which CPUs are online: %w", err)
	}
	cpus, err := CPUs(b)
	if err != nil {
		return nil, fmt.Errorf("reading which CPUs are online: %w", err)
	}
	return cpus, nil
}

// maxCPUs is more than any kernel is built for (NR_CPUS).
const maxCPUs = 1 << 16

// CPUs reads a list of CPUs as the kernel prints it, "0-3,8": their numbers, ascending.
func CPUs(b []byte) ([]int, error) {
	var cpus []int
	for part := range strings.SplitSeq(strings.TrimSpace(string(b)), ",") {
		from, to, ranged := strings.Cut(part, "-")
		first, err := strconv.Atoi(from)
		last := first
		if err == nil && ranged {
			last, err = strconv.Atoi(to)
		}
		if err != nil || last < first || last >= maxCPUs || len(cpus) > 0 && first <= cpus[len(cpus)-1] {
			return nil, fmt.Errorf("%.100q is no list of CPUs", b)
		}
		for c := first; c <= last; c++ {
			cpus = append(cpus, c)
		}
	}
	return cpus, nil
}
