package view

import "rtrail/internal/recording"

// Answering is what the clients of a process asked over TCP, and what they got.
type Answering struct {
	Requests float64 // per second, at most: see requestBytes
	Sent     float64 // bytes per second
	Open     float64 // requests at the process, mean: data arrived, and nothing was sent since
}

// requestBytes is how long a request is at least. One that is longer, or comes in
// several segments, counts as several, so that requests are an upper bound, also where
// a segment carries many of them.
const requestBytes = 64

// AnsweringOf adds up the connections that others made to a process.
func (v *View) AnsweringOf(p Process) Answering {
	return Memo(v, "answering", v.answering)[p.PID]
}

func (v *View) answering() map[int32]Answering {
	sums := map[int32]Answering{}
	for _, c := range v.Connections() {
		if c.State != recording.TCPEstablished && c.State != recording.TCPCloseWait || v.asks(c) {
			continue
		}
		owners := v.SocketOwners(c.Inode)
		if len(owners) == 0 {
			continue
		}
		received := grown(c, func(s *recording.TCPSample) uint64 { return s.BytesReceived })
		a := Answering{
			Requests: max(c.DataSegmentsIn(), received/requestBytes) / v.Seconds(),
			Sent:     c.BytesSent() / v.Seconds(),
			Open:     c.open(),
		}
		// Who holds it beside others is a worker of the same server.
		was := sums[owners[0].PID]
		sums[owners[0].PID] = Answering{was.Requests + a.Requests, was.Sent + a.Sent, was.Open + a.Open}
	}
	return sums
}

// open is the share of its readings at which something had arrived since it sent last.
// A connection that never sent anything takes what it gets without an answer.
func (c *Connection) open() float64 {
	n := 0
	for _, r := range c.Samples {
		if s := r.Of(); s.Info && s.BytesSent > 0 && s.BytesReceived > 0 && s.LastReceive.After(s.LastSend) {
			n++
		}
	}
	return float64(n) / float64(len(c.Samples))
}
