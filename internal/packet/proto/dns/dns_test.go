package dns

import (
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/prototest"
)

func word(q *Query) string {
	s := fmt.Sprintf("%s>%s %s %s %s %s rows=%d", q.Client, q.Server, q.Command, q.Text, q.Status, q.Code, q.Rows)
	if q.Failed {
		s += " failed"
	}
	if q.Status == proto.Answered {
		s += fmt.Sprintf(" rt=%v", time.Duration(q.Response.First.At-q.Request.Last.At))
	}
	if q.LastCopy.Frame != 0 {
		s += fmt.Sprintf(" copies=%d serve=%v", q.Request.Packets, time.Duration(q.Response.First.At-q.LastCopy.At))
	}
	if q.TextCut {
		s += " cut"
	}
	return s
}

// frames reads a little-endian Ethernet capture of microseconds.
func frames(tb testing.TB, file string, frame func(*decode.Frame)) {
	raw, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	le := binary.LittleEndian
	d := decode.New()
	number := uint64(0)
	for b := raw[24:]; len(b) >= 16; {
		number++
		n := int(le.Uint32(b[8:]))
		p := pcap.Packet{Time: int64(le.Uint32(b))*1e9 + int64(le.Uint32(b[4:]))*1000, Frame: number, Data: b[16 : 16+n], Wire: le.Uint32(b[12:]), Link: pcap.LinkEthernet}
		b = b[16+n:]
		var f decode.Frame
		if d.Decode(&p, &f) == decode.OK {
			frame(&f)
		}
	}
}

func TestTrackerOnRealTraffic(t *testing.T) {
	var got []string
	tr := NewTracker(func(q *Query) { got = append(got, word(q)) })
	frames(t, "testdata/dnsmasq.pcap", func(f *decode.Frame) { tr.Frame(f) })
	tr.Close()
	want := []string{
		"127.0.0.1:60455>127.0.0.1:53 A www.example.test answered NOERROR rows=1 rt=121µs",
		"127.0.0.1:59333>127.0.0.1:53 AAAA www.example.test answered NOERROR rows=1 rt=73µs",
		"127.0.0.1:33049>127.0.0.1:53 PTR 1.2.0.192.in-addr.arpa answered NOERROR rows=1 rt=51µs",
		"127.0.0.1:38651>127.0.0.1:53 A nope.example.test answered NXDOMAIN rows=0 rt=76µs",
		"127.0.0.1:45195>127.0.0.1:53 A elsewhere.org answered REFUSED rows=0 failed rt=54µs",
		"127.0.0.1:40378>127.0.0.1:53 MX example.test answered NOERROR rows=1 rt=46µs",
		"127.0.0.1:47607>127.0.0.1:53 TXT big.example.test answered TRUNCATED rows=0 rt=310µs",
		"127.0.0.1:53997>127.0.0.2:53 A slow.example.test answered SERVFAIL rows=0 failed rt=255.684ms copies=2 serve=49.814ms",
		"127.0.0.1:44839>127.0.0.2:53 A lost.example.test unanswered  rows=-1",
		"127.0.0.1:39246>127.0.0.2:53 A lost.example.test unanswered  rows=-1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if tr.Strange != 0 || len(tr.known) != 0 {
		t.Errorf("%d strange datagrams, %d queries left", tr.Strange, len(tr.known))
	}
}

func TestStreamOnRealTraffic(t *testing.T) {
	conns := prototest.Capture(t, "testdata/dnsmasq.pcap")
	var got []string
	for i, events := range conns {
		lines := prototest.Run(Protocol, events, false, flow.Finished)
		got = append(got, lines...)
		for size := 1; size < 70; size++ {
			if diff := cmp.Diff(lines, prototest.Run(Protocol, prototest.Recut(events, size), false, flow.Finished)); diff != "" {
				t.Fatalf("connection %d in pieces of %d: %s", i, size, diff)
			}
		}
		if m := Protocol.Sniff(events[0].Dir, events[0].Data); m != proto.Likely {
			t.Errorf("connection %d does not look like DNS", i)
		}
	}
	for i := range got {
		fields := strings.Fields(got[i]) // without times and frames
		got[i] = fields[0] + " " + fields[1] + " " + fields[5] + " " + fields[9] + " " + strings.Join(fields[10:], " ")
	}
	want := []string{
		`TXT "big.example.test" 0+59] 0+1466] answered NOERROR rows=1`,
		`TXT "big.example.test" 0+59] 0+1466] answered NOERROR rows=1`,
		`A "www.example.test" 0+59] 0+63] answered NOERROR rows=1`,
		`AAAA "www.example.test" 59+59] 63+75] answered NOERROR rows=1`,
		`TXT "nope.example.test" 118+60] 138+48] answered NXDOMAIN rows=0`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// msg makes a message that asks for, or answers, a name.
func msg(id, flags, kind uint16, answers uint16, name string) string {
	b := binary.BigEndian.AppendUint16(nil, id)
	for _, v := range []uint16{flags, 1, answers, 0, 0} {
		b = binary.BigEndian.AppendUint16(b, v)
	}
	for _, label := range strings.Split(name, ".") {
		b = append(append(b, byte(len(label))), label...)
	}
	b = append(b, 0)
	return string(binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(b, kind), 1))
}

func framed(m string) string {
	return string(binary.BigEndian.AppendUint16(nil, uint16(len(m)))) + m
}

func TestStream(t *testing.T) {
	ask := func(id, kind uint16, name string) string { return framed(msg(id, 0x0100, kind, 0, name)) }
	answer := func(id, kind uint16, name string) string { return framed(msg(id, 0x8180, kind, 1, name)) }
	client, server := prototest.Client, prototest.Server
	tests := []struct {
		name   string
		steps  []prototest.Step
		midway bool
		want   []string
	}{
		{"pipelined, answered out of order", []prototest.Step{
			client(0, ask(1, 1, "a.b")+ask(2, 28, "a.b")), server(5, answer(2, 28, "a.b")), server(9, answer(1, 1, "a.b")), client(10, ask(3, 1, "c")),
		}, false, []string{
			`AAAA "a.b" q[0-0 #1-1 1p 23+23] r[5-5 #2-2 1p 0+23] answered NOERROR rows=1 depth=2`,
			`A "a.b" q[0-0 #1-1 1p 0+23] r[9-9 #3-3 1p 23+23] answered NOERROR rows=1`,
			`A "c" q[10-10 #4-4 1p 46+21] r[] unanswered`,
		}},
		{"a zone transfer in several messages", []prototest.Step{
			client(0, ask(1, axfr, "z")), server(5, answer(1, axfr, "z")), server(7, answer(1, axfr, "z")), client(9, ask(2, 6, "z")), server(10, answer(2, 6, "z")),
		}, false, []string{
			`AXFR "z" q[0-0 #1-1 1p 0+21] r[5-7 #2-3 2p 0+42] answered NOERROR rows=2`,
			`SOA "z" q[9-9 #4-4 1p 21+21] r[10-10 #5-5 1p 42+21] answered NOERROR rows=1`,
		}},
		{"begun in the middle", []prototest.Step{
			server(0, "rest of an answer"), client(1, ask(1, 1, "a")), server(2, answer(1, 1, "a")),
		}, true, []string{
			`A "a" q[1-1 #2-2 1p 0+21] r[2-2 #3-3 1p 17+21] answered NOERROR rows=1 resync`,
		}},
		{"an answer cut by the snap length", []prototest.Step{
			client(0, ask(1, 1, "a")), server(2, answer(1, 1, "a")[:16]).Cutting(5), client(3, ask(2, 1, "b")), server(4, answer(2, 1, "b")),
		}, false, []string{
			`A "a" q[0-0 #1-1 1p 0+21] r[2-2 #2-2 1p 0+21] answered NOERROR rows=1`,
			`A "b" q[3-3 #3-3 1p 21+21] r[4-4 #4-4 1p 21+21] answered NOERROR rows=1`,
		}},
		{"a hole over several messages", []prototest.Step{
			client(0, ask(1, 1, "a")), client(1, ask(2, 1, "b")), server(2, answer(2, 1, "b")).After(21), server(3, answer(9, 1, "x")),
		}, false, []string{
			`A "b" q[1-1 #2-2 1p 21+21] r[2-2 #3-3 1p 21+21] answered NOERROR rows=1 depth=2 lossy resync`,
			`A "x" q[] r[3-3 #4-4 1p 42+21] unpaired NOERROR rows=1`,
			`A "a" q[0-0 #1-1 1p 0+21] r[] unanswered lossy`,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := prototest.Run(Protocol, prototest.Events(tt.steps), tt.midway, flow.Finished)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func udp(at time.Duration, frame uint64, toServer bool, client uint16, payload string) *decode.Frame {
	f := &decode.Frame{Stamp: flow.Stamp{At: int64(at), Frame: frame}, Proto: decode.UDP, Payload: []byte(payload), Size: len(payload)}
	f.Src.Port, f.Dst.Port = client, port
	if !toServer {
		f.Src.Port, f.Dst.Port = port, client
	}
	return f
}

func TestTracker(t *testing.T) {
	var got []string
	tr := NewTracker(func(q *Query) { got = append(got, word(q)) })
	s := time.Second
	ask, answer := msg(7, 0x0100, 1, 0, "N.x"), msg(7, 0x8180, 1, 2, "n.X")
	tr.Frame(udp(0, 1, true, 1000, ask))
	tr.Frame(udp(5*s, 2, true, 1000, ask)) // as glibc repeats it
	tr.Frame(udp(6*s, 3, false, 1000, answer))
	tr.Frame(udp(6*s+1, 4, false, 1000, answer)) // to the second copy
	tr.Frame(udp(8*s, 5, true, 1000, ask))       // the same ports and identifier again
	tr.Frame(udp(8*s+9, 6, false, 1000, answer))
	tr.Frame(udp(10*s, 7, true, 1000, msg(7, 0x0100, 28, 0, "n.x"))) // another question
	tr.Frame(udp(10*s, 8, true, 1000, ask))                          // before that was answered
	tr.Frame(udp(11*s, 9, false, 1000, answer))
	tr.Frame(udp(11*s, 10, false, 1001, answer))               // to nobody
	tr.Frame(udp(12*s, 11, true, 1002, ask[:15]))              // not all captured
	tr.Frame(udp(12*s, 12, true, 1003, "no DNS at all, this")) // strange
	cut := udp(13*s, 13, true, 1004, ask[:15])
	cut.Size = len(ask)
	tr.Frame(cut)
	tr.Frame(udp(13*s+4, 14, false, 1004, answer))
	multi := udp(13*s, 15, true, 5353, ask)
	tr.Frame(udp(13*s, 16, true, 1005, ask))
	tr.Expire(int64(43 * s))
	tr.Expire(int64(44 * s))
	want := []string{
		"[::]:1000>[::]:53 A n.x answered NOERROR rows=2 rt=6s copies=2 serve=1s",
		"[::]:1000>[::]:53 A n.x answered NOERROR rows=2 rt=9ns",
		"[::]:1000>[::]:53 AAAA n.x unanswered  rows=-1",
		"[::]:1000>[::]:53 A n.x answered NOERROR rows=2 rt=1s",
		"[::]:1001>[::]:53 A n.x unpaired NOERROR rows=2",
		"[::]:1004>[::]:53 TYPE0 n answered NOERROR rows=2 rt=4ns cut",
		"[::]:1005>[::]:53 A n.x unanswered  rows=-1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if tr.Strange != 2 || tr.Frame(multi) {
		t.Errorf("%d strange datagrams", tr.Strange)
	}
}

// DNS is known by its content on any port, and other protocols are not taken for it.
func TestTrackerOnOtherPorts(t *testing.T) {
	ask, answer := msg(7, 0x0100, 1, 0, "n.x"), msg(7, 0x8180, 1, 2, "n.x")
	for _, tt := range []struct {
		name    string
		port    uint16
		to      [4]byte
		packets []string // those that begin with < are the server's
		named   map[uint16]bool
		want    int
	}{
		{"a query and its answer", 8600, [4]byte{10, 0, 0, 1}, []string{">" + ask, "<" + answer}, nil, 1},
		{"a query that nobody answers", 8600, [4]byte{10, 0, 0, 1}, []string{">" + ask}, nil, 1},
		{"an answer that nobody asked for", 8600, [4]byte{10, 0, 0, 1}, []string{"<" + answer}, nil, 0},
		{"a query that is cut", 8600, [4]byte{10, 0, 0, 1}, []string{">" + ask[:20]}, nil, 0},
		{"an unknown type", 8600, [4]byte{10, 0, 0, 1}, []string{">" + msg(7, 0x0100, 4711, 0, "n.x")}, nil, 0},
		{"flags of no query", 8600, [4]byte{10, 0, 0, 1}, []string{">" + msg(7, 0x0571, 1, 0, "n.x")}, nil, 0},
		{"LLMNR", 5355, [4]byte{224, 0, 0, 252}, []string{">" + ask}, nil, 0},
		{"the status of a NetBIOS name", 137, [4]byte{10, 0, 0, 1}, []string{">" + msg(7, 0, 33, 0, "ckaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")}, nil, 0},
		{"the same question on a port of which nothing is known", 8600, [4]byte{10, 0, 0, 1}, []string{">" + msg(7, 0, 33, 0, "ckaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")}, nil, 1},
		{"to a group", 8600, [4]byte{224, 0, 0, 1}, []string{">" + ask}, nil, 0},
		{"QUIC", 443, [4]byte{10, 0, 0, 1}, []string{">\xc0\x00\x00\x00\x01\x08abcdefgh\x00\x00"}, nil, 0},
		{"a port that is something else", 8600, [4]byte{10, 0, 0, 1}, []string{">" + ask, "<" + answer}, map[uint16]bool{8600: false}, 0},
		{"a port that is named, and odd types", 8600, [4]byte{10, 0, 0, 1}, []string{">" + msg(7, 0x0100, 4711, 0, "n.x")}, map[uint16]bool{8600: true}, 1},
		{"port 53, which is something else", port, [4]byte{10, 0, 0, 1}, []string{">" + ask, "<" + answer}, map[uint16]bool{port: false}, 0},
	} {
		given := 0
		tr := NewTracker(func(q *Query) { given++ })
		for p, speaks := range tt.named {
			tr.Listen(p, speaks)
		}
		for i, b := range tt.packets {
			f := udp(time.Duration(i), uint64(i+1), true, 1000, b[1:])
			f.Dst = flow.Endpoint{Addr: flow.V4(tt.to), Port: tt.port}
			if b[0] == '<' {
				f.Src, f.Dst = f.Dst, f.Src
			}
			tr.Frame(f)
		}
		if tr.Close(); given != tt.want {
			t.Errorf("%s: %d queries, want %d", tt.name, given, tt.want)
		}
	}
}

// Where the directions are in networks of their own, an answer still finds its query.
func TestTrackerAcrossNetworks(t *testing.T) {
	var got []string
	tr := NewTracker(func(q *Query) { got = append(got, word(q)) })
	in := func(space flow.Space, f *decode.Frame) *decode.Frame { f.Space = space; return f }
	ask, answer := msg(7, 0x0100, 1, 0, "n.x"), msg(7, 0x8180, 1, 2, "n.x")
	tr.Frame(in(1, udp(0, 1, true, 1000, ask)))
	tr.Frame(in(2, udp(1, 2, false, 1000, answer)))
	tr.Frame(in(1, udp(2, 3, true, 1001, ask))) // networks with equal addresses
	tr.Frame(in(3, udp(3, 4, true, 1001, ask)))
	tr.Frame(in(3, udp(7, 5, false, 1001, answer)))
	tr.Close()
	want := []string{
		"[::]:1000>[::]:53 A n.x answered NOERROR rows=2 rt=1ns",
		"[::]:1001>[::]:53 A n.x answered NOERROR rows=2 rt=4ns",
		"[::]:1001>[::]:53 A n.x unanswered  rows=-1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTrackerIsBounded(t *testing.T) {
	given := 0
	tr := NewTracker(func(q *Query) { given++ })
	for i := range 3 * maxQueries {
		tr.Frame(udp(time.Duration(i), uint64(i+1), true, uint16(i%4096), msg(uint16(i>>12), 0x0100, 1, 0, "a.b")))
	}
	if len(tr.slots) > maxQueries || len(tr.known) > maxQueries || given != 2*maxQueries {
		t.Errorf("%d slots, %d known, %d given", len(tr.slots), len(tr.known), given)
	}
	tr.Close()
	if given != 3*maxQueries {
		t.Errorf("%d given", given)
	}
}

func TestNames(t *testing.T) {
	pad := strings.Repeat("\x00", header)
	tests := []struct {
		wire, want string
		after      int
		ok         bool
	}{
		{"\x00", ".", 1, true},
		{"\x03WwW\x01a\x00", "www.a", 7, true},
		{"\x03a.b\x02\x00\xff\x00", `a\.b.\000\255`, 8, true},
		{"\x01a\xc0\x0c", "a", 4, false},             // to itself
		{"\xc0\xff", "", 2, false},                   // forward
		{"\x40a", "", 0, false},                      // no label type in use
		{"\x05ab", "", 0, false},                     // cut
		{strings.Repeat("\x01a", 130), "", 0, false}, // too long
	}
	for _, tt := range tests {
		name, after, ok := readName([]byte(pad+tt.wire), header, nil)
		if ok != tt.ok || ok && (string(name) != tt.want || after != header+tt.after) {
			t.Errorf("%q: %q, %d, %v", tt.wire, name, after-header, ok)
		}
	}
	// A pointer back to an earlier name is followed.
	b := []byte(pad + "\x03com\x00\x01x\xc0\x0c")
	if name, after, ok := readName(b, header+5, nil); string(name) != "x.com" || after != header+9 || !ok {
		t.Errorf("%q, %d, %v", name, after, ok)
	}
}

func FuzzStream(f *testing.F) {
	f.Add(prototest.Tape(prototest.Client(0, framed(msg(257, 0x0101, 1, 257, "a.b"))), prototest.Server(1, "x"), prototest.Server(2, "y").After(9)), true)
	f.Add(prototest.Tape(prototest.Client(0, framed(msg(7, 0x0100, axfr, 0, "a.b"))), prototest.Server(1, framed(msg(7, 0x8180, axfr, 9, "a.b")))), false)
	f.Fuzz(func(t *testing.T, data []byte, midway bool) {
		prototest.Torture(t, Protocol, data, midway)
		// Cuts do not matter in step.
		whole := []prototest.Event{{Chunk: flow.Chunk{Stamp: flow.Stamp{At: 1, Frame: 1}, Data: data}}}
		want := prototest.Run(Protocol, whole, false, flow.Open)
		lost := false
		p := newStream(&prototest.Recorder{}, false).(*stream)
		p.Data(&whole[0].Chunk)
		lost = p.sides[0].lost
		if got := prototest.Run(Protocol, prototest.Recut(whole, 3), false, flow.Open); !lost && !cmp.Equal(want, got) {
			t.Error(cmp.Diff(want, got))
		}
	})
}

func FuzzTracker(f *testing.F) {
	f.Add([]byte(msg(7, 0x0100, 1, 0, "a.b")), []byte(msg(7, 0x8180, 1, 1, "a.b")), uint16(0))
	f.Fuzz(func(t *testing.T, ask, answer []byte, cut uint16) {
		tr := NewTracker(func(q *Query) {
			if len(q.Text) > maxText+maxName || q.Response.First.At != 0 && q.Response.First.At < q.Request.First.At {
				t.Error(word(q))
			}
		})
		for i, b := range [][]byte{ask, ask, answer, answer, ask} {
			fr := udp(time.Duration(i+1)*time.Second, uint64(i+1), i != 2 && i != 3, 999, string(b))
			fr.Size += int(cut)
			tr.Frame(fr)
		}
		tr.Close()
		if len(tr.known) != 0 {
			t.Errorf("%d left", len(tr.known))
		}
	})
}

func BenchmarkTracker(b *testing.B) {
	n := 0
	tr := NewTracker(func(q *Query) { n++ })
	ask, answer := []byte(msg(0, 0x0100, 28, 0, "www.example.com")), []byte(msg(0, 0x8180, 28, 1, "www.example.com"))
	q, r := udp(0, 1, true, 0, string(ask)), udp(0, 1, false, 0, string(answer))
	b.ReportAllocs()
	for b.Loop() {
		q.At += 20000
		q.Frame += 2
		q.Src.Port++
		q.Payload[0]++
		tr.Frame(q)
		r.At, r.Frame, r.Dst.Port = q.At+5000, q.Frame+1, q.Src.Port
		r.Payload[0]++
		tr.Frame(r)
	}
	// Two of 65536 client ports are not those of clients: 53 and 5353.
	if n < b.N-2-b.N/20000 {
		b.Fatalf("%d of %d", n, b.N)
	}
}
