package tcp

import (
	"testing"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
)

// TestFlood sends SYNs that nobody answers from ever new addresses, and two
// connections that have something to say: one of before, one amidst them.
func TestFlood(t *testing.T) {
	ended := map[flow.Ending]int{}
	table := NewTable(Options{Ended: func(c *Conn) { ended[c.Ending]++ }})
	server := flow.Endpoint{Addr: flow.V4([4]byte{10, 0, 0, 2}), Port: 80}
	frame := uint64(0)
	send := func(client uint32, flags uint8, seq uint32, size int) {
		frame++
		a := flow.V4([4]byte{byte(client >> 24), byte(client >> 16), byte(client >> 8), byte(client)})
		table.Frame(&decode.Frame{
			Stamp: flow.Stamp{At: int64(frame) * 1000, Frame: frame}, Proto: decode.TCP, Hash: uint64(client) * 0x9e3779b97f4a7c15,
			Src: flow.Endpoint{Addr: a, Port: 1024}, Dst: server, Flags: flags, Seq: seq, Size: size, Payload: make([]byte, size),
		})
	}
	speak := func(client uint32) {
		send(client, decode.SYN, 100, 0)
		send(client, decode.ACK, 101, 10)
	}
	const flood = 3 * maxUnproven
	speak(1)
	for i := range uint32(flood) {
		if i == flood/2 {
			speak(2)
		}
		send(1000+i, decode.SYN, 100, 0)
	}
	if live := table.Live(); live > maxUnproven+2 || live < maxUnproven {
		t.Errorf("%d connections are kept, want %d and the two that speak", live, maxUnproven)
	}
	given := int(table.PushedOut())
	table.Close()
	if ended[flow.Expired] != given || ended[flow.Expired]+ended[flow.Open] != flood+2 || given < flood-maxUnproven {
		t.Errorf("%v ended, %d before their time; want all %d of the flood and two", ended, given, flood)
	}
}
