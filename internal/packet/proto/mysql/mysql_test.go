package mysql

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/golden"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/prototest"
)

// pkt makes a packet.
func pkt(seq byte, body string) string {
	n := len(body)
	return string([]byte{byte(n), byte(n >> 8), byte(n >> 16), seq}) + body
}

const caps41 = capProtocol41 | capLongPassword

func greet(caps uint64) string {
	return pkt(0, "\x0a8.0.40\x00\x08\x00\x00\x00abcdefgh\x00"+string([]byte{byte(caps), byte(caps >> 8)})+"\xff\x02\x00"+
		string([]byte{byte(caps >> 16), byte(caps >> 24)})+"\x15"+strings.Repeat("\x00", 10)+"ijklmnopqrst\x00mysql_native_password\x00")
}

func login(caps uint64) string {
	return pkt(1, string([]byte{byte(caps), byte(caps >> 8), byte(caps >> 16), byte(caps >> 24)})+"\x00\x00\x00\x01\xff"+strings.Repeat("\x00", 23)+"root\x00\x00")
}

const (
	okBody  = "\x00\x00\x00\x02\x00\x00\x00"
	eofBody = "\xfe\x00\x00\x02\x00"
	endBody = "\xfe\x00\x00\x02\x00\x00\x00"
	more    = "\xfe\x00\x00\x0a\x00"
	column  = "\x03def\x00\x00\x00\x01a\x00\x0c\x3f\x00\x01\x00\x00\x00\x08\x81\x00\x00\x00\x00"
)

// oldSet is a result set with EOF packets, newSet one without.
func oldSet(seq byte, end string, rows ...string) string {
	s := pkt(seq, "\x01") + pkt(seq+1, column) + pkt(seq+2, eofBody)
	seq += 3
	for _, r := range rows {
		s += pkt(seq, r)
		seq++
	}
	return s + pkt(seq, end)
}

func newSet(seq byte, rows ...string) string {
	s := pkt(seq, "\x01") + pkt(seq+1, column)
	seq += 2
	for _, r := range rows {
		s += pkt(seq, r)
		seq++
	}
	return s + pkt(seq, endBody)
}

func opening(caps uint64) []prototest.Step {
	return []prototest.Step{
		prototest.Server(1, greet(caps)),
		prototest.Client(2, login(caps)),
		prototest.Server(3, pkt(2, okBody)),
	}
}

func client(at int64, s string) prototest.Step { return prototest.Client(at, s) }
func server(at int64, s string) prototest.Step { return prototest.Server(at, s) }

type script struct {
	name   string
	steps  []prototest.Step
	midway bool
}

func TestScripts(t *testing.T) {
	var b strings.Builder
	for _, c := range scripts() {
		b.WriteString("== " + c.name + "\n")
		for _, line := range prototest.Run(Protocol, prototest.Events(c.steps), c.midway, flow.Finished) {
			b.WriteString(line + "\n")
		}
	}
	// A line with the name of a case, then one for each exchange.
	golden.Text(t, "testdata/scripts.txt", b.String())
}

// Cutting chunks into pieces of the same packet changes nothing.
func TestAnyCut(t *testing.T) {
	for _, c := range scripts() {
		// Out of step, only the beginnings of chunks tell where a command begins.
		torn := c.midway
		for _, s := range c.steps {
			torn = torn || s.Gap > 0 || s.Cut > 0 || len(s.Data) > 1<<20 // too much to cut finely
		}
		if torn {
			continue
		}
		events := prototest.Events(c.steps)
		want := prototest.Run(Protocol, events, false, flow.Finished)
		for n := 1; n < 90; n++ {
			got := prototest.Run(Protocol, prototest.Recut(events, n), false, flow.Finished)
			if d := cmp.Diff(want, got); d != "" {
				t.Fatalf("%s, pieces of %d bytes: %s", c.name, n, d)
			}
		}
	}
}

// What a server and two clients said, however it is cut: see testdata/README.md.
func TestRecordings(t *testing.T) {
	for _, name := range []string{"text", "compress", "prepared", "mysql97", "mysql97-zstd", "mysql97-tls", "mariadb118", "mariadb118-tls"} {
		t.Run(name, func(t *testing.T) { prototest.Golden(t, Protocol, "testdata/"+name+".pcap") })
	}
}

// A snap length of 96 leaves 24 bytes of the greeting in a cooked capture.
func TestSniffCutGreeting(t *testing.T) {
	whole := pkt(0, "\x0a11.8.9-MariaDB-4 from Debian\x00\x08\x00\x00\x00abcdefgh\x00")
	for n, want := range map[int]proto.Match{24: proto.Sure, len(whole): proto.Sure} {
		if got := sniff(flow.ToClient, []byte(whole[:n])); got != want {
			t.Errorf("%d bytes of a greeting: %v, want %v", n, got, want)
		}
	}
	if got := sniff(flow.ToClient, []byte(pkt(0, "\x0ahello world, this is text")[:24])); got == proto.Sure {
		t.Error("other text is taken for a greeting")
	}
}

// In the middle of a connection on any port, an execution tells as surely as the
// text of a statement.
func TestSniffCommand(t *testing.T) {
	for _, tc := range []struct {
		name, data string
		want       proto.Match
	}{
		{"text", pkt(0, "\x03select 1"), proto.Sure},
		{"text to prepare", pkt(0, "\x16select ?"), proto.Sure},
		{"execution with parameters", pkt(0, "\x17\x02\x00\x00\x00\x00\x01\x00\x00\x00\x00\x01\x03\x00\x07\x00\x00\x00"), proto.Sure},
		{"execution without, with a cursor", pkt(0, "\x17\x02\x00\x00\x00\x01\x01\x00\x00\x00"), proto.Sure},
		{"executed twice", pkt(0, "\x17\x02\x00\x00\x00\x00\x02\x00\x00\x00"), proto.Maybe},
		{"an unknown cursor", pkt(0, "\x17\x02\x00\x00\x00\x47\x01\x00\x00\x00"), proto.Maybe},
		{"execution cut short", pkt(0, "\x17\x02\x00\x00\x00\x00\x01\x00\x00\x00\x00\x01")[:14], proto.Maybe},
		{"ping", pkt(0, "\x0e"), proto.Likely},
		{"no command", pkt(0, "\x77"), proto.No},
	} {
		if got := sniff(flow.ToServer, []byte(tc.data)); got != tc.want {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}

// A command tells that the login is over, if its end was not captured.
func TestEndOfLoginMissing(t *testing.T) {
	answer := oldSet(1, eofBody, "\x011")
	got := prototest.Run(Protocol, prototest.Events([]prototest.Step{
		prototest.Server(1, greet(caps41)), prototest.Client(10, pkt(0, "\x03select 1")), prototest.Server(20, answer), prototest.Client(30, pkt(0, "\x03select 2")), prototest.Server(40, answer),
	}), false, flow.Finished)
	want := []string{
		`Query "select 1" q[10-10 #2-2 1p 0+13] r[20-20 #3-3 1p 78+56] answered rows=1 resync`,
		`Query "select 2" q[30-30 #4-4 1p 13+13] r[40-40 #5-5 1p 134+56] answered rows=1`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSize(t *testing.T) {
	if n := unsafe.Sizeof(parser{}); n > 320 {
		t.Errorf("a connection needs %d bytes", n)
	}
}

// Random bytes after a good beginning must not stop the decoder.
func TestNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		p := Protocol.New(discard{}, rng.IntN(2) == 0)
		var off [2]uint64
		for i := range 30 {
			b := make([]byte, rng.IntN(60))
			for j := range b {
				b[j] = byte(rng.IntN(6)) * byte(rng.IntN(60))
			}
			d := flow.Dir(rng.IntN(2))
			p.Data(&flow.Chunk{Stamp: flow.Stamp{At: int64(i), Frame: uint64(i)}, Dir: d, Offset: off[d], Data: b, Cut: rng.IntN(10) / 9 * 7})
			off[d] += uint64(len(b))
			if rng.IntN(10) == 0 {
				p.Gap(d, int64(rng.IntN(100)), flow.Stamp{})
			}
		}
		p.End(flow.Stamp{}, flow.Open)
	}
}

type discard struct{}

func (discard) Exchange(*proto.Exchange) {}

func BenchmarkPointSelect(b *testing.B) {
	p := Protocol.New(discard{}, false)
	for _, e := range prototest.Events(opening(caps41)) {
		p.Data(&e.Chunk)
	}
	q := []byte(pkt(0, "\x03SELECT c FROM sbtest1 WHERE id=500123"))
	r := []byte(oldSet(1, eofBody, "\x78"+strings.Repeat("a", 120)))
	b.ReportAllocs()
	var at int64
	var off [2]uint64
	var c, d flow.Chunk
	for b.Loop() {
		at += 1000
		c = flow.Chunk{Stamp: flow.Stamp{At: at, Frame: uint64(at)}, Data: q, Offset: off[0]}
		p.Data(&c)
		d = flow.Chunk{Stamp: flow.Stamp{At: at + 500, Frame: uint64(at) + 1}, Dir: flow.ToClient, Data: r, Offset: off[1]}
		p.Data(&d)
		off[0] += uint64(len(q))
		off[1] += uint64(len(r))
	}
}

func BenchmarkRows(b *testing.B) {
	p := Protocol.New(discard{}, false)
	for _, e := range prototest.Events(opening(caps41)) {
		p.Data(&e.Chunk)
	}
	p.Data(&flow.Chunk{Data: []byte(pkt(0, "\x03SELECT"))})
	p.Data(&flow.Chunk{Dir: flow.ToClient, Data: []byte(pkt(1, "\x01") + pkt(2, column) + pkt(3, eofBody))})
	var rows []byte
	for i := range 256 {
		rows = append(rows, pkt(byte(4+i), "\x78"+strings.Repeat("a", 120))...)
	}
	b.SetBytes(int64(len(rows)))
	b.ReportAllocs()
	d := flow.Chunk{Dir: flow.ToClient, Data: rows}
	for b.Loop() {
		d.Offset += uint64(len(rows))
		p.Data(&d)
	}
}

// An error instead of the greeting is known on any port.
func TestSniffRefusal(t *testing.T) {
	const text = "\xff\x10\x04Too many connections"
	for _, tt := range []struct {
		name, data string
		want       proto.Match
	}{
		{"first packet", pkt(0, text), proto.Sure},
		{"counted from 1", pkt(1, text), proto.Sure},
		{"cut", pkt(0, text)[:20], proto.Maybe},
		{"no text", pkt(0, "\xff\x10\x04\x00\x01\x02\x03\x04\x05\x06\x07\x08"), proto.Maybe},
		{"no number of a server", pkt(0, "\xff\x10\x00Too many connections"), proto.Maybe},
	} {
		if got := Protocol.Sniff(flow.ToClient, []byte(tt.data)); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}
