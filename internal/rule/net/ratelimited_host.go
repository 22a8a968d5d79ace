package net

import (
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// shaper is a queue of this host with a rate that is used up, as its own counters show it.
type shaper struct {
	limit
	queue   view.Queue
	delay   time.Duration // of what waits in it, mean of the readings
	waited  float64       // seconds per second that connections of the namespace wait because of it
	waiting []*view.Connection
}

// shapers lists the queues that hold traffic at their rate while packets wait in them. Those that
// throw packets away instead are for net/qdisc-drops.
func shapers(v *view.View) []*shaper {
	var list []*shaper
	for _, q := range v.Queues() {
		if !q.Shapes() || discarding(q.Dropped, q.Sent+q.Dropped) == rule.Certain {
			continue
		}
		s := &shaper{queue: q}
		s.read()
		if len(s.seconds) < steadySeconds.Int() || !s.flat() || s.delay < standingShort.Duration() {
			continue
		}
		s.byPackets = s.byPackets && !s.byBytes // rates of shapers are of bytes
		s.connections(v)
		list = append(list, s)
	}
	return list
}

// read makes rates of the readings. How even they are within a second is not known.
func (s *shaper) read() {
	for i := 1; i < len(s.queue.Samples); i++ {
		a, b := s.queue.Samples[i-1], s.queue.Samples[i]
		d := b.At.Sub(a.At).Seconds()
		if d <= 0 || b.Bytes < a.Bytes || b.Packets < a.Packets {
			continue
		}
		per := func(n uint64) int64 { return int64(float64(n) / d) }
		r := recording.PacketRate{At: a.At, Bytes: per(b.Bytes - a.Bytes), Packets: per(b.Packets - a.Packets)}
		r.BusiestBytes, r.BusiestPackets = r.Bytes/10, r.Packets/10
		s.seconds = append(s.seconds, r)
		if r.Bytes > 0 {
			s.delay += time.Duration(float64(b.Backlog) / float64(r.Bytes) * float64(time.Second))
		}
	}
	s.delay /= time.Duration(max(len(s.seconds), 1))
}

// connections looks at those of the namespace that always have something to send, and whose round
// trips are longer than the shortest they had. By which interface they leave is not recorded: what
// waits much longer than packets do in this queue waits elsewhere, as what never leaves the host does.
func (s *shaper) connections(v *view.View) {
	list := v.Connections()
	for i := range list {
		c := &list[i]
		if !c.Info || c.NetNS != s.queue.NetNS || c.MinRTT <= 0 || c.RTT-c.MinRTT < standingShort.Duration() || c.RTT-c.MinRTT > s.longest() {
			continue
		}
		if s.queue.Interface != "lo" && (loopback(c.Remote) || v.HasAddress(c.NetNS, c.Remote)) {
			continue
		}
		first := c.First()
		busy := (c.Busy - first.Busy) - (c.RwndLimited - first.RwndLimited)
		if busy <= 0 {
			continue
		}
		s.waiting = append(s.waiting, c)
		s.standing = max(s.standing, c.RTT-c.MinRTT)
		s.waited += perSecond(v, time.Duration(float64(busy)*(1-float64(c.MinRTT)/float64(c.RTT))))
	}
}

// longest is how long a packet may wait in the queue that waits s.delay on average: a queue that
// grows and empties holds twice as much at times, and each flow of a fair one its own.
func (s *shaper) longest() time.Duration { return 3*s.delay + standingShort.Duration() }

func (s *shaper) finding(v *view.View) rule.Finding {
	q := &s.queue
	enter := v.EnterNetNS(q.NetNS)
	f := rule.Finding{Subject: view.InterfaceEntity(q.Interface, q.NetNS), Confidence: rule.Likely}
	switch {
	case len(s.waiting) == 0:
		f.Confidence = rule.Possible
	case s.standing >= standing.Duration():
		f.Confidence = rule.Certain
	}
	f.Headline = rule.T("the shaper %s of %s%s limits traffic to %s: packets wait %s in it", q.String(), q.Interface, v.InNetNS(q.NetNS), s.rate(), unit.Duration(s.delay))
	f.Impact = rule.Impact{TimeLost: s.waited, Text: rule.T("%s waited per second on %s", unit.Seconds(s.waited), plural(len(s.waiting), "connection"))}
	if len(s.waiting) == 0 { // packets that are forwarded, or of UDP
		share := float64(s.steady) / float64(len(s.seconds))
		f.Impact = rule.Impact{Unmeasured: true, Text: rule.T("at the limit %s of the time; whether anybody waits is not known", unit.Share(share))}
	}
	for _, c := range s.waiting {
		f.Affects = append(f.Affects, v.PeerEntity(c.Local, c.NetNS), v.PeerEntity(c.Remote, c.NetNS))
		for _, p := range v.SocketOwners(c.Inode) {
			f.Affects = append(f.Affects, p.Entity())
		}
	}
	check := shell.Line("%s tc -s qdisc show dev %s", enter, q.Interface)
	f.Evidence = []rule.Evidence{
		{Metric: metric.QdiscRate, Value: s.bytes, Check: check, What: rule.T("%d of %d readings at %s, within %s", s.steady, len(s.seconds), s.rate(), unit.Share(steadyWithin.Value))},
		{Metric: metric.QdiscDelay, Value: s.delay.Seconds(), Limit: rule.Limit(standingShort.Value), Check: check, What: rule.T("what waits in it takes %s to leave at that rate; %s bytes now", unit.Duration(s.delay), unit.Count(float64(q.Backlog)))},
		{Metric: metric.QdiscOverlimits, Value: q.Held, Check: check, What: rule.T("packets waited %s times because the rate was used up (overlimits), and %s were dropped", unit.Count(q.Held), unit.Count(q.Dropped))},
	}
	if s.standing > 0 {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.PacketsStandingQueue, Value: s.standing.Seconds(), Limit: rule.Limit(standing.Value), Check: shell.Line("%s ss -tin   # rtt, minrtt", enter),
			What: rule.T("round trips of %s take up to %s longer than the shortest", plural(len(s.waiting), "connection"), unit.Duration(s.standing))})
	}
	f.Evidence = append(f.Evidence, s.ofBaseline(v)...)
	f.Fixes = []rule.Fix{
		{Text: rule.T("raise or remove the rate"), Command: check, Tradeoff: "others on the link get less; if the next link is slower, it becomes the limit"},
		{Text: rule.T("give latency-bound traffic a queue of its own: fq_codel below the shaper, or cake"), Tradeoff: "bulk traffic gets no faster"},
		{Text: rule.T("send less: compress, fetch fewer columns, batch small packets"), Tradeoff: "CPU time"},
	}
	return f
}
