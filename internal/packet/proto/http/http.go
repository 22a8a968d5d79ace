// Package http decodes HTTP/1.0 and HTTP/1.1 (RFC 9112).
//
// An exchange is a request and its final answer. Command is the method, Text the
// request target as sent (at most a kilobyte), Code the status. Every status
// from 400 to 599 is Failed: 4xx says that the client got something other than
// it asked for, and the Code tells the two apart. Error is the reason phrase.
//
// What counts as what:
//   - Interim answers (1xx) are no answers; their packets belong to nothing.
//   - A request ends with the last byte of its body, so that with
//     "Expect: 100-continue" the waiting for permission is upload, not server.
//   - An answer that is complete before its request is, such as an early 413,
//     ends the exchange; what still comes of the request is passed over.
//   - "101 Switching Protocols" and the success of CONNECT end their exchange,
//     and with it the decoding: what follows is the protocol of the upgrade, or HTTP or
//     another one of the other side of a tunnel, for which another decoder is chosen.
//
// In step, the result does not depend on how the bytes are cut into chunks. Out
// of step (after a loss, or when the capture begins midway) a message is found
// again where a chunk begins with one, because that is where messages begin.
package http

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/pair"
)

// Protocol is the decoder. The ports are the registered ones (80, 591, 8008,
// 8080), those of proxies (3128), of Elasticsearch and ClickHouse (9200, 8123)
// and those that application servers use by default.
var Protocol = proto.Protocol{
	Name: "http",
	Ports: []uint16{80, 81, 591, 3000, 3128, 4000, 5000, 5601, 7001, 8000, 8001, 8008, 8080, 8081, 8082, 8086,
		8088, 8090, 8123, 8180, 8500, 8888, 8983, 9000, 9090, 9091, 9100, 9200, 15672},
	Sniff: sniff,
	New:   func(sink proto.Sink, midway bool) proto.Parser { return newParser(sink, midway) },
}

const (
	// maxPending bounds the requests under way. Clients that pipeline at all
	// stay far below it (wrk's scripts and benchmarks use 16 to 64).
	maxPending = 256
	// maxText bounds the request target that is kept.
	maxText = 1024
	// maxLine is how much of a line is looked at: a method, the target that is
	// kept and a version.
	maxLine = 1280
)

// state is where in a message a direction is.
type state uint8

const (
	between  state = iota // the next byte begins a message
	start                 // request line or status line
	fields                // header fields
	body                  // left bytes of body
	size                  // chunked: a line with the size of the next chunk
	chunk                 // chunked: left bytes of the chunk
	chunkEnd              // chunked: the line end after a chunk
	trailer               // chunked: fields after the last chunk
	endless               // a body that ends with the connection
	blurred               // a message of which the framing was lost: goes on until another begins
	lost                  // out of step: a message begins where a chunk begins with one
)

// way is the state of one direction.
type way struct {
	state   state
	chunked bool
	expect  bool   // the request asked for permission to send its body
	auth    bool   // the request has credentials, or the answer asks for some
	last    bool   // the connection ends with this message (RFC 9112, 9.3)
	upgrade string // the protocol that is changed to, if there is a decoder for it
	line    []byte // the beginning of a line that continues in the next chunk
	long    bool   // the line is longer than maxLine
	length  int64  // Content-Length; -1: none
	left    int64
}

// Kinds of requests whose answers have another form, in the tag of a request;
// credentials is set beside them if it has some.
const (
	plain uint32 = iota
	head
	connect
	kinds       uint32 = 3
	credentials uint32 = 4
	// parting is added to those after whose answer the connection ends.
	parting uint32 = 8
)

type parser struct {
	queue  pair.Queue
	ask    way
	answer way
	open   bool   // the request being read is the tail of the queue
	off    bool   // not HTTP any more
	tunnel bool   // because CONNECT or an upgrade has succeeded
	next   string // what is spoken in it, if it is known
	rest   int    // bytes of the latest chunk that belong to it
	code   int    // of the answer being read; 0: not known
	asked  challenge
	parted bool // the server has given its last answer
}

func newParser(sink proto.Sink, midway bool) *parser {
	p := &parser{queue: pair.New(sink, maxPending, midway)}
	if midway {
		p.queue.Alternate()
		p.ask.state, p.answer.state = lost, lost
	}
	return p
}

// Data decodes the next bytes of a direction.
func (p *parser) Data(c *flow.Chunk) {
	if p.off {
		return
	}
	if c.Dir == flow.ToServer {
		p.request(c)
	} else {
		p.response(c)
	}
}

// Gap passes over bytes that are missing.
func (p *parser) Gap(d flow.Dir, n int64, _ flow.Stamp) {
	if p.off || n <= 0 {
		return
	}
	if d == flow.ToServer {
		p.skipRequest(nil, n)
	} else {
		p.skipResponse(nil, n)
	}
}

// End gives out what is left.
func (p *parser) End(_ flow.Stamp, how flow.Ending) {
	switch {
	case p.off:
		return
	case p.answer.state == blurred:
		p.finish()
	case p.code < 200 && p.code != 101:
		p.queue.Forget() // an interim answer, or the beginning of nobody knows what
	}
	p.queue.End(how, p.answer.state == endless && (how == flow.Finished || how == flow.Reset))
	p.off = true
}

// Progress says what the connection is doing. The end of a body without length
// is the end of the connection.
func (p *parser) Progress() proto.Progress {
	switch s := p.answer.state; {
	case p.off, s == endless, s == blurred:
		return proto.Unclear
	case p.parted && s == between && (p.queue.Len() > 0 || p.ask.state == lost || p.ask.state == blurred):
		return proto.Dismissed
	case s != between && s != lost:
		return proto.Answering
	case p.queue.Len() > 0:
		return proto.Waiting
	case s == lost, p.ask.state == lost, p.queue.Behind():
		return proto.Unclear
	}
	return proto.Idle
}

// Opened says that CONNECT or an upgrade has succeeded.
func (p *parser) Opened() (next string, rest int, ok bool) {
	return p.next, p.rest, p.off && p.tunnel
}

// Owes says whether the server has a whole request and owes its answer, or the
// rest of one whose length it has told: in chunks, events are sent when there are
// some.
func (p *parser) Owes() bool {
	if p.ask.state != between || p.queue.Head() == nil {
		return false
	}
	return p.Progress() == proto.Waiting || p.answer.state == body && p.answer.left > 0
}

// Debt is the oldest request.
func (p *parser) Debt() proto.Debt { return p.queue.Debt() }

// take finds the rest of a line in data. It returns the line without its end and
// how many bytes of data it took; ok is false if the line goes on in the next
// chunk. Lines are shortened to maxLine bytes, long says so.
func (w *way) take(data []byte) (line []byte, n int, ok bool) {
	n = bytes.IndexByte(data, '\n')
	if n < 0 {
		w.keep(data)
		return nil, len(data), false
	}
	line = data[:n]
	if len(w.line) > 0 || len(line) > maxLine {
		w.keep(line)
		line = w.line
		w.line = w.line[:0]
	}
	if m := len(line); m > 0 && line[m-1] == '\r' {
		line = line[:m-1]
	}
	return line, n + 1, true
}

func (w *way) keep(b []byte) {
	if room := maxLine - len(w.line); len(b) > room {
		b, w.long = b[:room], true
	}
	w.line = append(w.line, b...)
}

// reset prepares for the next message.
func (w *way) reset() {
	w.chunked, w.expect, w.auth, w.last, w.long, w.length = false, false, false, false, false, -1
	w.upgrade = ""
	w.line = w.line[:0]
}

// field reads what matters for framing from a line of the header, and whether it
// is about credentials.
func (w *way) field(line []byte) {
	// Most fields are neither; their first letter tells.
	switch line[0] | 0x20 {
	case 'c':
		if len(line) > 10 && line[10] == ':' {
			w.persistence(line)
			return
		}
		if len(line) < 15 || line[14] != ':' {
			return
		}
		if v, ok := value(line, "content-length"); ok {
			if n, ok := decimal(v); ok && w.length < 0 {
				w.length = n
			}
		}
	case 't':
		if v, ok := value(line, "transfer-encoding"); ok {
			w.chunked = endsWithFold(v, "chunked")
			if !w.chunked {
				w.length = -1
			}
		}
	case 'e':
		if v, ok := value(line, "expect"); ok {
			w.expect = endsWithFold(v, "100-continue")
		}
	case 'a':
		if len(line) > 13 && line[13] == ':' {
			w.about(line, "authorization")
		}
	case 'u':
		w.changes(line)
	case 'w':
		w.about(line, "www-authenticate")
	case 'p':
		w.about(line, "proxy-authorization")
		w.about(line, "proxy-authenticate")
	}
}

// persistence takes the field that says whether the connection goes on.
func (w *way) persistence(line []byte) {
	v, ok := value(line, "connection")
	switch {
	case !ok:
	case endsWithFold(v, "close"):
		w.last = true
	case endsWithFold(v, "keep-alive"):
		w.last = false
	}
}

// changes takes the field that says which protocol follows an upgrade.
func (w *way) changes(line []byte) {
	v, ok := value(line, "upgrade")
	switch {
	case !ok:
	case endsWithFold(v, "websocket"):
		w.upgrade = "websocket"
	case endsWithFold(v, "h2c"):
		w.upgrade = "http2"
	}
}

func (w *way) about(line []byte, name string) {
	if _, ok := value(line, name); ok {
		w.auth = true
	}
}

// scan goes over the lines of a header that lie in data as a whole, and leaves
// the last one, which is empty, and those that are cut to take. It returns how
// many bytes it went over.
func (w *way) scan(data []byte) (n int) {
	if len(w.line) > 0 {
		return 0
	}
	// Eight bytes at a time: lines are short, and calls to find their ends would
	// cost more than going over them.
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for i := 0; i+8 <= len(data); i += 8 {
		x := binary.LittleEndian.Uint64(data[i:]) ^ '\n'*ones
		for ends := (x - ones) & ^x & highs; ends != 0; ends &= ends - 1 {
			end := i + bits.TrailingZeros64(ends)/8
			if data[end] != '\n' {
				continue // the borrow of a real one before it
			}
			m := end - n
			if m < 2 || m > maxLine {
				return n
			}
			switch data[n] | 0x20 {
			case 'c', 't', 'e', 'a', 'w', 'p', 'u':
				if data[end-1] == '\r' {
					end--
				}
				w.field(data[n:end])
			}
			n += m + 1
		}
	}
	return n
}

// bodyState is where a message goes on after its header, if it has a body that
// the header describes.
func (w *way) bodyState() (s state, described bool) {
	switch {
	case w.chunked:
		return size, true
	case w.length > 0:
		w.left = w.length
		return body, true
	case w.length == 0:
		return between, true
	}
	return between, false
}

// walk decodes the part of a body that lies in data. It returns how many bytes
// belong to the message and whether the message is complete.
func (w *way) walk(data []byte) (n int, done bool) {
	for n < len(data) {
		switch w.state {
		case body, chunk:
			m := int(min(w.left, int64(len(data)-n)))
			n += m
			w.left -= int64(m)
			if w.left > 0 {
				return n, false
			}
			if w.state == body {
				w.state = between
				return n, true
			}
			w.state = chunkEnd
		case size, chunkEnd, trailer:
			line, m, ok := w.take(data[n:])
			n += m
			if !ok {
				return n, false
			}
			if done = w.chunkLine(line); done || w.state == blurred {
				return n, done
			}
		default: // endless, blurred
			return len(data), false
		}
	}
	return n, false
}

// chunkLine takes a line of the chunked coding.
func (w *way) chunkLine(line []byte) (done bool) {
	switch w.state {
	case size:
		n, ok := hexadecimal(line)
		switch {
		case !ok:
			w.state = blurred
		case n == 0:
			w.state = trailer
		default:
			w.state, w.left = chunk, n
		}
	case chunkEnd:
		w.state = size
		if len(line) > 0 {
			w.state = blurred
		}
	default:
		if len(line) == 0 {
			w.state = between
			return true
		}
	}
	w.long = false
	return false
}

// pass goes over n bytes that were not captured within a message. known is false
// if nobody can tell where the message ends. over is how many of the bytes are
// not part of it.
func (w *way) pass(n int64) (over int64, known bool) {
	switch w.state {
	case body:
		if n < w.left {
			w.left -= n
			return 0, true
		}
		over, w.left = n-w.left, 0
		w.state = between
		return over, true
	case chunk:
		if n < w.left {
			w.left -= n
			return 0, true
		}
		if n == w.left {
			w.left, w.state = 0, chunkEnd
			return 0, true
		}
	case endless:
		return 0, true
	}
	w.state = blurred
	w.line = w.line[:0]
	return 0, false
}
