package net

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// program is who serves the resolver; "it": that is not known.
func (a *askedResolver) program() string { return programOf(a.serving) }

func programOf(serving []view.Process) string {
	if len(serving) == 0 {
		return "it"
	}
	return fmt.Sprintf("%s (%d)", serving[0].Comm, serving[0].PID)
}

// way is the resolver as that through which another one is asked.
func (a *askedResolver) way() string {
	if len(a.serving) == 0 {
		return a.name()
	}
	return a.program() + " at " + a.name()
}

// headline says what is wrong, and with whom.
func (a *askedResolver) headline(v *view.View, longest time.Duration, who string) rule.Text {
	what := a.symptom(v, longest, who)
	switch {
	case a.blame == blameUpstream && a.asks[0].here:
		return rule.T("%v; it or a server that it asks is the cause", a.upstreamHeadline(v, longest, who))
	case a.blame == blameUpstream:
		return a.upstreamHeadline(v, longest, who)
	case a.blame == blameEither && !a.awaited() && !a.dead():
		return rule.T("%v; if so, %s or a server that it asks is the cause", what, a.program())
	case a.blame == blameEither:
		return rule.T("%v; %s or a server that it asks is the cause", what, a.program())
	case a.blame == blameLocal:
		return rule.T("%v; the servers that it asks answer rtrail within %s", what, unit.Duration(a.slowest()))
	case a.blame == blameMany:
		return rule.T("%v; %s waits for %s", what, a.program(), unit.Plural(a.waiting(), "server", "servers"))
	}
	return what
}

func (a *askedResolver) upstreamHeadline(v *view.View, longest time.Duration, who string) rule.Text {
	u, where, way := a.asks[0], v.InNetNS(a.netns), a.way()
	switch {
	case u.toldNothing():
		return rule.T("the resolver %s%s answers nothing: %s asks it for programs, and %s of rtrail got no answer", u.name(), where, way, unit.Plural(u.listed.Asked, "query", "queries"))
	case a.toldNothing():
		return rule.T("the resolver %s%s does not answer in time: %s asks it for programs, and %s of rtrail got no answer there", u.name(), where, way, unit.Plural(a.listed.Asked, "query", "queries"))
	case len(a.waits) > 0:
		return rule.T("the resolver %s%s is slow: %s asks it for programs, and %s had no answer for up to %s", u.name(), where, way, unit.Plural(len(a.waits), "lookup", "lookups"), unit.Duration(longest))
	case a.slow():
		return rule.T("the resolver %s%s is slow: %s asks it for programs, and lookups of %s wait %s per second", u.name(), where, way, who, unit.Seconds(a.pending.Mean))
	}
	return rule.T("the resolver %s%s may be slow: %s asks it for programs, and %s of %s received nothing for up to %s", u.name(), where, way, unit.Plural(len(a.open), "socket", "sockets"), who, unit.Duration(longest))
}

// affects lists who waits, with the resolver that waits itself.
func (a *askedResolver) affects(v *view.View) (list []view.Entity) {
	seen := map[view.Entity]bool{}
	add := func(e view.Entity) {
		if !seen[e] {
			seen[e] = true
			list = append(list, e)
		}
	}
	add(v.PeerEntity(a.blamed(), a.netns))
	for _, b := range slices.Concat([]*askedResolver{a}, a.also) {
		if b.server != a.blamed() {
			add(v.PeerEntity(b.server, b.netns))
			add(dnsEntity(b.server, b.netns))
			for _, p := range b.serving {
				add(p.Entity())
			}
		}
		for _, l := range b.sockets() {
			for _, p := range l.Owners {
				add(p.Entity())
			}
		}
	}
	return list
}

// shownUpstreams is of how many servers behind a resolver the evidence tells.
const shownUpstreams = 3

// behind is the evidence about the servers that a resolver of this host asks.
func (a *askedResolver) behind(v *view.View) (list []rule.Evidence) {
	enter := v.EnterNetNS(a.netns)
	var names []string
	for i, u := range a.asks {
		if u.listed.Server != "" {
			names = append(names, u.name())
		}
		if i >= shownUpstreams {
			continue
		}
		if n := len(u.waits); n > 0 {
			what := rule.T("%s asks %s: %s received nothing for up to %s", a.way(), u.name(), unit.Plural(n, "socket", "sockets"), unit.Duration(u.longest()))
			if a.reads > 0 {
				what = rule.T("%s asks %s: %s received nothing, at %d of %d readings with lookups under way", a.way(), u.name(), unit.Plural(n, "socket", "sockets"), u.both, a.reads)
			}
			list = append(list, rule.Evidence{Metric: metric.DNSWaiting, Value: float64(n), Limit: rule.Limit(0), Check: shell.Line("%s ss -unp 'dport = :53'", enter), What: what})
		}
		if u.listed.Asked > 0 {
			list = append(list, rule.Evidence{Metric: metric.DNSAsked, Value: float64(u.listed.Asked - u.listed.Answered), Limit: rule.Limit(0), Check: shell.Line("%s dig @%s . NS", enter, shell.Address(u.server)),
				What: rule.T("%s of rtrail to %s, %s, within %s", unit.Plural(u.listed.Asked, "query", "queries"), u.name(), unit.Plural(u.listed.Answered, "answer", "answers"), unit.Duration(u.listed.Time))})
		}
	}
	if len(names) > 0 {
		list = append(list, rule.Evidence{Metric: metric.DNSListed, Check: shell.Line("cat %s", v.UpstreamConf(a.netns)),
			What: rule.T("servers that %s asks, as %s names them: %s", a.name(), string(v.UpstreamConf(a.netns)), strings.Join(names, ", "))})
	}
	return list
}

// localFixes are for lookups that a resolver of this host passes on: it is a cache already. The
// server that it waits for is upstream; "": that is not known.
func localFixes(v *view.View, ns uint64, resolver string, serving []view.Process, upstream string) (list []rule.Fix) {
	enter := v.EnterNetNS(ns)
	if isResolved(resolver, serving) {
		within := withinHost(v, ns, serving)
		list = append(list,
			rule.Fix{Text: rule.T("see which server systemd-resolved asks, and configure one that answers"), Command: shell.Line("%s resolvectl status", within), Tradeoff: "none"},
			rule.Fix{Text: rule.T("see how many lookups its cache answers, and how many fail"), Command: shell.Line("%s resolvectl statistics", within), Tradeoff: "none"})
	}
	switch {
	case upstream != "":
		list = append(list, rule.Fix{Text: rule.T("ask both, %s and the server behind it, and let it ask one that answers", dnsName(resolver)), Command: shell.Line("%s dig @%s . NS; %s dig @%s . NS", enter, shell.Address(resolver), enter, shell.Address(upstream)), Tradeoff: "none"})
	case len(list) == 0:
		list = append(list, rule.Fix{Text: rule.T("look at the upstream servers of %s (server= of dnsmasq, forward-addr of unbound, forwarders of named), and ask them directly", programOf(serving)), Command: shell.Line("%s dig @%s . NS", enter, shell.Address(resolver)), Tradeoff: "none"})
	}
	return append(list, noReverseLookups())
}

// isResolved says that systemd-resolved serves a resolver, by its addresses (resolved.conf(5),
// DNSStubListener) or its name, which the kernel cuts.
func isResolved(resolver string, serving []view.Process) bool {
	return resolver == "127.0.0.53" || resolver == "127.0.0.54" || slices.ContainsFunc(serving, func(p view.Process) bool { return p.Comm == "systemd-resolve" })
}

// withinHost is what to put before a command that talks to a program of a network namespace through
// files, so that it does not meet that of the host.
func withinHost(v *view.View, ns uint64, serving []view.Process) shell.Command {
	if v.OwnNetNS(ns) {
		return shell.Command{}
	}
	if len(serving) > 0 {
		return shell.Line("nsenter --all -t %d", serving[0].PID)
	}
	if n, _ := v.NetNamespace(ns); n.PID != 0 {
		return shell.Line("nsenter --all -t %d", n.PID)
	}
	return v.EnterNetNS(ns)
}

// fixesBehind are for a server that is a resolver of this host, or that one asks; none: it is
// neither.
func fixesBehind(v *view.View, ns uint64, server string) []rule.Fix {
	if serving := v.ResolversAt(ns, server); len(serving) > 0 || addressOf(server).IsLoopback() {
		return localFixes(v, ns, server, serving, "")
	}
	for _, n := range v.NameServers(ns) {
		if slices.ContainsFunc(v.Upstreams(ns, n.Server), func(u recording.NameServer) bool { return u.Server == server }) {
			return localFixes(v, ns, n.Server, v.ResolversAt(ns, n.Server), server)
		}
	}
	return nil
}
