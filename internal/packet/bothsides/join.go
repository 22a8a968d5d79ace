package bothsides

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/proto"
)

const (
	noAnswer = proto.NoAnswer
	// maxWaiting bounds the transactions that wait for what the other capture
	// makes of them, to some 40 MB.
	maxWaiting = 1 << 16
)

// joiner puts the legs of transactions together.
type joiner struct {
	options *Options
	surveys [2]*survey
	match   *matching
	clock   *Clock
	gate    gate

	mu       sync.Mutex
	talks    []talk // by pair
	waiting  int
	services map[serviceKey]*Service
	slowest  []Split
}

// talk is what waits of one connection.
type talk struct {
	legs  [2][]leg
	ended [2]*ended
	split uint64
	proto string
}

func newJoiner(o *Options, surveys [2]*survey, m *matching, c *Clock) *joiner {
	j := &joiner{options: o, surveys: surveys, match: m, clock: c, talks: make([]talk, len(m.pairs)), services: map[serviceKey]*Service{}}
	j.gate.moved = sync.NewCond(&j.gate.mu)
	for i := range j.gate.at {
		j.gate.at[i] = -1 << 62
	}
	return j
}

// run makes the second pass.
func (j *joiner) run(ctx context.Context) error {
	stop := context.AfterFunc(ctx, j.gate.moved.Broadcast)
	defer stop()
	return both(func(i int) error {
		defer j.gate.end(i)
		src, err := j.options.Sides[i].Open(ctx)
		if err != nil {
			return err
		}
		defer src.Close()
		l := &follower{side: i, joint: j, pairs: map[uint64]int32{}, live: map[uint64]*followed{}}
		for p, c := range j.match.pairs {
			l.pairs[j.surveys[i].connections[c.at[i]].id] = int32(p)
		}
		e := j.options.Engine
		e.Workers, e.Collector = 1, func(int) engine.Collector { return l }
		if _, err := engine.Run(ctx, &gated{Source: src, gate: &j.gate, side: i, clock: l.clock}, e); err != nil {
			return fmt.Errorf("reading %s: %w", j.options.Sides[i].name(), err)
		}
		return ctx.Err()
	})
}

// leg takes the next transaction of a connection in one capture.
func (j *joiner) leg(side int, pair int32, x leg) {
	j.mu.Lock()
	defer j.mu.Unlock()
	t := &j.talks[pair]
	t.proto = x.Proto
	other := t.legs[1-side]
	n := 0
	for n < len(other) && int32(other[n].from-x.from) < 0 {
		j.alone(pair, 1-side, &other[n])
		n++
	}
	t.legs[1-side] = other[n:]
	j.waiting -= n
	if rest := t.legs[1-side]; len(rest) > 0 && rest[0].from == x.from {
		y := rest[0]
		t.legs[1-side] = rest[1:]
		j.waiting--
		// What waits of this side came before and the other side has gone past it.
		for i := range t.legs[side] {
			j.alone(pair, side, &t.legs[side][i])
		}
		j.waiting -= len(t.legs[side])
		t.legs[side] = nil
		if side == AtClient {
			j.pair(pair, &x, &y)
		} else {
			j.pair(pair, &y, &x)
		}
		return
	}
	t.legs[side] = append(t.legs[side], x)
	if j.waiting++; j.waiting > maxWaiting {
		for i := range t.legs[side] {
			j.alone(pair, side, &t.legs[side][i])
		}
		j.waiting -= len(t.legs[side])
		t.legs[side] = nil
	}
}

// alone counts a transaction that the other capture lacks.
func (j *joiner) alone(pair int32, side int, x *leg) {
	if x.asked < j.clock.from || x.asked > j.clock.to {
		return // nobody expects it there
	}
	e := &j.service(pair, x.Proto).Excluded
	switch {
	case !x.Usable():
		e.Doubtful++
	case side == AtClient:
		e.OnlyClient++
	default:
		e.OnlyServer++
	}
}

// pair takes a transaction that both captures have.
func (j *joiner) pair(pair int32, a, b *leg) {
	s := j.service(pair, a.Proto)
	x, what := split(a, b, s.Backend, j.clock.Uncertainty)
	switch what {
	case doubtful:
		s.Excluded.Doubtful++
		return
	case different:
		s.Excluded.Different++
		return
	case contradicts:
		s.Excluded.Contradict++
		return
	}
	if j.talks[pair].split == 0 {
		s.Connections++
	}
	j.talks[pair].split++
	s.add(&x)
	j.slow(&x)
	if j.options.Each != nil {
		j.options.Each(&x)
	}
}

// slow keeps the slowest, as a list that is cut when it is twice as long.
func (j *joiner) slow(x *Split) {
	n := j.options.Slowest
	if len(j.slowest) >= n && x.Total() <= j.slowest[n-1].Total() {
		return
	}
	j.slowest = append(j.slowest, *x)
	if len(j.slowest) >= 2*n || len(j.slowest) == n {
		j.cut()
	}
}

func (j *joiner) cut() {
	slices.SortFunc(j.slowest, func(a, b Split) int {
		return cmp.Or(cmp.Compare(b.Total(), a.Total()), cmp.Compare(a.ID, b.ID))
	})
	j.slowest = j.slowest[:min(len(j.slowest), j.options.Slowest)]
}

// ended takes the counts of a connection; those of both captures together say
// what was lost between them.
func (j *joiner) ended(side int, pair int32, e ended) {
	j.mu.Lock()
	defer j.mu.Unlock()
	t := &j.talks[pair]
	t.ended[side] = &e
	other := t.ended[1-side]
	if other == nil {
		return
	}
	a, b := t.ended[AtClient], t.ended[AtServer]
	t.ended = [2]*ended{}
	s := j.service(pair, t.proto)
	s.SegmentsThere += a.segments[flow.ToServer]
	s.SegmentsBack += b.segments[flow.ToClient]
	if n := int64(a.resent[flow.ToServer]) - int64(b.resent[flow.ToServer]); n > 0 {
		s.LostThere += uint64(n)
	}
	if n := int64(b.resent[flow.ToClient]) - int64(a.resent[flow.ToClient]); n > 0 {
		s.LostBack += uint64(n)
	}
}

// result fills in what was found.
func (j *joiner) result(r *Result) {
	for pair := range j.talks {
		for side := range j.talks[pair].legs {
			for i := range j.talks[pair].legs[side] {
				j.alone(int32(pair), side, &j.talks[pair].legs[side][i])
			}
		}
	}
	for _, s := range j.services {
		r.Services = append(r.Services, s)
		r.Excluded.add(&s.Excluded)
	}
	slices.SortFunc(r.Services, func(a, b *Service) int {
		return cmp.Or(cmp.Compare(b.Waited(), a.Waited()), cmp.Compare(b.Connections, a.Connections), cmp.Compare(a.Server.String(), b.Server.String()),
			cmp.Compare(a.Backend.String(), b.Backend.String()), cmp.Compare(a.Proto, b.Proto))
	})
	// Connections the server's capture lacks have no backend: the first row of
	// their server has them.
	absent := r.Sides[AtClient].Unmatched.Servers
	seen := map[flow.Endpoint]bool{}
	for _, s := range r.Services {
		if !seen[s.Server] {
			seen[s.Server] = true
			s.Unmatched = absent[s.Server]
		}
	}
	j.cut()
	r.Slowest = j.slowest
}

// gate keeps two captures side by side.
type gate struct {
	mu    sync.Mutex
	moved *sync.Cond
	at    [2]int64 // the packets that are next, on the client's clock
	done  [2]bool
}

// pass waits until the other capture has come near.
func (g *gate) pass(ctx context.Context, side int, at int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.at[side] = at
	g.moved.Broadcast()
	for !g.done[1-side] && at-window > g.at[1-side] && ctx.Err() == nil {
		g.moved.Wait()
	}
}

func (g *gate) end(side int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.done[side] = true
	g.moved.Broadcast()
}

// gated is a source behind a gate.
type gated struct {
	pcap.Source
	gate  *gate
	side  int
	clock func(int64) int64
}

// Next waits with packets that are ahead of the other capture.
func (g *gated) Next(ctx context.Context) (*pcap.Batch, error) {
	b, err := g.Source.Next(ctx)
	if b != nil && len(b.Packets) > 0 {
		g.gate.pass(ctx, g.side, g.clock(b.Packets[0].Time))
	}
	return b, err
}
