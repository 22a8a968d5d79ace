package metric

import (
	"maps"
	"slices"
	"strings"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/view"
)

const (
	// maxThings bounds the series that are made of the sums over rows.
	maxThings = 1000
	// pause is how long nothing was read before rows belong to another reading.
	pause = 400 * time.Millisecond
)

// total adds up rows of each reading: sockets in a state, threads that wait. What has a row at one
// reading and none at another one was 0 then. id tells the rows of a reading apart.
func total[T recording.Row, K comparable](whose of[T], id func(T) K, value func(T) float64) *Reader {
	var row T
	return &Reader{Table: row.Table(), Read: func(v *view.View) (list []Series) {
		all := readings(view.Rows[T](v), id)
		if n := len(all); n > 1 && v.End().Sub(recording.TimeOf(&all[n-1][0])) < pause {
			all = all[:n-1] // the window may end within it
		}
		labels, sums := map[string][]string{}, map[string][]float64{}
		for i, rows := range all {
			for _, r := range rows {
				names, ok := []string(nil), true
				if whose != nil {
					names, ok = whose(r)
				}
				x := value(r)
				if !ok || !view.Known(x) {
					continue
				}
				key := strings.Join(names, "\x00")
				if sums[key] == nil {
					if len(sums) >= maxThings {
						continue
					}
					labels[key], sums[key] = names, make([]float64, len(all))
				}
				sums[key][i] += x
			}
		}
		for _, key := range slices.Sorted(maps.Keys(sums)) {
			s := Series{Labels: labels[key]}
			for i, x := range sums[key] {
				s.Points = append(s.Points, Point{recording.TimeOf(&all[i][0]), x})
			}
			list = append(list, s)
		}
		return list
	}}
}

// readings splits rows by when they were read: a reading ends when something in it is read again,
// or when nothing is read for a while. It may take some time, as a walk through /proc does.
func readings[T recording.Row, K comparable](rows []T, id func(T) K) (list [][]T) {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b T) int { return recording.TimeOf(&a).Compare(recording.TimeOf(&b)) })
	begin, seen := 0, map[K]bool{}
	for i := range rows {
		k := id(rows[i])
		if i > begin && (seen[k] || recording.TimeOf(&rows[i]).Sub(recording.TimeOf(&rows[i-1])) > pause) {
			list = append(list, rows[begin:i])
			begin = i
			clear(seen)
		}
		seen[k] = true
	}
	if begin < len(rows) {
		list = append(list, rows[begin:])
	}
	return list
}

// traced is a count of a stretch of time per second of what of it was watched; 0 traced: all of it.
func traced(n float64, span, traced time.Duration) float64 {
	if traced > 0 {
		span = traced
	}
	if span <= 0 {
		return view.Unknown
	}
	return n / span.Seconds()
}

// combined is the growth of a sum of counters, which are rows of their own, per growth of another
// one; per nil: per second. Numbers are by what the counters are multiplied.
func combined[T recording.Row](counter func(T) (thing, name string, value float64), counts, per map[string]float64) *Reader {
	type reading struct {
		at          time.Time
		counts, per float64
		known       int
	}
	whose := func(r T) ([]string, bool) {
		thing, name, _ := counter(r)
		return []string{thing}, counts[name] != 0 || per[name] != 0
	}
	return series(whose, func(v *view.View, rows []T) (points []Point) {
		var row T
		var before reading
		for i := 0; i < len(rows); {
			now := reading{at: recording.TimeOf(&rows[i])}
			for ; i < len(rows) && recording.TimeOf(&rows[i]).Equal(now.at); i++ {
				if _, name, x := counter(rows[i]); view.Known(x) {
					now.counts += counts[name] * x
					now.per += per[name] * x
					now.known++
				}
			}
			if n, d := now.counts-before.counts, now.per-before.per; before.known == now.known && now.known > 0 && n >= 0 {
				if per == nil {
					d = v.Covered(row.Table(), before.at, now.at).Seconds()
				}
				if d > 0 {
					points = append(points, Point{now.at, n / d})
				}
			}
			before = now
		}
		return points
	})
}

// each are counters of which each counts once.
func each(names ...string) map[string]float64 {
	m := make(map[string]float64, len(names))
	for _, n := range names {
		m[n] = 1
	}
	return m
}

// maxBins bounds the stretches in which events of a view are counted.
const maxBins = 3600

// events counts what happened in each whole second of the view, of long ones in longer stretches:
// list tells when it did, and to what.
func events(table recording.Table, list func(v *view.View, add func(at time.Time, labels ...string))) *Reader {
	return &Reader{Table: table, Unit: "per second", Read: func(v *view.View) (all []Series) {
		width := max((v.End().Sub(v.Start())/maxBins).Truncate(time.Second), 0) + time.Second
		first := v.Start().Truncate(width)
		if first.Before(v.Start()) {
			first = first.Add(width)
		}
		n := int64(v.End().Sub(first) / width)
		if n <= 0 {
			return nil
		}
		labels, counts := map[string][]string{}, map[string][]float64{}
		list(v, func(at time.Time, names ...string) {
			i := int64(at.Sub(first) / width)
			if at.Before(first) || i >= n {
				return
			}
			key := strings.Join(names, "\x00")
			if counts[key] == nil {
				if len(counts) >= maxThings {
					return
				}
				labels[key], counts[key] = names, make([]float64, n)
			}
			counts[key][i]++
		})
		for _, key := range slices.Sorted(maps.Keys(counts)) {
			s := Series{Labels: labels[key]}
			for i, x := range counts[key] {
				s.Points = append(s.Points, Point{first.Add(time.Duration(i+1) * width), x / width.Seconds()})
			}
			all = append(all, s)
		}
		return all
	}}
}
