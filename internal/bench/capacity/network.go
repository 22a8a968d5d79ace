package capacity

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"time"

	"rtrail/internal/baseline"
	"rtrail/internal/throughput"
)

const (
	// bulk is what is written at a time.
	bulk = 128 << 10
	// request is the size of a request and of its answer.
	request = 100
	// packet is the payload of packets of 64 bytes, as Ethernet counts them.
	packet = throughput.SmallestPacket
	// firstRate and mostRate are packets per second.
	firstRate, mostRate = 10_000, throughput.FastestRate
)

// Network measures what goes between this host and one where rtrail throughput serves.
// What it measures belongs to the address that the peer has, and to the interface to it.
func Network(ctx context.Context, b *baseline.Baseline, peer string, length time.Duration) error {
	peer, path, err := pathTo(ctx, peer)
	if err != nil {
		return err
	}
	thing := path.String()
	for _, x := range []struct {
		mode throughput.Mode
		what baseline.What
	}{{throughput.Send, baseline.Sent}, {throughput.Receive, baseline.Received}} {
		p := throughput.Plan{Server: peer, Mode: x.mode, Length: length, Streams: 1, Size: bulk}
		r, err := p.Run(ctx, func(*throughput.Sample) {})
		if err != nil {
			return err
		}
		most := 0.0
		for i := range r.Samples { // the first second is slow start
			if s := &r.Samples[i]; i > 0 || len(r.Samples) == 1 {
				most = max(most, s.BitsPerSecond()/8)
			}
		}
		b.Add(baseline.Network, thing, x.what, most)
	}
	p := throughput.Plan{Server: peer, Mode: throughput.Echo, Length: length, Streams: 1, Size: request}
	r, err := p.Run(ctx, func(*throughput.Sample) {})
	if err != nil {
		return err
	}
	b.Add(baseline.Network, thing, baseline.RoundTrip, r.Rung.P50.Seconds())
	t := throughput.PacketTest{PacketPlan: throughput.PacketPlan{Server: peer, Length: max(time.Second, length/4), Size: packet, Rate: firstRate}, Most: mostRate}
	small, _, err := t.Run(ctx, func(*throughput.PacketSecond) {}, func(*throughput.PacketStep) {})
	if err != nil {
		return err
	}
	most := 0.0
	for i := range small {
		most = max(most, float64(small[i].Arrivals.Received)/small[i].Length.Seconds())
	}
	b.Add(baseline.Network, thing, baseline.Packets, most)
	return ctx.Err()
}

// connectWithin bounds the connect that finds the way to a peer.
const connectWithin = 5 * time.Second

// pathTo is the address of a peer, with its port, and how it is reached.
func pathTo(ctx context.Context, peer string) (server string, path baseline.Path, err error) {
	c, err := (&net.Dialer{Timeout: connectWithin}).DialContext(ctx, "tcp", peer)
	if err != nil {
		return "", path, err
	}
	defer c.Close()
	remote, err := netip.ParseAddrPort(c.RemoteAddr().String())
	if err != nil {
		return "", path, err
	}
	local, err := netip.ParseAddrPort(c.LocalAddr().String())
	if err != nil {
		return "", path, err
	}
	path.Peer = remote.Addr().Unmap().WithZone("")
	own, err := isOwn(path.Peer)
	switch {
	case err != nil:
	case own || path.Peer.IsLoopback():
		path.Interface = "lo" // whatever interface has the address
	case remote.Addr().Zone() != "":
		path.Interface = remote.Addr().Zone()
	default:
		if path.Interface, err = routeTo(path.Peer, local.Addr().Unmap().WithZone("")); path.Interface == "lo" {
			err = errors.New("its route leads to lo")
		}
	}
	if err != nil {
		return "", path, fmt.Errorf("which interface leads to %s is not known: %w", peer, err)
	}
	return remote.String(), path, nil
}

// isOwn says whether an address is one of this host.
func isOwn(address netip.Addr) (bool, error) {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(addresses, func(a net.Addr) bool {
		prefix, err := netip.ParsePrefix(a.String())
		return err == nil && prefix.Addr().Unmap().WithZone("") == address
	}), nil
}
