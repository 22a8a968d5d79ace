package mysql

import (
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// loginTurns is how often the client spoke before its first command on an
// encrypted connection whose beginning was seen: hello; key and login (TLS 1.3),
// or key, then login (TLS 1.2). One more is left out to be sure: a login may take
// another round.
const loginTurns = 3

// turn takes bytes of a connection that was encrypted during the login. What the
// client says until the server answers is a request, what the server says until
// the client goes on its answer; this is right as long as the client waits for
// every answer. A session ticket or a second record of an answer is part of it.
func (p *parser) turn(c *flow.Chunk) {
	if c.Size() == 0 {
		return
	}
	if c.Dir == flow.ToClient {
		if !p.cur.span.Empty() {
			p.resp.Add(c, 0, c.Size())
		}
		return
	}
	if !p.resp.Empty() {
		p.endTurn()
	}
	p.cur.span.Add(c, 0, c.Size())
}

// turnGap says that bytes of such a connection are missing.
func (p *parser) turnGap(flow.Dir) { p.doubt |= proto.Lossy }

// endTurn gives out the turn under way.
func (p *parser) endTurn() {
	login := p.state != stateTurns && p.waiting < loginTurns
	if login {
		p.waiting++
	}
	if !p.cur.span.Empty() && !login {
		status := proto.Answered
		if p.resp.Empty() {
			status = proto.Unanswered
		}
		r := request{span: p.cur.span, cmd: comUnknown, depth: 1}
		p.give(&r, &p.resp, status, p.doubt|proto.Approximate)
	}
	p.cur.span.Reset()
	p.resp.Reset()
	p.doubt = 0
}
