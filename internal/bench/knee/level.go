package knee

import "math"

// Level is what runs at one level had, as medians.
type Level struct {
	Level      float64 // clients, or the intended rate per second
	Throughput float64 // per second
	P99        float64 // milliseconds; NaN: unknown
}

const (
	// enough is the share of the most from which more clients are not worth it.
	enough = 0.95
	// kept is the share of the intended rate from which it was kept: below, a backlog grows.
	kept = 0.99
)

// Closed is the fewest clients that get 95 % of the most that any level got, and whether a
// level with more clients was tried: if not, the knee may lie beyond. Levels ascend.
func Closed(levels []Level) (knee Level, beyond, ok bool) {
	most := 0.0
	for _, l := range levels {
		if l.Throughput > most { // not so where it is unknown
			most = l.Throughput
		}
	}
	for i, l := range levels {
		if most > 0 && l.Throughput >= enough*most {
			return l, i == len(levels)-1, true
		}
	}
	return Level{}, false, false
}

// Open is the largest rate up to which every rate was kept, with a p99 within a limit in
// milliseconds (infinite: none), and whether a larger one was tried and failed. ok is false
// where even the smallest rate fails. Levels ascend.
func Open(levels []Level, limit float64) (knee Level, failed, ok bool) {
	for _, l := range levels {
		late := !math.IsInf(limit, 1) && !(l.P99 <= limit)
		if late || !(l.Throughput >= kept*l.Level) {
			return knee, true, ok
		}
		knee, ok = l, true
	}
	return knee, false, ok
}
