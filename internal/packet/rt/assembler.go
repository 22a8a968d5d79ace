package rt

import (
	"math"
	"time"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/tcp"
)

// Sink takes transactions as they complete: valid during the call only.
type Sink interface {
	Transaction(*Transaction)
	// Handshake is called once for each connection that carries data, before its
	// first transaction.
	Handshake(*Connection)
	// Resent is called for each copy of bytes that had been seen before.
	Resent(c *Connection, d flow.Dir, at int64)
	// Refilled is called for each copy of bytes that the capture had not seen: what
	// carried them first was lost before.
	Refilled(c *Connection, at int64)
}

// Tracker follows the requests of the connections of one worker: what its
// assemblers share.
type Tracker struct {
	Sink      Sink
	Protocols []proto.Protocol // in the order in which they are asked; the last one takes everything
	// Fingerprint makes the statement without literals, or "". It may keep what it
	// returns.
	Fingerprint func(protocol, command string, text []byte, cut bool) string

	// Spoken is what servers are known to speak (proto.Protocol.Name).
	Spoken map[flow.Endpoint]string
	// Forced is what servers on a port speak, whatever their bytes look like.
	Forced map[uint16]string

	// Asked says that Open is called now and then.
	Asked  bool
	asking []*Assembler // those of connections that may wait for an answer

	trials []*trial // recycled
	held   int      // bytes of all trials

	scratch proto.Scratch  // of all decoders
	free    []*Transaction // recycled pending ones
	spare   []*Assembler
	codes   map[string]string // words that come again and again, kept once

	silent   Connection         // the last one that carried no data
	messages map[message]string // errors as servers word them, and without literals
}

// Assembler turns the bytes of one connection into transactions. It is the
// tcp.Consumer of the connection.
type Assembler struct {
	tracker  *Tracker
	conn     Connection
	parser   proto.Parser
	opener   proto.Opener // parser, if connections of its protocol can become tunnels
	previous flow.Stamp   // the packet that ended the last response; At 0: there was none
	pending  *Transaction
	until    uint64    // the acknowledgement pending waits for
	ended    int64     // when the last response packet of pending came
	acked    uint64    // how much of what the server sent the client has
	ackedAt  int64     // when it said so
	asked    [2]uint64 // where the request of pending lies in the stream
	taken    uint64    // how much of what the client sent the server had when the connection was closed
	waits    waits
	run      stretch
	closing  bool   // CloseState is set
	left     bool   // since then, a request was given out as unanswered
	trial    *trial // while the decoder may still be changed
	greeted  bool   // the handshake was told
	gave     bool   // an exchange was given out
	told     bool   // one was, since the last bytes
	tunnel   tunnel
	next     string // what is spoken in it (proto.Protocol.Name), if it is known
	holed    bool   // its beginning was not captured
	burst    burst
	ending   ending
	passed   passed
}

// Consume makes the consumer of a connection.
func (w *Tracker) Consume(c *tcp.Conn) tcp.Consumer {
	if n := len(w.spare); n > 0 {
		a := w.spare[n-1]
		w.spare = w.spare[:n-1]
		*a = Assembler{tracker: w, conn: Connection{Conn: c}, waits: waits{list: a.waits.list[:0]}, burst: burst{asks: a.burst.asks}}
		return a
	}
	return &Assembler{tracker: w, conn: Connection{Conn: c}}
}

// Connection is what was found of a connection. It is valid until Release.
func (w *Tracker) Connection(c *tcp.Conn) *Connection {
	if a, ok := c.Consumer().(*Assembler); ok {
		return &a.conn
	}
	w.silent = Connection{Conn: c}
	return &w.silent
}

// Release takes back what a connection needed that has ended.
func (w *Tracker) Release(c *tcp.Conn) {
	if a, ok := c.Consumer().(*Assembler); ok {
		w.spare = append(w.spare, a)
	}
}

// Data feeds the decoder, which is chosen at the first bytes.
func (a *Assembler) Data(c *flow.Chunk) {
	a.noteClose()
	a.burst.data(a.conn.Conn, c)
	a.passed.cut = a.passed.cut || c.Cut > 0
	if a.passed.cut {
		a.before(c)
	}
	if c.Dir == flow.ToServer && !a.burst.asks && a.tracker.Asked {
		a.burst.asks = true
		a.tracker.asking = append(a.tracker.asking, a)
	}
	a.decode(c)
	if a.passed.cut && a.passed.seeker != nil && c.Dir == flow.ToServer {
		a.passed.after()
	}
	if a.opener == nil || !a.told {
		return
	}
	if rest := a.opened(c.Cut > 0); rest > 0 {
		part := *c
		skip := len(c.Data) - rest
		part.Offset, part.Data = c.Offset+uint64(skip), c.Data[skip:]
		a.decode(&part)
	}
}

// decode hands bytes to the decoder.
func (a *Assembler) decode(c *flow.Chunk) {
	if a.parser == nil || a.tunnel == unentered {
		a.enter()
		a.choose(c)
	}
	if a.trial != nil {
		a.attempt(c)
		return
	}
	a.parser.Data(c)
}

// greet reports the handshake, once: as late as its service may be mistaken, and
// before anything else of the connection.
func (a *Assembler) greet() {
	if !a.greeted && a.parser != nil {
		a.greeted = true
		a.tracker.Sink.Handshake(&a.conn)
	}
}

// noteClose remembers what was going on when the connection was closed. It is
// called before anything that comes after the close is looked at.
func (a *Assembler) noteClose() {
	if a.closing || !a.conn.Closing {
		return
	}
	a.closing = true
	switch {
	case a.parser == nil:
		a.conn.CloseState = Handshake
	case a.conn.OneWay():
		a.conn.CloseState = Unknown // answers may have come, and nobody saw them
	default:
		a.conn.CloseState = states[a.parser.Progress()]
	}
}

// states are those of connections for what decoders say.
var states = [...]State{proto.Unclear: Unknown, proto.Idle: Idle, proto.Waiting: Waiting, proto.Answering: Response, proto.Dismissed: Dismissed}

// minMessage is how much of a message the snap length must have left for a
// decoder: a header of four bytes and a command, the shortest of all.
const minMessage = 5

// choose takes the decoder that an upgrade named, or the user for the port: for a proxy, not
// for what it carries. Without one, bytes decide, in a trial; where the capture holds
// headers and no data, the last one is taken.
func (a *Assembler) choose(c *flow.Chunk) {
	name := a.next
	if forced := a.tracker.Forced[a.conn.Server.Port]; a.tunnel == outside && !a.throughSOCKS(forced, c) {
		name = forced
	}
	for i := range a.tracker.Protocols {
		if a.tracker.Protocols[i].Name == name {
			a.use(i)
			a.greet()
			return
		}
	}
	if c.Cut > 0 && len(c.Data) < minMessage {
		a.use(len(a.tracker.Protocols) - 1)
		a.greet()
		return
	}
	a.trial = a.tracker.try()
}

func (a *Assembler) use(index int) {
	p := &a.tracker.Protocols[index]
	a.conn.Protocol = p.Name
	midway := a.conn.Midway
	if a.tunnel == inside {
		midway = a.holed
	}
	midway = midway || a.trial != nil && a.trial.partial
	a.parser = p.New(a, midway)
	a.opener, _ = a.parser.(proto.Opener)
	a.passed.seeker, _ = a.parser.(proto.Seeker)
	a.told = false
}

// Gap tells the decoder what is missing.
func (a *Assembler) Gap(d flow.Dir, n int64, at flow.Stamp) {
	if a.parser == nil {
		return
	}
	a.holed = true
	if a.trial != nil {
		a.trial.hold(a.tracker, &flow.Chunk{Stamp: at, Dir: d}, n)
	}
	a.parser.Gap(d, n, at)
}

// Resent remembers the copy: the answer came to the last one of the request.
func (a *Assembler) Resent(d flow.Dir, from, to uint64, first, again flow.Stamp) {
	if d == flow.ToServer {
		a.waits.copied(from, to, again.At)
	}
	if first.Frame != 0 && first.Frame == a.conn.SYN.Frame {
		return // data in a SYN that the server did not take: TCP counts no retransmission
	}
	a.greet()
	a.tracker.Sink.Resent(&a.conn, d, again.At)
}

// Refilled hands a copy on whose first was not captured: no time before it is known.
func (a *Assembler) Refilled(_ flow.Dir, at flow.Stamp) {
	a.greet()
	a.tracker.Sink.Refilled(&a.conn, at.At)
}

// Stalled remembers since when and until when the connection waited.
func (a *Assembler) Stalled(s tcp.Stall) {
	a.waits.add(s)
	if s.Cause == tcp.ZeroWindow && s.Dir == flow.ToClient {
		a.burst.shut = s.To
	}
}

// Acked completes the transaction whose response is now known to have arrived.
func (a *Assembler) Acked(d flow.Dir, before uint64, at flow.Stamp) {
	switch {
	case d == flow.ToClient:
		a.acked, a.ackedAt = before, at.At
	case !a.conn.Closing:
		a.taken = before
	}
	a.burst.last = max(a.burst.last, at.At)
	if a.pending != nil && d == flow.ToClient && before >= a.until {
		a.pending.Ack = time.Duration(max(0, at.At-a.ended))
		a.give()
	}
}

// End gives out what is left.
func (a *Assembler) End(at flow.Stamp, how flow.Ending) {
	a.noteClose()
	if a.parser != nil {
		a.ending = a.endingOf(at, how)
		a.parser.End(at, how)
		if a.trial != nil && !a.gave {
			a.fallBack(at, how)
		}
		if a.trial != nil {
			a.decide()
		}
	}
	a.givePassed()
	a.give()
	a.parser, a.opener, a.passed = nil, nil, passed{}
}

// give hands the pending transaction out.
func (a *Assembler) give() {
	if a.pending == nil {
		return
	}
	a.waited(a.pending)
	a.hand(a.pending)
	a.tracker.free = append(a.tracker.free, a.pending)
	a.pending = nil
}

// waited says what an answered transaction waited for. Only when it is given
// out is everything known: a packet that fills a hole is first told as data,
// which may complete the exchange, and then as a wait.
func (a *Assembler) waited(t *Transaction) {
	if a.waits.none() || t.RequestPackets == 0 || t.Total() == 0 { // of what took no time nothing was waited for, nor where none is kept
		return
	}
	asked := t.Start + int64(t.Upload)
	answered := asked + int64(t.RT)
	if last := a.waits.lastCopy(a.asked[0], a.asked[1], answered); last > asked {
		t.Serve = time.Duration(answered - last)
	}
	t.Retransmit = a.waits.within(tcp.Retransmission, t.Start, a.ended)
	t.ZeroWindow = a.waits.within(tcp.ZeroWindow, t.Start, a.ended)
	t.DelayedACK = a.waits.within(tcp.DelayedACK, t.Start, a.ended)
}

// hand counts a transaction for its connection and gives it out.
func (a *Assembler) hand(t *Transaction) {
	t.After = a.run.next(t)
	a.conn.Requests.add(t)
	a.tracker.Sink.Transaction(t)
}

// Client is the end that asks.
func (a *Assembler) Client() flow.Endpoint { return a.conn.Client }

// Scratch implements proto.ScratchOwner.
func (a *Assembler) Scratch() *proto.Scratch { return &a.tracker.scratch }

// Exchange makes a transaction of what the decoder found. It is kept until its
// response is acknowledged, or the next one is complete.
func (a *Assembler) Exchange(e *proto.Exchange) {
	a.give()
	a.gave, a.told = true, true
	if a.passed.cut {
		a.passed.found(&e.Request)
	}
	if t := a.trial; t != nil {
		t.told = true
		if t.chosen != len(a.tracker.Protocols)-1 {
			a.decide()
		}
	}
	a.greet()
	t := a.tracker.blank()
	c := &a.conn
	t.Connection, t.Client, t.Server, t.Space = c.ID, c.Client, c.Server, c.Space
	t.Proto = c.Protocol
	a.tracker.fill(t, e)
	if a.previous.At > 0 && !e.Request.Empty() {
		if t.Idle = time.Duration(max(0, e.Request.First.At-a.previous.At)); t.Idle > maxPhase {
			t.Idle = -1
		}
		t.Ahead = e.Request.First.Before(a.previous)
	}
	if e.Status == proto.Unanswered && a.closing && !a.left {
		a.left = true
		a.crossed(e)
	}
	a.ending.left(t, e)
	if e.Status != proto.Answered || e.Response.Empty() {
		a.hand(t)
		a.tracker.free = append(a.tracker.free, t)
		return
	}
	a.previous = e.Response.Last
	a.pending, a.until, a.ended = t, e.Response.End, e.Response.Last.At
	a.asked = [2]uint64{e.Request.Start, e.Request.End}
	// Where the end of an answer is known only when the client goes on, it may
	// have been acknowledged before. If more was since, nobody knows when.
	if a.acked >= a.until {
		if a.acked == a.until {
			t.Ack = time.Duration(max(0, a.ackedAt-a.ended))
		}
		a.until = math.MaxUint64
	}
}
