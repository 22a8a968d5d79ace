package view

import (
	"cmp"
	"slices"
	"time"

	"rtrail/internal/recording"
)

// PacketPair is one service seen by a capture at its clients' side and one at
// its own side, with the slowest of its transactions.
type PacketPair struct {
	recording.PacketPair
	Slowest []recording.PacketPairTransaction // by what their clients waited, the longest first
}

// Waited is the sum of what its clients waited, from the first request packet
// to the last response packet.
func (p *PacketPair) Waited() time.Duration { return p.Upload + p.RTSum + p.Download }

// Path is the sum of the time requests and answers were on their way, without
// waits for retransmissions. It needs no clocks: it is exact.
func (p *PacketPair) Path() time.Duration { return p.PathThere + p.PathBack }

// Resent is the sum of the time that was waited until what was lost between the
// two captures was sent again.
func (p *PacketPair) Resent() time.Duration { return p.ResentThere + p.ResentBack }

// PacketPairs are the services that two captures saw from both sides, those
// that were waited for longest first.
func (v *View) PacketPairs() []*PacketPair {
	return Memo(v, "packet pairs", v.packetPairs)
}

func (v *View) packetPairs() []*PacketPair {
	type key struct {
		server, backend, proto  string
		serverPort, backendPort int32
	}
	known := map[key]*PacketPair{}
	var list []*PacketPair
	for _, row := range captured[recording.PacketPair](v) {
		p := &PacketPair{PacketPair: row}
		known[key{row.Server, row.Backend, row.Proto, row.ServerPort, row.BackendPort}] = p
		list = append(list, p)
	}
	for _, row := range captured[recording.PacketPairTransaction](v) {
		if p := known[key{row.Server, row.Backend, row.Proto, row.ServerPort, row.BackendPort}]; p != nil {
			p.Slowest = append(p.Slowest, row)
		}
	}
	waited := func(t *recording.PacketPairTransaction) time.Duration { return t.Upload + t.RT + t.Download }
	for _, p := range list {
		slices.SortStableFunc(p.Slowest, func(a, b recording.PacketPairTransaction) int {
			return cmp.Compare(waited(&b), waited(&a))
		})
	}
	slices.SortStableFunc(list, func(a, b *PacketPair) int {
		return cmp.Or(cmp.Compare(b.Waited(), a.Waited()), cmp.Compare(a.ServerPort, b.ServerPort), cmp.Compare(a.Server, b.Server))
	})
	return list
}
