package generate

import (
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"rtrail/internal/packet/flow"
)

// Totals is what is known of a big capture.
type Totals struct {
	Packets      uint64
	Bytes        int64 // of the file
	Connections  uint64
	Transactions uint64
	// RT and MaxRT are the sum and the maximum of the response times, from the
	// last request packet to the first response packet.
	RT, MaxRT time.Duration
}

// Load is a big capture.
type Load struct {
	Name string
	Help string
	// Write writes it, times times as long as its normal size; the number of
	// connections that are open at once stays the same.
	Write func(w io.Writer, times int, seed uint64) (Totals, error)
}

// Loads are the big captures.
func Loads() []Load {
	return []Load{
		{"A", "2 million packets of MySQL point selects over 2,000 connections", writeA},
		{"B", "3 million packets of 400,000 short connections to MySQL", writeB},
		{"C", "1 GB of large MySQL result sets, a fifth of the connections with 64 KB segments", writeC},
		{"D", "2 million packets of pipelined HTTP and Redis requests", writeD},
	}
}

// LoadNamed finds a big capture.
func LoadNamed(name string) (Load, error) {
	for _, l := range Loads() {
		if l.Name == name {
			return l, nil
		}
	}
	return Load{}, fmt.Errorf("no capture %q: there are A, B, C and D", name)
}

// A step is a packet that a session sends.
type step struct {
	after   int64 // nanoseconds since the step before
	dir     flow.Dir
	flags   uint8
	payload []byte
	asks    int // requests that the packet ends
	answers int // answers that begin with it, to the oldest requests
}

// session is a connection that plays its steps.
type session struct {
	link
	number uint64
	steps  []step
	next   int
	left   int     // exchanges to come
	asked  []int64 // when requests were sent that have no answer yet
	text   []byte  // memory for payloads of the current exchange
}

// play is a capture in the making: sessions take turns by time.
type play struct {
	e    *emitter
	rand *rand.Rand
	due  []turn // a heap
	// more appends the steps of the next exchange; false: the session is over.
	more func(p *play, s *session) bool
	// born makes the next session in place; false: there is none.
	born func(p *play, s *session) bool
	n    uint64
}

type turn struct {
	at int64
	s  *session
}

func newPlay(w io.Writer, seed uint64) *play {
	return &play{e: newEmitter(w), rand: rand.New(rand.NewPCG(seed, 1))}
}

// between is a random time.
func (p *play) between(low, high time.Duration) int64 {
	return int64(low) + p.rand.Int64N(int64(high-low))
}

// begin makes the session a new connection of a client to a port of the server.
func (p *play) begin(s *session, port uint16) {
	n := p.n
	p.n++
	s.number = n
	s.link = link{
		addr: [2][4]byte{{10, 1, byte(n / 50000 >> 8), byte(n / 50000)}, {10, 2, 0, 1}},
		port: [2]uint16{uint16(10000 + n%50000), port},
		seq:  [2]uint32{p.rand.Uint32(), p.rand.Uint32()},
	}
	s.steps, s.next, s.asked = s.steps[:0], 0, s.asked[:0]
	s.add(0, flow.ToServer, syn, nil)
	s.add(p.between(50e3, 150e3), flow.ToClient, syn|ack, nil)
	s.add(p.between(50e3, 150e3), flow.ToServer, ack, nil)
	p.e.totals.Connections++
}

func (s *session) add(after int64, d flow.Dir, flags uint8, payload []byte) {
	s.steps = append(s.steps, step{after: after, dir: d, flags: flags, payload: payload})
}

func (s *session) ask(after int64, payload []byte) {
	s.steps = append(s.steps, step{after: after, dir: flow.ToServer, flags: psh | ack, payload: payload, asks: 1})
}

func (s *session) answer(after int64, payload []byte) {
	s.steps = append(s.steps, step{after: after, dir: flow.ToClient, flags: psh | ack, payload: payload, answers: 1})
}

func (s *session) acknowledge(after int64) { s.add(after, flow.ToServer, ack, nil) }

// goodbye closes the connection from the client.
func (p *play) goodbye(s *session) {
	s.add(p.between(20e3, 60e3), flow.ToServer, fin|ack, nil)
	s.add(p.between(50e3, 150e3), flow.ToClient, fin|ack, nil)
	s.acknowledge(p.between(50e3, 150e3))
}

// run plays with so many sessions at once, which begin within spread.
func (p *play) run(sessions int, spread time.Duration) (Totals, error) {
	for range sessions {
		s := &session{}
		if !p.born(p, s) {
			break
		}
		p.push(turn{epoch + p.rand.Int64N(int64(spread)), s})
	}
	for len(p.due) > 0 && p.e.err == nil {
		t := p.due[0]
		s := t.s
		if s.next == len(s.steps) {
			s.steps, s.next, s.text = s.steps[:0], 0, s.text[:0]
			if !p.more(p, s) {
				if !p.born(p, s) {
					p.pop()
					continue
				}
			}
			p.due[0].at += s.steps[0].after
			p.down()
			continue
		}
		st := &s.steps[s.next]
		s.next++
		p.account(t.at, s, st)
		p.e.send(t.at, &s.link, st.dir, st.flags, st.payload)
		if s.next < len(s.steps) {
			p.due[0].at += s.steps[s.next].after
			p.down()
		}
	}
	err := p.e.close()
	return p.e.totals, err
}

// account keeps the totals.
func (p *play) account(at int64, s *session, st *step) {
	for range st.asks {
		s.asked = append(s.asked, at)
	}
	if st.answers == 0 {
		return
	}
	for _, asked := range s.asked[:st.answers] {
		rt := time.Duration(at - asked)
		t := &p.e.totals
		t.Transactions++
		t.RT += rt
		t.MaxRT = max(t.MaxRT, rt)
	}
	s.asked = s.asked[:copy(s.asked, s.asked[st.answers:])]
}

func (p *play) push(t turn) {
	p.due = append(p.due, t)
	for i := len(p.due) - 1; i > 0; {
		up := (i - 1) / 2
		if p.due[up].at <= p.due[i].at {
			break
		}
		p.due[up], p.due[i] = p.due[i], p.due[up]
		i = up
	}
}

func (p *play) pop() {
	last := len(p.due) - 1
	p.due[0] = p.due[last]
	p.due = p.due[:last]
	p.down()
}

// down puts the first turn where it belongs.
func (p *play) down() {
	for i := 0; ; {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(p.due); c++ {
			if p.due[c].at < p.due[least].at {
				least = c
			}
		}
		if least == i {
			return
		}
		p.due[i], p.due[least] = p.due[least], p.due[i]
		i = least
	}
}
