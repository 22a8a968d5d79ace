package generate

import (
	"bytes"
	"fmt"
	"io"
	"time"

	"rtrail/internal/packet/flow"
)

const mysqlPort = 3306

// logIn appends what a MySQL connection begins with.
func (p *play) logIn(s *session) {
	s.add(p.between(50e3, 150e3), flow.ToClient, psh|ack, greeting(uint32(s.number+1)))
	s.acknowledge(p.between(20e3, 60e3))
	s.add(p.between(50e3, 150e3), flow.ToServer, psh|ack, login())
	s.add(p.between(100e3, 300e3), flow.ToClient, psh|ack, okay(2))
}

// writeA: every connection has a thousand packets: 3 of handshake, 4 of login,
// 331 exchanges of 3 packets. It stays open at the end.
func writeA(w io.Writer, times int, seed uint64) (Totals, error) {
	const connections, exchanges = 2000, 331
	rows := make([][]byte, 64)
	for i := range rows {
		rows[i] = resultSet(1, bytes.Repeat([]byte{byte('a' + i%26)}, 20+i))
	}
	p := newPlay(w, seed)
	p.born = func(p *play, s *session) bool {
		if p.n == connections {
			return false
		}
		p.begin(s, mysqlPort)
		p.logIn(s)
		s.left = exchanges * times
		return true
	}
	p.more = func(p *play, s *session) bool {
		if s.left == 0 {
			return false
		}
		s.left--
		p.selectOne(s, rows)
		return true
	}
	return p.run(connections, 50*time.Millisecond)
}

// selectOne appends a point select of one row.
func (p *play) selectOne(s *session, rows [][]byte) {
	var text [64]byte
	s.text = query(s.text, pointSelect(text[:0], p.rand.Uint64N(1e6)))
	s.ask(p.between(10e6, 60e6), s.text)
	s.answer(p.between(100e3, 900e3), rows[p.rand.IntN(len(rows))])
	s.acknowledge(p.between(20e3, 60e3))
}

// writeB: connections of handshake, login, one query and close, 11 packets, in
// turn with those by which a load balancer looks whether the port is open, 4
// packets; 2,000 are open at once.
func writeB(w io.Writer, times int, seed uint64) (Totals, error) {
	total := uint64(400_000 * times)
	row := resultSet(1, []byte("one short row"))
	p := newPlay(w, seed)
	p.born = func(p *play, s *session) bool {
		if p.n == total {
			return false
		}
		p.begin(s, mysqlPort)
		s.left = 1
		if s.number%2 == 1 {
			s.left = 0
			s.add(p.between(20e3, 60e3), flow.ToServer, rst|ack, nil)
		}
		return true
	}
	p.more = func(p *play, s *session) bool {
		if s.left == 0 {
			return false
		}
		s.left = 0
		var text [64]byte
		s.text = query(s.text, pointSelect(text[:0], p.rand.Uint64N(1e6)))
		s.add(p.between(50e3, 150e3), flow.ToClient, psh|ack, greeting(uint32(s.number+1)))
		s.add(p.between(50e3, 150e3), flow.ToServer, psh|ack, login())
		s.add(p.between(100e3, 300e3), flow.ToClient, psh|ack, okay(2))
		s.ask(p.between(50e3, 150e3), s.text)
		s.answer(p.between(100e3, 900e3), row)
		p.goodbye(s)
		return true
	}
	return p.run(2000, 50*time.Millisecond)
}

// writeC: 50 connections, result sets of 2 MB in segments of 1,448 bytes, every
// second one acknowledged; on ten of the connections a network card has joined
// 45 segments to one.
func writeC(w io.Writer, times int, seed uint64) (Totals, error) {
	const connections, exchanges = 50, 10
	answer := resultSet(2000, bytes.Repeat([]byte("0123456789abcdef"), 65))
	var text [64]byte
	ask := query(nil, append(text[:0], "SELECT c FROM t WHERE id BETWEEN 1 AND 2000"...))
	p := newPlay(w, seed)
	p.born = func(p *play, s *session) bool {
		if p.n == connections {
			return false
		}
		p.begin(s, mysqlPort)
		p.logIn(s)
		s.left = exchanges * times
		return true
	}
	p.more = func(p *play, s *session) bool {
		if s.left == 0 {
			return false
		}
		s.left--
		s.ask(p.between(1e6, 5e6), ask)
		size, every := mss, 2
		if s.number%5 == 0 {
			size, every = 45*mss, 1
		}
		p.cut(s, answer, size, every)
		return true
	}
	return p.run(connections, 50*time.Millisecond)
}

// cut appends an answer in segments with acknowledgements between them.
func (p *play) cut(s *session, answer []byte, size, every int) {
	after, answers := p.between(500e3, 2e6), 1
	for n := 1; len(answer) > 0; n++ {
		part := answer[:min(size, len(answer))]
		answer = answer[len(part):]
		flags := uint8(ack)
		if len(answer) == 0 {
			flags |= psh
		}
		s.steps = append(s.steps, step{after: after, dir: flow.ToClient, flags: flags, payload: part, answers: answers})
		after, answers = p.between(2e3, 12e3), 0
		if n%every == 0 || len(answer) == 0 {
			s.acknowledge(p.between(2e3, 12e3))
		}
	}
}

// writeD: half of 1,000 connections are HTTP with four requests under way, half
// Redis with sixteen in one packet and the answers in two.
func writeD(w io.Writer, times int, seed uint64) (Totals, error) {
	const connections, packets = 1000, 2000
	p := newPlay(w, seed)
	body := bytes.Repeat([]byte("<p>body</p>"), 40)
	page := fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	p.born = func(p *play, s *session) bool {
		if p.n == connections {
			return false
		}
		if p.n%2 == 0 {
			p.begin(s, 80)
		} else {
			p.begin(s, 6379)
		}
		s.left = packets * times
		return true
	}
	p.more = func(p *play, s *session) bool {
		if s.left <= 0 {
			return false
		}
		if s.port[1] == 80 {
			p.pages(s, page)
		} else {
			p.keys(s)
		}
		s.left -= len(s.steps)
		return true
	}
	return p.run(connections, 50*time.Millisecond)
}

// pages appends four pipelined requests with their answers.
func (p *play) pages(s *session, page []byte) {
	const depth = 4
	after := p.between(5e6, 20e6)
	for range depth {
		from := len(s.text)
		s.text = fmt.Appendf(s.text, "GET /item/%d HTTP/1.1\r\nHost: shop.example\r\nUser-Agent: generated\r\n\r\n", p.rand.IntN(1000))
		s.ask(after, s.text[from:])
		after = p.between(10e3, 30e3)
	}
	for range depth {
		s.answer(p.between(100e3, 500e3), page)
	}
	s.acknowledge(p.between(20e3, 60e3))
}

// keys appends a packet of sixteen commands and two packets of answers.
func (p *play) keys(s *session) {
	const depth = 16
	for range depth {
		s.text = fmt.Appendf(s.text, "*2\r\n$3\r\nGET\r\n$8\r\nkey:%04d\r\n", p.rand.IntN(10000))
	}
	mid := len(s.text)
	for range depth {
		s.text = append(s.text, "$5\r\nvalue\r\n"...)
	}
	half := mid + (len(s.text)-mid)/2
	s.steps = append(s.steps,
		step{p.between(5e6, 20e6), flow.ToServer, psh | ack, s.text[:mid], depth, 0},
		step{p.between(100e3, 500e3), flow.ToClient, psh | ack, s.text[mid:half], 0, depth / 2},
		step{p.between(10e3, 50e3), flow.ToClient, psh | ack, s.text[half:], 0, depth / 2})
	s.acknowledge(p.between(20e3, 60e3))
}
