package tcpping

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"rtrail/internal/conclusion"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
)

// Verdict is what tries say of a port. Kinds are answers, refused, filtered, unreachable,
// no-answer, mixed, queue-full, paws, syns-lost, lookup-slow and failed.
type Verdict = conclusion.Verdict

// Step is what to do next.
type Step = conclusion.Step

// Lookup is how a name became addresses.
type Lookup struct {
	Name string        `json:"name"`
	Took time.Duration `json:"took_ns"`
}

const (
	// slowLookup is a second: answers of name servers in the same place take milliseconds, the
	// first repeat of a query comes after 5 s (resolv.conf, timeout), or after 1 s of other resolvers.
	slowLookup = time.Second
	// fewLost is how many SYNs get lost now and then on any path.
	fewLost = 3
	// lostShare is the share of lost SYNs from which on clients notice: each costs a second.
	lostShare = 0.02
	// chance is how probable a difference may be by chance that is told.
	chance = 0.01
)

// Judge says what the tries mean, the worst first. port is the one that was asked about.
func Judge(s *Sums, l Lookup, port uint16) []Verdict {
	list := []Verdict{}
	if l.Took >= slowLookup {
		list = append(list, Verdict{Kind: "lookup-slow", Sure: "certain",
			Headline: fmt.Sprintf("the lookup of the name took %v, before any packet went to the port", unit.Duration(l.Took)),
			Proof:    []string{"a name server that does not answer costs 5 s each time it is asked (resolv.conf, timeout)"},
			Next:     []Step{conclusion.Do("list the name servers, then ask each one: dig @SERVER NAME", shell.Line("grep nameserver /etc/resolv.conf")), conclusion.Do("let rtrail ask them", shell.Line("sudo rtrail --probe-dns"))}})
	}
	for _, a := range s.targets() {
		list = append(list, judge(s, a, port))
	}
	return list
}

func judge(s *Sums, target netip.Addr, port uint16) Verdict {
	g := s.of(Whole, target)
	host := hostPort(target, port)
	switch {
	case g.Failed == g.Tries:
		return Verdict{Kind: "failed", Sure: "certain", Headline: fmt.Sprintf("no connect to %s was sent: %s", host, g.Error)}
	case g.Accepted > 0:
		return accepted(s, &g, host)
	case g.Refused > 0 && g.Refused+g.Failed == g.Tries:
		return refused(&g, host)
	case g.Unreachable > 0 && g.Refused > 0:
		return Verdict{Kind: "mixed", Sure: "certain", Headline: fmt.Sprintf("%s refuses, in different ways: a filter or a router answers some, the host others", host), Proof: []string{g.counts(), g.told()}}
	case g.Unreachable > 0:
		return unreachable(&g, host)
	case g.Refused > 0 && len(g.Messages) > 0:
		v := refused(&g, host)
		v.Sure, v.Proof = "likely", append(v.Proof, fmt.Sprintf("%s without an answer", unit.Plural(g.Silent, "connect", "connects")), seldom)
		return v
	case g.Refused > 0:
		return lossy(s, &g, host)
	}
	if closed := s.of(Closed, target); closed.Refused > 0 {
		return lossy(s, &g, host) // the host is there
	}
	return Verdict{Kind: "no-answer", Sure: "certain", Headline: fmt.Sprintf("%s: nothing answers; a packet filter drops the SYNs, or the host is down, or the address is wrong", host),
		Proof: []string{fmt.Sprintf("%s, no SYN-ACK, no reset, no ICMP message", unit.Plural(g.SYNs, "SYN", "SYNs")), "a filter that rejects is silent, too, where its ICMP messages are over their rate or get lost"},
		Next: []Step{conclusion.Do("see whether the host answers at all, and where packets end", shell.Line("ping -c 3 %s; sudo traceroute -T -p %d %s", target.String(), int(port), target.String())),
			conclusion.Do("on that host: see whether SYNs arrive", shell.Line("sudo tcpdump -ni any 'tcp port %d'", int(port)))}}
}

func refused(g *Group, host string) Verdict {
	v := Verdict{Kind: "refused", Sure: "certain", Headline: fmt.Sprintf("%s refuses: nothing listens there, or a packet filter answers with a reset", host),
		Proof: []string{fmt.Sprintf("%d of %d connects were reset%s", g.Refused, g.Tries, g.times())},
		Next:  []Step{conclusion.Do("on that host: see who listens, and at which address", shell.Line("sudo ss -tlnp 'sport = :%d'", int(g.Target.Port())))}}
	if len(g.Messages) > 0 {
		v.Kind, v.Headline = "filtered", fmt.Sprintf("%s: rejected by a packet filter: %s", host, g.told())
	}
	return v
}

func unreachable(g *Group, host string) Verdict {
	v := Verdict{Kind: "unreachable", Sure: "certain", Headline: fmt.Sprintf("%s cannot be reached: %s", host, g.told()),
		Proof: []string{g.counts()},
		Next:  []Step{conclusion.Do("see the route, and whether the next hop answers", shell.Line("ip route get %s; ip neigh", g.Target.Addr().WithZone("").String()))}}
	if g.Unreachable+g.Failed < g.Tries {
		v.Sure = "likely"
	}
	if g.Silent > 0 {
		v.Proof = append(v.Proof, seldom)
	}
	for i := range g.Messages {
		if g.Messages[i].Filters() {
			v.Kind, v.Headline = "filtered", fmt.Sprintf("%s: rejected by a packet filter: %s", host, g.told())
			v.Next = []Step{conclusion.Do("look for the rule at the sender of the message", shell.Line("sudo iptables -nvL; sudo nft list ruleset"))}
		}
	}
	return v
}

// seldom explains silence beside ICMP messages. Linux sends a host six at once, then one a
// second (net.ipv4.icmp_ratelimit).
const seldom = "those without an answer may have the same cause: senders of ICMP messages limit their rate (Linux: one a second per host after the first six)"

// accepted judges a port that has answered at least once.
func accepted(s *Sums, g *Group, host string) Verdict {
	if g.Unreachable > 0 && g.Silent > 0 {
		return Verdict{Kind: "mixed", Sure: "likely", Headline: fmt.Sprintf("%s answers some connects and rejects others (%s): several hosts or filters share the address, or a filter limits the rate of connects", host, g.told()),
			Proof: []string{g.counts(), seldom}}
	}
	if g.Lost >= fewLost && g.LostShare() >= lostShare || g.Lost > 0 && g.Silent > 0 {
		return lossy(s, g, host)
	}
	if g.Refused > 0 || g.Unreachable > 0 {
		return Verdict{Kind: "mixed", Sure: "certain", Headline: fmt.Sprintf("%s refuses %d of %d connects: the listener comes and goes, or several hosts share the address and one has none", host, g.Refused+g.Unreachable, g.Tries),
			Proof: []string{g.counts()}}
	}
	v := Verdict{Kind: "answers", Sure: "certain", Fine: true, Headline: fmt.Sprintf("%s answers%s", host, g.times()), Proof: []string{g.counts()}}
	for _, kind := range []Kind{Plain, Closed} {
		if other := s.of(kind, g.Target.Addr()); other.Tries > 0 && other.Failed == other.Tries {
			v.Proof = append(v.Proof, fmt.Sprintf("%s: no SYN was sent: %s", kind, other.Error))
		}
	}
	if g.Timestamps == 0 {
		v.Proof = append(v.Proof, "without TCP timestamps")
	}
	if g.Lost > 0 {
		v.Proof = append(v.Proof, fmt.Sprintf("%s got lost on the way, which happens now and then", unit.Plural(g.Lost, "SYN", "SYNs")))
	}
	return v
}

// lossy says why some SYNs get no answer.
func lossy(s *Sums, g *Group, host string) Verdict {
	plain, closed := s.of(Plain, g.Target.Addr()), s.of(Closed, g.Target.Addr())
	v := Verdict{Kind: "syns-lost", Sure: "likely", Proof: []string{g.counts()},
		Headline: fmt.Sprintf("%s: %s of SYNs get no answer, and each costs a client 1 s", host, unit.Share(g.LostShare()))}
	for _, other := range []*Group{&plain, &closed} {
		if other.Tries > other.Failed {
			v.Proof = append(v.Proof, fmt.Sprintf("%s: %d of %d SYNs got no answer", other.Kind, other.Lost, other.SYNs))
		}
	}
	worse := func(than *Group) bool {
		return than.Answered() > 0 && byChance(g.Hit, g.Tries, than.Hit, than.Tries) < chance // repeats of a SYN share its fate
	}
	switch {
	case g.Timestamps > 0 && worse(&plain):
		v.Kind, v.Headline = "paws", fmt.Sprintf("%s: %s of SYNs with TCP timestamps get no answer, SYNs without them do get one: the server drops old timestamps (PAWS), probably because several clients share an address (NAT)", host, unit.Share(g.LostShare()))
		v.Next = []Step{conclusion.Do("on the server: see whether the counter grows", shell.Line("nstat -az TcpExtPAWSPassive TcpExtPAWSActive TcpExtTWRecycled TcpExtListenDrops")),
			conclusion.Do("on a server before Linux 4.12", shell.Line("sysctl -w net.ipv4.tcp_tw_recycle=0"))}
	case closed.Refused > 0 && worse(&closed):
		v.Kind = "queue-full"
		v.Headline = fmt.Sprintf("%s: %s of SYNs get no answer, but a closed port of the same host answers: the accept queue is full, or a filter drops SYNs to this port", host, unit.Share(g.LostShare()))
		v.Next = []Step{conclusion.Do("on the server: see whether Recv-Q stands above Send-Q, and the counters grow", shell.Line("ss -tln 'sport = :%d'; nstat -az TcpExtListenOverflows TcpExtListenDrops", int(g.Target.Port()))),
			conclusion.Do("on the server: let rtrail look", shell.Line("sudo rtrail"))}
	case closed.Answered() > 0 && closed.Lost > 0:
		v.Headline = fmt.Sprintf("%s: %s of SYNs get no answer, and SYNs to a closed port get lost, too: the path or the host drops packets; each lost SYN delays a connect by 1 s", host, unit.Share(g.LostShare()))
		v.Next = []Step{conclusion.Do("capture at both ends, then: rtrail diagnose --client-side A.pcapng --server-side B.pcapng", shell.Line("sudo rtrail packets -i any -p %d -w hop.pcapng --for 30s", int(g.Target.Port())))}
	default:
		v.Next = []Step{conclusion.Do("tell a full queue from a lossy path and from PAWS: compare with SYNs without timestamps and to a closed port", shell.Line("sudo rtrail ping %s %d --compare --count 60", g.Target.Addr().String(), int(g.Target.Port())))}
		if closed.Tries > closed.Failed {
			v.Next[0] = conclusion.Do("capture at both ends, then: rtrail diagnose --client-side A.pcapng --server-side B.pcapng", shell.Line("sudo rtrail packets -i any -p %d -w hop.pcapng --for 30s", int(g.Target.Port())))
		}
	}
	return v
}

// counts is what came back.
func (g *Group) counts() string {
	parts := []string{fmt.Sprintf("%d of %d connects answered", g.Accepted, g.Tries)}
	for _, p := range []struct {
		n     int
		words string
	}{{g.Refused, "reset"}, {g.Unreachable, "ended by ICMP messages"}, {g.Silent, "without an answer"}, {g.Failed, "not sent"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.words))
		}
	}
	if g.Lost > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s without an answer", g.Lost, unit.Plural(g.SYNs, "SYN", "SYNs")))
	}
	return strings.Join(parts, ", ")
}

// times is ": p50 0.31 ms, ..." of the answers.
func (g *Group) times() string {
	p50, ok := g.Percentile(0.5)
	if !ok {
		return ""
	}
	p95, _ := g.Percentile(0.95)
	most, _ := g.Percentile(1)
	return fmt.Sprintf(": connect time p50 %v, p95 %v, max %v", unit.Duration(p50), unit.Duration(p95), unit.Duration(most))
}

// told is what messages said.
func (g *Group) told() string {
	var words []string
	for i := range g.Messages {
		words = append(words, g.Messages[i].String())
	}
	return strings.Join(words, "; ")
}

func hostPort(a netip.Addr, port uint16) string { return netip.AddrPortFrom(a, port).String() }
