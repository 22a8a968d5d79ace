package cassandra

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pierrec/lz4/v4"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/prototest"
)

type steps = []prototest.Step

var client, server = prototest.Client, prototest.Server

func u16(n int) string       { return string(binary.BigEndian.AppendUint16(nil, uint16(n))) }
func u32(n int) string       { return string(binary.BigEndian.AppendUint32(nil, uint32(n))) }
func short(s string) string  { return u16(len(s)) + s }
func long(s string) string   { return u32(len(s)) + s }
func values(s string) string { return u16(1) + "\x01" + u16(1) + long(s) }

func message(version, flags byte, stream int, opcode byte, body string) string {
	return string([]byte{version, flags}) + u16(stream) + string([]byte{opcode}) + u32(len(body)) + body
}

// ask and tell are messages of version 4.
func ask(stream int, opcode byte, body string) string  { return message(4, 0, stream, opcode, body) }
func tell(stream int, opcode byte, body string) string { return message(0x84, 0, stream, opcode, body) }

// segment puts messages into one that is not compressed.
func segment(payload string) string {
	return sealed(littleBytes(uint64(len(payload))|1<<lengthBits, 3), payload)
}

// packed puts messages into one that could be compressed and holds a block.
func packed(block string, size int) string {
	return sealed(littleBytes(uint64(len(block))|uint64(size)<<lengthBits|1<<(2*lengthBits), 5), block)
}

func sealed(head []byte, payload string) string {
	return string(head) + string(littleBytes(uint64(crc24(head)), crcSize)) + payload + "\x00\x00\x00\x00"
}

func littleBytes(v uint64, n int) []byte { return binary.LittleEndian.AppendUint64(nil, v)[:n] }

// literals is an LZ4 block that repeats nothing.
func literals(s string) string {
	block := "\xf0"
	n := len(s) - 15
	for ; n >= 255; n -= 255 {
		block += "\xff"
	}
	return block + string([]byte{byte(n)}) + s
}

// begin5 begins a connection of version 5.
func begin5(compression string) steps {
	options := u16(1) + short("CQL_VERSION") + short("3.4.5")
	if compression != "" {
		options = u16(2) + options[2:] + short("COMPRESSION") + short(compression)
	}
	return steps{client(1, message(5, 0, 0, startup, options)), server(2, message(0x85, 0, 0, ready, ""))}
}

func TestExchanges(t *testing.T) {
	void := u32(1)
	text := "select a from t where id = ?"
	selected := func(stream int) string { return ask(stream, query, long(text)+values("secret")) }
	rows := u32(rowsResult) + u32(globalTable|morePages) + u32(2) + long("page") + short("k") + short("t") + short("a") + u16(0x21) + u16(0x0d) + u16(0x22) + u16(0x0d) + short("b") + u16(0x09) + u32(3) + long("secret")
	id := "\x01\x23\x45\x67\x89\xab\xcd\xef0123456789"
	prepared := u32(preparedResult) + short(id) + u32(0)
	started := `Startup "" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered`
	five := message(5, 0, 7, query, long(text)+values("secret"))
	done := message(0x85, 0, 7, result, void)
	large := message(5, 0, 8, query, long(text)+values(strings.Repeat("secret", 50)))
	prototest.Scripts(t, Protocol, []prototest.Script{
		{Name: "answers in another order", Steps: steps{client(1, selected(1)+selected(2)), server(2, tell(2, result, void)), server(3, tell(1, result, rows))},
			Want: []string{`Query "` + text + `" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered depth=2`, `Query "` + text + `" q[1-1 #1-1 1p] r[3-3 #3-3 1p] answered rows=3`}},
		{Name: "prepared on the connection", Steps: steps{client(1, ask(1, prepare, long(text))), server(2, tell(1, result, prepared)), client(3, ask(1, execute, short(id)+values("secret"))), server(4, tell(1, result, void))},
			Want: []string{`Prepare "` + text + `" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered`, `Execute "` + text + `" q[3-3 #3-3 1p] r[4-4 #4-4 1p] answered`}},
		{Name: "prepared elsewhere, and forgotten", Steps: steps{client(1, ask(1, execute, short(id)+values("secret"))), server(2, tell(1, failure, u32(0x2500)+short("unknown statement")+short(id)))},
			Want: []string{`Execute "prepared_0123456789abcdef" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered UNPREPARED failed "unknown statement"`}},
		{Name: "a batch", Steps: steps{client(1, ask(1, batch, "\x00"+u16(2)+"\x00"+long("insert into t")+u16(0)+"\x01"+short(id)+values("secret"))), server(2, message(0x84, warned|traced, 1, result, strings.Repeat("i", 16)+u16(1)+short("large batch")+void))},
			Want: []string{`Batch "insert into t"... q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered`}},
		{Name: "a login refused, and an event", Steps: steps{client(1, ask(3, 0x0f, long("\x00me\x00secret"))), server(2, tell(-1, event, short("STATUS_CHANGE"))), server(3, tell(3, failure, u32(0x100)+short("bad credentials")))},
			Want: []string{`AuthResponse "" q[1-1 #1-1 1p] r[3-3 #3-3 1p] answered AUTH_ERROR failed "bad credentials"`}},
		{Name: "a body that is compressed", Steps: steps{client(1, message(4, compressed, 1, query, u32(len(text)+4)+literals(long(text)))), server(2, tell(1, result, void))},
			Want: []string{`Query "` + text + `" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered`}},
		{Name: "segments", Steps: append(begin5(""), client(3, segment(five+large)), server(4, segment(done))),
			Want: []string{started, `Query "` + text + `" q[3-3 #3-3 1p] r[4-4 #4-4 1p] answered`, `Query "` + text + `" q[3-3 #3-3 1p] r[] unanswered depth=2`}},
		{Name: "a message in two segments", Steps: append(begin5(""), client(3, segment(large[:100])), client(4, segment(large[100:])), server(5, segment(message(0x85, 0, 8, result, void)))),
			Want: []string{started, `Query "` + text + `" q[3-4 #3-4 2p] r[5-5 #5-5 1p] answered`}},
		{Name: "segments that are compressed, or could be", Steps: append(begin5("lz4"), client(3, packed(literals(five), len(five))), server(4, packed(done, 0))),
			Want: []string{started, `Query "` + text + `" q[3-3 #3-3 1p] r[4-4 #4-4 1p] answered`}},
		{Name: "segments midway", Midway: true, Uncut: true, Steps: steps{server(1, "the rest of a segment"), client(2, segment(five)), server(3, segment(done))},
			Want: []string{`Query "` + text + `" q[2-2 #2-2 1p] r[3-3 #3-3 1p] answered`}},
		{Name: "segments that were cut off", Uncut: true, Steps: append(begin5(""), client(3, segment(large)[:80]).Cutting(len(segment(large))-80), server(4, segment(message(0x85, 0, 8, result, void)))),
			Want: []string{started, `Query "` + text + `" q[3-3 #3-3 1p] r[4-4 #4-4 1p] answered`}},
		{Name: "a part of a segment is missing", Uncut: true, Steps: append(begin5(""), client(3, segment(large)[:80]), client(4, segment(large)[90:]).After(10), server(5, segment(message(0x85, 0, 8, result, void)))),
			Want: []string{started, `Query "` + text + `" q[3-4 #3-4 2p] r[5-5 #5-5 1p] answered lossy`}},
		{Name: "midway", Midway: true, Uncut: true, Steps: steps{server(1, "the rest of an answer"), client(2, selected(5)), server(3, tell(5, result, rows))},
			Want: []string{`Query "` + text + `" q[2-2 #2-2 1p] r[3-3 #3-3 1p] answered rows=3`}},
		{Name: "ends within an answer", Uncut: true, Steps: steps{client(1, selected(5)), server(2, tell(5, result, rows)[:60])},
			Want: []string{`Query "` + text + `" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered failed "connection ended within the answer"`}},
		{Name: "not Cassandra", Steps: steps{client(1, "GET / HTTP/1.1\r\n\r\n"), server(2, "HTTP/1.1 200 OK\r\n\r\n")}},
	})
}

const folder = "testdata/cassandra5-"

// The captures hold no word of the values that were bound, and of logins. What the
// same statements bring is the same in all versions.
func TestCaptures(t *testing.T) {
	var first []string
	for _, name := range []string{"v3", "v4", "v4-lz4", "v5", "v5-lz4"} {
		file := folder + name + ".pcap"
		prototest.Golden(t, Protocol, file)
		found := prototest.Conversations(t, Protocol, file, 1<<20)
		if strings.Contains(found, "secret") {
			t.Errorf("%s: a value is shown:\n%s", name, found)
		}
		var brought []string
		for _, e := range prototest.Exchanges(t, Protocol, file) {
			if e.Command == "Execute" || e.Command == "Batch" || e.Command == "Prepare" || e.Failed {
				brought = append(brought, fmt.Sprint(e.Command, " ", e.Status, " ", e.Code, " ", e.Rows))
			}
		}
		if first == nil {
			first = brought
		}
		if diff := cmp.Diff(first, brought); diff != "" {
			t.Errorf("%s brings something else than v3: %s", name, diff)
		}
	}
}

// TestTshark compares the messages and their packets with those of tshark, which does not
// know the segments of version 5.
func TestTshark(t *testing.T) {
	for _, name := range []string{"v3", "v4", "v4-lz4"} {
		file := folder + name + ".pcap"
		var want, got []string
		asked := map[string]string{}
		for _, row := range prototest.Tshark(t, file, "tcp.port==19042,cql", "cql", "frame.number", "tcp.stream", "cql.version", "cql.opcode", "cql.stream") {
			k := row[1] + " " + row[4]
			switch {
			case row[2] < "0x80":
				asked[k] = row[0]
			case asked[k] != "":
				want = append(want, asked[k]+" "+row[0])
				delete(asked, k)
			}
		}
		for _, frame := range asked { // when the driver closed the connection
			want = append(want, frame+" 0")
		}
		for _, e := range prototest.Exchanges(t, Protocol, file) {
			got = append(got, fmt.Sprint(e.Request.Last.Frame, " ", e.Response.Last.Frame))
		}
		prototest.Agree(t, file, want, got, 70)
	}
}

// TestInflate compares with what others compressed.
func TestInflate(t *testing.T) {
	if got := inflate(nil, []byte("\x32abc\x02\x00\x50defgh"), 100); string(got) != "abcbcbcbcdefgh" {
		t.Errorf("%q", got)
	}
	if got := inflate([]byte("x"), []byte("\x1fa\x01\x00\xff\xff\x00"), 100); string(got) != "x"+strings.Repeat("a", 100) {
		t.Errorf("%q", got)
	}
	text := bytes.Repeat([]byte("all work and no play makes Jack a dull boy. "), 1000)
	block := make([]byte, lz4.CompressBlockBound(len(text)))
	n, err := lz4.CompressBlock(text, block, nil)
	if err != nil || n == 0 {
		t.Fatal(n, err)
	}
	for _, most := range []int{0, 1, 100, len(text)} {
		if got := inflate(nil, block[:n], most); !bytes.Equal(got, text[:most]) {
			t.Errorf("%d bytes of %d", len(got), most)
		}
	}
}

func TestSniff(t *testing.T) {
	prototest.Sniff(t, Protocol, []prototest.Opening{
		{flow.ToServer, begin5("")[0].Data, proto.Sure},
		{flow.ToServer, ask(1, 5, ""), proto.Likely},
		{flow.ToClient, tell(1, 6, u16(0)), proto.Likely},
		{flow.ToClient, ask(1, 5, ""), proto.No},
		{flow.ToServer, ask(1, 5, "")[:6], proto.Maybe},
		{flow.ToServer, ask(1, 5, "") + ask(2, query, long("select"))[:12], proto.Likely},
		{flow.ToServer, message(2, 0, 1, 5, ""), proto.No},
		{flow.ToServer, ask(1, 4, ""), proto.No},
		{flow.ToServer, segment("abc"), proto.Sure},
		{flow.ToClient, packed("abc", 3), proto.Sure},
		{flow.ToClient, strings.Replace(segment("abc"), "\x02", "\x03", 1), proto.No},
		{flow.ToServer, "\x05\x00\x00\x00\x03ping", proto.No}, // MySQL
		{flow.ToServer, "GET / HTTP/1.1\r\n\r\n", proto.No},
		{flow.ToServer, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03aaaaa", proto.No},
	})
}

func TestOwes(t *testing.T) {
	one := ask(1, query, long("select"))
	for _, tt := range []struct {
		name  string
		want  bool
		steps steps
	}{
		{"asked", true, steps{client(1, one)}},
		{"answered", false, steps{client(1, one), server(2, tell(1, result, u32(1)))}},
		{"asking", false, steps{client(1, one+one[:9])}},
		{"answering", false, steps{client(1, one), server(2, tell(1, result, u32(1))[:10])}},
		{"asked in a segment", true, append(begin5(""), client(3, segment(message(5, 0, 1, query, long("select")))))},
		{"asking in a segment", false, append(begin5(""), client(3, segment(message(5, 0, 1, query, long("select")))[:20]))},
	} {
		if got := prototest.Owes(Protocol, tt.steps); got != tt.want {
			t.Errorf("%s: owes %v, want %v", tt.name, got, tt.want)
		}
	}
}

// FuzzParser feeds arbitrary conversations, see prototest.Torture; and arbitrary
// values in step, where the cuts do not matter.
func FuzzParser(f *testing.F) {
	for _, compression := range []string{"", "lz4"} {
		begin := begin5(compression)
		f.Add(prototest.Tape(append(begin, client(3, segment(message(5, 0, 1, query, long("select")))), server(4, packed(literals(message(0x85, 0, 1, result, u32(1))), 13)))...), byte(0), false)
	}
	f.Add(prototest.Tape(client(0, ask(1, prepare, long("select"))), server(1, tell(1, result, u32(4)+short("id")+u32(0))).Cutting(3)), byte(3), true)
	f.Add(prototest.Tape(client(0, message(4, compressed, 1, query, u32(10)+literals(long("select ?????????")))), server(1, tell(1, failure, u32(0x2200)+short("no"))).After(9)), byte(9), false)
	f.Fuzz(func(t *testing.T, data []byte, size byte, midway bool) {
		prototest.Torture(t, Protocol, data, midway)
		whole := prototest.Events(append(begin5(""), client(3, segment(message(5, 0, 1, query, long("select")+values(string(data[:min(len(data), 1000)]))))), server(4, segment(message(0x85, 0, 1, result, u32(1))))))
		want := prototest.Run(Protocol, whole, false, flow.Finished)
		got := prototest.Run(Protocol, prototest.Recut(whole, int(size)+1), false, flow.Finished)
		if diff := cmp.Diff(want, got); diff != "" || len(want) != 2 || !strings.HasPrefix(want[1], `Query "select" q`) {
			t.Fatalf("%q; %s", want, diff)
		}
	})
}
