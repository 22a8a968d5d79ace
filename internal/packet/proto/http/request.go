package http

import (
	"bytes"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// request decodes bytes of the client.
func (p *parser) request(c *flow.Chunk) {
	w, data := &p.ask, c.Data
	if (w.state == lost || w.state == blurred || p.refused()) && beginsRequest(data) {
		p.endRequest()
		w.state = between
	}
	i, from := 0, 0
	for i < len(data) {
		switch w.state {
		case between:
			if b := data[i]; b == '\r' || b == '\n' {
				i++ // RFC 9112, 2.2: empty lines before a request are ignored
				continue
			} else if !isToken(b) {
				p.loseRequests()
				continue
			}
			from = i
			p.beginRequest(c.At)
		case start:
			line, n, ok := w.take(data[i:])
			i += n
			if ok && !p.requestLine(line) {
				p.loseRequests()
			}
			if p.off {
				return
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
				if w.auth && p.open {
					p.queue.Tail().Tag |= credentials
				}
				if w.last && p.open {
					p.queue.Tail().Tag |= parting
				}
				if w.state, _ = w.bodyState(); w.state == between {
					p.addRequest(c, from, i-from)
					p.open = false
				}
			}
		case lost:
			i = len(data)
		default:
			before := w.state
			n, done := w.walk(data[i:])
			i += n
			if done {
				p.addRequest(c, from, i-from)
				p.open = false
			} else if w.state == blurred && before != blurred {
				p.blurRequest()
			}
		}
	}
	if w.state != between && w.state != lost {
		p.addRequest(c, from, len(data)-from)
	}
	if c.Cut > 0 {
		p.skipRequest(c, int64(c.Cut))
	}
}

// refused says whether the server gave its final answer before the client sent
// any of a body for which it had asked permission. Then either the body or the
// next request may follow (RFC 9110, 10.1.1).
func (p *parser) refused() bool {
	w := &p.ask
	return w.state == body && w.expect && !p.open && w.left == w.length
}

func (p *parser) beginRequest(at int64) {
	if p.answer.state == blurred {
		// Whatever else the answer holds: the client had enough of it.
		p.finish()
		p.answer.state = lost
	}
	p.ask.reset()
	p.ask.state = start
	p.open = true
	p.queue.Open(at)
}

// requestLine takes the first line; false if it is none.
func (p *parser) requestLine(line []byte) bool {
	method, target, ok := splitRequest(line, p.ask.long)
	if !ok {
		return false
	}
	if string(method) == "PRI" && string(target) == "*" {
		p.stop() // the preface of HTTP/2 (RFC 9113, 3.4)
		return true
	}
	p.ask.state = fields
	p.ask.last = bytes.HasSuffix(line, []byte(" HTTP/1.0"))
	if !p.open { // answered already
		p.ask.long = false
		return true
	}
	q := p.queue.Tail()
	q.Command = word(method)
	switch q.Command {
	case "HEAD":
		q.Tag = head
	case "CONNECT":
		q.Tag = connect
	}
	q.SetText(target, maxText)
	q.TextCut = q.TextCut || p.ask.long
	p.ask.long = false
	return true
}

// addRequest makes n bytes of the chunk part of the request being read.
func (p *parser) addRequest(c *flow.Chunk, from, n int) {
	if p.open && n > 0 {
		p.queue.Tail().Request.Add(c, from, n)
	}
}

func (p *parser) endRequest() {
	p.open = false
	p.ask.reset()
}

// loseRequests is for bytes that are no request.
func (p *parser) loseRequests() {
	if p.ask.state == start && p.open {
		p.queue.Undo()
	}
	p.endRequest()
	p.ask.state = lost
	p.queue.Tear()
}

// blurRequest is for a request of which the end cannot be told any more.
func (p *parser) blurRequest() {
	p.ask.state = blurred
	p.queue.Tear()
}

// skipRequest passes over n bytes of the client. With a chunk they are those
// that the snap length cut off: the packet is known, and a body of known length
// is as good as seen. Without one they are missing.
func (p *parser) skipRequest(c *flow.Chunk, n int64) {
	w := &p.ask
	switch w.state {
	case between:
		p.loseRequests()
		return
	case lost:
		p.queue.Tear()
		return
	}
	if p.open {
		if c == nil {
			p.markRequest()
		} else {
			p.addRequest(c, len(c.Data), int(n))
		}
	}
	if w.state == start {
		w.long = true // what is there of the line may still have the method
		p.requestLine(w.line)
	}
	over, known := w.pass(n)
	switch {
	case !known && c != nil:
		// Its packets are known; that the next one begins a message, is inferred.
		if p.open {
			p.queue.Tail().Doubt |= proto.Approximate
		}
	case !known:
		if p.open {
			p.markRequest()
		}
		p.blurRequest()
	case over > 0:
		if c != nil && p.open {
			// The tail of the chunk is not part of this request.
			p.queue.Tail().Request.End -= uint64(over)
		}
		p.loseRequests()
	case w.state == between:
		p.open = false
	}
}

// markRequest notes that a part of the request being read was not captured.
func (p *parser) markRequest() { p.queue.Tail().Doubt |= proto.Lossy }
