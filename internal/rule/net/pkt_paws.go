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

var pawsDrops = rule.Rule{
	ID:         "net/paws-drops",
	Title:      "packets are dropped because their TCP timestamps go backwards (PAWS)",
	Plural:     "paths have packets dropped because their TCP timestamps go backwards (PAWS)",
	Resource:   "TCP timestamps",
	NeedsAny:   []recording.Table{recording.Protocol, recording.PacketSides},
	Explains:   []string{"rt/connect-slow", "net/packet-loss", "rt/path-slow"},
	Refutes:    []string{"packet delivery"},
	Thresholds: []*rule.Threshold{&minPAWS, &ignoredShare, &answeredShare, &droppedWithListener, &oldShare, &refusedFrom, &pktMissed},
	Seen:       timestamps,
	Detect:     detectPAWSDrops,
}

var (
	minPAWS = rule.Threshold{Name: "min-paws", Value: 3, Unit: "count", Source: rule.Judgement,
		Reason: "With fewer, packets may just have been reordered on the path."}
	ignoredShare = rule.Threshold{Name: "ignored-share", Value: 0.8, Unit: "share", Source: rule.Judgement,
		Reason: "Share of SYNs with an old timestamp that get no answer. Below it the timestamp is not the reason."}
	answeredShare = rule.Threshold{Name: "answered-share", Value: 0.8, Unit: "share", Source: rule.Judgement,
		Reason: "Share of SYNs with a new timestamp that get an answer. Below it the timestamp is not the reason."}
)

// behind is what one client address sent to a server, by whether its timestamps
// went on or back from one connection to the next.
type behind struct {
	s                  *view.PacketService
	client             string
	old, oldIgnored    int // connects with a timestamp behind that of the connection before
	young, youngServed int
	segments           int64 // with a timestamp that went back within a connection
	repeated           int64 // copies on those connections
	worst              *view.PacketConnection
}

func detectPAWSDrops(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	var hidden error
	for _, s := range v.PacketServices() {
		clients, conns := view.Group(s.Connections, func(c *view.PacketConnection) string { return c.Client })
		for _, client := range clients {
			b := behind{s: s, client: client}
			b.look(v, conns[client])
			if b.byAddress() && !v.ConnectionsComplete() {
				hidden = &rule.NotJudged{Needs: "all connections of the capture", Why: "only the worst were kept: how many connects with an older timestamp were answered is unknown",
					How: shell.Say("rtrail diagnose -p PORT on a shorter part of the capture (editcap -A, -B)")}
				continue
			}
			if c := b.confidence(); c > 0 {
				found = append(found, b.finding(v, pktAtMost(v, c)))
			}
		}
	}
	if len(found) == 0 { // they cite the counters
		found = countedPAWS(v)
	}
	return found, hidden
}

func (b *behind) look(v *view.View, conns []*view.PacketConnection) {
	slices.SortStableFunc(conns, func(x, y *view.PacketConnection) int { return cmp.Compare(x.At.UnixNano(), y.At.UnixNano()) })
	var newest uint32 // timestamp of the client's packets to this server that the server took
	known := false
	for _, c := range conns {
		if n := c.FromClient.PAWS; n > 0 && c.FromClient.Retransmissions > 0 {
			b.segments += n
			b.repeated += c.FromClient.Retransmissions
			b.worst = c
		}
		p, ok := v.PacketPath(c.ID, "client")
		if !ok || p.FirstTS == 0 || c.Midway {
			continue
		}
		served := c.SYNACKs > 0
		if known {
			if int32(uint32(p.FirstTS)-newest) < 0 {
				b.old++
				if !served && !c.Refused {
					b.oldIgnored++
					b.worst = c
				}
			} else {
				b.young++
				if served {
					b.youngServed++
				}
			}
		}
		if served && (!known || int32(uint32(p.LastTS)-newest) > 0) {
			newest, known = uint32(p.LastTS), true
		}
	}
}

// byAddress: connects are ignored whose timestamp is behind that of the
// connection before, and others are not: a server that remembers timestamps by
// address (tcp_tw_recycle, some firewalls) and several hosts behind one address.
func (b *behind) byAddress() bool {
	return b.oldIgnored >= minPAWS.Int() && float64(b.oldIgnored) >= ignoredShare.Value*float64(b.old) &&
		b.young > 0 && float64(b.youngServed) >= answeredShare.Value*float64(b.young)
}

func (b *behind) confidence() rule.Confidence {
	switch {
	case b.byAddress():
		return rule.Likely
	case b.segments >= int64(minPAWS.Value) && b.repeated >= b.segments:
		return rule.Likely
	}
	return 0
}

func (b *behind) finding(v *view.View, c rule.Confidence) rule.Finding {
	counters := 0.0
	for _, n := range v.Counters() { // PAWSOldAck is left out: ACKs that were overtaken are ordinary
		counters += n.AtLeast("TcpExtPAWSPassive") + n.AtLeast("TcpExtPAWSActive") + n.AtLeast("TcpExtPAWSEstab")
	}
	if counters > 0 {
		c = pktAtMost(v, rule.Certain) // the kernel that threw them away says so
	}
	f := rule.Finding{Subject: v.PeerEntity(b.client, 0), Confidence: c, Affects: v.EndsOf(b.s, b.client)}
	check := tshark(v, shell.Display("%s && tcp.port == %d", pktHost("src", b.client), b.s.Port), "tcp.stream", "tcp.flags", "tcp.options.timestamp.tsval")
	if b.byAddress() {
		f.Headline = rule.T("%s ignores connects from %s whose timestamps are behind those of earlier connections: several hosts share that address", b.s.Name(), b.client)
		f.Impact = rule.Impact{Share: share(float64(b.oldIgnored), float64(b.young+b.old-b.oldIgnored)), Text: rule.T("%d of %d connects", b.oldIgnored, b.old+b.young)}
		f.Evidence = []rule.Evidence{
			{Metric: metric.PacketsOldTimestamps, What: rule.T("%d of %d connects with an older timestamp got no answer", b.oldIgnored, b.old), Value: float64(b.oldIgnored), Limit: rule.Limit(0), Check: check},
			{Metric: metric.PacketsOldTimestamps, What: rule.T("%d of %d connects with a newer timestamp were answered", b.youngServed, b.young), Value: float64(b.youngServed), Check: check},
		}
	} else {
		f.Headline = rule.T("timestamps of %s go back within connections to %s, which ignores such packets", b.client, b.s.Name())
		f.Impact = rule.Impact{Share: min(float64(b.segments)/float64(max(b.worst.FromClient.Segments, 1)), 1), Text: rule.T("%s segments dropped by the receiver", unit.Count(b.segments))}
		f.Evidence = []rule.Evidence{{Metric: metric.PacketsOldTimestamps, What: rule.T("%d segments with a timestamp that went back, %d copies sent", b.segments, b.repeated), Value: float64(b.segments), Limit: rule.Limit(0), Check: check}}
	}
	if counters > 0 {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.TCPPAWSDrops, What: rule.T("the kernel dropped %s packets because of their timestamps", unit.Count(counters)), Value: counters, Limit: rule.Limit(0)})
	}
	f.Fixes = stampFixes()
	return f
}

// timestamps says whether anybody sent any (RFC 7323).
func timestamps(v *view.View) bool {
	return slices.ContainsFunc(v.PacketConnections(), func(c *view.PacketConnection) bool {
		for _, sender := range []string{"client", "server"} {
			if p, ok := v.PacketPath(c.ID, sender); ok && p.FirstTS != 0 {
				return true
			}
		}
		return false
	})
}
