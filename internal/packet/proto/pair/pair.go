// Package pair keeps the requests of one connection that wait for their answers.
// A Queue pairs them first in, first out. It is what the decoders of pipelined
// protocols (HTTP, Redis) share: bounds, loss, and honesty about both. A Table
// pairs them by the numbers that both carry.
//
// After a loss nobody can tell how many requests or answers were in it, and a
// queue that is off by one stays so for the rest of the connection. So a torn
// queue makes a fresh start whenever the client speaks again after the server
// did: what waited until then is given out as unanswered and lossy. Exchanges
// are marked proto.Resync until a round of requests was answered one for one.
package pair

import (
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// wide is the number of slots above which a queue that is no longer used so
// deeply gives its memory back, and rounds how often it must have been shallow.
const (
	wide   = 64
	rounds = 64
)

// Pending is a request that waits for its answer.
type Pending struct {
	Request proto.Span
	Command string
	Tag     uint32 // the decoder's own
	Depth   uint16
	Doubt   proto.Doubt
	TextCut bool
	text    []byte // kept for the next request in this slot
}

// SetText keeps a copy of the text, at most most bytes of it.
func (p *Pending) SetText(text []byte, most int) {
	if len(text) > most {
		text, p.TextCut = text[:most], true
	}
	p.text = append(p.text[:0], text...)
}

// Text is what was kept of the text; valid until it is changed.
func (p *Pending) Text() []byte { return p.text }

// AppendText makes b a part of the text, which is at most most bytes long.
func (p *Pending) AppendText(b []byte, most int) {
	if room := most - len(p.text); len(b) > room {
		b, p.TextCut = b[:max(0, room)], true
	}
	p.text = append(p.text, b...)
}

// Queue is the requests that wait, and the answer that is being collected.
type Queue struct {
	// Now is the answer under way. The decoder fills in Response, Failed, Code,
	// Error, Rows and Doubt; the queue does the rest.
	Now proto.Exchange

	sink proto.Sink
	ring []Pending // its length is a power of two
	head uint32
	size uint32
	most uint32

	// swallow is how many answers belong to requests that were given out before
	// their time because the queue was full.
	swallow uint32
	unasked int64 // when the last answer without request began; 0: there was none

	torn   bool // after a loss
	turned bool // an answer was complete after the last request had begun
	clean  bool // since the last fresh start every answer had its request
	high   uint32
	quiet  uint32
}

// New makes a queue that holds at most most requests. midway says that the
// beginning of the connection was not captured.
func New(sink proto.Sink, most int, midway bool) Queue {
	return Queue{sink: sink, most: uint32(most), torn: midway, turned: midway, Now: proto.Exchange{Rows: -1}}
}

// Alternate says, before anything else, that clients wait for each answer before
// they go on, but for the few that pipeline: in the middle of a connection, the first
// request that was seen is the first that waits, unless answers show otherwise.
func (q *Queue) Alternate() { q.clean = true }

// Len is how many requests wait.
func (q *Queue) Len() int { return int(q.size) }

// Torn says whether the queue has not yet found its feet after a loss.
func (q *Queue) Torn() bool { return q.torn }

// Behind says whether the next answer belongs to a request that was given out
// before its time.
func (q *Queue) Behind() bool { return q.swallow > 0 }

// Head is the request that is answered next; nil if none is known.
func (q *Queue) Head() *Pending {
	if q.size == 0 || q.swallow > 0 {
		return nil
	}
	return &q.ring[q.head]
}

// Debt is the request that is answered next, as proto.Debtor gives it. There must be a
// Head.
func (q *Queue) Debt() proto.Debt {
	d := q.Head().debt(q.Len(), q.torn)
	d.Response = q.Now.Response
	return d
}

func (p *Pending) debt(waiting int, torn bool) proto.Debt {
	d := proto.Debt{Request: p.Request, Command: p.Command, Text: p.text, TextCut: p.TextCut, Doubt: p.Doubt, Waiting: waiting}
	if torn {
		d.Doubt |= proto.Lossy
	}
	return d
}

// Tail is the request that was opened last. There must be one.
func (q *Queue) Tail() *Pending {
	return &q.ring[(q.head+q.size-1)&uint32(len(q.ring)-1)]
}

// Open appends a request that begins at a moment. What it returns is valid until
// the next Open.
func (q *Queue) Open(at int64) *Pending {
	if q.torn && q.turned {
		q.fresh()
	}
	q.turned = false
	if q.unasked != 0 && at <= q.unasked {
		// This request had been on its way before an answer that seemed to have
		// none.
		q.Tear()
	}
	if q.size == uint32(len(q.ring)) {
		q.room()
	}
	p := &q.ring[(q.head+q.size)&uint32(len(q.ring)-1)]
	q.size++
	q.high = max(q.high, q.size)
	*p = Pending{text: p.text[:0], Depth: uint16(min(q.size+q.swallow, 1<<16-1))}
	if q.torn {
		p.Doubt = proto.Resync
		if q.size > 1 {
			p.Doubt |= proto.Ambiguous
		}
	}
	if q.swallow > 0 {
		p.Doubt |= proto.Ambiguous
	}
	return p
}

// room makes place for one more: a larger ring, or the oldest request has to go.
func (q *Queue) room() {
	if q.size < q.most {
		larger := make([]Pending, max(1, 2*len(q.ring)))
		for i := range q.size {
			larger[i] = q.ring[(q.head+i)&uint32(len(q.ring)-1)]
		}
		q.ring, q.head = larger, 0
		return
	}
	now := q.Now
	q.Now = proto.Exchange{Rows: -1}
	q.give(proto.Unanswered, proto.Ambiguous)
	q.Now = now
	q.swallow++
}

// Undo takes the last opened request back: it was none.
func (q *Queue) Undo() {
	if q.size > 0 {
		q.size--
	}
}

// Answered gives out the oldest request with the answer that was collected, or
// the answer alone if no request is known.
func (q *Queue) Answered() {
	q.turned = true
	switch {
	case q.swallow > 0:
		q.swallow--
		q.Forget()
	case q.size == 0:
		q.unasked = q.Now.Response.First.At
		q.clean = false
		q.emit(proto.Unpaired, 0)
	default:
		q.give(proto.Answered, 0)
	}
}

// Forget drops the answer under way: it was none, or nobody is to hear of it.
func (q *Queue) Forget() {
	e := &q.Now
	e.Response.Reset()
	e.Failed, e.Code, e.Error, e.Rows, e.Doubt = false, "", "", -1, 0
	e.Challenges, e.Challenge = 0, ""
}

// Unanswerable gives out the request opened last, which has no answer by
// protocol. It must not be called while Behind.
func (q *Queue) Unanswerable() {
	p := q.Tail()
	kept := q.Now
	q.Now = proto.Exchange{Rows: -1}
	q.fill(p)
	q.size--
	q.emit(proto.NoAnswer, p.Doubt)
	q.Now = kept
}

// Tear says that messages may have been lost: nothing that waits is certain.
func (q *Queue) Tear() {
	for i := range q.size {
		q.ring[(q.head+i)&uint32(len(q.ring)-1)].Doubt |= proto.Lossy | proto.Resync
	}
	q.torn, q.clean = true, false
}

// fresh is the moment when the client speaks after the server has.
func (q *Queue) fresh() {
	if q.size == 0 && q.clean {
		q.torn, q.unasked = false, 0
		return
	}
	q.Flush(proto.Lossy)
	q.swallow, q.clean = 0, true
}

// Flush gives out all requests that wait as unanswered.
func (q *Queue) Flush(doubt proto.Doubt) {
	if q.size == 0 {
		return
	}
	kept := q.Now
	for q.size > 0 {
		q.Now = proto.Exchange{Rows: -1}
		q.give(proto.Unanswered, doubt)
	}
	q.Now = kept
}

// End gives out what is left: the answer under way, if complete is set or a part
// of it was seen, and the requests that wait.
func (q *Queue) End(how flow.Ending, complete bool) {
	if !q.Now.Response.Empty() {
		if !complete {
			broken(&q.Now, how)
		}
		q.Answered()
	}
	doubt := proto.Doubt(0)
	if q.torn {
		doubt = proto.Lossy
	}
	q.Flush(doubt)
	q.ring = nil
}

// broken marks an answer that the end of the connection or of the capture cut
// short.
func broken(e *proto.Exchange, how flow.Ending) {
	if how == flow.Open || how == flow.Expired {
		e.Doubt |= proto.Lossy
		return
	}
	e.Failed = true
	if e.Error == "" {
		e.Error = proto.EndedWithin
	}
}

// give pops the oldest request and gives it out.
func (q *Queue) give(s proto.Status, doubt proto.Doubt) {
	p := &q.ring[q.head]
	q.fill(p)
	q.head = (q.head + 1) & uint32(len(q.ring)-1)
	q.size--
	q.emit(s, doubt|p.Doubt)
	if q.size == 0 && len(q.ring) > wide {
		q.shrink()
	}
}

func (q *Queue) fill(p *Pending) {
	e := &q.Now
	e.Request, e.Command, e.Depth = p.Request, p.Command, p.Depth
	e.Text, e.TextCut = p.text, p.TextCut
	if len(p.text) == 0 {
		e.Text = nil
	}
}

func (q *Queue) emit(s proto.Status, doubt proto.Doubt) {
	e := &q.Now
	e.Status = s
	e.Doubt |= doubt
	if s == proto.Unpaired {
		e.Request, e.Command, e.Text, e.TextCut, e.Depth = proto.Span{}, "", nil, false, 0
		if q.torn {
			e.Doubt |= proto.Resync
		}
	}
	q.sink.Exchange(e)
	q.Forget()
}

// shrink gives the memory of a deep queue back after it was shallow for long.
func (q *Queue) shrink() {
	if q.high > uint32(len(q.ring))/4 {
		q.high, q.quiet = 0, 0
		return
	}
	if q.quiet++; q.quiet >= rounds {
		q.ring, q.head, q.quiet = nil, 0, 0
	}
	q.high = 0
}

// Join makes what b spans part of a. In the stream b follows a.
func Join(a, b *proto.Span) {
	switch {
	case b.Empty():
		return
	case a.Empty():
		*a = *b
		return
	}
	a.Packets += b.Packets
	if b.First.Frame == a.Last.Frame {
		a.Packets--
	}
	a.End = b.End
	if b.First.At < a.First.At {
		a.First = b.First
	}
	if b.Last.At > a.Last.At || b.Last.At == a.Last.At && b.Last.Frame > a.Last.Frame {
		a.Last = b.Last
	}
}
