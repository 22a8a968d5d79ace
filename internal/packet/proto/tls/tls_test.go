package tls

import (
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/prototest"
)

type steps = []prototest.Step

var (
	client = prototest.Client
	server = prototest.Server
)

// record is a record with n bytes of nothing in it.
func record(kind byte, n int) string {
	b := binary.BigEndian.AppendUint16([]byte{kind, 3, 3}, uint16(n))
	return string(b) + strings.Repeat("\xfe", n)
}

func data(n int) string { return record(applicationData, n) }

// hello13 is a ServerHello that chooses TLS 1.3.
var hello13 = func() string {
	body := "\x03\x03" + strings.Repeat("r", 32) + "\x00" + "\x13\x01\x00" + "\x00\x06\x00\x2b\x00\x02\x03\x04"
	return "\x16\x03\x03\x00\x32" + "\x02\x00\x00" + string(rune(len(body))) + body
}()

// after13 is the handshake of TLS 1.3 with what follows it.
func after13(more ...prototest.Step) steps {
	return append(steps{client(0, record(handshake, 200)), server(1, hello13+record(changeCipherSpec, 1)+data(900)+data(53))}, more...)
}

func after12(more ...prototest.Step) steps {
	return append(steps{
		client(0, record(handshake, 200)), server(1, record(handshake, 80)+record(handshake, 900)),
		client(2, record(handshake, 70)+record(changeCipherSpec, 1)+record(handshake, 40)),
		server(3, record(changeCipherSpec, 1)+record(handshake, 40)),
	}, more...)
}

func TestExchanges(t *testing.T) {
	tests := []struct {
		name   string
		steps  steps
		midway bool
		uncut  bool
		how    flow.Ending
		want   []string
	}{
		{name: "1.2", how: flow.Finished, steps: after12(
			client(10, data(100)), client(11, data(50)), server(15, data(900)[:500]), server(16, data(900)[500:]+data(20)),
			client(20, data(30)), server(21, record(alert, 26)+data(30)), client(22, record(alert, 26)),
		), want: []string{
			`TLS "" q[10-11 #5-6 2p 331+160] r[15-16 #7-8 2p 1041+930] answered approximate`,
			`TLS "" q[20-20 #9-9 1p 491+35] r[21-21 #10-10 1p 2002+35] answered approximate`,
		}},
		{name: "1.3, tickets before the request", how: flow.Finished, steps: after13(
			client(2, record(changeCipherSpec, 1)+data(53)), server(3, data(250)+data(250)),
			client(10, data(100)), server(15, data(99)), client(16, data(19)),
		), want: []string{
			`TLS "" q[10-10 #5-5 1p 269+105] r[15-15 #6-6 1p 1534+104] answered approximate`,
		}},
		{name: "1.3, tickets after the request, client certificate", how: flow.Finished, steps: after13(
			client(2, data(800)+data(200)+data(69)+data(100)), server(3, data(250)), server(9, data(99)),
			client(10, data(100)), server(12, data(99)),
		), want: []string{
			`TLS "" q[2-2 #3-3 1p 1289+105] r[3-9 #4-5 2p 1024+359] answered approximate ambiguous`,
			`TLS "" q[10-10 #6-6 1p 1394+105] r[12-12 #7-7 1p 1383+104] answered approximate`,
		}},
		{name: "the client sends within the answer", how: flow.Finished, steps: after12(
			client(10, data(100)), server(15, data(900)[:500]), client(16, data(40)), server(17, data(900)[500:]),
		), want: []string{
			`TLS "" q[10-10 #5-5 1p 331+105] r[15-15 #6-6 1p 1041+500] answered approximate ambiguous`,
			`TLS "" q[16-16 #7-7 1p 436+45] r[17-17 #8-8 1p 1541+405] answered approximate ambiguous`,
		}},
		{name: "no answer", steps: after12(client(10, data(100))), want: []string{
			`TLS "" q[10-10 #5-5 1p 331+105] r[] unanswered approximate`,
		}},
		{name: "snap length within records", how: flow.Finished, steps: after12(
			client(10, data(100)[:30]).Cutting(75), server(15, data(900)[:30]).Cutting(875), client(20, data(9)), server(21, data(9)),
		), want: []string{
			`TLS "" q[10-10 #5-5 1p 331+105] r[15-15 #6-6 1p 1041+905] answered approximate`,
			`TLS "" q[20-20 #7-7 1p 436+14] r[21-21 #8-8 1p 1946+14] answered approximate`,
		}},
		{name: "gap over the end of a record", uncut: true, how: flow.Finished, steps: after12(
			client(10, data(100)), server(15, data(900)[:30]), server(16, "rest").After(2000),
			client(20, data(9)), server(21, data(9)), client(22, data(9)), server(23, data(9)),
		), want: []string{
			`TLS "" q[10-10 #5-5 1p 331+105] r[15-15 #6-6 1p 1041+30] answered approximate lossy`,
			`TLS "" q[20-20 #8-8 1p 436+14] r[21-21 #9-9 1p 3075+14] answered approximate resync`,
			`TLS "" q[22-22 #10-10 1p 450+14] r[23-23 #11-11 1p 3089+14] answered approximate`,
		}},
		{name: "midway", midway: true, uncut: true, how: flow.Finished, steps: steps{
			server(0, "\xfe\xfe\xfe\xfe\xfe"), client(1, data(100)), server(2, data(100)), client(3, data(100)), server(4, data(100)),
		}, want: []string{
			`TLS "" q[1-1 #2-2 1p 0+105] r[2-2 #3-3 1p 5+105] answered approximate resync`,
			`TLS "" q[3-3 #4-4 1p 105+105] r[4-4 #5-5 1p 110+105] answered approximate`,
		}},
		{name: "not TLS", steps: steps{client(0, "GET / HTTP/1.1\r\n\r\n"), server(1, "HTTP/1.1 200 OK\r\n\r\n")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			whole := prototest.Events(tt.steps)
			got := prototest.Run(Protocol, whole, tt.midway, tt.how)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Fatal(diff)
			}
			for n := 1; n < 40 && !tt.uncut; n++ {
				got := prototest.Run(Protocol, prototest.Recut(whole, n), tt.midway, tt.how)
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Fatalf("cut into pieces of %d: %s", n, diff)
				}
			}
		})
	}
}

func TestCaptures(t *testing.T) {
	for _, file := range []string{"testdata/tls12.pcap", "testdata/tls13.pcap"} {
		prototest.Golden(t, Protocol, file)
	}
}

func TestSniff(t *testing.T) {
	tests := []struct {
		data string
		want proto.Match
	}{
		{"\x16\x03\x01\x02\x00\x01", proto.Sure},
		{"\x17\x03\x03\x40\x11", proto.Sure},
		{"\x16\x03", proto.Maybe},
		{"\x8a\xf1\x00\x12\x90\x13\x14\x15", proto.Maybe},
		{"\x16\x03\x03\xff\xff", proto.Maybe},
		{"GET / HTTP/1.1\r\n", proto.No},
		{"SSH-2.0-x", proto.No},
	}
	for _, tt := range tests {
		if got := Protocol.Sniff(flow.ToServer, []byte(tt.data)); got != tt.want {
			t.Errorf("Sniff(%q) = %d, want %d", tt.data, got, tt.want)
		}
	}
}

// FuzzParser feeds arbitrary conversations, see prototest.Torture; and arbitrary
// hellos in front of a connection in step, where the cuts do not matter.
func FuzzParser(f *testing.F) {
	for _, file := range []string{"testdata/tls12.pcap", "testdata/tls13.pcap"} {
		if _, err := os.Stat(file); err == nil {
			var tape []prototest.Step
			for _, e := range prototest.Capture(f, file)[0] {
				tape = append(tape, prototest.Step{From: e.Dir, Data: string(e.Data)})
			}
			f.Add(prototest.Tape(tape...), byte(3), false)
		}
	}
	f.Add(prototest.Tape(client(0, hello13)), byte(1), true)
	f.Add(prototest.Tape(client(0, "\x17\x03\x03\x01\x01abc"), server(1, "\x17\x03\x03\x01\x01d").Cutting(5), client(2, "\x16\x03\x01\x01\x02").After(6)), byte(1), false)
	f.Fuzz(func(t *testing.T, b []byte, size byte, midway bool) {
		prototest.Torture(t, Protocol, b, midway)
		b = b[:min(len(b), 1<<14)]
		hello := string(binary.BigEndian.AppendUint16([]byte{handshake, 3, 1}, uint16(len(b)+1))) + string(b) + "x"
		whole := prototest.Events(steps{client(0, hello), server(1, hello), client(2, data(53)+data(7)), server(3, data(9)), client(4, data(len(b)+1)), server(5, data(8))})
		want := prototest.Run(Protocol, whole, false, flow.Finished)
		got := prototest.Run(Protocol, prototest.Recut(whole, int(size)+1), false, flow.Finished)
		if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
			t.Fatalf("%d exchanges; %s", len(want), diff)
		}
	})
}

func BenchmarkExchange(b *testing.B) {
	q, r := flow.Chunk{Data: []byte(data(120))}, flow.Chunk{Data: []byte(data(1200)), Dir: flow.ToClient}
	var n counter
	p := Protocol.New(&n, true)
	b.ReportAllocs()
	for b.Loop() {
		q.At++
		q.Frame++
		p.Data(&q)
		q.Offset += uint64(len(q.Data))
		r.At, r.Frame = q.At, q.Frame
		p.Data(&r)
		r.Offset += uint64(len(r.Data))
	}
	if int(n) < b.N-1 {
		b.Fatalf("%d exchanges of %d", n, b.N)
	}
}

type counter int

func (n *counter) Exchange(e *proto.Exchange) {
	if e.Status == proto.Answered {
		*n++
	}
}
