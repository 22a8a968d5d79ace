package postgres

import (
	"testing"

	"rtrail/internal/packet/proto/prototest"
)

// A group that the client has not closed, and rows that it copies, are its turn.
func TestOwes(t *testing.T) {
	in := []prototest.Step{client(0, startup), server(1, hello)}
	after := func(more ...prototest.Step) []prototest.Step {
		return append(append([]prototest.Step(nil), in...), more...)
	}
	owes(t, true, "asked", after(client(2, query("select 1")))...)
	owes(t, true, "a closed group", after(client(2, parse("", "select 1")+bind("", "")+execute+sync))...)
	owes(t, false, "an open group", after(client(2, parse("", "select 1")+bind("", "")+execute))...)
	owes(t, false, "the beginning of the next", after(client(2, query("select 1")+"Q"))...)
	owes(t, false, "answered", after(client(2, query("select 1")), server(3, tag("SELECT 1")+z))...)
	owes(t, false, "copies", after(client(2, query("copy t from stdin")), server(3, m('G', "\x00\x00\x00")))...)
	owes(t, false, "logs in", client(0, startup))
}

func owes(t *testing.T, want bool, name string, steps ...prototest.Step) {
	t.Helper()
	if got := prototest.Owes(Protocol, steps); got != want {
		t.Errorf("%s: owes %v, want %v", name, got, want)
	}
}
