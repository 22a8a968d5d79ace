// Package generic finds requests and answers in a TCP connection without
// knowing its protocol: what the client sends, followed by what the server
// sends, is one exchange.
//
// # What it takes for what
//
//   - Bytes of the client, up to the next byte of the server, are one request,
//     however many packets they came in. A request that is sent in pieces (header
//     and body in two writes, an upload) is one request.
//   - Bytes of the server after a request, up to the next byte of the client, are
//     its answer, unless the server was silent for a pause: what follows a pause
//     is unsolicited and belongs to nothing.
//   - Bytes of the server before the first request are a greeting, no answer. A
//     connection in which only the server sends has no exchanges.
//   - A connection in which only the client sends, and more than a request would
//     have, is a transfer and has no exchanges either.
//
// Strict request and response comes out exactly. Everything is marked
// proto.Approximate, since nothing but the change of direction says where a
// message ends.
//
// # What it cannot know
//
// An exchange is marked proto.Ambiguous when there is reason to believe that
// more than one request was under way, and the two readings differ:
//
//   - The client finished at least two small writes before the answer began, and
//     their distance is more than a tenth of the response time. One request in
//     pieces was answered in the response time, the first of several requests in
//     that plus the distance.
//   - The client went on after a pause without an answer.
//   - The client sent while the server was in the middle of a write: it cannot
//     have waited for the end of that answer. From then on requests and answers
//     may be off by one, until the client is silent for longer than any answer of
//     this connection took.
package generic

import (
	"time"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

const (
	// pause is the silence after a finished write beyond which it is not believed
	// that what follows from the same side continues the message. Applications
	// that send a message in pieces do so within milliseconds, 40 ms or 200 ms if a
	// delayed acknowledgement holds the second piece back, and TCP's first
	// retransmission timeouts add up to less than this.
	pause = int64(time.Second)

	// small is below the payload of a full segment on every network in use: 536
	// bytes is what RFC 9293, 3.7.1 lets a sender assume. A smaller segment with
	// PSH is the end of a write; a full one may have PSH in the middle of it.
	small = 536

	// bulk is how much a client may send without any answer before it is a
	// transfer and no request. Requests above it exist, but they are answered.
	bulk = 64 << 10

	// tolerable is the part of the response time by which the two readings of
	// several writes may differ without being called ambiguous.
	tolerable = 10
)

// Protocol takes every connection; it must be the last that is asked.
var Protocol = proto.Protocol{
	Name:  "generic",
	Sniff: func(flow.Dir, []byte) proto.Match { return proto.Maybe },
	New:   New,
}

// New makes a parser.
func New(sink proto.Sink, _ bool) proto.Parser {
	return &parser{sink: sink, pushed: [2]bool{true, true}}
}

// phase is whose turn it is.
type phase uint8

const (
	quiet     phase = iota // no request yet, or the answer to the last one is over
	asking                 // the client sent, the server has not begun to answer
	answering              // the server answers
)

type parser struct {
	sink     proto.Sink
	exchange proto.Exchange // the one under way
	last     [2]flow.Stamp  // the latest packet of each side
	longest  int64          // the longest time from a request to its answer
	firstEnd int64          // when the first small write of the request was complete
	writes   uint16         // complete small writes of the request
	phase    phase
	broken   bool    // a pause within the request
	bulky    bool    // the request has a write that was more than a small segment
	overlap  bool    // requests and answers may be off by one
	pushed   [2]bool // the latest segment of this side had PSH: it ended a write
	pushes   [2]bool // this side uses PSH at all
	answered bool    // the server has sent something
}

// Data takes the next bytes of a side.
func (p *parser) Data(c *flow.Chunk) {
	if c.Size() == 0 {
		return
	}
	if c.Dir == flow.ToServer {
		p.client(c)
	} else {
		p.server(c)
	}
	p.last[c.Dir] = c.Stamp
	p.pushed[c.Dir] = c.Pushed
	p.pushes[c.Dir] = p.pushes[c.Dir] || c.Pushed
}

func (p *parser) client(c *flow.Chunk) {
	if p.phase == answering {
		middle := p.pushes[flow.ToClient] && !p.pushed[flow.ToClient]
		if middle {
			p.exchange.Doubt |= proto.Ambiguous
		}
		p.give(proto.Answered)
		p.settle(middle, c.At)
	} else if p.phase == quiet {
		p.settle(false, c.At)
	}
	e := &p.exchange
	if p.phase != asking {
		p.ask()
	} else if !e.Request.Empty() && p.pushed[flow.ToServer] && c.At-p.last[flow.ToServer].At > pause {
		p.broken = true
	}
	begins := e.Request.Empty() || p.pushed[flow.ToServer]
	e.Request.Add(c, 0, c.Size())
	switch {
	case !c.Pushed || !begins || c.Size() >= small:
		p.bulky = true
	case p.writes < 1<<15:
		if p.writes == 0 {
			p.firstEnd = c.At
		}
		p.writes++
	}
}

// settle decides at the beginning of a request whether requests and answers
// are in step.
func (p *parser) settle(middle bool, at int64) {
	if middle {
		p.overlap = true
	} else if p.overlap && at-p.last[flow.ToClient].At > max(p.longest, int64(time.Millisecond)) {
		p.overlap = false
	}
}

// ask begins a request.
func (p *parser) ask() {
	p.exchange = proto.Exchange{Doubt: proto.Approximate, Rows: -1, Depth: 1}
	if p.overlap {
		p.exchange.Doubt |= proto.Ambiguous
		p.exchange.Depth = 2
	}
	p.phase, p.writes, p.firstEnd, p.broken, p.bulky = asking, 0, 0, false, false
}

func (p *parser) server(c *flow.Chunk) {
	p.answered = true
	e := &p.exchange
	switch p.phase {
	case quiet:
		return
	case asking:
		p.phase = answering
		p.judge(c.At)
	case answering:
		if p.pushed[flow.ToClient] && !e.Response.Empty() && c.At-p.last[flow.ToClient].At > pause {
			p.give(proto.Answered)
			return
		}
	}
	e.Response.Add(c, 0, c.Size())
}

// judge decides, when the answer begins, whether it is known what was answered.
func (p *parser) judge(at int64) {
	e := &p.exchange
	if e.Request.Empty() {
		return
	}
	took := at - e.Request.Last.At
	apart := e.Request.Last.At - p.firstEnd
	if p.writes >= 2 && !p.bulky && apart*tolerable > took {
		e.Doubt |= proto.Ambiguous
		e.Depth = max(e.Depth, p.writes)
	}
	if p.broken {
		e.Doubt |= proto.Ambiguous
	}
	p.longest = max(p.longest, at-e.Request.First.At)
}

// Gap marks what a hole touches. A hole in what the client sent is a request,
// or a part of one.
func (p *parser) Gap(d flow.Dir, n int64, _ flow.Stamp) {
	if n <= 0 {
		return
	}
	// Whether the missing bytes ended a write is not known; it must not look as
	// if the next segment were in the middle of one.
	p.pushed[d] = true
	if d == flow.ToServer {
		if p.phase == answering {
			p.give(proto.Answered)
		}
		if p.phase == quiet {
			p.ask()
		}
		p.bulky = true
		p.exchange.Doubt |= proto.Lossy
		return
	}
	p.answered = true
	if p.phase != quiet {
		p.exchange.Doubt |= proto.Lossy
		p.phase = answering
	}
}

// End gives out what is under way.
func (p *parser) End(flow.Stamp, flow.Ending) {
	switch {
	case p.phase == answering:
		p.give(proto.Answered)
	case p.phase == asking && (p.answered || p.exchange.Request.Bytes() <= bulk):
		if p.broken {
			p.exchange.Doubt |= proto.Ambiguous
		}
		p.give(proto.Unanswered)
	}
	p.phase = quiet
}

// Progress says what the connection is doing. Where an answer ends nobody knows.
func (p *parser) Progress() proto.Progress {
	if p.phase == asking && (p.answered || p.exchange.Request.Bytes() <= bulk) {
		return proto.Waiting
	}
	return proto.Unclear
}

// give hands the exchange out. One of which nothing was captured is dropped.
func (p *parser) give(s proto.Status) {
	e := &p.exchange
	p.phase = quiet
	switch {
	case e.Request.Empty() && e.Response.Empty():
		return
	case e.Request.Empty():
		s = proto.Unpaired
	case e.Response.Empty():
		s = proto.Unanswered // the answer was not captured, which Lossy says
	}
	e.Status = s
	p.sink.Exchange(e)
}
