package cpu

import (
	"fmt"
	"math"
	"slices"

	"rtrail/internal/unit"
)

// round keeps two decimals below ten and one above: more would pretend to a
// precision that a window of seconds does not have.
func round(v float64) float64 {
	if math.Abs(v) < 10 {
		return math.Round(v*100) / 100
	}
	return math.Round(v*10) / 10
}

// median of a list; 0 when it is empty.
func median(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(list))
	if n := len(s); n%2 == 0 {
		return (s[n/2-1] + s[n/2]) / 2
	}
	return s[len(s)/2]
}

// inCPUs is how much CPU time was used, in words.
func inCPUs(cores float64) string {
	if cores = round(cores); cores == 1 {
		return "1 CPU"
	}
	return fmt.Sprintf("%v CPUs", unit.Number(cores))
}
