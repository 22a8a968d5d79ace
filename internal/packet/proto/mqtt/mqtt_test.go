package mqtt

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

func u16(n int) string     { return string(binary.BigEndian.AppendUint16(nil, uint16(n))) }
func text(s string) string { return u16(len(s)) + s }

// packetOf is a packet with a type and flags.
func packetOf(kind, flags byte, body string) string {
	return string(binary.AppendUvarint([]byte{kind<<4 | flags}, uint64(len(body)))) + body
}

func hello(version byte) string {
	body := text("MQTT") + string([]byte{version, 0xc2}) + u16(60)
	if version == 5 {
		body += "\x00"
	}
	return packetOf(connect, 0, body+text("secret-client")+text("secret-user")+text("secret-password"))
}

// put is a PUBLISH of version 3.1.1.
func put(qos byte, id int, topic, payload string) string {
	body := text(topic)
	if qos > 0 {
		body += u16(id)
	}
	return packetOf(publish, qos<<1, body+payload)
}

// put5 is a PUBLISH of version 5 with QoS 1.
func put5(id int, topic, properties string) string {
	return packetOf(publish, 2, text(topic)+u16(id)+string([]byte{byte(len(properties))})+properties+"secret")
}

func ask(kind byte, id int, properties string, filters ...string) string {
	body := u16(id) + properties
	for _, f := range filters {
		body += text(f)
		if kind == subscribe {
			body += "\x01"
		}
	}
	return packetOf(kind, 2, body)
}

func ack(kind byte, id int, codes string) string {
	flags := byte(0)
	if kind == pubrel {
		flags = 2
	}
	return packetOf(kind, flags, u16(id)+codes)
}

func TestExchanges(t *testing.T) {
	in3, in5 := steps{client(1, hello(4)), server(2, "\x20\x02\x00\x00")}, steps{client(1, hello(5)), server(2, "\x20\x03\x00\x00\x00")}
	connected := `CONNECT "" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered`
	alias := "\x23\x00\x07"
	prototest.Scripts(t, Protocol, []prototest.Script{
		{Name: "a login refused", Steps: steps{client(1, hello(4)), server(2, "\x20\x02\x00\x05")}, Want: []string{`CONNECT "" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered NOT_AUTHORIZED failed ""`}},
		{Name: "a login in three steps", Steps: steps{client(1, hello(5)), server(2, packetOf(auth, 0, "\x18\x00")), client(3, packetOf(auth, 0, "\x18\x00")), server(4, "\x20\x03\x00\x87\x00")},
			Want: []string{connected, `AUTH "" q[3-3 #3-3 1p] r[4-4 #4-4 1p] answered NOT_AUTHORIZED failed ""`}},
		{Name: "three QoS", Steps: append(in3[:2:2], client(3, put(0, 0, "a/b", "secret")+put(1, 1, "c", "secret")+put(2, 2, "d", "secret")), server(4, ack(pubrec, 2, "")+ack(puback, 1, "")),
			client(5, ack(pubrel, 2, "")), server(6, ack(pubcomp, 2, ""))),
			Want: []string{connected, `PUBLISH "a/b" q[3-3 #3-3 1p] r[] no answer expected`, `PUBLISH "d" q[3-3 #3-3 1p] r[4-4 #4-4 1p] answered depth=2`,
				`PUBLISH "c" q[3-3 #3-3 1p] r[4-4 #4-4 1p] answered`, `PUBREL "" q[5-5 #5-5 1p] r[6-6 #6-6 1p] answered`}},
		{Name: "refused by reason code, and one that is none", Steps: append(in5[:2:2], client(3, put5(1, "a", "")+put5(2, "b", "")), server(4, ack(puback, 1, "\x10")+ack(puback, 2, "\x97\x00"))),
			Want: []string{connected, `PUBLISH "a" q[3-3 #3-3 1p] r[4-4 #4-4 1p] answered`, `PUBLISH "b" q[3-3 #3-3 1p] r[4-4 #4-4 1p] answered QUOTA_EXCEEDED failed "" depth=2`}},
		{Name: "aliases", Steps: append(in5[:2:2], client(3, put5(1, "long/topic", "\x26"+text("secret")+text("secret")+alias)), server(4, ack(puback, 1, "")), client(5, put5(2, "", "\x02\x00\x00\x00\x09"+alias)), server(6, ack(puback, 2, ""))),
			Want: []string{connected, `PUBLISH "long/topic" q[3-3 #3-3 1p] r[4-4 #4-4 1p] answered`, `PUBLISH "long/topic" q[5-5 #5-5 1p] r[6-6 #6-6 1p] answered`}},
		{Name: "subscriptions, one of which is refused", Steps: append(in5[:2:2], client(3, ask(subscribe, 1, "\x02\x0b\x05", "a/#", "b")), server(4, ack(suback, 1, "\x00\x01\x8f")), client(5, ask(unsubscribe, 2, "\x00", "b")), server(6, ack(unsuback, 2, "\x00\x00"))),
			Want: []string{connected, `SUBSCRIBE "a/#"... q[3-3 #3-3 1p] r[4-4 #4-4 1p] answered TOPIC_FILTER_INVALID failed ""`, `UNSUBSCRIBE "b" q[5-5 #5-5 1p] r[6-6 #6-6 1p] answered`}},
		{Name: "what the broker publishes is no answer", Steps: append(in3[:2:2], client(3, put(1, 1, "a", "secret")), server(4, put(1, 1, "b", "secret")), client(5, ack(puback, 1, "")), server(6, ack(puback, 1, "")), client(7, "\xe0\x00")),
			Want: []string{connected, `PUBLISH "a" q[3-3 #3-3 1p] r[6-6 #6-6 1p] answered`, `DISCONNECT "" q[7-7 #7-7 1p] r[] no answer expected`}},
		{Name: "the broker gives up", Steps: append(in5[:2:2], client(3, put5(1, "a", "")), server(4, packetOf(disconnect, 0, "\x95"))),
			Want: []string{connected, `PUBLISH "a" q[3-3 #3-3 1p] r[4-4 #4-4 1p] answered PACKET_TOO_LARGE failed ""`}},
		{Name: "pings", Steps: steps{client(1, "\xc0\x00"), server(2, "\xd0\x00")}, Want: []string{`PINGREQ "" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered`}},
		{Name: "midway", Midway: true, Uncut: true, Steps: steps{server(1, "the rest of a payload"), client(2, ask(subscribe, 1, "", "a")), server(3, ack(suback, 1, "\x01")), client(4, ask(subscribe, 2, "\x00", "b")), server(5, ack(suback, 2, "\x00\x80"))},
			Want: []string{`SUBSCRIBE "a" q[2-2 #2-2 1p] r[3-3 #3-3 1p] answered`, `SUBSCRIBE "b" q[4-4 #4-4 1p] r[5-5 #5-5 1p] answered UNSPECIFIED_ERROR failed ""`}},
		{Name: "a part of a payload is missing", Uncut: true, Steps: steps{client(1, put(1, 1, "a", strings.Repeat("secret", 20))[:60]), client(2, put(1, 1, "a", strings.Repeat("secret", 20))[70:]).After(10), server(3, ack(puback, 1, ""))},
			Want: []string{`PUBLISH "a" q[1-2 #1-2 2p] r[3-3 #3-3 1p] answered lossy`}},
		{Name: "an answer is missing", Uncut: true, Steps: steps{client(1, put(1, 1, "a", "secret")), client(2, put(1, 2, "b", "secret")), server(3, ack(puback, 2, "")).After(4)},
			Want: []string{`PUBLISH "a" q[1-1 #1-1 1p] r[] unanswered lossy`, `PUBLISH "b" q[2-2 #2-2 1p] r[3-3 #3-3 1p] answered depth=2`}},
		{Name: "not MQTT", Steps: steps{client(1, "GET / HTTP/1.1\r\n\r\n"), server(2, "HTTP/1.1 200 OK\r\n\r\n")}},
	})
}

const file = "testdata/mosquitto2.pcap"

// The capture holds no word of payloads, users, clients and passwords.
func TestCapture(t *testing.T) {
	prototest.Golden(t, Protocol, file)
	if found := prototest.Conversations(t, Protocol, file, 1<<20); strings.Contains(found, "secret") {
		t.Errorf("a value is shown:\n%s", found)
	}
}

// TestTshark compares the requests of clients, and the packets they and their answers
// come in, with those of tshark.
func TestTshark(t *testing.T) {
	var want, got []string
	asked := map[string]string{}
	for _, row := range prototest.Tshark(t, file, "tcp.port==11883-11884,mqtt", "mqtt", "frame.number", "tcp.stream", "tcp.srcport", "mqtt.msgtype", "mqtt.msgid", "mqtt.qos") {
		frame, stream, kind, id := row[0], row[1], atoi(row[3]), row[4]
		if fromBroker := strings.HasPrefix(row[2], "1188"); fromBroker {
			k := fmt.Sprint(stream, key(byte(kind), uint16(atoi(id))))
			if q, ok := asked[k]; ok {
				want = append(want, q+" "+frame)
				delete(asked, k)
			}
			continue
		}
		answer := answers[kind]
		if kind == publish {
			answer = [...]byte{0, puback, pubrec}[atoi(row[5])]
		}
		q := names[kind] + " " + frame
		switch {
		case answer != 0:
			asked[fmt.Sprint(stream, key(answer, uint16(atoi(id))))] = q
		case kind == publish, kind == disconnect:
			want = append(want, q+" 0")
		}
	}
	for _, e := range prototest.Exchanges(t, Protocol, file) {
		got = append(got, fmt.Sprintf("%s %d %d", e.Command, e.Request.First.Frame, e.Response.First.Frame))
	}
	prototest.Agree(t, file, want, got, 80)
}

func atoi(s string) (n int) {
	fmt.Sscan(s, &n)
	return n
}

func TestSniff(t *testing.T) {
	prototest.Sniff(t, Protocol, []prototest.Opening{
		{flow.ToServer, hello(4), proto.Sure},
		{flow.ToServer, hello(5), proto.Sure},
		{flow.ToServer, hello(4)[:6], proto.Maybe},
		{flow.ToServer, packetOf(connect, 0, text("MQTT")+"\x09\x00\x00\x3c\x00\x00"), proto.No},
		{flow.ToClient, "\x20\x02\x00\x00", proto.Likely},
		{flow.ToClient, "\x20\x02\x07\x00", proto.No},
		{flow.ToServer, "\x20\x02\x00\x00", proto.No},
		{flow.ToServer, put(1, 7, "a/b", "x"), proto.Likely},
		{flow.ToServer, put(1, 7, "a/b", strings.Repeat("x", 500))[:100], proto.Likely},
		{flow.ToServer, put(1, 7, "a/+", "x"), proto.No},
		{flow.ToServer, put(3, 7, "a/b", "x"), proto.No},
		{flow.ToServer, put(1, 7, "a/b", "x") + "\xc0", proto.Maybe},
		{flow.ToServer, put(1, 7, "a/b", "x") + "\xc0\x00", proto.Likely},
		{flow.ToClient, "\xd0\x00", proto.Likely},
		{flow.ToServer, "1234 is no topic at all\r\n", proto.No},
		{flow.ToServer, "GET / HTTP/1.1\r\n\r\n", proto.No},
		{flow.ToServer, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03aaaaa", proto.No},
	})
}

func TestOwes(t *testing.T) {
	for _, tt := range []struct {
		name  string
		want  bool
		steps steps
	}{
		{"asked", true, steps{client(1, put(1, 1, "a", "x"))}},
		{"answered", false, steps{client(1, put(1, 1, "a", "x")), server(2, ack(puback, 1, ""))}},
		{"asking", false, steps{client(1, put(1, 1, "a", "x")[:5])}},
		{"answering", false, steps{client(1, put(1, 1, "a", "x")), server(2, ack(puback, 1, "")[:3])}},
		{"nothing to answer", false, steps{client(1, put(0, 0, "a", "x"))}},
	} {
		if got := prototest.Owes(Protocol, tt.steps); got != tt.want {
			t.Errorf("%s: owes %v, want %v", tt.name, got, tt.want)
		}
	}
}

// FuzzParser feeds arbitrary conversations, see prototest.Torture; and arbitrary
// payloads in step, where the cuts do not matter.
func FuzzParser(f *testing.F) {
	f.Add(prototest.Tape(client(0, hello(5)+put5(1, "a", "\x23\x00\x07")), server(1, "\x20\x03\x00\x00\x00"+ack(puback, 1, "\x10"))), byte(0), false)
	f.Add(prototest.Tape(client(0, ask(subscribe, 1, "\x02\x0b\x05", "a/#", "b")), server(1, ack(suback, 1, "\x00\x01\x8f")).Cutting(3)), byte(3), true)
	f.Add(prototest.Tape(client(0, put(2, 1, "a", "x")+ack(pubrel, 1, "")), server(1, packetOf(disconnect, 0, "\x95")).After(9)), byte(9), false)
	f.Fuzz(func(t *testing.T, data []byte, size byte, midway bool) {
		prototest.Torture(t, Protocol, data, midway)
		whole := prototest.Events(steps{client(1, put(1, 1, "a", string(data))), client(2, ask(unsubscribe, 2, "", "b")), server(3, ack(puback, 1, "")+ack(unsuback, 2, ""))})
		want := prototest.Run(Protocol, whole, false, flow.Finished)
		got := prototest.Run(Protocol, prototest.Recut(whole, int(size)+1), false, flow.Finished)
		if diff := cmp.Diff(want, got); diff != "" || len(want) != 2 || !strings.HasPrefix(want[1], `UNSUBSCRIBE "b" q`) {
			t.Fatalf("%q; %s", want, diff)
		}
	})
}
