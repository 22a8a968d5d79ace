package net

import (
	"cmp"
	"slices"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var firewallDrops = rule.Rule{
	ID:           "net/firewall-drops",
	Title:        "a firewall rule drops packets that a program waits for",
	Plural:       "firewall rules drop packets that programs wait for",
	Resource:     "packet filter",
	Needs:        []recording.Table{recording.Firewall, recording.TCPSockets},
	BlindWithout: []recording.Sight{recording.UnseenPacketFilter},
	Explains:     []string{"net/packet-loss", "rt/connect-slow", "mysql/not-answering"},
	Refutes:      []string{"packet delivery", "connects"},
	Thresholds: []*rule.Threshold{&fewPackets, &blackhole, &severalWait, &minOverflows, &nearlyFull, &floodRate, &resetRate, &mostIncomplete,
		&halfOpenSome, &refusedFrom, &queueFull},
	Detect: detectFirewallDrops,
}

var (
	fewPackets = rule.Threshold{Name: "few-packets", Value: 3, Unit: "count", Source: rule.Judgement,
		Reason: "Packets at a rule. An address scan leaves one or two at any rule."}
	blackhole = rule.Threshold{Name: "blackhole", Value: 2, Unit: "count", Source: rule.Judgement,
		Reason: "Retransmission timeouts in a row. From here on a connection is blocked, not slow."}
	severalWait = rule.Threshold{Name: "several-wait", Value: 2, Unit: "count", Source: rule.Judgement,
		Reason: "Connects in SYN_SENT. A single one at the moment of a sample proves nothing: handshakes take milliseconds."}
)

// Any local user can make rules in a network namespace of its own, and connections that wait,
// by the thousands.
const (
	maxWaiting  = 10_000
	maxCompared = 10_000_000 // pairs of a rule and what may have met it
	maxFilters  = 100        // that are told of
)

// cutOff is a connection attempt or a connection that gets no answer.
type cutOff struct {
	*view.Connection
	connecting bool
	ends       connectionEnds
}

// dropping is a rule and whom it cuts off.
type dropping struct {
	filter
	victims []*cutOff
	sure    rule.Confidence
}

func detectFirewallDrops(v *view.View) ([]rule.Finding, error) {
	// A rule that drops by chance is the place of a loss.
	filters := slices.DeleteFunc(slices.Concat(filters(v), uncounted(v)), func(f filter) bool { return f.Random > 0 || f.packets < fewPackets.Value })
	if len(filters) == 0 {
		return nil, nil
	}
	waiting, more := waitingConnections(v)
	if most := maxCompared / max(len(waiting), 1); len(filters) > most {
		slices.SortStableFunc(filters, func(a, b filter) int { return cmp.Compare(b.packets, a.packets) })
		filters = filters[:most]
	}
	var list []dropping
	for _, f := range filters {
		victims, sure := hit(v, &f, waiting, more)
		if sure == 0 {
			continue
		}
		if !f.Counted { // the policy of a chain may do the same
			sure = min(sure, rule.Likely)
		}
		list = append(list, dropping{f, victims, sure})
	}
	if len(list) > maxFilters {
		slices.SortStableFunc(list, func(a, b dropping) int {
			return cmp.Or(cmp.Compare(b.sure, a.sure), cmp.Compare(len(b.victims), len(a.victims)), cmp.Compare(b.packets, a.packets))
		})
		list = list[:maxFilters]
	}
	var found []rule.Finding
	for _, d := range list {
		x := dropFinding(v, d.filter, d.victims, d.sure)
		if more > 0 && len(d.victims) > 0 {
			x.Notes = append(x.Notes, rule.T("%s: those that waited longest were compared with the rule", unit.Plural(more, "more connection waits for an answer on this host", "more connections wait for an answer on this host")))
		}
		found = append(found, x)
	}
	return found, nil
}

// waitingConnections lists the connections of this host's namespaces that wait
// for an answer, without those of which a server here is the reason. Of very many
// it lists those that waited longest, and how many more there are.
func waitingConnections(v *view.View) (list []*cutOff, more int) {
	refusing := refusingPorts(v)
	all := v.Connections()
	for i := range all {
		c := &all[i]
		switch {
		case c.Connecting():
			if !refusing[c.RemotePort] {
				list = append(list, &cutOff{Connection: c, connecting: true})
			}
		case c.Info && c.State == recording.TCPEstablished && (float64(max(c.Retransmits, c.Backoff)) >= blackhole.Value):
			list = append(list, &cutOff{Connection: c})
		}
	}
	if len(list) > maxWaiting {
		slices.SortStableFunc(list, func(a, b *cutOff) int {
			return cmp.Or(cmp.Compare(len(b.Samples), len(a.Samples)), cmp.Compare(max(b.Retransmits, b.Backoff), max(a.Retransmits, a.Backoff)))
		})
		list, more = list[:maxWaiting], len(list)-maxWaiting
	}
	for _, w := range list {
		w.ends = connectionEndsOf(&w.TCPSample)
	}
	return list, more
}

// hit finds who suffers from a rule, and how sure that is. Rules drop noise
// all day on healthy hosts: without somebody who waits there is nothing to
// say but that the counter moves. More wait that were not compared.
func hit(v *view.View, f *filter, waiting []*cutOff, more int) (victims []*cutOff, sure rule.Confidence) {
	var byFit [exact + 1][]*cutOff
	conditions := f.understood()
	for _, w := range waiting {
		if fits := conditions.fits(w.ends); fits != no {
			byFit[fits] = append(byFit[fits], w)
		}
	}
	switch {
	case len(byFit[exact]) >= severalWait.Int() || slices.ContainsFunc(byFit[exact], stubborn):
		return byFit[exact], rule.Certain
	case len(byFit[general]) >= severalWait.Int() && f.packets >= float64(len(byFit[general])+more):
		// Nothing ties the rule to them but the time; its packets are at
		// least as many as they sent first.
		return byFit[general], rule.Likely
	}
	if servesLocally(v, f) {
		return nil, rule.Possible
	}
	return nil, 0
}

// stubborn is a connection that was repeated and still got no answer.
func stubborn(w *cutOff) bool {
	return w.Retransmits >= 1 || w.Backoff >= 1 || len(w.Samples) >= severalWait.Int()
}

// refusingPorts are those of servers of this host whose accept queue is full, or
// that are flooded: these drop SYNs by themselves.
func refusingPorts(v *view.View) map[uint16]bool {
	ports := map[uint16]bool{}
	for _, o := range overflowing(v) {
		if o.confidence() > rule.Possible && o.refused() > 0 {
			ports[o.Port] = true
		}
	}
	for _, x := range floods(v) {
		if !x.cookies && x.confidence() > rule.Possible {
			ports[x.Port] = true
		}
	}
	return ports
}

// servesLocally says whether the rule names a port that somebody listens on in
// its own namespace.
func servesLocally(v *view.View, f *filter) bool {
	served := view.Memo(v, "net/served-ports", func() map[uint64][]int { // sorted
		m := map[uint64][]int{}
		all := v.Listeners()
		for i := range all {
			m[all[i].NetNS] = append(m[all[i].NetNS], int(all[i].Port))
		}
		for _, ports := range m {
			slices.Sort(ports)
		}
		return m
	})[f.NetNS]
	for _, list := range portLists(f.Match) {
		for _, r := range list {
			if i, _ := slices.BinarySearch(served, r.low); i < len(served) && served[i] <= r.high {
				return true
			}
		}
	}
	return false
}

func dropFinding(v *view.View, f filter, victims []*cutOff, sure rule.Confidence) rule.Finding {
	x := rule.Finding{Subject: f.subject(v), Confidence: sure}
	rate := f.packets / f.seconds
	drops := "drops"
	if f.Verdict == "reject" {
		drops = "rejects"
	}
	if len(victims) == 0 {
		x.Headline = rule.T("%s%s %s %s packets to a port that a server here listens on", f.String(), v.InNetNS(f.NetNS), drops, unit.PerSecond(rate))
		x.Impact = rule.Impact{Share: 0.05, Text: rule.T("no process on this host was seen waiting")}
	} else {
		w := victims[0]
		x.Headline = rule.T("%s%s %s packets between %s and %s:%d", f.String(), v.InNetNS(f.NetNS), drops, w.Local, w.Remote, w.RemotePort)
		at := waitingAtOnce(victims)
		x.Impact = rule.Impact{TimeLost: max(at, 0.1), Text: rule.T("%s connections wait for an answer at any time", unit.Number(at))}
	}
	x.Evidence = dropEvidence(v, f, victims, rate)
	var a affected
	peers := map[view.ConnectionKey]bool{}
	for _, w := range victims {
		if peer := (view.ConnectionKey{NetNS: w.NetNS, Remote: w.Remote}); !peers[peer] && !a.full() {
			peers[peer] = true
			a.add(v.PeerEntity(w.Remote, w.NetNS))
			a.add(v.NetNSEntity(w.NetNS))
		}
	}
	x.Affects = a.list
	x.Fixes = []rule.Fix{
		{Text: rule.T("look at the rule, who put it there and why"), Command: f.show(v), Tradeoff: "none"},
		{Text: rule.T("accept that traffic before the rule, or delete the rule"), Command: f.remove(v),
			Tradeoff: "unwanted traffic may come in; rules written by a tool (ufw, firewalld, docker) must be changed there"},
	}
	return x
}

// waitingAtOnce is how many of the connections waited in the mean sample.
func waitingAtOnce(victims []*cutOff) float64 {
	moments, seen := map[int64]bool{}, 0
	for _, w := range victims {
		for _, s := range w.Samples {
			if s.Of().State == recording.TCPSynSent || s.Of().Retransmits > 0 {
				moments[s.At().Unix()] = true
				seen++
			}
		}
	}
	return float64(seen) / float64(max(len(moments), 1))
}

func dropEvidence(v *view.View, f filter, victims []*cutOff, rate float64) []rule.Evidence {
	took := rule.T("+%s packets in %s (%s): %s", unit.Count(f.packets), unit.Seconds(f.seconds), unit.PerSecond(rate), f.Match)
	if !f.Counted {
		took = rule.T("the packet filter dropped %s packets in %s (%s) that only this rule fits; it has no counter: %s", unit.Count(f.packets), unit.Seconds(f.seconds), unit.PerSecond(rate), f.Match)
	}
	list := []rule.Evidence{{
		Metric: metric.FirewallPackets, What: took,
		Value: f.packets, Limit: rule.Limit(0), Check: f.show(v),
	}}
	between, to := map[[2]string]bool{}, map[view.ConnectionKey]bool{}
	connecting, cut := 0, 0
	for _, w := range victims {
		between[[2]string{w.Local, w.Remote}] = true
		if w.connecting {
			to[view.ConnectionKey{NetNS: w.NetNS, Remote: w.Remote, RemotePort: w.RemotePort}] = true
			connecting++
		} else {
			cut++
		}
	}
	list = append(list, kernelDrops(v, func(d *recording.PacketDrop) bool {
		return d.Reason == "NETFILTER_DROP" && (d.NetNS == f.NetNS || d.NetNS == 0) && (len(victims) == 0 || between[[2]string{d.Source, d.Destination}] || between[[2]string{d.Destination, d.Source}])
	})...)
	if connecting > 0 {
		w := victims[0]
		list = append(list, rule.Evidence{
			Metric: metric.TCPSYNSent, What: rule.T("%d connects without an answer to %s:%d%s", connecting, w.Remote, w.RemotePort, v.InNetNS(w.NetNS)),
			Value: float64(connecting), Check: shell.Line("%s ss -tan state syn-sent dst %s", v.EnterNetNS(w.NetNS), shell.Address(w.Remote)),
		})
	}
	list = append(list, rule.WhoConnects(v, func(c *view.Connects) bool {
		return to[view.ConnectionKey{NetNS: c.NetNS, Remote: c.Remote, RemotePort: c.RemotePort}]
	})...)
	if cut > 0 {
		list = append(list, rule.Evidence{
			Metric: metric.TCPRetransmits, What: rule.T("%d connections retransmit without an answer", cut),
			Value: float64(cut), Check: shell.Line("ss -tino state established | grep -B1 backoff"),
		})
	}
	return list
}
