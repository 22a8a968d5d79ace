package rt

import (
	"slices"
	"testing"
	"time"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/tcp"
)

// late is a decoder that knows where an answer ends when the client goes on.
type late struct {
	sink proto.Sink
	now  proto.Exchange
	does proto.Progress
}

func (l *late) Data(c *flow.Chunk) {
	if c.Dir == flow.ToClient {
		l.now.Response.Add(c, 0, len(c.Data))
		return
	}
	l.End(c.Stamp, flow.Open)
	l.now.Request.Add(c, 0, len(c.Data))
}

func (l *late) Gap(flow.Dir, int64, flow.Stamp) {}

func (l *late) End(flow.Stamp, flow.Ending) {
	if !l.now.Response.Empty() {
		l.sink.Exchange(&l.now)
		l.now = proto.Exchange{}
	}
}

func (l *late) Progress() proto.Progress { return l.does }

type heard struct{ all []Transaction }

func (h *heard) Transaction(t *Transaction)        { h.all = append(h.all, *t) }
func (*heard) Handshake(*Connection)               {}
func (*heard) Resent(*Connection, flow.Dir, int64) {}
func (*heard) Refilled(*Connection, int64)         {}

// conversation feeds an answer that is acknowledged before the decoder knows its
// end, up to an offset, and closes the connection.
func conversation(does proto.Progress, acked uint64) ([]Transaction, State) {
	var h heard
	tracker := &Tracker{Sink: &h, Protocols: []proto.Protocol{{Name: "mysql", New: func(s proto.Sink, _ bool) proto.Parser { return &late{sink: s, does: does} }}}}
	conn := &tcp.Conn{ID: 1}
	a := tracker.Consume(conn)
	at := func(ms int64) flow.Stamp { return flow.Stamp{At: ms * int64(time.Millisecond), Frame: uint64(ms)} }
	a.Data(&flow.Chunk{Stamp: at(1), Dir: flow.ToServer, Data: []byte("ask")})
	a.Data(&flow.Chunk{Stamp: at(5), Dir: flow.ToClient, Data: []byte("answer")})
	a.Acked(flow.ToClient, acked, at(7))
	a.Data(&flow.Chunk{Stamp: at(60), Dir: flow.ToServer, Offset: 3, Data: []byte("bye")})
	a.Acked(flow.ToClient, acked+1, at(90))
	conn.Closer, conn.Closing = tcp.Close{Stamp: at(91)}, true
	a.End(at(99), flow.Finished)
	return h.all, a.(*Assembler).conn.CloseState
}

func TestAcknowledgedBeforeItsEndIsKnown(t *testing.T) {
	const ms = time.Millisecond
	for _, tt := range []struct {
		acked uint64
		want  time.Duration
	}{{6, 2 * ms}, {7, -1}, {5, 85 * ms}} {
		got, _ := conversation(proto.Unclear, tt.acked)
		if len(got) != 1 || got[0].Ack != tt.want || got[0].RT != 4*ms {
			t.Errorf("acknowledged up to %d: %+v, want one transaction with Ack %v", tt.acked, got, tt.want)
		}
	}
}

// The decoder knows what a connection was doing when it was closed; what came in
// last does not tell.
func TestClosedWhile(t *testing.T) {
	for does, want := range map[proto.Progress]State{
		proto.Unclear: Unknown, proto.Idle: Idle, proto.Waiting: Waiting, proto.Answering: Response,
	} {
		if _, got := conversation(does, 6); got != want {
			t.Errorf("the decoder says %d: closed while %q, want %q", does, got, want)
		}
	}
}

// Where only one direction was captured, nobody knows whether the answer had come.
func TestClosedInACaptureOfOneDirection(t *testing.T) {
	for name, tt := range map[string]struct {
		sides [2]tcp.Side
		want  State
	}{
		"requests only":                        {[2]tcp.Side{{Packets: 3, Segments: 1}, {}}, Unknown},
		"answers only":                         {[2]tcp.Side{{}, {Packets: 3, Segments: 1}}, Unknown},
		"the server acknowledged, and no more": {[2]tcp.Side{{Packets: 3, Segments: 1}, {Packets: 1}}, Waiting},
	} {
		var h heard
		tracker := &Tracker{Sink: &h, Protocols: []proto.Protocol{{Name: "mysql", New: func(s proto.Sink, _ bool) proto.Parser { return &late{sink: s, does: proto.Waiting} }}}}
		conn := &tcp.Conn{ID: 1, Sides: tt.sides}
		a := tracker.Consume(conn)
		a.Data(&flow.Chunk{Stamp: flow.Stamp{At: 1, Frame: 1}, Dir: flow.ToServer, Data: []byte("ask")})
		conn.Closer, conn.Closing = tcp.Close{Stamp: flow.Stamp{At: 2, Frame: 2}}, true
		a.End(flow.Stamp{At: 3, Frame: 3}, flow.Finished)
		if got := a.(*Assembler).conn.CloseState; got != tt.want {
			t.Errorf("%s: closed while %q, want %q", name, got, tt.want)
		}
	}
}

// In the middle of a connection, the first bytes may be those of an answer.
func TestProtocolKnownFromTheClient(t *testing.T) {
	var h heard
	tracker := &Tracker{Sink: &h, Protocols: []proto.Protocol{
		{Name: "redis", New: func(s proto.Sink, _ bool) proto.Parser { return &late{sink: s} }, Sniff: func(d flow.Dir, data []byte) proto.Match {
			if d == flow.ToServer && data[0] == '*' {
				return proto.Sure
			}
			return proto.Maybe
		}},
		{Name: "generic", New: func(s proto.Sink, _ bool) proto.Parser { return &late{sink: s} }},
	}}
	for _, tt := range []struct {
		midway bool
		says   string
		want   string
	}{{true, "*1", "redis"}, {true, "x", "generic"}, {false, "*1", "redis"}, {false, "x", "generic"}} {
		conn := &tcp.Conn{ID: 1, Midway: tt.midway}
		a := tracker.Consume(conn)
		a.Data(&flow.Chunk{Dir: flow.ToClient, Data: []byte("+OK")})
		a.Data(&flow.Chunk{Dir: flow.ToServer, Data: []byte(tt.says)})
		if got := a.(*Assembler).conn.Protocol; got != tt.want {
			t.Errorf("begun before the capture %v, client says %q: taken for %s, want %s", tt.midway, tt.says, got, tt.want)
		}
		a.End(flow.Stamp{}, flow.Open)
	}
}

// Three requests at once, a pause of 30 ms, three more: the client paused before
// the first of each three only, whatever was under way when.
func TestSentAhead(t *testing.T) {
	var h heard
	tracker := &Tracker{Sink: &h}
	a := tracker.Consume(&tcp.Conn{ID: 1}).(*Assembler)
	at := func(ms, frame int64) flow.Stamp {
		return flow.Stamp{At: ms * int64(time.Millisecond), Frame: uint64(frame)}
	}
	exchange := func(asked, answered flow.Stamp) {
		a.Exchange(&proto.Exchange{Status: proto.Answered,
			Request:  proto.Span{First: asked, Last: asked, Packets: 1, End: 1},
			Response: proto.Span{First: answered, Last: answered, Packets: 1, End: 1}})
	}
	exchange(at(10, 1), at(20, 4))
	exchange(at(10, 2), at(20, 5)) // of one time and after it in the file: still ahead
	exchange(at(20, 3), at(21, 6))
	exchange(at(51, 7), at(60, 10))
	exchange(at(51, 8), at(61, 11))
	exchange(at(61, 12), at(70, 13)) // at once, and not ahead
	a.End(at(80, 14), flow.Finished)
	type pause struct {
		d  time.Duration
		ok bool
	}
	want := []pause{{-1, false}, {0, false}, {0, false}, {30 * time.Millisecond, true}, {0, false}, {0, true}}
	var got []pause
	for i := range h.all {
		d, ok := h.all[i].Pause()
		got = append(got, pause{d, ok})
	}
	if !slices.Equal(got, want) {
		t.Errorf("pauses %v, want %v", got, want)
	}
}
