package ruletest

import (
	"math"
	"time"

	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/sums"
	"rtrail/internal/recording"
)

// PacketCapture records that packets were captured over the whole window
// without loss; change has the last word on the row and may be nil.
func (h *Host) PacketCapture(change func(*recording.PacketCapture)) *Host {
	row := recording.PacketCapture{At: Start, Last: Start.Add(dur(h.Seconds)), Source: "lo", Packets: 10000, Bytes: 1e6}
	if change != nil {
		change(&row)
	}
	return Add(h, row)
}

// PacketService says how a service answered. Durations are of one request, and
// the same for all of them but RTs.
type PacketService struct {
	Server string // "10.0.0.2" unless told otherwise
	Port   uint16 // 3306 unless told otherwise
	Proto  string // "mysql" unless told otherwise

	Rate float64         // requests answered per second
	RTs  []time.Duration // response times, taken in turn

	Idles                              []time.Duration // how long clients wait before a request, taken in turn; instead of Idle
	Upload, Download, Idle             time.Duration
	Retransmit, ZeroWindow, DelayedACK time.Duration
	RequestBytes, ResponseBytes        int64
	Failed                             float64 // share of requests
	Approximate                        bool

	Handshakes           float64 // per second
	ServerRTT, ClientRTT time.Duration
	Retransmissions      float64 // per second

	From, To float64                                       // seconds in which it answers; To 0: until the end
	Change   func(s float64, row *recording.PacketService) // last word on a second
}

// Packets records the seconds and the histogram of a service.
func (h *Host) Packets(p PacketService) *Host {
	p = p.filled()
	end := h.Seconds
	if p.To > 0 {
		end = min(end, p.To)
	}
	var all rt.Histogram
	next := 0
	for s := p.From; s < end; s++ {
		var second rt.Histogram
		row := p.second(s, min(end-s, 1), &next, &second)
		if p.Change != nil {
			p.Change(s, &row)
		}
		all.Merge(&second)
		Add(h, row)
	}
	var idle rt.Histogram
	for _, d := range p.Idles {
		idle.AddN(d, uint32(float64(all.Count())/float64(len(p.Idles))))
	}
	for phase, times := range map[string]*rt.Histogram{"rt": &all, "idle": &idle} {
		for _, b := range times.Buckets(64) {
			Add(h, recording.PacketHistogram{At: Start, Server: p.Server, ServerPort: int32(p.Port), Proto: p.Proto, Phase: phase,
				From: b.From, To: b.To, Count: int64(b.Count)})
		}
	}
	return h
}

func (p PacketService) filled() PacketService {
	if p.Server == "" {
		p.Server = "10.0.0.2"
	}
	if p.Port == 0 {
		p.Port = 3306
	}
	if p.Proto == "" {
		p.Proto = "mysql"
	}
	if len(p.Idles) > 0 {
		p.Idle = 0
		for _, d := range p.Idles {
			p.Idle += d / time.Duration(len(p.Idles))
		}
	} else if p.Idle > 0 {
		p.Idles = []time.Duration{p.Idle}
	}
	return p
}

// second is one second of the service, or part of one.
func (p PacketService) second(s, length float64, next *int, times *rt.Histogram) recording.PacketService {
	n := int64(0)
	if len(p.RTs) > 0 {
		n = int64(math.Round(p.Rate * length))
	}
	each := time.Duration(n)
	count := func(rate float64) int64 { return int64(math.Round(rate * length)) }
	row := recording.PacketService{At: Start.Add(dur(s)), Server: p.Server, ServerPort: int32(p.Port), Proto: p.Proto,
		Requests: sums.Requests{Count: n, Failed: int64(math.Round(p.Failed * float64(n))),
			Upload: each * p.Upload, Download: each * p.Download, Idle: each * p.Idle,
			Retransmit: each * p.Retransmit, ZeroWindow: each * p.ZeroWindow, DelayedACK: each * p.DelayedACK,
			RequestBytes: n * p.RequestBytes, ResponseBytes: n * p.ResponseBytes},
		Path: sums.Path{Handshakes: count(p.Handshakes), Retransmissions: count(p.Retransmissions)}}
	row.ServerRTT, row.ClientRTT = time.Duration(row.Handshakes)*p.ServerRTT, time.Duration(row.Handshakes)*p.ClientRTT
	if p.Approximate {
		row.Approximate = n
	}
	for range n {
		d := p.RTs[*next%len(p.RTs)]
		*next++
		times.Add(d)
		row.RTSum += d
		row.RTMax = max(row.RTMax, d)
		if row.RTMin == 0 || d < row.RTMin {
			row.RTMin = d
		}
	}
	row.Serve = max(row.RTSum-row.Retransmit, 0)
	row.RTP50, row.RTP95, row.RTP99 = times.Quantile(0.5), times.Quantile(0.95), times.Quantile(0.99)
	return row
}

// PacketConnection says how a connection went; what it does not mention is as
// in a healthy one that was open during the whole window.
type PacketConnection struct {
	recording.PacketConnection
	FromClient, FromServer recording.PacketSide
}

// PacketConnection records a connection with both of its sides.
func (h *Host) PacketConnection(c PacketConnection) *Host {
	h.nextConnection++
	row := &c.PacketConnection
	fill(&row.ID, h.nextConnection)
	fill(&row.At, Start)
	fill(&row.Last, Start.Add(dur(h.Seconds)))
	fill(&row.Client, "10.0.0.1")
	fill(&row.ClientPort, int32(40000+h.nextConnection))
	fill(&row.Server, "10.0.0.2")
	fill(&row.ServerPort, 3306)
	fill(&row.Proto, "mysql")
	fill(&row.Why, "handshake")
	fill(&row.Ending, "open")
	if row.SYNs == 0 && !row.Midway {
		row.SYNs, row.SYNACKs = 1, 1
	}
	if row.Midway || row.SYNACKs == 0 {
		fill(&row.ServerRTT, recording.Unknown)
		fill(&row.ClientRTT, recording.Unknown)
		fill(&row.Connect, recording.Unknown)
	} else {
		fill(&row.ServerRTT, 100*time.Microsecond)
		fill(&row.ClientRTT, 10*time.Microsecond)
		fill(&row.Connect, row.ServerRTT)
	}
	for _, side := range []*recording.PacketSide{&c.FromClient, &c.FromServer} {
		side.At, side.Connection = row.At, row.ID
	}
	c.FromClient.Sender, c.FromServer.Sender = "client", "server"
	Add(h, *row)
	return Add(h, c.FromClient, c.FromServer)
}

// AllConnections records what clients and server of a service sent on so many
// connections, of which only the worst are recorded one by one.
func (h *Host) AllConnections(n int64, client, server recording.PacketDirection) *Host {
	client.Sender, server.Sender = "client", "server"
	for _, row := range []*recording.PacketDirection{&client, &server} {
		fill(&row.At, Start)
		fill(&row.Client, "10.0.0.1")
		fill(&row.Server, "10.0.0.2")
		fill(&row.ServerPort, 3306)
		fill(&row.Proto, "mysql")
		fill(&row.Connections, n)
		fill(&row.Ended, n)
	}
	Add(h, client, server)
	return h.PacketCapture(func(c *recording.PacketCapture) { c.Connections = n })
}

// PacketStatement records a statement of a service: "10.0.0.2:3306" of MySQL
// unless it names another. rts are the response times of its executions.
func (h *Host) PacketStatement(row recording.PacketStatement, rts ...time.Duration) *Host {
	fill(&row.At, Start)
	fill(&row.Server, "10.0.0.2")
	fill(&row.ServerPort, 3306)
	fill(&row.Proto, "mysql")
	fill(&row.Command, "Query")
	fill(&row.Clients, 1)
	var times rt.Histogram
	for _, d := range rts {
		times.Add(d)
		row.Count++
		row.RTSum += d
		row.RTMax = max(row.RTMax, d)
	}
	if len(rts) > 0 {
		row.RTP10, row.RTP50 = times.Quantile(0.1), times.Quantile(0.5)
		row.RTP95, row.RTP99 = times.Quantile(0.95), times.Quantile(0.99)
	}
	if row.Failed > 0 {
		h.PacketError(recording.PacketError{Server: row.Server, ServerPort: row.ServerPort, Proto: row.Proto, Command: row.Command,
			Fingerprint: row.Fingerprint, Code: row.Code, CutShort: row.Error == proto.EndedWithin, Error: row.Error,
			Count: row.Failed, Timed: row.Failed, RTSum: row.RTSum / time.Duration(max(row.Count, 1)) * time.Duration(row.Failed)})
	}
	return Add(h, row)
}

// PacketError records that a statement, of the service that PacketStatement
// means, was answered by errors of one kind. Those that fail in one way only have
// it from PacketStatement already.
func (h *Host) PacketError(row recording.PacketError) *Host {
	fill(&row.At, Start)
	fill(&row.Server, "10.0.0.2")
	fill(&row.ServerPort, 3306)
	fill(&row.Proto, "mysql")
	fill(&row.Command, "Query")
	return Add(h, row)
}

// PacketNesting records which requests caused which.
func (h *Host) PacketNesting(row recording.PacketNesting) *Host {
	fill(&row.At, Start)
	return Add(h, row)
}

// PacketTransaction records a transaction that began s seconds after the
// window, of the service "10.0.0.2:3306" of MySQL unless it names another.
func (h *Host) PacketTransaction(s float64, row recording.PacketTransaction) *Host {
	row.At = Start.Add(dur(s))
	fill(&row.Client, "10.0.0.1")
	fill(&row.Server, "10.0.0.2")
	fill(&row.ServerPort, 3306)
	fill(&row.Proto, "mysql")
	fill(&row.Command, "Query")
	fill(&row.Status, "answered")
	fill(&row.Depth, 1)
	return Add(h, row)
}

// fill gives a field that was not mentioned its usual value.
func fill[T comparable](field *T, usual T) {
	var zero T
	if *field == zero {
		*field = usual
	}
}
