package lab

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var (
	sysbenchRate = regexp.MustCompile(`(?m)^\s*(?:events per second:\s*([0-9.]+)|transactions:\s*\d+\s*\(([0-9.]+) per sec\.\))\s*$`)
	sysbenchP99  = regexp.MustCompile(`(?m)^\s*99th percentile:\s*([0-9.]+)\s*$`)
)

// parseSysbench reads the report of sysbench 1.0, run with --percentile=99:
// events, or of a database transactions, a second.
func parseSysbench(out string) (Measurement, error) {
	m := sysbenchRate.FindStringSubmatch(out)
	if m == nil {
		return Measurement{}, fmt.Errorf("read the report of sysbench: no rate in %q", lastBytes(strings.TrimSpace(out), 300))
	}
	rate, err := strconv.ParseFloat(m[1]+m[2], 64)
	if err != nil {
		return Measurement{}, fmt.Errorf("read the report of sysbench: %w", err)
	}
	result := Measurement{Value: rate, Unit: "events/s"}
	if q := sysbenchP99.FindStringSubmatch(out); q != nil {
		result.Detail = "p99 " + q[1] + " ms"
	}
	return result, nil
}
