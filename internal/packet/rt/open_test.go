package rt

import (
	"testing"
	"time"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/tcp"
)

// debtor is a decoder that knows whose turn it is.
type debtor struct {
	late
	owes bool
}

func (d *debtor) Owes() bool { return d.owes }

func (d *debtor) Debt() proto.Debt {
	return proto.Debt{Request: d.now.Request, Doubt: d.now.Doubt, Waiting: 1}
}

func (d *debtor) End(flow.Stamp, flow.Ending) {
	d.now.Status = proto.Unanswered
	d.sink.Exchange(&d.now)
}

// A request waits for the server when the capture ends if its connection is up
// and nobody else can go on.
func TestOpenAtTheEnd(t *testing.T) {
	second := func(n int64) int64 { return n * int64(time.Second) }
	for _, tt := range []struct {
		name  string
		owes  bool
		how   flow.Ending
		conn  func(*tcp.Conn)
		shut  bool
		doubt proto.Doubt
		want  int64
	}{
		{name: "waits", owes: true, want: second(1)},
		{name: "is owed nothing", owes: false},
		{name: "expired", owes: true, how: flow.Expired},
		{name: "reset", owes: true, how: flow.Reset},
		{name: "half closed", owes: true, conn: func(c *tcp.Conn) { c.Closing = true }},
		{name: "one direction only", owes: true, conn: func(c *tcp.Conn) { c.Sides[flow.ToClient].Packets = 0 }},
		{name: "the capture missed bytes", owes: true, conn: func(c *tcp.Conn) { c.Sides[flow.ToClient].Missed = 10 }},
		{name: "the client takes nothing", owes: true, shut: true},
		{name: "which request it is is not known", owes: true, doubt: proto.Ambiguous},
	} {
		var h heard
		tracker := &Tracker{Sink: &h, Protocols: []proto.Protocol{{Name: "http", New: func(s proto.Sink, _ bool) proto.Parser {
			return &debtor{late{sink: s, does: proto.Waiting, now: proto.Exchange{Doubt: tt.doubt}}, tt.owes}
		}}}}
		conn := &tcp.Conn{ID: 1}
		conn.Sides[flow.ToServer] = tcp.Side{Packets: 3, Segments: 1}
		conn.Sides[flow.ToClient] = tcp.Side{Packets: 2}
		a := tracker.Consume(conn)
		a.Data(&flow.Chunk{Stamp: flow.Stamp{At: second(1), Frame: 4}, Dir: flow.ToServer, Data: []byte("ask")})
		if tt.shut {
			a.Stalled(tcp.Stall{Cause: tcp.ZeroWindow, Dir: flow.ToClient, From: second(2), To: second(9)})
		}
		if tt.conn != nil {
			tt.conn(conn)
		}
		a.End(flow.Stamp{At: second(9), Frame: 9}, tt.how)
		if len(h.all) != 1 || h.all[0].Open != tt.want {
			t.Errorf("%s: %+v, want open since %d", tt.name, h.all, tt.want)
		}
	}
}
