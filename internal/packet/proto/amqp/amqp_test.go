package amqp

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/prototest"
)

type steps = []prototest.Step

var client, server = prototest.Client, prototest.Server

func u16(n int) string    { return string(binary.BigEndian.AppendUint16(nil, uint16(n))) }
func u64(n uint64) string { return string(binary.BigEndian.AppendUint64(nil, n)) }

func name(s string) string { return string([]byte{byte(len(s))}) + s }

func frameOf(kind byte, number int, payload string) string {
	return string([]byte{kind}) + u16(number) + string(binary.BigEndian.AppendUint32(nil, uint32(len(payload)))) + payload + "\xce"
}

func call(number, class, m int, args string) string {
	return frameOf(methodFrame, number, u16(class)+u16(m)+args)
}

// content is the header and the body of a message, in two frames if it is long.
func content(number int, body string) string {
	head := frameOf(contentFrame, number, u16(60)+u16(0)+u64(uint64(len(body)))+u16(0))
	half := len(body) / 2
	if len(body) < 20 {
		half = 0
	}
	for _, part := range []string{body[:half], body[half:]} {
		if part != "" {
			head += frameOf(bodyFrame, number, part)
		}
	}
	return head
}

func publish(number int, exchange, key, body string) string {
	return call(number, 60, 40, u16(0)+name(exchange)+name(key)+"\x00") + content(number, body)
}

func ack(number int, tag uint64, multiple byte) string {
	return call(number, 60, 80, u64(tag)+string([]byte{multiple}))
}

func declare(number int, queue string, bits byte) string {
	return call(number, 50, 10, u16(0)+name(queue)+string([]byte{bits})+"\x00\x00\x00\x00")
}

func TestExchanges(t *testing.T) {
	declared := call(1, 50, 11, name("q")+"\x00\x00\x00\x00\x00\x00\x00\x00")
	confirms := steps{client(1, call(1, 85, 10, "\x00")), server(2, call(1, 85, 11, ""))}
	chosen := `confirm.select "" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered`
	secret := strings.Repeat("secret", 10)
	prototest.Scripts(t, Protocol, []prototest.Script{
		{Name: "hello", Steps: steps{client(1, preamble), server(2, call(0, 10, 10, "\x00\x09\x00\x00\x00\x00")), client(3, call(0, 10, 11, "\x00\x00\x00\x00"+name("PLAIN")+"\x00\x00\x00\x0d\x00guest\x00secret"+name("C"))), server(4, call(0, 10, 30, u16(2047)))},
			Want: []string{`connection.start-ok "" q[3-3 #3-3 1p] r[4-4 #4-4 1p] answered`}},
		{Name: "without confirms", Steps: steps{client(1, publish(1, "orders", "a.b", secret))}, Want: []string{`basic.publish "orders" q[1-1 #1-1 1p] r[] no answer expected`}},
		{Name: "default exchange", Steps: steps{client(1, publish(1, "", "jobs", ""))}, Want: []string{`basic.publish "jobs" q[1-1 #1-1 1p] r[] no answer expected`}},
		{Name: "confirms, several at a time, a nack", Steps: append(confirms[:2:2], client(3, publish(1, "a", "k", secret)+publish(1, "b", "k", secret)+publish(1, "c", "k", secret)),
			server(4, ack(1, 2, 1)), server(5, call(1, 60, 120, u64(3)+"\x00"))),
			Want: []string{chosen, `basic.publish "a" q[3-3 #3-3 1p] r[4-4 #4-4 1p] answered`, `basic.publish "b" q[3-3 #3-3 1p] r[4-4 #4-4 1p] answered depth=2`,
				`basic.publish "c" q[3-3 #3-3 1p] r[5-5 #5-5 1p] answered nack failed "" depth=3`}},
		{Name: "returned", Steps: append(confirms[:2:2], client(3, publish(1, "a", "k", secret)), server(4, call(1, 60, 50, u16(312)+name("NO_ROUTE")+name("a")+name("k"))+content(1, secret)), server(5, ack(1, 1, 0))),
			Want: []string{chosen, `basic.publish "a" q[3-3 #3-3 1p] r[5-5 #5-5 1p] answered 312 failed ""`}},
		{Name: "frames of channels in between", Steps: steps{client(1, call(1, 60, 70, u16(0)+name("q")+"\x00")+declare(2, "amq.gen-xyz", 0)),
			server(2, call(1, 60, 71, u64(1)+"\x00"+name("e")+name("k")+"\x00\x00\x00\x00")), server(3, call(2, 50, 11, name("amq.gen-xyz")+"\x00\x00\x00\x00\x00\x00\x00\x00")), server(4, content(1, secret))},
			Want: []string{`queue.declare "amq.gen" q[1-1 #1-1 1p] r[3-3 #3-3 1p] answered depth=2`, `basic.get "q" q[1-1 #1-1 1p] r[2-4 #2-4 2p] answered rows=1`}},
		{Name: "deliveries are no answers", Steps: steps{server(1, call(1, 60, 60, name("ctag")+u64(9)+"\x00"+name("e")+name("k"))+content(1, secret)), client(2, ack(1, 9, 0)), client(3, declare(1, "q", 0)),
			server(4, call(1, 60, 60, name("ctag")+u64(10)+"\x00"+name("e")+name("k"))+content(1, secret)+declared)},
			Want: []string{`basic.ack "" q[2-2 #2-2 1p] r[] no answer expected`, `queue.declare "q" q[3-3 #3-3 1p] r[4-4 #4-4 1p] answered`}},
		{Name: "no-wait", Steps: steps{client(1, declare(1, "q", 1<<4))}, Want: []string{`queue.declare "q" q[1-1 #1-1 1p] r[] no answer expected`}},
		{Name: "blocked, and a heartbeat", Steps: steps{client(1, declare(1, "q", 0)), server(2, call(0, 10, 60, name("low on memory"))+frameOf(heartbeatFrame, 0, "")), server(3, declared)},
			Want: []string{`queue.declare "q" q[1-1 #1-1 1p] r[3-3 #3-3 1p] answered`}},
		{Name: "the channel is closed for a publish without confirm", Steps: steps{client(1, publish(1, "absent", "k", secret)), server(2, call(1, 20, 40, u16(404)+name("NOT_FOUND")+u16(60)+u16(40))), client(3, call(1, 20, 41, ""))},
			Want: []string{`basic.publish "absent" q[1-1 #1-1 1p] r[] no answer expected`, `channel.close-ok "" q[3-3 #3-3 1p] r[] no answer expected`}},
		{Name: "midway", Midway: true, Uncut: true, Steps: steps{server(1, "the rest of a body\xce"), client(2, declare(1, "q", 0)), server(3, declared)},
			Want: []string{`queue.declare "q" q[2-2 #2-2 1p] r[3-3 #3-3 1p] answered`}},
		{Name: "confirms that began before the capture", Midway: true, Uncut: true, Steps: steps{client(1, publish(1, "a", "k", secret)), server(2, ack(1, 41, 0)), client(3, publish(1, "b", "k", secret)), server(4, ack(1, 42, 0)),
			client(5, publish(1, "c", "k", secret)), server(6, call(1, 60, 120, u64(43)+"\x00"))},
			Want: []string{`basic.publish "a" q[1-1 #1-1 1p] r[] no answer expected`, `basic.publish "b" q[3-3 #3-3 1p] r[4-4 #4-4 1p] answered approximate`, `basic.publish "c" q[5-5 #5-5 1p] r[6-6 #6-6 1p] answered nack failed "" approximate`}},
		{Name: "more messages were under way than were captured", Midway: true, Uncut: true, Steps: steps{server(1, ack(1, 41, 0)), client(2, publish(1, "b", "k", secret)), server(3, ack(1, 44, 1)), client(4, publish(1, "c", "k", secret)), server(5, ack(1, 45, 0))},
			Want: []string{`basic.publish "b" q[2-2 #2-2 1p] r[3-3 #3-3 1p] answered approximate ambiguous`, `basic.publish "c" q[4-4 #4-4 1p] r[5-5 #5-5 1p] answered approximate`}},
		{Name: "a part of a body is missing", Uncut: true, Steps: steps{client(1, publish(1, "orders", "k", secret)[:60]), client(2, publish(1, "orders", "k", secret)[70:]).After(10)},
			Want: []string{`basic.publish "orders" q[1-2 #1-2 2p] r[] no answer expected lossy`}},
		{Name: "not AMQP", Steps: steps{client(1, "GET / HTTP/1.1\r\n\r\n"), server(2, "HTTP/1.1 200 OK\r\n\r\n")}},
	})
}

// TestConfirmsAreBounded: a delivery tag of a hostile server costs no time.
func TestConfirmsAreBounded(t *testing.T) {
	whole := prototest.Events(steps{client(1, call(1, 85, 10, "\x00")), client(2, publish(1, "a", "k", "secret")), server(3, ack(1, 1<<63, 1)), server(4, ack(1, 0, 1))})
	if got := prototest.Run(Protocol, whole, false, flow.Finished); len(got) != 2 {
		t.Errorf("%q", got)
	}
}

const file = "testdata/rabbitmq3.pcap"

// The capture holds no word of the messages and of the passwords.
func TestCapture(t *testing.T) {
	prototest.Golden(t, Protocol, file)
	if found := prototest.Conversations(t, Protocol, file, 1<<20); strings.Contains(found, "secret") {
		t.Errorf("a body or a password is shown:\n%s", found)
	}
}

// TestAgainstTshark compares the methods of clients, and the packets that they begin in.
func TestAgainstTshark(t *testing.T) {
	var want []string
	for _, row := range prototest.Tshark(t, file, "tcp.port==15672,amqp", "amqp.type==1 && tcp.dstport==15672", "frame.number", "amqp.method.class", "amqp.method.method") {
		class, _ := strconv.Atoi(row[1])
		m, _ := strconv.Atoi(row[2])
		want = append(want, row[0]+" "+requests[id(uint32(class), uint32(m))].name)
	}
	var got []string
	for _, e := range prototest.Exchanges(t, Protocol, file) {
		got = append(got, fmt.Sprintf("%d %s", e.Request.First.Frame, e.Command))
	}
	prototest.Agree(t, file, want, got, 60)
}

func TestSniff(t *testing.T) {
	prototest.Sniff(t, Protocol, []prototest.Opening{
		{flow.ToServer, preamble, proto.Sure},
		{flow.ToServer, preamble[:5], proto.Maybe},
		{flow.ToServer, "AMQP\x00\x01\x00\x00", proto.No},
		{flow.ToClient, call(0, 10, 10, "\x00\x09"), proto.Sure},
		{flow.ToClient, call(0, 10, 10, "\x00\x09")[:12], proto.Likely},
		{flow.ToServer, declare(1, "q", 0), proto.Sure},
		{flow.ToServer, frameOf(heartbeatFrame, 0, ""), proto.Sure},
		{flow.ToServer, frameOf(bodyFrame, 1, "abc"), proto.Likely},
		{flow.ToServer, strings.Replace(declare(1, "q", 0), "\xce", "\xcd", 1), proto.No},
		{flow.ToServer, call(1, 11, 10, ""), proto.No},
		{flow.ToServer, "GET / HTTP/1.1\r\n\r\n", proto.No},
		{flow.ToServer, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03aaaaa", proto.No},
		{flow.ToServer, "\x03\x00\x00\x13\x0e\xe0\x00\x00\x00\x00\x00\x01\x00\x08\x00\x03\x00\x00\x00", proto.No}, // RDP
	})
}

func TestOwes(t *testing.T) {
	for _, tt := range []struct {
		name  string
		want  bool
		steps steps
	}{
		{"asked", true, steps{client(1, declare(1, "q", 0))}},
		{"answered", false, steps{client(1, declare(1, "q", 0)), server(2, call(1, 50, 11, name("q")))}},
		{"asking", false, steps{client(1, declare(1, "q", 0)[:9])}},
		{"answering", false, steps{client(1, declare(1, "q", 0)), server(2, call(1, 50, 11, name("q"))[:9])}},
		{"publishing, the message to come", false, steps{client(1, call(1, 85, 10, "\x00")), server(2, call(1, 85, 11, "")), client(3, call(1, 60, 40, u16(0)+name("a")+name("k")+"\x00"))}},
		{"published", true, steps{client(1, call(1, 85, 10, "\x00")), server(2, call(1, 85, 11, "")), client(3, publish(1, "a", "k", "secret"))}},
		{"publishing without confirms", false, steps{client(1, publish(1, "a", "k", "secret"))}},
	} {
		if got := prototest.Owes(Protocol, tt.steps); got != tt.want {
			t.Errorf("%s: owes %v, want %v", tt.name, got, tt.want)
		}
	}
}

// FuzzParser feeds arbitrary conversations, see prototest.Torture; and arbitrary
// bodies in step, where the cuts do not matter.
func FuzzParser(f *testing.F) {
	f.Add(prototest.Tape(client(0, preamble+call(1, 85, 10, "\x00")+publish(1, "a", "k", "secret")), server(1, call(1, 85, 11, "")+ack(1, 1, 1))), byte(0), false)
	f.Add(prototest.Tape(client(0, call(1, 60, 70, u16(0)+name("q")+"\x00")), server(1, call(1, 60, 71, u64(1)+"\x00"+name("e")+name("k")+"\x00\x00\x00\x00")+content(1, "secret")).Cutting(3)), byte(3), true)
	f.Add(prototest.Tape(client(0, declare(1, "q", 0)), server(1, call(1, 20, 40, u16(404)+name("NOT_FOUND")+u16(50)+u16(10))).After(9)), byte(9), false)
	f.Fuzz(func(t *testing.T, data []byte, size byte, midway bool) {
		prototest.Torture(t, Protocol, data, midway)
		whole := prototest.Events(steps{client(1, publish(1, "a", "k", string(data))), client(2, declare(1, "q", 0)), server(3, call(1, 50, 11, name("q")))})
		want := prototest.Run(Protocol, whole, false, flow.Finished)
		got := prototest.Run(Protocol, prototest.Recut(whole, int(size)+1), false, flow.Finished)
		if diff := cmp.Diff(want, got); diff != "" || len(want) != 2 || !strings.HasPrefix(want[1], `queue.declare "q" q`) {
			t.Fatalf("%q; %s", want, diff)
		}
	})
}
