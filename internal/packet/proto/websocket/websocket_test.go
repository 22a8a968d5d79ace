package websocket

import (
	"bytes"
	bits "encoding/binary"
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

const fin = finBit

// sent is a frame of the server.
func sent(first byte, payload string) string {
	n := len(payload)
	switch {
	case n < short:
		return string([]byte{first, byte(n)}) + payload
	case n < 1<<16:
		return string(bits.BigEndian.AppendUint16([]byte{first, short}, uint16(n))) + payload
	}
	return string(bits.BigEndian.AppendUint64([]byte{first, long}, uint64(n))) + payload
}

// asked is a frame of the client.
func asked(first byte, payload string) string {
	const mask = "\x01\x80\x33\x7f"
	whole := sent(first, payload)
	head := []byte(whole[:len(whole)-len(payload)])
	head[1] |= maskBit
	masked := []byte(payload)
	for i := range masked {
		masked[i] ^= mask[i%4]
	}
	return string(head) + mask + string(masked)
}

func TestExchanges(t *testing.T) {
	large := strings.Repeat("secret", 20000)
	prototest.Scripts(t, Protocol, []prototest.Script{
		{Name: "one for one", Steps: steps{client(1, asked(fin|text, "secret")), server(2, sent(fin|text, "secret")), client(3, asked(fin|binary, large)), server(4, sent(fin|binary|packedBit, large))},
			Want: []string{`text "" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered approximate`, `binary "" q[3-3 #3-3 1p] r[4-4 #4-4 1p] answered approximate`}},
		{Name: "in parts, with a ping in between", Steps: steps{client(1, asked(text, "secret")), client(2, asked(fin|ping, "p")), server(3, sent(fin|pong, "p")), client(4, asked(fin, "secret")), server(5, sent(text, "secret")), server(6, sent(fin, ""))},
			Want: []string{`ping "" q[2-2 #2-2 1p] r[3-3 #3-3 1p] answered`, `text "" q[1-4 #1-4 2p] r[5-6 #5-6 2p] answered approximate`}},
		{Name: "pings whose pongs are left out", Steps: steps{client(1, asked(fin|ping, "a")+asked(fin|ping, "b")+asked(fin|ping, "c")), server(2, sent(fin|pong, "nobody's")+sent(fin|pong, "b")), server(3, sent(fin|pong, "c"))},
			Want: []string{`ping "" q[1-1 #1-1 1p] r[] no answer expected`, `ping "" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered depth=2`, `ping "" q[1-1 #1-1 1p] r[3-3 #3-3 1p] answered depth=3`}},
		{Name: "several before the server's next", Steps: steps{client(1, asked(fin|text, "secret")), client(2, asked(fin|text, "secret")), server(3, sent(fin|text, "secret")), client(4, asked(fin|text, "secret")), server(5, sent(fin|text, "secret"))},
			Want: []string{`text "" q[1-1 #1-1 1p] r[] no answer expected approximate ambiguous`, `text "" q[2-2 #2-2 1p] r[3-3 #3-3 1p] answered approximate ambiguous`, `text "" q[4-4 #4-4 1p] r[5-5 #5-5 1p] answered approximate`}},
		{Name: "what the server pushes", Steps: steps{server(1, sent(fin|text, "secret")), client(2, asked(fin|text, "secret")), server(3, sent(fin|text, "secret")), server(4, sent(fin|text, "secret")), server(5, sent(fin|ping, "x")), client(6, asked(fin|pong, "x"))},
			Want: []string{`text "" q[2-2 #2-2 1p] r[3-3 #3-3 1p] answered approximate`}},
		{Name: "sent within the server's message", Steps: steps{server(1, sent(text, "secret")), client(2, asked(fin|text, "secret")), server(3, sent(fin, "secret")), server(4, sent(fin|text, "secret"))},
			Want: []string{`text "" q[2-2 #2-2 1p] r[4-4 #4-4 1p] answered approximate`}},
		{Name: "the client closes", Steps: steps{client(1, asked(fin|text, "secret")), client(2, asked(fin|closing, "\x03\xe8secret")), server(3, sent(fin|closing, "\x03\xe8secret"))},
			Want: []string{`close "" q[2-2 #2-2 1p] r[3-3 #3-3 1p] answered 1000`, `text "" q[1-1 #1-1 1p] r[] unanswered approximate ambiguous`}},
		{Name: "the server fails", Steps: steps{client(1, asked(fin|text, "secret")), server(2, sent(fin|closing, "\x03\xf3internal error")), client(3, asked(fin|closing, "\x03\xf3"))},
			Want: []string{`text "" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered 1011 failed "internal error" approximate`}},
		{Name: "the server goes", Steps: steps{client(1, asked(fin|text, "secret")), server(2, sent(fin|closing, "\x03\xe9")), client(3, asked(fin|closing, "\x03\xe9"))},
			Want: []string{`text "" q[1-1 #1-1 1p] r[] unanswered approximate ambiguous`}},
		{Name: "ends within a message", Uncut: true, Steps: steps{client(1, asked(fin|text, "secret")), server(2, sent(fin|text, large)[:100])},
			Want: []string{`text "" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered failed "connection ended within the answer" approximate`}},
		{Name: "a part of a payload is missing", Uncut: true, Steps: steps{client(1, asked(fin|text, large)[:100]), client(2, asked(fin|text, large)[110:]).After(10), server(3, sent(fin|text, "secret"))},
			Want: []string{`text "" q[1-2 #1-2 2p] r[3-3 #3-3 1p] answered approximate lossy`}},
		{Name: "midway", Midway: true, Uncut: true, Steps: steps{server(1, "the rest of a message"), client(2, asked(fin|text, "secret")), server(3, sent(fin|text, "secret"))},
			Want: []string{`text "" q[2-2 #2-2 1p] r[3-3 #3-3 1p] answered approximate`}},
		{Name: "not WebSocket", Steps: steps{client(1, "GET / HTTP/1.1\r\n\r\n"), server(2, "HTTP/1.1 200 OK\r\n\r\n")}},
	})
}

const file = "testdata/websockets17.pcap"

// upgraded is the decoder for captures whose connections begin with an upgrade, which it
// passes over.
var upgraded = proto.Protocol{Name: "websocket", New: func(sink proto.Sink, midway bool) proto.Parser {
	return &upgrade{Parser: newParser(sink, midway)}
}}

type upgrade struct {
	proto.Parser
	head [2][]byte
	done [2]bool
}

func (u *upgrade) Data(c *flow.Chunk) {
	for i := 0; i < len(c.Data) && !u.done[c.Dir]; i++ {
		u.head[c.Dir] = append(u.head[c.Dir], c.Data[i])
		if u.done[c.Dir] = bytes.HasSuffix(u.head[c.Dir], []byte("\r\n\r\n")); u.done[c.Dir] {
			rest := *c
			rest.Data, rest.Offset = c.Data[i+1:], c.Offset+uint64(i+1)
			c = &rest
			break
		}
	}
	if u.done[c.Dir] && len(c.Data) > 0 {
		u.Parser.Data(c)
	}
}

// The capture holds no word of payloads.
func TestCapture(t *testing.T) {
	prototest.Golden(t, upgraded, file)
	if found := prototest.Conversations(t, upgraded, file, 1<<20); strings.Contains(found, "secret") {
		t.Errorf("a payload is shown:\n%s", found)
	}
}

// TestTshark compares which messages of clients there are, and where pings are answered, with
// the frames of tshark.
func TestTshark(t *testing.T) {
	var want, got []string
	pings := map[string]string{}
	for _, row := range prototest.Tshark(t, file, "tcp.port==18765-18766,http", "websocket", "frame.number", "tcp.stream", "websocket.opcode", "websocket.mask", "websocket.payload.ping", "websocket.payload.pong", "websocket.fin") {
		fromClient := row[3] == "1" || row[3] == "True"
		last := row[6] == "1" || row[6] == "True"
		switch opcode := row[2]; {
		case fromClient && last && (opcode == "0" || opcode == "1" || opcode == "2"):
			want = append(want, "message "+row[0])
		case fromClient && opcode == "9":
			pings[row[1]+row[4]] = row[0]
		case !fromClient && opcode == "10":
			want = append(want, "ping "+pings[row[1]+row[5]]+" "+row[0])
		}
	}
	for _, e := range prototest.Exchanges(t, upgraded, file) {
		switch e.Command {
		case "text", "binary":
			got = append(got, fmt.Sprint("message ", e.Request.Last.Frame))
		case "ping":
			got = append(got, fmt.Sprint("ping ", e.Request.Last.Frame, " ", e.Response.Last.Frame))
		}
	}
	prototest.Agree(t, file, want, got, 30)
}

func TestSniff(t *testing.T) {
	prototest.Sniff(t, Protocol, []prototest.Opening{
		{flow.ToServer, asked(fin|text, "hello"), proto.Likely},
		{flow.ToClient, asked(fin|text, "hello"), proto.No},
		{flow.ToServer, sent(fin|text, "hello"), proto.No},
		{flow.ToClient, sent(fin|text, "hello") + sent(fin|ping, ""), proto.Likely},
		{flow.ToClient, sent(fin|text, strings.Repeat("x", 70000)), proto.Likely},
		{flow.ToClient, sent(fin|text, strings.Repeat("x", 70000))[:5], proto.Maybe},
		{flow.ToClient, sent(fin|text, "hello")[:4], proto.Maybe},
		{flow.ToClient, sent(ping, ""), proto.No},
		{flow.ToClient, sent(fin|3, ""), proto.No},
		{flow.ToClient, "\x81\x7e\x00\x05hello", proto.No},
		{flow.ToServer, "GET / HTTP/1.1\r\n\r\n", proto.No},
		{flow.ToClient, "HTTP/1.1 200 OK\r\n\r\n", proto.No},
		{flow.ToServer, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03aaaaa", proto.No},
	})
}

func TestOwes(t *testing.T) {
	for _, tt := range []struct {
		name  string
		want  bool
		steps steps
	}{
		{"a ping", true, steps{client(1, asked(fin|ping, "a"))}},
		{"a close", true, steps{client(1, asked(fin|closing, ""))}},
		{"a pong", false, steps{client(1, asked(fin|ping, "a")), server(2, sent(fin|pong, "a"))}},
		{"a message", false, steps{client(1, asked(fin|text, "a"))}},
		{"half a message", false, steps{client(1, asked(fin|ping, "a")), client(1, asked(fin|text, "a")[:3])}},
	} {
		if got := prototest.Owes(Protocol, tt.steps); got != tt.want {
			t.Errorf("%s: owes %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestLengths has bad numbers in frames, which captures have behind an upgrade.
func TestLengths(t *testing.T) {
	prototest.Lengths(t, Protocol, prototest.Events(steps{client(1, asked(text, "a")+asked(fin|ping, "b")+asked(fin, strings.Repeat("c", 130))), server(2, sent(fin|pong, "b")+sent(fin|binary, "d")),
		client(3, asked(fin|text, "e")), server(4, sent(fin|closing, "\x03\xf3no"))}))
}

// FuzzParser feeds arbitrary conversations, see prototest.Torture; and arbitrary
// payloads in step, where the cuts do not matter.
func FuzzParser(f *testing.F) {
	f.Add(prototest.Tape(client(0, asked(fin|text, "a")+asked(fin|ping, "b")), server(1, sent(fin|pong, "b")+sent(text, "c")+sent(fin, "d"))), byte(0), false)
	f.Add(prototest.Tape(client(0, asked(fin|ping, "a")+asked(fin|closing, "")+asked(fin|ping, "b")), server(1, sent(fin|pong, "b")).Cutting(3)), byte(3), true)
	f.Add(prototest.Tape(client(0, asked(fin|binary, "a")), server(1, sent(fin|closing, "\x03\xf3no")).After(9)), byte(9), false)
	f.Fuzz(func(t *testing.T, data []byte, size byte, midway bool) {
		prototest.Torture(t, Protocol, data, midway)
		whole := prototest.Events(steps{client(1, asked(fin|binary, string(data))), client(2, asked(fin|ping, "p")), server(3, sent(fin|pong, "p")+sent(fin|binary, string(data)))})
		want := prototest.Run(Protocol, whole, false, flow.Finished)
		got := prototest.Run(Protocol, prototest.Recut(whole, int(size)+1), false, flow.Finished)
		if diff := cmp.Diff(want, got); diff != "" || len(want) != 2 || !strings.HasPrefix(want[0], `ping "" q`) {
			t.Fatalf("%q; %s", want, diff)
		}
	})
}
