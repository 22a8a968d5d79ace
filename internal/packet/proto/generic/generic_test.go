package generic

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/prototest"
)

var (
	client = prototest.Client
	server = prototest.Server
)

type steps = []prototest.Step

func TestExchanges(t *testing.T) {
	segment := strings.Repeat("x", 1448)
	tests := []struct {
		name   string
		steps  steps
		how    flow.Ending
		midway bool
		want   []string
	}{
		{name: "strict request and response", steps: steps{
			client(10, "a"), server(15, "A"), client(16, "bb"), server(36, "BB"), server(38, "BB"), client(40, "c"), server(41, "C"),
		}, want: []string{
			` "" q[10-10 #1-1 1p 0+1] r[15-15 #2-2 1p 0+1] answered approximate`,
			` "" q[16-16 #3-3 1p 1+2] r[36-38 #4-5 2p 1+4] answered approximate`,
			` "" q[40-40 #6-6 1p 3+1] r[41-41 #7-7 1p 5+1] answered approximate`,
		}},
		{name: "the server speaks first", steps: steps{
			server(0, "220 hello"), client(5, "EHLO"), server(6, "250"),
		}, want: []string{
			` "" q[5-5 #2-2 1p 0+4] r[6-6 #3-3 1p 9+3] answered approximate`,
		}},
		{name: "begun in the middle of an answer", midway: true, steps: steps{
			server(0, "tail"), client(5, "next"), server(6, "answer"),
		}, want: []string{
			` "" q[5-5 #2-2 1p 0+4] r[6-6 #3-3 1p 4+6] answered approximate`,
		}},
		{name: "only the server sends", steps: steps{
			server(0, segment), server(1, segment), server(5000, segment),
		}},
		{name: "only the client sends, in bulk", steps: steps{
			client(0, strings.Repeat(segment, 30)), client(1, strings.Repeat(segment, 30)), client(5000, segment),
		}},
		{name: "a request that nobody answered", how: flow.Reset, steps: steps{
			client(0, "hello?"),
		}, want: []string{
			` "" q[0-0 #1-1 1p 0+6] r[] unanswered approximate`,
		}},
		{name: "an upload in full segments", steps: steps{
			client(0, "PUT"), client(1, segment), client(60, segment).Unpushed(), client(100, segment[:99]), server(101, "ok"),
		}, want: []string{
			` "" q[0-100 #1-4 4p 0+2998] r[101-101 #5-5 1p 0+2] answered approximate`,
		}},
		{name: "header and body in two writes, at once", steps: steps{
			client(0, "head"), client(1, "body"), server(51, "ok"),
		}, want: []string{
			` "" q[0-1 #1-2 2p 0+8] r[51-51 #3-3 1p 0+2] answered approximate`,
		}},
		{name: "two small writes and a quick answer: one request or two", steps: steps{
			client(300, "one"), client(301, "two"), server(310, "1"), server(350, "2"), client(700, "three"), server(720, "3"),
		}, want: []string{
			` "" q[300-301 #1-2 2p 0+6] r[310-350 #3-4 2p 0+2] answered depth=2 approximate ambiguous`,
			` "" q[700-700 #5-5 1p 6+5] r[720-720 #6-6 1p 2+1] answered approximate`,
		}},
		{name: "one write of two small segments", steps: steps{
			client(0, "head").Unpushed(), client(40, "body"), server(41, "ok"),
		}, want: []string{
			` "" q[0-40 #1-2 2p 0+8] r[41-41 #3-3 1p 0+2] answered approximate`,
		}},
		{name: "the client goes on after a pause", steps: steps{
			client(0, segment), client(3000, segment), server(3001, "ok"),
		}, want: []string{
			` "" q[0-3000 #1-2 2p 0+2896] r[3001-3001 #3-3 1p 0+2] answered approximate ambiguous`,
		}},
		{name: "the server goes on after a pause", steps: steps{
			client(0, "subscribe"), server(1, "ok"), server(900, "rest"), server(4000, "event"), server(8000, "event"), client(8500, "bye"), server(8501, "bye"),
		}, want: []string{
			` "" q[0-0 #1-1 1p 0+9] r[1-900 #2-3 2p 0+6] answered approximate`,
			` "" q[8500-8500 #6-6 1p 9+3] r[8501-8501 #7-7 1p 16+3] answered approximate`,
		}},
		{name: "a write of the server that a closed window held up is one answer", steps: steps{
			client(0, "get"), server(1, segment).Unpushed(), server(4000, "end"), client(5000, "get"), server(5001, segment),
		}, want: []string{
			` "" q[0-0 #1-1 1p 0+3] r[1-4000 #2-3 2p 0+1451] answered approximate`,
			` "" q[5000-5000 #4-4 1p 3+3] r[5001-5001 #5-5 1p 1451+1448] answered approximate`,
		}},
		{name: "sent into a write of the server: off by one until the client is silent", steps: steps{
			client(0, "a"), server(10, "A"), client(11, "b"), server(20, segment).Unpushed(), client(21, "c"), server(22, "end"),
			client(23, "d"), server(30, "C"), client(60, "e"), server(61, "E"),
		}, want: []string{
			` "" q[0-0 #1-1 1p 0+1] r[10-10 #2-2 1p 0+1] answered approximate`,
			` "" q[11-11 #3-3 1p 1+1] r[20-20 #4-4 1p 1+1448] answered approximate ambiguous`,
			` "" q[21-21 #5-5 1p 2+1] r[22-22 #6-6 1p 1449+3] answered depth=2 approximate ambiguous`,
			` "" q[23-23 #7-7 1p 3+1] r[30-30 #8-8 1p 1452+1] answered depth=2 approximate ambiguous`,
			` "" q[60-60 #9-9 1p 4+1] r[61-61 #10-10 1p 1453+1] answered approximate`,
		}},
		{name: "a stack without PSH", steps: steps{
			client(0, "a").Unpushed(), server(1, "A").Unpushed(), client(2, "b").Unpushed(), server(3, "B").Unpushed(),
		}, want: []string{
			` "" q[0-0 #1-1 1p 0+1] r[1-1 #2-2 1p 0+1] answered approximate`,
			` "" q[2-2 #3-3 1p 1+1] r[3-3 #4-4 1p 1+1] answered approximate`,
		}},
		{name: "cut by the snap length", steps: steps{
			client(0, "a").Cutting(100), server(1, "").Cutting(200), client(2, "b"), server(3, "B"),
		}, want: []string{
			` "" q[0-0 #1-1 1p 0+101] r[1-1 #2-2 1p 0+200] answered approximate`,
			` "" q[2-2 #3-3 1p 101+1] r[3-3 #4-4 1p 200+1] answered approximate`,
		}},
		{name: "a part of a request is missing", steps: steps{
			client(0, "a"), client(1, "b").After(5), server(2, "A"), client(3, "c"), server(4, "C"),
		}, want: []string{
			` "" q[0-1 #1-2 2p 0+7] r[2-2 #3-3 1p 0+1] answered approximate lossy`,
			` "" q[3-3 #4-4 1p 7+1] r[4-4 #5-5 1p 1+1] answered approximate`,
		}},
		{name: "the first packet of an answer is missing", steps: steps{
			client(0, "a"), server(2, "A").After(5), client(3, "c"), server(4, "C"),
		}, want: []string{
			` "" q[0-0 #1-1 1p 0+1] r[2-2 #2-2 1p 5+1] answered approximate lossy`,
			` "" q[3-3 #3-3 1p 1+1] r[4-4 #4-4 1p 6+1] answered approximate`,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			events := prototest.Events(tt.steps)
			got := prototest.Run(Protocol, events, tt.midway, tt.how)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A hole may hide whole messages: what is left must not be paired as if it were
// everything.
func TestGaps(t *testing.T) {
	at := func(ms int64, frame uint64) flow.Stamp { return flow.Stamp{At: ms * 1e6, Frame: frame} }
	chunk := func(d flow.Dir, ms int64, frame, offset uint64, s string) *flow.Chunk {
		return &flow.Chunk{Stamp: at(ms, frame), Dir: d, Offset: offset, Data: []byte(s), Pushed: true}
	}
	var r prototest.Recorder
	p := New(&r, false)
	p.Data(chunk(flow.ToServer, 0, 1, 0, "a"))
	p.Gap(flow.ToClient, 1, at(1, 2)) // the whole answer
	p.Data(chunk(flow.ToServer, 2, 2, 1, "b"))
	p.Data(chunk(flow.ToClient, 3, 3, 1, "B"))
	p.Gap(flow.ToServer, 1, at(4, 4)) // the whole request
	p.Data(chunk(flow.ToClient, 5, 4, 2, "C"))
	p.Data(chunk(flow.ToServer, 6, 5, 3, "d"))
	p.Data(chunk(flow.ToClient, 7, 6, 3, "D"))
	p.End(at(7, 6), flow.Finished)
	want := []string{
		` "" q[0-0 #1-1 1p 0+1] r[] unanswered approximate lossy`,
		` "" q[2-2 #2-2 1p 1+1] r[3-3 #3-3 1p 1+1] answered approximate`,
		` "" q[] r[5-5 #4-4 1p 2+1] unpaired approximate lossy`,
		` "" q[6-6 #5-5 1p 3+1] r[7-7 #6-6 1p 3+1] answered approximate`,
	}
	if diff := cmp.Diff(want, r.Lines); diff != "" {
		t.Error(diff)
	}
}

func FuzzParser(f *testing.F) {
	f.Add(prototest.Tape(client(0, "ask"), server(1, "answer"), client(2, "more").After(6), server(3, "x").Cutting(5), client(4, "y").Cutting(4), server(5, "z").After(9)), false)
	f.Add(prototest.Tape(server(0, "hello"), client(1, "a"), client(2, "b"), server(3, "c"), server(4, "d"), client(5, "e").After(6)), true)
	f.Fuzz(func(t *testing.T, data []byte, midway bool) {
		prototest.Torture(t, Protocol, data, midway)
	})
}

type counter int

func (n *counter) Exchange(e *proto.Exchange) { *n++ }

func BenchmarkExchange(b *testing.B) {
	var n counter
	p := New(&n, false)
	q := flow.Chunk{Data: make([]byte, 60), Pushed: true}
	r := flow.Chunk{Data: make([]byte, 400), Pushed: true, Dir: flow.ToClient}
	b.ReportAllocs()
	for b.Loop() {
		q.At, q.Frame = q.At+1, q.Frame+2
		p.Data(&q)
		r.At, r.Frame = q.At, q.Frame+1
		p.Data(&r)
	}
	if int(n) < b.N-1 {
		b.Fatalf("%d exchanges of %d", n, b.N)
	}
}
