// Package fastcgi decodes FastCGI 1 (https://fastcgi-archives.github.io/FastCGI_Specification.html),
// as web servers speak it with PHP-FPM and other application servers.
//
// An exchange is a request, from FCGI_BEGIN_REQUEST to the record that ends its input, and its
// answer, from the first record of FCGI_STDOUT or FCGI_STDERR to FCGI_END_REQUEST. Both carry the
// number of the request, so that several may share a connection. Command is REQUEST_METHOD, Text
// is REQUEST_URI, or SCRIPT_NAME where there is none. The values of all other parameters, and
// bodies, are never shown.
//
// Code is the status of the answer (200 where a script sets none), Error the first line on
// STDERR. Failed are statuses from 400 to 599, requests that the server refuses (OVERLOADED,
// CANT_MPX_CONN, UNKNOWN_ROLE), scripts that end with an exit status (EXIT), and those that write to
// STDERR while all else is well (STDERR).
//
// FCGI_GET_VALUES asks about the server itself. FCGI_ABORT_REQUEST has no answer: the client wants none
// any more for the request that it names.
package fastcgi

import (
	"encoding/binary"
	"slices"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/framed"
	"rtrail/internal/packet/proto/pair"
)

// Protocol is the decoder. 9000 is the port of PHP-FPM.
var Protocol = proto.Protocol{Name: "fastcgi", Ports: []uint16{9000}, Sniff: sniff, New: newParser}

const (
	headerSize = 8
	// maxPending bounds the requests under way. Web servers send one at a time.
	maxPending = 256
	maxText    = 1024 // bytes of a path, as of HTTP
	maxLog     = 200  // bytes of a line on STDERR
)

// Types of records.
const (
	beginRequest    = 1
	abortRequest    = 2
	endRequest      = 3
	paramsRecord    = 4
	stdin           = 5
	stdout          = 6
	stderr          = 7
	data            = 8
	getValues       = 9
	getValuesResult = 10
	unknownType     = 11
)

// Roles that a request may have for the server.
const (
	responder  = 1
	authorizer = 2 // has no input
	filter     = 3 // has a file, behind the input
)

// management is the number of what is no request.
const management = 0

// complete is the tag of requests of which all has come.
const complete = 1

// record is what is known of the one being read.
type record struct {
	kind  byte
	id    uint16
	size  int // bytes of content, without padding
	left  int
	fixed [8]byte // the content of those that always have eight bytes
}

// request is one that was begun and is not over.
type request struct {
	id     uint16
	role   uint16
	gone   bool // the client wants no answer any more
	begun  bool // the answer has
	params params
	answer proto.Span
	doubt  proto.Doubt // of the answer
	head   head
	log    line // the first on STDERR
}

type parser struct {
	table    pair.Table
	streams  framed.Streams
	records  [2]record
	requests []*request // in the order in which they were begun
}

var format = framed.Format{Header: headerSize, Length: length, Begins: begins}

func newParser(sink proto.Sink, midway bool) proto.Parser {
	return &parser{table: pair.NewTable(sink, maxPending), streams: framed.NewStreams(midway)}
}

// Data takes the next bytes of a direction.
func (p *parser) Data(c *flow.Chunk) { p.streams[c.Dir].Data(&format, p, c) }

// Gap passes over bytes that are missing.
func (p *parser) Gap(d flow.Dir, n int64, _ flow.Stamp) { p.streams[d].Gap(&format, p, d, n) }

// Begin takes the header of a record.
func (p *parser) Begin(d flow.Dir, header []byte) {
	size := int(binary.BigEndian.Uint16(header[4:]))
	p.records[d] = record{kind: header[1], id: binary.BigEndian.Uint16(header[2:]), size: size, left: size}
	if r := p.find(p.records[d].id); d == flow.ToClient && r != nil {
		r.begun = true
	}
}

// Body takes a part of a record.
func (p *parser) Body(d flow.Dir, b []byte) {
	rec := &p.records[d]
	b = b[:min(len(b), rec.left)] // the rest is padding
	at := rec.size - rec.left
	rec.left -= len(b)
	if rec.kind == beginRequest || rec.kind == endRequest {
		copy(rec.fixed[at:], b)
		return
	}
	r := p.find(rec.id)
	if r == nil || len(b) == 0 {
		return
	}
	switch rec.kind {
	case paramsRecord:
		if q := p.table.Find(uint64(r.id)); q != nil {
			r.params.read(b, q)
		}
	case stdout:
		r.head.read(b)
	case stderr:
		r.log.read(b)
	}
}

// Missing is told of a part that was not captured.
func (p *parser) Missing(d flow.Dir, n int64) {
	rec := &p.records[d]
	missing := int(min(n, int64(rec.left)))
	rec.left -= missing
	r := p.find(rec.id)
	if r == nil || missing == 0 {
		return
	}
	switch rec.kind {
	case paramsRecord:
		r.params.lose()
	case stdout:
		r.head.lose()
	case stderr:
		r.log.ended = true
	}
}

// Lost is told that a direction is out of step: records of any request may be missing.
func (p *parser) Lost(d flow.Dir) {
	p.table.Tear()
	for _, r := range p.requests {
		if d == flow.ToServer {
			r.params.lose()
		} else {
			r.head.lose()
		}
		if q := p.table.Find(uint64(r.id)); q != nil {
			q.Doubt |= proto.Resync // numbers are used again and again
		}
	}
}

// Complete takes a record.
func (p *parser) Complete(d flow.Dir) {
	if d == flow.ToServer {
		p.asked(&p.records[d])
	} else {
		p.answered(&p.records[d])
	}
}

// asked takes a record of the client.
func (p *parser) asked(rec *record) {
	span, doubt := &p.streams[flow.ToServer].Span, p.streams[flow.ToServer].Doubt
	switch rec.kind {
	case beginRequest:
		p.begin(rec)
	case getValues:
		q := p.table.Open(management)
		q.Command, q.Tag = "GET_VALUES", complete
		q.Request, q.Doubt = *span, doubt
		return
	case abortRequest:
		if r := p.find(rec.id); r != nil {
			r.gone = true
			p.table.GiveUp(uint64(rec.id))
		}
		return
	}
	r := p.find(rec.id)
	if r == nil {
		return
	}
	q := p.table.Find(uint64(rec.id))
	if q == nil || q.Tag == complete {
		return
	}
	pair.Join(&q.Request, span)
	q.Doubt |= doubt
	if rec.size == 0 && rec.kind == lastOf(r.role) {
		q.Tag = complete
	}
}

// lastOf is the type of the record that ends a request of a role, once it is empty.
func lastOf(role uint16) byte {
	switch role {
	case authorizer:
		return paramsRecord
	case filter:
		return data
	}
	return stdin
}

// begin opens a request.
func (p *parser) begin(rec *record) {
	if old := p.find(rec.id); old != nil {
		if q := p.table.Find(uint64(rec.id)); q != nil {
			q.Doubt |= proto.Lossy // its answer was missed, or the number could not be used again
			p.table.GiveUp(uint64(rec.id))
		}
		p.forget(old)
	}
	role := binary.BigEndian.Uint16(rec.fixed[:])
	p.add(rec.id).role = role
	p.table.Open(uint64(rec.id)).Command = roleName(role)
}

// roleName stands for the method until it has come.
func roleName(role uint16) string {
	switch role {
	case authorizer:
		return "AUTHORIZER"
	case filter:
		return "FILTER"
	}
	return "RESPONDER"
}

// answered takes a record of the server.
func (p *parser) answered(rec *record) {
	switch rec.kind {
	case getValuesResult:
		if rec.size == 0 && p.table.Find(management) == nil {
			return // Go ends every answer so
		}
		e := &p.table.Now
		e.Response, e.Doubt = p.streams[flow.ToClient].Span, p.streams[flow.ToClient].Doubt
		p.table.Answered(management)
		return
	case unknownType:
		return
	}
	r := p.find(rec.id)
	if r == nil {
		r = p.add(rec.id) // asked before the capture began
	}
	p.join(r)
	if rec.kind == endRequest {
		p.end(r, rec)
	}
}

// join makes the record of the server part of an answer.
func (p *parser) join(r *request) {
	pair.Join(&r.answer, &p.streams[flow.ToClient].Span)
	r.doubt |= p.streams[flow.ToClient].Doubt
}

// end gives out a request with its answer.
func (p *parser) end(r *request, rec *record) {
	p.forget(r)
	if r.gone {
		return
	}
	e := &p.table.Now
	e.Response, e.Doubt = r.answer, r.doubt
	outcome(e, r, int32(binary.BigEndian.Uint32(rec.fixed[:])), rec.fixed[4])
	p.table.Answered(uint64(r.id))
}

// find is the request under way with a number; nil if there is none.
func (p *parser) find(id uint16) *request {
	for _, r := range p.requests {
		if r.id == id {
			return r
		}
	}
	return nil
}

// add makes one.
func (p *parser) add(id uint16) *request {
	if len(p.requests) >= maxPending {
		p.forget(p.requests[0])
	}
	r := &request{id: id}
	p.requests = append(p.requests, r)
	return r
}

func (p *parser) forget(r *request) {
	i := slices.Index(p.requests, r)
	p.requests = slices.Delete(p.requests, i, i+1)
}

// End gives out what is left.
func (p *parser) End(_ flow.Stamp, how flow.Ending) {
	within := p.streams[flow.ToClient].Headed()
	for _, r := range p.requests {
		if within && r.id == p.records[flow.ToClient].id {
			p.join(r)
		}
		if r.answer.Empty() || r.gone || p.table.Find(uint64(r.id)) == nil {
			continue
		}
		e := &p.table.Now
		e.Response, e.Doubt = r.answer, r.doubt
		outcome(e, r, 0, 0)
		p.table.Broken(how)
		p.table.Answered(uint64(r.id))
	}
	p.requests = nil
	p.table.End()
}

// Progress says what the connection is doing.
func (p *parser) Progress() proto.Progress {
	begun := func(r *request) bool { return r.begun && !r.gone && p.table.Find(uint64(r.id)) != nil }
	return p.streams.Progress(slices.ContainsFunc(p.requests, begun), p.table.Len())
}

// Seeking implements proto.Seeker.
func (p *parser) Seeking() bool { return p.streams.Seeking() }

// Owes says whether the server has a whole request and owes its answer.
func (p *parser) Owes() bool {
	return p.Progress() == proto.Waiting && !p.streams[flow.ToClient].Within() && p.table.Oldest().Tag == complete
}
