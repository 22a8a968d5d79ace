package redis

import (
	"strings"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/pair"
)

// capture is what the content of a string is read for.
type capture uint8

const (
	none     capture = iota
	firstOne         // it says what a watched message is
	failure          // it is an error
)

// response decodes bytes of the server.
func (p *parser) response(c *flow.Chunk) {
	w, data := &p.reply, c.Data
	if (w.state == lost || w.state == blurred) && beginsResponse(data) {
		if w.state == blurred {
			p.finish()
		}
		w.state = between
	}
	i, from := 0, 0
	for i < len(data) && !p.off {
		switch w.state {
		case between:
			b := data[i]
			if b == '\r' || b == '\n' { // a master's sign of life before an answer to PSYNC
				i++
				continue
			}
			from = i
			p.beginResponse(b)
		case line:
			text, n, ok := w.take(data[i:])
			i += n
			switch {
			case !ok:
			case !p.element(text):
				p.loseResponses()
			case w.state == between:
				p.addResponse(c, from, i-from)
				p.finish()
			}
		case bulk:
			n := int(min(w.left, int64(len(data)-i)))
			if p.capture != none { // the line end is not part of it
				p.content(data[i : i+int(min(int64(n), max(0, w.left-2)))])
			}
			i += n
			if w.left -= int64(n); w.left > 0 {
				continue
			}
			if p.endString(); w.state == between {
				p.addResponse(c, from, i-from)
				p.finish()
			}
		default:
			i = len(data)
		}
	}
	if p.off {
		return
	}
	if w.state != between && w.state != lost {
		p.addResponse(c, from, len(data)-from)
	}
	if c.Cut > 0 {
		p.skipResponse(c, int64(c.Cut))
	}
}

func (p *parser) beginResponse(b byte) {
	switch b {
	case '+', '-', ':', '$', '*', '_', ',', '#', '!', '=', '(', '%', '~', '>', '|':
	default:
		p.loseResponses()
		return
	}
	p.reply.state = line
	p.reply.line = p.reply.line[:0]
	p.depth, p.attrs, p.capture = 0, 0, none
	// Messages of channels look like answers in RESP2, and in a capture that
	// begins midway nobody knows of the subscription.
	p.push = b == '>'
	p.watched = p.push || b == '*' && (p.pubsub || p.queue.Len() == 0)
	if p.watched {
		p.part.Reset()
		p.firstLen, p.number, p.capture = 0, 0, firstOne
	}
}

// element takes the line that begins an element, or is one. The state becomes
// bulk if a string follows, and between if the message is complete.
func (p *parser) element(text []byte) bool {
	if len(text) == 0 {
		return false
	}
	w := &p.reply
	t, rest := text[0], text[1:]
	switch t {
	case '+', '-', ':', ',', '#', '(', '_':
		p.scalar(t, rest)
		p.done()
		return true
	case '$', '=', '!':
		n, ok := count(rest)
		switch {
		case !ok:
			return false
		case n == -1:
			p.null()
		case n == openList:
			return p.down(openString, false)
		default:
			w.left, w.state = n+2, bulk
			if p.depth == 0 {
				p.queue.Now.Rows = 1
				if t == '!' {
					p.capture, w.line = failure, w.line[:0]
				}
			}
		}
		return true
	case '*', '~', '>', '%', '|':
		return p.aggregate(t, rest)
	case ';':
		n, ok := count(rest)
		if !ok || p.depth == 0 || p.stack[p.depth-1] != openString || n < 0 {
			return false
		}
		if n > 0 {
			w.left, w.state = n+2, bulk
			return true
		}
	case '.':
		if p.depth == 0 || p.stack[p.depth-1] != openList {
			return false
		}
	default:
		return false
	}
	// The end of something streamed.
	p.depth--
	p.up()
	return true
}

// scalar takes an element that is a line.
func (p *parser) scalar(t byte, text []byte) {
	e := &p.queue.Now
	switch {
	case p.depth == 0 && t == '-':
		p.fail(text)
	case p.depth == 0 && t == '_':
		e.Rows = 0
	case p.depth == 0 && t == '+':
		switch {
		case string(text) == "QUEUED":
			e.Code = "QUEUED"
		case len(text) > 0 && text[0] >= '0' && text[0] <= '9' && (p.monitor || p.queue.Len() == 0):
			// A line of MONITOR begins with the time.
			p.watched, p.push = true, true
			p.part, e.Response = e.Response, proto.Span{}
			p.firstLen = 0
		}
	case p.depth == 1 && t == ':' && p.watched:
		p.number, _ = count(text)
		p.capture = none
	case p.capture == firstOne:
		p.content(text)
		p.capture = none
	}
}

func (p *parser) null() {
	if p.depth == 0 {
		p.queue.Now.Rows = 0
	}
	p.done()
}

func (p *parser) aggregate(t byte, text []byte) bool {
	n, ok := count(text)
	if !ok {
		return false
	}
	if n == -1 {
		p.null()
		return true
	}
	if p.depth == 0 && t != '|' && n >= 0 {
		p.queue.Now.Rows = n
	}
	if p.depth > 0 {
		p.capture = none // the first element is no word
	}
	if (t == '%' || t == '|') && n > 0 {
		n *= 2
	}
	if n != 0 {
		return p.down(n, t == '|')
	}
	if t == '|' {
		p.reply.state = line // what it describes follows
	} else {
		p.done()
	}
	return true
}

// down enters an aggregate of n elements.
func (p *parser) down(n int64, attribute bool) bool {
	if p.depth == maxDepth {
		return false
	}
	p.stack[p.depth] = n
	if attribute {
		p.attrs |= 1 << p.depth
	}
	p.depth++
	p.reply.state = line
	return true
}

// done counts an element that is complete.
func (p *parser) done() {
	if p.depth > 0 {
		top := &p.stack[p.depth-1]
		if *top > 0 {
			*top--
		}
		if *top != 0 {
			p.reply.state = line
			return
		}
		p.depth--
	} else {
		p.reply.state = between
		return
	}
	p.up()
}

// up leaves an aggregate that is complete. An attribute is no element: what it
// describes follows.
func (p *parser) up() {
	if bit := uint16(1) << p.depth; p.attrs&bit != 0 {
		p.attrs &^= bit
		p.reply.state = line
		return
	}
	p.done()
}

// content takes a part of a string that says something.
func (p *parser) content(b []byte) {
	if p.capture == failure {
		p.reply.keep(b)
		return
	}
	n := copy(p.first[p.firstLen:], b)
	p.firstLen += uint8(n)
}

// endString completes a string.
func (p *parser) endString() {
	if p.capture == failure {
		p.fail(p.reply.line)
		p.reply.line = p.reply.line[:0]
	}
	p.capture = none
	if p.depth > 0 && p.stack[p.depth-1] == openString {
		p.reply.state = line
		return
	}
	p.done()
}

func (p *parser) fail(text []byte) {
	e := &p.queue.Now
	e.Failed, e.Rows = true, -1
	e.Code, e.Error = splitError(text)
	p.parted = p.parted || e.Code == "ERR" && strings.HasPrefix(e.Error, "Protocol error")
}

// addResponse makes n bytes of the chunk part of the message being read.
func (p *parser) addResponse(c *flow.Chunk, from, n int) {
	if n <= 0 {
		return
	}
	if p.watched {
		p.part.Add(c, from, n)
	} else {
		p.queue.Now.Response.Add(c, from, n)
	}
}

// finish ends the message being read.
func (p *parser) finish() {
	p.reply.state = between
	if p.watched && !p.belongs() {
		p.part.Reset()
		p.queue.Now.Rows = -1
		return
	}
	if q := p.queue.Head(); q != nil {
		p.waited(q)
		switch kind(q.Tag & 0xff) {
		case monitor:
			p.monitor = p.monitor || !p.queue.Now.Failed
		case reset:
			p.monitor, p.pubsub, p.subs = false, false, [3]int64{}
		case replicate:
			if !p.queue.Now.Failed {
				p.queue.Answered()
				p.queue.Flush(proto.Ambiguous)
				p.off = true
				return
			}
		}
	}
	p.answered()
}

func (p *parser) answered() {
	if p.open && p.queue.Len() == 1 && !p.queue.Behind() {
		p.open = false // answered before it was complete: an error
	}
	p.queue.Answered()
}

// belongs says whether a watched message completes an answer.
func (p *parser) belongs() bool {
	k := confirmation(p.first[:p.firstLen])
	switch {
	case k == message:
		return false
	case k == ordinary:
		if p.push {
			return false
		}
		pair.Join(&p.queue.Now.Response, &p.part)
		return true
	}
	// The confirmation of a subscription, or of its end. Its number is how many
	// there are now: channels and patterns together, sharded channels apart.
	which := (k - subscribe) % 3
	before := p.subs[which]
	switch which {
	case 2:
		p.subs[2] = p.number
	default:
		p.subs[which] = max(0, p.number-p.subs[1-which])
	}
	q := p.queue.Head()
	if q == nil || kind(q.Tag&0xff) != k {
		return false
	}
	pair.Join(&p.queue.Now.Response, &p.part)
	p.part.Reset()
	p.queue.Now.Rows = -1
	owed := q.Tag >> 8
	if owed == 0 { // all of them
		owed = uint32(min(max(1, before), 1<<20))
	}
	owed--
	q.Tag = uint32(k) | owed<<8
	return owed == 0
}

// loseResponses is for bytes that are no answer.
func (p *parser) loseResponses() {
	p.reply.state = lost
	p.queue.Forget()
	p.queue.Tear()
}

// skipResponse passes over bytes, as skipRequest does.
func (p *parser) skipResponse(c *flow.Chunk, n int64) {
	w := &p.reply
	if w.state == between || w.state == lost {
		p.loseResponses()
		return
	}
	if c == nil {
		p.queue.Now.Doubt |= proto.Lossy
	} else {
		p.addResponse(c, len(c.Data), int(n))
	}
	if w.state == bulk && n <= w.left && p.capture == none {
		if w.left -= n; w.left > 0 {
			return
		}
		if p.endString(); w.state == between {
			p.finish()
		}
		return
	}
	if w.state != blurred {
		p.queue.Now.Doubt |= proto.Lossy
		p.queue.Tear()
	}
	w.state = blurred
	w.line = w.line[:0]
}

// beginsResponse says whether data begins with what may be an answer.
func beginsResponse(data []byte) bool {
	if len(data) < 3 {
		return false
	}
	switch data[0] {
	case '+', '-':
		return data[1] >= 'A' && data[1] <= 'Z'
	case ':', '$', '*', '%', '~', '>', '=', '!':
		i := 1
		for i < len(data) && i < 20 && (data[i] >= '0' && data[i] <= '9' || i == 1 && data[i] == '-') {
			i++
		}
		return i > 1 && i < len(data) && data[i] == '\r'
	}
	return false
}
