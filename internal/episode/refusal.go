package episode

import (
	"maps"
	"slices"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/refusal"
	"rtrail/internal/view"
)

// RefusalTables are those whose counters tell most of refused work.
var RefusalTables = []recording.Table{recording.Protocol, recording.VMStat, recording.NetDevices, recording.Conntrack}

// Refusal is a stretch of time in which work was refused, or packets were lost.
type Refusal struct {
	From, To time.Time
	Rate     float64 // of the counter that rose most, per second
}

const (
	// A namespace loses packets that sends that many, and that share of its segments, again.
	minRepeats, lossy = 10, 0.01
	// late is how long after the beginning of a step the first readings in it may be: samples come a second
	// apart, and each namespace is read at a moment of its own.
	late = 2 * time.Second
)

// Refusals finds them step by step, in the order of time: each by the growth of counters from their first
// readings in a step to those in the next one.
func Refusals(rec *recording.Recording, step time.Duration) (list []Refusal) {
	steps := map[int64]*recording.Writer{}
	shareOut[recording.ProtocolSample](rec, step, steps)
	shareOut[recording.VMStatSample](rec, step, steps)
	shareOut[recording.NetDeviceSample](rec, step, steps)
	shareOut[recording.ConntrackSample](rec, step, steps)
	for _, n := range slices.Sorted(maps.Keys(steps)) {
		both := recording.New(rec.Manifest())
		_ = both.Commit(steps[n]) // memory takes all
		from := time.Unix(0, n*int64(step))
		if rate := refused(view.New(both, from, from.Add(2*step))); rate > 0 {
			list = append(list, Refusal{from, from.Add(step), rate})
		}
	}
	return list
}

// shareOut gives each step, by its number since 1970, the rows of its time, and the first ones of the next step.
func shareOut[T recording.Row](rec *recording.Recording, step time.Duration, steps map[int64]*recording.Writer) {
	add := func(n int64, row T) {
		if steps[n] == nil {
			steps[n] = recording.NewWriter(recording.TimeOf(&row))
		}
		recording.Append(steps[n], row)
	}
	last, first := int64(0), time.Time{} // step, and when it was read first
	for _, row := range recording.Rows[T](rec) {
		at := recording.TimeOf(&row)
		n := at.UnixNano() / int64(step)
		if first.IsZero() || n != last {
			last, first = n, at
		}
		add(n, row)
		if at.Sub(first) < late {
			add(n-1, row)
		}
	}
}

// refused is how fast the counter of refused or lost work grew that grew most, per second; 0: none did by
// more than is everyday life.
func refused(v *view.View) (rate float64) {
	if risen := refusal.Rising(v); len(risen) > 0 {
		rate = risen[0].Rate
	}
	for _, c := range v.Counters() {
		if again := c.AtLeast("TcpRetransSegs"); again >= minRepeats && again >= lossy*c.AtLeast("TcpOutSegs") && c.Seconds > 0 {
			rate = max(rate, again/c.Seconds)
		}
	}
	return rate
}
