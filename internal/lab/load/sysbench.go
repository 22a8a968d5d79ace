package load

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"rtrail/internal/lab/env"
)

var (
	sysbenchRate   = regexp.MustCompile(`(?m)^\s*(?:events per second:\s*([0-9.]+)|transactions:\s*\d+\s*\(([0-9.]+) per sec\.\))\s*$`)
	sysbenchTime   = regexp.MustCompile(`(?m)^\s*total time:\s*([0-9.]+)s\s*$`)
	sysbenchEvents = regexp.MustCompile(`(?m)^\s*total number of events:\s*([0-9]+)\s*$`)
	sysbenchP99    = regexp.MustCompile(`(?m)^\s*99th percentile:\s*([0-9.]+)\s*$`)
	sysbenchErrors = regexp.MustCompile(`(?m)^\s*ignored errors:\s*\d+\s*\(([0-9.]+) per sec\.\)\s*$`)
)

// ParseSysbench reads the report of sysbench 1.0, run with --percentile=99:
// events, or of a database transactions, a second. The threads test prints no
// rate, only how many events it had and how long it took.
func ParseSysbench(out string) (Measurement, error) {
	rate, ok := 0.0, false
	if m := sysbenchRate.FindStringSubmatch(out); m != nil {
		rate, ok = number(m[1] + m[2])
	} else if events, taken := sysbenchEvents.FindStringSubmatch(out), sysbenchTime.FindStringSubmatch(out); events != nil && taken != nil {
		n, okN := number(events[1])
		seconds, okS := number(taken[1])
		rate, ok = n/seconds, okN && okS && seconds > 0
	}
	if !ok {
		return Measurement{}, fmt.Errorf("read the report of sysbench: no rate in %q", env.LastBytes(strings.TrimSpace(out), 300))
	}
	result := Measurement{Value: rate, Unit: "events/s"}
	if q := sysbenchP99.FindStringSubmatch(out); q != nil {
		result.Detail = "p99 " + q[1] + " ms"
	}
	return result, nil
}

func number(text string) (float64, bool) {
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil
}
