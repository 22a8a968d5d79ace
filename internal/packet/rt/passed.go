package rt

import (
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// maxPassed bounds how many turns of a connection wait to be found in an exchange.
const maxPassed = 16

// passed are the turns of the client that a decoder out of step read over, on a
// connection that the snap length cuts. Unless an exchange has them they are counted
// as requests that were captured in part: one for each turn, as what is in it is unknown.
type passed struct {
	seeker proto.Seeker
	now    turn // the one under way
	list   []turn
	cut    bool // something was cut
}

// turn is what the client says before the server speaks, and its answer.
type turn struct {
	request, response proto.Span
	seeking           bool
}

// within says whether a request has bytes of the turn.
func (t *turn) holds(request *proto.Span) bool {
	return !t.request.Empty() && !request.Empty() && request.Start < t.request.End && t.request.Start < request.End
}

// before takes a chunk that the decoder has not seen.
func (a *Assembler) before(c *flow.Chunk) {
	p := &a.passed
	if c.Dir == flow.ToClient {
		if !p.now.request.Empty() {
			p.now.response.Add(c, 0, c.Size())
		}
		return
	}
	if !p.now.response.Empty() {
		a.keepTurn()
	}
	p.now.request.Add(c, 0, c.Size())
}

// after says what the decoder made of a chunk of the client.
func (p *passed) after() { p.now.seeking = p.now.seeking || p.seeker.Seeking() }

// keepTurn remembers the turn under way if its requests are unknown.
func (a *Assembler) keepTurn() {
	p := &a.passed
	if p.now.seeking && !p.now.request.Empty() {
		if len(p.list) == maxPassed {
			a.giveTurn(&p.list[0])
			p.list = p.list[:copy(p.list, p.list[1:])]
		}
		p.list = append(p.list, p.now)
	}
	p.now = turn{}
}

// found takes the turns out of which a request was.
func (p *passed) found(request *proto.Span) {
	if p.now.holds(request) {
		p.now = turn{}
	}
	kept := p.list[:0]
	for i := range p.list {
		if !p.list[i].holds(request) {
			kept = append(kept, p.list[i])
		}
	}
	p.list = kept
}

// givePassed gives out all turns that no exchange had.
func (a *Assembler) givePassed() {
	a.keepTurn()
	for i := range a.passed.list {
		a.giveTurn(&a.passed.list[i])
	}
	a.passed.list = nil
}

func (a *Assembler) giveTurn(t *turn) {
	a.give()
	a.greet()
	w, c := a.tracker, &a.conn
	e := proto.Exchange{Request: t.request, Response: t.response, Doubt: proto.Lossy, Rows: proto.RowsNone, Depth: 1}
	if t.response.Empty() {
		e.Status = proto.Unanswered
	}
	x := w.blank()
	x.Connection, x.Client, x.Server, x.Space, x.Proto = c.ID, c.Client, c.Server, c.Space, c.Protocol
	w.fill(x, &e)
	a.hand(x)
	w.free = append(w.free, x)
}
