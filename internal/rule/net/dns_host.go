package net

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// askedResolver is a server of DNS as the host that asks it shows it, without packets.
type askedResolver struct {
	server  string
	netns   uint64               // of those who ask
	waits   []view.Lookup        // for at least unansweredFor: a thread sleeps until it answers
	open    []view.Lookup        // sockets as old that received nothing: it is not known whether a query is pending
	pending view.PendingLookups  // whether each waits for long or not
	refused int64                // packets: on this host, no process listened
	listens bool                 // where they were refused, a process listens at the last reading
	listed  recording.NameServer // as resolv.conf names it; the zero value: it does not
	others  bool                 // resolv.conf names servers of which nothing bad is known
	serving []view.Process       // of this host, if it is on it and they are known
	blame   blame                // who makes lookups of it wait
	asks    []*upstream          // servers that it asks itself, if it is on this host: those that it waits for first
	known   map[string]*upstream // of asks, by address
	reads   int                  // readings of sockets with lookups under way, which upstream.both is a part of
	told    bool                 // another finding tells of it
	also    []*askedResolver     // of whom a finding tells, too
	sent    float64              // datagrams of the namespace, to anybody
	came    float64
	seconds float64 // in which they were
}

// Any local user can have sockets that wait for thousands of addresses.
const (
	maxUnlisted = 100 // resolvers that are judged although no resolv.conf names them
	maxFollowed = 100 // resolvers of this host whose own sockets are looked at
)

// moreAwaited orders resolvers: those that resolv.conf names first, then those that most lookups wait for.
func moreAwaited(a, b *askedResolver) int {
	return cmp.Or(bit(b.listed.Server != "")-bit(a.listed.Server != ""), len(b.waits)-len(a.waits), cmp.Compare(b.pending.Mean, a.pending.Mean), len(b.open)-len(a.open))
}

// withoutRest leaves out all but the most awaited of those that no resolv.conf names.
func withoutRest(list []*askedResolver) []*askedResolver {
	listed := 0
	for _, a := range list {
		listed += bit(a.listed.Server != "")
	}
	if len(list)-listed <= maxUnlisted {
		return list
	}
	kept := map[*askedResolver]bool{}
	for _, a := range slices.SortedStableFunc(slices.Values(list), moreAwaited)[:listed+maxUnlisted] {
		kept[a] = true
	}
	return slices.DeleteFunc(list, func(a *askedResolver) bool { return !kept[a] })
}

// askedResolvers lists those that resolv.conf names, and those for which programs wait.
func askedResolvers(v *view.View) []*askedResolver {
	return view.Memo(v, "net/asked-resolvers", func() []*askedResolver {
		type place struct {
			netns  uint64
			server string
		}
		var list []*askedResolver
		known := map[place]*askedResolver{}
		in := func(ns uint64, server string) *askedResolver {
			a := known[place{ns, server}]
			if a == nil {
				a = &askedResolver{server: server, netns: ns}
				known[place{ns, server}] = a
				list = append(list, a)
			}
			return a
		}
		for _, n := range v.NetNamespaces() {
			for _, s := range v.NameServers(n.NetNS) {
				in(n.NetNS, s.Server).listed = s
			}
		}
		for _, l := range v.Lookups() {
			switch {
			case l.Asleep >= unansweredFor.Duration():
				a := in(l.NetNS, l.Remote)
				a.waits = append(a.waits, l)
			case l.Seen >= unansweredFor.Duration():
				a := in(l.NetNS, l.Remote)
				a.open = append(a.open, l)
			}
		}
		for _, p := range v.PendingLookups() {
			in(p.NetNS, p.Remote).pending = p
		}
		list = withoutRest(list)
		well := map[uint64]int{} // servers that resolv.conf names, and of which nothing bad is known
		for _, a := range list {
			a.count(v)
			well[a.netns] += bit(a.well())
		}
		for _, a := range list {
			a.others = well[a.netns] > bit(a.well())
		}
		left := maxFollowed
		for _, a := range slices.SortedStableFunc(slices.Values(list), moreAwaited) {
			if a.observed() > 0 && a.trace(v, left > 0) {
				left--
			}
		}
		join(list)
		return list
	})
}

// count reads the counters that concern it.
func (a *askedResolver) count(v *view.View) {
	c := v.CountersOf(a.netns)
	a.sent = c.AtLeast("UdpOutDatagrams") + c.AtLeast("Udp6OutDatagrams")
	a.came = c.AtLeast("UdpInDatagrams") + c.AtLeast("Udp6InDatagrams")
	a.seconds = c.Seconds
	at, err := netip.ParseAddr(a.server)
	local := err == nil && at.IsLoopback() // each namespace has its own
	for _, d := range v.Drops() {
		if d.Reason == "NO_SOCKET" && d.Protocol == "udp" && d.Port == 53 && d.Destination == a.server && (!local || d.NetNS == a.netns) {
			a.refused += d.Packets
			a.listens = a.listens || v.ListensUDP(d.NetNS, a.server, d.Port)
		}
	}
}

// toldNothing says that it did not answer rtrail either.
func (a *askedResolver) toldNothing() bool {
	return a.listed.Asked >= int64(minQueries.Value) && a.listed.Answered == 0
}

// refuses says that no process listened there for some queries. Of the packets to that port only
// those to a server count that programs are told to ask: anybody may try ports.
func (a *askedResolver) refuses() bool {
	return a.listed.Server != "" && a.refused >= int64(minQueries.Value)
}

// shut says that no process listens there.
func (a *askedResolver) shut() bool { return a.refuses() && !a.listens }

// paused says that no process listened there for a while, as when it is restarted, and that
// nothing else is known against it.
func (a *askedResolver) paused() bool {
	return a.refuses() && a.listens && !a.toldNothing() && !a.awaited()
}

// slow says that at most readings lookups of it wait, each of them for longer than users bear.
func (a *askedResolver) slow() bool {
	p := &a.pending
	return p.Readings >= waitingReadings.Int() && float64(p.Readings) >= waitingShare.Value*float64(p.Of) && a.each() >= slowAnswer.Duration()
}

// each is how long such a lookup waits at least, mean: there were no more of them than datagrams
// that the namespace sent. 0: that is not known.
func (a *askedResolver) each() time.Duration {
	if a.sent == 0 {
		return 0
	}
	return time.Duration(a.pending.Mean * a.seconds / a.sent * float64(time.Second))
}

// awaited says that threads are seen to wait for it.
func (a *askedResolver) awaited() bool { return len(a.waits) > 0 || a.slow() }

// sockets are those that speak against it.
func (a *askedResolver) sockets() []view.Lookup {
	switch {
	case len(a.waits) > 0:
		return a.waits
	case a.slow():
		return a.pending.Sockets
	}
	return a.open
}

// dead says that nothing came back: not from it, or not by UDP from anybody.
func (a *askedResolver) dead() bool {
	return a.toldNothing() || a.shut() || a.awaited() && a.came == 0 && a.sent >= minQueries.Value
}

// well says that resolv.conf names it and that nothing bad is known of it.
func (a *askedResolver) well() bool { return a.listed.Server != "" && !a.dead() && !a.awaited() }

// observed says how sure it is that lookups of it wait, whoever is to blame.
func (a *askedResolver) observed() rule.Confidence {
	switch {
	case a.toldNothing() || a.shut():
		if a.others && !a.awaited() {
			return 0 // libraries go on to another server at once
		}
		return rule.Certain
	case a.dead(), a.slow(), len(a.waits) >= minQueries.Int():
		return rule.Likely
	case a.paused() && a.others:
		return 0
	case a.paused():
		return rule.Possible
	case len(a.waits)+len(a.open) > 0:
		return rule.Possible
	}
	return 0
}

func (a *askedResolver) name() string { return dnsName(a.server) }

func dnsName(server string) string { return netip.AddrPortFrom(addressOf(server), 53).String() }

func dnsEntity(server string, netns uint64) view.Entity {
	return view.Entity{Kind: view.KindService, Name: "dns " + dnsName(server), Address: server, Port: 53, NetNS: netns}
}

func addressOf(text string) netip.Addr {
	a, _ := netip.ParseAddr(text)
	return a
}

func (a *askedResolver) finding(v *view.View, c rule.Confidence) rule.Finding {
	f := rule.Finding{Subject: dnsEntity(a.blamed(), a.netns), Confidence: c, Affects: a.affects(v)}
	var waited, longest time.Duration
	sockets, who := a.sockets(), "programs"
	for _, l := range sockets {
		waited += l.Asleep
		longest = max(longest, l.Seen)
	}
	if n := len(sockets); n > 0 && len(sockets[n-1].Owners) > 0 {
		owners := sockets[n-1].Owners
		who = fmt.Sprintf("%s (%d)", owners[len(owners)-1].Comm, owners[len(owners)-1].PID)
	}
	f.Headline = a.headline(v, longest, who)
	f.Impact = rule.Impact{Share: 1, Text: rule.T("all lookups")}
	switch {
	case a.paused() && a.came == 0:
		f.Impact = rule.Impact{Unmeasured: true, Text: rule.T("how many were answered is not known")}
	case a.paused():
		share := float64(a.refused) / (float64(a.refused) + a.came)
		f.Impact = rule.Impact{Share: share, Text: rule.T("at least %s of lookups", unit.Share(share))}
	case a.awaited():
		lost := 0.0
		if len(a.waits) > 0 {
			lost = perSecond(v, waited)
		}
		if a.slow() {
			lost = max(lost, a.pending.Mean)
		}
		f.Impact = rule.Impact{TimeLost: lost, Text: rule.T("%s waited per second", unit.Seconds(lost))}
	case len(sockets) > 0 && !a.dead():
		f.Impact = rule.Impact{Share: 0.1, Text: rule.T("not known: no thread is seen to wait, the sockets may be kept for later")}
	}
	f.Evidence = a.evidence(v, sockets, longest, who)
	switch {
	case a.blame == blameUpstream:
		f.Fixes = localFixes(v, a.netns, a.server, a.serving, a.blamed())
	case a.blame != blameResolver:
		f.Fixes = localFixes(v, a.netns, a.server, a.serving, "")
	default:
		f.Fixes = dnsFixes(v, a.netns, a.server, a.dead())
	}
	if a.blame == blameLocal {
		f.Fixes = append(f.Fixes, rule.Fix{Text: rule.T("if it hangs, restart it"), Tradeoff: "lookups fail meanwhile, and its cache is lost"})
	}
	if a.paused() {
		f.Fixes = []rule.Fix{
			{Text: rule.T("find out what stopped it; reload it instead of restarting it"), Command: shell.Line("%s ss -lunp 'sport = :53'", v.EnterNetNS(a.netns)), Tradeoff: "none"},
			{Text: rule.T("name a second server in resolv.conf: libraries ask it at once"), Command: shell.Line("cat %s", v.ResolvConf(a.netns)), Tradeoff: "none"},
		}
	}
	return f
}

// symptom says how it shows.
func (a *askedResolver) symptom(v *view.View, longest time.Duration, who string) rule.Text {
	sockets, where := len(a.sockets()), v.InNetNS(a.netns)
	switch {
	case a.paused():
		return rule.T("no process listened at the resolver %s%s for a while: %s refused", a.name(), where, unit.Plural(a.refused, "query was", "queries were"))
	case a.shut():
		return rule.T("no process listens at the resolver %s%s: %s refused", a.name(), where, unit.Plural(a.refused, "query was", "queries were"))
	case a.toldNothing():
		return rule.T("the resolver %s%s answers nothing: %s of rtrail got no answer", a.name(), where, unit.Plural(a.listed.Asked, "query", "queries"))
	case a.dead() && len(a.waits) == 0:
		return rule.T("the resolver %s%s answers nothing: lookups of %s wait for it %s per second", a.name(), where, who, unit.Seconds(a.pending.Mean))
	case a.dead():
		return rule.T("the resolver %s%s answers nothing: %s waits for it for %s and longer", a.name(), where, who, unit.Duration(longest))
	case len(a.waits) == 0 && a.slow():
		return rule.T("the resolver %s%s is slow: lookups of %s wait for it %s per second", a.name(), where, who, unit.Seconds(a.pending.Mean))
	case len(a.waits) == 0:
		return rule.T("the resolver %s%s may be slow: %s of %s received nothing for up to %s", a.name(), where, unit.Plural(sockets, "socket", "sockets"), who, unit.Duration(longest))
	}
	return rule.T("the resolver %s%s is slow: %s had no answer for up to %s", a.name(), where, unit.Plural(len(a.waits), "lookup", "lookups"), unit.Duration(longest))
}

func (a *askedResolver) evidence(v *view.View, sockets []view.Lookup, longest time.Duration, who string) (list []rule.Evidence) {
	enter := v.EnterNetNS(a.netns)
	check := shell.Line("%s ss -unp 'dport = :53'", enter)
	if a.slow() {
		list = append(list, rule.Evidence{Metric: metric.DNSWaiting, Value: a.pending.Mean, Limit: rule.Limit(0), Check: check,
			What: rule.T("lookups that wait at a time: %s, seen at %d of %d readings, each for %s or more on average", unit.Number(a.pending.Mean), a.pending.Readings, a.pending.Of, unit.Duration(a.each()))})
	}
	if n := len(sockets); n > 0 && (len(a.waits) > 0 || !a.slow()) {
		list = append(list, rule.Evidence{Metric: metric.DNSWaiting, Value: float64(n), Limit: rule.Limit(0), Check: check,
			What: rule.T("%s of %s received nothing from it for up to %s", unit.Plural(n, "socket", "sockets"), who, unit.Duration(longest))})
	}
	if len(sockets) > 0 || a.paused() {
		list = append(list, rule.Evidence{Metric: metric.UDPReceived, Value: a.came, Check: shell.Line("%s nstat -az UdpInDatagrams UdpOutDatagrams Udp6InDatagrams Udp6OutDatagrams", enter),
			What: rule.T("meanwhile UDP%s sent %s and received %s", v.InNetNS(a.netns), unit.Plural(int64(a.sent), "datagram", "datagrams"), unit.Count(a.came))})
	}
	if a.refused > 0 {
		list = append(list, rule.Evidence{Metric: metric.DroppedPackets, Value: float64(a.refused), Limit: rule.Limit(0),
			What: rule.T("the kernel found no process for %s to it (NO_SOCKET)%s", unit.Plural(a.refused, "datagram", "datagrams"), a.now())})
	}
	if a.listed.Asked > 0 {
		list = append(list, rule.Evidence{Metric: metric.DNSAsked, Value: float64(a.listed.Asked - a.listed.Answered), Limit: rule.Limit(0), Check: shell.Line("%s dig @%s . NS", enter, shell.Address(a.server)),
			What: rule.T("%s of rtrail, %s, within %s", unit.Plural(a.listed.Asked, "query", "queries"), unit.Plural(a.listed.Answered, "answer", "answers"), unit.Duration(a.listed.Time))})
	}
	if a.listed.Server != "" {
		what := rule.T("resolv.conf%s names it", v.InNetNS(a.netns))
		if a.listed.Default {
			what = rule.T("resolv.conf%s names no server: libraries ask %s", v.InNetNS(a.netns), a.server)
		}
		list = append(list, rule.Evidence{Metric: metric.DNSListed, What: what, Check: shell.Line("cat %s", v.ResolvConf(a.netns))})
	}
	return slices.Insert(list, min(1, len(list)), a.behind(v)...)
}

// now says what became of a port at which no process listened.
func (a *askedResolver) now() string {
	if a.listens {
		return "; at the end one listens there"
	}
	return ""
}
