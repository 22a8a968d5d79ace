package http

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/prototest"
)

var (
	client = prototest.Client
	server = prototest.Server
)

type steps = []prototest.Step

func TestExchanges(t *testing.T) {
	big := strings.Repeat("x", 5000)
	tests := []struct {
		name   string
		steps  steps
		how    flow.Ending
		midway bool
		uncut  bool // out of step: chunks are where messages are found again
		want   []string
	}{
		{name: "keep-alive", steps: steps{
			client(10, "GET /a?x=1 HTTP/1.1\r\nHost: h\r\n\r\n"),
			server(15, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"), server(16, "lo"),
			client(20, "GET /b HTTP/1.1\r\nHost: h\r\n\r\n"),
			server(29, "HTTP/1.1 404 Not Found\r\ncontent-length:0\r\n\r\n"),
		}, want: []string{
			`GET "/a?x=1" q[10-10 #1-1 1p 0+32] r[15-16 #2-3 2p 0+43] answered 200`,
			`GET "/b" q[20-20 #4-4 1p 32+28] r[29-29 #5-5 1p 43+44] answered 404 failed "Not Found"`,
		}},
		{name: "credentials after a challenge", steps: steps{
			client(10, "GET /a HTTP/1.1\r\nAccept: x\r\n\r\n"),
			server(11, "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n"),
			client(12, "GET /a HTTP/1.1\r\nAuthorization: Basic eA==\r\n\r\n"),
			server(13, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
			client(14, "GET /a HTTP/1.1\r\nAuthorization: Basic eA==\r\n\r\n"),
			server(15, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
		}, want: []string{
			`GET "/a" q[10-10 #1-1 1p 0+30] r[11-11 #2-2 1p 0+81] answered 401 failed "Unauthorized"`,
			`GET "/a" q[12-12 #3-3 1p 30+46] r[13-13 #4-4 1p 81+38] answered 200 challenges=1x401`,
			`GET "/a" q[14-14 #5-5 1p 76+46] r[15-15 #6-6 1p 119+38] answered 200`,
		}},
		{name: "pipelined", steps: steps{
			client(300, "GET /1 HTTP/1.1\r\n\r\n"), client(301, "GET /2 HTTP/1.1\r\n\r\nHEAD /3 HTTP/1.1\r\n\r\n"),
			server(310, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1"),
			server(350, "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n"),
		}, want: []string{
			`GET "/1" q[300-300 #1-1 1p 0+19] r[310-310 #3-3 1p 0+39] answered 200`,
			`GET "/2" q[301-301 #2-2 1p 19+19] r[350-350 #4-4 1p 39+48] answered 304 depth=2`,
			`HEAD "/3" q[301-301 #2-2 1p 38+20] r[350-350 #4-4 1p 87+40] answered 200 depth=3`,
		}},
		{name: "100-continue", steps: steps{
			client(0, "PUT /f HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n"),
			server(1, "HTTP/1.1 100 Continue\r\n\r\n"),
			client(2, "ab"), client(3, "cd"),
			server(138, "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"),
		}, want: []string{
			`PUT "/f" q[0-3 #1-4 3p 0+64] r[138-138 #5-5 1p 25+43] answered 201`,
		}},
		{name: "refused instead of 100-continue, then the next request", uncut: true, steps: steps{
			client(0, "PUT /f HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 400\r\n\r\n"),
			server(1, "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n"),
			client(2, "GET /g HTTP/1.1\r\n\r\n"),
			server(3, "HTTP/1.1 204 No Content\r\n\r\n"),
		}, want: []string{
			`PUT "/f" q[0-0 #1-1 1p 0+62] r[1-1 #2-2 1p 0+48] answered 401 failed "Unauthorized"`,
			`GET "/g" q[2-2 #3-3 1p 62+19] r[3-3 #4-4 1p 48+27] answered 204`,
		}},
		{name: "answer before the request is complete", steps: steps{
			client(0, "POST /up HTTP/1.1\r\nContent-Length: 5000\r\n\r\n"+big[:1000]),
			server(5, "HTTP/1.1 413 Too Big\r\nContent-Length: 0\r\n\r\n"),
			client(9, big[:4000]+"GET /n HTTP/1.1\r\n\r\n"),
			server(12, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
		}, want: []string{
			`POST "/up" q[0-0 #1-1 1p 0+1043] r[5-5 #2-2 1p 0+43] answered 413 failed "Too Big"`,
			`GET "/n" q[9-9 #3-3 1p 5043+19] r[12-12 #4-4 1p 43+38] answered 200`,
		}},
		{name: "chunked with extension and trailer, both ways", steps: steps{
			client(0, "POST /c HTTP/1.1\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n3;a=b\r\nabc\r\n0\r\n\r\n"),
			server(7, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), server(8, "A\r\n0123456789\r\n"),
			server(9, "0\r\nX-Sum: 1\r\n\r\n"),
		}, want: []string{
			`POST "/c" q[0-0 #1-1 1p 0+71] r[7-9 #2-4 3p 0+77] answered 200`,
		}},
		{name: "HTTP/1.0 until close", how: flow.Finished, steps: steps{
			client(0, "GET http://host/x HTTP/1.0\r\n\r\n"),
			server(3, "HTTP/1.0 200 OK\r\n\r\nabc"), server(8, "def"),
		}, want: []string{
			`GET "http://host/x" q[0-0 #1-1 1p 0+30] r[3-8 #2-3 2p 0+25] answered 200`,
		}},
		{name: "capture ends within the answer", steps: steps{
			client(0, "GET /x HTTP/1.1\r\n\r\n"), client(0, "GET /y HTTP/1.1\r\n\r\n"),
			server(3, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"),
		}, want: []string{
			`GET "/x" q[0-0 #1-1 1p 0+19] r[3-3 #3-3 1p 0+41] answered 200 lossy`,
			`GET "/y" q[0-0 #2-2 1p 19+19] r[] unanswered depth=2`,
		}},
		{name: "reset within the answer", how: flow.Reset, steps: steps{
			client(0, "GET /x HTTP/1.1\r\n\r\n"),
			server(3, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"),
		}, want: []string{
			`GET "/x" q[0-0 #1-1 1p 0+19] r[3-3 #2-2 1p 0+41] answered 200 failed "connection ended within the answer"`,
		}},
		{name: "websocket", steps: steps{
			client(0, "GET /ws HTTP/1.1\r\nUpgrade: websocket\r\n\r\n"),
			server(2, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n\x81\x05hello"),
			client(9, "\x81\x85GET / HTTP/1.1\r\n\r\n"),
		}, want: []string{
			`GET "/ws" q[0-0 #1-1 1p 0+40] r[2-2 #2-2 1p 0+56] answered 101`,
		}},
		{name: "tunnel", steps: steps{
			client(0, "CONNECT h:443 HTTP/1.1\r\n\r\n"), server(1, "HTTP/1.1 407 Auth\r\nContent-Length: 2\r\n\r\nno"),
			client(2, "CONNECT h:443 HTTP/1.1\r\n\r\n"), server(8, "HTTP/1.1 200 OK\r\n\r\n"),
			client(9, "\x16\x03\x01"), server(10, "HTTP/1.1 200 OK\r\n\r\n"),
		}, want: []string{
			`CONNECT "h:443" q[0-0 #1-1 1p 0+26] r[1-1 #2-2 1p 0+42] answered 407 failed "Auth"`,
			`CONNECT "h:443" q[2-2 #3-3 1p 26+26] r[8-8 #4-4 1p 42+19] answered 200`,
		}},
		{name: "midway, in an answer", midway: true, uncut: true, steps: steps{
			server(0, "tail of a body"), client(1, "GET /x HTTP/1.1\r\n\r\n"), server(2, "HTTP/1.1 204 No\r\n\r\n"),
			client(3, "GET /y HTTP/1.1\r\n\r\n"), server(4, "HTTP/1.1 204 No\r\n\r\n"),
		}, want: []string{
			`GET "/x" q[1-1 #2-2 1p 0+19] r[2-2 #3-3 1p 14+19] answered 204`,
			`GET "/y" q[3-3 #4-4 1p 19+19] r[4-4 #5-5 1p 33+19] answered 204`,
		}},
		{name: "answer without request", steps: steps{
			server(2, "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"),
		}, want: []string{
			` "" q[] r[2-2 #1-1 1p 0+51] unpaired 408 failed "Request Timeout"`,
		}},
		{name: "gap within a body of known length", steps: steps{
			client(0, "GET /x HTTP/1.1\r\n\r\n"),
			server(3, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), server(5, "ghi").After(3),
			client(6, "GET /y HTTP/1.1\r\n\r\n"), server(7, "HTTP/1.1 204 No\r\n\r\n"),
		}, want: []string{
			`GET "/x" q[0-0 #1-1 1p 0+19] r[3-5 #2-3 2p 0+47] answered 200 lossy`,
			`GET "/y" q[6-6 #4-4 1p 19+19] r[7-7 #5-5 1p 47+19] answered 204`,
		}},
		{name: "a lost answer does not shift the others", uncut: true, steps: steps{
			client(0, "GET /x HTTP/1.1\r\n\r\n"),
			client(6, "GET /y HTTP/1.1\r\n\r\n"), server(7, "HTTP/1.1 204 No\r\n\r\n").After(19),
			client(8, "GET /z HTTP/1.1\r\n\r\n"), server(9, "HTTP/1.1 204 No\r\n\r\n"),
			client(10, "GET /0 HTTP/1.1\r\n\r\n"), server(11, "HTTP/1.1 204 No\r\n\r\n"),
		}, want: []string{
			`GET "/x" q[0-0 #1-1 1p 0+19] r[7-7 #3-3 1p 19+19] answered 204 lossy resync`,
			`GET "/y" q[6-6 #2-2 1p 19+19] r[] unanswered depth=2 lossy resync`,
			`GET "/z" q[8-8 #4-4 1p 38+19] r[9-9 #5-5 1p 38+19] answered 204 resync`,
			`GET "/0" q[10-10 #6-6 1p 57+19] r[11-11 #7-7 1p 57+19] answered 204`,
		}},
		{name: "snap length within a body of known length", steps: steps{
			client(0, "GET /x HTTP/1.1\r\n\r\n"),
			server(3, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n").Cutting(9),
			client(6, "GET /y HTTP/1.1\r\n\r\n"), server(7, "HTTP/1.1 204 No\r\n\r\n"),
		}, want: []string{
			`GET "/x" q[0-0 #1-1 1p 0+19] r[3-3 #2-2 1p 0+47] answered 200`,
			`GET "/y" q[6-6 #3-3 1p 19+19] r[7-7 #4-4 1p 47+19] answered 204`,
		}},
		{name: "snap length within headers", uncut: true, steps: steps{
			client(0, "GET /x HTTP/1.1\r\nHo").Cutting(40),
			server(3, "HTTP/1.1 200 OK\r\nCont").Cutting(900), server(4, "more"),
			client(6, "GET /y HT").Cutting(40), server(7, "HTTP/1.1 503 No").Cutting(5),
		}, want: []string{
			`GET "/x" q[0-0 #1-1 1p 0+59] r[3-4 #2-3 2p 0+925] answered 200 approximate`,
			`GET "/y HT"... q[6-6 #4-4 1p 59+49] r[7-7 #5-5 1p 925+20] answered 503 failed "No" approximate`,
		}},
		{name: "long target", steps: steps{
			client(0, "GET /"+big+" HTTP/1.1\r\n\r\n"), server(7, "HTTP/1.1 204 No\r\n\r\n"),
		}, want: []string{
			`GET "/` + big[:1023] + `"... q[0-0 #1-1 1p 0+5018] r[7-7 #2-2 1p 0+19] answered 204`,
		}},
		{name: "not HTTP", steps: steps{client(0, "\x16\x03\x01\x00"), server(1, "\x16\x03\x01\x00"), client(2, "hello\r\n")}},
		{name: "preface of HTTP/2", steps: steps{client(0, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), server(1, "\x00\x00")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			whole := prototest.Events(tt.steps)
			if diff := cmp.Diff(tt.want, prototest.Run(Protocol, whole, tt.midway, tt.how)); diff != "" {
				t.Fatal(diff)
			}
			for n := 1; n < 60 && !tt.uncut; n++ {
				got := prototest.Run(Protocol, prototest.Recut(whole, n), tt.midway, tt.how)
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Fatalf("cut into pieces of %d: %s", n, diff)
				}
			}
		})
	}
}

func TestCapture(t *testing.T) { prototest.Golden(t, Protocol, "testdata/nginx.pcap") }

func TestSniff(t *testing.T) {
	prototest.Sniff(t, Protocol, []prototest.Opening{
		{flow.ToServer, "GET / HTTP/1.1\r\nHost: x", proto.Sure},
		{flow.ToServer, "POST /long/target/with", proto.Sure},
		{flow.ToServer, "GE", proto.Maybe},
		{flow.ToServer, "GET key\r\n", proto.No},
		{flow.ToServer, "OPTIONS rtsp://h/ RTSP/1.0\r\n", proto.No},
		{flow.ToServer, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", proto.No},
		{flow.ToServer, "\x16\x03\x01\x02\x00\x01", proto.No},
		{flow.ToServer, "*1\r\n$4\r\nPING\r\n", proto.No},
		{flow.ToClient, "HTTP/1.1 200 OK\r\n", proto.Sure},
		{flow.ToClient, "HT", proto.Maybe},
		{flow.ToClient, "\x16\x03\x03\x00\x01", proto.No},
		{flow.ToClient, "\x00\x00\x12\x04\x00\x00\x00\x00\x00", proto.No},
	})
}

func TestQueueIsBounded(t *testing.T) {
	var list steps
	for range 2 * maxPending {
		list = append(list, client(1, "GET /x HTTP/1.1\r\n\r\n"))
	}
	for range 2 * maxPending {
		list = append(list, server(2, "HTTP/1.1 204 No\r\n\r\n"))
	}
	var early, answered, sure int
	for _, line := range prototest.Run(Protocol, prototest.Events(list), false, flow.Finished) {
		switch {
		case strings.Contains(line, "unanswered") && strings.Contains(line, "ambiguous"):
			early++
		case strings.Contains(line, "answered 204") && strings.Contains(line, "ambiguous"):
			answered++
		default:
			sure++
		}
	}
	if early != maxPending || answered+sure != maxPending || sure > 1 {
		t.Errorf("given out early %d, answered %d, without doubt %d; want %d, %[4]d in all, at most 1", early, answered, sure, maxPending)
	}
}
