package capacity

import (
	"context"
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
func Network(ctx context.Context, b *baseline.Baseline, peer string, length time.Duration) error {
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
		b.Add(baseline.Network, peer, x.what, most)
	}
	p := throughput.Plan{Server: peer, Mode: throughput.Echo, Length: length, Streams: 1, Size: request}
	r, err := p.Run(ctx, func(*throughput.Sample) {})
	if err != nil {
		return err
	}
	b.Add(baseline.Network, peer, baseline.RoundTrip, r.Rung.P50.Seconds())
	t := throughput.PacketTest{PacketPlan: throughput.PacketPlan{Server: peer, Length: max(time.Second, length/4), Size: packet, Rate: firstRate}, Most: mostRate}
	small, _, err := t.Run(ctx, func(*throughput.PacketSecond) {}, func(*throughput.PacketStep) {})
	if err != nil {
		return err
	}
	most := 0.0
	for i := range small {
		most = max(most, float64(small[i].Arrivals.Received)/small[i].Length.Seconds())
	}
	b.Add(baseline.Network, peer, baseline.Packets, most)
	return ctx.Err()
}
