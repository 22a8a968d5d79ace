package engine

import (
	"context"
	"runtime/debug"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/proto"
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

// hints are what the first batch says about all connections.
type hints struct {
	// shared are ports that several others talk to. Where a capture begins in the
	// middle of connections, that tells their server: a client has a port of its own
	// for each.
	shared map[uint16]bool
	// spoken is what servers speak: of a connection that begins with bytes which
	// could be anything, others to the same server tell.
	spoken map[flow.Endpoint]string
}

// survey reads the first batch ahead.
func survey(ctx context.Context, src pcap.Source, list []proto.Protocol) (pcap.Source, hints) {
	b, err := next(ctx, src)
	s := &surveyed{Source: src, batch: b, err: err}
	if b == nil {
		return s, hints{}
	}
	return s, hints{sharedPorts(b), spokenBy(b, list)}
}

// spokenBy lists servers whose bytes, or whose clients' bytes, have the signature of
// one protocol and of no other. Those of which both directions could be the same
// tell nothing.
func spokenBy(b *pcap.Batch, list []proto.Protocol) map[flow.Endpoint]string {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { _ = recover() }()
	spoken, several := map[flow.Endpoint]string{}, map[flow.Endpoint]bool{}
	d := decode.New()
	var f decode.Frame
	for i := range b.Packets {
		if d.Decode(&b.Packets[i], &f) != decode.OK || f.Proto != decode.TCP || len(f.Payload) == 0 {
			continue
		}
		for j := range list {
			request, answer := list[j].Sniff(flow.ToServer, f.Payload) == proto.Sure, list[j].Sniff(flow.ToClient, f.Payload) == proto.Sure
			if request == answer {
				continue
			}
			server := f.Src
			if request {
				server = f.Dst
			}
			if other, ok := spoken[server]; ok && other != list[j].Name {
				several[server] = true
			}
			spoken[server] = list[j].Name
		}
	}
	for server := range several {
		delete(spoken, server)
	}
	return spoken
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
