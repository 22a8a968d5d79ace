// Package postgres decodes the frontend/backend protocol of PostgreSQL, version
// 3 (https://www.postgresql.org/docs/current/protocol.html), as PostgreSQL
// itself, PgBouncer and others speak it.
//
// # What is an exchange
//
// The server says ReadyForQuery once for each Query, FunctionCall and Sync, in
// the order in which they came. So an exchange is
//
//   - a Query or FunctionCall up to its ReadyForQuery, however many statements it
//     holds;
//   - the messages of the extended protocol up to a Sync (Parse, Bind, Describe,
//     Execute...), answered up to the ReadyForQuery of this Sync, however many
//     Executes there are among them. Rows are those of all together, the text has
//     every statement that was executed, once, in the order of their first
//     executions, at most eight of them and 4096 bytes;
//   - the same up to a Flush, answered when each message has its completion.
//
// Depth counts the exchanges under way. The command is Query, FunctionCall, or
// the weightiest message of the group: Execute, else Parse, Bind, Describe,
// Close, Sync. The text of an Execute is the one that was parsed for it.
//
// A login that the server refuses is the exchange Connect: its request is all that
// the client said from its StartupMessage on, its answer the ErrorResponse. Where
// that comes for the request for encryption, this is the request.
//
// No answers are: everything else before the first ReadyForQuery (negotiation of
// encryption and version, authentication, parameters), notices, notifications and
// changed parameters at any time, and CopyInResponse, which only asks the client
// to go on: the request of a COPY FROM STDIN ends with its CopyDone. Terminate
// and CancelRequest have no answer. START_REPLICATION is answered by
// CopyBothResponse; what flows then belongs to no exchange.
//
// After a server has agreed to TLS, exchanges are those of package tls.
package postgres

import (
	"bytes"
	"encoding/binary"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/pair"
	"rtrail/internal/packet/proto/tls"
)

// Protocol is PostgreSQL's; 6432 is PgBouncer's usual port.
var Protocol = proto.Protocol{Name: "postgres", Ports: []uint16{5432, 6432}, Sniff: sniff, New: newParser}

const (
	maxText    = 4096 // bytes of a statement that are kept
	maxError   = 1024 // bytes of an error that are looked at
	maxTag     = 64   // bytes of a command tag
	maxPending = 1024 // exchanges under way
)

// Codes that stand where a StartupMessage has its version.
const (
	cancelRequest = 80877102
	sslRequest    = 80877103
	gssRequest    = 80877104
	maxStartup    = 10000 // PostgreSQL refuses longer packets: MAX_STARTUP_PACKET_LENGTH
)

// stage is how far a connection has come.
type stage uint8

const (
	starting    stage = iota // the client has not sent its StartupMessage
	negotiating              // the client asked for encryption, the server answers with one byte
	greeting                 // before the first ReadyForQuery
	ready
	streaming // CopyBoth
	encrypted // by GSSAPI: nothing to be seen
)

type parser struct {
	sink       proto.Sink
	queue      pair.Queue
	inner      proto.Parser // after TLS was agreed on
	sides      [2]side
	prepared   prepared
	batch      batch
	login      proto.Span // what the client said to log in
	done       uint16     // completions of the group that is being answered
	stage      stage
	loginDoubt proto.Doubt // of login
	gss        bool        // what was asked for is GSSAPI
	fatal      bool        // the server ended the session with an error
	open       bool        // the client has not closed the group it sends
	copying    bool        // the client may send COPY data
	resync     bool        // the copying group has had its Sync, which the server ignores: another one follows
	rows       int64
}

func newParser(sink proto.Sink, midway bool) proto.Parser {
	p := &parser{sink: sink, queue: pair.New(sink, maxPending, midway)}
	if midway {
		p.queue.Alternate()
		p.stage = ready
		p.sides[0].lost, p.sides[1].lost = true, true
	}
	p.rows = -1
	return p
}

// Data takes the next bytes of a side.
func (p *parser) Data(c *flow.Chunk) {
	if p.inner != nil {
		p.inner.Data(c)
		return
	}
	s := &p.sides[c.Dir]
	if s.lost {
		if !chained(c.Dir, c.Data) {
			return
		}
		s.lost = false
		s.begin()
	}
	for i := 0; i < len(c.Data); {
		if p.stage == encrypted {
			return
		}
		if p.stage == negotiating && c.Dir == flow.ToClient && s.got == 0 && p.negotiated(c.Data[i]) {
			i++
			continue
		}
		if p.inner != nil || p.stage == starting && c.Dir == flow.ToServer && s.got == 0 && c.Data[i] == 0x16 {
			p.handOver(c, i)
			return
		}
		n := s.take(c, i, p.stage == starting && c.Dir == flow.ToServer)
		i += n
		if s.broken() {
			p.tear(c.Dir)
			return
		}
		if s.complete() {
			p.message(c.Dir)
			s.begin()
		}
	}
	if c.Cut > 0 {
		p.skip(c.Dir, int64(c.Cut), c)
	}
}

// negotiated takes the answer to a request for encryption. It returns false if
// it is an ordinary message: an error.
func (p *parser) negotiated(b byte) bool {
	switch b {
	case 'N':
		p.stage = starting
	case 'S':
		p.inner = tls.AtLogin(p.sink, loginGoesOn)
	case 'G':
		p.stage = encrypted
	default:
		p.stage = greeting
		return false
	}
	if p.gss && b == 'S' {
		p.inner, p.stage = nil, starting
	}
	return true
}

// Progress says what the connection is doing. Within TLS a farewell looks like a
// request. An error that ends the session is a whole answer.
func (p *parser) Progress() proto.Progress {
	switch {
	case p.inner != nil:
		return proto.Unclear
	case p.fatal && p.queue.Len() > 0:
		return proto.Dismissed
	case p.fatal:
		return proto.Idle
	case p.stage != ready:
		return proto.Unclear
	case p.queue.Len() > 0 && !p.queue.Now.Response.Empty():
		return proto.Answering
	case p.queue.Len() > 0:
		return proto.Waiting
	case p.sides[0].lost, p.sides[1].lost, p.queue.Behind():
		return proto.Unclear
	}
	return proto.Idle
}

// Owes says whether the server has a whole group of messages and owes its answer.
func (p *parser) Owes() bool {
	return p.Progress() == proto.Waiting && !p.open && !p.copying && p.sides[flow.ToServer].got == 0 && p.queue.Head() != nil
}

// Debt is the oldest request.
func (p *parser) Debt() proto.Debt { return p.queue.Debt() }

// handOver gives the rest of a chunk to the decoder of TLS.
func (p *parser) handOver(c *flow.Chunk, from int) {
	if p.inner == nil {
		p.inner = tls.AtLogin(p.sink, loginGoesOn)
	}
	rest := *c
	rest.Data, rest.Offset = c.Data[from:], c.Offset+uint64(from)
	p.inner.Data(&rest)
}

// loginGoesOn says whether an answer to an encrypted login was not the last. The
// last one reports some dozen parameters, which are 300 bytes and more; what the
// server asks before, by SASL or for a password, is a hundred at most.
func loginGoesOn(_ int, bytes int64, _ int) bool {
	const minParameters = 250
	return bytes < minParameters
}

// skip passes over bytes that were not captured. Within a message whose length
// is known they do not matter much.
func (p *parser) skip(d flow.Dir, n int64, c *flow.Chunk) {
	s := &p.sides[d]
	if s.lost || p.stage == encrypted {
		return
	}
	if !s.within(n) {
		p.tear(d)
		return
	}
	s.pass(n, c)
	if s.complete() {
		p.message(d)
		s.begin()
	}
}

// tear puts a side out of step until a chunk begins with a message.
func (p *parser) tear(d flow.Dir) {
	p.sides[d].lost = true
	p.sides[d].begin()
	p.queue.Tear()
	p.open, p.copying, p.resync = false, false, false
	if p.stage < ready {
		p.stage = ready
	}
}

// Gap takes note of bytes that are missing for good.
func (p *parser) Gap(d flow.Dir, n int64, at flow.Stamp) {
	switch {
	case p.inner != nil:
		p.inner.Gap(d, n, at)
	case n > 0:
		p.sides[d].doubt |= proto.Lossy
		p.skip(d, n, nil)
	}
}

// End gives out what is left.
func (p *parser) End(at flow.Stamp, how flow.Ending) {
	if p.inner != nil {
		p.inner.End(at, how)
		return
	}
	if s := &p.sides[flow.ToClient]; !s.lost && s.head >= headerSize && s.got > 0 && p.stage == ready && p.queue.Len() > 0 && answers(s.kind) {
		join(&p.queue.Now.Response, &s.span)
	}
	p.outcome()
	p.queue.End(how, p.fatal)
}

// outcome hands the rows that were counted to the answer.
func (p *parser) outcome() {
	p.queue.Now.Rows, p.rows = p.rows, -1
}

// message takes a complete message of either side.
func (p *parser) message(d flow.Dir) {
	s := &p.sides[d]
	switch {
	case s.untyped:
		p.startup(s)
	case d == flow.ToServer:
		p.client(s)
	default:
		p.server(s)
	}
}

// startup takes what the client sends before messages have types.
func (p *parser) startup(s *side) {
	p.login, p.loginDoubt = s.span, s.doubt
	code := uint32(0)
	if len(s.body) >= 4 {
		code = binary.BigEndian.Uint32(s.body)
	}
	switch code {
	case sslRequest, gssRequest:
		p.stage, p.gss = negotiating, code == gssRequest
	case cancelRequest:
		p.login.Reset() // it logs in nowhere
		p.unanswerable("Cancel", s)
	default:
		p.stage = greeting
	}
}

// unanswerable gives out a request that has no answer by protocol.
func (p *parser) unanswerable(command string, s *side) {
	if p.queue.Behind() {
		return
	}
	t := p.queue.Open(s.span.First.At)
	t.Command, t.Request = command, s.span
	t.Doubt |= s.doubt
	p.queue.Unanswerable()
}

// cstring is the bytes up to a zero byte, and what follows it.
func cstring(b []byte) (text, rest []byte, ok bool) {
	if n := bytes.IndexByte(b, 0); n >= 0 {
		return b[:n], b[n+1:], true
	}
	return b, nil, false
}
