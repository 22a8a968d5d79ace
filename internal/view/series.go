package view

import (
	"slices"
	"sync"
	"time"

	"rtrail/internal/recording"
)

// Rows returns the rows of T that count in the window, in the order of reading, and those
// from before it of tables whose rows hold until the thing is read again. The
// slice is shared: callers must not change it.
func Rows[T recording.Row](v *View) []T {
	all := recording.Rows[T](v.rec)
	var zero T
	lasts, stretch := recording.Lasts(zero.Table()), recording.StretchOf[T]()
	inside := func(r T) bool {
		at := recording.TimeOf(&r)
		return v.counts(at, stretch(&r)) || lasts && at.Before(v.start)
	}
	first := slices.IndexFunc(all, inside)
	if first < 0 {
		return []T{}
	}
	// Rows come in the order of time but for the moments of one sample, so that
	// the window usually is a piece of the table; tables of sockets are large.
	end := first
	for end < len(all) && inside(all[end]) {
		end++
	}
	in := slices.Clip(all[first:end])
	for _, r := range all[end:] {
		if inside(r) {
			in = append(in, r)
		}
	}
	return in
}

// Group splits rows into one series per key, each in the order of reading, and
// keeps the order in which keys first appear. All series share one list, which
// is made at its final size: lists that grow leave their weight in garbage.
func Group[K comparable, T recording.Row](rows []T, key func(T) K) (keys []K, series map[K][]T) {
	number := map[K]int32{}
	of := make([]int32, len(rows)) // which key each row has
	var sizes []int
	for i := range rows {
		k := key(rows[i])
		n, seen := number[k]
		if !seen {
			n = int32(len(keys))
			number[k] = n
			keys = append(keys, k)
			sizes = append(sizes, 0)
		}
		of[i] = n
		sizes[n]++
	}
	list, lists := make([]T, len(rows)), make([][]T, len(keys))
	for n, size := range sizes {
		lists[n], list = list[:0:size], list[size:]
	}
	for i := range rows {
		lists[of[i]] = append(lists[of[i]], rows[i])
	}
	series = make(map[K][]T, len(keys))
	for n, k := range keys {
		series[k] = lists[n]
	}
	return keys, series
}

// Elapsed is the time between the first and the last row of a series; 0 with
// fewer than two.
func Elapsed[T recording.Row](series []T) time.Duration {
	if len(series) < 2 {
		return 0
	}
	return recording.TimeOf(&series[len(series)-1]).Sub(recording.TimeOf(&series[0]))
}

// steady is the share of the intervals between readings in which a counter
// grew by at least so much per second. Readings below 0 are no readings.
func steady[T recording.Row](series []T, perSecond float64, value func(T) float64) float64 {
	if len(series) < 2 {
		return 0
	}
	n := 0
	for i := 1; i < len(series); i++ {
		before, now := value(series[i-1]), value(series[i])
		if before >= 0 && now-before >= perSecond*Elapsed(series[i-1:i+1]).Seconds() {
			n++
		}
	}
	return float64(n) / float64(len(series)-1)
}

// Number is what counters are made of.
type Number interface {
	~int | ~int32 | ~int64 | ~uint8 | ~uint32 | ~uint64 | ~float64
}

// Delta is how much a counter grew over a series. A reading lower than the one
// before is a reset; what was counted since is added. Negative readings mean
// "not readable" and are left out; ok is false with fewer than two readings.
func Delta[T any, N Number](series []T, value func(T) N) (delta float64, ok bool) {
	var c counting
	for _, r := range series {
		c.add(float64(value(r)))
	}
	return c.delta, c.seen >= 2
}

// counting is what Delta knows after some readings.
type counting struct {
	last, delta float64
	seen        int
}

func (c *counting) add(now float64) {
	if now < 0 {
		return
	}
	if c.seen > 0 {
		if now >= c.last {
			c.delta += now - c.last
		} else {
			c.delta += now
		}
	}
	c.last, c.seen = now, c.seen+1
}

// Rate is Delta per second that the series covers; Unknown when it cannot be told.
func Rate[T recording.Row, N Number](v *View, series []T, value func(T) N) float64 {
	seconds := Covered(v, series).Seconds()
	delta, ok := Delta(series, value)
	if !ok || seconds <= 0 {
		return Unknown
	}
	return delta / seconds
}

// memo keeps answers that several rules ask for.
type memo struct {
	mu      sync.Mutex
	answers map[string]any
}

// Memo computes an answer once per view.
func Memo[A any](v *View, key string, compute func() A) A {
	v.memo.mu.Lock()
	have, ok := v.memo.answers[key]
	v.memo.mu.Unlock()
	if ok {
		return have.(A)
	}
	answer := compute()
	v.memo.mu.Lock()
	defer v.memo.mu.Unlock()
	if v.memo.answers == nil {
		v.memo.answers = map[string]any{}
	}
	v.memo.answers[key] = answer
	return answer
}
