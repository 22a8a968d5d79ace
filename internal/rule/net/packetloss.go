package net

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var packetLoss = rule.Rule{
	ID:       "net/packet-loss",
	Title:    "packets are lost: connections retransmit",
	Plural:   "paths lose packets: connections retransmit",
	Resource: "packet delivery",
	NeedsAny: []recording.Table{recording.Protocol, recording.PacketSides},
	// Without TCPDSACKRecv, which tells late packets from lost ones, nothing is more than possible.
	Columns:  []string{"protocol.TcpOutSegs", "protocol.TcpRetransSegs", "protocol.TcpExtTCPSynRetrans"},
	Explains: []string{"rt/path-slow", "rt/server-slow", "rt/client-slow", "rt/worker-queueing", "rt/connect-slow", "rt/first-disconnect"},
	Refutes:  []string{"network path"},
	Thresholds: []*rule.Threshold{&minSegments, &minRepeats, &lossy, &slightlyLossy, &timerShare, &feltTimers, &nearBound, &needless, &chanceDrops, &fewPackets, &pktMissed, &minDead,
		&shortestLimit, &oneSide, &stuckCopies, &otherPaths},
	Seen:   enoughSegments,
	Detect: detectPacketLoss,
}

var (
	minSegments = rule.Threshold{Name: "min-segments", Value: 200.0, Unit: "count", Source: rule.Judgement,
		Reason: "Segments sent. With fewer a loss rate is noise."}
	minRepeats = rule.Threshold{Name: "min-repeats", Value: 10.0, Unit: "count", Source: rule.Judgement,
		Reason: "Segments retransmitted. With fewer a loss rate is noise."}
	lossy = rule.Threshold{Name: "lossy", Value: 0.01, Unit: "share", Source: "Mathis et al., The macroscopic behavior of the TCP congestion avoidance algorithm, 1997",
		Reason: "Loss rate. Long-distance paths lose some tenths of a percent, local networks almost nothing. From 1 % on loss limits throughput (MSS/RTT x 1.2/sqrt(p)), and request tails are retransmission timeouts."}
	slightlyLossy = rule.Threshold{Name: "slightly-lossy", Value: 0.003, Unit: "share", Source: rule.Judgement,
		Reason: "Share of retransmitted segments. Worth mentioning."}
	timerShare = rule.Threshold{Name: "timer-share", Value: 0.05, Unit: "share", Source: rule.Judgement,
		Reason: "Share of their time that connections with losses wait for retransmission timers. From it on users notice, however few segments are lost."}
	feltTimers = rule.Threshold{Name: "felt-timers", Value: 0.05, Unit: "seconds", Source: rule.Judgement,
		Reason: "Waited for timers per second, by all connections. Below it losses are repaired by duplicate ACKs, at the cost of a round trip."}
	nearBound = rule.Threshold{Name: "near-bound", Value: 0.5, Unit: "share", Source: "Mathis et al., The macroscopic behavior of the TCP congestion avoidance algorithm, 1997",
		Reason: "Throughput relative to MSS/RTT x 1.22/sqrt(p), what a connection can reach at its losses. From half of it on, losses limit it."}
	needless = rule.Threshold{Name: "needless", Value: 0.9, Unit: "share", Source: rule.Judgement,
		Reason: "Share of retransmissions that peers report as duplicates (DSACK). Above it packets were late or duplicated, not lost."}
	otherPaths = rule.Threshold{Name: "other-paths", Value: 1.0 / 3, Unit: "share", Source: rule.Judgement,
		Reason: "Retransmissions to other peers relative to those expected at the loss rate of the lossy ones. Up to here the other paths do not have this loss. A path below this share of the worst rate counts as one of the others."}
	chanceDrops = rule.Threshold{Name: "chance-drops", Value: 10.0, Unit: "count", Source: rule.Judgement,
		Reason: "Packets dropped by a rule that drops at random. They are proof by themselves."}
)

const (
	// smallestRTO is the kernel's TCP_RTO_MIN: what a timeout costs at least, and a tail
	// loss probe of a single segment in flight, whatever the path.
	smallestRTO = 0.2
)

// loss is what one network namespace repeated in the window.
type loss struct {
	view.Counters
	sent     float64 // segments, repeats included
	data     float64 // segments sent again that were no SYNs
	syn      float64 // SYNs and SYN-ACKs sent again
	timeouts float64
	probes   float64
	found    float64 // losses that tail loss probes found
	dsack    float64
	unsure   bool // dsack is not told
	peers    []lossyPeer
	place    *filter
}

// lossyPeer is the connections between two addresses.
type lossyPeer struct {
	local, remote string
	repeated      float64
	sent          float64
	connections   int
	worst         view.Connection
	told          float64              // of repeated, what the kernel told as it happened
	events        []recording.TCPEvent // the same by connection
	at            map[[2]uint16]int    // of events, by local and remote port
}

func detectPacketLoss(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	told := map[[2]string]bool{} // pairs of addresses
	placed := map[string]bool{}  // rules that are named
	var accused []loss           // of found
	for _, l := range losses(v) {
		c := l.confidence()
		if c == 0 {
			continue
		}
		if len(l.peers) > 0 {
			// Both ends of a connection on one host see the same loss.
			p := l.peers[0]
			pair := [2]string{min(p.local, p.remote), max(p.local, p.remote)}
			if told[pair] {
				continue
			}
			told[pair] = true
		}
		if l.place != nil {
			name := l.place.subject(v).Name
			if placed[name] {
				continue
			}
			placed[name] = true
		}
		found, accused = append(found, l.finding(v, c)), append(accused, l)
	}
	// Packets say in which direction and on which side of the capture; of pairs
	// that the host's counters accuse already they are further proof.
	more := lossInPackets(v, func(a, b string) bool { return told[[2]string{min(a, b), max(a, b)}] })
	for i := range found {
		confirm(v, &found[i], accused[i].accuses(v))
	}
	found = append(append(found, deadConnections(v)...), more...)
	return append(found, chanceRules(v, placed)...), nil
}

// confirm adds to a finding what packets say of the connections that it accuses.
func confirm(v *view.View, f *rule.Finding, accuses map[between]bool) {
	for _, l := range lostWays(v) {
		if l.confidence() == 0 || !accuses[between{l.from, l.to}] && !accuses[between{l.to, l.from}] {
			continue
		}
		f.Evidence = append(f.Evidence, l.evidence(tshark(v, shell.Display("%s && %s && tcp.analysis.retransmission", pktHost("src", l.from), pktHost("dst", l.to)),
			view.IPField("src", l.from), view.IPField("dst", l.to), "tcp.seq"))...)
		for _, s := range l.services {
			f.Affects = append(f.Affects, v.EndsOf(s, l.from, l.to)...)
		}
		return
	}
}

// accuses says between which local and remote addresses packets are lost by a finding.
func (l loss) accuses(v *view.View) map[between]bool {
	pairs := map[between]bool{}
	where := pathsOf(v, l.NetNS)
	for i, p := range l.peers {
		if everywhere := where.everywhere() && l.place == nil; everywhere && where.loses(p.remote) || !everywhere && i == 0 {
			pairs[between{p.local, p.remote}] = true
		}
	}
	return pairs
}

// losses measures all network namespaces, the one with the most repeats first.
func losses(v *view.View) []loss {
	var list []loss
	unsure := !v.Tells(recording.Protocol, "TcpExtTCPDSACKRecv")
	for _, c := range v.Counters() {
		l := loss{Counters: c, unsure: unsure, sent: c.AtLeast("TcpOutSegs"), syn: c.AtLeast("TcpExtTCPSynRetrans"),
			timeouts: c.AtLeast("TcpExtTCPTimeouts"), probes: c.AtLeast("TcpExtTCPLossProbes"), found: c.AtLeast("TcpExtTCPLossProbeRecovery"), dsack: c.AtLeast("TcpExtTCPDSACKRecv")}
		// RetransSegs counts SYNs and SYN-ACKs too. Those are left to the
		// rules that know why there is no answer: a full queue or table, a filter.
		// OutSegs leaves repeats out.
		l.data = max(c.AtLeast("TcpRetransSegs")-l.syn, 0)
		l.sent += l.data
		l.peers = peersOf(v, c.NetNS)
		l.place = l.where(v)
		list = append(list, l)
	}
	slices.SortStableFunc(list, func(a, b loss) int { return cmp.Compare(b.data, a.data) })
	return list
}

func peersOf(v *view.View, ns uint64) []lossyPeer {
	byPair := map[[2]string]*lossyPeer{}
	var list []*lossyPeer
	all := v.Connections()
	for i := range all {
		c := &all[i] // thousands, and large
		if c.NetNS != ns || c.State == recording.TCPSynSent {
			continue
		}
		n := c.Retransmitted()
		if n == 0 {
			continue
		}
		k := [2]string{c.Local, c.Remote}
		p := byPair[k]
		if p == nil {
			p = &lossyPeer{local: c.Local, remote: c.Remote}
			byPair[k] = p
			list = append(list, p)
		}
		p.connections++
		p.repeated += n
		p.sent += c.SegmentsOut()
		if n > p.worst.Retransmitted() {
			p.worst = *c
		}
	}
	events := v.TCPEvents()
	for i := range events {
		e := &events[i]
		if e.Kind != recording.TCPSegment || e.NetNS != ns || e.Local == "" {
			continue
		}
		k := [2]string{e.Local, e.Remote}
		p := byPair[k]
		if p == nil {
			p = &lossyPeer{local: e.Local, remote: e.Remote}
			byPair[k] = p
			list = append(list, p)
		}
		p.addEvents(e)
	}
	for _, p := range list {
		p.repeated, p.connections = max(p.repeated, p.told), max(p.connections, len(p.events))
	}
	slices.SortStableFunc(list, func(a, b *lossyPeer) int { return cmp.Compare(b.repeated, a.repeated) })
	peers := make([]lossyPeer, len(list))
	for i, p := range list {
		peers[i] = *p
	}
	return peers
}

// where finds a rule that drops at random at either end of the lossy
// connections, or on their way.
func (l loss) where(v *view.View) *filter {
	for _, f := range filters(v) {
		if f.Random <= 0 || f.packets < fewPackets.Value {
			continue
		}
		if len(l.peers) == 0 {
			if f.NetNS == l.NetNS {
				return &f
			}
			continue
		}
		if f.fits(l.peers[0].worst.TCPSample) != no && (f.NetNS == l.NetNS || v.HasAddress(f.NetNS, l.peers[0].remote) || !v.OwnNetNS(f.NetNS)) {
			return &f
		}
	}
	return nil
}

// needed is the segments that were sent again and that the peers did not have.
func (l loss) needed() float64 { return max(l.data-l.dsack, 0) }

func (l loss) rate() float64 { return l.data / max(l.sent, 1) }

func (l loss) confidence() rule.Confidence {
	if l.sent < minSegments.Value || l.data < minRepeats.Value {
		return 0
	}
	costly := l.needed() >= minRepeats.Value && l.timerShare() >= timerShare.Value
	switch {
	case l.rate() < slightlyLossy.Value && !costly:
		return 0
	case l.place != nil:
		return rule.Certain
	case !l.unsure && l.dsack < needless.Value*l.data && (costly || l.rate() >= lossy.Value && !l.harmless()):
		return rule.Likely
	}
	return rule.Possible
}

// timerShare is how much of their time the connections that lost segments waited for timers;
// 0 if these are not known.
func (l loss) timerShare() float64 {
	n := 0
	for i := range l.peers {
		n += l.peers[i].connections
	}
	return l.waited() / float64(max(n, 1)) * float64(min(n, 1))
}

// harmless says whether what is lost was seen to cost next to nothing: hardly anybody waits for
// timers, and the connection that loses most sends far less than its losses would let it.
func (l loss) harmless() bool {
	if len(l.peers) == 0 || l.waited() >= feltTimers.Value {
		return false
	}
	p := &l.peers[0]
	c := &p.worst
	if c.RTT <= 0 || c.MSS == 0 || p.repeated == 0 || p.sent <= 0 {
		return false
	}
	bound := float64(c.MSS) / c.RTT.Seconds() * 1.22 / math.Sqrt(p.repeated/p.sent)
	return c.BytesSent()/max(l.Seconds, 1) < nearBound.Value*bound
}

// waited is the seconds per second that connections waited for timers, as far as something
// was lost. Repeats that a duplicate ACK set off cost a round trip only and are left out; so
// are timers that ran out because a peer, which had the data, was late with its ACK: as a
// receiver without a CPU is.
func (l loss) waited() float64 {
	rto := smallestRTO
	if len(l.peers) > 0 {
		rto = max(rto, min(l.peers[0].worst.RTO.Seconds(), 1))
	}
	n := max(l.timeouts-l.syn, 0)*rto*l.needed()/max(l.data, 1) + l.found*smallestRTO
	return n / max(l.Seconds, 1)
}

func (l loss) finding(v *view.View, c rule.Confidence) rule.Finding {
	f := rule.Finding{Subject: v.NetNSEntity(l.NetNS), Confidence: c}
	with := "its peers"
	where := pathsOf(v, l.NetNS)
	switch {
	case where.everywhere() && l.place == nil:
		with = fmt.Sprintf("each of %d peers", len(where.lossy))
		for _, p := range where.lossy {
			f.Affects = append(f.Affects, v.PeerEntity(p.remote, l.NetNS))
		}
	case len(l.peers) > 0:
		p := l.peers[0]
		f.Subject = v.PeerEntity(p.remote, l.NetNS)
		f.Subject.Detail = "from " + p.local + v.InNetNS(l.NetNS)
		with = p.remote
		f.Affects = append(f.Affects, v.PeerEntity(p.local, 0), v.NetNSEntity(l.NetNS))
	}
	f.Headline = rule.T("packets between %s and %s are lost: %s of segments are sent again", l.self(v), with, unit.Share(l.rate()))
	if l.place != nil {
		f.Headline = rule.T("packets between %s and %s are lost: %s%s drops them at random", l.self(v), with, l.place.String(), v.InNetNS(l.place.NetNS))
	}
	f.Impact = rule.Impact{TimeLost: l.waited(), Share: 0, Text: rule.T("%s of segments sent again, %s waited for timers per second", unit.Share(l.rate()), unit.Seconds(l.waited()))}
	if f.Impact.TimeLost == 0 {
		f.Impact = rule.Impact{Share: l.rate(), Text: rule.T("%s of segments sent again", unit.Share(l.rate()))}
	}
	f.Evidence = append(l.evidence(v), where.evidence(v, l.NetNS)...)
	f.Fixes = l.fixes(v)
	if l.unsure && l.place == nil {
		f.Notes = append(f.Notes, rule.T("how many of them the peers already had is not told (TCPDSACKRecv): packets that are late are sent again, too"))
	}
	return f
}

func (l loss) self(v *view.View) string {
	if len(l.peers) > 0 {
		return l.peers[0].local
	}
	return v.NetNSName(l.NetNS)
}

// chanceRules lists rules that drop at random although nobody's retransmissions
// were seen: UDP, forwarded traffic, peers elsewhere.
func chanceRules(v *view.View, placed map[string]bool) []rule.Finding {
	var found []rule.Finding
	for _, r := range filters(v) {
		s := r.subject(v)
		if r.Random <= 0 || r.packets < chanceDrops.Value || placed[s.Name] {
			continue
		}
		found = append(found, rule.Finding{
			Subject: s, Confidence: rule.Certain,
			Headline: rule.T("%s%s drops packets at random", r.String(), v.InNetNS(r.NetNS)),
			Impact:   rule.Impact{Share: r.Random, Text: rule.T("%s of the packets it matches, %s packets", unit.Share(r.Random), unit.PerSecond(r.packets/r.seconds))},
			Evidence: []rule.Evidence{placeEvidence(v, r)},
			Fixes:    []rule.Fix{removeRule(v, r)},
		})
	}
	return found
}

// enoughSegments says whether a rate of losses means anything; the counters of a
// host that was watched always do.
func enoughSegments(v *view.View) bool {
	return v.Has(recording.Protocol) || float64(pktSegments(v)) >= minSegments.Value
}
