package generate

import (
	"encoding/binary"
	"strings"

	"rtrail/internal/packet/flow"
)

func snapped() *scene {
	s := newScene("snaplen-96", "96 bytes of each packet were captured: lengths are those of the IP headers")
	s.snap = 96
	t := s.talk(6379)
	t.handshake(0)
	value := "$300\r\n" + strings.Repeat("v", 300) + "\r\n"
	for i := range 3 {
		when := 10 * ms * (1 + 2*timeOf(i))
		q := t.say(when, toServer, "*3\r\n$3\r\nSET\r\n$5\r\nkey:1\r\n"+value)
		r := t.say(when+3*ms, toClient, "+OK\r\n")
		t.simple("redis", "SET", q, r)
		q = t.say(when+5*ms, toServer, "*2\r\n$3\r\nGET\r\n$3\r\nk:1\r\n")
		r = t.say(when+6*ms, toClient, value)
		t.hear(when+7*ms, toServer)
		t.simple("redis", "GET", q, r)
	}
	return s
}

func wrapped() *scene {
	s := newScene("wrap", "sequence numbers of both sides go over the end of 32 bits, in the middle of segments")
	t := s.talk(80)
	t.isn = [2]uint32{0xffffffff - 50, 0xffffffff - 4000}
	t.handshake(0)
	for i := range 5 {
		when := 10 * ms * (1 + timeOf(i))
		q := t.say(when, toServer, get)
		_, part := thirds()
		r1 := t.say(when+1*ms, toClient, part[0])
		t.say(when+2*ms, toClient, part[1])
		r3 := t.say(when+3*ms, toClient, part[2])
		t.hear(when+4*ms, toServer)
		t.exchange("http", "GET", q, q, r1, r3)
	}
	t.leave(90 * ms)
	return s
}

func zeroWindow() *scene {
	s := newScene("zero-window", "the client closes its window for 100 ms in the middle of an answer")
	t := s.talk(80)
	t.handshake(0)
	_, part := thirds()
	q := t.say(10*ms, toServer, get)
	r1 := t.say(20*ms, toClient, part[0])
	t.say(20*ms+100e3, toClient, part[1])
	t.windowed(21*ms, toServer, ack, t.next[toServer], nil, 0)
	t.hear(121*ms, toServer) // the same acknowledgement, with a window
	r3 := t.say(122*ms, toClient, part[2])
	t.hear(123*ms, toServer)
	x := t.exchange("http", "GET", q, q, r1, r3)
	x.ZeroWindow = 100 * ms
	side := &t.true.Sides[toServer]
	side.ZeroWindows, side.ZeroWindowTime = 1, 100*ms
	return s
}

func portReused() *scene {
	s := newScene("port-reused", "a client uses the same port again at once, after its connection was never closed")
	for i := range 2 {
		t := s.talk(80)
		t.isn = [2]uint32{1000 + uint32(i)*7_000_000, 5000 + uint32(i)*9_000_000}
		when := 1000 * ms * timeOf(i)
		t.handshake(when)
		q := t.say(when+10*ms, toServer, get)
		r := t.say(when+14*ms, toClient, page(5))
		t.hear(when+15*ms, toServer)
		t.simple("http", "GET", q, r)
		if i == 0 {
			t.true.Ending = flow.PortReuse
		}
	}
	return s
}

// giants are answers that the network card cuts later, or that it has joined.
func giants(six bool) *scene {
	s := newScene("giant-ipv4", "answers of 60,000 bytes in packets that a network card is to cut: their IP length is 0")
	if six {
		s = newScene("giant-ipv6", "answers of 200,000 bytes in jumbograms (BIG TCP)")
	}
	s.six = six
	size := 60_000
	s.wrap = func(d flow.Dir, ip []byte) [][]byte {
		switch {
		case len(ip) > 60_000 && six:
			ip = jumbogram(ip)
		case len(ip) > 60_000:
			ip[2], ip[3] = 0, 0
			sumIP4(ip)
		}
		return [][]byte{ethernet(d, ip)}
	}
	if six {
		size = 200_000
	}
	t := s.talk(80)
	t.handshake(0)
	for i := range 2 {
		when := 10 * ms * (1 + timeOf(i))
		q := t.say(when, toServer, get)
		r1 := t.say(when+2*ms, toClient, page(size))
		t.hear(when+3*ms, toServer)
		t.simple("http", "GET", q, r1)
	}
	return s
}

// jumbogram puts the length of an IPv6 packet where more than 16 bits fit (RFC 2675).
func jumbogram(ip []byte) []byte {
	b := append([]byte(nil), ip[:40]...)
	next := b[6]
	b[4], b[5], b[6] = 0, 0, 0
	b = append(b, next, 0, 0xc2, 4)
	b = binary.BigEndian.AppendUint32(b, uint32(8+len(ip)-40))
	return append(b, ip[40:]...)
}

// backwards: queues of a network card hand packets over out of time.
func backwards() *scene {
	s := newScene("backwards", "the acknowledgement of an answer has an earlier time stamp than the answer")
	t := s.talk(80)
	t.handshake(0)
	for i := range 3 {
		when := 10 * ms * (1 + timeOf(i))
		q := t.say(when, toServer, get)
		r := t.say(when+2*ms, toClient, page(50))
		t.hear(when+2*ms-30e3, toServer)
		t.simple("http", "GET", q, r)
	}
	return s
}
