package view

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/rt"
	"rtrail/internal/recording"
)

// PacketService is one service over the whole capture.
type PacketService struct {
	Server string
	Port   uint16
	Proto  string
	// Sums over all seconds; RTP50, RTP95 and RTP99 are of the whole capture.
	recording.PacketService
	Seconds   []recording.PacketService // ascending; without those in which nothing happened
	Histogram []rt.Bucket               // of response times
	IdleTimes []rt.Bucket               // of how long clients that had their answer asked nothing
	// Connections are those of the recording that went to this service: all, or
	// the worst where a capture had thousands.
	Connections []*PacketConnection
	// Directions are sums over all connections, by client and sender: shares are
	// taken of these. In recordings of older versions they sum up Connections.
	Directions []recording.PacketDirection
	// Waiting are requests that waited for it when the last interval of the window ended.
	Waiting []recording.PacketUnanswered
}

// Name is ADDRESS:PORT with the protocol, as a finding names it.
func (s *PacketService) Name() string {
	name := s.Server + ":" + strconv.Itoa(int(s.Port))
	if s.Proto == "" {
		return name
	}
	return s.Proto + " " + name
}

// Quantile is the response time that a share q does not exceed, to within one
// percent; five in recordings of older versions, whose buckets are wider.
// It is never outside of what was seen, which the middle of a bucket may be.
func (s *PacketService) Quantile(q float64) time.Duration {
	d := quantile(s.Histogram, q)
	if s.Count == 0 {
		return d
	}
	return min(max(d, s.RTMin), s.RTMax)
}

// IdleQuantile is the same of the times in which a client had its answer and
// asked nothing.
func (s *PacketService) IdleQuantile(q float64) time.Duration { return quantile(s.IdleTimes, q) }

// Pauses is how many such times there were: requests that were sent ahead of the
// answer to the one before have none.
func (s *PacketService) Pauses() int64 {
	n := int64(0)
	for _, b := range s.IdleTimes {
		n += int64(b.Count)
	}
	return n
}

// Modes are the humps of its response times, each at its median, as rtrail
// packets --histogram prints them.
func (s *PacketService) Modes() []rt.Mode {
	modes := rt.Modes(s.Histogram)
	for i, at := range rt.Centers(s.Histogram, modes) {
		modes[i].At = at
	}
	return modes
}

// PacketConnection is one connection with both of its sides.
type PacketConnection struct {
	recording.PacketConnection
	FromClient, FromServer recording.PacketSide
}

// Seconds is how long it was seen.
func (c *PacketConnection) Seconds() float64 { return c.Last.Sub(c.At).Seconds() }

// Mean is the mean response time; 0 without transactions.
func (c *PacketConnection) Mean() time.Duration {
	if c.Transactions == 0 {
		return 0
	}
	return c.RTSum / time.Duration(c.Transactions)
}

// PacketCaptures are the captures of the recording.
func (v *View) PacketCaptures() []recording.PacketCapture {
	return overIntervals[recording.PacketCapture](v)
}

// PacketStatements are the statements of the captures, those that took most
// time in all first. The list is everybody's.
func (v *View) PacketStatements() []recording.PacketStatement {
	return Memo(v, "packet statements", func() []recording.PacketStatement {
		list := slices.Clone(overIntervals[recording.PacketStatement](v))
		slices.SortStableFunc(list, func(a, b recording.PacketStatement) int { return cmp.Compare(b.RTSum, a.RTSum) })
		return list
	})
}

// PacketErrors are the errors that the statements of the captures were answered
// by, by statement and code.
func (v *View) PacketErrors() []recording.PacketError {
	return overIntervals[recording.PacketError](v)
}

// PacketTransactions are the transactions of the recording: the slowest, and
// some that failed.
func (v *View) PacketTransactions() []recording.PacketTransaction {
	return captured[recording.PacketTransaction](v)
}

// PacketStalls are the times in which services answered no request.
func (v *View) PacketStalls() []recording.PacketStall {
	return overIntervals[recording.PacketStall](v)
}

// PacketNestings say which requests caused which.
func (v *View) PacketNestings() []recording.PacketNesting {
	return overIntervals[recording.PacketNesting](v)
}

// ConnectionsComplete says whether PacketConnections are all connections of the
// captures; else they are the worst.
func (v *View) ConnectionsComplete() bool {
	seen := map[int64]int64{} // of each interval
	for _, c := range captured[recording.PacketCapture](v) {
		seen[c.Captured()] += c.Connections - c.Resting
	}
	for _, c := range captured[recording.PacketConnection](v) {
		seen[c.Captured()]--
	}
	for _, left := range seen {
		if left > 0 {
			return false
		}
	}
	return true
}

// PacketServices are the services of the captures, those that were waited for
// longest first.
func (v *View) PacketServices() []*PacketService {
	return Memo(v, "packet services", v.packetServices)
}

// PacketServicesAt are those on a port of an address, one for each protocol.
func (v *View) PacketServicesAt(server string, port uint16) []*PacketService {
	type place struct {
		server string
		port   uint16
	}
	by := Memo(v, "packet services by place", func() map[place][]*PacketService {
		_, by := Group(v.PacketServices(), func(s *PacketService) place { return place{s.Server, s.Port} })
		return by
	})
	return by[place{server, port}]
}

func (v *View) packetServices() []*PacketService {
	type key struct {
		server string
		port   int32
		proto  string
	}
	known := map[key]*PacketService{}
	var list []*PacketService
	service := func(server string, port int32, proto string) *PacketService {
		k := key{server, port, proto}
		s := known[k]
		if s == nil {
			s = &PacketService{Server: server, Port: uint16(port), Proto: proto}
			known[k] = s
			list = append(list, s)
		}
		return s
	}
	for _, row := range overIntervals[recording.PacketService](v) {
		s := service(row.Server, row.ServerPort, row.Proto)
		s.Seconds = append(s.Seconds, row)
		s.PacketService.Add(&row)
	}
	for _, row := range overIntervals[recording.PacketHistogram](v) {
		s := service(row.Server, row.ServerPort, row.Proto)
		b := rt.Bucket{From: row.From, To: row.To, Count: uint64(row.Count)}
		if row.Phase == "idle" {
			s.IdleTimes = append(s.IdleTimes, b)
		} else {
			s.Histogram = append(s.Histogram, b)
		}
	}
	for _, c := range v.PacketConnections() {
		s := service(c.Server, c.ServerPort, c.Proto)
		s.Connections = append(s.Connections, c)
	}
	for _, row := range overIntervals[recording.PacketDirection](v) {
		s := service(row.Server, row.ServerPort, row.Proto)
		s.Directions = append(s.Directions, row)
	}
	for _, row := range newest[recording.PacketUnanswered](v) {
		s := service(row.Server, row.ServerPort, row.Proto)
		s.Waiting = append(s.Waiting, row)
	}
	// Those that a capture had too many of to tell them apart are rows of a service
	// without address and port. It is nobody who could be judged.
	list = slices.DeleteFunc(list, func(s *PacketService) bool { return s.Port == 0 && s.Server == flow.Addr{}.String() })
	for _, s := range list {
		if len(s.Directions) == 0 {
			s.Directions = directionsOf(s.Connections)
		}
		for _, buckets := range [][]rt.Bucket{s.Histogram, s.IdleTimes} {
			slices.SortFunc(buckets, func(a, b rt.Bucket) int { return cmp.Compare(a.From, b.From) })
		}
		s.RTP50, s.RTP95, s.RTP99 = s.Quantile(0.5), s.Quantile(0.95), s.Quantile(0.99)
	}
	slices.SortStableFunc(list, func(a, b *PacketService) int {
		return cmp.Or(cmp.Compare(b.RTSum, a.RTSum), cmp.Compare(a.Port, b.Port), cmp.Compare(a.Server, b.Server))
	})
	return list
}

// PacketConnections are the connections of the recording by their beginning.
func (v *View) PacketConnections() []*PacketConnection {
	return Memo(v, "packet connections", v.packetConnections)
}

func (v *View) packetConnections() []*PacketConnection {
	type place struct{ interval, id int64 }
	rows := captured[recording.PacketConnection](v)
	known := make(map[place]*PacketConnection, len(rows))
	list := make([]*PacketConnection, 0, len(rows))
	for _, row := range rows {
		c := &PacketConnection{PacketConnection: row}
		known[place{row.Captured(), row.ID}] = c
		list = append(list, c)
	}
	for _, row := range captured[recording.PacketSide](v) {
		c := known[place{row.Captured(), row.Connection}]
		switch {
		case c == nil:
		case row.Sender == "client":
			c.FromClient = row
		default:
			c.FromServer = row
		}
	}
	if several(rows) {
		list = connectionsOverIntervals(list)
	}
	slices.SortStableFunc(list, func(a, b *PacketConnection) int { return a.At.Compare(b.At) })
	return list
}

// connectionsOverIntervals adds up what was seen of each connection.
func connectionsOverIntervals(parts []*PacketConnection) (list []*PacketConnection) {
	type key struct {
		id             int64
		client, server string
		ports          [2]int32
	}
	slices.SortStableFunc(parts, func(a, b *PacketConnection) int { return cmp.Compare(a.Captured(), b.Captured()) })
	var keys []key
	by := map[key][]*PacketConnection{}
	for _, c := range parts {
		k := key{c.ID, c.Client, c.Server, [2]int32{c.ClientPort, c.ServerPort}}
		if by[k] == nil {
			keys = append(keys, k)
		}
		by[k] = append(by[k], c)
	}
	for _, k := range keys {
		var rows []recording.PacketConnection
		var sides [2][]recording.PacketSide
		for _, c := range by[k] {
			rows, sides[0], sides[1] = append(rows, c.PacketConnection), append(sides[0], c.FromClient), append(sides[1], c.FromServer)
		}
		list = append(list, &PacketConnection{addUp(rows), addUp(sides[0]), addUp(sides[1])})
	}
	return list
}

// quantile is the middle of the bucket in which a share q of all counts is reached.
func quantile(buckets []rt.Bucket, q float64) time.Duration {
	var total, seen uint64
	for _, b := range buckets {
		total += b.Count
	}
	for _, b := range buckets {
		if seen += b.Count; float64(seen) >= q*float64(total) {
			return b.From + (b.To-b.From-1)/2
		}
	}
	return 0
}
