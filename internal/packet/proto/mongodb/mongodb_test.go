package mongodb

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/prototest"
)

type steps = []prototest.Step

var client, server = prototest.Client, prototest.Server

// compressed wraps a message.
func compressed(m string, with byte, pack func(string) string) string {
	body := m[headerSize:]
	return number32(headerSize+9+len(pack(body))) + m[4:12] + number32(opCompressed) + m[12:16] + number32(len(body)) + string([]byte{with}) + pack(body)
}

func packZlib(s string) string {
	var b strings.Builder
	w := zlib.NewWriter(&b)
	w.Write([]byte(s))
	w.Close()
	return b.String()
}

func packZstd(s string) string {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	return string(w.EncodeAll([]byte(s), nil))
}

func packSnappy(s string) string { return string(snappy.Encode(nil, []byte(s))) }

func TestExchanges(t *testing.T) {
	find := msg(1, 0, 0, str("find", "orders"), sub("filter", str("name", "secret")), str("$db", "shop"))
	batch := func(id, to int, cursor int64, list string) string {
		return msg(id, to, 0, sub("cursor", list, i64("id", cursor), str("ns", "shop.orders")), fine)
	}
	more := func(id int, fields ...string) string {
		return msg(id, 0, 0, append(append([]string{i64("getMore", 77), str("collection", "orders")}, fields...), str("$db", "shop"))...)
	}
	row := doc(str("name", "secret"))
	large := batch(9, 1, 0, list("firstBatch", doc(str("blob", strings.Repeat("x", 500)))))
	prototest.Scripts(t, Protocol, []prototest.Script{
		{Name: "a find and its cursor", Steps: steps{
			client(1, find), server(2, batch(9, 1, 77, list("firstBatch", row, row))),
			client(3, more(2)), server(4, batch(10, 2, 0, list("nextBatch", row))),
		}, Want: []string{
			`find "shop.orders" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered rows=2`,
			`getMore "shop.orders" q[3-3 #3-3 1p] r[4-4 #4-4 1p] answered rows=1`,
		}},
		{Name: "errors", Steps: steps{
			client(1, msg(1, 0, 0, str("insert", "orders"), str("$db", "shop"))),
			server(2, msg(9, 1, 0, i32("n", 1), list("writeErrors", doc(i32("index", 1), i32("code", 11000), str("errmsg", "E11000 dup"))), fine)),
			client(3, msg(2, 0, 0, str("nosuch", "secret"), str("$db", "shop"))),
			server(4, msg(10, 2, 0, double("ok", 0), str("errmsg", "no such command"), i32("code", 59), str("codeName", "CommandNotFound"))),
			client(5, msg(3, 0, 0, str("update", "orders"), str("$db", "shop"))),
			server(6, msg(11, 3, 0, i32("n", 2), sub("writeConcernError", i32("code", 64), str("codeName", "WriteConcernFailed"), str("errmsg", "waiting timed out")), fine)),
			client(7, msg(4, 0, 0, str("delete", "orders"), str("$db", "shop"))), server(8, msg(12, 4, 0, i32("ok", 0), i32("code", 13))),
		}, Want: []string{
			`insert "shop.orders" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered 11000 failed "E11000 dup" rows=1`,
			`nosuch "shop" q[3-3 #3-3 1p] r[4-4 #4-4 1p] answered CommandNotFound failed "no such command"`,
			`update "shop.orders" q[5-5 #5-5 1p] r[6-6 #6-6 1p] answered WriteConcernFailed failed "waiting timed out" rows=2`,
			`delete "shop.orders" q[7-7 #7-7 1p] r[8-8 #8-8 1p] answered 13 failed ""`,
		}},
		{Name: "what is no collection is not shown", Steps: steps{
			client(1, msg(1, 0, 0, str("createUser", "secret"), str("pwd", "secret"), str("$db", "shop"))), server(2, msg(9, 1, 0, fine)),
			client(3, msg(2, 0, 0, i32("ping", 1), str("$db", "admin"))), server(4, msg(10, 2, 0, fine)),
			client(5, msg(3, 0, 0, sub("explain", str("find", "orders"), sub("filter", str("a", "secret"))), str("$db", "shop"))), server(6, msg(11, 3, 0, fine)),
			client(7, msg(4, 0, 0, i32("aggregate", 1), str("$db", "shop"))), server(8, msg(12, 4, 0, fine)),
			client(9, msg(5, 0, 0, str("find", "orders"))), server(10, msg(13, 5, 0, fine)),
			client(11, msg(6, 0, 0, str("secret of mine", "x"), str("$db", "shop"))), server(12, msg(14, 6, 0, fine)),
		}, Want: []string{
			`createUser "shop" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered`,
			`ping "" q[3-3 #3-3 1p] r[4-4 #4-4 1p] answered`,
			`explain "shop.orders" q[5-5 #5-5 1p] r[6-6 #6-6 1p] answered`,
			`aggregate "shop" q[7-7 #7-7 1p] r[8-8 #8-8 1p] answered`,
			`find "orders" q[9-9 #9-9 1p] r[10-10 #10-10 1p] answered`,
			`? "shop" q[11-11 #11-11 1p] r[12-12 #12-12 1p] answered`,
		}},
		{Name: "documents before the command, and a checksum", Steps: steps{
			client(1, message32(opMsg, 1, 0, number32(1)+documentsSection("documents", row, row)+"\x00"+doc(str("insert", "orders"), str("$db", "shop"))+"\x00\x01\x02\x03")),
			server(2, msg(9, 1, 0, i32("n", 2), fine)),
		}, Want: []string{`insert "shop.orders" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered rows=2`}},
		{Name: "the server is asked to wait", Steps: steps{
			client(1, msg(1, 0, 0, i32("hello", 1), i32("maxAwaitTimeMS", 10000), str("$db", "admin"))), server(9000, msg(9, 1, 0, fine)),
			client(9001, more(2, i32("maxTimeMS", 500))), server(9400, batch(10, 2, 77, list("nextBatch", row))),
			client(9401, more(3)), server(9900, batch(11, 3, 77, list("nextBatch"))),
			client(9901, more(4)), server(9902, batch(12, 4, 77, list("nextBatch", row))),
			client(9903, msg(5, 0, 0, str("aggregate", "orders"), list("pipeline", doc(sub("$changeStream"))), str("$db", "shop"))),
			server(9904, batch(13, 5, 78, list("firstBatch"))),
			client(9905, msg(6, 0, 0, i64("getMore", 78), str("collection", "orders"), str("$db", "shop"))),
		}, Want: []string{
			`hello "" q[1-1 #1-1 1p] r[9000-9000 #2-2 1p] answered blocking`,
			`getMore "shop.orders" q[9001-9001 #3-3 1p] r[9400-9400 #4-4 1p] answered rows=1 blocking`,
			`getMore "shop.orders" q[9401-9401 #5-5 1p] r[9900-9900 #6-6 1p] answered rows=0 blocking`,
			`getMore "shop.orders" q[9901-9901 #7-7 1p] r[9902-9902 #8-8 1p] answered rows=1 blocking`,
			`aggregate "shop.orders" q[9903-9903 #9-9 1p] r[9904-9904 #10-10 1p] answered rows=0`,
			`getMore "shop.orders" q[9905-9905 #11-11 1p] r[] unanswered blocking`,
		}},
		{Name: "answers that follow unasked", Steps: steps{
			client(1, msg(1, 0, 1<<16, i32("hello", 1), i32("maxAwaitTimeMS", 10000), str("$db", "admin"))),
			server(2, msg(9, 1, moreToCome, fine)), server(3, msg(10, 9, moreToCome, fine)), server(4, msg(11, 10, 0, fine)),
			client(5, msg(2, 0, 0, i32("ping", 1), str("$db", "admin"))), server(6, msg(12, 2, 0, fine)), server(7, msg(13, 12, 0, fine)),
		}, Want: []string{
			`hello "" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered blocking`,
			`ping "" q[5-5 #5-5 1p] r[6-6 #6-6 1p] answered`,
			` "" q[] r[7-7 #7-7 1p] unpaired`,
		}},
		{Name: "not acknowledged", Steps: steps{
			client(1, msg(1, 0, moreToCome, str("insert", "orders"), str("$db", "shop"))),
			client(2, message32(opInsert, 2, 0, number32(0)+"shop.orders\x00"+row)),
			client(3, message32(opKillCursors, 3, 0, number32(0)+number32(1)+"12345678")),
		}, Want: []string{
			`insert "shop.orders" q[1-1 #1-1 1p] r[] no answer expected`,
			`insert "shop.orders" q[2-2 #2-2 1p] r[] no answer expected`,
			`killCursors "" q[3-3 #3-3 1p] r[] no answer expected`,
		}},
		{Name: "older queries", Steps: steps{
			client(1, message32(opQuery, 1, 0, number32(4)+"shop.$cmd\x00"+number32(0)+number32(-1)+doc(sub("$query", str("count", "orders")), sub("$readPreference", str("mode", "secret"))))),
			server(2, message32(opReply, 9, 1, number32(8)+number32(0)+number32(0)+number32(0)+number32(1)+doc(i32("n", 3), fine))),
			client(3, message32(opQuery, 2, 0, number32(4)+"shop.orders\x00"+number32(0)+number32(-1)+doc(str("name", "secret")))),
			server(4, message32(opReply, 10, 2, number32(2)+number32(0)+number32(0)+number32(0)+number32(1)+doc(str("$err", "bad"), i32("code", 17)))),
			client(5, message32(opGetMore, 3, 0, number32(0)+"shop.orders\x00"+number32(0)+"12345678")),
			server(6, message32(opReply, 11, 3, number32(1)+number32(0)+number32(0)+number32(0)+number32(0))),
		}, Want: []string{
			`count "shop.orders" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered rows=1`,
			`find "shop.orders" q[3-3 #3-3 1p] r[4-4 #4-4 1p] answered 17 failed "bad" rows=1`,
			`getMore "shop.orders" q[5-5 #5-5 1p] r[6-6 #6-6 1p] answered CursorNotFound failed "" rows=0`,
		}},
		{Name: "compressed", Steps: steps{
			client(1, compressed(find, useSnappy, packSnappy)), server(2, compressed(batch(9, 1, 0, list("firstBatch", row)), useZlib, packZlib)),
			client(3, compressed(more(2), useZstd, packZstd)), server(4, compressed(msg(10, 2, 0, double("ok", 0), i32("code", 43)), noCompressor, func(s string) string { return s })),
			client(5, compressed(find, useZlib, func(string) string { return "nothing" })), server(6, msg(11, 1, 0, fine)),
		}, Want: []string{
			`find "shop.orders" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered rows=1`,
			`getMore "shop.orders" q[3-3 #3-3 1p] r[4-4 #4-4 1p] answered 43 failed ""`,
			`? "" q[5-5 #5-5 1p] r[6-6 #6-6 1p] answered approximate`,
		}},
		{Name: "several under way, answered in another order", Steps: steps{
			client(1, msg(1, 0, 0, i32("ping", 1), str("$db", "a"))), client(2, msg(2, 0, 0, i32("ping", 1), str("$db", "b"))),
			server(3, msg(9, 2, 0, fine)), server(4, msg(10, 1, 0, fine)),
		}, Want: []string{
			`ping "b" q[2-2 #2-2 1p] r[3-3 #3-3 1p] answered depth=2`,
			`ping "a" q[1-1 #1-1 1p] r[4-4 #4-4 1p] answered`,
		}},
		{Name: "snap length within a batch", Uncut: true, Steps: steps{
			client(1, find), server(2, large[:96]).Cutting(len(large) - 96),
			client(3, more(2)), server(4, batch(10, 2, 0, list("nextBatch", row))),
		}, Want: []string{
			`find "shop.orders" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered rows=? approximate`,
			`getMore "shop.orders" q[3-3 #3-3 1p] r[4-4 #4-4 1p] answered rows=1`,
		}},
		{Name: "an answer is missing", Uncut: true, Steps: steps{
			client(1, find), server(2, msg(10, 2, 0, fine)).After(146), client(3, more(2)), server(4, batch(11, 2, 0, list("nextBatch", row))),
		}, Want: []string{
			` "" q[] r[2-2 #2-2 1p] unpaired`,
			`find "shop.orders" q[1-1 #1-1 1p] r[] unanswered lossy`,
			`getMore "shop.orders" q[3-3 #3-3 1p] r[4-4 #4-4 1p] answered rows=1 depth=2`,
		}},
		{Name: "midway", Midway: true, Uncut: true, Steps: steps{
			server(1, "the rest of something"), client(2, find), server(3, batch(9, 1, 0, list("firstBatch", row))),
		}, Want: []string{`find "shop.orders" q[2-2 #2-2 1p] r[3-3 #3-3 1p] answered rows=1`}},
		{Name: "ends within an answer", Uncut: true, Steps: steps{
			client(1, find), server(2, batch(9, 1, 0, list("firstBatch", row))[:60]),
		}, Want: []string{`find "shop.orders" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered failed "connection ended within the answer"`}},
		{Name: "not MongoDB", Steps: steps{client(1, "GET / HTTP/1.1\r\n\r\n"), server(2, "HTTP/1.1 200 OK\r\n\r\n")}},
	})
}

// The capture holds no word of the documents that were written and asked for.
func TestCapture(t *testing.T) {
	const file = "testdata/ferretdb1.pcap"
	prototest.Golden(t, Protocol, file)
	if found := prototest.Conversations(t, Protocol, file, 1<<20); strings.Contains(found, "secret") {
		t.Errorf("a literal is shown:\n%s", found)
	}
}

// TestAgainstTshark compares which packets end the messages of a request and of its
// answer, and how long both are.
func TestAgainstTshark(t *testing.T) {
	const file = "testdata/ferretdb1.pcap"
	type half struct{ frame, bytes string }
	asked := map[string]half{}
	var want []string
	for _, row := range prototest.Tshark(t, file, "tcp.port==27117,mongo", "mongo", "frame.number", "tcp.stream", "mongo.request_id", "mongo.response_to", "mongo.message_length") {
		frame, stream, id, to, size := row[0], row[1], row[2], row[3], row[4]
		if to == "0x00000000" {
			asked[stream+id] = half{frame, size}
			continue
		}
		q := asked[stream+to]
		want = append(want, fmt.Sprintf("%s+%s %s+%s", q.frame, q.bytes, frame, size))
	}
	var got []string
	for _, e := range prototest.Exchanges(t, Protocol, file) {
		got = append(got, fmt.Sprintf("%d+%d %d+%d", e.Request.Last.Frame, e.Request.Bytes(), e.Response.Last.Frame, e.Response.Bytes()))
	}
	prototest.Agree(t, file, want, got, 40)
}

func TestSniff(t *testing.T) {
	hello := msg(1, 0, 0, i32("hello", 1), str("$db", "admin"))
	answer := msg(9, 1, 0, fine)
	old := message32(opQuery, 1, 0, number32(4)+"admin.$cmd\x00"+number32(0)+number32(-1)+doc(i32("isMaster", 1)))
	prototest.Sniff(t, Protocol, []prototest.Opening{
		{flow.ToServer, hello, proto.Sure},
		{flow.ToServer, hello[:40], proto.Sure},
		{flow.ToServer, hello[:18], proto.Maybe},
		{flow.ToServer, hello[:3], proto.Maybe},
		{flow.ToServer, old, proto.Sure},
		{flow.ToServer, compressed(hello, useZlib, packZlib), proto.Sure},
		{flow.ToClient, hello, proto.No},
		{flow.ToServer, answer, proto.No},
		{flow.ToClient, answer, proto.Sure},
		{flow.ToClient, message32(opReply, 9, 1, number32(8)+number32(0)+number32(0)+number32(0)+number32(1)+doc(fine)), proto.Sure},
		{flow.ToServer, "GET / HTTP/1.1\r\n\r\n", proto.No},
		{flow.ToServer, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03aaaaa", proto.No},
		{flow.ToServer, "*1\r\n$4\r\nPING\r\n\r\n", proto.No},
		{flow.ToServer, number32(40) + number32(1) + number32(0) + number32(opMsg) + number32(8) + "\x00", proto.No},
		{flow.ToServer, number32(40) + number32(1) + number32(0) + number32(opMsg) + number32(0) + "\x07", proto.No},
		{flow.ToServer, number32(40) + number32(1) + number32(0) + number32(opMsg) + number32(0) + "\x00" + number32(99) + "\x10a\x00", proto.No},
		{flow.ToServer, number32(1<<30) + number32(1) + number32(0) + number32(opMsg), proto.No},
	})
}

// A cursor may wait for data without a word that tells; an incomplete request and one
// that is answered are owed nothing.
func TestOwes(t *testing.T) {
	ping := msg(1, 0, 0, i32("ping", 1), str("$db", "admin"))
	for _, tt := range []struct {
		name  string
		want  bool
		steps steps
	}{
		{"asked", true, steps{client(1, ping)}},
		{"answered", false, steps{client(1, ping), server(2, msg(9, 1, 0, fine))}},
		{"asking", false, steps{client(1, ping+ping[:9])}},
		{"answering", false, steps{client(1, ping), server(2, msg(9, 1, 0, fine)[:20])}},
		{"waits by design", false, steps{client(1, msg(1, 0, 0, i32("hello", 1), i32("maxAwaitTimeMS", 10000), str("$db", "admin")))}},
		{"a cursor", false, steps{client(1, msg(1, 0, 0, i64("getMore", 77), str("collection", "orders"), str("$db", "shop")))}},
	} {
		if got := prototest.Owes(Protocol, tt.steps); got != tt.want {
			t.Errorf("%s: owes %v, want %v", tt.name, got, tt.want)
		}
	}
}

// FuzzParser feeds arbitrary conversations, see prototest.Torture; and an arbitrary
// value in step, where the cuts do not matter.
func FuzzParser(f *testing.F) {
	find := msg(1, 0, 0, str("find", "orders"), sub("filter", str("name", "secret")), str("$db", "shop"))
	answer := msg(9, 1, 0, sub("cursor", list("firstBatch", doc(i32("a", 1))), i64("id", 5)), fine)
	f.Add(prototest.Tape(client(0, find), server(1, answer)), byte(0), false)
	f.Add(prototest.Tape(client(0, compressed(find, useZstd, packZstd)), server(1, compressed(answer, useSnappy, packSnappy)), server(2, answer[:30]).Cutting(3)), byte(3), true)
	f.Add(prototest.Tape(client(0, message32(opQuery, 1, 0, number32(4)+"a.$cmd\x00"+number32(0)+number32(-1)+doc(i32("isMaster", 1)))),
		server(1, message32(opReply, 9, 1, number32(8)+number32(0)+number32(0)+number32(0)+number32(1)+doc(fine))).After(9)), byte(9), false)
	f.Fuzz(func(t *testing.T, data []byte, size byte, midway bool) {
		prototest.Torture(t, Protocol, data, midway)
		whole := prototest.Events(steps{
			client(1, msg(1, 0, 0, str("find", "orders"), str("comment", string(data)), field(typeBinary, "blob", number32(len(data))+"\x00"+string(data)), str("$db", "shop"))),
			server(2, msg(9, 1, 0, str("note", string(data)), sub("raw", str("x", string(data))), fine)),
		})
		want := prototest.Run(Protocol, whole, false, flow.Finished)
		got := prototest.Run(Protocol, prototest.Recut(whole, int(size)+1), false, flow.Finished)
		if diff := cmp.Diff(want, got); diff != "" || len(want) != 1 || !strings.HasPrefix(want[0], `find "shop.orders" q`) {
			t.Fatalf("%q; %s", want, diff)
		}
	})
}
