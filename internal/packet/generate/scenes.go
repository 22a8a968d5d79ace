package generate

import (
	"fmt"
	"strings"
	"time"

	"rtrail/internal/packet/flow"
)

const (
	toServer = flow.ToServer
	toClient = flow.ToClient

	get = "GET / HTTP/1.1\r\nHost: example\r\n\r\n"
)

func timeOf(i int) time.Duration { return time.Duration(i) }

// page is an HTTP answer with so many bytes of body.
func page(n int) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", n, strings.Repeat("x", n))
}

// miniature: tools that pair answers with the newest request, or restart the
// clock at a copy, get all four wrong.
func miniature() *scene {
	s := newScene("mini", "a retransmitted request, two pipelined ones, a late copy of an answer, and a plain request")
	t := s.talk(80)
	t.handshake(0)
	q1 := t.say(10*ms, toServer, get)
	t.again(210*ms, toServer, 0, get)
	r1 := t.say(215*ms, toClient, page(5))
	q2 := t.say(300*ms, toServer, get)
	q3 := t.say(301*ms, toServer, get)
	r2 := t.say(310*ms, toClient, page(5))
	last := t.next[toClient]
	r3 := t.say(350*ms, toClient, page(6))
	t.again(600*ms, toClient, last, page(6))
	q4 := t.say(700*ms, toServer, get)
	r4 := t.say(720*ms, toClient, page(7))
	x := t.simple("http", "GET", q1, r1)
	x.Serve, x.Retransmit = 5*ms, 200*ms
	t.simple("http", "GET", q2, r2)
	t.simple("http", "GET", q3, r3).Depth = 2
	t.simple("http", "GET", q4, r4)
	t.true.Sides[toServer].Retransmissions = 1
	t.true.Sides[toServer].LostOnWire = int64(len(get))
	t.true.Sides[toClient].Retransmissions = 1
	t.true.Sides[toClient].LostOnWire = NotSaid // whether the first copy had arrived is not in the capture
	return s
}

func requestResent() *scene {
	s := newScene("request-resent", "the last of two packets of a request is lost behind the capture and sent again after 200 ms")
	t := s.talk(80)
	t.handshake(0)
	head, body := "POST / HTTP/1.1\r\nHost: example\r\nContent-Length: 8\r\n\r\n", "12345678"
	q1 := t.say(10*ms, toServer, head)
	off := t.next[toServer]
	q2 := t.say(11*ms, toServer, body)
	t.has[toServer] = int64(off)
	t.hear(12*ms, toClient)
	t.again(211*ms, toServer, off, body)
	t.has[toServer] = -1
	t.hear(212*ms, toClient)
	r := t.say(215*ms, toClient, page(5))
	t.hear(216*ms, toServer)
	x := t.exchange("http", "POST", q1, q2, r, r)
	x.Serve, x.Retransmit = 4*ms, 200*ms
	t.true.Sides[toServer].Retransmissions = 1
	t.true.Sides[toServer].LostOnWire = int64(len(body))
	return s
}

func responseResent() *scene {
	s := newScene("response-resent", "an answer is lost behind the capture, at the server's side, and sent again after 250 ms; the next request is not paired with the copy")
	t := s.talk(80)
	t.handshake(0)
	q1 := t.say(10*ms, toServer, get)
	r1 := t.say(20*ms, toClient, page(100))
	t.again(270*ms, toClient, 0, page(100))
	t.hear(272*ms, toServer)
	q2 := t.say(300*ms, toServer, get)
	r2 := t.say(307*ms, toClient, page(100))
	t.hear(308*ms, toServer)
	t.simple("http", "GET", q1, r1)
	t.simple("http", "GET", q2, r2)
	t.true.Sides[toClient].Retransmissions = 1
	t.true.Sides[toClient].LostOnWire = int64(len(page(100)))
	return s
}

// thirds cuts an answer into three segments.
func thirds() (all string, part [3]string) {
	all = page(3*1400 - len(page(1000)) + 1000)
	for i := range part {
		part[i] = all[i*1400 : (i+1)*1400]
	}
	return all, part
}

func lostOnWire() *scene {
	s := newScene("lost-on-wire", "the second of three segments of an answer is lost before the capture, at the client's side; a duplicate ACK asks for it")
	t := s.talk(80)
	t.handshake(0)
	_, part := thirds()
	q := t.say(10*ms, toServer, get)
	r1 := t.say(20*ms, toClient, part[0])
	hole := t.unseen(toClient, 1400)
	t.has[toClient] = int64(hole)
	t.hear(20*ms+100e3, toServer)
	t.say(20*ms+200e3, toClient, part[2])
	t.hear(20*ms+300e3, toServer) // the duplicate
	t.has[toClient] = -1
	r2 := t.again(50*ms, toClient, hole, part[1])
	t.hear(50*ms+100e3, toServer)
	x := t.exchange("http", "GET", q, q, r1, r2)
	x.Retransmit = 30*ms - 200e3 // since the third segment showed the hole
	t.true.Sides[toServer].DupACKs = 1
	t.true.Sides[toClient].Retransmissions = NotSaid // it was sent twice and seen once
	t.true.Sides[toClient].LostOnWire = 1400
	return s
}

func reordered() *scene {
	s := newScene("reordered", "the second of three segments of an answer overtakes nothing: it comes 50 microseconds after the third, not sent again")
	t := s.talk(80)
	t.handshake(0)
	_, part := thirds()
	q := t.say(10*ms, toServer, get)
	r1 := t.say(20*ms, toClient, part[0])
	hole := t.unseen(toClient, 1400)
	t.ipid[toClient]++ // it was sent before the third
	t.say(20*ms+100e3, toClient, part[2])
	t.ipid[toClient] -= 2
	r2 := t.again(20*ms+150e3, toClient, hole, part[1])
	t.ipid[toClient]++
	t.hear(21*ms, toServer)
	t.exchange("http", "GET", q, q, r1, r2)
	t.true.Sides[toClient].OutOfOrder = 1
	return s
}

func missed() *scene {
	s := newScene("missed", "the capture lacks the second of three segments, which the client has: its transaction is not to be used, the next one is")
	t := s.talk(80)
	t.handshake(0)
	_, part := thirds()
	t.say(10*ms, toServer, get)
	t.say(20*ms, toClient, part[0])
	t.unseen(toClient, 1400)
	t.say(20*ms+100e3, toClient, part[2])
	t.hear(20*ms+200e3, toServer)
	q := t.say(30*ms, toServer, get)
	r := t.say(33*ms, toClient, page(10))
	t.hear(34*ms, toServer)
	t.simple("http", "GET", q, r)
	side := &t.true.Sides[toClient]
	side.Missed, side.Bytes = 1400, NotSaid
	return s
}

func oneWay() *scene {
	s := newScene("one-way", "only the requests were captured: there is no answer to measure")
	t := s.talk(80)
	t.packet(0, toServer, syn, 0, nil)
	t.packet(2*ms, toServer, ack, 0, nil)
	for i := range 3 {
		when := 10 * ms * (1 + 2*timeOf(i))
		t.say(when, toServer, get)
		t.unseen(toClient, len(page(5)))
		t.hear(when+5*ms, toServer)
	}
	t.packet(100*ms, toServer, fin|ack, 0, nil)
	t.true.Sides[toClient] = Side{Bytes: NotSaid, Missed: NotSaid}
	return s
}

func midway() *scene {
	s := newScene("midway", "the capture begins between a request and its answer, which is not to be used; nor is the exchange after it, by which the decoder gets in step")
	t := s.talk(80)
	t.unseen(toServer, 12345)
	t.unseen(toClient, 99999)
	t.begun = t.next
	t.say(0, toClient, page(5))
	for i := range 3 {
		when := 10 * ms * (1 + timeOf(i))
		q := t.say(when, toServer, get)
		r := t.say(when+3*ms, toClient, page(5))
		t.hear(when+4*ms, toServer)
		if i > 0 { // the first one shows that the decoder is in step
			t.simple("http", "GET", q, r)
		}
	}
	t.true.Midway = true
	return s
}

func pipelined() *scene {
	s := newScene("pipelined", "three HTTP requests in one packet, three answers in packets of their own")
	t := s.talk(80)
	t.handshake(0)
	q := t.say(10*ms, toServer, get+get+get)
	for i, r := range []flow.Stamp{t.say(12*ms, toClient, page(5)), t.say(17*ms, toClient, page(6)), t.say(40*ms, toClient, page(7))} {
		t.simple("http", "GET", q, r).Depth = uint16(i + 1)
	}
	t.hear(41*ms, toServer)
	t.leave(50 * ms)
	return s
}

func redisPipelined() *scene {
	s := newScene("redis-pipelined", "Redis commands sent while others wait, two answers in one packet")
	t := s.talk(6379)
	t.handshake(0)
	q1 := t.say(10*ms, toServer, "*2\r\n$3\r\nGET\r\n$1\r\na\r\n")
	q2 := t.say(11*ms, toServer, "*2\r\n$4\r\nINCR\r\n$1\r\nb\r\n")
	q3 := t.say(12*ms, toServer, "*1\r\n$4\r\nPING\r\n")
	r := t.say(15*ms, toClient, "$1\r\nx\r\n:7\r\n")
	r3 := t.say(16*ms, toClient, "+PONG\r\n")
	t.hear(17*ms, toServer)
	t.simple("redis", "GET", q1, r)
	t.simple("redis", "INCR", q2, r).Depth = 2
	t.simple("redis", "PING", q3, r3).Depth = 3
	return s
}

func continued() *scene {
	s := newScene("continue", "a server says 100 Continue, which is no answer")
	t := s.talk(80)
	t.handshake(0)
	q1 := t.say(10*ms, toServer, "POST / HTTP/1.1\r\nHost: example\r\nExpect: 100-continue\r\nContent-Length: 8\r\n\r\n")
	t.say(11*ms, toClient, "HTTP/1.1 100 Continue\r\n\r\n")
	q2 := t.say(12*ms, toServer, "12345678")
	r := t.say(150*ms, toClient, page(5))
	t.hear(151*ms, toServer)
	t.exchange("http", "POST", q1, q2, r, r)
	return s
}

func mysqlSession() *scene {
	s := newScene("mysql", "a MySQL session; greeting and login are no answers, COM_QUIT has none")
	t := s.talk(3306)
	t.handshake(0)
	t.say(5*ms, toClient, string(greeting(7)))
	t.say(6*ms, toServer, string(login()))
	t.say(8*ms, toClient, string(okay(2)))
	q1 := t.say(20*ms, toServer, string(query(nil, []byte("SELECT c FROM t WHERE id = 7"))))
	r1 := t.say(29*ms, toClient, string(resultSet(1, []byte("seven"))))
	t.hear(30*ms, toServer)
	rows := string(resultSet(40, []byte(strings.Repeat("row", 20))))
	q2 := t.say(40*ms, toServer, string(query(nil, []byte("SELECT c FROM t"))))
	r2 := t.say(41*ms, toClient, rows[:1400])
	r3 := t.say(46*ms, toClient, rows[1400:])
	t.hear(47*ms, toServer)
	t.say(50*ms, toServer, string(quit()))
	t.leave(51 * ms)
	t.simple("mysql", "", q1, r1)
	t.exchange("mysql", "", q2, q2, r2, r3)
	return s
}
