package net

import (
	_ "embed"
	"fmt"
	"slices"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

//go:embed pkt_dns_slow.md
var dnsSlowPage string

//go:embed pkt_dns_unreachable.md
var dnsUnreachablePage string

var dnsSlow = rule.Rule{
	ID:       "net/dns-slow",
	Title:    "names are looked up slowly",
	Resource: "name lookups",
	Needs:    []recording.Table{recording.PacketServices},
	Explains: []string{"rt/server-slow", "rt/two-humps", "rt/path-slow", "rt/errors"},
	Page:     dnsSlowPage,
	Seen:     lookups,
	Detect:   func(v *view.View) ([]rule.Finding, error) { return detectDNS(v, false), nil },
}

var dnsUnreachable = rule.Rule{
	ID:       "net/dns-unreachable",
	Title:    "a resolver does not answer at all",
	Resource: "name lookups",
	Needs:    []recording.Table{recording.PacketServices},
	Explains: []string{"rt/server-slow", "rt/two-humps", "rt/path-slow", "rt/errors"},
	Page:     dnsUnreachablePage,
	Seen:     lookups,
	Detect:   func(v *view.View) ([]rule.Finding, error) { return detectDNS(v, true), nil },
}

const (
	// answerBy is how old a query must be for its silence to count: recursion
	// through four levels of delegation takes less, even over satellites.
	answerBy = 2 * time.Second
	// resolverTimeout is after how long glibc asks again (resolv.conf(5), timeout):
	// what one lost query costs.
	resolverTimeout = 5 * time.Second
	// someQueries without an answer: one is a loss that happens.
	someQueries = 2
	// silentShare of queries; UDP loses some on long ways.
	silentShare = 0.02
	// failedShare of answers; less are names whose own servers are broken.
	failedShare  = 0.2
	someFailures = 5
	// slowAnswer is what people notice (100 ms, Nielsen), slowerThanCached how much
	// longer than the resolver's fastest answer the usual one takes.
	slowAnswer       = 100 * time.Millisecond
	slowerThanCached = 10
	waitedForNames   = 0.1 // seconds per second
)

// resolver is one server of DNS and what became of the queries to it.
type resolver struct {
	s        *view.PacketService
	silent   []recording.PacketTransaction // old enough to have been answered
	refused  int                           // of them, by ICMP: nobody listens
	repeated int                           // answered after a copy
	ptr      int64                         // lookups of addresses
	asked    int64
	waited   time.Duration // for copies and for nothing
	clients  map[string]int
}

func detectDNS(v *view.View, unreachable bool) []rule.Finding {
	var found []rule.Finding
	for _, s := range v.PacketServices() {
		if s.Proto != "dns" {
			continue
		}
		r := resolverOf(v, s)
		dead := s.Count == 0 && s.Failed == 0
		if dead != unreachable {
			continue
		}
		if c := r.confidence(v, dead); c > 0 {
			found = append(found, r.finding(v, c, dead))
		}
	}
	return found
}

func resolverOf(v *view.View, s *view.PacketService) *resolver {
	r := &resolver{s: s, clients: map[string]int{}, waited: s.Retransmit}
	for _, t := range v.PacketTransactions() {
		if t.Proto != "dns" || t.Server != s.Server || t.ServerPort != int32(s.Port) {
			continue
		}
		switch {
		case t.Status == "unanswered":
			if v.End().Sub(t.At) < answerBy && t.Code == "" {
				continue
			}
			r.silent = append(r.silent, t)
			if t.Code != "" {
				r.refused++
			} else {
				r.waited += min(resolverTimeout, v.End().Sub(t.At))
			}
			r.clients[t.Client]++
		case t.Retransmit > 0:
			r.repeated++
			r.clients[t.Client]++
		}
	}
	for _, st := range v.PacketStatements() {
		if st.Proto == "dns" && st.Server == s.Server && st.Command == "PTR" {
			r.ptr += max(st.Count, 1)
		}
	}
	r.asked = s.Count + int64(len(r.silent))
	return r
}

// lost is how many queries got no answer, or one to a copy only.
func (r *resolver) lost() int { return len(r.silent) + r.repeated }

func (r *resolver) loses() bool {
	return r.lost() >= someQueries && float64(r.lost()) >= silentShare*float64(r.asked)
}

func (r *resolver) fails() bool {
	return r.s.Failed >= someFailures && float64(r.s.Failed) >= failedShare*float64(r.asked)
}

func (r *resolver) slow(v *view.View) bool {
	return r.s.Count >= someFailures && r.s.RTP50 >= slowAnswer && r.s.RTP50 >= slowerThanCached*r.s.RTMin && perSecond(v, r.s.RTSum) >= waitedForNames
}

func (r *resolver) confidence(v *view.View, dead bool) rule.Confidence {
	switch {
	case dead && len(r.silent) >= someQueries, !dead && r.loses():
		return rule.Certain
	case !dead && r.fails():
		return rule.Certain
	case !dead && r.slow(v):
		return rule.Likely
	}
	return 0
}

func (r *resolver) name() string { return fmt.Sprintf("%s:%d", r.s.Server, r.s.Port) }

func (r *resolver) finding(v *view.View, c rule.Confidence, dead bool) rule.Finding {
	f := rule.Finding{Subject: pktService(v, r.s), Confidence: c, Affects: pktAffected(v, r.s)}
	share := float64(r.lost()) / float64(max(r.asked, 1))
	f.Impact = rule.Impact{TimeLost: perSecond(v, r.waited), Text: rule.T("%s of %d lookups, %s waited per second", unit.Share(share), r.asked, unit.Seconds(perSecond(v, r.waited)))}
	switch {
	case dead && r.refused > 0:
		f.Headline = rule.T("nobody listens at the resolver %s: all %d queries of %s were refused", r.name(), len(r.silent), r.who())
		f.Impact = rule.Impact{Share: 1, Text: rule.T("all lookups")}
	case dead:
		f.Headline = rule.T("the resolver %s answers nothing: %d queries of %s", r.name(), len(r.silent), r.who())
		f.Impact.Text = rule.T("all lookups, %s waited per second", unit.Seconds(perSecond(v, r.waited)))
	case r.loses():
		f.Headline = rule.T("queries to the resolver %s are lost: %d of %d got no answer until they were asked again", r.name(), r.lost(), r.asked)
	case r.fails():
		f.Headline = rule.T("the resolver %s fails: %d of %d answers are SERVFAIL, REFUSED or the like", r.name(), r.s.Failed, r.asked)
		f.Impact = rule.Impact{Share: float64(r.s.Failed) / float64(r.asked), Text: rule.T("%s of lookups", unit.Share(float64(r.s.Failed)/float64(r.asked)))}
	default:
		f.Headline = rule.T("the resolver %s is slow: half of its answers take %s and more, its fastest %s", r.name(), unit.Duration(r.s.RTP50), unit.Duration(r.s.RTMin))
		f.Impact = rule.Impact{TimeLost: perSecond(v, r.s.RTSum), Text: rule.T("%s waited per second", unit.Seconds(perSecond(v, r.s.RTSum)))}
	}
	f.Evidence = r.evidence(v)
	f.Fixes = r.fixes(dead)
	if r.ptr > 0 {
		f.Notes = append(f.Notes, rule.T("%d of the names are addresses (PTR): somebody looks up who its peers are", r.ptr))
	}
	return f
}

// who names the clients that waited.
func (r *resolver) who() string {
	for client, n := range r.clients {
		if len(r.clients) == 1 {
			return client
		}
		_ = n
	}
	return plural(len(r.clients), "client")
}

func (r *resolver) evidence(v *view.View) []rule.Evidence {
	check := tshark(v, fmt.Sprintf("udp.port == %d && %s", r.s.Port, pktHost("addr", r.s.Server)), "ip.src", "dns.id", "dns.qry.type", "dns.qry.name", "dns.time")
	list := []rule.Evidence{{Metric: "packets.dns-unanswered", What: rule.T("%d queries of %s without an answer, %d answered only after a copy, of %d", len(r.silent), r.who(), r.repeated, r.asked),
		Value: float64(r.lost()), Unit: "count", Limit: rule.Limit(0), Check: check}}
	if len(r.silent) > 0 {
		t := r.silent[0]
		list = append(list, rule.Evidence{Metric: "packets.dns-unanswered", What: rule.T("first: %s asked for %s %s, frame %d", t.Client, t.Command, t.Fingerprint, t.FirstFrame), Value: float64(t.FirstFrame), Unit: "frame",
			Check: fmt.Sprintf("dig @%s %s %s", r.s.Server, t.Fingerprint, t.Command)})
	}
	if r.refused > 0 {
		list = append(list, rule.Evidence{Metric: "packets.port-unreachable", What: rule.T("%d of them were answered by ICMP port unreachable", r.refused), Value: float64(r.refused), Unit: "count",
			Check: tshark(v, "icmp.type == 3 && icmp.code == 3 || icmpv6.type == 1")})
	}
	if r.s.Count > 0 {
		list = append(list, rule.Evidence{Metric: "packets.dns-time", What: rule.T("answers: fastest %s, half within %s, slowest %s", unit.Duration(r.s.RTMin), unit.Duration(r.s.RTP50), unit.Duration(r.s.RTMax)),
			Value: r.s.RTMax.Seconds(), Unit: "seconds", Check: check})
	}
	return list
}

func (r *resolver) fixes(dead bool) []rule.Fix {
	if dead {
		return []rule.Fix{
			{Text: rule.T("name a resolver that answers in resolv.conf; an empty file means 127.0.0.1"), Command: fmt.Sprintf("cat /etc/resolv.conf; dig @%s .", r.s.Server), Tradeoff: "none"},
			{Text: rule.T("or start it, and let UDP and TCP port 53 through"), Command: "ss -lunp 'sport = :53'", Tradeoff: "none"},
		}
	}
	return []rule.Fix{
		{Text: rule.T("put a caching resolver on this host or near it"), Command: "apt-get install dnsmasq   # then: nameserver 127.0.0.1", Tradeoff: "answers may be as old as their TTL"},
		{Text: rule.T("until then give up sooner and ask the next one: options timeout:1 attempts:3 rotate, with two name servers"), Command: "cat /etc/resolv.conf", Tradeoff: "more queries"},
		{Text: rule.T("turn lookups of peers' names off where they are not needed (skip_name_resolve, UseDNS no, -n)"), Tradeoff: "logs and grants by address instead of name"},
	}
}

// lookups says whether any name was looked up.
func lookups(v *view.View) bool {
	return slices.ContainsFunc(v.PacketServices(), func(s *view.PacketService) bool { return s.Proto == "dns" })
}
