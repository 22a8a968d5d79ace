package throughput

import "context"

// PacketTest raises the rate of packets until no more arrive: of small ones, then of large ones.
type PacketTest struct {
	PacketPlan     // of a step; Rate is the first one's
	Most       int // the highest rate
}

// LargePackets are compared with small ones. Their size passes everywhere (RFC 9000, 14).
const LargePackets = 1200

// Run runs the steps; done is called after each. If ctx ends it has those until then.
func (t *PacketTest) Run(ctx context.Context, tell func(*PacketSecond), done func(*PacketStep)) (small, large []PacketStep, err error) {
	for _, c := range []struct {
		size  int
		steps *[]PacketStep
	}{{t.Size, &small}, {LargePackets, &large}} {
		p := t.PacketPlan
		p.Size = c.size
		for {
			step, err := p.Run(ctx, tell)
			if ctx.Err() != nil {
				return small, large, nil
			}
			if err != nil {
				return small, large, err
			}
			*c.steps = append(*c.steps, *step)
			done(step)
			if p.Rate == t.Most || arrived(*c.steps) {
				break
			}
			p.Rate = min(2*p.Rate, t.Most)
		}
	}
	return small, large, nil
}

// arrived says that higher rates show nothing new: the sender cannot send faster, nothing
// comes at all, or no more arrives than at half the rate.
func arrived(steps []PacketStep) bool {
	last := &steps[len(steps)-1]
	slow := len(steps) > 1 && last.starved() && last.tried() < flat*steps[len(steps)-2].tried()
	return slow || last.Arrivals.Received == 0 || plateau(steps) != nil
}

// muchMore is how much the sent rate grows at least where the received one may be judged by it.
const muchMore = 1.5

// plateau is the last step, if no more arrived in it than in one before although much more
// was sent.
func plateau(steps []PacketStep) *PacketStep {
	for i := len(steps) - 2; i >= 0; i-- {
		before, last := &steps[i], &steps[len(steps)-1]
		if last.tried() < muchMore*before.tried() {
			continue
		}
		if grew := last.perSecond() / max(before.perSecond(), 1); grew > flat || grew < 1/flat {
			return nil
		}
		return last
	}
	return nil
}

// starved says that the sender got too little CPU for the rate that it was asked for.
func (s *PacketStep) starved() bool { return s.tried() < nearlyAll*float64(s.Asked) }

// nearlyAll is the share of packets from which on a rate counts as kept.
const nearlyAll = 0.9

// tried is how many packets a second were handed to the kernel.
func (s *PacketStep) tried() float64 { return float64(s.Tried) / max(s.Length.Seconds(), 1e-3) }

// perSecond is how many packets arrived a second.
func (s *PacketStep) perSecond() float64 {
	return float64(s.Arrivals.Received) / max(s.Length.Seconds(), 1e-3)
}

// bits is what these took of an Ethernet.
func (s *PacketStep) bits() float64 { return 8 * s.perSecond() * float64(s.Size+s.Overhead) }

// lost is the share of sent packets that did not arrive.
func (s *PacketStep) lost() float64 {
	return max(float64(s.Sent-s.Arrivals.Received), 0) / float64(max(s.Sent, 1))
}
