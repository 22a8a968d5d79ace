package view

import (
	"time"

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
		var spaces []*countedSpace
		byNS := map[uint64]*countedSpace{}
		rows := Rows[recording.ProtocolSample](v)
		for i := range rows {
			r := &rows[i]
			s := byNS[r.NetNS]
			if s == nil {
				s = &countedSpace{ns: r.NetNS, first: r.At, number: map[[2]string]int{}}
				byNS[r.NetNS] = s
				spaces = append(spaces, s)
			}
			s.add(r)
		}
		list := make([]Counters, 0, len(spaces))
		for _, s := range spaces {
			list = append(list, s.counters())
		}
		return list
	})
}

// countedSpace adds up the counters of one network namespace.
type countedSpace struct {
	ns          uint64
	first, last time.Time
	number      map[[2]string]int // of a protocol and a name in list
	list        []counted
	next        int // the one that followed the last one in the sample before
}

type counted struct {
	protocol, name string
	readings       counting
	last           int64
}

// add takes the next row. Samples list their counters in the same order, so
// that the name need hardly ever be looked up.
func (s *countedSpace) add(r *recording.ProtocolSample) {
	s.last = r.At
	n := s.next
	if n >= len(s.list) {
		n = 0
	}
	if n >= len(s.list) || s.list[n].name != r.Name || s.list[n].protocol != r.Protocol {
		key := [2]string{r.Protocol, r.Name}
		known := false
		if n, known = s.number[key]; !known {
			n = len(s.list)
			s.number[key] = n
			s.list = append(s.list, counted{protocol: r.Protocol, name: r.Name})
		}
	}
	s.list[n].readings.add(float64(r.Value))
	s.list[n].last = r.Value
	s.next = n + 1
}

func (s *countedSpace) counters() Counters {
	c := Counters{NetNS: s.ns, Seconds: s.last.Sub(s.first).Seconds(),
		delta: make(map[string]float64, len(s.list)), last: make(map[string]int64, len(s.list))}
	for i := range s.list {
		x := &s.list[i]
		name := x.protocol + x.name
		c.last[name] = x.last
		if x.readings.seen >= 2 {
			c.delta[name] = x.readings.delta
		}
	}
	return c
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
