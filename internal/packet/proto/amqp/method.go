package amqp

import (
	"bytes"
	"encoding/binary"
	"strconv"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/framed"
	"rtrail/internal/packet/proto/pair"
)

// method is a method and its arguments, of which the beginning is known.
type method struct {
	id   uint32 // class and method
	args reader
}

func id(class, m uint32) uint32 { return class<<16 | m }

func readMethod(payload []byte) (m method, ok bool) {
	if len(payload) < 4 {
		return m, false
	}
	return method{binary.BigEndian.Uint32(payload), reader{framed.Fields{B: payload[4:]}}}, true
}

// reader reads arguments one by one. After one that is not all there, all are empty.
type reader struct{ framed.Fields }

func (r *reader) name() []byte { return r.Take(int(r.Byte())) }

// kind is what a method of the client does.
type kind uint8

const (
	asks   kind = iota // the server answers
	tells              // it does not
	writes             // basic.publish
)

// request is a method of the client.
type request struct {
	name   string
	kind   kind
	skip   int  // bytes of arguments in front of its name
	named  int  // how many names follow: the first is the text
	noWait byte // the bit of the octet behind the names by which it has no answer
}

// requests are the methods of clients.
var requests = map[uint32]request{
	id(10, 11):  {name: "connection.start-ok"}, // answered by connection.tune, or by another challenge
	id(10, 21):  {name: "connection.secure-ok"},
	id(10, 31):  {name: "connection.tune-ok", kind: tells},
	id(10, 40):  {name: "connection.open", named: 1},
	id(10, 50):  {name: "connection.close"},
	id(10, 51):  {name: "connection.close-ok", kind: tells},
	id(10, 70):  {name: "connection.update-secret"},
	id(20, 10):  {name: "channel.open"},
	id(20, 20):  {name: "channel.flow"},
	id(20, 21):  {name: "channel.flow-ok", kind: tells},
	id(20, 40):  {name: "channel.close"},
	id(20, 41):  {name: "channel.close-ok", kind: tells},
	id(40, 10):  {name: "exchange.declare", skip: 2, named: 2, noWait: 1 << 4},
	id(40, 20):  {name: "exchange.delete", skip: 2, named: 1, noWait: 1 << 1},
	id(40, 30):  {name: "exchange.bind", skip: 2, named: 3, noWait: 1},
	id(40, 40):  {name: "exchange.unbind", skip: 2, named: 3, noWait: 1},
	id(50, 10):  {name: "queue.declare", skip: 2, named: 1, noWait: 1 << 4},
	id(50, 20):  {name: "queue.bind", skip: 2, named: 3, noWait: 1},
	id(50, 30):  {name: "queue.purge", skip: 2, named: 1, noWait: 1},
	id(50, 40):  {name: "queue.delete", skip: 2, named: 1, noWait: 1 << 2},
	id(50, 50):  {name: "queue.unbind", skip: 2, named: 3},
	id(60, 10):  {name: "basic.qos"},
	id(60, 20):  {name: "basic.consume", skip: 2, named: 2, noWait: 1 << 3},
	id(60, 30):  {name: "basic.cancel"}, // its name is a tag that clients make up
	id(60, 40):  {name: "basic.publish", kind: writes, skip: 2, named: 2},
	id(60, 70):  {name: "basic.get", skip: 2, named: 1},
	id(60, 80):  {name: "basic.ack", kind: tells},
	id(60, 90):  {name: "basic.reject", kind: tells},
	id(60, 100): {name: "basic.recover-async", kind: tells},
	id(60, 110): {name: "basic.recover"},
	id(60, 120): {name: "basic.nack", kind: tells},
	id(85, 10):  {name: "confirm.select", noWait: 1},
	id(90, 10):  {name: "tx.select"},
	id(90, 20):  {name: "tx.commit"},
	id(90, 30):  {name: "tx.rollback"},
}

// Methods of the server that are no plain answers.
var (
	connectionClose = id(10, 50)
	channelClose    = id(20, 40)
	basicReturn     = id(60, 50)
	basicDeliver    = id(60, 60)
	basicGetOK      = id(60, 71)
	basicGetEmpty   = id(60, 72)
	basicAck        = id(60, 80)
	basicNack       = id(60, 120)
	confirmSelect   = id(85, 10)
)

// method takes a method.
func (p *parser) method(d flow.Dir, number uint16, m method) {
	c := p.at(number)
	if c == nil {
		return
	}
	if d == flow.ToServer {
		p.request(number, c, m)
	} else {
		p.answer(number, c, m)
	}
}

// request takes a method of the client.
func (p *parser) request(number uint16, c *channel, m method) {
	r, ok := requests[m.id]
	if !ok {
		return
	}
	text, silent := r.read(&m.args)
	key := uint64(number)
	if r.kind == writes {
		c.publish = p.numberOf(number, c)
		key = c.publish
	}
	if m.id == confirmSelect {
		c.confirms, c.inferred, c.published, c.confirmed = true, false, 0, 0
	}
	if r.kind != writes && r.kind != tells && p.table.Find(key) != nil {
		p.table.Tear() // one method at a time waits on a channel: its answer was missed
	}
	q := p.table.Open(key)
	q.Request = p.streams[flow.ToServer].Span
	q.Doubt |= p.streams[flow.ToServer].Doubt
	q.Command = r.name
	q.SetText(text, maxText)
	switch {
	case r.kind == writes:
		if c.inferred {
			q.Doubt |= proto.Approximate
		}
		c.within[flow.ToServer], c.silent, c.content[flow.ToServer] = true, !c.confirms, -1
	case silent:
		p.table.Unanswerable()
	}
}

// numberOf is the number under which a publish waits: in confirm mode its delivery tag
// is in it.
func (p *parser) numberOf(number uint16, c *channel) uint64 {
	if c.confirms {
		c.published++
	}
	return publishBit | uint64(number)<<40 | c.published&(1<<40-1)
}

// read reads the name of a request; silent says that it has no answer.
func (r *request) read(args *reader) (text []byte, silent bool) {
	args.Take(r.skip)
	for i := range r.named {
		name := args.name()
		if i == 0 || len(text) == 0 && r.kind == writes {
			text = shortened(name)
		}
	}
	return text, r.kind == tells || r.noWait != 0 && args.Byte()&r.noWait != 0
}

// shortened cuts what servers make up.
func shortened(name []byte) []byte {
	for _, made := range []string{"amq.gen", "amq.ctag", "amq.rabbitmq.reply-to"} {
		if bytes.HasPrefix(name, []byte(made)) {
			return name[:len(made)]
		}
	}
	return name
}

// answer takes a method of the server.
func (p *parser) answer(number uint16, c *channel, m method) {
	switch m.id {
	case basicDeliver:
		c.within[flow.ToClient], c.content[flow.ToClient], c.fetching = true, -1, false
	case basicReturn:
		c.within[flow.ToClient], c.content[flow.ToClient], c.fetching = true, -1, false
		c.returned = m.args.Uint16()
	case basicAck, basicNack:
		tag := m.args.Uint64()
		multiple := m.args.Byte()&1 != 0
		if !m.args.Overread {
			p.catchUp(number, c, tag)
			p.confirm(number, c, tag, multiple, m.id == basicNack)
		}
	case basicGetOK:
		c.within[flow.ToClient], c.content[flow.ToClient], c.fetching = true, -1, true
		c.fetched = proto.Span{}
		pair.Join(&c.fetched, &p.streams[flow.ToClient].Span)
	case channelClose, connectionClose:
		p.closes(number, c, &m.args)
	default:
		if p.table.Find(uint64(number)) == nil {
			return // what the server says by itself: start, blocked, cancel
		}
		if m.id == basicGetEmpty {
			p.table.Now.Rows = 0
		}
		p.answered(uint64(number))
	}
}

// answered gives out a request with the frame that answers it.
func (p *parser) answered(key uint64) {
	e := &p.table.Now
	e.Response = p.streams[flow.ToClient].Span
	e.Doubt |= p.streams[flow.ToClient].Doubt
	p.table.Answered(key)
}

// catchUp takes the count of messages from an acknowledgement of the server, which only comes
// in confirm mode, where the beginning of that was not captured. One with a tag above the count
// shows that messages were under way when counting began: those that wait have another tag.
func (p *parser) catchUp(number uint16, c *channel, tag uint64) {
	switch {
	case !c.confirms:
		c.confirms, c.inferred = true, true
	case !c.inferred || tag <= c.published:
		return
	default:
		for from := max(c.confirmed+1, c.published-min(c.published, maxPending)); from <= c.published; from++ {
			if key := publishBit | uint64(number)<<40 | from&(1<<40-1); p.table.Find(key) != nil {
				p.table.Now.Doubt |= proto.Ambiguous
				p.answered(key)
			}
		}
	}
	c.published, c.confirmed = tag, tag
}

// confirm gives out the publishes that a delivery tag stands for.
func (p *parser) confirm(number uint16, c *channel, tag uint64, multiple, refused bool) {
	from, to := tag, tag
	if multiple {
		from = c.confirmed + 1
		if tag == 0 { // all
			to = c.published
		}
		c.confirmed = max(c.confirmed, min(to, c.published))
	}
	to = min(to, c.published)
	if to > maxPending {
		from = max(from, to-maxPending) // older ones were given out
	}
	for ; from <= to && from > 0; from++ {
		key := publishBit | uint64(number)<<40 | from&(1<<40-1)
		if p.table.Find(key) == nil {
			continue
		}
		e := &p.table.Now
		switch {
		case refused:
			e.Failed, e.Code = true, "nack"
		case c.returned != 0:
			e.Failed, e.Code = true, strconv.Itoa(int(c.returned))
			c.returned = 0
		}
		p.answered(key)
	}
}

// closes takes the end of a channel or of the connection, by which the server answers
// what it does not accept: the method that waits, or the oldest publish.
func (p *parser) closes(number uint16, c *channel, args *reader) {
	code, text := args.Uint16(), args.name()
	delete(p.channels, number)
	if code == 200 || args.Overread && code == 0 {
		return
	}
	key := uint64(number)
	for tag := c.confirmed + 1; p.table.Find(key) == nil; tag++ {
		if tag > c.published || tag > c.confirmed+maxPending {
			return
		}
		key = publishBit | uint64(number)<<40 | tag&(1<<40-1)
	}
	e := &p.table.Now
	e.Failed, e.Code, e.Error = true, strconv.Itoa(int(code)), string(text)
	p.answered(key)
}
