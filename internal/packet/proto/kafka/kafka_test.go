package kafka

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

var client, server = prototest.Client, prototest.Server

func i16(n int) string { return string(binary.BigEndian.AppendUint16(nil, uint16(n))) }
func i32(n int) string { return string(binary.BigEndian.AppendUint32(nil, uint32(n))) }

func text(s string) string { return i16(len(s)) + s }

// compact is a string of a flexible version.
func compact(s string) string { return string(rune(len(s)+1)) + s }

func sized(body string) string { return i32(len(body)) + body }

// ask is a request of the client "shop".
func ask(key, version, id int, body string) string {
	head := i16(key) + i16(version) + i32(id) + text("shop")
	if int16(version) >= apis[key].flexible {
		head += "\x00"
	}
	return sized(head + body)
}

func answer(id int, body string) string { return sized(i32(id) + body) }

// records are of a partition; what is in them is nobody's business.
func produceOf(version, acks int, topic string) string {
	if version >= 9 {
		return "\x00" + i16(acks) + i32(30000) + "\x02" + compact(topic) + "\x02" + i32(0) + "\x0asecret-51\x00\x00\x00"
	}
	return i16(-1) + i16(acks) + i32(30000) + i32(1) + text(topic) + i32(1) + i32(0) + i32(9) + "secret-51"
}

func fetchOf(waitMS int, topics ...string) string {
	body := i32(-1) + i32(waitMS) + i32(1) + i32(1<<20) + "\x00" + i32(0) + i32(-1) + i32(len(topics))
	for _, t := range topics {
		body += text(t) + i32(1) + i32(0) + i32(-1) + i32(0) + i32(7) + i32(0) + i32(7) + i32(1<<20)
	}
	return body + i32(0) + text("")
}

func TestExchanges(t *testing.T) {
	produced := i32(1) + text("orders") + i32(1) + i32(0) + i16(0) + i32(0) + i32(9) + i32(-1) + i32(-1) + i32(0) + i32(0) + i32(0)
	refused := i32(1) + text("orders") + i32(1) + i32(0) + i16(3) + i32(-1) + i32(-1) + i32(-1) + i32(-1) + i32(0) + i32(0) + i32(0)
	fetched := i32(0) + i16(0) + i32(5) + i32(1) + text("orders") + i32(1) + i32(0) + i16(0) + i32(0) + i32(9) + "secret"
	prototest.Scripts(t, Protocol, []prototest.Script{
		{Name: "produce", Steps: steps{client(1, ask(produce, 8, 4, produceOf(8, 1, "orders"))), server(2, answer(4, produced))},
			Want: []string{`Produce "orders" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered`}},
		{Name: "produce, flexible, refused", Steps: steps{client(1, ask(produce, 9, 4, produceOf(9, -1, "orders"))),
			server(2, answer(4, "\x00\x02"+compact("orders")+"\x02"+i32(0)+i16(19)+strings.Repeat("\xff", 16)))},
			Want: []string{`Produce "orders" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered NOT_ENOUGH_REPLICAS failed ""`}},
		{Name: "no such topic", Steps: steps{client(1, ask(produce, 8, 4, produceOf(8, 1, "orders"))), server(2, answer(4, refused))},
			Want: []string{`Produce "orders" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered UNKNOWN_TOPIC_OR_PARTITION failed ""`}},
		{Name: "without acknowledgement", Steps: steps{client(1, ask(produce, 8, 4, produceOf(8, 0, "metrics"))), client(2, ask(metadata, 1, 5, i32(0)))},
			Want: []string{`Produce "metrics" q[1-1 #1-1 1p] r[] no answer expected`, `Metadata "" q[2-2 #2-2 1p] r[] unanswered`}},
		{Name: "a fetch waits by design, and so does what is behind it", Steps: steps{
			client(1, ask(fetch, 11, 7, fetchOf(500, "orders", "audit"))), client(2, ask(heartbeat, 3, 8, text("billing"))), server(3, answer(7, fetched)), server(4, answer(8, i32(0)+i16(27))),
		}, Want: []string{`Fetch "orders"... q[1-1 #1-1 1p] r[3-3 #3-3 1p] answered blocking`, `Heartbeat "" q[2-2 #2-2 1p] r[4-4 #4-4 1p] answered REBALANCE_IN_PROGRESS failed "" depth=2 blocking`}},
		{Name: "a fetch session names no topics again", Steps: steps{
			client(1, ask(fetch, 11, 7, fetchOf(0, "orders"))), server(2, answer(7, fetched)), client(3, ask(fetch, 11, 8, fetchOf(0))), server(4, answer(8, i32(0)+i16(0)+i32(5)+i32(0))),
		}, Want: []string{`Fetch "orders" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered`, `Fetch "orders" q[3-3 #3-3 1p] r[4-4 #4-4 1p] answered`}},
		{Name: "answers in another order", Steps: steps{
			client(1, ask(produce, 8, 1, produceOf(8, 1, "a"))+ask(produce, 8, 2, produceOf(8, 1, "b"))), server(2, answer(2, produced)), server(3, answer(1, produced)),
		}, Want: []string{`Produce "b" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered depth=2`, `Produce "a" q[1-1 #1-1 1p] r[3-3 #3-3 1p] answered`}},
		{Name: "a version that the server does not know", Steps: steps{client(1, ask(apiVersions, 4, 1, compact("lib")+compact("1")+"\x00")), server(2, answer(1, i16(35)+i32(0)))},
			Want: []string{`ApiVersions "" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered UNSUPPORTED_VERSION failed ""`}},
		{Name: "midway", Midway: true, Uncut: true, Steps: steps{
			server(1, "the rest of something"), client(2, ask(produce, 8, 4, produceOf(8, 1, "orders"))), server(3, answer(4, produced)),
		}, Want: []string{`Produce "orders" q[2-2 #2-2 1p] r[3-3 #3-3 1p] answered`}},
		{Name: "ends within an answer", Uncut: true, Steps: steps{client(1, ask(produce, 8, 4, produceOf(8, 1, "orders"))), server(2, answer(4, produced)[:20])},
			Want: []string{`Produce "orders" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered failed "connection ended within the answer"`}},
		{Name: "not Kafka", Steps: steps{client(1, "GET / HTTP/1.1\r\n\r\n"), server(2, "HTTP/1.1 200 OK\r\n\r\n")}},
	})
}

// The capture holds no word of the records that were written and read.
func TestCapture(t *testing.T) {
	const file = "testdata/kafka3.pcap"
	prototest.Golden(t, Protocol, file)
	if found := prototest.Conversations(t, Protocol, file, 1<<20); strings.Contains(found, "secret") {
		t.Errorf("a record is shown:\n%s", found)
	}
}

// TestAgainstTshark compares which packets end the messages of a request and of its
// answer, and how long both are.
func TestAgainstTshark(t *testing.T) {
	const file = "testdata/kafka3.pcap"
	type half struct{ frame, bytes string }
	asked := map[string]half{}
	var want []string
	for _, row := range prototest.Tshark(t, file, "tcp.port==19092,kafka", "kafka", "frame.number", "tcp.stream", "tcp.dstport", "kafka.correlation_id", "kafka.len") {
		frame, stream, port, id, size := row[0], row[1], row[2], row[3], row[4]
		if port == "19092" {
			asked[stream+" "+id] = half{frame, size}
		} else if q, ok := asked[stream+" "+id]; ok {
			want = append(want, fmt.Sprintf("%s+%s %s+%s", q.frame, q.bytes, frame, size))
		}
	}
	var got []string
	for _, e := range prototest.Exchanges(t, Protocol, file) {
		if e.Status == proto.Answered {
			got = append(got, fmt.Sprintf("%d+%d %d+%d", e.Request.Last.Frame, e.Request.Bytes()-4, e.Response.Last.Frame, e.Response.Bytes()-4))
		}
	}
	prototest.Agree(t, file, want, got, 40)
}

func TestSniff(t *testing.T) {
	hello := ask(apiVersions, 3, 0, compact("kafka-python")+compact("3.0")+"\x00")
	prototest.Sniff(t, Protocol, []prototest.Opening{
		{flow.ToServer, hello, proto.Sure},
		{flow.ToServer, hello[:20], proto.Sure},
		{flow.ToServer, hello[:12], proto.Maybe},
		{flow.ToServer, hello[:3], proto.Maybe},
		{flow.ToServer, ask(fetch, 11, 7, fetchOf(500, "orders")), proto.Sure},
		{flow.ToClient, answer(7, "\x00\x00"), proto.Likely},
		{flow.ToClient, answer(7, "\x00\x00") + answer(8, "\x00\x00"), proto.Likely},
		{flow.ToClient, answer(7, "\x00\x00")[:9], proto.Maybe},
		{flow.ToServer, "GET / HTTP/1.1\r\n\r\n", proto.No},
		{flow.ToServer, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03aaaaa", proto.No},
		{flow.ToServer, "*1\r\n$4\r\nPING\r\n\r\n", proto.No},
		{flow.ToServer, "\x00\x00\x00\x08\x04\xd2\x16\x2f", proto.No},                                             // PostgreSQL asks for TLS
		{flow.ToServer, "\x00\x00\x00\x29\x00\x03\x00\x00user\x00secret\x00database\x00secret\x00\x00", proto.No}, // PostgreSQL begins
	})
}

// Who waits by design, asks still, or is answered is owed nothing.
func TestOwes(t *testing.T) {
	put := ask(produce, 8, 4, produceOf(8, 1, "orders"))
	for _, tt := range []struct {
		name  string
		want  bool
		steps steps
	}{
		{"asked", true, steps{client(1, put)}},
		{"answered", false, steps{client(1, put), server(2, answer(4, i32(0)))}},
		{"asking", false, steps{client(1, put+put[:9])}},
		{"answering", false, steps{client(1, put), server(2, answer(4, i32(0))[:9])}},
		{"waits by design", false, steps{client(1, ask(fetch, 11, 7, fetchOf(500, "orders")))}},
		{"joins a group", false, steps{client(1, ask(joinGroup, 5, 7, text("billing")))}},
	} {
		if got := prototest.Owes(Protocol, tt.steps); got != tt.want {
			t.Errorf("%s: owes %v, want %v", tt.name, got, tt.want)
		}
	}
}

// FuzzParser feeds arbitrary conversations, see prototest.Torture; and arbitrary
// records in step, where the cuts do not matter.
func FuzzParser(f *testing.F) {
	f.Add(prototest.Tape(client(0, ask(produce, 8, 4, produceOf(8, 1, "orders"))), server(1, answer(4, i32(1)+text("orders")+i32(1)+i32(0)+i16(3)))), byte(0), false)
	f.Add(prototest.Tape(client(0, ask(fetch, 11, 7, fetchOf(500, "orders", "audit"))), server(1, answer(7, i32(0)+i16(0)+i32(5)+i32(0))[:12]).Cutting(3)), byte(3), true)
	f.Add(prototest.Tape(client(0, ask(produce, 9, 4, produceOf(9, 0, "metrics"))), client(1, ask(metadata, 9, 5, "\x00\x00\x00")), server(2, answer(5, "\x00"+i32(0)+"\x02"+i32(1)+compact("h")+i32(9)+"\x00\x00")).After(9)), byte(9), false)
	f.Fuzz(func(t *testing.T, data []byte, size byte, midway bool) {
		prototest.Torture(t, Protocol, data, midway)
		whole := prototest.Events(steps{
			client(1, ask(produce, 8, 4, i16(-1)+i16(1)+i32(30000)+i32(1)+text("orders")+i32(1)+i32(0)+i32(len(data))+string(data))),
			server(2, answer(4, string(data))),
		})
		want := prototest.Run(Protocol, whole, false, flow.Finished)
		got := prototest.Run(Protocol, prototest.Recut(whole, int(size)+1), false, flow.Finished)
		if diff := cmp.Diff(want, got); diff != "" || len(want) != 1 || !strings.HasPrefix(want[0], `Produce "orders" q`) {
			t.Fatalf("%q; %s", want, diff)
		}
	})
}
