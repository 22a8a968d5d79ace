package http

import (
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// response decodes bytes of the server.
func (p *parser) response(c *flow.Chunk) {
	w, data := &p.answer, c.Data
	if (w.state == lost || w.state == blurred) && beginsResponse(data) {
		if w.state == blurred {
			p.finish()
		}
		w.state = between
	}
	i, from := 0, 0
	for i < len(data) {
		switch w.state {
		case between:
			if b := data[i]; b == '\r' || b == '\n' {
				i++
				continue
			} else if b != 'H' {
				p.loseResponses()
				continue
			}
			from = i
			w.reset()
			w.state, p.code = start, 0
			p.queue.Forget()
		case start:
			line, n, ok := w.take(data[i:])
			i += n
			if ok && !p.statusLine(line) {
				p.queue.Forget()
				p.loseResponses()
			}
		case fields:
			i += w.scan(data[i:])
			line, n, ok := w.take(data[i:])
			i += n
			switch {
			case !ok:
			case len(line) > 0:
				w.field(line)
				w.long = false
			default:
				w.state = p.afterFields()
				if w.state == between {
					p.addResponse(c, from, i-from)
					p.finish()
					if p.off {
						p.rest = len(data) - i
						return
					}
				}
			}
		case lost:
			i = len(data)
		default:
			before := w.state
			n, done := w.walk(data[i:])
			i += n
			if done {
				p.addResponse(c, from, i-from)
				p.finish()
			} else if w.state == blurred && before != blurred {
				p.queue.Now.Doubt |= proto.Resync
				p.queue.Tear()
			}
		}
	}
	if w.state != between && w.state != lost {
		p.addResponse(c, from, len(data)-from)
	}
	if c.Cut > 0 {
		p.skipResponse(c, int64(c.Cut))
	}
}

// statusLine takes the first line; false if it is none.
func (p *parser) statusLine(line []byte) bool {
	code, reason, ok := splitStatus(line)
	if !ok {
		return false
	}
	p.answer.state, p.answer.long = fields, false
	p.answer.last, p.parted = line[7] == '0', false
	p.code = code
	e := &p.queue.Now
	e.Code = codes[code]
	if code >= 400 && code <= 599 {
		e.Failed = true
		e.Error = Phrase(code, reason)
	}
	return true
}

// afterFields is how the answer goes on after its header (RFC 9112, 6.3).
func (p *parser) afterFields() state {
	kind := plain
	if q := p.queue.Head(); q != nil {
		kind = q.Tag & kinds
	}
	switch {
	case p.code < 200, p.code == 204, p.code == 304, kind == head:
		return between
	case kind == connect && p.code < 300:
		return between
	}
	if s, described := p.answer.bodyState(); described {
		return s
	}
	return endless
}

func (p *parser) addResponse(c *flow.Chunk, from, n int) {
	if n > 0 {
		p.queue.Now.Response.Add(c, from, n)
	}
}

// finish ends the answer being read.
func (p *parser) finish() {
	p.answer.state = between
	if p.asked.code != 0 && (p.code >= 200 || p.code == 101) || p.code == 401 || p.code == 407 {
		p.challenges(p.queue.Head())
	}
	switch {
	case p.opens():
		p.tunnel = true
		if p.code == 101 {
			p.next = p.answer.upgrade
		}
		p.stop()
		return
	case p.code >= 100 && p.code < 200:
		p.queue.Forget()
		return
	}
	if p.open && p.queue.Len() == 1 && !p.queue.Behind() {
		// The request is still on its way, but it has its answer.
		p.open = false
	}
	q := p.queue.Head()
	p.parted = p.answer.last || q != nil && q.Tag&parting != 0
	p.queue.Answered()
}

// opens says that another protocol follows the answer.
func (p *parser) opens() bool {
	q := p.queue.Head()
	return p.code == 101 || q != nil && q.Tag&kinds == connect && p.code >= 200 && p.code < 300
}

// stop ends the decoding: what follows is another protocol.
func (p *parser) stop() {
	if p.open && p.queue.Len() > 0 && p.ask.state == start {
		p.queue.Undo()
	}
	if !p.queue.Now.Response.Empty() {
		p.queue.Answered()
	}
	p.queue.Flush(proto.Ambiguous)
	p.off, p.open = true, false
}

// loseResponses is for bytes that are no answer.
func (p *parser) loseResponses() {
	p.answer.state = lost
	p.queue.Tear()
}

// skipResponse passes over n bytes of the server, as skipRequest does.
func (p *parser) skipResponse(c *flow.Chunk, n int64) {
	w := &p.answer
	switch w.state {
	case between, lost:
		p.loseResponses()
		return
	}
	e := &p.queue.Now
	if c == nil {
		e.Doubt |= proto.Lossy
	} else {
		e.Response.Add(c, len(c.Data), int(n))
	}
	if w.state == start {
		p.statusLine(w.line)
	}
	over, known := w.pass(n)
	switch {
	case !known && c != nil:
		e.Doubt |= proto.Approximate
		if p.opens() {
			p.finish() // it has no body: the end of its header is in what was cut off
		}
	case !known:
		e.Doubt |= proto.Lossy
		p.queue.Tear()
	case over > 0:
		if c != nil {
			e.Response.End -= uint64(over)
		}
		p.finish()
		p.loseResponses()
	case w.state == between:
		p.finish()
	}
}
