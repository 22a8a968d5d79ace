package summary

import (
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/rt"
)

// Others is the fingerprint under which statements are counted that came when
// the summary was full.
const Others = "(other statements)"

const (
	mostCodes = 16 // error codes told apart per statement
	mostPeers = 64 // clients told apart per statement
)

func (c *Collector) statement(service Service, t *rt.Transaction) {
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
		if s == nil {
			s = &Statement{First: t.Start, Clients: map[flow.Addr]struct{}{}}
			if ends(k.Fingerprint) {
				s.IdleTimes = &rt.Histogram{}
			}
			c.sum.Statements[k] = s
		}
	}
	*place = recentStatement{k, s}
	s.Stats.Add(t)
	if s.IdleTimes != nil && t.Usable() && t.Idle >= 0 {
		s.IdleTimes.Add(t.Idle)
	}
	s.First = min(s.First, t.Start)
	if t.Usable() && t.RT >= s.Slowest.RT {
		s.Slowest = *t
	}
	if t.Failed {
		if s.Codes == nil {
			s.Codes, s.Error = map[string]uint64{}, t.Error
		}
		s.count(t.Code, 1)
	}
	s.client(t.Client.Addr)
}

func (s *Statement) count(code string, n uint64) {
	if _, ok := s.Codes[code]; !ok && len(s.Codes) >= mostCodes {
		s.Overflow = true
		return
	}
	s.Codes[code] += n
}

func (s *Statement) client(a flow.Addr) {
	if _, ok := s.Clients[a]; ok {
		return
	}
	if len(s.Clients) >= mostPeers {
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
	if o.Codes != nil && s.Codes == nil {
		s.Codes, s.Error = map[string]uint64{}, o.Error
	}
	for code, n := range o.Codes {
		s.count(code, n)
	}
	for a := range o.Clients {
		s.client(a)
	}
	s.Overflow = s.Overflow || o.Overflow
}
