package redis

import (
	"testing"

	"rtrail/internal/packet/proto/prototest"
)

// Commands that wait for others, subscribers and incomplete commands are owed nothing.
func TestOwes(t *testing.T) {
	owes(t, true, "asked", say(1, "GET k"))
	owes(t, true, "the second of two", say(1, "GET k", "GET l"), server(2, "+a/"))
	owes(t, false, "answered", say(1, "GET k"), server(2, "+a/"))
	owes(t, false, "asking", prototest.Client(1, "*2\r\n$3\r\nGET\r\n"))
	owes(t, false, "waits for an element", say(1, "BRPOP k 0"))
	owes(t, false, "waits for an element before it", say(1, "BLPOP k 0", "GET k"))
	owes(t, false, "waits for a stream", say(1, "XREAD BLOCK 0 STREAMS s $"))
	owes(t, false, "subscribes", say(1, "SUBSCRIBE c"), server(2, "*3/$9/subscribe/$1/c/:1/"))
}

func owes(t *testing.T, want bool, name string, steps ...prototest.Step) {
	t.Helper()
	if got := prototest.Owes(Protocol, steps); got != want {
		t.Errorf("%s: owes %v, want %v", name, got, want)
	}
}
