package http

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/prototest"
)

// FuzzParser feeds arbitrary conversations. The first byte of each piece says
// whose it is, and whether something is missing.
func FuzzParser(f *testing.F) {
	client, server := prototest.Client, prototest.Server
	f.Add(prototest.Tape(client(0, "GET / HTTP/1.1\r\n\r\n"), server(1, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")), byte(0), false)
	f.Add(prototest.Tape(client(0, "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"), server(1, "HTTP/1.0 404 No\r\n\r\nx")), byte(7), true)
	f.Add(prototest.Tape(client(0, "GET / HTTP/1.1\r\n"), client(1, "Expect: 100-continue\r\nContent-Length: 9\r\n\r\n").After(6),
		server(2, "HTTP/1.1 100 C\r\n\r\n").Cutting(5), server(3, "HTTP/1.1 101 S\r\n\r\n").After(9)), byte(3), false)
	f.Fuzz(func(t *testing.T, data []byte, size byte, midway bool) {
		prototest.Torture(t, Protocol, data, midway)
		// In step, the cuts do not matter.
		half := len(data) / 2
		whole := prototest.Events([]prototest.Step{
			{From: flow.ToServer, Data: "GET /a HTTP/1.1\r\nHost: h\r\n\r\nPOST /b HTTP/1.1\r\nContent-Length: " + digits(half) + "\r\n\r\n" + string(data[:half])},
			{From: flow.ToClient, Data: "HTTP/1.1 200 OK\r\nContent-Length: " + digits(len(data)) + "\r\n\r\n" + string(data) + "HTTP/1.1 204 No\r\n\r\n"},
		})
		want := prototest.Run(Protocol, whole, false, flow.Finished)
		got := prototest.Run(Protocol, prototest.Recut(whole, int(size)+1), false, flow.Finished)
		if diff := cmp.Diff(want, got); diff != "" || len(want) != 2 {
			t.Fatalf("%d exchanges; %s", len(want), diff)
		}
	})
}

func digits(n int) string {
	if n >= 10 {
		return digits(n/10) + string(rune('0'+n%10))
	}
	return string(rune('0' + n))
}

func BenchmarkKeepAliveGET(b *testing.B) {
	ask := []byte("GET /index.html HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nUser-Agent: curl/8.5\r\nAccept: */*\r\n\r\n")
	answer := []byte("HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Sat, 21 Nov 2026 04:00:00 GMT\r\nContent-Type: text/html\r\n" +
		"Content-Length: 40\r\nLast-Modified: Sat, 21 Nov 2026 03:00:00 GMT\r\nConnection: keep-alive\r\nETag: \"655c\"\r\nAccept-Ranges: bytes\r\n\r\n" +
		"0123456789012345678901234567890123456789")
	var n counter
	p := Protocol.New(&n, false)
	q, r := flow.Chunk{Data: ask}, flow.Chunk{Data: answer, Dir: flow.ToClient}
	b.ReportAllocs()
	for b.Loop() {
		q.At++
		q.Frame++
		p.Data(&q)
		q.Offset += uint64(len(ask))
		r.At, r.Frame = q.At, q.Frame
		p.Data(&r)
		r.Offset += uint64(len(answer))
	}
	if int(n) < b.N {
		b.Fatalf("%d exchanges of %d", n, b.N)
	}
}

type counter int

func (n *counter) Exchange(e *proto.Exchange) {
	if e.Status == proto.Answered && e.Code == "200" {
		*n++
	}
}
