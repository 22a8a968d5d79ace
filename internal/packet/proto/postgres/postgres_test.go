package postgres

import (
	"encoding/binary"
	"fmt"
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

func TestRealTraffic(t *testing.T) {
	prototest.Golden(t, Protocol, capture)
	for i, events := range prototest.Capture(t, capture) {
		if m := Protocol.Sniff(events[0].Dir, events[0].Data); m != proto.Sure {
			t.Errorf("connection %d: the first packet is not recognised", i)
		}
		lines := prototest.Run(Protocol, events, false, flow.Finished)
		for size := 1; size < 40; size++ {
			pieces := prototest.Run(Protocol, prototest.Recut(events, size), false, flow.Finished)
			if diff := cmp.Diff(lines, pieces); diff != "" {
				t.Fatalf("connection %d in pieces of %d: %s", i, size, diff)
			}
		}
	}
}

const capture = "testdata/postgres15.pcap"

// A capture that begins anywhere finds its way back, and pairs nothing wrongly.
func TestRealTrafficFromTheMiddle(t *testing.T) {
	for i, events := range prototest.Capture(t, capture) {
		whole := map[string]bool{}
		for _, l := range prototest.Run(Protocol, events, false, flow.Finished) {
			whole[frames(l)] = true
		}
		for from := 5; from < len(events); from++ {
			for _, l := range prototest.Run(Protocol, events[from:], true, flow.Finished) {
				if strings.Contains(l, " answered") && !strings.Contains(l, "resync") && !strings.Contains(l, "lossy") && !whole[frames(l)] {
					t.Errorf("connection %d from packet %d: %s", i, from, l)
				}
			}
		}
	}
}

// frames are the packets of an exchange.
func frames(line string) string {
	var f []string
	for _, w := range strings.Fields(line) {
		if strings.HasPrefix(w, "#") {
			f = append(f, w)
		}
	}
	return strings.Join(f, " ")
}

func m(kind byte, body string) string {
	return string(binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(body)+4))) + body
}

func untyped(code uint32, body string) string {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(body)+8))
	return string(binary.BigEndian.AppendUint32(b, code)) + body
}

var (
	startup = untyped(3<<16, "user\x00u\x00\x00")
	hello   = m('R', "\x00\x00\x00\x00") + m('S', "a\x00b\x00") + m('K', "12345678") + m('Z', "I")
	z       = m('Z', "I")
	sync    = m('S', "")
	flush   = m('H', "")
	execute = m('E', "\x00\x00\x00\x00\x00")
)

func query(s string) string { return m('Q', s+"\x00") }
func parse(name, s string) string {
	return m('P', name+"\x00"+s+"\x00\x00\x00")
}
func bind(portal, name string) string {
	return m('B', portal+"\x00"+name+"\x00\x00\x00\x00\x00\x00\x00")
}
func tag(s string) string { return m('C', s+"\x00") }
func failure(severity, code string) string {
	return m('E', "S"+severity+"\x00V"+severity+"\x00C"+code+"\x00Mwhy\x00\x00")
}

func TestExchanges(t *testing.T) {
	tests := []struct {
		name   string
		steps  steps
		how    flow.Ending
		midway bool
		want   []string
	}{
		{name: "authentication is no answer, a long cancel key neither", steps: steps{
			client(0, untyped(3<<16|2, "user\x00u\x00\x00")), server(5, m('v', "\x00\x00\x00\x00\x00\x00\x00\x00")+m('R', "\x00\x00\x00\x05salt")), client(6, m('p', "md5\x00")),
			server(9, m('R', "\x00\x00\x00\x00")+m('K', strings.Repeat("k", 260))+z), client(10, query("select 1")), server(12, m('T', "\x00\x00")+m('D', "\x00\x00")+tag("SELECT 1")+z),
		}, want: []string{`Query "select 1" q[10-10 #5-5 1p 25+14] r[12-12 #6-6 1p 306+34] answered rows=1`}},
		{name: "GSSAPI and TLS refused", steps: steps{
			client(0, untyped(gssRequest, "")), server(1, "N"), client(2, untyped(sslRequest, "")), server(3, "N"), client(4, startup), server(5, hello),
			client(6, query("begin")), server(7, tag("BEGIN")+m('Z', "T")),
		}, want: []string{`Query "begin" q[6-6 #7-7 1p 32+11] r[7-7 #8-8 1p 39+17] answered`}},
		{name: "encrypted by GSSAPI", steps: steps{
			client(0, untyped(gssRequest, "")), server(1, "G"), client(2, query("select 1")), server(3, z),
		}},
		{name: "a login that fails", how: flow.Finished, steps: steps{
			client(0, startup), server(1, failure("FATAL", "28P01")),
		}, want: []string{`Connect "" q[0-0 #1-1 1p 0+16] r[1-1 #2-2 1p 0+32] answered 28P01 failed "why"`}},
		{name: "a password that is wrong, after the version was negotiated", how: flow.Finished, steps: steps{
			client(0, untyped(3<<16|2, "user\x00u\x00\x00")), server(5, m('v', "\x00\x00\x00\x00\x00\x00\x00\x00")+m('R', "\x00\x00\x00\x05salt")), client(6, m('p', "md5\x00")),
			server(500, failure("FATAL", "28P01")),
		}, want: []string{`Connect "" q[0-6 #1-3 2p 0+25] r[500-500 #4-4 1p 26+32] answered 28P01 failed "why"`}},
		{name: "no connections left, and no TLS either; the severity is that of an old server", how: flow.Finished, steps: steps{
			client(0, untyped(sslRequest, "")), server(1, "N"), client(2, startup), server(3, m('E', "SFATAL\x00C53300\x00Mfull\x00\x00")), server(4, failure("FATAL", "57P01")),
		}, want: []string{`Connect "" q[2-2 #3-3 1p 8+16] r[3-3 #4-4 1p 1+26] answered 53300 failed "full"`}},
		{name: "an error instead of an answer to the request for TLS", how: flow.Finished, steps: steps{
			client(0, untyped(sslRequest, "")), server(1, failure("FATAL", "57P03")),
		}, want: []string{`Connect "" q[0-0 #1-1 1p 0+8] r[1-1 #2-2 1p 0+32] answered 57P03 failed "why"`}},
		{name: "a query was sent ahead of a login that is refused", how: flow.Finished, steps: steps{
			client(0, startup+query("a")), server(1, failure("FATAL", "3D000")),
		}, want: []string{`Connect "" q[0-0 #1-1 1p 0+16] r[1-1 #2-2 1p 0+32] answered 3D000 failed "why"`, `Query "a" q[0-0 #1-1 1p 16+7] r[] unanswered`}},
		{name: "a login that is not answered is none that was refused", how: flow.Finished, steps: steps{
			client(0, startup), server(1, m('R', "\x00\x00\x00\x05salt")), client(2, m('p', "md5\x00")),
		}},
		{name: "to cancel is no login", how: flow.Finished, steps: steps{
			client(0, untyped(cancelRequest, "12345678")), server(1, failure("FATAL", "08P01")),
		}, want: []string{`Cancel "" q[0-0 #1-1 1p 0+16] r[] no answer expected`}},
		{name: "three queries under way", steps: steps{
			client(0, startup), server(1, hello), client(2, query("a")+query("b")), client(3, query("c")), server(4, tag("X 1")+z), server(5, tag("X 2")+z+tag("X 3")+z),
		}, want: []string{
			`Query "a" q[2-2 #3-3 1p 16+7] r[4-4 #5-5 1p 37+15] answered rows=1`,
			`Query "b" q[2-2 #3-3 1p 23+7] r[5-5 #6-6 1p 52+15] answered rows=2 depth=2`,
			`Query "c" q[3-3 #4-4 1p 30+7] r[5-5 #6-6 1p 67+15] answered rows=3 depth=3`,
		}},
		{name: "Syncs under way, and several Executes in one", steps: steps{
			client(0, startup), server(1, hello),
			client(2, parse("s", "insert x")+bind("", "s")+execute+bind("", "s")+execute+sync), client(3, parse("", "select y")+bind("p", "")+m('D', "Pp\x00")+m('E', "p\x00\x00\x00\x00\x00")+sync),
			server(9, m('1', "")+m('2', "")+tag("INSERT 0 1")+m('2', "")+tag("INSERT 0 2")+z), server(11, m('1', "")+m('2', "")+m('n', "")+tag("SELECT 0")+z), client(12, sync), server(13, z),
		}, want: []string{
			`Execute "insert x" q[2-2 #3-3 1p 16+71] r[9-9 #5-5 1p 37+53] answered rows=3`,
			`Execute "select y" q[3-3 #4-4 1p 87+55] r[11-11 #6-6 1p 90+35] answered rows=0 depth=2`,
			`Sync "" q[12-12 #7-7 1p 142+5] r[13-13 #8-8 1p 125+6] answered`,
		}},
		{name: "all statements of a group are its text, each once", steps: steps{
			client(0, startup), server(1, hello),
			client(2, parse("", "BEGIN")+bind("", "")+execute+parse("", "select x -- y")+bind("", "")+m('D', "P\x00")+execute+bind("", "")+execute+parse("c", "COMMIT")+bind("", "c")+execute+sync),
			server(9, tag("BEGIN")+m('D', "")+tag("SELECT 1")+tag("SELECT 2")+tag("COMMIT")+z),
			client(10, bind("", "c")+execute+sync), server(11, m('2', "")+tag("COMMIT")+z),
			client(12, parse("", "BEGIN")+bind("", "")+execute+query("select z")), server(13, tag("BEGIN")+tag("SELECT 1")+z),
		}, want: []string{
			`Execute "BEGIN\n; select x -- y\n; COMMIT" q[2-2 #3-3 1p 16+157] r[9-9 #4-4 1p 37+62] answered rows=3`,
			`Execute "COMMIT" q[10-10 #5-5 1p 173+29] r[11-11 #6-6 1p 99+23] answered`,
			`Execute "BEGIN\n; select z" q[12-12 #7-7 1p 202+51] r[13-13 #8-8 1p 122+31] answered rows=1`,
		}},
		{name: "a statement of a group that is not known, and one that is only parsed", midway: true, steps: steps{
			client(0, parse("", "BEGIN")+bind("", "")+execute+bind("", "S_1")+execute+parse("", "COMMIT")+bind("", "")+execute+parse("n", "never")+sync),
			server(1, m('1', "")+tag("BEGIN")+tag("SELECT 1")+tag("COMMIT")+z),
			client(2, bind("", "S_1")+execute+parse("", "COMMIT")+bind("", "")+execute+sync), server(3, m('2', "")+tag("SELECT 1")+tag("COMMIT")+z),
			client(4, bind("", "S_1")+execute+sync), server(5, m('2', "")+tag("SELECT 1")+z),
		}, want: []string{
			`Execute "BEGIN\n; COMMIT\n; "... q[0-0 #1-1 1p 0+121] r[1-1 #2-2 1p 0+48] answered rows=1`,
			`Execute "COMMIT\n; "... q[2-2 #3-3 1p 121+69] r[3-3 #4-4 1p 48+37] answered rows=1`,
			`Execute "" q[4-4 #5-5 1p 190+31] r[5-5 #6-6 1p 85+25] answered rows=1`,
		}},
		{name: "Flush parts exchanges", steps: steps{
			client(0, startup), server(1, hello), client(2, parse("s", "sel")+m('D', "Ss\x00")+flush), server(4, m('1', "")+m('t', "\x00\x00")+m('T', "\x00\x00")),
			client(6, bind("", "s")+execute+sync), server(9, m('2', "")+tag("SELECT 4")+z),
		}, want: []string{
			`Parse "sel" q[2-2 #3-3 1p 16+26] r[4-4 #4-4 1p 37+19] answered`,
			`Execute "sel" q[6-6 #5-5 1p 42+29] r[9-9 #6-6 1p 56+25] answered rows=4`,
		}},
		{name: "an error after Flush: the server ignores everything up to Sync", steps: steps{
			client(0, startup), server(1, hello), client(2, parse("", "bad")+flush), client(3, bind("", "")+flush), client(3, execute+sync),
			server(4, failure("ERROR", "42601")), server(5, z), client(6, query("ok")), server(7, tag("X")+z),
		}, want: []string{
			`Parse "bad" q[2-2 #3-3 1p 16+17] r[4-4 #6-6 1p 37+32] answered 42601 failed "why"`,
			`Bind "" q[3-3 #4-4 1p 33+18] r[5-5 #7-7 1p 69+6] answered depth=2 ambiguous`,
			`Execute "bad" q[3-3 #5-5 1p 51+15] r[5-5 #7-7 1p 69+6] answered depth=3`,
			`Query "ok" q[6-6 #8-8 1p 66+8] r[7-7 #9-9 1p 75+13] answered`,
		}},
		{name: "asynchronous messages are no answers", steps: steps{
			client(0, startup), server(1, hello), client(2, query("a")), server(3, m('N', "SNOTICE\x00\x00")), server(4, m('A', "\x00\x00\x00\x01x\x00y\x00")+m('S', "a\x00c\x00")), server(8, tag("DO")+z),
			server(9, m('A', "\x00\x00\x00\x01x\x00y\x00")), client(10, query("b")), server(11, m('I', "")+z),
		}, want: []string{
			`Query "a" q[2-2 #3-3 1p 16+7] r[8-8 #6-6 1p 73+14] answered`,
			`Query "b" q[10-10 #8-8 1p 23+7] r[11-11 #9-9 1p 100+11] answered`,
		}},
		{name: "COPY IN in the extended protocol: the first Sync is ignored", steps: steps{
			client(0, startup), server(1, hello), client(2, parse("", "copy")+bind("", "")+execute+sync), server(3, m('1', "")+m('2', "")+m('G', "\x00\x00\x00")),
			client(4, m('d', "row")), client(90, m('c', "")+sync), server(95, tag("COPY 1")+z), client(96, query("a")), server(97, tag("X")+z),
		}, want: []string{
			`Execute "copy" q[2-90 #3-6 3p 16+59] r[95-95 #7-7 1p 55+18] answered rows=1`,
			`Query "a" q[96-96 #8-8 1p 75+7] r[97-97 #9-9 1p 73+13] answered`,
		}},
		{name: "FunctionCall, and killed within an answer", how: flow.Reset, steps: steps{
			client(0, startup), server(1, hello), client(2, m('F', "\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00")), server(3, m('V', "\xff\xff\xff\xff")+z),
			client(4, query("long")), server(5, m('T', "\x00\x00")+m('D', "\x00\x00")), server(9, failure("FATAL", "57P01")),
		}, want: []string{
			`FunctionCall "" q[2-2 #3-3 1p 16+15] r[3-3 #4-4 1p 37+15] answered`,
			`Query "long" q[4-4 #5-5 1p 31+10] r[5-9 #6-7 2p 52+46] answered 57P01 failed "why"`,
		}},
		{name: "an idle session is killed", how: flow.Finished, steps: steps{
			client(0, startup), server(1, hello), server(9, failure("FATAL", "57P05")),
		}},
		{name: "unanswered", how: flow.Open, steps: steps{
			client(0, startup), server(1, hello), client(2, query("a")),
		}, want: []string{`Query "a" q[2-2 #3-3 1p 16+7] r[] unanswered`}},
		{name: "a cut result does not matter", steps: steps{
			client(0, startup), server(1, hello), client(2, query("a")), server(3, m('D', "0123456789")[:9]).Cutting(6), server(4, tag("SELECT 1")+z),
		}, want: []string{`Query "a" q[2-2 #3-3 1p 16+7] r[3-4 #4-5 2p 37+35] answered rows=1`}},
		{name: "a hole within a row", steps: steps{
			client(0, startup), server(1, hello), client(2, query("a")), server(3, m('D', "0123456789")[:9]), server(4, tag("SELECT 1")+z).After(6),
		}, want: []string{`Query "a" q[2-2 #3-3 1p 16+7] r[3-4 #4-5 2p 37+35] answered rows=1 lossy`}},
		{name: "a hole with unknown contents", steps: steps{
			client(0, startup), server(1, hello), client(2, query("a")), client(3, query("b")), server(4, tag("X 2")+z).After(50), client(5, query("c")), server(6, tag("X 3")+z), client(7, query("d")), server(8, tag("X 4")+z),
		}, want: []string{
			`Query "a" q[2-2 #3-3 1p 16+7] r[4-4 #5-5 1p 87+15] answered rows=2 lossy resync`,
			`Query "b" q[3-3 #4-4 1p 23+7] r[] unanswered depth=2 lossy resync`,
			`Query "c" q[5-5 #6-6 1p 30+7] r[6-6 #7-7 1p 102+15] answered rows=3 resync`,
			`Query "d" q[7-7 #8-8 1p 37+7] r[8-8 #9-9 1p 117+15] answered rows=4`,
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

// After the server agreed to TLS, what both sides send are records.
func TestTLS(t *testing.T) {
	record := "\x16\x03\x01\x00\x05hello"
	for _, script := range []steps{
		{client(0, untyped(sslRequest, "")), server(1, "S"), client(2, record), server(3, record)},
		{client(0, record), server(1, record)}, // sslnegotiation=direct
	} {
		var r prototest.Recorder
		p := newParser(&r, false).(*parser)
		for _, e := range prototest.Events(script) {
			p.Data(&e.Chunk)
		}
		if p.inner == nil || p.sides[0].lost || p.sides[1].lost {
			t.Errorf("%v: not given to the decoder of TLS", script)
		}
		p.End(flow.Stamp{}, flow.Finished)
		if len(r.Lines) != 0 {
			t.Errorf("a handshake is no exchange: %v", r.Lines)
		}
	}
}

// However many statements a group has and however long they are, its text is
// bounded, ends between statements if one is missing, and says that it is cut.
func TestTextOfGroupIsBounded(t *testing.T) {
	for _, tt := range []struct {
		statements, size, want int
		whole, cut             bool
	}{
		{statements: 1, size: 100, want: 1, whole: true},
		{statements: maxStatements, size: 100, want: maxStatements, whole: true},
		{statements: maxStatements + 1, size: 100, want: maxStatements, whole: true, cut: true},
		{statements: 500, size: 100, want: maxStatements, whole: true, cut: true},
		{statements: 3, size: 1500, want: 3, cut: true},
		{statements: 5, size: 4090, want: 1, cut: true},
		{statements: 5, size: 9000, want: 1, cut: true},
	} {
		var group strings.Builder
		for i := range tt.statements {
			text := fmt.Sprintf("select %d from t%s", i, strings.Repeat("t", tt.size-len("select 1 from t")))
			group.WriteString(parse("", text) + bind("", "") + execute + bind("", "") + execute)
		}
		var r texts
		p := Protocol.New(&r, false)
		for i, s := range []string{startup, hello, group.String() + sync, m('1', "") + z} {
			p.Data(&flow.Chunk{Dir: flow.Dir(i % 2), Data: []byte(s), Stamp: flow.Stamp{At: int64(i), Frame: uint64(i + 1)}})
		}
		if len(r) != 1 {
			t.Fatalf("%+v: %d exchanges", tt, len(r))
		}
		if got := strings.Count(r[0].text, "select"); got != tt.want || r[0].cut != tt.cut || len(r[0].text) > maxText {
			t.Errorf("%+v: %d statements in %d bytes, cut %v", tt, got, len(r[0].text), r[0].cut)
		}
		if ends := strings.HasSuffix(r[0].text, separator); ends != (tt.whole && tt.cut) {
			t.Errorf("%+v: ends with %q", tt, r[0].text[len(r[0].text)-5:])
		}
	}
}

// texts are the texts of exchanges.
type texts []struct {
	text string
	cut  bool
}

func (l *texts) Exchange(e *proto.Exchange) {
	*l = append(*l, struct {
		text string
		cut  bool
	}{string(e.Text), e.TextCut})
}

func TestPreparedIsBounded(t *testing.T) {
	var p prepared
	for i := range 5000 {
		name := fmt.Append(nil, "s", i)
		p.parse(name, []byte(strings.Repeat("x", 1+i%3000)), false)
		p.bind(name, name, true)
		if len(p.named) > maxNamed || len(p.portals) > maxNamed || p.bytes > maxNamedBytes || p.bytes < 0 {
			t.Fatalf("%d statements, %d portals, %d bytes", len(p.named), len(p.portals), p.bytes)
		}
	}
	if text, _ := p.portal([]byte("s4999")); len(text) != 2000 {
		t.Errorf("the latest statement is gone: %d bytes", len(text))
	}
}

func FuzzParser(f *testing.F) {
	f.Add(prototest.Tape(client(0, query("select 1")), server(1, z)), byte(3), true)
	f.Add(prototest.Tape(client(0, startup+parse("a", "b")+bind("c", "a")+execute+flush+sync), server(1, hello+tag("INSERT 0 5")+failure("FATAL", "57P01"))), byte(1), false)
	f.Fuzz(func(t *testing.T, data []byte, size byte, midway bool) {
		prototest.Torture(t, Protocol, data, midway)
		text := strings.ReplaceAll(string(data), "\x00", "")
		if len(text) > 3000 {
			return
		}
		whole := prototest.Events(steps{
			client(0, startup), server(1, hello), client(2, query(text)+parse("n", text)+bind("", "n")+execute+sync), server(4, m('D', string(data))+tag("SELECT 1")+z+m('1', "")+m('2', "")+failure(text, "42P01")+z),
		})
		want := prototest.Run(Protocol, whole, false, flow.Finished)
		got := prototest.Run(Protocol, prototest.Recut(whole, int(size)+1), false, flow.Finished)
		if diff := cmp.Diff(want, got); diff != "" || len(want) != 2 {
			t.Fatalf("%d exchanges; %s", len(want), diff)
		}
	})
}

type counter int

func (n *counter) Exchange(e *proto.Exchange) {
	if e.Status == proto.Answered {
		*n++
	}
}

func bench(b *testing.B, ask, answer string) {
	var n counter
	p := Protocol.New(&n, false)
	for i, s := range []string{startup, hello} {
		p.Data(&flow.Chunk{Dir: flow.Dir(i), Data: []byte(s), Stamp: flow.Stamp{Frame: 1}})
	}
	q, r := flow.Chunk{Data: []byte(ask)}, flow.Chunk{Data: []byte(answer), Dir: flow.ToClient}
	b.SetBytes(int64(len(ask) + len(answer)))
	b.ReportAllocs()
	for b.Loop() {
		q.At, q.Frame = q.At+1, q.Frame+2
		p.Data(&q)
		q.Offset += uint64(len(ask))
		r.At, r.Frame = q.At, q.Frame+1
		p.Data(&r)
		r.Offset += uint64(len(answer))
	}
	if int(n) < b.N {
		b.Fatalf("%d exchanges of %d", n, b.N)
	}
}

func BenchmarkQuery(b *testing.B) {
	bench(b, query("SELECT c FROM sbtest1 WHERE id=4711"), m('T', strings.Repeat("x", 26))+m('D', strings.Repeat("x", 126))+tag("SELECT 1")+z)
}

func BenchmarkExecute(b *testing.B) {
	bench(b, parse("", "SELECT c FROM sbtest1 WHERE id=$1")+bind("", "")+m('D', "P\x00")+execute+sync,
		m('1', "")+m('2', "")+m('T', strings.Repeat("x", 26))+m('D', strings.Repeat("x", 126))+tag("SELECT 1")+z)
}

func BenchmarkRows(b *testing.B) {
	bench(b, query("SELECT c FROM sbtest1"), m('T', strings.Repeat("x", 26))+strings.Repeat(m('D', strings.Repeat("x", 126)), 1000)+tag("SELECT 1000")+z)
}
