package diff

import (
	"strconv"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/view"
)

var (
	meanTime    = &Quantity{ID: "service.response-time", Name: "response time of the service, mean", Unit: "s", Per: "request", floor: 0.02, least: "twenty requests", of: ofPackets}
	slowTime    = &Quantity{ID: "service.response-time-p99", Name: "response time of the service, 99th percentile", Unit: "s", Per: "request", floor: 0.02, least: "a hundred requests of whole intervals", of: ofPackets}
	segments    = &Quantity{ID: "service.packets", Name: "packets with data of the service", Per: "request", floor: 50, least: leastRequests, of: ofPackets}
	connections = &Quantity{ID: "service.connections", Name: "connections to the service", Per: "request", floor: 1, least: leastRequests, of: ofPackets}
	calls       = &Quantity{ID: "service.calls", Name: "round trips to another service", Per: "request", floor: 5, least: "twenty requests that call another service", of: ofPackets}
)

var packetQuantities = []*Quantity{meanTime, slowTime, segments, connections, calls}

const leastRequests = "twenty requests of whole intervals"

// minForP99 is how many requests a 99th percentile needs: of fewer it is the longest one.
const minForP99 = 100

// servicesOf are those of packets: as the window calls them, and in words that also fit another
// host.
func servicesOf(v *view.View) map[string]string {
	list := map[string]string{}
	for _, s := range v.PacketServices() {
		list[s.Name()] = s.Proto + " on port " + strconv.Itoa(int(s.Port))
	}
	return list
}

// packets adds what captures saw.
func (m *measured) packets() {
	for _, s := range m.whole.PacketServices() {
		m.sources[ofPackets] = true
		for i, x := range m.answered(s) {
			if x.requests >= minRequests {
				m.addTo(i, name{quantity: meanTime, who: m.services[s.Name()]}, x.took, x.requests)
			}
		}
	}
	for i, v := range m.captures() {
		if v == nil {
			continue
		}
		for _, s := range v.PacketServices() {
			if who := m.services[s.Name()]; who != "" {
				m.service(i, s, who)
			}
		}
		for _, n := range v.PacketNestings() {
			if n.Requests >= minRequests {
				who := "port " + strconv.Itoa(int(n.Port)) + " to port " + strconv.Itoa(int(n.CalleePort))
				m.addTo(i, name{quantity: calls, who: who}, float64(n.Calls), float64(n.Requests))
			}
		}
	}
}

// service adds what the intervals of a part tell of a service.
func (m *measured) service(i int, s *view.PacketService, who string) {
	if n := float64(s.Count); n >= minForP99 {
		m.addTo(i, name{quantity: slowTime, who: who}, s.RTP99.Seconds()*n, n)
	}
	asked, answered := s.Sent("client"), s.Sent("server")
	if n := float64(asked.Transactions + asked.Excluded); n >= minRequests {
		m.addTo(i, name{quantity: segments, who: who}, float64(asked.Segments+answered.Segments), n)
		m.addTo(i, name{quantity: connections, who: who}, float64(asked.Begun), n)
	}
}

// answered is how many requests a service answered in a part, and how long that took in all, in
// seconds.
type answered struct{ requests, took float64 }

// answered sums up the seconds of a service by part.
func (m *measured) answered(s *view.PacketService) (parts [Parts]answered) {
	for j := range s.Seconds {
		row := &s.Seconds[j]
		if i, ok := m.partOf(row.At.Add(time.Second / 2)); ok {
			parts[i].requests += float64(row.Count)
			parts[i].took += row.RTSum.Seconds()
		}
	}
	return parts
}

// requestsInPackets are those of all services in a part.
func (m *measured) requestsInPackets(i int) (n float64, ok bool) {
	parts := view.Memo(m.whole, "diff/requests in packets", func() (all [Parts]float64) {
		for _, s := range m.whole.PacketServices() {
			for i, x := range m.answered(s) {
				all[i] += x.requests
			}
		}
		return all
	})
	return parts[i], len(m.whole.PacketServices()) > 0
}

// captures are views of the intervals of captures whose middle lies in each part; nil: of none.
// An interval counts in one part only, or parts would agree because they are told by the same packets.
func (m *measured) captures() (list [Parts]*view.View) {
	intervals := map[int64]recording.Window{}
	for _, c := range recording.Rows[recording.PacketCapture](m.side.Recording) {
		if c.Interval.IsZero() || c.At.IsZero() {
			continue // all of a capture has no parts
		}
		w := intervals[c.Captured()]
		w.Add(c.At)
		w.Add(c.Last)
		intervals[c.Captured()] = w
	}
	var middles [Parts]recording.Window
	for _, w := range intervals {
		middle := w.From.Add(w.To.Sub(w.From) / 2)
		if i, ok := m.partOf(middle); ok {
			middles[i].Add(middle)
		}
	}
	for i, w := range middles {
		if !w.From.IsZero() {
			list[i] = view.New(m.side.Recording, w.From, w.To)
		}
	}
	return list
}
