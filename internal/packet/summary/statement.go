package summary

import (
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/rt"
)

// Others is the fingerprint under which statements are counted that came when
// the summary was full.
const Others = "(other statements)"

// maxPeers is how many clients are told apart per statement.
const maxPeers = 64

func (c *Collector) statement(service Service, t *rt.Transaction, one *rt.Sums) {
	if t.Fingerprint == "" && t.Command == "" {
		return
	}
	k := StatementKey{service, t.Command, t.Fingerprint}
	s, place := c.known(&k)
	if s == nil {
		s = c.sum.Statements[k]
	}
	if s == nil {
		if len(c.sum.Statements) >= c.options.Statements {
			k.Command, k.Fingerprint = "", Others
			s = c.sum.Statements[k]
		}
		if s == nil && len(c.sum.Statements) >= 2*c.options.Statements {
			k.Service = Service{} // there are too many services, too
			s = c.sum.Statements[k]
		}
		if s == nil {
			s = &Statement{First: t.Start, Clients: map[flow.Addr]struct{}{}}
			if ends(k.Fingerprint) {
				s.IdleTimes = &rt.Histogram{}
			}
			c.sum.Statements[k] = s
		}
	}
	*place = recentStatement{k, s}
	s.Stats.AddOne(one)
	if pause, ok := t.Pause(); ok && s.IdleTimes != nil && t.Usable() {
		s.IdleTimes.Add(pause)
	}
	s.First = min(s.First, t.Start)
	if t.Usable() && t.RT >= s.Slowest.RT {
		s.Slowest = *t
	}
	if t.AnsweredByError() {
		s.erred(t)
	}
	if t.Challenges > 0 {
		s.met(t)
	}
	s.client(t.Client.Addr)
}

func (s *Statement) client(a flow.Addr) {
	if _, ok := s.Clients[a]; ok {
		return
	}
	if len(s.Clients) >= maxPeers {
		s.Overflow = true
		return
	}
	s.Clients[a] = struct{}{}
}

func (s *Statement) merge(o *Statement) {
	s.Stats.Merge(&o.Stats)
	s.Runs.merge(&o.Runs)
	if s.IdleTimes != nil && o.IdleTimes != nil {
		s.IdleTimes.Merge(o.IdleTimes)
	}
	s.First = min(s.First, o.First)
	if o.Slowest.RT > s.Slowest.RT {
		s.Slowest = o.Slowest
	}
	s.mergeErrors(o)
	for a := range o.Clients {
		s.client(a)
	}
	s.Overflow = s.Overflow || o.Overflow
}
