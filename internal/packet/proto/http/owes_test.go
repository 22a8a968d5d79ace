package http

import (
	"testing"

	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/prototest"
)

// Who has the word is known only if the request is complete and the length of the
// answer was told.
func TestOwes(t *testing.T) {
	get := client(1, "GET /x HTTP/1.1\r\n\r\n")
	owes(t, true, "asked", get)
	owes(t, true, "within an answer", get, server(2, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"))
	owes(t, true, "the second of two", get, get, server(2, "HTTP/1.1 204 No\r\n\r\n"))
	owes(t, false, "answered", get, server(2, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"))
	owes(t, false, "asking", client(1, "GET /x HTTP/1.1\r\n"))
	owes(t, false, "sending a body", client(1, "POST /x HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc"))
	owes(t, false, "events come in chunks", get, server(2, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"))
	owes(t, false, "within a chunk", get, server(2, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc"))
	owes(t, false, "until the connection ends", get, server(2, "HTTP/1.1 200 OK\r\n\r\nabc"))
	owes(t, false, "another protocol", get, server(2, "HTTP/1.1 101 Switching\r\n\r\n"), client(3, "abc"))
}

func owes(t *testing.T, want bool, name string, steps ...prototest.Step) {
	t.Helper()
	if got := prototest.Owes(Protocol, steps); got != want {
		t.Errorf("%s: owes %v, want %v", name, got, want)
	}
}

// A server that has said that it closes owes nothing any more, whatever else it is
// asked; but who refuses a request before it has read it is not asked again.
func TestDismissed(t *testing.T) {
	get, old := client(1, "GET /x HTTP/1.1\r\n\r\n"), client(1, "GET /x HTTP/1.0\r\n\r\n")
	const closes, plain, former = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: Close\r\n\r\nx", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
		"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx"
	for _, tt := range []struct {
		name  string
		want  proto.Progress
		steps []prototest.Step
	}{
		{"asked after it", proto.Dismissed, []prototest.Step{get, server(2, closes), get}},
		{"asked ahead of it", proto.Dismissed, []prototest.Step{get, get, server(2, closes)}},
		{"an answer of HTTP/1.0", proto.Dismissed, []prototest.Step{get, get, server(2, former)}},
		{"a request of HTTP/1.0", proto.Dismissed, []prototest.Step{old, get, server(2, plain)}},
		{"the client said so itself", proto.Dismissed, []prototest.Step{client(1, "GET /x HTTP/1.1\r\nConnection: close\r\n\r\n"), get, server(2, plain)}},
		{"nonsense was refused", proto.Dismissed, []prototest.Step{client(1, "GET /x HTTP/1.1\r\n\r\n\x00\x01 what?\r\n"), server(2, "HTTP/1.1 400 Bad Request\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx")}},
		{"nothing was asked after it", proto.Idle, []prototest.Step{get, server(2, closes)}},
		{"HTTP/1.0 that goes on", proto.Waiting, []prototest.Step{get, get, server(2, "HTTP/1.0 200 OK\r\nContent-Length: 1\r\nConnection: keep-alive\r\n\r\nx")}},
		{"a request of HTTP/1.0 that goes on", proto.Waiting, []prototest.Step{client(1, "GET /x HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"), get, server(2, plain)}},
		{"it was not its last word", proto.Waiting, []prototest.Step{get, get, get, server(2, closes), server(3, plain)}},
		{"it goes on", proto.Waiting, []prototest.Step{get, get, server(2, plain)}},
		{"in the middle of the last answer", proto.Answering, []prototest.Step{get, get, server(2, closes[:len(closes)-1])}},
		{"refused before it was read", proto.Idle, []prototest.Step{client(1, "POST /x HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc"), server(2, closes)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := prototest.ProgressOf(Protocol, tt.steps); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
			if tt.want == proto.Dismissed {
				owes(t, false, tt.name, tt.steps...)
			}
		})
	}
}
