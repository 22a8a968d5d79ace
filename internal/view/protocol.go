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

// Delta is how much a counter grew in the window; Unknown when it was not read
// twice, as one that this kernel does not have. The name is the one nstat prints:
// "TcpExtListenOverflows".
func (c Counters) Delta(name string) float64 {
	if d, ok := c.delta[name]; ok {
		return d
	}
	return Unknown
}

// AtLeast is Delta as a lower bound: what is not counted has not happened as far
// as one can tell.
func (c Counters) AtLeast(name string) float64 { return OrZero(c.Delta(name)) }

// Deltas is how much each counter grew in the window, by name. The map is shared:
// callers must not change it.
func (c Counters) Deltas() map[string]float64 { return c.delta }

// Last is the last reading of a counter or gauge.
func (c Counters) Last(name string) (int64, bool) {
	n, ok := c.last[name]
	return n, ok
}

// Rate is Delta per second; Unknown when it cannot be told.
func (c Counters) Rate(name string) float64 {
	if c.Seconds <= 0 {
		return Unknown
	}
	return c.Delta(name) / c.Seconds
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
