package mysql

import (
	"testing"

	"rtrail/internal/packet/proto/prototest"
)

// Who logs in, sends the rest of a command or a file, or follows the binary log is
// owed nothing.
func TestOwes(t *testing.T) {
	after := func(more ...prototest.Step) []prototest.Step { return append(opening(caps41), more...) }
	ask := client(4, pkt(0, "\x03select 1"))
	owes(t, true, "asked", after(ask)...)
	owes(t, false, "answered", after(ask, server(5, pkt(1, okBody)))...)
	owes(t, false, "within rows", after(ask, server(5, pkt(1, "\x01")))...)
	owes(t, false, "asking", after(client(4, "\x09\x00\x00\x00\x03sel"))...)
	owes(t, false, "sends a file", after(client(4, pkt(0, "\x03load data")), server(5, pkt(1, "\xfbfile")))...)
	owes(t, false, "follows the binary log", after(client(4, pkt(0, "\x12\x04\x00\x00\x00\x00\x00\x01\x00\x00\x00bin.1")))...)
	owes(t, false, "logs in", opening(caps41)[:2]...)
}

func owes(t *testing.T, want bool, name string, steps ...prototest.Step) {
	t.Helper()
	if got := prototest.Owes(Protocol, steps); got != want {
		t.Errorf("%s: owes %v, want %v", name, got, want)
	}
}
