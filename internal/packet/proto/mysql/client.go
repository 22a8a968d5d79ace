package mysql

import (
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// maxWaiting is how many requests of a connection may wait for their answers.
// Clients that send ahead (batches of MariaDB Connector/J) do so by dozens.
const maxWaiting = 4096

// client takes bytes of the client; size is how many the chunk stands for.
func (p *parser) client(c *flow.Chunk, data []byte, size int) {
	s := &p.side[flow.ToServer]
	if s.lost && !p.relock(data, size) {
		if p.filing {
			p.charge(&p.cur.span, c, 0, size)
		}
		return
	}
	if p.phase == phaseAuth && p.waiting == 0 {
		p.cur.span.Add(c, 0, size)
	}
	run := 0 // where the request under way begins in data
	for i := 0; i < len(data); {
		if s.left > 0 {
			n := min(int(s.left), len(data)-i)
			i += n
			s.left -= uint32(n)
			if s.left == 0 {
				p.charge2(c, run, i)
				run = i
				p.packetEnd(flow.ToServer)
			}
			continue
		}
		if p.phase == phaseAuth && s.acc == nil && len(data)-i >= 5 && data[i+3] == 0 && plausible(data[i:], size-i) {
			// Packets of a login count on from the greeting: its end was not seen.
			p.phase = phaseCommand
			p.forgetLogin()
			p.nextDoubt |= proto.Resync
		}
		if s.acc == nil && !s.joined && !p.building && p.commandsComeNow() {
			run = i
			if !p.begin() {
				p.lose(flow.ToServer, proto.Ambiguous)
				return
			}
		}
		prefix, length, seq, used, ok := p.head(flow.ToServer, data[i:])
		i += used
		if !ok {
			break
		}
		p.request(prefix, length, seq)
		p.scratch.Buffers.Put(&s.acc)
		if p.tls != nil { // the rest is a ClientHello
			if rest := *c; i < len(data) {
				rest.Data, rest.Offset = data[i:], c.Offset+uint64(i)
				p.tls.Data(&rest)
			}
			return
		}
		if s.lost {
			return
		}
		s.left = length - uint32(len(prefix))
		if s.left == 0 {
			p.charge2(c, run, i)
			run = i
			p.packetEnd(flow.ToServer)
		}
	}
	p.charge2(c, run, len(data))
}

// simple takes the usual chunk: one whole command, sent after the answer to the
// one before. It does in one step what client does in several, and is false if
// the chunk is anything else.
func (p *parser) simple(c *flow.Chunk) bool {
	b := c.Data
	s := &p.side[flow.ToServer]
	if len(b) < 6 || len(b) > maxText || c.Cut > 0 || p.phase != phaseCommand || p.waiting > 0 || p.nextDoubt != 0 ||
		b[3] != 0 || int(le24(b))+4 != len(b) || s.acc != nil || s.left > 0 || s.joined || s.lost ||
		p.side[flow.ToClient] != (side{}) || !p.resp.Empty() || p.failed || p.begun {
		return false
	}
	r := &p.cur
	switch b[4] {
	case comQuery:
		r.text = p.scratch.Buffers.Get()
		r.text.B = append(r.text.B, statementText(b[5:], p.caps)...)
	case comStmtExecute:
		if len(b) < 14 {
			return false
		}
		if r.id = le32(b[5:]); r.id == lastID {
			break
		}
		st := p.prepared.get(r.id)
		r.id, r.stmt, r.cut = 0, st.text, st.cut
	default:
		return false
	}
	r.span.First, r.span.Last, r.span.Packets = c.Stamp, c.Stamp, 1
	r.span.Start, r.span.End = c.Offset, c.Offset+uint64(len(b))
	r.cmd, r.depth = b[4], 1
	p.waiting, p.expect, p.state, p.rows, p.doubt = 1, 1, stateFirst, 0, 0
	return true
}

// charge2 makes bytes part of the request under way.
func (p *parser) charge2(c *flow.Chunk, from, to int) {
	switch {
	case p.building:
		p.charge(&p.tail().span, c, from, to)
	case p.filing:
		p.charge(&p.cur.span, c, from, to)
	}
}

// commandsComeNow is true if a packet of the client can only be a command.
func (p *parser) commandsComeNow() bool {
	return p.phase == phaseCommand && (p.waiting == 0 || p.state != stateFile && p.state != stateAuth)
}

// relock finds the beginning of a command after the position was lost.
func (p *parser) relock(data []byte, size int) bool {
	if !plausible(data, size) {
		return false
	}
	p.side[flow.ToServer].lost = false
	return true
}

// begin makes room for a request. It is false if too many wait.
func (p *parser) begin() bool {
	if p.waiting >= maxWaiting {
		p.flush()
	}
	p.building = true
	p.waiting++
	if p.waiting == 1 {
		p.cur = request{cmd: comUnknown}
		return true
	}
	p.queue = append(p.queue, request{cmd: comUnknown})
	return true
}

// flush gives up on all requests that wait.
func (p *parser) flush() {
	for p.waiting > 0 {
		p.doubt |= proto.Ambiguous
		p.finish(proto.Unanswered)
	}
	p.lose(flow.ToClient, proto.Ambiguous)
}

// request takes the beginning of a packet of the client.
func (p *parser) request(b []byte, length uint32, seq uint8) {
	s := &p.side[flow.ToServer]
	joined := s.joined
	s.joined = length == fullPacket
	switch {
	case p.phase == phaseAuth:
		p.login(b, length)
	case p.phase != phaseCommand:
	case joined:
		if p.building {
			p.tail().seq = seq
			if p.waiting == 1 {
				p.expect = seq + 1
			}
		} else {
			p.expect = seq + 1
		}
	case !p.building: // the server asked for it
		p.expect = seq + 1
		if p.state == stateFile && length == 0 {
			p.state = stateFirst
		}
	case seq != 0 || len(b) == 0 || !fits(b[0], length):
		p.pop()
		if p.state == stateBlind && p.waiting > 0 && seq != 0 {
			return // part of a dialogue that was not followed
		}
		p.lose(flow.ToServer, proto.Resync)
	default:
		p.command(b, length)
	}
}

// command takes the beginning of a command.
func (p *parser) command(b []byte, length uint32) {
	// Only now is it sure that the client goes on.
	r := p.settle()
	r.cmd, r.depth = b[0], p.waiting
	if p.opening && p.waiting == 1 {
		p.nextDoubt = 0
	}
	p.opening = false
	r.doubt |= p.nextDoubt
	p.nextDoubt = 0
	if p.waiting == 1 {
		p.newAnswer()
	}
	if p.state == stateBlind && p.waiting > 1 {
		r.doubt |= proto.Ambiguous
	}
	switch b[0] {
	case comQuery:
		r.keep(&p.scratch.Buffers, statementText(b[1:], p.caps), int(length), len(b))
	case comStmtPrepare:
		r.keep(&p.scratch.Buffers, b[1:], int(length), len(b))
	case comInitDB:
		r.keep(&p.scratch.Buffers, b[1:], int(length), len(b))
	case comFieldList, comChangeUser:
		text := b[1:]
		for i, ch := range text {
			if ch == 0 {
				text = text[:i]
				break
			}
		}
		r.keep(&p.scratch.Buffers, text, len(b), len(b))
	case comStmtExecute, comStmtFetch, comBulkExecute, comStmtLongData, comStmtClose, 0x1a:
		if len(b) < 5 {
			return
		}
		id := le32(b[1:])
		if id == lastID {
			r.id = id
			return
		}
		st := p.prepared.get(id)
		r.stmt, r.cut = st.text, st.cut
		if b[0] == comStmtClose {
			p.prepared.drop(id)
		}
	}
}

// settle ends an answer whose end could not be seen, now that the client goes on,
// and returns the request that is beginning.
func (p *parser) settle() *request {
	switch {
	case p.waiting == 1:
		if !p.resp.Empty() {
			p.endOrphanBefore()
		}
		if p.side[flow.ToClient].lost {
			p.unlock()
		}
	case p.state == stateTail:
		p.noEOF = 1
		p.finishBefore()
	case p.state == stateBlind && (!p.resp.Empty() || p.doubt&proto.Lossy != 0):
		if p.doubt&proto.Ambiguous != 0 || p.waiting > 2 {
			p.doubt |= proto.Ambiguous
			for p.waiting > 1 {
				p.finishBefore()
				p.doubt |= proto.Ambiguous
			}
		} else {
			p.finishBefore()
		}
		p.unlock()
	}
	return p.tail()
}

// unlock says that the next bytes of the server begin a packet.
func (p *parser) unlock() {
	s := &p.side[flow.ToClient]
	p.scratch.Buffers.Put(&s.acc)
	s.lost, s.left, s.joined, s.final = false, 0, false, false
	if p.zip != nil && p.zip.side[flow.ToClient].lost {
		p.scratch.Buffers.Put(&p.zip.side[flow.ToClient].body)
		p.zip.side[flow.ToClient] = zipSide{}
	}
}

// finishBefore gives out the oldest request while the youngest is beginning.
func (p *parser) finishBefore() {
	status := proto.Answered
	if p.resp.Empty() {
		status = proto.Unanswered
	}
	p.finish(status)
	p.building = true
}

func (p *parser) endOrphanBefore() {
	keep := p.waiting
	p.waiting = 0
	p.endOrphan()
	p.waiting = keep
}

// statementText skips the attributes of a query.
func statementText(b []byte, caps uint64) []byte {
	known := caps&capKnown != 0
	if known && caps&capQueryAttrs == 0 || len(b) < 2 {
		return b
	}
	if b[0] == 0 && b[1] == 1 {
		return b[2:]
	}
	if !known && (b[0] > 8 || b[1] != 1) {
		return b // text has no such bytes
	}
	if text := afterAttributes(b); text != nil {
		return text
	}
	if known {
		return nil
	}
	return b
}

// keep remembers text of which b came; whole and have are the lengths of the
// packet and of its part that is known.
func (r *request) keep(stock *proto.Buffers, b []byte, whole, have int) {
	if len(b) > maxText {
		b, r.cut = b[:maxText], true
	}
	if whole > have {
		r.cut = true
	}
	r.text = stock.Get()
	r.text.B = append(r.text.B, b...)
}

// packetEnd is called after the last byte of a packet.
func (p *parser) packetEnd(d flow.Dir) {
	s := &p.side[d]
	if s.joined {
		return
	}
	if d == flow.ToClient {
		if s.final {
			s.final = false
			switch {
			case p.phase < phaseCommand && p.waiting == 0:
				p.refusal()
			case p.waiting > 0:
				p.finish(proto.Answered)
			default:
				p.endOrphan()
			}
		}
		return
	}
	if !p.building {
		p.filing = p.filing && p.state == stateFile // the empty packet ends the file
		return
	}
	p.building = false
	r := p.tail()
	switch commands[r.cmd].kind {
	case kindSilent:
		p.give(r, nil, proto.NoAnswer, 0)
		p.pop()
	case kindStream:
		p.give(r, nil, proto.NoAnswer, 0)
		p.pop()
		if p.waiting == 0 {
			p.phase = phaseStream
		}
	}
}
