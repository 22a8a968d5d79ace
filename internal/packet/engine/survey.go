package engine

import (
	"context"
	"runtime/debug"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/pcap"
)

// surveyed is a source of which the first batch was read ahead.
type surveyed struct {
	pcap.Source
	batch *pcap.Batch
	err   error
	given bool
}

func (s *surveyed) Next(ctx context.Context) (*pcap.Batch, error) {
	if s.given {
		return s.Source.Next(ctx)
	}
	s.given = true
	return s.batch, s.err
}

// survey reads the first batch ahead to find ports that several others talk to.
// Where a capture begins in the middle of connections, that tells their server:
// a client has a port of its own for each.
func survey(ctx context.Context, src pcap.Source) (pcap.Source, map[uint16]bool) {
	b, err := src.Next(ctx)
	s := &surveyed{Source: src, batch: b, err: err}
	if b == nil {
		return s, nil
	}
	return s, sharedPorts(b)
}

// sharedPorts lists the ports of ends with several others, each of which has only
// this one.
func sharedPorts(b *pcap.Batch) (ports map[uint16]bool) {
	// The packets of a mapped file may be gone: then less is known.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	// So may a packet be that no decoder stands: its worker tells.
	defer func() { _ = recover() }()
	type pair struct{ a, b flow.Endpoint }
	seen := map[pair]bool{}
	others := map[flow.Endpoint]int{}
	d := decode.New()
	var f decode.Frame
	for i := range b.Packets {
		if d.Decode(&b.Packets[i], &f) != decode.OK || f.Proto != decode.TCP || seen[pair{f.Src, f.Dst}] {
			continue
		}
		if !seen[pair{f.Dst, f.Src}] {
			others[f.Src]++
			others[f.Dst]++
		}
		seen[pair{f.Src, f.Dst}] = true
	}
	ports = map[uint16]bool{}
	for p := range seen {
		if others[p.a] > 1 && others[p.b] == 1 {
			ports[p.a.Port] = true
		}
	}
	return ports
}
