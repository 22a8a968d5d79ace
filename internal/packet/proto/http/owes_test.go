package http

import (
	"testing"

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
