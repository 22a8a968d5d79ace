// Package summary sums up what the engine finds: per second and service, per
// statement, connection, client and server, and keeps the slowest transactions.
// Its memory is bounded by what is told apart, not by the length of a capture.
package summary

import (
	"cmp"
	"slices"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/sums"
)

// Options is what a summary keeps.
type Options struct {
	// ByAddress tells servers with one port apart by their addresses.
	ByAddress   bool
	Slowest     int // transactions kept; 0: 10
	Connections int // connections kept, the worst ones; 0: 1000
	Statements  int // told apart; 0: 5000; further ones are counted as one for each service, of at most as many services
	Clients     int // addresses told apart; 0: 10000
	// Keep tells which transactions count; nil: all.
	Keep func(*rt.Transaction) bool
	// Second is given each second of each service once it is over, ascending in
	// time. It may be nil. It is called by one goroutine at a time.
	Second func(*Second)
	// Passed is told, after Second was given them, before which second (since
	// 1970) everything is over. It may be nil.
	Passed func(before int64)
	// Nesting asks for Summary.Nestings.
	Nesting bool
	// Ports restricts everything to these server ports; empty: all.
	Ports []uint16
}

func (o Options) filled() Options {
	defaultTo := func(n *int, v int) {
		if *n <= 0 {
			*n = v
		}
	}
	defaultTo(&o.Slowest, 10)
	defaultTo(&o.Connections, 1000)
	defaultTo(&o.Statements, 5000)
	defaultTo(&o.Clients, 10000)
	return o
}

// Service is where requests go to.
type Service struct {
	Server flow.Endpoint // Addr is zero unless servers are told apart by it
	Proto  string
}

// Total is a service, client or server over the whole capture.
type Total struct {
	rt.Stats
	sums.Path
	IdleTimes      rt.Histogram // of Transaction.Pause, where there is one
	Packets, Bytes uint64       // of the transactions
	Connections    uint64
	Refused        uint64 // connections that were answered by RST
	NoHandshake    uint64 // connections whose SYN was never answered
	SlowConnects   uint64 // connections whose SYN or SYN-ACK was sent more than once
	Resets         uint64 // connections that ended by RST
}

func (t *Total) merge(o *Total) {
	t.Stats.Merge(&o.Stats)
	t.Path.Add(&o.Path)
	t.IdleTimes.Merge(&o.IdleTimes)
	t.Packets += o.Packets
	t.Bytes += o.Bytes
	t.Connections += o.Connections
	t.Refused += o.Refused
	t.NoHandshake += o.NoHandshake
	t.SlowConnects += o.SlowConnects
	t.Resets += o.Resets
}

// StatementKey tells statements apart.
type StatementKey struct {
	Service
	Command, Fingerprint string
}

// Statement is a statement over the whole capture.
type Statement struct {
	rt.Stats
	First    int64          // when it was first sent
	Slowest  rt.Transaction // of those whose times count
	Errors   map[ErrorKind]*Errors
	Others   Errors // of kinds that are not told apart: there were too many
	Error    string // text of the first error
	Clients  map[flow.Addr]struct{}
	Overflow bool // more clients or codes than are told apart
	Runs     Runs
	// IdleTimes are how long clients waited before they sent it; of statements
	// that end a database transaction only, nil for others.
	IdleTimes *rt.Histogram
}

// Connection is a connection that has ended.
type Connection struct {
	rt.Connection
	// Badness orders connections by how much a user would want to see them: by the
	// time that was waited on them, in seconds, where what clearly went wrong
	// weighs a second each, after which people give up.
	Badness float64
}

// Summary is everything that was kept.
type Summary struct {
	Services    map[Service]*Total
	Clients     map[flow.Addr]*Total
	Servers     map[flow.Endpoint]*Total
	Statements  map[StatementKey]*Statement
	Connections []*Connection     // the worst, by Badness
	Slowest     []rt.Transaction  // the slowest, descending
	Failures    []rt.Transaction  // the first ones that failed, ascending by time
	Disconnect  *rt.Connection    // whose first FIN or RST came first while something was asked or answered, nil if none
	Interrupted []Interrupted     // connections closed in the middle of a request, ascending by time; the first ones of each worker
	Broken      uint64            // how many there were in all
	Seen        uint64            // connections
	LeftOut     map[uint16]uint64 // connections to other ports than those asked for, of at most maxLeftOut ports
	Folded      uint64            // services beyond those that are told apart; they are summed up as the zero Service. One that came again counts again
	Nestings    []*Nesting        // what hosts ask while they answer, by time covered
	Missed      int64             // bytes of streams that were acknowledged but not captured
	OneWay      uint64            // connections with data of which only one direction was captured
	Midway      uint64            // connections that had begun before the capture
	Guessed     uint64            // of these, those whose server is only known by the lower port
}

// Collectors makes one collector per worker and merges them in the end.
type Collectors struct {
	options Options
	list    []*Collector
	seconds *seconds
	nester  *nester
}

// New prepares for a number of workers.
func New(workers int, o Options) *Collectors {
	c := &Collectors{options: o.filled(), nester: newNester()}
	c.seconds = newSeconds(workers, o.Second, o.Passed)
	for i := range workers {
		c.list = append(c.list, newCollector(i, c))
	}
	return c
}

// Worker is the collector of a worker.
func (c *Collectors) Worker(i int) *Collector { return c.list[i] }

// Result merges everything; the engine must have ended.
func (c *Collectors) Result() *Summary {
	sum := newSummary()
	for i, w := range c.list {
		c.seconds.deposit(i, endOfTime, w.open)
		c.nester.add(w.spans)
		for place, t := range w.places {
			total(sum.Services, w.service(place.Server, place.Proto)).merge(t)
			total(sum.Servers, place.Server).merge(t)
		}
		w.places = nil
		sum.merge(w.sum, c.options)
	}
	sum.Folded += fold(sum.Services, Service.compare)
	fold(sum.Servers, func(a, b flow.Endpoint) int { return Service{Server: a}.compare(Service{Server: b}) })
	sum.sort()
	sum.Nestings = c.nester.result()
	return sum
}

// maxLeftOut bounds Summary.LeftOut; each worker keeps that many.
const maxLeftOut = 100

func newSummary() *Summary {
	return &Summary{
		Services: map[Service]*Total{}, Clients: map[flow.Addr]*Total{},
		Servers: map[flow.Endpoint]*Total{}, Statements: map[StatementKey]*Statement{}, LeftOut: map[uint16]uint64{},
	}
}

func (s *Summary) merge(o *Summary, options Options) {
	mergeTotals(s.Clients, o.Clients)
	for k, v := range o.Statements {
		if mine := s.Statements[k]; mine != nil {
			mine.merge(v)
		} else {
			s.Statements[k] = v
		}
	}
	s.Connections = append(s.Connections, o.Connections...)
	s.Slowest = append(s.Slowest, o.Slowest...)
	s.Failures = append(s.Failures, o.Failures...)
	if o.Disconnect != nil && (s.Disconnect == nil || o.Disconnect.Closer.At < s.Disconnect.Closer.At) {
		s.Disconnect = o.Disconnect
	}
	s.Interrupted = append(s.Interrupted, o.Interrupted...)
	s.Broken += o.Broken
	s.Seen += o.Seen
	for port, n := range o.LeftOut {
		s.LeftOut[port] += n
	}
	s.Folded += o.Folded
	s.Missed += o.Missed
	s.OneWay += o.OneWay
	s.Midway += o.Midway
	s.Guessed += o.Guessed
	s.cut(options)
}

func mergeTotals[K comparable](into, from map[K]*Total) {
	for k, v := range from {
		if mine := into[k]; mine != nil {
			mine.merge(v)
		} else {
			into[k] = v
		}
	}
}

// cut keeps lists within their bounds.
func (s *Summary) cut(o Options) {
	s.sort()
	s.Slowest = s.Slowest[:min(len(s.Slowest), o.Slowest)]
	s.Failures = s.Failures[:min(len(s.Failures), o.Slowest)]
	s.Interrupted = s.Interrupted[:min(len(s.Interrupted), o.Slowest)]
	s.Connections = s.Connections[:min(len(s.Connections), o.Connections)]
}

func (s *Summary) sort() {
	slices.SortFunc(s.Slowest, func(a, b rt.Transaction) int {
		return cmp.Or(cmp.Compare(b.RT, a.RT), cmp.Compare(a.ID, b.ID))
	})
	slices.SortFunc(s.Interrupted, func(a, b Interrupted) int {
		return cmp.Or(cmp.Compare(a.Closer.At, b.Closer.At), cmp.Compare(a.ID, b.ID))
	})
	slices.SortFunc(s.Failures, func(a, b rt.Transaction) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.ID, b.ID))
	})
	slices.SortFunc(s.Connections, func(a, b *Connection) int {
		return cmp.Or(cmp.Compare(b.Badness, a.Badness), cmp.Compare(a.ID, b.ID))
	})
}

func badness(c *rt.Connection) float64 {
	wrong := float64(c.SYNs) - 1
	if c.Refused || c.Closer.Reset || c.CloseState == rt.Crossed {
		wrong++
	}
	for i := range c.Sides {
		side := &c.Sides[i]
		wrong += float64(side.Retransmissions)/10 + side.ZeroWindowTime.Seconds() + side.DelayedACKTime.Seconds()
	}
	return c.Requests.Sum.Seconds() + max(wrong, 0)
}
