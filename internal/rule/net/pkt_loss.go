package net

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"rtrail/internal/direction"
	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// lostWay is what one host sent to another one, as packets show it.
type lostWay struct {
	v        *view.View
	from, to string
	// Of all connections between the two.
	segments, repeats int64 // repeats that were needed
	timeouts          int64
	conns             int64
	waited            time.Duration // for the repeats
	life              time.Duration // from the first packet to the last one; 0: not known
	unheard           int64         // connections of which the sums above leave out what nobody answered
	acked             int64         // payload of the largest segment that arrived, bytes
	services          []*view.PacketService
	back              *lostWay // the other direction; nil: nothing was sent
	// Of those connections that were kept.
	upstream, downstream int64
	worst                *view.PacketConnection
	maxRepeats           int64
	lossy                lossyConnections
}

// lossyConnections are those on which segments had to be sent again.
type lossyConnections struct {
	waited, life time.Duration // waited for copies, of the time from the first packet to the last one
	// Of those on which no segment had to be sent again three times and more in a row: where a
	// host or the path is gone for a while, that is no share of what is sent.
	count   int64
	repeats int64
	timers  time.Duration // of what was waited for copies: for retransmission timers, at least
}

var oneSide = rule.Threshold{Name: "one-side", Value: 0.8, Unit: "share", Source: rule.Judgement,
	Reason: "Share of the loss on one side of the capture point. From here on the loss is placed there."}

// lossInPackets finds directions in which segments are lost. about says of a
// pair of addresses whether a finding stands already.
func lossInPackets(v *view.View, told func(a, b string) bool) []rule.Finding {
	var found []rule.Finding
	for _, l := range lostWays(v) {
		if c := l.confidence(); c > 0 && !told(l.from, l.to) {
			l = l.costlier()
			f := l.finding(v, pktAtMost(v, c))
			if v.OneDirection(l.from) || v.OneDirection(l.to) {
				f.Confidence, f.Notes = rule.Possible, append(f.Notes, oneDirection())
			}
			found = append(found, f)
		}
	}
	return found
}

// between are the two ends of a way.
type between struct{ from, to string }

func lostWays(v *view.View) []*lostWay {
	known := map[between]*lostWay{}
	var list []*lostWay
	for _, s := range v.PacketServices() {
		for i := range s.Directions {
			d := &s.Directions[i]
			if d.Client == "" {
				continue // of many clients together nobody knows the way
			}
			k := endsOf(d.Client, d.Server, d.Sender)
			l := known[k]
			if l == nil {
				l = &lostWay{v: v, from: k.from, to: k.to}
				known[k] = l
				list = append(list, l)
			}
			l.add(s, d)
		}
	}
	for _, l := range list {
		l.back = known[between{l.to, l.from}]
	}
	for _, s := range v.PacketServices() {
		for _, c := range s.Connections {
			for sender, side := range c.Sides() {
				if l := known[endsOf(c.Client, c.Server, sender)]; l != nil {
					p, _ := v.PacketPath(c.ID, sender)
					l.look(c, side, &p)
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *lostWay) int { return cmp.Compare(b.repeats, a.repeats) })
	return list
}

func endsOf(client, server, sender string) between {
	if sender == "server" {
		return between{server, client}
	}
	return between{client, server}
}

func (l *lostWay) add(s *view.PacketService, d *recording.PacketDirection) {
	l.segments += d.Segments
	l.repeats += max(d.Retransmissions-d.Spurious, 0)
	l.timeouts += d.Timeouts
	l.conns += d.Connections
	l.life += d.Life
	l.waited += d.RetransmitWait
	l.acked = max(l.acked, d.LargestAcked)
	if dead(d) {
		// Nothing comes back there at all: that is no share of what is sent.
		l.unheard += d.Unheard
		l.segments -= d.UnheardCopies
		l.repeats -= min(d.UnheardCopies, l.repeats)
		l.timeouts -= d.UnheardTimeouts
		l.waited -= d.UnheardWait
	}
	l.services = append(l.services, s)
}

// look takes what only the connection itself tells.
func (l *lostWay) look(c *view.PacketConnection, side *recording.PacketSide, p *recording.PacketPath) {
	needed := max(side.Retransmissions-side.Spurious, 0)
	if p.StuckCopies >= int64(stuckCopies.Value) && p.StuckSize > max(p.LargestAcked, l.acked) {
		// Lost for its size: that is another fault.
		l.segments -= side.Segments
		l.repeats -= needed
		l.timeouts -= side.Timeouts
		l.conns--
		l.waited -= side.RetransmitWait
		return
	}
	if l.unheard > 0 && p.StuckCopies >= direction.UnheardAfter {
		return
	}
	l.upstream += p.Upstream
	l.downstream += p.Downstream
	if needed > l.maxRepeats {
		l.worst, l.maxRepeats = c, needed
	}
	if needed > 0 {
		l.lossy.add(c, side, p.StuckCopies < direction.UnheardAfter)
	}
}

func (x *lossyConnections) add(c *view.PacketConnection, side *recording.PacketSide, answered bool) {
	x.waited += side.RetransmitWait
	x.life += c.Last.Sub(c.At)
	if !answered {
		return
	}
	x.count++
	x.repeats += side.Retransmissions - side.Spurious
	x.timers += timersOf(c, side)
}

// timersOf is how long a connection waited for timers, at least. A segment that duplicate ACKs
// asked for costs a round trip, while those behind it arrive; timers that ran out for several
// segments are waited for once, and some for longer than the shortest.
func timersOf(c *view.PacketConnection, side *recording.PacketSide) time.Duration {
	asked := max(side.Retransmissions-side.Spurious-side.Timeouts, 0)
	rtt := max(side.RTTMax, max(c.ClientRTT, 0)+max(c.ServerRTT, 0))
	shortest := float64(side.Timeouts) * smallestRTO // of all of them, seconds
	return max(min(side.RetransmitWait-time.Duration(asked)*rtt, time.Duration(shortest*float64(time.Second))), 0)
}

func (l *lostWay) rate() float64 { return float64(l.repeats) / float64(max(l.segments, 1)) }

func (l *lostWay) confidence() rule.Confidence {
	switch {
	case float64(l.segments) < minSegments.Value, float64(l.repeats) < minRepeats.Value:
		return 0
	case l.costly(), l.rate() >= lossy.Value && !l.harmless():
		return rule.Likely
	case l.rate() >= slightlyLossy.Value:
		return rule.Possible
	}
	return 0
}

// timerShare is how much of their time connections waited for timers: those that lost segments,
// as if each had been there all the time, or all of them, which matters where they are short.
func (l *lostWay) timerShare() float64 {
	share := perSecond(l.v, l.lossy.timers) / float64(max(l.lossy.count, 1))
	if l.life > 0 {
		share = max(share, l.lossy.timers.Seconds()/l.life.Seconds())
	}
	return min(share, 1)
}

// costly says that connections wait for timers a material part of their time, however few of all
// segments are lost.
func (l *lostWay) costly() bool {
	return float64(l.lossy.repeats) >= minRepeats.Value && perSecond(l.v, l.lossy.timers) >= feltTimers.Value && l.timerShare() >= timerShare.Value
}

// harmless says that what is lost between the two hosts was seen to cost next to nothing. A
// connection whose throughput losses limit waits for copies 1.22 x sqrt(p) of its time, because
// each costs a round trip: 12 % at one percent.
func (l *lostWay) harmless() bool {
	if l.waited <= 0 || l.lossy.life <= 0 {
		return false // recordings of older versions do not tell
	}
	both, unfelt := l.waited, l.lossy.unfelt()
	if l.back != nil {
		both, unfelt = both+max(l.back.waited, 0), unfelt && l.back.lossy.unfelt()
	}
	return unfelt && perSecond(l.v, both) < feltTimers.Value
}

// unfelt says that these connections hardly waited for copies.
func (x *lossyConnections) unfelt() bool {
	return x.waited.Seconds() <= timerShare.Value*x.life.Seconds()
}

// costlier is the direction that a finding about l is about: the other one if copies
// of that cost more time. A timeout of a lonely request is one copy, but 200 ms, and
// too few copies to judge by them alone. Where they are enough, it has a finding of its own.
func (l *lostWay) costlier() *lostWay {
	if b := l.back; b != nil && b.waited > l.waited && b.rate() >= slightlyLossy.Value && b.confidence() == 0 {
		return b
	}
	return l
}

// place says where the segments were lost, as far as one capture can tell.
func (l *lostWay) place() string {
	all := float64(l.upstream + l.downstream)
	switch {
	case all == 0:
		return ""
	case float64(l.upstream) >= oneSide.Value*all:
		return fmt.Sprintf(", between %s and the capture", l.from)
	case float64(l.downstream) >= oneSide.Value*all:
		return fmt.Sprintf(", between the capture and %s", l.to)
	}
	return ", on both sides of the capture"
}

func (l *lostWay) finding(v *view.View, c rule.Confidence) rule.Finding {
	f := rule.Finding{Subject: v.PeerEntity(l.to, 0), Confidence: c}
	f.Subject.Detail = "from " + l.from
	for _, s := range l.services {
		f.Affects = append(f.Affects, v.EndsOf(s, l.from, l.to)...)
	}
	f.Headline = rule.T("packets from %s to %s are lost%s: %s of segments are sent again", l.from, l.to, l.place(), unit.Share(l.rate()))
	f.Impact = rule.Impact{TimeLost: perSecond(v, l.waited), Text: rule.T("%s of segments sent again, %s waited for copies per second", unit.Share(l.rate()), unit.Seconds(perSecond(v, l.waited)))}
	if l.waited == 0 {
		f.Impact = rule.Impact{Share: l.rate(), Text: rule.T("%s of segments sent again", unit.Share(l.rate()))}
	}
	f.Evidence = append(append(l.evidence(l.check(v)), l.cost(l.check(v))...), l.otherWay(v)...)
	f.Fixes = []rule.Fix{
		{Text: rule.T("check the path%s: filters, queues, interface errors, rate limits", l.place()), Command: shell.Line("iptables -nvL; nft list ruleset; tc -s qdisc; ip -s link; nstat -az 'TcpExt*Retrans*'"), Tradeoff: "none"},
		{Text: rule.T("capture at the next hop at the same time: the packets are lost where they are missing first"), Command: shell.Line("rtrail packets -i any -w hop.pcapng --for 30s"), Tradeoff: "disk space"},
	}
	return f
}

// check shows the repeats. tshark calls what fills a hole within 3 ms out of
// order, also where its first copy was captured or SACK had asked for it.
func (l *lostWay) check(v *view.View) shell.Command {
	return tshark(v, shell.Display("%s && %s && tcp.len > 0 && (tcp.analysis.retransmission || tcp.analysis.out_of_order) && !tcp.analysis.spurious_retransmission", pktHost("src", l.from), pktHost("dst", l.to)), "tcp.stream", "tcp.seq", "tcp.len", "tcp.analysis.rto")
}

// cost tells what the losses cost, where that decides and not their share.
func (l *lostWay) cost(check shell.Command) []rule.Evidence {
	switch {
	case l.costly():
		return []rule.Evidence{{Metric: metric.PacketsRetransmitWait, Value: l.lossy.timers.Seconds(), Check: check,
			What: rule.T("connections that lost segments waited %s per second for retransmission timers, at least: %s of their time", unit.Seconds(perSecond(l.v, l.lossy.timers)), unit.Share(l.timerShare()))}}
	case l.rate() >= lossy.Value && l.harmless():
		return []rule.Evidence{{Metric: metric.PacketsRetransmitWait, Value: l.waited.Seconds(), Check: check,
			What: rule.T("the copies came at once: connections waited %s per second for them", unit.Seconds(perSecond(l.v, l.waited)))}}
	}
	return nil
}

// otherWay names the direction that this finding is not about, if it costs more time or
// loses enough to be judged itself.
func (l *lostWay) otherWay(v *view.View) []rule.Evidence {
	b := l.back
	if b == nil || b.waited <= l.waited && b.confidence() == 0 {
		return nil
	}
	than := "less"
	if b.waited > l.waited {
		than = "more"
	}
	return []rule.Evidence{{Metric: metric.PacketsRetransmitWait, What: rule.T("the other direction costs %s time: from %s to %s %d of %d segments were sent again, %d after a timeout, and %s waited for",
		than, b.from, b.to, b.repeats, b.segments, b.timeouts, unit.Duration(b.waited)), Value: b.waited.Seconds(), Check: b.check(v)}}
}

func (l *lostWay) evidence(check shell.Command) []rule.Evidence {
	list := []rule.Evidence{{Metric: metric.PacketsRetransmissions, What: rule.T("%d of %d segments from %s to %s sent again, %d of them after a timeout", l.repeats, l.segments, l.from, l.to, l.timeouts),
		Value: l.rate(), Limit: rule.Limit(lossy.Value), Check: check}}
	if l.upstream+l.downstream > 0 {
		list = append(list, rule.Evidence{Metric: metric.PacketsLossSide, What: rule.T("of %d only the copy was captured, %d were seen twice", l.upstream, l.downstream),
			Value: float64(l.upstream), Check: check})
	}
	if l.worst != nil {
		list = append(list, rule.Evidence{Metric: metric.PacketsRetransmitted, What: rule.T("most on %s: %d, of %s", pktEnds(l.worst), l.maxRepeats, unit.Plural(l.conns, "connection", "connections")), Value: float64(l.maxRepeats), Check: check})
	}
	return list
}
