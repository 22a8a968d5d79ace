package rt

import (
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var pathSlow = rule.Rule{
	ID:       "rt/path-slow",
	Title:    "the network between client and server takes the time",
	Plural:   "services lose the time in the network between them and their clients",
	Resource: "network path",
	Needs:    []recording.Table{recording.PacketCaptures, recording.PacketServices, recording.PacketConnections},
	// Repeated packets and long ways there make requests look slow.
	Explains: []string{"rt/server-slow"},
	Thresholds: []*rule.Threshold{&lossTakes, &minRepeats, &queued, &worthQueueing, &grown, &minHandshakes, &mostOfTheTime, &minRequests,
		&mostlyInferred, &missedShare, &fewSamples, &notLonger},
	Detect: detectPathSlow,
}

var notLonger = rule.Threshold{Name: "not-longer", Value: 3, Unit: "ratio", Source: rule.Judgement,
	Reason: "Kernels answer handshakes, programs answer requests. A request that takes at most this multiple of a handshake waits for the network."}

var (
	lossTakes = rule.Threshold{Name: "loss-takes", Value: 0.3, Unit: "share", Source: rule.Judgement,
		Reason: "Share of all waiting that is for retransmitted packets. One costs a round trip, or 200 ms for the last packet of an answer: far more than a request takes, so a few percent of lost packets reach this share."}
	minRepeats = rule.Threshold{Name: "min-repeats", Value: 5, Unit: "count", Source: rule.Judgement,
		Reason: "Fewer may be one bad moment."}
	queued = rule.Threshold{Name: "queued", Value: 10, Unit: "ratio", Source: rule.Judgement,
		Reason: "Ratio of the longest to the shortest round trip. At 10 the path has queues; different routes differ by 2 or 3."}
	worthQueueing = rule.Threshold{Name: "worth-queueing", Value: 0.005, Unit: "seconds", Source: rule.Judgement,
		Reason: "A queue that users notice when a page needs several round trips. Interrupt moderation and power saving add less than 1 ms."}
	grown = rule.Threshold{Name: "grown", Value: 3, Unit: "ratio", Source: rule.Judgement,
		Reason: "Ratio of the mean path time between two captures to the shortest. Packet sizes alone do not cause a factor of 3."}
	minHandshakes = rule.Threshold{Name: "min-handshakes", Value: 20, Unit: "count", Source: rule.Judgement,
		Reason: "Quantiles of fewer samples say nothing."}
)

func detectPathSlow(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, s := range v.PacketServices() {
		x := slowPath{v: v, s: s, hops: hopsOf(v, s)}
		if x.look() {
			found = append(found, x.finding())
		}
	}
	return found, nil
}

// slowPath is a service and what is wrong with the way to it.
type slowPath struct {
	v    *view.View
	s    *view.PacketService
	hops *hops

	waited  time.Duration // by all requests: RT, and the rest of their transfer
	loss    bool
	way     way    // one with queues, if there is one
	end     string // where it leads to
	queue   bool
	between bool // captures on both sides show the queue between them
	sure    rule.Confidence
}

func (x *slowPath) look() bool {
	s := x.s
	if s.Count < int64(minRequests.Value) {
		return false
	}
	x.waited = s.Upload + s.RTSum + s.Download
	x.loss = s.Retransmissions >= int64(minRepeats.Value) && float64(s.Retransmit) >= lossTakes.Value*float64(x.waited) &&
		s.Retransmit/time.Duration(s.Count) >= time.Millisecond/10
	if h := x.hops; h != nil {
		x.between = float64(h.Path()) >= mostOfTheTime.Value*float64(h.Total()) &&
			h.each(h.Path()) >= max(worthQueueing.Duration(), grown.Times(h.RoundTrip))
	}
	for _, w := range []struct {
		way
		end string
	}{{toServer(x.v, s), "the server"}, {toClients(x.v, s), "the clients"}} {
		if !w.Here && w.Samples >= minHandshakes.Int() && !w.Means && w.slowAtLeast(max(worthQueueing.Duration(), queued.Times(w.Fast))) {
			x.queue, x.way, x.end = true, w.way, w.end
			break
		}
	}
	switch {
	case x.loss && !x.between && refusing(s):
		x.sure = rule.Possible
	case x.between, x.loss:
		x.sure = atMost(x.v, s, rule.Certain)
	case x.queue && s.RTP95 <= notLonger.Times(x.way.Slow):
		// Handshakes are answered by kernels: where they take long, and requests
		// not much longer, it is not the program.
		x.sure = rule.Likely
	}
	return x.sure > 0
}

// refusing says that most packets were repeated in connections that a server with
// a full accept queue would leave waiting as well: their SYN-ACK came again (see
// slowConnect.ignored), or nothing was repeated but the one request. Then nobody
// can tell from one capture whether the path lost them.
func refusing(s *view.PacketService) bool {
	var all, ignored int64
	for _, c := range s.Connections {
		n := c.FromClient.Retransmissions + c.FromServer.Retransmissions
		all += n
		if c.SYNACKs > 1 || !c.Midway && c.Transactions <= 1 && c.FromServer.Retransmissions == 0 {
			ignored += n
		}
	}
	return ignored > 0 && float64(ignored) >= mostOfTheTime.Value*float64(all)
}

// lost is how long requests waited for the way, all together.
func (x *slowPath) lost() time.Duration {
	switch {
	case x.between:
		return time.Duration(x.s.Count) * x.hops.each(x.hops.Path())
	case x.loss:
		return x.s.Retransmit
	}
	return time.Duration(x.s.Count) * x.way.RTT
}

func (x *slowPath) finding() rule.Finding {
	v, s := x.v, x.s
	lost := perSecond(v, x.lost())
	f := rule.Finding{
		Subject: v.ServiceEntity(s), Confidence: x.sure,
		Impact: rule.Impact{TimeLost: max(lost, 0.001), Text: rule.T("%s s waited for the network per second", unit.Number(lost))},
	}
	switch {
	case x.between:
		f.Headline = rule.T("the network between the captures takes %s of the response time of %s", unit.Share(float64(x.hops.Path())/float64(x.hops.Total())), s.Name())
	case x.loss:
		f.Headline = rule.T("requests to %s wait for lost packets to be repeated: %s of their time", s.Name(), unit.Share(float64(s.Retransmit)/float64(x.waited)))
	default:
		f.Headline = rule.T("packets queue on the path to %s of %s: a round trip takes %s, at best %s", x.end, s.Name(), unit.Duration(x.way.Slow), unit.Duration(x.way.Fast))
	}
	f.Evidence = x.evidence()
	f.Fixes = x.fixes()
	return f
}

func (x *slowPath) evidence() []rule.Evidence {
	v, s := x.v, x.s
	var list []rule.Evidence
	if x.hops != nil {
		list = append(list, x.hops.evidence(v, s)...)
	}
	if x.between {
		list = append(list, rule.Evidence{
			Metric: metric.RTPath, Value: x.hops.each(x.hops.Path()).Seconds(), Limit: rule.Limit(worthQueueing.Value),
			What: rule.T("the path took %s on average and %s at best; the way there p50 %s, p95 %s, the way back p50 %s, p95 %s; %s packets were lost there, %s back",
				unit.Duration(x.hops.each(x.hops.Path())), unit.Duration(x.hops.RoundTrip), unit.Duration(x.hops.PathThereP50), unit.Duration(x.hops.PathThereP95),
				unit.Duration(x.hops.PathBackP50), unit.Duration(x.hops.PathBackP95), unit.Count(x.hops.LostThere), unit.Count(x.hops.LostBack)),
			Check: bothSides(v, s),
		})
	}
	if s.Retransmissions > 0 {
		list = append(list, rule.Evidence{
			Metric: metric.RTRetransmit, Value: s.Retransmit.Seconds(),
			What:  rule.T("%s packets were repeated; requests waited %s of %s for them", unit.Count(s.Retransmissions), unit.Duration(s.Retransmit), unit.Duration(x.waited)),
			Check: tshark(v, s, shell.Display("tcp.analysis.retransmission"), "frame.time_relative", "tcp.stream", "tcp.analysis.rto"),
		})
	}
	if x.queue {
		list = append(list, x.way.evidence(v, s, x.end))
	}
	return append(list, rule.Evidence{
		Metric: metric.RTQuantiles, Value: s.RTP95.Seconds(),
		What:  rule.T("response times p50 %s, p95 %s, p99 %s", unit.Duration(s.RTP50), unit.Duration(s.RTP95), unit.Duration(s.RTP99)),
		Check: packets(v, s).With("--histogram"),
	})
}

func (x *slowPath) fixes() []rule.Fix {
	fixes := []rule.Fix{{
		Text:     rule.T("find the hop: compare round trips to each router between the two, and captures on both sides"),
		Command:  shell.Line("mtr -rwbzc 50 %s", shell.Address(x.s.Server)),
		Tradeoff: "busy routers answer probes late: only delays that also show behind them count",
	}}
	if x.loss {
		return append(fixes, rule.Fix{
			Text:     rule.T("find where packets are dropped: interface and queue counters on both hosts and on the switches between"),
			Command:  shell.Line("ip -s -s link; tc -s qdisc"),
			Tradeoff: "none",
		})
	}
	return append(fixes, rule.Fix{
		Text:     rule.T("keep bulk transfers out of its queue: a fair queue at the bottleneck (fq_codel, cake), or another time for them"),
		Command:  shell.Line("ip route get %s; tc -s qdisc   # backlog of the interface that leads there", shell.Address(x.s.Server)),
		Tradeoff: "bulk transfers get only their share",
	})
}
