// Package tls finds exchanges in TLS connections without decrypting them, from
// the boundaries of records and the changes of direction (RFC 5246, RFC 8446).
//
// An exchange is a burst of application data of the client and the burst of the
// server that follows it. It is Approximate: that is right for protocols in
// which requests and answers alternate, whatever they are. A request that begins
// before the answer to the one before it has begun makes both part of one burst,
// and nothing tells pipelining from a long request; a client that sends while the
// server is still sending begins the next request, and both exchanges are
// Ambiguous. Command is "TLS", Text the server name of the ClientHello (SNI).
//
// The handshake is never an exchange. In TLS 1.2 it is told by the record types:
// what follows ChangeCipherSpec is one encrypted Finished of type handshake. In
// TLS 1.3, known by supported_versions in the ServerHello, all of it looks like
// application data:
//
//   - The server's flight (EncryptedExtensions to Finished) comes before the
//     client has sent anything, so nothing of the server counts until then.
//
//   - The client's flight ends with its Finished, which is the last record before
//     its first request. A Finished record holds 4 bytes and a hash of 32 or 48,
//     a type byte and a tag of 16 (8 with CCM_8), which makes 53 or 69 bytes (45
//     with CCM_8); as it cannot be told from a tiny request otherwise, the first
//     record of one of these lengths is taken for it. Client certificates, if any,
//     come before it in records of other lengths.
//
//   - NewSessionTicket: what the server sends after that while no request is under
//     way is no answer. Some servers send their tickets only after the first
//     request has come; then the burst begins with them, and so the first exchange
//     is Ambiguous if nothing of the server had come before it.
//
//   - Alerts hold 2 bytes: a record of 19 bytes (11 with CCM_8) is taken for one.
//
//   - Early data (0-RTT) comes before the ServerHello and is not counted.
//
//   - A KeyUpdate cannot be told from 5 bytes of data. It is rare: once in 2^24
//     records.
//
// Records of other types (renegotiation, alerts, heartbeats) belong to nothing.
package tls

import (
	"encoding/binary"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/pair"
)

// Protocol is the decoder. The ports are those registered for protocols that
// begin with TLS (https, smtps, ldaps, imaps, pop3s, amqps, secure MQTT, DNS over
// TLS), and the usual further ones for HTTPS.
//
// Decoders of protocols that change to TLS in mid-connection, such as MySQL and
// PostgreSQL, hand over to it with AtLogin at the ClientHello, or with
// Protocol.New(sink, true) if they did not see where it begins.
var Protocol = proto.Protocol{
	Name:  "tls",
	Ports: []uint16{443, 8443, 9443, 10443, 6443, 465, 636, 853, 990, 993, 995, 2376, 2379, 2380, 5671, 8883, 10250},
	Sniff: sniff,
	New: func(sink proto.Sink, midway bool) proto.Parser {
		p := &parser{sink: sink}
		if midway {
			p.side[0].lost, p.side[1].lost = true, true
			p.modern, p.agreed, p.over, p.spoken, p.torn = true, true, true, true, true
		}
		return p
	},
}

// Record types.
const (
	changeCipherSpec = 20
	alert            = 21
	handshake        = 22
	applicationData  = 23
	heartbeat        = 24
)

const (
	headerLength = 5
	// maxRecord is the greatest length of a record: 2^14 and what encryption may
	// add (RFC 5246, 6.2.3).
	maxRecord = 1<<14 + 2048
	// maxHello bounds how much of a hello is looked at.
	maxHello = 2048
	// maxFlight is how many records of the client may come between the
	// ServerHello and its Finished: certificate, verification, and room to spare.
	maxFlight = 8
)

// side is a direction.
type side struct {
	header  [headerLength]byte
	have    uint8 // bytes of the header that are there
	hellos  uint8 // records of type handshake
	flight  uint8 // records of type application data before the handshake is over
	lost    bool  // out of step: a record begins where a chunk begins with one
	counted bool  // the record being read is part of a burst
	left    int   // of the record being read
	start   proto.Span
	hello   []byte // the first record, while it is read
}

type parser struct {
	sink   proto.Sink
	side   [2]side
	now    proto.Exchange
	name   []byte
	modern bool // TLS 1.3
	agreed bool // the ServerHello has come
	over   bool // the client's part of the handshake is over
	spoken bool // the server has sent something since
	torn   bool // the next exchange is the first after a loss
	bye    bool // the client's last record was an alert
	login  Login
	round  int // of the login
	record int // length of the last record of the server that counted
}

// Data decodes the next bytes of a direction.
func (p *parser) Data(c *flow.Chunk) {
	s, data := &p.side[c.Dir], c.Data
	if s.lost {
		if !isHeader(data) {
			p.lose(c.Dir)
			return
		}
		s.lost, s.have, s.left = false, 0, 0
	}
	for i := 0; i < len(data); {
		n := 0
		if s.have < headerLength {
			if s.have == 0 {
				s.start.Reset()
			}
			n = copy(s.header[s.have:], data[i:])
			s.start.Add(c, i, n)
			i += n
			if s.have += uint8(n); s.have < headerLength {
				break
			}
			if !isHeader(s.header[:]) {
				p.lose(c.Dir)
				return
			}
			p.begin(c.Dir)
		} else {
			n = min(s.left, len(data)-i)
			if s.hello != nil {
				s.hello = append(s.hello, data[i:i+min(n, maxHello-len(s.hello))]...)
			}
			p.add(c, i, n)
			i += n
			s.left -= n
		}
		if s.left == 0 {
			p.end(c.Dir)
		}
	}
	if c.Cut > 0 {
		p.skip(c.Dir, int64(c.Cut), c)
	}
}

// Gap passes over bytes that are missing.
func (p *parser) Gap(d flow.Dir, n int64, _ flow.Stamp) {
	if n > 0 {
		p.skip(d, n, nil)
	}
}

// End gives out the exchange under way.
func (p *parser) End(_ flow.Stamp, how flow.Ending) {
	if (how == flow.Open || how == flow.Expired) && p.side[flow.ToClient].counted {
		p.now.Doubt |= proto.Lossy
	}
	p.give()
}

// Progress says what the connection is doing: where an answer ends nobody knows,
// nor whether a client that has said goodbye still waited.
func (p *parser) Progress() proto.Progress {
	if p.now.Request.Empty() || !p.now.Response.Empty() || p.bye || p.login != nil {
		return proto.Unclear
	}
	return proto.Waiting
}

// begin is called when the header of a record is there.
func (p *parser) begin(d flow.Dir) {
	s := &p.side[d]
	s.left = int(binary.BigEndian.Uint16(s.header[3:]))
	s.counted = false
	if d == flow.ToServer {
		p.bye = s.header[0] == alert || p.isAlert(s.left)
	}
	switch s.header[0] {
	case handshake:
		if s.hellos < 255 {
			s.hellos++
		}
		if s.hellos == 1 && !p.over && s.left > 0 {
			s.hello = make([]byte, 0, min(s.left, maxHello))
		}
	case applicationData:
		if s.counted = p.counts(d, s.left); s.counted {
			p.burst(d)
			if d == flow.ToClient {
				p.record = s.left
			}
		}
	}
}

// counts says whether a record of application data is part of a burst.
func (p *parser) counts(d flow.Dir, length int) bool {
	client := &p.side[flow.ToServer]
	if !p.over {
		switch {
		case d == flow.ToServer && !p.agreed:
			return false // early data
		case d == flow.ToClient && client.hellos < 2:
			// Before TLS 1.3, the client's key exchange or its Finished would have
			// come first. The ServerHello that says so may not have been captured.
			p.modern, p.agreed = true, true
		}
		if !p.modern {
			p.over, p.spoken = true, true
			return true
		}
		if d == flow.ToServer {
			client.flight++
			p.over = isFinished(length) || client.flight >= maxFlight
		}
		return false
	}
	if p.isAlert(length) {
		return false
	}
	if d == flow.ToServer {
		return true
	}
	if p.now.Request.Empty() {
		p.spoken = true // tickets, or a server that speaks first
		return false
	}
	if !p.spoken {
		p.spoken = true
		p.now.Doubt |= proto.Ambiguous
	}
	return true
}

// isAlert says whether a record of application data is taken for an alert.
func (p *parser) isAlert(length int) bool {
	return p.over && p.modern && (length == 19 || length == 11)
}

func isFinished(length int) bool {
	switch length {
	case 45, 53, 69:
		return true
	}
	return false
}

// burst makes the record of which the header was read part of the burst of its
// direction.
func (p *parser) burst(d flow.Dir) {
	if d == flow.ToClient {
		pair.Join(&p.now.Response, &p.side[d].start)
		return
	}
	if !p.now.Response.Empty() {
		within := p.side[flow.ToClient].counted
		if within {
			p.now.Doubt |= proto.Ambiguous
		}
		p.give()
		if within {
			p.now.Doubt |= proto.Ambiguous
		}
	}
	if p.now.Request.Empty() {
		p.now.Doubt |= proto.Approximate
		if p.torn {
			p.now.Doubt |= proto.Resync
			p.torn = false
		}
	}
	pair.Join(&p.now.Request, &p.side[d].start)
}

// add makes n bytes of the chunk part of the burst, if the record is.
func (p *parser) add(c *flow.Chunk, from, n int) {
	switch {
	case !p.side[c.Dir].counted || n <= 0:
	case c.Dir == flow.ToClient:
		if !p.now.Request.Empty() {
			p.now.Response.Add(c, from, n)
		}
	case p.now.Response.Empty():
		p.now.Request.Add(c, from, n)
	default:
		// The server began to answer before the record was complete.
		p.now.Doubt |= proto.Ambiguous
	}
}

// end is called when a record is complete.
func (p *parser) end(d flow.Dir) {
	s := &p.side[d]
	s.have, s.counted = 0, false
	if s.hello == nil {
		return
	}
	p.understand(d, s.hello)
	s.hello = nil
}

func (p *parser) understand(d flow.Dir, hello []byte) {
	if d == flow.ToServer {
		p.name = serverName(hello)
		return
	}
	p.agreed = true
	p.modern = p.modern || chosenVersion(hello) >= 0x0304
}

// give gives the exchange under way out.
func (p *parser) give() {
	e := &p.now
	if e.Request.Empty() {
		e.Response.Reset()
		e.Doubt = 0
		return
	}
	e.Command, e.Text, e.Depth, e.Rows = "TLS", p.name, 1, -1
	e.Status = proto.Answered
	if e.Response.Empty() {
		e.Status = proto.Unanswered
	}
	if p.login == nil {
		p.sink.Exchange(e)
	} else {
		p.leaveOut(e)
	}
	e.Request.Reset()
	e.Response.Reset()
	e.Doubt = 0
}

// skip passes over n bytes: with a chunk those that the snap length cut off,
// without one those that are missing. Within a record they are as good as seen,
// as nothing but the length of records matters after the handshake.
func (p *parser) skip(d flow.Dir, n int64, c *flow.Chunk) {
	s := &p.side[d]
	if s.lost || s.have < headerLength || n > int64(s.left) {
		p.lose(d)
		return
	}
	if c != nil {
		p.add(c, len(c.Data), int(n))
	} else if s.counted {
		p.now.Doubt |= proto.Lossy
	}
	if s.left -= int(n); s.left == 0 {
		p.end(d)
	}
}

// lose is for bytes in which records cannot be found.
func (p *parser) lose(d flow.Dir) {
	s := &p.side[d]
	if s.hello != nil {
		p.understand(d, s.hello)
		s.hello = nil
	}
	s.lost, s.counted = true, false
	p.torn = true
	if !p.now.Request.Empty() {
		p.now.Doubt |= proto.Lossy
	}
}
