package view

import (
	"rtrail/internal/recording"
)

// Counters are the protocol counters of one network namespace over the window.
type Counters struct {
	NetNS   uint64
	Seconds float64 // between the first and the last reading
	delta   map[string]float64
	last    map[string]int64
}

// Delta is how much a counter grew in the window, 0 when it is not known. The
// name is the one nstat prints: "TcpExtListenOverflows".
func (c Counters) Delta(name string) float64 { return c.delta[name] }

// Deltas is how much each counter grew in the window, by name. The map is shared:
// callers must not change it.
func (c Counters) Deltas() map[string]float64 { return c.delta }

// Known says whether a counter was read at least twice.
func (c Counters) Known(name string) bool {
	_, ok := c.delta[name]
	return ok
}

// Last is the last reading of a counter or gauge.
func (c Counters) Last(name string) (int64, bool) {
	n, ok := c.last[name]
	return n, ok
}

// Rate is Delta per second.
func (c Counters) Rate(name string) float64 {
	if c.Seconds <= 0 {
		return 0
	}
	return c.delta[name] / c.Seconds
}

// Counters lists the protocol counters of every network namespace.
func (v *View) Counters() []Counters {
	return Memo(v, "protocol-counters", func() []Counters {
		spaces, byNS := Group(Rows[recording.ProtocolSample](v), func(s recording.ProtocolSample) uint64 { return s.NetNS })
		list := make([]Counters, 0, len(spaces))
		for _, ns := range spaces {
			c := Counters{NetNS: ns, delta: map[string]float64{}, last: map[string]int64{}}
			c.Seconds = Elapsed(byNS[ns]).Seconds()
			names, series := Group(byNS[ns], func(s recording.ProtocolSample) string { return s.Protocol + s.Name })
			for _, name := range names {
				readings := series[name]
				c.last[name] = readings[len(readings)-1].Value
				if d, ok := Delta(readings, func(s recording.ProtocolSample) int64 { return s.Value }); ok {
					c.delta[name] = d
				}
			}
			list = append(list, c)
		}
		return list
	})
}

// CountersOf is the protocol counters of one network namespace.
func (v *View) CountersOf(ns uint64) Counters {
	for _, c := range v.Counters() {
		if c.NetNS == ns {
			return c
		}
	}
	return Counters{NetNS: ns}
}
