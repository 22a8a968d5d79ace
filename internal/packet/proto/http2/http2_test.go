package http2

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/http2/hpack"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/prototest"
)

type steps = []prototest.Step

var client, server = prototest.Client, prototest.Server

func frameOf(kind, flags byte, stream int, payload string) string {
	n := len(payload)
	return string([]byte{byte(n >> 16), byte(n >> 8), byte(n), kind, flags}) + u32(stream) + payload
}

func u32(n int) string { return string(binary.BigEndian.AppendUint32(nil, uint32(n))) }

// coder makes headers as one side of a connection does: later ones refer to what
// earlier ones said.
type coder struct {
	b bytes.Buffer
	e *hpack.Encoder
}

func newCoder() *coder {
	c := &coder{}
	c.e = hpack.NewEncoder(&c.b)
	return c
}

func (c *coder) block(pairs ...string) string {
	c.b.Reset()
	for i := 0; i < len(pairs); i += 2 {
		c.e.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]})
	}
	return c.b.String()
}

func (c *coder) get(stream int, path string) string {
	return frameOf(headersFrame, flagEndHeaders|flagEndStream, stream, c.block(":method", "GET", ":scheme", "http", ":path", path, "cookie", "secret"))
}

func (c *coder) call(stream int, path string, flags byte) string {
	return frameOf(headersFrame, flagEndHeaders|flags, stream, c.block(":method", "POST", ":path", path, "content-type", "application/grpc+proto", "authorization", "secret"))
}

func (c *coder) status(stream int, status string, flags byte) string {
	return frameOf(headersFrame, flagEndHeaders|flags, stream, c.block(":status", status, "server", "x"))
}

func (c *coder) trailer(stream int, status, message string) string {
	return frameOf(headersFrame, flagEndHeaders|flagEndStream, stream, c.block("grpc-status", status, "grpc-message", message))
}

func message(body string) string { return "\x00" + u32(len(body)) + body }

func TestExchanges(t *testing.T) {
	hello := preface + frameOf(settingsFrame, 0, 0, "")
	tests := []struct {
		name   string
		steps  func(q, r *coder) steps
		midway bool
		uncut  bool
		want   []string
	}{
		{name: "streams answered in another order", steps: func(q, r *coder) steps {
			return steps{client(1, hello+q.get(1, "/a?token=secret")+q.get(3, "/b")), server(2, r.status(3, "200", flagEndStream)), server(3, r.status(1, "404", 0)+frameOf(dataFrame, flagEndStream, 1, "secret"))}
		}, want: []string{`GET "/b" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered 200 depth=2`, `GET "/a?token=secret" q[1-1 #1-1 1p] r[3-3 #3-3 1p] answered 404 failed ""`}},
		{name: "a header in several frames, padding, priority", steps: func(q, r *coder) steps {
			b := q.block(":method", "POST", ":path", "/up")
			return steps{client(1, hello+frameOf(headersFrame, flagPadded|flagPriority, 1, "\x03"+u32(0)+"\x10"+b[:1]+"\x00\x00\x00")+frameOf(continuationFrame, flagEndHeaders, 1, b[1:])),
				client(2, frameOf(dataFrame, flagPadded|flagEndStream, 1, "\x02secret\x00\x00")), server(3, r.status(1, "100", 0)+r.status(1, "201", flagEndStream))}
		}, want: []string{`POST "/up" q[1-2 #1-2 2p] r[3-3 #3-3 1p] answered 201`}},
		{name: "gRPC", steps: func(q, r *coder) steps {
			return steps{client(1, hello+q.call(1, "/s.S/Get", 0)+frameOf(dataFrame, flagEndStream, 1, message("secret"))),
				server(2, r.status(1, "200", 0)+frameOf(dataFrame, 0, 1, message("secret"))+r.trailer(1, "0", "")),
				client(3, q.call(3, "/s.S/Get", 0)+frameOf(dataFrame, flagEndStream, 3, message("secret"))), server(4, r.trailer(3, "14", "no backend"))}
		}, want: []string{`POST "/s.S/Get" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered 200`, `POST "/s.S/Get" q[3-3 #3-3 1p] r[4-4 #4-4 1p] answered UNAVAILABLE failed "no backend"`}},
		{name: "gRPC streams wait by design", steps: func(q, r *coder) steps {
			return steps{client(1, hello+q.call(1, "/s.S/Watch", flagEndStream)), server(2, r.status(1, "200", 0)+frameOf(dataFrame, flagPadded, 1, "\x02"+message("secret")+"\x00\x00")), server(900, frameOf(dataFrame, 0, 1, message("secret"))+r.trailer(1, "0", "")),
				client(901, q.call(3, "/s.S/Chat", 0)), server(902, r.status(3, "200", 0)+frameOf(dataFrame, 0, 3, message("a"))), client(950, frameOf(dataFrame, flagEndStream, 3, "")), server(951, r.trailer(3, "0", ""))}
		}, want: []string{`POST "/s.S/Watch" q[1-1 #1-1 1p] r[2-900 #2-3 2p] answered 200 blocking`, `POST "/s.S/Chat" q[901-950 #4-6 2p] r[902-951 #5-7 2p] answered 200 blocking`}},
		{name: "resets", steps: func(q, r *coder) steps {
			return steps{client(1, hello+q.get(1, "/a")+q.get(3, "/b")), server(2, frameOf(resetFrame, 0, 1, u32(7))), client(3, frameOf(resetFrame, 0, 3, u32(8)))}
		}, want: []string{`GET "/a" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered REFUSED_STREAM failed ""`, `GET "/b" q[1-1 #1-1 1p] r[] unanswered depth=2`}},
		{name: "a closed window is the client's time", steps: func(q, r *coder) steps {
			return steps{client(1, preface+frameOf(settingsFrame, 0, 0, "\x00\x04"+u32(10))+q.get(1, "/a")), server(2, r.status(1, "200", 0)+frameOf(dataFrame, 0, 1, "secretsecr")),
				client(500, frameOf(windowFrame, 0, 1, u32(100))), server(501, frameOf(dataFrame, flagEndStream, 1, "et"))}
		}, want: []string{`GET "/a" q[1-1 #1-1 1p] r[2-501 #2-4 2p] answered 200 blocking`}},
		{name: "a push is no answer, and is remembered", steps: func(q, r *coder) steps {
			return steps{client(1, hello+q.get(1, "/a")), server(2, frameOf(pushFrame, flagEndHeaders, 1, u32(2)+r.block(":method", "GET", ":path", "/pushed"))+r.status(2, "200", flagEndStream)+r.status(1, "200", flagEndStream))}
		}, want: []string{`GET "/a" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered 200`}},
		{name: "midway", midway: true, uncut: true, steps: func(q, r *coder) steps {
			q.get(1, "/known")
			return steps{client(1, "the rest"), client(2, q.get(3, "/known")), server(3, r.status(3, "200", flagEndStream))}
		}, want: []string{`? "" q[2-2 #2-2 1p] r[3-3 #3-3 1p] answered approximate`}},
		{name: "a part of a body is missing", uncut: true, steps: func(q, r *coder) steps {
			body := frameOf(dataFrame, flagEndStream, 1, strings.Repeat("secret", 100))
			return steps{client(1, hello+q.get(1, "/a")), server(2, r.status(1, "200", 0)+body[:50]), server(3, body[100:]).After(50), client(4, q.get(3, "/b")), server(5, r.status(3, "200", flagEndStream))}
		}, want: []string{`GET "/a" q[1-1 #1-1 1p] r[2-3 #2-3 2p] answered 200 lossy`, `GET "/b" q[4-4 #4-4 1p] r[5-5 #5-5 1p] answered 200`}},
		{name: "ends within an answer", uncut: true, steps: func(q, r *coder) steps {
			return steps{client(1, hello+q.get(1, "/a")), server(2, r.status(1, "200", 0))}
		}, want: []string{`GET "/a" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered 200 failed "connection ended within the answer"`}},
		{name: "not HTTP/2", steps: func(q, r *coder) steps {
			return steps{client(1, "GET / HTTP/1.1\r\n\r\n"), server(2, "HTTP/1.1 200 OK\r\n\r\n")}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			whole := prototest.Events(tt.steps(newCoder(), newCoder()))
			got := prototest.Run(Protocol, whole, tt.midway, flow.Finished)
			if diff := cmp.Diff(tt.want, prototest.Unsized(got)); diff != "" {
				t.Fatal(diff)
			}
			for n := 1; n < 40 && !tt.uncut; n++ {
				again := prototest.Run(Protocol, prototest.Recut(whole, n), tt.midway, flow.Finished)
				if diff := cmp.Diff(got, again); diff != "" {
					t.Fatalf("cut into pieces of %d: %s", n, diff)
				}
			}
		})
	}
}

const nginx, grpc = "testdata/nginx.pcap", "testdata/grpc.pcap"

func TestCapture(t *testing.T) {
	for _, file := range []string{nginx, grpc} {
		prototest.Golden(t, Protocol, file)
	}
}

// TestAgainstTshark compares the packets in which requests begin.
func TestAgainstTshark(t *testing.T) {
	for file, port := range map[string]string{nginx: "18081", grpc: "15051"} {
		var want, got []string
		for _, row := range prototest.Tshark(t, file, "tcp.port=="+port+",http2", "http2.headers.path", "frame.number", "http2.headers.path") {
			want = append(want, row[0])
		}
		for _, e := range prototest.Exchanges(t, Protocol, file) {
			got = append(got, fmt.Sprint(e.Request.First.Frame))
		}
		prototest.Agree(t, file, want, got, 10)
	}
}

func TestSniff(t *testing.T) {
	q := newCoder()
	prototest.Sniff(t, Protocol, []prototest.Opening{
		{flow.ToServer, preface, proto.Sure},
		{flow.ToServer, preface[:9], proto.Maybe},
		{flow.ToServer, "PRI * HTTP/1.1\r\n", proto.No},
		{flow.ToClient, frameOf(settingsFrame, 0, 0, "\x00\x03\x00\x00\x00\x80"), proto.Likely},
		{flow.ToServer, q.get(5, "/a"), proto.Likely},
		{flow.ToServer, q.get(7, "/a")[:12], proto.Maybe},
		{flow.ToServer, frameOf(dataFrame, 0, 0, "x"), proto.No},
		{flow.ToServer, "\x00\x00\x00\x00\x00\x06\xff\x01\x00\x00\x00\x01", proto.No}, // Modbus
		{flow.ToServer, frameOf(pingFrame, 0x40, 0, "12345678"), proto.No},
		{flow.ToServer, "GET / HTTP/1.1\r\n\r\n", proto.No},
		{flow.ToServer, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03aaaaa", proto.No},
		{flow.ToServer, "*1\r\n$4\r\nPING\r\n", proto.No},
		{flow.ToServer, "\x00\x00\x00\x1a\x00\x03\x00\x09\x00\x00\x00\x01", proto.No}, // Kafka
	})
}

func TestOwes(t *testing.T) {
	q, r := newCoder(), newCoder()
	hello := preface + frameOf(settingsFrame, 0, 0, "")
	one, two := q.get(1, "/a"), q.call(1, "/s.S/Up", 0)
	for _, tt := range []struct {
		name  string
		want  bool
		steps steps
	}{
		{"asked", true, steps{client(1, hello+one)}},
		{"answered", false, steps{client(1, hello+one), server(2, r.status(1, "200", flagEndStream))}},
		{"asking", false, steps{client(1, hello+two)}},
		{"answering", false, steps{client(1, hello+one), server(2, r.status(1, "200", 0))}},
	} {
		if got := prototest.Owes(Protocol, tt.steps); got != tt.want {
			t.Errorf("%s: owes %v, want %v", tt.name, got, tt.want)
		}
	}
}

// FuzzParser feeds arbitrary conversations, see prototest.Torture; and arbitrary
// bodies in step, where the cuts do not matter.
func FuzzParser(f *testing.F) {
	q, r := newCoder(), newCoder()
	hello := preface + frameOf(settingsFrame, 0, 0, "\x00\x04"+u32(10)+"\x00\x01"+u32(100))
	f.Add(prototest.Tape(client(0, hello+q.get(1, "/a")+q.call(3, "/s.S/Get", 0)), server(1, r.status(1, "200", 0)+frameOf(dataFrame, flagEndStream, 1, "secret"))), byte(0), false)
	f.Add(prototest.Tape(client(0, q.get(5, "/a")+frameOf(windowFrame, 0, 0, u32(9))), server(1, r.status(5, "404", flagEndStream)).Cutting(3)), byte(3), true)
	f.Add(prototest.Tape(client(0, hello+frameOf(headersFrame, flagPadded|flagPriority, 1, "\x03"+u32(0)+"\x10\x82\x00\x00\x00")+frameOf(continuationFrame, flagEndHeaders, 1, "\x84")), server(1, frameOf(resetFrame, 0, 1, u32(7))+frameOf(goAwayFrame, 0, 0, u32(1)+u32(0))).After(9)), byte(9), false)
	f.Fuzz(func(t *testing.T, data []byte, size byte, midway bool) {
		prototest.Torture(t, Protocol, data, midway)
		q, r := newCoder(), newCoder()
		whole := prototest.Events(steps{
			client(1, preface+q.call(1, "/s.S/Get", 0)+frameOf(dataFrame, flagEndStream, 1, string(data))),
			server(2, r.status(1, "200", 0)+frameOf(dataFrame, 0, 1, string(data))+r.trailer(1, "0", "")),
		})
		want := prototest.Run(Protocol, whole, false, flow.Finished)
		got := prototest.Run(Protocol, prototest.Recut(whole, int(size)+1), false, flow.Finished)
		if diff := cmp.Diff(want, got); diff != "" || len(want) != 1 || !strings.HasPrefix(want[0], `POST "/s.S/Get" q`) {
			t.Fatalf("%q; %s", want, diff)
		}
	})
}
