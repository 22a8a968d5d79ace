package tcpping

import (
	"context"
	"errors"
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
							if ctx.Err() == nil || t.Answer != Silence || t.Took >= enough {
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

// enough is how long a try has to wait that was interrupted for its silence to tell something.
const enough = time.Second

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

// zone is the number of the interface that a link-local address names; 0: none.
func zone(a netip.Addr) uint32 {
	n, err := ZoneOf(a)
	if err != nil {
		return 0
	}
	return n
}

// ZoneOf is the number of the interface that an address names; an error if there is none,
// or if a link-local address names none.
func ZoneOf(a netip.Addr) (uint32, error) {
	if a.Zone() == "" {
		if a.Is6() && a.IsLinkLocalUnicast() {
			return 0, errors.New("a link-local address needs its interface, as in fe80::1%eth0")
		}
		return 0, nil
	}
	if n, err := strconv.ParseUint(a.Zone(), 10, 32); err == nil {
		return uint32(n), nil
	}
	i, err := net.InterfaceByName(a.Zone())
	if err != nil {
		return 0, err
	}
	return uint32(i.Index), nil
}
