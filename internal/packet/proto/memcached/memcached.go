// Package memcached decodes the text protocol of memcached, classic and meta
// commands (https://github.com/memcached/memcached/blob/master/doc/protocol.txt). The
// binary protocol, which is deprecated, is not decoded.
//
// An exchange is a command and its answer. Command is the name as it is sent (get,
// set, mg), Text the first key, TextCut says that there are more; never a value. Failed
// are answers that begin with ERROR, CLIENT_ERROR or SERVER_ERROR, which is their Code.
// Other outcomes that are worth a word are a Code without Failed: NOT_FOUND,
// NOT_STORED, EXISTS, and EN, NF, NS, EX of meta commands. Rows is how many values
// an answer has.
//
// Commands with noreply have no answer, and neither have quit and quiet meta commands
// (flag q), which are answered in some cases only. What comes for these before the
// answer to mn, by which clients end a batch of them, belongs to the answer to mn.
// After watch the connection carries a log, which is not decoded.
package memcached

import (
	"bytes"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/pair"
)

// Protocol is the decoder.
var Protocol = proto.Protocol{Name: "memcached", Ports: []uint16{11211}, Sniff: sniff, New: newParser}

const (
	// maxPending bounds the commands under way. Clients pipeline by hundreds.
	maxPending = 1024
	maxText    = 250 // bytes of a key, as memcached limits it
	// maxLine is how much of a line is looked at: a key and some numbers. Only lists of
	// keys are longer.
	maxLine = 512
	// maxValue bounds the length of a value: memcached allows 1 GB (-I).
	maxValue = 1 << 30
)

type state uint8

const (
	inLine state = iota
	inData       // left bytes of a value, its line end included
	lost         // out of step
)

// side is the state of one direction.
type side struct {
	state  state
	within bool  // a message has begun
	left   int64 // bytes of a value still to come
	line   []byte
}

type parser struct {
	queue pair.Queue
	sides [2]side
	quiet bool // a command that may have no answer was sent since the last one that has
	mute  bool // the command being read has no answer
	// Of the answer being read: values and lines follow until END, and it is that to mn.
	listing, closing bool
	off              bool // not decoded any more
}

func newParser(sink proto.Sink, midway bool) proto.Parser {
	p := &parser{queue: pair.New(sink, maxPending, midway)}
	if midway {
		p.sides[0].state, p.sides[1].state = lost, lost
	}
	return p
}

// Data decodes the next bytes of a direction.
func (p *parser) Data(c *flow.Chunk) {
	if p.off {
		return
	}
	s := &p.sides[c.Dir]
	if s.state == lost {
		if !begins(c.Dir, c.Data) {
			return
		}
		*s = side{line: s.line[:0]}
	}
	for i := 0; i < len(c.Data) && !p.off; {
		n, complete := p.step(s, c, i)
		if s.state == lost {
			return
		}
		i += n
		if complete {
			p.complete(c.Dir)
		}
	}
	if c.Cut > 0 {
		p.skip(c, c.Dir, int64(c.Cut))
	}
}

// step takes a line, a value or what is there of it, from data[from] on.
func (p *parser) step(s *side, c *flow.Chunk, from int) (n int, complete bool) {
	data := c.Data[from:]
	if !s.within {
		s.within = true
		if c.Dir == flow.ToServer {
			p.mute = false
			p.queue.Open(c.At)
		}
	}
	if s.state == inData {
		n = int(min(s.left, int64(len(data))))
		p.add(c, from, n)
		if s.left -= int64(n); s.left > 0 {
			return n, false
		}
		s.state = inLine
		return n, p.endData(c.Dir)
	}
	end := bytes.IndexByte(data, '\n')
	if end < 0 {
		s.keep(data)
		p.add(c, from, len(data))
		return len(data), false
	}
	p.add(c, from, end+1)
	text := data[:end]
	if len(s.line) > 0 || end > maxLine {
		s.keep(text)
		text = s.line
		s.line = s.line[:0]
	}
	text = bytes.TrimSuffix(text, []byte{'\r'})
	var ok bool
	if c.Dir == flow.ToServer {
		complete, ok = p.command(text)
	} else {
		complete, ok = p.answer(text)
	}
	if !ok {
		p.lose(c.Dir)
	}
	return end + 1, complete
}

// add makes bytes of a chunk part of the message being read.
func (p *parser) add(c *flow.Chunk, from, n int) {
	if c.Dir == flow.ToServer {
		p.queue.Tail().Request.Add(c, from, n)
	} else {
		p.queue.Now.Response.Add(c, from, n)
	}
}

// complete ends the message being read.
func (p *parser) complete(d flow.Dir) {
	p.sides[d].within = false
	if d == flow.ToClient {
		p.answered()
		return
	}
	q := p.queue.Tail()
	if p.quiet && !p.mute {
		q.Doubt |= proto.Ambiguous // an answer may be that to a quiet command
	}
	switch {
	case q.Command == "watch":
		p.queue.Undo()
		p.queue.Flush(0)
		p.off = true
	case p.mute && !p.queue.Behind():
		p.queue.Unanswerable()
	case q.Command == "mn":
		q.Doubt &^= proto.Ambiguous
		p.quiet = false
	}
}

// lose puts a direction out of step.
func (p *parser) lose(d flow.Dir) {
	s := &p.sides[d]
	if s.within {
		if d == flow.ToServer {
			p.queue.Undo()
		} else {
			p.queue.Forget()
		}
	}
	*s = side{state: lost, line: s.line[:0]}
	p.queue.Tear()
}

// Gap passes over bytes that are missing.
func (p *parser) Gap(d flow.Dir, n int64, _ flow.Stamp) {
	if n > 0 && !p.off {
		p.skip(nil, d, n)
	}
}

// skip passes over n bytes: with a chunk those that the snap length cut off, without
// one those that are missing.
func (p *parser) skip(c *flow.Chunk, d flow.Dir, n int64) {
	s := &p.sides[d]
	if s.state == lost {
		return
	}
	if s.state != inData || n > s.left {
		p.lose(d)
		return
	}
	switch {
	case c != nil:
		p.add(c, len(c.Data), int(n))
	case d == flow.ToServer:
		p.queue.Tail().Doubt |= proto.Lossy
	default:
		p.queue.Now.Doubt |= proto.Lossy
	}
	if s.left -= n; s.left == 0 {
		s.state = inLine
		if p.endData(d) {
			p.complete(d)
		}
	}
}

// End gives out what is left.
func (p *parser) End(_ flow.Stamp, how flow.Ending) {
	if !p.off {
		p.queue.End(how, false)
	}
	p.off = true
}

// Progress says what the connection is doing.
func (p *parser) Progress() proto.Progress {
	client, server := &p.sides[flow.ToServer], &p.sides[flow.ToClient]
	switch {
	case p.off:
		return proto.Unclear
	case server.within:
		return proto.Answering
	case p.queue.Len() > 0:
		return proto.Waiting
	case client.state == lost, server.state == lost, p.queue.Behind():
		return proto.Unclear
	}
	return proto.Idle
}

// Owes says whether the server has a whole command and owes its answer.
func (p *parser) Owes() bool {
	return p.Progress() == proto.Waiting && !p.sides[flow.ToServer].within && !p.quiet
}

// Debt is the oldest request.
func (p *parser) Debt() proto.Debt { return p.queue.Debt() }

func (s *side) keep(b []byte) {
	s.line = append(s.line, b[:min(len(b), max(0, maxLine-len(s.line)))]...)
}
