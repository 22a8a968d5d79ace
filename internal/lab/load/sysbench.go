package load

import (
	"fmt"
	"math"
	"strings"

	bench "rtrail/internal/bench/load"
	"rtrail/internal/lab/env"
)

// ParseSysbench reads the report of sysbench 1.0, run with --percentile=99:
// events, or of a database transactions, a second.
func ParseSysbench(out string) (Measurement, error) {
	r, err := readSysbench(out)
	if err != nil {
		return Measurement{}, err
	}
	result := Measurement{Value: r.TPS, Unit: "events/s"}
	if !math.IsNaN(r.Percentile) {
		result.Detail = fmt.Sprintf("p99 %.2f ms", r.Percentile)
	}
	return result, nil
}

func readSysbench(out string) (*bench.SysbenchReport, error) {
	r, err := bench.ParseSysbench(out)
	if err != nil {
		return nil, fmt.Errorf("read the report of sysbench: %w: %q", err, env.LastBytes(strings.TrimSpace(out), 300))
	}
	return r, nil
}
