package net

import (
	"cmp"
	"slices"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/view"
)

// Programs of most hosts ask a resolver of the host itself (systemd-resolved, dnsmasq, unbound),
// which asks others. It answers late also when these do.

// blame says who makes the lookups of a resolver wait, as far as that is known.
type blame int

const (
	blameResolver blame = iota // it is on another host, or no process listens there
	blameEither                // it is on this host: itself, or a server that it asks
	blameLocal                 // it is on this host: itself, since the servers that it asks answer
	blameUpstream              // a server that it asks
	blameMany                  // of the servers that it asks more than anybody tells a resolver: it looks itself for who knows a name
)

// fewUpstreams is how many servers a resolver is told to ask, at most, where its settings are not
// known: as many as resolv.conf(5) takes (MAXNS).
const fewUpstreams = 3

// upstream is a server that a resolver of this host asks for programs.
type upstream struct {
	server string
	listed recording.NameServer // as the settings of the resolver name it; the zero value: they do not, or are not known
	waits  []*view.Lookup       // sockets of the resolver that received nothing from it
	both   int                  // readings at which one of them and a lookup of a program were under way
	here   bool                 // it is on this host, too: others may be behind it
}

func (u *upstream) name() string { return dnsName(u.server) }

// toldNothing says that it did not answer rtrail.
func (u *upstream) toldNothing() bool {
	return u.listed.Asked >= int64(minQueries.Value) && u.listed.Answered == 0
}

// longest is how long one of the sockets received nothing, at least.
func (u *upstream) longest() (longest time.Duration) {
	for _, l := range u.waits {
		longest = max(longest, l.Seen)
	}
	return longest
}

// upstream is what is known of a server that the resolver asks.
func (a *askedResolver) upstream(server string) *upstream {
	u := a.known[server]
	if u == nil {
		if a.known == nil {
			a.known = map[string]*upstream{}
		}
		u = &upstream{server: server}
		a.known[server] = u
		a.asks = append(a.asks, u)
	}
	return u
}

// trace looks behind a resolver of this host: who is slow, it or a server that it asks. It says
// whether the sockets of the resolver were looked at, which follow allows.
func (a *askedResolver) trace(v *view.View, follow bool) (followed bool) {
	if a.shut() || a.paused() {
		return false
	}
	a.serving = v.ResolversAt(a.netns, a.server)
	if len(a.serving) == 0 && !addressOf(a.server).IsLoopback() {
		return false
	}
	a.blame = blameEither
	for _, s := range v.Upstreams(a.netns, a.server) {
		a.upstream(s.Server).listed = s
	}
	if followed = follow && len(a.serving) > 0; followed {
		a.follow(v)
	}
	if len(a.asks) == 0 {
		return followed
	}
	slices.SortStableFunc(a.asks, func(x, y *upstream) int {
		return cmp.Or(y.both-x.both, len(y.waits)-len(x.waits), bit(y.toldNothing())-bit(x.toldNothing()), cmp.Compare(y.listed.Time, x.listed.Time))
	})
	untold := 0
	for _, u := range a.asks {
		if len(u.waits) > 0 && u.listed.Server == "" {
			untold++
		}
	}
	first := a.asks[0]
	first.here = addressOf(first.server).IsLoopback() || len(v.ResolversAt(a.netns, first.server)) > 0
	// That a server does not answer rtrail proves little where the resolver gets answers: it may ask
	// by TLS what nobody else may ask.
	silent := first.toldNothing() && (a.toldNothing() || a.listed.Answered == 0 && a.all((*upstream).toldNothing))
	switch {
	case untold > fewUpstreams:
		a.blame = blameMany
	case len(first.waits) > 0 && !quick(first), silent, a.all(a.late):
		a.blame = blameUpstream
	case a.all(quick) && a.answersLate() && first.longest() < unansweredFor.Duration():
		a.blame = blameLocal
	}
	return followed
}

// waiting is how many servers it waits for.
func (a *askedResolver) waiting() (n int) {
	for _, u := range a.asks {
		n += bit(len(u.waits) > 0)
	}
	return n
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// follow finds the sockets by which the resolver waited for servers that it asks itself, while
// programs waited for it: at half of these readings at least one was there. A resolver may wait for
// somebody at any time, for a name that nobody needs. One that has much to do always has sockets
// open, each for a moment, also if whomever it asks answers at once: only those count that stay.
func (a *askedResolver) follow(v *view.View) {
	readings := view.UnderWay(a.sockets())
	stay := time.Duration(1) // at two readings
	if len(a.waits) > 0 {
		stay = unansweredFor.Duration() / 2
	}
	queries := slices.DeleteFunc(v.Forwarded(a.netns, a.serving), func(l *view.Lookup) bool {
		if len(readings) == 0 { // rtrail alone asks it
			return l.Remote == a.server || l.Seen < unansweredFor.Duration()
		}
		return l.Remote == a.server || l.Seen < stay || shared(readings, l) == 0
	})
	if n := shared(readings, queries...); len(readings) > 0 && (n < minQueries.Int() || float64(n) < waitingShare.Value*float64(len(readings))) {
		return
	}
	a.reads = len(readings)
	for _, l := range queries {
		u := a.upstream(l.Remote)
		u.waits = append(u.waits, l)
	}
	for _, u := range a.asks {
		u.both = shared(readings, u.waits...)
	}
}

// shared counts the readings at which one of some lookups was under way.
func shared(readings []time.Time, lookups ...*view.Lookup) (n int) {
	there := make([]bool, len(readings))
	for _, l := range lookups {
		first, end := l.UnderWayAt(readings)
		for at := first; at < end; at++ {
			there[at] = true
		}
	}
	for _, is := range there {
		n += bit(is)
	}
	return n
}

// all says that something holds for all servers that it is known to ask.
func (a *askedResolver) all(holds func(*upstream) bool) bool {
	return !slices.ContainsFunc(a.asks, func(u *upstream) bool { return !holds(u) })
}

// quick says that a server answered rtrail at once.
func quick(u *upstream) bool {
	return u.listed.Answered > 0 && u.listed.Time < slowAnswer.Duration()
}

// late says that a server answered rtrail so late that lookups wait as they do: half of that time.
func (a *askedResolver) late(u *upstream) bool {
	wait := a.each()
	if len(a.waits) > 0 {
		wait = max(wait, unansweredFor.Duration())
	}
	return u.listed.Answered > 0 && u.listed.Time >= max(slowAnswer.Duration(), wait/2)
}

// answersLate says that the resolver itself answered rtrail not at all or late, beside the servers
// that it asks.
func (a *askedResolver) answersLate() bool {
	return a.toldNothing() || a.listed.Answered > 0 && a.listed.Time >= max(slowAnswer.Duration(), slowerThanCached.Times(a.slowest()))
}

// slowest is how long a server that it asks took for rtrail, that which took longest.
func (a *askedResolver) slowest() (longest time.Duration) {
	for _, u := range a.asks {
		longest = max(longest, u.listed.Time)
	}
	return longest
}

// blamed is the server that a finding is about.
func (a *askedResolver) blamed() string {
	if a.blame == blameUpstream {
		return a.asks[0].server
	}
	return a.server
}

// join leaves one of those that blame the same server, that which is known best.
func join(list []*askedResolver) {
	type place struct {
		netns  uint64
		server string
	}
	best := map[place]*askedResolver{}
	for _, a := range list {
		k := place{a.netns, a.blamed()}
		if b := best[k]; b == nil || a.confidence() > b.confidence() {
			best[k] = a
		}
	}
	for _, a := range list {
		if b := best[place{a.netns, a.blamed()}]; b != a {
			a.told = true
			if a.confidence() > 0 {
				b.also = append(b.also, a)
			}
		}
	}
}

// confidence says how sure it is that the server which is blamed is to blame.
func (a *askedResolver) confidence() rule.Confidence {
	c := a.observed()
	switch a.blame {
	case blameEither, blameMany:
		return min(c, rule.Likely)
	case blameUpstream:
		if u := a.asks[0]; c >= rule.Likely && u.toldNothing() && len(u.waits) > 0 && !u.here {
			return rule.Certain
		}
		return min(c, rule.Likely)
	}
	return c
}

// unreachable says that it is a matter of net/dns-unreachable.
func (a *askedResolver) unreachable() bool {
	return a.dead() || a.paused() || a.blame == blameUpstream && a.asks[0].toldNothing()
}
