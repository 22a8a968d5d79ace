package metric

import (
	"cmp"
	"slices"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/view"
)

// Series is a metric of one thing over the window.
type Series struct {
	Labels []string // values, in the order of Metric.Labels
	Points []Point
}

// Point is a value at a time. A reading that failed, a counter's first one and
// one after a reset have no point: what is not known is never 0.
type Point struct {
	At    time.Time
	Value float64
}

// gauge reads a number that goes up and down from rows of a table. labels tells
// things apart, nil for the host; a value that is not view.Known has no point.
func gauge[T recording.Row](labels func(T) []string, value func(T) float64) func(*view.View) []Series {
	return series(labels, func(rows []T) (points []Point) {
		for _, r := range rows {
			if v := value(r); view.Known(v) {
				points = append(points, Point{r.Time(), v})
			}
		}
		return points
	})
}

// rate reads a counter: its growth per second between two readings.
func rate[T recording.Row](labels func(T) []string, value func(T) float64) func(*view.View) []Series {
	return series(labels, func(rows []T) (points []Point) {
		for i := 1; i < len(rows); i++ {
			before, now := value(rows[i-1]), value(rows[i])
			seconds := rows[i].Time().Sub(rows[i-1].Time()).Seconds()
			if grown := now - before; seconds > 0 && view.Known(grown) && grown >= 0 {
				points = append(points, Point{rows[i].Time(), grown / seconds})
			}
		}
		return points
	})
}

// series makes one series of points per thing, in the order of labels.
func series[T recording.Row](labels func(T) []string, points func([]T) []Point) func(*view.View) []Series {
	return func(v *view.View) (list []Series) {
		of := map[string][]string{}
		keys, rows := view.Group(view.Rows[T](v), func(r T) string {
			if labels == nil {
				return ""
			}
			values := labels(r)
			key := ""
			for _, l := range values {
				key += l + "\x00"
			}
			of[key] = values
			return key
		})
		slices.SortStableFunc(keys, cmp.Compare[string])
		for _, k := range keys {
			if p := points(rows[k]); len(p) > 0 {
				list = append(list, Series{Labels: of[k], Points: p})
			}
		}
		return list
	}
}

// reading is a number of which a negative one means that it could not be read.
func reading[N view.Number](v N) float64 {
	if f := float64(v); f >= 0 {
		return f
	}
	return view.Unknown
}
