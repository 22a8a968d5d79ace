package postgres

import (
	"rtrail/internal/packet/proto"
)

// answers says whether a message may be a part of an answer. Others come at any
// time, or before the first ReadyForQuery.
func answers(kind byte) bool {
	switch kind {
	case 'N', 'S', 'A', 'R', 'K', 'v', 'G', 'W':
		return false
	}
	return true
}

// server takes a message of the server.
func (p *parser) server(s *side) {
	switch p.stage {
	case starting, negotiating, greeting:
		switch s.kind {
		case 'Z':
			p.stage = ready
		case 'E':
			p.refuse(s)
		}
		return
	case streaming:
		if s.kind == 'Z' {
			p.stage = ready
		}
		return
	}
	switch s.kind {
	case 'G':
		p.copyIn()
		return
	case 'W':
		join(&p.queue.Now.Response, &s.span)
		p.answered()
		p.stage = streaming
		return
	}
	if !answers(s.kind) {
		return
	}
	e := &p.queue.Now
	// An error while nobody asks for anything ends the session.
	if s.kind == 'E' && p.queue.Len() == 0 && !p.queue.Torn() {
		return
	}
	join(&e.Response, &s.span)
	e.Doubt |= s.doubt
	switch s.kind {
	case 'C':
		if n, ok := affected(s.body); ok {
			p.rows = max(p.rows, 0) + n
		}
		p.completed()
	case 'E':
		p.failed(s.body)
		p.completed()
	case '1', '2', '3', 'T', 'n', 'I', 's':
		p.completed()
	case 'Z':
		p.readyForQuery()
	}
}

// copyIn is told that the server waits for COPY data.
func (p *parser) copyIn() {
	h := p.queue.Head()
	if h == nil {
		return
	}
	// What came before (ParseComplete, BindComplete) is not the answer either.
	p.queue.Now.Response.Reset()
	p.copying = true
	p.resync = h.Tag&extended != 0 && h.Tag&closer == bySync
}

// completed counts completions; a group that was closed by a Flush has its answer
// when it has all of them, or when one failed, after which the server ignores
// everything up to a Sync.
func (p *parser) completed() {
	h := p.queue.Head()
	if h == nil {
		return
	}
	p.done++
	if h.Tag&closer == byFlush && (uint32(p.done) >= h.Tag>>expected || p.queue.Now.Failed) {
		p.answered()
	}
}

// readyForQuery ends the exchange that is being answered. Groups before it that
// were closed by a Flush were ignored after an error: they end here too.
func (p *parser) readyForQuery() {
	p.copying, p.resync = false, false
	for p.queue.Len() > 1 {
		h := p.queue.Head()
		if h == nil || h.Tag&closer != byFlush {
			break
		}
		z := p.queue.Now.Response
		p.queue.Now.Doubt |= proto.Ambiguous
		p.answered()
		p.queue.Now.Response = z
	}
	if h := p.queue.Head(); h != nil && h.Tag&closer == unclosed {
		// Nobody has asked for this: something was missed.
		p.queue.Tear()
		p.open = false
	}
	p.answered()
}

// answered gives out the exchange whose answer is complete.
func (p *parser) answered() {
	p.outcome()
	p.done = 0
	p.queue.Answered()
}

// affected is the number at the end of a command tag: SELECT 5, INSERT 0 5.
func affected(tag []byte) (n int64, ok bool) {
	tag, _, _ = cstring(tag)
	for i := len(tag) - 1; i >= 0; i-- {
		if tag[i] == ' ' {
			if i == len(tag)-1 || len(tag)-i > 19 {
				return 0, false
			}
			for _, c := range tag[i+1:] {
				if c < '0' || c > '9' {
					return 0, false
				}
				n = 10*n + int64(c-'0')
			}
			return n, true
		}
	}
	return 0, false
}

// sqlStateLength is the length of every SQLSTATE.
const sqlStateLength = 5

// failed reads an ErrorResponse: fields of a letter and a string. The first error
// of an answer is the one that counts.
func (p *parser) failed(b []byte) {
	e := &p.queue.Now
	first := !e.Failed
	e.Failed = true
	for len(b) > 1 && b[0] != 0 {
		field := b[0]
		var value []byte
		value, b, _ = cstring(b[1:])
		switch {
		case field == 'V' && (string(value) == "FATAL" || string(value) == "PANIC"):
			p.fatal = true
		case !first:
		case field == 'C' && len(value) == sqlStateLength:
			e.Code = string(value)
		case field == 'M':
			e.Error = string(value)
		}
	}
}

// refuse gives a login out that the server has refused: an error before it is
// ready ends the session, whatever severity it has.
func (p *parser) refuse(s *side) {
	if p.fatal || p.login.Empty() {
		return
	}
	p.failed(s.body)
	p.fatal = true
	e := &p.queue.Now
	e.Request, e.Response = p.login, s.span
	e.Status, e.Command, e.Text, e.TextCut, e.Depth = proto.Answered, "Connect", nil, false, 1
	e.Doubt |= p.loginDoubt | s.doubt
	p.sink.Exchange(e)
	p.queue.Forget()
}
