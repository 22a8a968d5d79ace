package net

import (
	"cmp"
	"math"
	"slices"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var (
	heldShare = rule.Threshold{Name: "held-share", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Without packets: share of what a path carries that connections bring which show the limit, of the readings of a connection that must show it, of the time between readings in which a queue of this host must hold packets to be what limits it, and of what an address sends that goes to one other. With less, others may be what it is about."}
	standingOver = rule.Threshold{Name: "standing-over", Value: 0.5, Unit: "ratio", Source: rule.Judgement,
		Reason: "Round trip above the shortest one relative to it, without packets. Long paths vary by less."}
	segmentsUnderWay = rule.Threshold{Name: "segments-under-way", Value: 3, Unit: "count", Source: "RFC 1122, section 4.2.3.2",
		Reason: "Without an acknowledgement. A receiver delays those of one segment, and at least every second one gets its own at once."}
	commonSpread = rule.Threshold{Name: "common-spread", Value: 0.25, Unit: "ratio", Source: "statistics, variance of a sum",
		Reason: "Standard deviation of what goes to all others together over what it would be if each went its own way. Many paths with limits of their own make an even sum by chance, one limit that they share makes it more even than that."}
	fullLink = rule.Threshold{Name: "full-link", Value: 0.9, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the speed of an interface. From it on the link itself is the limit."}
	fullCPUs = rule.Threshold{Name: "full-cpus", Value: 0.9, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the CPUs in use, without processes of low priority (nice). From it on packets may wait for this host itself."}
)

// maxWays bounds the peers that are looked at one by one.
const maxWays = 32

// origin is an address of a network namespace and what its TCP connections brought to others.
type origin struct {
	ns    uint64
	from  string
	ways  []*way
	bytes float64
}

// way is what an origin brought to one peer.
type way struct {
	to          string
	connections []*view.Connection
	bytes       float64
	shortest    time.Duration // round trip; 0: none was measured
}

// origins lists the addresses from which something was sent to other hosts. The ways of each
// begin with the one that carried most.
func origins(v *view.View) []*origin {
	type source struct {
		ns   uint64
		from string
	}
	type path struct {
		source
		to string
	}
	known, ways := map[source]*origin{}, map[path]*way{}
	var list []*origin
	all := v.Connections()
	for i := range all {
		c := &all[i] // thousands, and large
		if !c.Info || c.State == recording.TCPSynSent || loopback(c.Remote) || v.HasAddress(c.NetNS, c.Remote) {
			continue
		}
		bytes := c.Acknowledged()
		if bytes == 0 {
			continue
		}
		s := source{c.NetNS, c.Local}
		o := known[s]
		if o == nil {
			o = &origin{ns: c.NetNS, from: c.Local}
			known[s] = o
			list = append(list, o)
		}
		p := path{s, c.Remote}
		w := ways[p]
		if w == nil {
			w = &way{to: c.Remote}
			ways[p] = w
			o.ways = append(o.ways, w)
		}
		w.connections = append(w.connections, c)
		w.bytes += bytes
		o.bytes += bytes
		for _, rtt := range []time.Duration{c.Samples[0].Of().MinRTT, c.MinRTT} {
			if rtt > 0 && (w.shortest == 0 || rtt < w.shortest) {
				w.shortest = rtt
			}
		}
	}
	for _, o := range list {
		slices.SortStableFunc(o.ways, func(a, b *way) int { return cmp.Compare(b.bytes, a.bytes) })
	}
	return list
}

// eager is a connection that always has something to send, and a peer that takes it.
type eager struct {
	*view.Connection
	bytes     float64       // acknowledged in the window
	waited    time.Duration // had something to send or to be acknowledged, and an open window
	shortest  time.Duration // round trip to the peer
	above     time.Duration // round trips beyond that, mean
	deviation time.Duration // of round trips, mean
	unsent    bool          // data lay in the socket because TCP sent no more of it, mostly
	underWay  bool          // more segments were under way than a receiver leaves without an answer, mostly
}

// queued says whether round trips are steadily longer than the shortest.
func (e *eager) queued() bool {
	return e.shortest > 0 && e.above >= max(standingShort.Duration(), standingOver.Times(e.shortest)) && float64(e.deviation) <= standingSteady.Value*float64(e.above)
}

// eagerOn looks at the readings of a connection.
func eagerOn(v *view.View, w *way, c *view.Connection) (*eager, bool) {
	e := &eager{Connection: c, bytes: c.Acknowledged(), shortest: w.shortest}
	var first, last *recording.TCPSample
	var from, to time.Time
	looks, unsent, underWay := 0, 0, 0
	for _, r := range c.Samples {
		s := r.Of()
		if !s.Info || s.State != recording.TCPEstablished && s.State != recording.TCPCloseWait {
			continue
		}
		if first == nil {
			first, from = s, r.At()
		}
		last, to = s, r.At()
		looks++
		if s.NotSent > 0 && s.Unacked > 0 {
			unsent++
		}
		if s.Unacked >= uint32(segmentsUnderWay.Int()) {
			underWay++
		}
		e.above += max(0, s.RTT-w.shortest)
		e.deviation += s.RTTVar
	}
	if looks < 2 {
		return nil, false
	}
	// A send buffer that is too small for the queue does not make the path faster: its time counts.
	e.waited = (last.Busy - first.Busy) - (last.RwndLimited - first.RwndLimited)
	if float64(e.waited) < hungryShare.Value*float64(to.Sub(from)) || unreadAtPeer(v, c) {
		return nil, false
	}
	e.above /= time.Duration(looks)
	e.deviation /= time.Duration(looks)
	mostly := heldShare.Value * float64(looks)
	e.unsent, e.underWay = float64(unsent) >= mostly, float64(underWay) >= mostly
	return e, true
}

// unreadAtPeer says whether the other end is on this host, too, and its program does not keep up.
func unreadAtPeer(v *view.View, c *view.Connection) bool {
	p, ok := v.ConnectionBetween(c.Remote, c.RemotePort, c.Local, c.LocalPort)
	if !ok {
		return false
	}
	unread := 0
	for _, r := range p.Samples {
		if r.Of().RecvQueue > 0 {
			unread++
		}
	}
	return float64(unread) >= heldShare.Value*float64(len(p.Samples))
}

// elsewhere is a limit beyond this host, as the sockets of the senders show it.
type elsewhere struct {
	limit
	ns         uint64
	ways       []*way
	carried    float64 // bytes, by all connections
	eager      []*eager
	queues     bool // packets wait; else they are lost
	confidence rule.Confidence
	longest    time.Duration // above the shortest round trip
	segments   float64       // with data, sent by the eager ones
	repeated   float64       // of them
}

// limitsElsewhere lists the limits that no queue of this host makes: what goes from an address to
// another one, or to all others, does not go beyond a rate, although senders have more and
// readers take more. A rate alone proves nothing: the packets must queue, or be lost.
func limitsElsewhere(v *view.View) (list []*elsewhere) {
	for _, o := range origins(v) {
		if linkIsFull(v, o.ns) {
			continue
		}
		if o.ways[0].bytes >= heldShare.Value*o.bytes {
			if l := limitOf(v, o, o.ways[0].to, o.ways[:1]); l != nil {
				list = append(list, l)
				continue
			}
		}
		if len(o.ways) > 1 {
			if l := limitOf(v, o, "", o.ways); l != nil && l.common(v) {
				list = append(list, l)
			}
		}
	}
	return list
}

// heldHere says whether a queue of this host may be what limits a namespace to so many bytes per
// second: one of its own that holds packets most of the time, or one of another namespace through
// which a good part of that can have gone, as what containers send goes through queues of the
// host. It, or what it drops, is for others to judge.
func heldHere(v *view.View, ns uint64, bytes float64) bool {
	return slices.ContainsFunc(v.Queues(), func(q view.Queue) bool {
		return q.Shapes() && q.HeldShare >= heldShare.Value &&
			(q.NetNS == ns || q.SentBytes >= heldShare.Value*bytes*view.Elapsed(q.Samples).Seconds())
	})
}

// linkIsFull says whether an interface of a namespace sends at its speed.
func linkIsFull(v *view.View, ns uint64) bool {
	return slices.ContainsFunc(v.Interfaces(), func(i view.Interface) bool { return i.NetNS == ns && ofSpeed(&i) >= fullLink.Value })
}

// ofSpeed is the share of its speed at which an interface sends; 0 if it has none.
func ofSpeed(i *view.Interface) float64 {
	if i.SpeedMbps <= 0 {
		return 0
	}
	return view.OrZero(i.TxBytes) * 8 / (float64(i.SpeedMbps) * 1e6)
}

// limitOf is the limit of some ways of an origin; nil if there is none.
func limitOf(v *view.View, o *origin, to string, ways []*way) *elsewhere {
	l := &elsewhere{ns: o.ns, ways: ways}
	l.From, l.To = o.from, to
	var all []*view.Connection
	for _, w := range ways {
		all = append(all, w.connections...)
		l.carried += w.bytes
	}
	for _, r := range v.SentRates(o.ns, all) {
		bytes, packets := int64(view.OnWire(r.Bytes, r.Packets)), int64(r.Packets)
		// How even they are between two readings is not known.
		l.seconds = append(l.seconds, recording.PacketRate{At: r.At, Bytes: bytes, Packets: packets, BusiestBytes: bytes / 10, BusiestPackets: packets / 10})
	}
	if len(l.seconds) < steadySeconds.Int() || !l.flat() || heldHere(v, l.ns, l.bytes) {
		return nil
	}
	for _, w := range ways {
		for _, c := range w.connections {
			if e, ok := eagerOn(v, w, c); ok {
				l.eager = append(l.eager, e)
				l.segments += c.DataSegmentsOut()
				l.repeated += c.Retransmitted()
			}
		}
	}
	l.resent = l.repeated / max(l.segments, 1)
	if l.judge(v); l.confidence == 0 {
		return nil
	}
	return l
}

// judge says how sure it is. That senders have more is seen where data lies in their sockets;
// without that, users may just ask for so much and no more.
func (l *elsewhere) judge(v *view.View) {
	total, known := v.CPUTotal()
	switch {
	case l.bring((*eager).queued, func(e *eager) bool { return e.unsent }):
		l.queues, l.confidence = true, rule.Likely
		if known && total.Busy()-total.Nice >= fullCPUs.Value {
			l.confidence = rule.Possible
		}
	case l.bring((*eager).queued, func(e *eager) bool { return e.underWay && e.above >= standing.Duration() }):
		l.queues, l.confidence = true, rule.Possible
	case l.resent >= policed.Value && l.packets >= policedPackets.Value && !dropsHere(v) && l.bring(func(e *eager) bool { return e.unsent }):
		l.confidence = rule.Possible // losses by chance can be as even
	default:
		return
	}
	n := 0
	for _, e := range l.eager {
		l.waited += e.lost(l.queues)
		if l.queues && e.queued() {
			l.standing += e.above
			l.longest = max(l.longest, e.above)
			n++
		}
	}
	l.standing /= time.Duration(max(n, 1))
}

// bring says whether connections of which all of this is true carry most of the bytes.
func (l *elsewhere) bring(are ...func(*eager) bool) bool {
	bytes := 0.0
	for _, e := range l.eager {
		if !slices.ContainsFunc(are, func(is func(*eager) bool) bool { return !is(e) }) {
			bytes += e.bytes
		}
	}
	return bytes > 0 && bytes >= heldShare.Value*l.carried
}

// lost is how long the connection waited because of the limit.
func (e *eager) lost(queued bool) time.Duration {
	if !queued {
		return e.waited
	}
	return time.Duration(float64(e.waited) * float64(e.above) / float64(max(e.above+e.shortest, 1)))
}

// common says whether the ways share the limit: their sum is more even than ways are that each
// go their own.
func (l *elsewhere) common(v *view.View) bool {
	steady := make([]bool, len(l.seconds)) // others are a beginning or an end
	var sum []float64
	for i, r := range l.seconds {
		if steady[i] = math.Abs(float64(r.Bytes)-l.bytes) <= steadyWithin.Value*l.bytes; steady[i] {
			sum = append(sum, float64(r.Bytes))
		}
	}
	apart := 0.0 // variances of the ways
	for _, w := range l.ways[:min(len(l.ways), maxWays)] {
		var rates []float64
		for i, r := range v.SentRates(l.ns, w.connections) {
			if steady[i] {
				rates = append(rates, view.OnWire(r.Bytes, r.Packets))
			}
		}
		apart += variance(rates)
	}
	return apart > 0 && variance(sum) <= commonSpread.Value*commonSpread.Value*apart
}

func variance(list []float64) float64 {
	mean, sum := 0.0, 0.0
	for _, x := range list {
		mean += x / float64(len(list))
	}
	for _, x := range list {
		sum += (x - mean) * (x - mean)
	}
	return sum / float64(max(len(list)-1, 1))
}

func (l *elsewhere) finding(v *view.View) rule.Finding {
	to := cmp.Or(l.To, "all others")
	check := shell.Line("%s ss -tin", v.EnterNetNS(l.ns))
	look := shell.Line("tc -s qdisc; ip -s -s link")
	if l.To != "" {
		check = shell.Line("%s ss -tin dst %s", v.EnterNetNS(l.ns), shell.Address(l.To))
		look = shell.Line("%s traceroute -n %s", v.EnterNetNS(l.ns), shell.Address(l.To))
	}
	f := rule.Finding{Subject: v.PeerEntity(l.From, l.ns), Confidence: l.confidence}
	f.Subject.Detail = "to " + to
	f.Headline = rule.T("traffic from %s%s to %s is limited to %s beyond this host: packets wait %s on the way", l.From, v.InNetNS(l.ns), to, l.rate(), unit.Duration(l.standing))
	if !l.queues {
		f.Headline = rule.T("traffic from %s%s to %s stays at %s, and %s of it is lost beyond this host: a limit may drop the excess", l.From, v.InNetNS(l.ns), to, l.rate(), unit.Share(l.resent))
	}
	f.Impact = rule.Impact{TimeLost: perSecond(v, l.waited), Text: rule.T("%s waited per second on %s", unit.Seconds(perSecond(v, l.waited)), plural(len(l.eager), "connection"))}
	for _, w := range l.ways[:min(len(l.ways), maxWays)] {
		f.Affects = append(f.Affects, v.PeerEntity(w.to, l.ns))
	}
	waiting := 0.0
	for _, e := range l.eager {
		waiting += float64(e.SendQueue)
		for _, p := range v.SocketOwners(e.Inode) {
			f.Affects = append(f.Affects, p.Entity())
		}
	}
	f.Evidence = []rule.Evidence{
		{Metric: metric.TCPAckedRate, Value: l.bytes, Check: check, What: rule.T("%d of %d readings at %s with headers, within %s", l.steady, len(l.seconds), l.rate(), unit.Share(steadyWithin.Value))},
		{Metric: metric.TCPSendQueue, Value: waiting, Check: check, What: rule.T("%s had something to send %s of the time, with open windows; %s wait in their sockets now",
			plural(len(l.eager), "connection"), unit.Share(l.busy()), unit.Bytes(waiting))},
	}
	if l.queues {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.PacketsStandingQueue, Value: l.standing.Seconds(), Limit: rule.Limit(standingShort.Value), Check: shell.Line("%s ss -tin   # rtt, minrtt", v.EnterNetNS(l.ns)),
			What: rule.T("round trips take %s longer than the shortest, up to %s", unit.Duration(l.standing), unit.Duration(l.longest))})
	}
	if l.repeated > 0 {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.TCPRetransmits, Value: l.repeated, Check: check,
			What: rule.T("%s of %s segments with data were sent again", unit.Count(l.repeated), unit.Count(l.segments))})
	}
	f.Evidence = append(append(f.Evidence, l.speed(v)...), l.ofBaseline(v)...)
	f.Fixes = []rule.Fix{
		{Text: rule.T("look for the limit where packets go on from here: the limit of a cloud instance, a provider's shaper, a switch port, a router or a firewall, a slower link, the interface of the receiver"),
			Command: look, Tradeoff: "none"},
		{Text: rule.T("raise or remove it, or use a larger instance"), Tradeoff: "others on the link get less"},
		{Text: rule.T("send less: compress, fetch fewer columns, batch small packets"), Tradeoff: "CPU time"},
	}
	return f
}

// busy is the share of its time that an eager connection had something to send, mean.
func (l *elsewhere) busy() float64 {
	var waited, life time.Duration
	for _, e := range l.eager {
		waited += e.waited
		life += e.Samples[len(e.Samples)-1].At().Sub(e.Samples[0].At())
	}
	return min(1, waited.Seconds()/max(life.Seconds(), 1e-9))
}

// speed says how much of its speed the interface uses that sends most in the namespace, if that has one.
func (l *elsewhere) speed(v *view.View) []rule.Evidence {
	var most *view.Interface
	list := v.Interfaces()
	for n := range list {
		if i := &list[n]; i.NetNS == l.ns && i.Interface != "lo" && view.OrZero(i.TxBytes) > 0 && (most == nil || i.TxBytes > most.TxBytes) {
			most = i
		}
	}
	if most == nil || most.SpeedMbps <= 0 {
		return nil
	}
	return []rule.Evidence{{Metric: metric.InterfaceBytes, Value: most.TxBytes,
		What: rule.T("%s sends %s, %s of its speed (%s Mbit/s)", most.Interface, unit.Bytes(most.TxBytes).String()+"/s", unit.Share(ofSpeed(most)), unit.Count(most.SpeedMbps))}}
}
