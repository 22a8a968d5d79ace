package net

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var dnsSlow = rule.Rule{
	ID:         "net/dns-slow",
	Title:      "DNS lookups are slow",
	Plural:     "DNS resolvers are slow",
	Resource:   "name lookups",
	NeedsAny:   []recording.Table{recording.PacketServices, recording.UDPSockets, recording.NameServers},
	Explains:   []string{"rt/server-slow", "rt/worker-queueing", "rt/path-slow", "rt/errors"},
	Refutes:    []string{"response times"},
	Thresholds: []*rule.Threshold{&minQueries, &silentShare, &fewSilent, &waitedForLost, &failedShare, &minFailures, &slowAnswer, &slowerThanCached, &waitedForNames, &unansweredFor, &waitingShare, &waitingReadings},
	Seen:       lookups,
	Detect:     func(v *view.View) ([]rule.Finding, error) { return detectDNS(v, false), nil },
}

var dnsUnreachable = rule.Rule{
	ID:         "net/dns-unreachable",
	Title:      "a DNS resolver does not answer",
	Plural:     "DNS resolvers do not answer",
	Resource:   "name lookups",
	NeedsAny:   []recording.Table{recording.PacketServices, recording.UDPSockets, recording.NameServers},
	Explains:   []string{"rt/server-slow", "rt/worker-queueing", "rt/path-slow", "rt/errors"},
	Refutes:    []string{"response times", "answers"},
	Thresholds: []*rule.Threshold{&minQueries, &silentShare, &fewSilent, &waitedForLost, &failedShare, &minFailures, &slowAnswer, &slowerThanCached, &waitedForNames, &unansweredFor, &waitingShare, &waitingReadings},
	Seen:       lookups,
	Detect:     detectDNSUnreachable,
}

var (
	minQueries = rule.Threshold{Name: "min-queries", Value: 2, Unit: "count", Source: rule.Judgement,
		Reason: "Queries without an answer. A single loss happens."}
	silentShare = rule.Threshold{Name: "silent-share", Value: 0.02, Unit: "share", Source: rule.Judgement,
		Reason: "Share of queries without an answer. UDP loses some on long paths."}
	fewSilent = rule.Threshold{Name: "few-silent", Value: 0.003, Unit: "share", Source: rule.Judgement,
		Reason: "Share of queries that were answered only after a retry, if clients wait long for them. Less is what long paths lose."}
	waitedForLost = rule.Threshold{Name: "waited-for-lost", Value: 0.5, Unit: "seconds per second", Source: rule.Judgement,
		Reason: "Waited for answers that came only after a retry. From it on somebody waits for one half of the time, whatever their share: each costs up to 5 s."}
	failedShare = rule.Threshold{Name: "failed-share", Value: 0.2, Unit: "share", Source: rule.Judgement,
		Reason: "Share of answers that are failures. Below it only some names have broken servers of their own."}
	minFailures = rule.Threshold{Name: "min-failures", Value: 5, Unit: "count", Source: rule.Judgement,
		Reason: "Failures. With fewer, only some names have broken servers of their own."}
	slowAnswer = rule.Threshold{Name: "slow-answer", Value: 0.1, Unit: "seconds", Source: "Nielsen, Usability Engineering, chapter 5",
		Reason: "Usual answer time. Users notice it."}
	slowerThanCached = rule.Threshold{Name: "slower-than-cached", Value: 10, Unit: "ratio", Source: rule.Judgement,
		Reason: "Ratio of the usual to the fastest answer of the resolver. Distance alone is not a problem."}
	unansweredFor = rule.Threshold{Name: "unanswered-for", Value: 2, Unit: "seconds", Source: rule.Judgement,
		Reason: "How long a query without an answer has waited, at least, as sockets show it. Resolvers that look far away for a name give up or answer before; glibc asks again after 5 s."}
	waitingShare = rule.Threshold{Name: "waiting-share", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Without packets: share of the readings of sockets at which lookups of one resolver wait. From it on somebody waits for one half of the time."}
	waitingReadings = rule.Threshold{Name: "waiting-readings", Value: 3, Unit: "count", Source: rule.Judgement,
		Reason: "Without packets: readings of sockets at which lookups of one resolver wait. Fewer may be a single burst."}
	waitedForNames = rule.Threshold{Name: "waited-for-names", Value: 0.1, Unit: "seconds per second", Source: rule.Judgement,
		Reason: "Time waited for names. Less is not worth a finding."}
)

// resolver is one server of DNS and what became of the queries to it.
type resolver struct {
	s *view.PacketService
	recording.PacketResolver
	first *recording.PacketTransaction // a query without an answer, the first one that was kept
}

func detectDNSUnreachable(v *view.View) ([]rule.Finding, error) {
	if found := detectDNS(v, true); len(found) > 0 {
		return found, nil
	}
	for _, r := range resolvers(v) {
		if r.dead() && r.Queries > 0 {
			return nil, &rule.NotJudged{Needs: "an answer, or 2 queries that waited at least 2 s without an answer",
				Why: fmt.Sprintf("%s to %s had no answer when the capture ended, %s for less than 2 s", unit.Plural(r.Queries, "query", "queries"), r.name(), unit.Count(r.Young)),
				How: shell.Say("capture for longer")}
		}
	}
	return nil, nil
}

func detectDNS(v *view.View, unreachable bool) []rule.Finding {
	var found []rule.Finding
	captured := map[string]bool{} // of which packets say more than sockets
	for _, r := range resolvers(v) {
		captured[r.s.Server] = true
		if r.dead() != unreachable {
			continue
		}
		if what, c := r.judge(v); what != sound {
			found = append(found, r.finding(v, what, c))
		}
	}
	for _, a := range askedResolvers(v) {
		if !a.told && !captured[a.server] && !captured[a.blamed()] && a.unreachable() == unreachable {
			if c := a.confidence(); c != 0 {
				found = append(found, a.finding(v, c))
			}
		}
	}
	return found
}

// resolvers are the servers of DNS, each with a query to show. The totals are
// complete, the transactions of a recording are some.
func resolvers(v *view.View) []*resolver {
	return view.Memo(v, "net/resolvers", func() []*resolver {
		type place struct {
			server string
			port   int32
		}
		known := map[place]*resolver{}
		for _, row := range v.PacketResolvers() {
			known[place{row.Server, row.ServerPort}] = &resolver{PacketResolver: row}
		}
		transactions := v.PacketTransactions()
		for i := range transactions {
			t := &transactions[i]
			r := known[place{t.Server, t.ServerPort}]
			if r != nil && t.Proto == "dns" && t.Status == "unanswered" && (r.first == nil || t.At.Before(r.first.At)) {
				r.first = t
			}
		}
		var list []*resolver
		for _, s := range v.PacketServices() {
			if r := known[place{s.Server, int32(s.Port)}]; r != nil && s.Proto == "dns" {
				r.s = s
				list = append(list, r)
			}
		}
		return list
	})
}

// dead says that nothing came back.
func (r *resolver) dead() bool { return r.Answered == 0 && r.Unpaired == 0 }

// silent is how many queries got no answer, at least: those no longer followed
// may have got the answers that belong to none of the others.
func (r *resolver) silent() int64 { return r.Unanswered + max(r.Forgotten-r.Unpaired, 0) }

// asked is how many queries can be judged.
func (r *resolver) asked() int64 { return r.Queries - r.Young }

// lost is how many queries got no answer, or one to a copy only.
func (r *resolver) lost() int64 { return r.silent() + r.Repeated }

func (r *resolver) loses() bool {
	return r.lost() >= int64(minQueries.Value) && float64(r.lost()) >= silentShare.Value*float64(r.asked())
}

// longestWait is what Waited has at most of each query without an answer.
const longestWait = 5 * time.Second

// costly says that clients wait half of the time for copies that were answered, though most
// queries need none. Those never answered are left out: that somebody asks the same again later
// does not prove that anybody waited.
func (r *resolver) costly(v *view.View) bool {
	waited := r.Waited - time.Duration(max(r.Unanswered-r.Refused, 0))*longestWait
	return r.Repeated >= int64(minQueries.Value) && float64(r.Repeated) >= fewSilent.Value*float64(r.asked()) && perSecond(v, waited) >= waitedForLost.Value
}

// missed is how many of them somebody is known to have waited for: an answer that the
// capture does not show may have come another way, but who has it does not ask again.
func (r *resolver) missed() int64 {
	return min(r.AskedAgain+r.Refused, r.silent()) + r.Repeated
}

// waitedFor is how long clients waited for those at least.
func (r *resolver) waitedFor() time.Duration {
	ignored := max(r.Unanswered-r.Refused-r.AskedAgain, 0) // nobody is known to have waited for these
	return max(r.Waited-time.Duration(ignored)*longestWait, 0)
}

func (r *resolver) fails() bool {
	return r.Failed >= int64(minFailures.Value) && float64(r.Failed) >= failedShare.Value*float64(r.Answered)
}

func (r *resolver) slow(v *view.View) bool {
	return r.s.Count >= int64(minFailures.Value) && r.s.RTP50 >= slowAnswer.Duration() && r.s.RTP50 >= slowerThanCached.Times(r.s.RTMin) && perSecond(v, r.s.RTSum) >= waitedForNames.Value
}

// fate is what is wrong with a resolver.
type fate int

const (
	sound   fate = iota
	unheard      // no answer was captured, and nobody is known to have missed it
	oneWay       // the same, and neither were others: the capture may lack that direction
	deaf         // nothing comes back
	losing
	failing
	sluggish
)

func (r *resolver) judge(v *view.View) (fate, rule.Confidence) {
	switch {
	case r.dead() && r.silent() >= int64(minQueries.Value) && r.missed() >= int64(minQueries.Value) && v.OneDirection(r.s.Server):
		return oneWay, rule.Possible
	case r.dead() && r.silent() >= int64(minQueries.Value) && (r.missed() >= int64(minQueries.Value) || r.Refused > 0):
		return deaf, rule.Certain
	case r.dead() && r.silent() >= int64(minQueries.Value):
		return unheard, rule.Possible
	case r.dead() && r.silent() > 0 && r.missed() > 0 && v.OneDirection(r.s.Server):
		return oneWay, rule.Possible
	case r.dead() && r.silent() > 0 && r.missed() > 0: // one query, but more than one packet
		return deaf, rule.Possible
	case r.dead():
		return sound, 0
	case r.loses() && r.missed() >= int64(minQueries.Value):
		return losing, rule.Certain
	case r.fails():
		return failing, rule.Certain
	case r.costly(v):
		return losing, rule.Likely
	case r.slow(v):
		return sluggish, rule.Likely
	case r.loses():
		return unheard, rule.Possible
	}
	return sound, 0
}

func (r *resolver) name() string { return r.s.Server + ":" + strconv.Itoa(int(r.s.Port)) }

func (r *resolver) finding(v *view.View, what fate, c rule.Confidence) rule.Finding {
	f := rule.Finding{Subject: v.ServiceEntity(r.s), Confidence: c, Affects: v.EndsOf(r.s)}
	waited := perSecond(v, r.Waited)
	lookups := unit.Plural(r.asked(), "lookup", "lookups")
	switch what {
	case unheard:
		share := float64(r.silent()) / float64(max(r.asked(), 1))
		f.Headline = rule.T("no answer of the resolver %s was captured to %s of %s of %s, but no client asked again", r.name(), unit.Count(r.silent()), unit.Plural(r.asked(), "query", "queries"), r.who())
		f.Impact = rule.Impact{Share: share, Text: rule.T("%s of %s", unit.Share(share), lookups)}
	case oneWay:
		f.Headline = rule.T("no answer of the resolver %s was captured to %s of %s, and clients ask again; but only one direction was captured", r.name(), unit.Plural(r.asked(), "query", "queries"), r.who())
		f.Impact = rule.Impact{Share: 1, Text: rule.T("all lookups")}
	case deaf:
		f.Headline = r.deadHeadline()
		f.Impact = rule.Impact{TimeLost: waited, Text: rule.T("all lookups, %s waited per second", unit.Seconds(waited))}
		// What is refused costs no time, and how long was waited for what was no
		// longer followed is not known.
		if r.Refused > 0 || r.Forgotten > 0 {
			f.Impact = rule.Impact{Share: 1, Text: rule.T("all lookups")}
		}
	case losing:
		f.Headline = r.lossHeadline()
		share := float64(r.lost()) / float64(r.asked())
		f.Impact = rule.Impact{TimeLost: waited, Text: rule.T("%s of %s, %s waited per second", unit.Share(share), lookups, unit.Seconds(waited))}
		if r.Waited == 0 { // all of them were refused, or no longer followed
			f.Impact = rule.Impact{Share: share, Text: rule.T("%s of %s", unit.Share(share), lookups)}
		}
	case failing:
		share := float64(r.Failed) / float64(r.Answered)
		f.Headline = rule.T("the resolver %s fails: %s of %s are SERVFAIL, REFUSED or similar", r.name(), unit.Count(r.Failed), unit.Plural(r.Answered, "answer", "answers"))
		f.Impact = rule.Impact{Share: share, Text: rule.T("%s of answers", unit.Share(share))}
	case sluggish:
		f.Headline = rule.T("the resolver %s is slow: half of its answers take at least %s, the fastest %s", r.name(), unit.Duration(r.s.RTP50), unit.Duration(r.s.RTMin))
		f.Impact = rule.Impact{TimeLost: perSecond(v, r.s.RTSum), Text: rule.T("%s waited per second", unit.Seconds(perSecond(v, r.s.RTSum)))}
	}
	f.Evidence = r.evidence(v)
	f.Fixes = r.fixes(v)
	f.Notes = r.notes()
	if what == oneWay {
		f.Notes = append(f.Notes, oneDirection())
	}
	return f
}

func (r *resolver) deadHeadline() rule.Text {
	queries := unit.Plural(r.Queries, "query", "queries")
	switch {
	case r.Refused == 0:
		return rule.T("the resolver %s answers nothing: none of %s of %s was answered", r.name(), queries, r.who())
	case r.Refused == r.Queries:
		return rule.T("no process listens at the resolver %s: all %s of %s were refused", r.name(), queries, r.who())
	}
	return rule.T("no process listens at the resolver %s: none of %s of %s was answered, %s refused", r.name(), queries, r.who(), unit.Plural(r.Refused, "was", "were"))
}

func (r *resolver) lossHeadline() rule.Text {
	what := "got no answer, or only after a retry"
	switch {
	case r.silent() == 0:
		what = "were answered only after a retry"
	case r.Repeated == 0:
		what = "got no answer"
	}
	return rule.T("queries to the resolver %s are lost: %s of %s %s", r.name(), unit.Count(r.lost()), unit.Count(r.asked()), what)
}

// who names the clients that waited.
func (r *resolver) who() string {
	switch {
	case r.Clients == 1:
		return r.Client
	case r.Clients >= recording.ResolverClients:
		return unit.Plural(r.Clients, "client", "clients") + " and more"
	}
	return unit.Plural(r.Clients, "client", "clients")
}

func (r *resolver) evidence(v *view.View) []rule.Evidence {
	list := []rule.Evidence{{Metric: metric.PacketsDNSUnanswered, What: rule.T("%s without an answer, %s answered only after a retry, of %s%s", unit.Plural(r.silent(), "query", "queries"), unit.Count(r.Repeated), unit.Count(r.asked()), r.uncounted()),
		Value: float64(r.lost()), Limit: rule.Limit(0), Check: r.unansweredCheck(v)}}
	if r.first != nil {
		list = append(list, rule.Evidence{Metric: metric.PacketsFirstFrame, What: rule.T("first: %s asked for %s, frame %d", r.first.Client, strings.TrimSpace(r.first.Fingerprint), r.first.FirstFrame), Value: float64(r.first.FirstFrame),
			Check: r.firstCheck(v)})
	}
	if n := min(r.AskedAgain, r.silent()); n > 0 || r.missed() < int64(minQueries.Value) {
		list = append(list, rule.Evidence{Metric: metric.PacketsDNSUnanswered, What: rule.T("clients asked again for %s of those without an answer", unit.Count(n)), Value: float64(n), Check: r.unansweredCheck(v)})
	}
	if r.Refused > 0 {
		list = append(list, rule.Evidence{Metric: metric.PacketsPortUnreachable, What: rule.T("%s answered by ICMP port unreachable", unit.Plural(r.Refused, "of them was", "of them were")), Value: float64(r.Refused),
			Check: tshark(v, r.refusedFilter())})
	}
	if r.s.Count > 0 {
		list = append(list, rule.Evidence{Metric: metric.PacketsDNSTime, What: rule.T("answers: fastest %s, half within %s, slowest %s", unit.Duration(r.s.RTMin), unit.Duration(r.s.RTP50), unit.Duration(r.s.RTMax)),
			Value: r.s.RTMax.Seconds(), Check: r.listing(v)})
	}
	return list
}

// uncounted says how many queries without an answer are not held against anybody.
func (r *resolver) uncounted() string {
	if r.Young == 0 {
		return ""
	}
	return fmt.Sprintf("; %s asked less than 2 s before the end", unit.Plural(r.Young, "more was", "more were"))
}

// listing shows all queries and answers.
func (r *resolver) listing(v *view.View) shell.Command {
	return tshark(v, shell.Display("udp.port == %d && %s", r.s.Port, pktHost("addr", r.s.Server)), view.IPField("src", r.s.Server), "dns.id", "dns.qry.type", "dns.qry.name", "dns.time")
}

// unansweredCheck shows the queries without an answer. Whether one came is known
// when the file was read once; packets that come just now are read only once.
func (r *resolver) unansweredCheck(v *view.View) shell.Command {
	from := v.PacketSource()
	if from.File == "" {
		return r.listing(v)
	}
	return shell.Line("tshark -2 %s %s -Y %s", from.Flag(), from.Dissectors(), shell.Display("dns.flags.response == 0 && !dns.response_in && !icmp && !icmpv6 && %s", pktHost("dst", r.s.Server)))
}

// refusedFilter keeps ICMP messages that quote a query: tshark knows the packet
// within by the same fields.
func (r *resolver) refusedFilter() shell.Filter {
	kind := shell.Display("icmp.type == 3 && icmp.code == 3")
	if pktAddr(r.s.Server).Is6() {
		kind = shell.Display("icmpv6.type == 1 && icmpv6.code == 4")
	}
	return shell.Display("%s && %s && udp.dstport == %d", kind, pktHost("dst", r.s.Server), r.s.Port)
}

// firstCheck asks the first query again, or shows it if its name is not known:
// identifiers in it are not kept.
func (r *resolver) firstCheck(v *view.View) shell.Command {
	if kind, name, ok := strings.Cut(r.first.Fingerprint, " "); ok && kind == r.first.Command && digs(kind) && plainName(name) {
		var port shell.Command
		if r.s.Port != 53 {
			port = shell.Line("-p %d", r.s.Port)
		}
		return shell.Line("dig @%s %s %s %s", shell.Address(r.s.Server), port, name+".", kind)
	}
	if v.PacketSource().File == "" {
		return r.listing(v)
	}
	return tshark(v, shell.Display("frame.number == %d", r.first.FirstFrame))
}

// digs says whether dig can ask for this type with nothing but a name.
func digs(kind string) bool { return kind != "NOTIFY" && kind != "UPDATE" && kind != "IXFR" }

// plainName says that a name is whole and means nothing to a shell or to dig,
// once it has its final dot.
func plainName(name string) bool {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || strings.ContainsRune("._-", c)
	}
	return !strings.ContainsFunc(name, func(c rune) bool { return !plain(c) }) && !strings.HasPrefix(name, "-") && !strings.Contains(name, "..")
}

func (r *resolver) notes() (notes []rule.Text) {
	if r.dead() && r.Refused > 0 && r.Refused < r.Queries {
		notes = append(notes, rule.T("hosts limit how many ICMP messages they send (icmp_ratelimit): queries without one may have been refused too"))
	}
	if r.Forgotten > 0 {
		notes = append(notes, rule.T("%s no longer followed, because too many waited or their port and identifier were reused; %s to none that was followed",
			unit.Plural(r.Forgotten, "query was", "queries were"), unit.Plural(r.Unpaired, "answer belongs", "answers belong")))
	}
	if !r.dead() && addressOf(r.s.Server).IsLoopback() {
		notes = append(notes, rule.T("it is a resolver of the host that asks it: a server that it asks itself may be the cause"))
	}
	if r.Addresses > 0 {
		notes = append(notes, rule.T("%s for the name of an address (PTR): a program looks up the names of its peers", unit.Plural(r.Addresses, "query was", "queries were")))
	}
	return notes
}

func (r *resolver) fixes(v *view.View) []rule.Fix {
	return dnsFixes(v, v.Manifest().Host.NetNS, r.s.Server, r.dead())
}

// dnsFixes are for a server that programs of a network namespace ask.
func dnsFixes(v *view.View, ns uint64, server string, dead bool) []rule.Fix {
	if dead {
		return []rule.Fix{
			{Text: rule.T("put a working resolver into resolv.conf; an empty file means 127.0.0.1"), Command: shell.Line("cat /etc/resolv.conf; dig @%s .", shell.Address(server)), Tradeoff: "none"},
			{Text: rule.T("or start it, and allow UDP and TCP port 53"), Command: shell.Line("ss -lunp 'sport = :53'"), Tradeoff: "none"},
		}
	}
	if list := fixesBehind(v, ns, server); list != nil {
		return list
	}
	return []rule.Fix{
		{Text: rule.T("put a caching resolver on this host or near it"), Command: shell.Line("apt-get install dnsmasq   # then: nameserver 127.0.0.1"), Tradeoff: "answers may be as old as their TTL"},
		{Text: rule.T("until then use a shorter timeout and a second server: options timeout:1 attempts:3 rotate, with two name servers"), Command: shell.Line("cat /etc/resolv.conf"), Tradeoff: "more queries"},
		noReverseLookups(),
	}
}

func noReverseLookups() rule.Fix {
	return rule.Fix{Text: rule.T("turn off reverse lookups of clients if they are not needed (skip_name_resolve, UseDNS no, -n)"), Tradeoff: "logs and grants by address instead of name"}
}

// lookups says whether any name was looked up.
func lookups(v *view.View) bool {
	return slices.ContainsFunc(v.PacketServices(), func(s *view.PacketService) bool { return s.Proto == "dns" })
}
