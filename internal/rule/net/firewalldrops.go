package net

import (
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

// cutOff is a connection attempt or a connection that gets no answer.
type cutOff struct {
	view.Connection
	connecting bool
	fit        fit
}

func detectFirewallDrops(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	waiting := waitingConnections(v)
	for _, f := range slices.Concat(filters(v), uncounted(v)) {
		if f.Random > 0 || f.packets < fewPackets.Value {
			continue // a rule that drops by chance is the place of a loss
		}
		victims, sure := hit(v, f, waiting)
		if sure == 0 {
			continue
		}
		if !f.Counted { // the policy of a chain may do the same
			sure = min(sure, rule.Likely)
		}
		found = append(found, dropFinding(v, f, victims, sure))
	}
	return found, nil
}

// waitingConnections lists the connections of this host's namespaces that wait
// for an answer.
func waitingConnections(v *view.View) []cutOff {
	return view.Memo(v, "net/cut-off", func() []cutOff {
		var list []cutOff
		for _, c := range v.Connections() {
			switch {
			case c.Connecting():
				list = append(list, cutOff{Connection: c, connecting: true})
			case c.Info && c.State == recording.TCPEstablished && (float64(max(c.Retransmits, c.Backoff)) >= blackhole.Value):
				list = append(list, cutOff{Connection: c})
			}
			if len(list) == maxCutOff {
				break
			}
		}
		return list
	})
}

// maxCutOff is how many connections that wait are compared with rules: any user can make as many as
// there are ports.
const maxCutOff = 5000

// hit finds who suffers from a rule, and how sure that is. Rules drop noise
// all day on healthy hosts: without somebody who waits there is nothing to
// say but that the counter moves.
func hit(v *view.View, f filter, waiting []cutOff) (victims []cutOff, sure rule.Confidence) {
	byFit := map[fit][]cutOff{}
	for _, w := range waiting {
		w.fit = f.fits(w.TCPSample)
		if w.fit == no || explainedElsewhere(v, w) {
			continue
		}
		byFit[w.fit] = append(byFit[w.fit], w)
	}
	switch {
	case len(byFit[exact]) >= severalWait.Int() || slices.ContainsFunc(byFit[exact], stubborn):
		return byFit[exact], rule.Certain
	case len(byFit[general]) >= severalWait.Int() && f.packets >= float64(len(byFit[general])):
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
func stubborn(w cutOff) bool {
	return w.Retransmits >= 1 || w.Backoff >= 1 || len(w.Samples) >= severalWait.Int()
}

// explainedElsewhere: a server of this host whose accept queue is full, or that
// is flooded, drops SYNs by itself.
func explainedElsewhere(v *view.View, w cutOff) bool {
	if !w.connecting {
		return false
	}
	return view.Memo(v, "net/ports-that-drop", func() map[uint16]bool {
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
	})[w.RemotePort]
}

// servesLocally says whether the rule names a port that somebody listens on in
// its own namespace.
func servesLocally(v *view.View, f filter) bool {
	for _, m := range portWords.FindAllStringSubmatch(f.Match, -1) {
		for _, l := range v.Listeners() {
			if l.NetNS == f.NetNS && inPorts(m[1], l.Port) {
				return true
			}
		}
	}
	return false
}

func dropFinding(v *view.View, f filter, victims []cutOff, sure rule.Confidence) rule.Finding {
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
	for _, w := range victims {
		for _, s := range []view.Entity{v.PeerEntity(w.Remote, w.NetNS), v.NetNSEntity(w.NetNS)} {
			if !slices.Contains(x.Affects, s) {
				x.Affects = append(x.Affects, s)
			}
		}
	}
	x.Fixes = []rule.Fix{
		{Text: rule.T("look at the rule, who put it there and why"), Command: f.show(v), Tradeoff: "none"},
		{Text: rule.T("accept that traffic before the rule, or delete the rule"), Command: f.remove(v),
			Tradeoff: "unwanted traffic may come in; rules written by a tool (ufw, firewalld, docker) must be changed there"},
	}
	return x
}

// waitingAtOnce is how many of the connections waited in the mean sample.
func waitingAtOnce(victims []cutOff) float64 {
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

func dropEvidence(v *view.View, f filter, victims []cutOff, rate float64) []rule.Evidence {
	took := rule.T("+%s packets in %s (%s): %s", unit.Count(f.packets), unit.Seconds(f.seconds), unit.PerSecond(rate), f.Match)
	if !f.Counted {
		took = rule.T("the packet filter dropped %s packets in %s (%s) that only this rule fits; it has no counter: %s", unit.Count(f.packets), unit.Seconds(f.seconds), unit.PerSecond(rate), f.Match)
	}
	list := []rule.Evidence{{
		Metric: metric.FirewallPackets, What: took,
		Value: f.packets, Limit: rule.Limit(0), Check: f.show(v),
	}}
	list = append(list, kernelDrops(v, func(d *recording.PacketDrop) bool {
		return d.Reason == "NETFILTER_DROP" && (d.NetNS == f.NetNS || d.NetNS == 0) && (len(victims) == 0 || slices.ContainsFunc(victims, func(w cutOff) bool {
			return w.Local == d.Source && w.Remote == d.Destination || w.Local == d.Destination && w.Remote == d.Source
		}))
	})...)
	connecting, cut := 0, 0
	for _, w := range victims {
		if w.connecting {
			connecting++
		} else {
			cut++
		}
	}
	if connecting > 0 {
		w := victims[0]
		list = append(list, rule.Evidence{
			Metric: metric.TCPSYNSent, What: rule.T("%d connects without an answer to %s:%d%s", connecting, w.Remote, w.RemotePort, v.InNetNS(w.NetNS)),
			Value: float64(connecting), Check: shell.Line("%s ss -tan state syn-sent dst %s", v.EnterNetNS(w.NetNS), shell.Address(w.Remote)),
		})
	}
	list = append(list, rule.WhoConnects(v, func(c *view.Connects) bool {
		return slices.ContainsFunc(victims, func(w cutOff) bool {
			return w.connecting && w.NetNS == c.NetNS && w.Remote == c.Remote && w.RemotePort == c.RemotePort
		})
	})...)
	if cut > 0 {
		list = append(list, rule.Evidence{
			Metric: metric.TCPRetransmits, What: rule.T("%d connections retransmit without an answer", cut),
			Value: float64(cut), Check: shell.Line("ss -tino state established | grep -B1 backoff"),
		})
	}
	return list
}
