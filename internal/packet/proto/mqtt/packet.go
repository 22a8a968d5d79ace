package mqtt

import (
	"encoding/binary"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto/framed"
)

// Types of packets.
const (
	connect     = 1
	connack     = 2
	publish     = 3
	puback      = 4
	pubrec      = 5
	pubrel      = 6
	pubcomp     = 7
	subscribe   = 8
	suback      = 9
	unsubscribe = 10
	unsuback    = 11
	pingreq     = 12
	pingresp    = 13
	disconnect  = 14
	auth        = 15
)

var names = [...]string{connect: "CONNECT", publish: "PUBLISH", pubrel: "PUBREL", subscribe: "SUBSCRIBE", unsubscribe: "UNSUBSCRIBE",
	pingreq: "PINGREQ", disconnect: "DISCONNECT", auth: "AUTH"}

// answers are the types by which the requests of clients are answered; of PUBLISH the
// QoS tells.
var answers = [16]byte{connect: connack, pubrel: pubcomp, subscribe: suback, unsubscribe: unsuback, pingreq: pingresp, auth: connack}

func qos(first byte) byte { return first >> 1 & 3 }

// rules are what headers of a type look like: the flags, how long the body is at least
// and at most, 0: any length, and who sends it.
var rules = [16]struct {
	flags          byte
	least, most    int64
	client, server bool
}{
	connect:     {least: 10, client: true},
	connack:     {least: 2, server: true},
	publish:     {least: 3, client: true, server: true},
	puback:      {least: 2, client: true, server: true},
	pubrec:      {least: 2, client: true, server: true},
	pubrel:      {flags: 2, least: 2, client: true, server: true},
	pubcomp:     {least: 2, client: true, server: true},
	subscribe:   {flags: 2, least: 6, client: true},
	suback:      {least: 3, server: true},
	unsubscribe: {flags: 2, least: 5, client: true},
	unsuback:    {least: 2, server: true},
	pingreq:     {most: -1, client: true},
	pingresp:    {most: -1, server: true},
	disconnect:  {client: true, server: true},
	auth:        {client: true, server: true},
}

// extent is how long a header is: the length has one to four bytes, of which all but the
// last have the highest bit.
func extent(header []byte) int {
	for i := 1; i < maxHeader-1; i++ {
		if i == len(header) || header[i] < 0x80 {
			return i + 1
		}
	}
	return maxHeader
}

// length is how long a packet is; 0 if this is no header of one.
func length(d flow.Dir, header []byte) int64 {
	kind, flags := header[0]>>4, header[0]&15
	r := &rules[kind]
	size, n := binary.Uvarint(header[1:])
	body := int64(size)
	switch {
	case n <= 0, d == flow.ToServer && !r.client, d == flow.ToClient && !r.server, body < r.least, r.most < 0 && body > 0:
		return 0
	case kind == publish && qos(flags) == 3, kind != publish && flags != r.flags:
		return 0
	}
	return int64(len(header)) + body
}

// packet is what is known of a packet of the client.
type packet struct {
	id      uint16
	topic   []byte
	filters int
}

// read reads a packet of the client, or its beginning.
func (p *parser) read(body []byte) {
	m, first := &p.said, p.first[flow.ToServer]
	r := reader{framed.Fields{B: body}}
	switch first >> 4 {
	case connect:
		r.text()
		p.version, p.aliases = r.Byte(), nil
	case publish:
		topic := r.text()
		if qos(first) > 0 {
			m.id = r.Uint16()
		}
		m.topic = append(m.topic, p.named(topic, &r)...)
	case subscribe, unsubscribe:
		m.id = r.Uint16()
		m.filter(r, p.version, first>>4 == subscribe)
	case pubrel:
		m.id = r.Uint16()
	}
}

// named is the topic of a PUBLISH, for which an alias may stand.
func (p *parser) named(topic []byte, r *reader) []byte {
	if p.version != 5 {
		return topic
	}
	alias := r.alias()
	switch {
	case alias == 0:
	case len(topic) == 0:
		return p.aliases[alias]
	case len(topic) > maxText || len(p.aliases) >= maxAliases && p.aliases[alias] == nil:
		delete(p.aliases, alias)
	default:
		if p.aliases == nil {
			p.aliases = map[uint16][]byte{}
		}
		p.aliases[alias] = append(p.aliases[alias][:0], topic...)
	}
	return topic
}

// filter reads topic filters. In version 5 properties stand in front of them; where the
// version is not known, they do if no filter can begin there.
func (m *packet) filter(r reader, version byte, options bool) {
	whole := r
	if n := int(whole.Uint16()); version == 5 || version == 0 && (n == 0 || whole.Take(n) == nil) {
		r.Take(r.varint())
	}
	for len(r.B) > 0 {
		filter := r.text()
		if options {
			r.Byte()
		}
		if m.filters++; m.filters == 1 {
			m.topic = append(m.topic, filter...)
		}
	}
}

// answer is what is known of a packet of the broker.
type answer struct {
	id   uint16
	code string // of an error; "": there is none
}

// read reads an answer.
func (a *answer) read(kind byte, body []byte) {
	r := reader{framed.Fields{B: body}}
	switch kind {
	case connack:
		r.Byte() // whether there is a session
		a.code = reason(r.Byte())
	case puback, pubrec, pubcomp:
		a.id = r.Uint16()
		a.code = reason(r.Byte())
	case suback, unsuback:
		a.id = r.Uint16()
	case disconnect:
		a.code = reason(r.Byte())
	}
}

// each reads the codes of n filters, which are at the end of the answer.
func (a *answer) each(body []byte, n int) {
	const id = 2
	if n > len(body)-id {
		return
	}
	for _, code := range body[len(body)-n:] {
		if code >= refused {
			a.code = reason(code)
			return
		}
	}
}
