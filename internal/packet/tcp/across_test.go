package tcp

import (
	"testing"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
)

// networks sends packets between one pair of ends, each in the network it is told.
type networks struct {
	table *Table
	frame uint64
	ended []Conn
}

func newNetworks() *networks {
	n := &networks{}
	n.table = NewTable(Options{Ended: func(c *Conn) { n.ended = append(n.ended, *c) }})
	return n
}

func (n *networks) send(space int, d flow.Dir, flags uint8, seq, ack uint32) {
	n.frame++
	client := flow.Endpoint{Addr: flow.V4([4]byte{10, 0, 0, 1}), Port: 40000}
	server := flow.Endpoint{Addr: flow.V4([4]byte{10, 0, 0, 2}), Port: 80}
	f := decode.Frame{
		Stamp: flow.Stamp{At: int64(n.frame) * 1000, Frame: n.frame}, Proto: decode.TCP, Hash: 4711, Space: flow.Space(space),
		Src: client, Dst: server, Flags: flags, Seq: seq, Ack: ack,
	}
	if d == flow.ToClient {
		f.Src, f.Dst = server, client
	}
	n.table.Frame(&f)
}

// TestEqualEndsInManyNetworks counts what each packet costs where thousands of
// networks have a connection of the same ends.
func TestEqualEndsInManyNetworks(t *testing.T) {
	const count = 20_000
	for name, flags := range map[string]uint8{"SYN": decode.SYN, "ACK": decode.ACK} {
		n := newNetworks()
		for i := range count {
			n.send(i, flow.ToServer, flags, uint32(i)*1e6, uint32(i)*2e6)
		}
		if live := n.table.Live(); live != count {
			t.Errorf("%s: %d connections, want %d", name, live, count)
		}
		// A walk over the candidates for an ACK that may be the other direction, one
		// when a connection begins, and the hash table's.
		if most := uint64(count * (2*maxCandidates + 10)); n.table.looks > most {
			t.Errorf("%s: %d looks for %d packets, want at most %d", name, n.table.looks, count, most)
		}
		if n.table.Unmatched() != count-maxCandidates {
			t.Errorf("%s: %d connections not looked for, want %d", name, n.table.Unmatched(), count-maxCandidates)
		}
	}
}

// TestCandidates has as many SYNs of equal ends as are remembered, and one more: the
// answer to that one finds nothing, those to the others their SYN.
func TestCandidates(t *testing.T) {
	for more := range 2 {
		n := newNetworks()
		count := maxCandidates + more
		for i := range count {
			n.send(i, flow.ToServer, decode.SYN, uint32(i)<<20, 0)
		}
		for i := range count {
			n.send(1000+i, flow.ToClient, decode.SYN|decode.ACK, 7, uint32(i)<<20+1)
		}
		if live, lost := n.table.Live(), n.table.Unmatched(); live != count+more || lost != uint64(more) {
			t.Errorf("%d SYNs: %d connections, %d not looked for", count, live, lost)
		}
		if left := len(n.table.oneSided.first); left != more { // the answer that found nothing
			t.Errorf("%d SYNs: %d pairs of ends still wait, want %d", count, left, more)
		}
	}
}

// TestLateInBothNetworks ends a connection of which each direction has a network of
// its own: late packets of both are known for what they are, and a new connection
// may begin in the network of either.
func TestLateInBothNetworks(t *testing.T) {
	n := newNetworks()
	n.send(10, flow.ToServer, decode.SYN, 100, 0)
	n.send(20, flow.ToClient, decode.SYN|decode.ACK, 500, 101)
	n.send(10, flow.ToServer, decode.ACK, 101, 501)
	n.send(10, flow.ToServer, decode.RST|decode.ACK, 101, 501)
	n.send(20, flow.ToClient, decode.ACK, 501, 101)
	n.send(10, flow.ToServer, decode.ACK, 101, 501)
	if n.table.Live() != 0 || n.table.Strays() != 2 || n.table.AfterReset() != 2 || len(n.ended) != 1 || n.ended[0].Across != 20 {
		t.Fatalf("%d live, %d strays, %d after the reset, ended %+v", n.table.Live(), n.table.Strays(), n.table.AfterReset(), n.ended)
	}
	n.send(20, flow.ToServer, decode.SYN, 1<<30, 0)
	n.send(10, flow.ToClient, decode.SYN|decode.ACK, 9, 1<<30+1)
	if n.table.Live() != 1 {
		t.Errorf("%d connections began after the first, want 1", n.table.Live())
	}
	n.table.Close()
	if len(n.ended) != 2 || n.ended[1].Space != 20 || n.ended[1].Across != 10 {
		t.Errorf("ended: %+v", n.ended)
	}
	n.table.forget(1 << 60)
	if n.table.used != 0 {
		t.Errorf("%d places are still taken", n.table.used)
	}
}
