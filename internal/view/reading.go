package view

import (
	"slices"

	"rtrail/internal/recording"
)

// Readings lists what Rows lists, without making the rows that repeat others.
func Readings[T recording.Row](v *View) []recording.Reading[T] {
	var zero T
	stretch := recording.StretchOf[T]()
	return Memo(v, "readings "+string(zero.Table()), func() []recording.Reading[T] {
		return slices.DeleteFunc(recording.Readings[T](v.rec), func(r recording.Reading[T]) bool {
			return !v.counts(r.At(), stretch(r.Of()))
		})
	})
}

// seriesOf splits readings into one series per thing, each in the order of
// reading, in the order in which things first appear. All series share one list.
func seriesOf[K comparable, T recording.Row](all []recording.Reading[T], key func(*T) K) [][]recording.Reading[T] {
	// Most things are there in the first sample: the maps need not grow.
	things := slices.IndexFunc(all, func(r recording.Reading[T]) bool { return r.At().Sub(all[0].At()) > sameMoment })
	if things < 0 {
		things = len(all)
	}
	byKey, byRow := make(map[K]int32, things), make(map[*T]int32, things)
	of := make([]int32, len(all)) // which series each reading belongs to
	var sizes []int
	for i, r := range all {
		// To look up a pointer is far cheaper than to look up addresses and names.
		n, ok := byRow[r.Of()]
		if !ok {
			k := key(r.Of())
			if n, ok = byKey[k]; !ok {
				n = int32(len(sizes))
				byKey[k] = n
				sizes = append(sizes, 0)
			}
			byRow[r.Of()] = n
		}
		of[i] = n
		sizes[n]++
	}
	list := make([]recording.Reading[T], len(all))
	series := make([][]recording.Reading[T], len(sizes))
	for n, size := range sizes {
		series[n], list = list[:0:size], list[size:]
	}
	for i, r := range all {
		series[of[i]] = append(series[of[i]], r)
	}
	return series
}
