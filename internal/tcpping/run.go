package tcpping

import (
	"context"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"rtrail/internal/crash"
)

// Plan is what to try.
type Plan struct {
	Targets  []netip.AddrPort // each of them is tried as often
	Compare  uint16           // a port that should be closed: bare SYNs go there, and to the target, too; 0: not
	Sources  []netip.Addr     // each target is tried from each, in turn; none: from what the kernel chooses
	Count    int              // tries of each target from each source
	Interval time.Duration    // between two beginnings of tries
	Patience time.Duration    // how long one waits for an answer
}

// Run tries until the plan is done or ctx ends. Tries begin in time, whether earlier ones
// were answered or not. tell is called for each with the source that it was to have, in the
// order in which they end.
func (p *Plan) Run(ctx context.Context, tell func(t *Try, source netip.Addr)) error {
	sources := p.Sources
	if len(sources) == 0 {
		sources = []netip.Addr{{}}
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	var failed error
	defer all.Wait()
	begin := time.Now()
	seq := 0
	for range p.Count {
		for _, target := range p.Targets {
			for _, source := range sources {
				if source.IsValid() && source.Is4() != target.Addr().Is4() {
					continue
				}
				for _, kind := range p.kinds() {
					if !sleepUntil(ctx, begin.Add(time.Duration(seq)*p.Interval)) {
						all.Wait()
						return failed
					}
					seq++
					n := seq
					all.Go(func() {
						err := crash.Guard(func() error {
							t := p.try(ctx, kind, source, target)
							t.Seq = n
							mu.Lock()
							defer mu.Unlock()
							if ctx.Err() == nil || t.Answer != Silence { // one that was interrupted tells nothing
								tell(&t, source)
							}
							return nil
						})
						mu.Lock()
						defer mu.Unlock()
						if err != nil {
							failed = err
						}
					})
				}
			}
		}
	}
	all.Wait()
	return failed
}

// kinds are what is sent in each round.
func (p *Plan) kinds() []Kind {
	if p.Compare != 0 {
		return []Kind{Whole, Plain, Closed}
	}
	return []Kind{Whole}
}

func (p *Plan) try(ctx context.Context, kind Kind, source netip.Addr, target netip.AddrPort) Try {
	switch kind {
	case Plain:
		return SYN(ctx, kind, source, target, min(p.Patience, time.Second))
	case Closed:
		return SYN(ctx, kind, source, netip.AddrPortFrom(target.Addr(), p.Compare), min(p.Patience, time.Second))
	}
	return Connect(ctx, source, target, p.Patience)
}

// sleepUntil says whether the time came before ctx ended.
func sleepUntil(ctx context.Context, at time.Time) bool {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return ctx.Err() == nil
	}
}

func zone(a netip.Addr) uint32 {
	if a.Zone() == "" {
		return 0
	}
	if n, err := strconv.ParseUint(a.Zone(), 10, 32); err == nil {
		return uint32(n)
	}
	i, err := net.InterfaceByName(a.Zone())
	if err != nil {
		return 0
	}
	return uint32(i.Index)
}
