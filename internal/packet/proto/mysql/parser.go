package mysql

import (
	"unique"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/pair"
	"rtrail/internal/packet/proto/tls"
)

// First bytes of packets that are not rows.
const (
	packetOK   = 0x00
	packetFile = 0xfb // LOAD DATA LOCAL INFILE
	packetEOF  = 0xfe
	packetErr  = 0xff
)

// fullPacket is the length that says that the packet goes on in the next.
const fullPacket = 0xffffff

type phase uint8

const (
	phaseGreeting phase = iota
	phaseAuth
	phaseCommand
	phaseStream // the binary log
)

// parser is a connection.
type parser struct {
	sink     proto.Sink
	scratch  *proto.Scratch // its exchange is filled in and given to sink
	tls      proto.Parser   // after the change to TLS
	prepared *prepared
	zip      *zip      // compressed connections only
	queue    []request // requests after cur that wait, from first on
	first    int
	err      *proto.Buffer // what the server complained about

	caps uint64
	cur  request    // the oldest request that waits; valid if waiting > 0
	resp proto.Span // of the answer to cur, or of bytes that nobody asked for
	rows int64
	side [2]side

	left1, left2 uint32 // definitions of columns to come; of parameters and of columns
	state        state
	expect       uint8 // sequence number of the next packet of the command
	waiting      uint16
	phase        phase
	nextDoubt    proto.Doubt // of the next request
	doubt        proto.Doubt // of the answer to cur
	building     bool        // the packet of the youngest request is incomplete
	failed       bool
	refused      bool // the server refused the login
	begun        bool // the answer has a packet that is no report of progress
	filing       bool // the server asked for a file before it answered: what the client sends belongs to cur
	midway       bool
	opening      bool // the next command is the first one that was seen
	noEOF        int8 // learned from the shape of answers: 1 no EOF packets, -1 EOF packets, 0 unknown
}

// side is what is known of the packet under way in a direction.
type side struct {
	acc    *proto.Buffer // header and beginning, if they came in pieces
	left   uint32        // bytes of it to come that nobody needs
	joined bool          // it goes on in the next packet
	final  bool          // it is the last of the answer
	lost   bool          // where the next packet begins is unknown
}

// request is a command that waits for its answer.
type request struct {
	span  proto.Span
	text  *proto.Buffer
	stmt  unique.Handle[string]
	id    uint32
	depth uint16
	cmd   byte
	seq   byte // of its last packet
	cut   bool // only the beginning of its text is known
	doubt proto.Doubt
}

// Data takes the next bytes of a direction.
func (p *parser) Data(c *flow.Chunk) {
	switch {
	case p.tls != nil:
		p.tls.Data(c)
	case p.zip != nil && !(p.zip.clear && c.Dir == flow.ToClient):
		p.inflate(c)
	case c.Dir == flow.ToServer:
		if p.simple(c) {
			return
		}
		if p.midway && len(c.Data) > 0 {
			p.firstBytes(c)
			if p.tls != nil || p.zip != nil {
				p.Data(c)
				return
			}
		}
		p.client(c, c.Data, c.Size())
		if c.Cut > 0 && p.tls == nil {
			p.hole(c.Dir, int64(c.Cut), proto.Approximate)
		}
	default:
		p.server(c, c.Data)
		if c.Cut > 0 && !p.endOfResult(c) {
			p.hole(c.Dir, int64(c.Cut), proto.Approximate)
		}
		if p.zip != nil && p.side[flow.ToClient].left == 0 {
			p.zip.clear = false
		}
	}
}

// Progress says what the connection is doing. Within TLS a farewell looks like a
// request; where the shape of an answer is not known, it may be complete.
func (p *parser) Progress() proto.Progress {
	switch {
	case p.refused:
		return proto.Idle
	case p.tls != nil, p.phase != phaseCommand:
		return proto.Unclear
	case p.waiting > 0 && p.resp.Empty() && !p.begun:
		return proto.Waiting
	case p.waiting > 0 && p.state != stateBlind && p.state != stateTail:
		return proto.Answering
	case p.waiting > 0, p.side[0].lost, p.side[1].lost:
		return proto.Unclear
	}
	return proto.Idle
}

// Owes says whether the server has a whole command and owes its answer.
func (p *parser) Owes() bool {
	return p.Progress() == proto.Waiting && !p.building && !p.filing && p.state != stateFile && !p.side[flow.ToServer].lost
}

// Seeking implements proto.Seeker.
func (p *parser) Seeking() bool {
	return p.tls == nil && (p.side[flow.ToServer].lost || p.zip != nil && p.zip.side[flow.ToServer].lost)
}

// firstBytes tells from the first command seen whether the connection is
// encrypted or compressed, when the login was not seen.
func (p *parser) firstBytes(c *flow.Chunk) {
	switch {
	case isTLS(c.Data):
		p.tls, p.midway = tls.Protocol.New(p.sink, true), false
	case plausible(c.Data, c.Size()):
		// Nobody sends a command before the answer to the one before: it is the
		// first that waits.
		p.midway, p.opening = false, true
	case compressedStart(c.Data, c.Size()):
		p.midway = false
		p.zip = newZip()
	}
}

// Gap says that n bytes are missing for good.
func (p *parser) Gap(d flow.Dir, n int64, at flow.Stamp) {
	switch {
	case p.tls != nil:
		p.tls.Gap(d, n, at)
	case p.zip != nil:
		p.zip.lose(p, d, proto.Lossy)
	default:
		p.hole(d, n, proto.Lossy)
	}
}

// End gives out what waits.
func (p *parser) End(at flow.Stamp, how flow.Ending) {
	if p.tls != nil {
		p.tls.End(at, how)
	} else {
		switch {
		case p.waiting == 0 && p.phase < phaseCommand && p.failed:
			p.refusal()
		case p.waiting == 0 && p.phase < phaseCommand:
		case p.waiting == 0:
			p.endOrphan()
		case p.state == stateTail:
			p.finish(proto.Answered)
		case p.state == stateBlind && !p.resp.Empty():
			p.finish(proto.Answered)
		}
		for p.waiting > 0 {
			if p.tail().cmd == comUnknown && p.building {
				p.pop()
				continue
			}
			p.finish(proto.Unanswered)
		}
	}
	for d := range p.side {
		p.scratch.Buffers.Put(&p.side[d].acc)
	}
	p.scratch.Buffers.Put(&p.err)
	p.zip, p.prepared = nil, nil
}

// charge makes bytes of a chunk a part of a message. On a compressed connection
// it is the whole compressed packet.
func (p *parser) charge(s *proto.Span, c *flow.Chunk, from, to int) {
	switch {
	case from >= to:
	case p.zip != nil:
		join(s, &p.zip.side[c.Dir].span)
	default:
		s.Add(c, from, to-from)
	}
}

// hole is n bytes of a direction that were not captured.
func (p *parser) hole(d flow.Dir, n int64, why proto.Doubt) {
	s := &p.side[d]
	if p.phase == phaseCommand {
		span := &p.resp
		if d == flow.ToServer {
			span = &p.tail().span
		}
		switch {
		case d == flow.ToServer && !p.building && !p.filing || p.waiting == 0:
		case why == proto.Lossy && d == flow.ToServer:
			p.tail().doubt |= why
		case why == proto.Lossy:
			p.doubt |= why
		case !span.Empty():
			span.End += uint64(n)
		}
	}
	if p.phase == phaseAuth && p.waiting == 0 {
		p.cur.doubt |= why & proto.Lossy
	}
	if s.acc != nil && len(s.acc.B) >= 5 && !s.lost {
		// The header is there: what is not known of the beginning may not matter.
		b := s.acc.B
		length := le24(b)
		rest := int64(length) - int64(len(b)-4)
		if n <= rest {
			acc := s.acc
			s.acc = nil
			if d == flow.ToServer {
				p.request(b[4:], length, b[3])
			} else {
				p.answerPacket(nil, b[4:], length, b[3], 0, 0)
			}
			p.scratch.Buffers.Put(&acc)
			if !s.lost {
				s.left = uint32(rest)
			}
		}
	}
	if s.lost {
		return
	}
	if s.acc == nil && n <= int64(s.left) {
		s.left -= uint32(n)
		if s.left == 0 {
			p.packetEnd(d)
		}
		return
	}
	p.lose(d, why)
}

// lose gives up the position in a direction.
func (p *parser) lose(d flow.Dir, why proto.Doubt) {
	s := &p.side[d]
	p.scratch.Buffers.Put(&s.acc)
	s.lost, s.left, s.joined, s.final = true, 0, false, false
	if p.phase != phaseCommand {
		return
	}
	if d == flow.ToServer {
		if p.filing {
			p.cur.doubt |= why // its last packet may not be recognised
		}
		p.nextDoubt |= why &^ proto.Approximate
		if why&proto.Approximate != 0 {
			p.nextDoubt |= proto.Resync
		}
		if p.building {
			p.tail().doubt |= why
			if p.tail().cmd == comUnknown {
				p.pop()
			}
			p.building = false
		}
		return
	}
	p.blind(why)
}

// blind gives up the shape of the answer to cur: it ends where the client goes on.
func (p *parser) blind(why proto.Doubt) {
	p.state = stateBlind
	p.rows = proto.RowsUnknown
	p.filing = false
	p.doubt |= why
	if p.waiting > 1 {
		p.doubt |= proto.Ambiguous
		for i := range p.queue {
			p.queue[i].doubt |= proto.Ambiguous
		}
	}
}

// tail is the youngest request.
func (p *parser) tail() *request {
	if p.waiting <= 1 {
		return &p.cur
	}
	return &p.queue[p.first+int(p.waiting)-2]
}

// pop forgets the youngest request.
func (p *parser) pop() {
	p.scratch.Buffers.Put(&p.tail().text)
	p.building = false
	p.waiting--
	if p.waiting == 0 {
		p.cur = request{}
	} else {
		p.queue = p.queue[:p.first+int(p.waiting)-1]
	}
}

// finish gives out the oldest request and turns to the next.
func (p *parser) finish(status proto.Status) {
	p.give(&p.cur, &p.resp, status, p.doubt)
	p.cur = request{}
	if p.waiting == 1 {
		p.building = false
	}
	p.waiting--
	if p.waiting > 0 {
		p.cur = p.queue[p.first]
		p.queue[p.first] = request{}
		if p.first++; 2*p.first >= len(p.queue) { // move the others rarely
			n := copy(p.queue, p.queue[p.first:])
			clear(p.queue[n:])
			p.queue, p.first = p.queue[:n], 0
		}
	}
	p.newAnswer()
}

// newAnswer forgets the answer and awaits that of cur.
func (p *parser) newAnswer() {
	p.resp.Reset()
	p.rows, p.doubt, p.failed, p.begun, p.filing = 0, 0, false, false, false
	p.state = stateIdle
	if p.waiting > 0 {
		p.expect = p.cur.seq + 1
		p.state = first(commands[p.cur.cmd].kind)
	}
	if p.side[flow.ToClient].lost {
		p.state = stateBlind
		p.rows = proto.RowsUnknown
	}
}

// endOrphan gives out bytes of the server that nobody is known to have asked for.
func (p *parser) endOrphan() {
	if p.resp.Empty() {
		return
	}
	r := request{cmd: comUnknown, doubt: p.nextDoubt}
	if p.err == nil {
		p.rows = proto.RowsNone
	}
	p.give(&r, &p.resp, proto.Unpaired, p.doubt)
	p.newAnswer()
}

// give hands an exchange to the sink.
func (p *parser) give(r *request, resp *proto.Span, status proto.Status, doubt proto.Doubt) {
	e := &p.scratch.Exchange
	e.Request, e.Status, e.Doubt, e.Depth = r.span, status, r.doubt|doubt, r.depth
	e.Command, e.Rows = commands[r.cmd].name, proto.RowsNone
	e.Text, e.TextCut, e.Failed, e.Code, e.Error = nil, false, false, "", ""
	switch {
	case r.text != nil:
		e.Text, e.TextCut = r.text.B, r.cut
	case r.stmt != none:
		e.Text, e.TextCut = bytesOf(r.stmt.Value()), r.cut
	case r.id == lastID && p.prepared != nil:
		e.Text, e.TextCut = p.prepared.last.bytes(), p.prepared.last.cut
	}
	if resp == nil {
		e.Response.Reset()
	} else {
		e.Response = *resp
		switch commands[r.cmd].kind {
		case kindResult, kindRows:
			if status == proto.Answered {
				e.Rows = p.rows
			}
		}
		if p.failed {
			e.Failed = true
			e.Code, e.Error = p.errorWords()
		}
	}
	p.sink.Exchange(e)
	p.scratch.Buffers.Put(&r.text)
	if resp != nil {
		p.scratch.Buffers.Put(&p.err)
	}
}

// join makes the packets of another span part of a message, once.
func join(s, of *proto.Span) {
	if s.Empty() || s.End != of.End {
		pair.Join(s, of)
	}
}
