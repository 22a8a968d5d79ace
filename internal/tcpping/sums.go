package tcpping

import (
	"cmp"
	"net/netip"
	"slices"
	"time"
)

// Group is the tries of one kind from one source to one target.
type Group struct {
	Kind   Kind
	Source netip.Addr // as it was asked for; invalid: what the kernel chose
	Target netip.AddrPort

	Tries, Accepted, Refused, Unreachable, Silent, Failed int
	SYNs, Lost                                            int // SYNs sent, and those that nothing came back for
	Hit                                                   int // tries of which at least one SYN got lost
	Timestamps                                            int // of Accepted
	Messages                                              []ICMP
	Error                                                 string // of one that failed
	took                                                  []time.Duration
}

// Add adds a try.
func (g *Group) Add(t *Try) {
	g.Tries++
	g.SYNs += t.SYNs
	g.Lost += t.Lost()
	if t.Lost() > 0 {
		g.Hit++
	}
	switch t.Answer {
	case Accepted:
		g.Accepted++
		if t.Timestamps {
			g.Timestamps++
		}
	case Refused:
		g.Refused++
	case Unreachable:
		g.Unreachable++
	case Silence:
		g.Silent++
	case Failed:
		g.Failed++
		g.Error = t.Error
	}
	if t.ICMP != nil && !slices.Contains(g.Messages, *t.ICMP) && len(g.Messages) < maxMessages {
		g.Messages = append(g.Messages, *t.ICMP)
	}
	if t.Answer == Accepted || t.Answer == Refused {
		i, _ := slices.BinarySearch(g.took, t.Took)
		g.took = slices.Insert(g.took, i, t.Took)
	}
}

// maxMessages bounds the different messages that are told.
const maxMessages = 3

// Answered is how many tries somebody answered at the other end.
func (g *Group) Answered() int { return g.Accepted + g.Refused }

// Percentile is the time that a share of the answers took at most; false if there are none.
func (g *Group) Percentile(share float64) (time.Duration, bool) {
	if len(g.took) == 0 {
		return 0, false
	}
	return g.took[min(int(share*float64(len(g.took))), len(g.took)-1)], true
}

// LostShare is the share of SYNs that nothing came back for.
func (g *Group) LostShare() float64 { return float64(g.Lost) / float64(max(g.SYNs, 1)) }

// Sums are groups in the order of their first tries.
type Sums struct{ Groups []*Group }

// Add adds a try from a source that was asked for.
func (s *Sums) Add(t *Try, asked netip.Addr) {
	for _, g := range s.Groups {
		if g.Kind == t.Kind && g.Source == asked && g.Target == t.Target {
			g.Add(t)
			return
		}
	}
	g := &Group{Kind: t.Kind, Source: asked, Target: t.Target}
	g.Add(t)
	s.Groups = append(s.Groups, g)
}

// Sent says whether anything was sent.
func (s *Sums) Sent() bool {
	return slices.ContainsFunc(s.Groups, func(g *Group) bool { return g.Failed < g.Tries })
}

// of adds up the groups of a kind to a target's address; whatever its port.
func (s *Sums) of(kind Kind, target netip.Addr) (sum Group) {
	sum.Kind = kind
	for _, g := range s.Groups {
		if g.Kind != kind || g.Target.Addr() != target {
			continue
		}
		sum.Target = g.Target
		sum.Tries += g.Tries
		sum.Accepted += g.Accepted
		sum.Refused += g.Refused
		sum.Unreachable += g.Unreachable
		sum.Silent += g.Silent
		sum.Failed += g.Failed
		sum.SYNs += g.SYNs
		sum.Lost += g.Lost
		sum.Hit += g.Hit
		sum.Timestamps += g.Timestamps
		sum.Error = cmp.Or(sum.Error, g.Error)
		for _, m := range g.Messages {
			if !slices.Contains(sum.Messages, m) && len(sum.Messages) < maxMessages {
				sum.Messages = append(sum.Messages, m)
			}
		}
		sum.took = append(sum.took, g.took...)
	}
	slices.Sort(sum.took)
	return sum
}

// targets are the addresses that were tried.
func (s *Sums) targets() (list []netip.Addr) {
	for _, g := range s.Groups {
		if a := g.Target.Addr(); !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	return list
}
