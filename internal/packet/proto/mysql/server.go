package mysql

import (
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// How much of the beginning of a packet is looked at.
const (
	headGreeting = 192     // version, capabilities
	headOK       = 32      // counters and status
	headErr      = 9 + 512 // MYSQL_ERRMSG_SIZE
	headLogin    = 32
	headCommand  = 16 // identifiers of statements
	headText     = 1 + maxText + 64
)

// want is how much of a packet is to be looked at, given its first byte.
func (p *parser) want(d flow.Dir, first byte) int {
	if d == flow.ToServer {
		switch {
		case p.phase == phaseAuth:
			return headLogin
		case p.phase != phaseCommand || !p.building:
			return 1
		}
		switch first {
		case comQuery, comStmtPrepare, comInitDB, comFieldList, comChangeUser:
			return headText
		}
		return headCommand
	}
	switch {
	case p.phase == phaseGreeting || first == 10 && p.waiting == 0:
		return headGreeting
	case first == packetErr:
		return headErr
	case p.state == stateColumns:
		return 4
	case p.state == stateRows && first != packetEOF:
		return 1
	}
	return headOK
}

// head takes the header and the beginning of the next packet from data. used is
// how many bytes of data belong to it. Where it is split, the pieces are put
// together in acc, which the caller frees after use.
func (p *parser) head(d flow.Dir, data []byte) (prefix []byte, length uint32, seq uint8, used int, ok bool) {
	s := &p.side[d]
	if s.acc == nil {
		if len(data) >= 5 {
			length = le24(data)
			need := 4
			if length > 0 && !s.joined {
				need += min(int(length), p.want(d, data[4]))
			}
			if len(data) >= need {
				return data[4:need], length, data[3], need, true
			}
		}
		s.acc = p.scratch.Buffers.Get()
	}
	a := s.acc
	for {
		need := 4
		whole := true
		if len(a.B) >= 4 {
			length = le24(a.B)
			switch {
			case length == 0 || s.joined:
			case len(a.B) < 5:
				need, whole = 5, false
			default:
				need += min(int(length), p.want(d, a.B[4]))
			}
		} else {
			whole = false
		}
		if len(a.B) >= need && whole {
			return a.B[4:need], length, a.B[3], used, true
		}
		n := min(need-len(a.B), len(data)-used)
		if n <= 0 {
			return nil, 0, 0, used, false
		}
		a.B = append(a.B, data[used:used+n]...)
		used += n
	}
}

// server takes bytes of the server.
func (p *parser) server(c *flow.Chunk, data []byte) {
	s := &p.side[flow.ToClient]
	if s.lost && len(data) >= 6 && data[3] == 0 && p.waiting == 0 && isGreeting(data[4:]) {
		p.phase, p.midway, p.nextDoubt = phaseGreeting, false, 0
		p.unlock()
	}
	if s.lost {
		if p.phase == phaseCommand {
			p.charge(&p.resp, c, 0, len(data))
		}
		return
	}
	run := 0 // the first byte that belongs to nobody yet
	for i := 0; i < len(data); {
		if s.left > 0 {
			n := min(int(s.left), len(data)-i)
			i += n
			s.left -= uint32(n)
			if s.left == 0 {
				run = p.serverEnd(c, run, i)
			}
			continue
		}
		// Compressed connections number their packets differently.
		if p.state-stateColumns <= stateRows-stateColumns && p.waiting > 0 && s.acc == nil && p.zip == nil && p.phase == phaseCommand {
			i = p.skim(data, i)
			if s.left > 0 || i >= len(data) {
				continue
			}
		}
		prefix, length, seq, used, ok := p.head(flow.ToClient, data[i:])
		start := max(i, i+used-4-len(prefix))
		i += used
		if !ok {
			break
		}
		run = p.answerPacket(c, prefix, length, seq, run, start)
		p.scratch.Buffers.Put(&s.acc)
		if s.lost {
			break
		}
		s.left = length - uint32(len(prefix))
		if s.left == 0 {
			run = p.serverEnd(c, run, i)
		}
	}
	if p.answering() || p.phase <= phaseCommand && s.acc != nil {
		p.charge(&p.resp, c, run, len(data))
	}
}

// answering is false while the server says what is no part of an exchange.
func (p *parser) answering() bool {
	if p.phase < phaseCommand {
		return p.failed
	}
	return p.phase == phaseCommand && (p.waiting > 0 || p.failed || p.state == stateBlind)
}

// serverEnd is called after a packet of the server and returns where the bytes
// begin that belong to nobody yet.
func (p *parser) serverEnd(c *flow.Chunk, run, i int) int {
	if p.state == stateProgress {
		// A progress report of MariaDB is not the beginning of an answer.
		p.state = stateFirst
		p.resp.Reset()
		return i
	}
	if p.filing && p.state == stateFile && !p.side[flow.ToClient].final {
		// Nor is the request for a file, or how much of it was read.
		p.resp.Reset()
		p.packetEnd(flow.ToClient)
		return i
	}
	if !p.answering() {
		p.packetEnd(flow.ToClient)
		return i
	}
	if s := &p.side[flow.ToClient]; s.final && !s.joined {
		p.charge(&p.resp, c, run, i)
		run = i
	}
	p.packetEnd(flow.ToClient)
	return run
}

// skim steps over the definitions and rows that data holds, which are most of
// what servers say. It stops at the first packet that needs a closer look.
func (p *parser) skim(data []byte, i int) int {
	s := &p.side[flow.ToClient]
	if s.joined {
		return i
	}
	expect, rows, state := p.expect, p.rows, p.state
	for len(data)-i >= 9 {
		h := data[i : i+9]
		length, first := le24(h), h[4]
		if h[3] != expect || length == 0 || length == fullPacket {
			break
		}
		switch {
		case state == stateColumns:
			if first != 3 || h[5] != 'd' || length < 4 {
				goto out
			}
			if p.left2--; p.left2 == 0 {
				state = stateColumnEnd
			}
		case first < packetEOF:
			if state == stateColumnEnd {
				state, p.noEOF = stateRows, 1
			}
			rows++
		case state == stateColumnEnd && first == packetEOF && length == 5 && h[7]&cursorExists == 0:
			state, p.noEOF = stateRows, -1
		default:
			goto out
		}
		expect++
		i += 4 + int(length)
		if i > len(data) {
			s.left = uint32(i - len(data))
			i = len(data)
		}
	}
out:
	p.expect, p.rows, p.state = expect, rows, state
	return i
}

// answerPacket takes the beginning of a packet of the server that starts at
// start, and returns where the bytes begin that belong to nobody yet.
func (p *parser) answerPacket(c *flow.Chunk, b []byte, length uint32, seq uint8, run, start int) int {
	s := &p.side[flow.ToClient]
	joined := s.joined
	s.joined = length == fullPacket
	if joined {
		p.expect = seq + 1
		return run
	}
	s.final = false
	if seq == 0 && isGreeting(b) {
		if p.phase < phaseCommand {
			p.resp.Reset()
		}
		p.greeting(b)
		return run
	}
	switch p.phase {
	case phaseGreeting:
		if seq <= 1 && len(b) >= 3 && b[0] == packetErr {
			p.refuse(b)
		} else {
			p.resp.Reset()
		}
		return run
	case phaseAuth:
		p.loginAnswer(b)
		return run
	case phaseStream:
		if len(b) > 0 && (b[0] == packetErr || b[0] == packetEOF && length < 9) {
			p.phase = phaseCommand
		}
		return run
	}
	if p.state == stateTail && p.waiting > 0 && !(len(b) == 5 && b[0] == packetEOF && seq == p.expect) {
		// The definitions that were not counted with an EOF had none.
		p.noEOF = 1
		p.charge(&p.resp, c, run, start)
		run = start
		p.finish(proto.Answered)
	}
	if p.waiting == 0 {
		p.unasked(b)
		return run
	}
	if p.state == stateBlind {
		return run
	}
	if seq != p.expect && p.zip == nil {
		if seq != 1 || p.waiting < 2 {
			p.lose(flow.ToClient, proto.Resync)
			return run
		}
		// The answer to the next request begins: the end of this one was not
		// recognised.
		p.charge(&p.resp, c, run, start)
		run = start
		p.doubt |= proto.Resync | proto.Ambiguous
		p.cur.doubt |= proto.Resync
		p.finish(proto.Answered)
		p.doubt |= proto.Resync
	}
	p.expect = seq + 1
	s.final = p.answer(b, length)
	return run
}

// unasked takes a packet without request: before it closes an idle connection,
// a server says why.
func (p *parser) unasked(b []byte) {
	s := &p.side[flow.ToClient]
	if len(b) > 0 && b[0] == packetErr {
		p.keepError(b)
		p.failed = true
		s.final = true
		return
	}
	p.state, p.rows = stateBlind, proto.RowsNone
	p.doubt |= proto.Lossy
}
