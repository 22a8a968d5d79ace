package net

import (
	"fmt"
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

var rateLimited = rule.Rule{
	ID:       "net/rate-limited",
	Title:    "traffic is limited to a fixed rate",
	Plural:   "paths limit traffic to a fixed rate",
	Resource: "bandwidth",
	NeedsAny: []recording.Table{recording.PacketRates, recording.Qdiscs, recording.TCPSockets},
	Explains: []string{"rt/server-slow", "rt/path-slow", "rt/client-slow", "rt/worker-queueing", "rt/connect-slow", "net/packet-loss", "net/sender-app-limited"},
	Refutes:  []string{"network path"},
	Thresholds: []*rule.Threshold{&steadySeconds, &steadyShare, &steadyWithin, &evenTenths, &evenPackets, &ratePackets, &queueing, &standing, &standingShort, &standingSteady, &policed,
		&subPoisson, &policedPackets, &hungryShare, &heldShare, &standingOver, &segmentsUnderWay, &commonSpread, &fullLink, &fullCPUs, &pktMissed, &minDiscarded, &discardedShare,
		&slightlyDiscarded},
	Seen:   wholeSeconds,
	Detect: detectRateLimited,
}

var (
	steadySeconds = rule.Threshold{Name: "steady-seconds", Value: 3, Unit: "count", Source: rule.Judgement,
		Reason: "Consecutive whole seconds. A steady rate for so long is not a coincidence."}
	steadyShare = rule.Threshold{Name: "steady-share", Value: 0.75, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the whole seconds with traffic that are steady. In the others senders have less to send. Of a long capture an eighth at each end may be the start or the end of the traffic, and does not count."}
	steadyWithin = rule.Threshold{Name: "steady-within", Value: 0.05, Unit: "share", Source: rule.Judgement,
		Reason: "Distance from the median, to either side; twice that if single packets are a large part of a second."}
	evenTenths = rule.Threshold{Name: "even-tenths", Value: 1.1, Unit: "ratio", Source: rule.Judgement,
		Reason: "Excess of the busiest tenth of a steady second over the mean one. Users without a limit hardly ever stay below it."}
	evenPackets = rule.Threshold{Name: "even-packets", Value: 2, Unit: "count", Source: rule.Judgement,
		Reason: "Packets allowed above even-tenths: the resolution of a packet rate."}
	ratePackets = rule.Threshold{Name: "rate-packets", Value: 20.0, Unit: "per second", Source: rule.Judgement,
		Reason: "Packets. Fewer do not make a rate. A capture at the sender shows packets of up to 64 KiB that its network card splits later: 10 Mbit/s are 20 of these."}
	queueing = rule.Threshold{Name: "queueing", Value: 0.01, Unit: "seconds", Source: rule.Judgement,
		Reason: "Mean age of packets by their sender's clock, in milliseconds. Ten are more than rounding and scheduling."}
	standing = rule.Threshold{Name: "standing", Value: 0.06, Unit: "seconds", Source: "kernel, TCP_DELACK_MIN (include/net/tcp.h)",
		Reason: "Round trip above the shortest one, by the sender's kernel or by captured ACKs: 1.5 times a delayed ACK (TCP_DELACK_MIN, 40 ms). It shows a standing queue that makes all packets equally old."}
	standingShort = rule.Threshold{Name: "standing-short", Value: 0.005, Unit: "seconds", Source: "RFC 8289, section 4.4 (TARGET)",
		Reason: "Round trip above the shortest one, or time that a shaper of this host takes to send what waits in it: more is a standing queue. Counts for round trips of less than 40 ms only, which no delayed ACK has made."}
	standingSteady = rule.Threshold{Name: "standing-steady", Value: 0.5, Unit: "ratio", Source: rule.Judgement,
		Reason: "Deviation of round trips (rttvar) over what they take above the shortest one. Where some wait for a delayed ACK and others not, it is about as large."}
	policed = rule.Threshold{Name: "policed", Value: 0.01, Unit: "share", Source: rule.Judgement,
		Reason: "Share of retransmitted segments if a policer drops the excess."}
	subPoisson = rule.Threshold{Name: "sub-poisson", Value: 0.5, Unit: "ratio", Source: "statistics, largest of ten Poisson counts",
		Reason: "Independent users spread packets over tenths of a second with the square root of their number as standard deviation; the busiest of ten tenths is 1.5 of these above the mean. A limiter has no such excess."}
	policedPackets = rule.Threshold{Name: "policed-packets", Value: 500.0, Unit: "per second", Source: "statistics, standard deviation of Poisson counts",
		Reason: "Packets. With fewer, chance and a limiter look the same in tenths of a second: fifty packets have a standard deviation of seven."}
	hungryShare = rule.Threshold{Name: "hungry-share", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the time with something to send. A sender that has nothing to send is not limited."}
)

const (
	frameBytes = 1514
	// rampPart is the part of a capture at each end in which traffic may begin or end.
	rampPart = 8
)

// limit is a direction whose rate does not go beyond something.
type limit struct {
	view.PacketRates
	seconds        []recording.PacketRate // whole ones
	steady         int
	bytes, packets float64 // medians per second
	byBytes        bool
	byPackets      bool
	queued         time.Duration // mean
	queuedMax      time.Duration
	resent         float64 // share of packets that are copies of lost ones
	unanswered     float64 // the same of the packets of the other direction
	lossy          int     // whole seconds with copies in either direction
	uneven         float64 // busiest tenth of a second beyond that of the limit, median, in standard deviations of a Poisson count; of policed ones
	conns          []*view.PacketConnection
	services       []*view.PacketService
	waited         time.Duration
	standing       time.Duration // round trips beyond the shortest, mean
	short          time.Duration // the same, of those that cannot be delayed ACKs
}

func detectRateLimited(v *view.View) ([]rule.Finding, error) {
	var limits []*limit
	limited := map[string]bool{} // senders held back towards all others together
	rates := v.PacketRates()
	for _, together := range []bool{true, false} {
		for _, r := range rates {
			if (r.To == "") != together || limited[r.From] {
				continue
			}
			l := &limit{PacketRates: r}
			if l.look(v) && (l.shaped() || l.policed()) {
				limited[r.From] = true
				limits = append(limits, l)
			}
		}
	}
	var found []rule.Finding
	for _, l := range limits {
		if !slices.ContainsFunc(limits, l.follows) {
			found = append(found, l.finding(v))
		}
	}
	if len(found) == 0 { // packets say whom it concerns
		for _, s := range shapers(v) {
			found = append(found, s.finding(v))
		}
		for _, l := range limitsElsewhere(v) {
			found = append(found, l.finding(v))
		}
	}
	return found, nil
}

// follows says that packets answer, or ask for, those of the other direction, which are dropped:
// they come less evenly than what a limit lets through.
func (l *limit) follows(other *limit) bool {
	if l.shaped() || other.shaped() || l.uneven <= other.uneven || other.To != "" && other.To != l.From {
		return false
	}
	return slices.ContainsFunc(l.conns, func(c *view.PacketConnection) bool {
		return c.Client == l.From && c.Server == other.From || c.Server == l.From && c.Client == other.From
	})
}

// look measures; false if there is no plateau.
func (l *limit) look(v *view.View) bool {
	l.whole(v)
	if len(l.seconds) < steadySeconds.Int() || !l.flat() {
		return false
	}
	l.ends(v)
	l.roundTrips(v)
	l.copies(v)
	return true
}

// flat looks for a plateau in whole seconds.
func (l *limit) flat() bool {
	l.bytes = median(l.seconds, func(r recording.PacketRate) float64 { return float64(r.Bytes) })
	l.packets = median(l.seconds, func(r recording.PacketRate) float64 { return float64(r.Packets) })
	if l.packets < ratePackets.Value {
		return false
	}
	bytes, byteSpread := l.plateau(l.bytes, func(r recording.PacketRate) (n, busiest, slack float64) {
		return float64(r.Bytes), float64(r.BusiestBytes), evenPackets.Value * max(frameBytes, l.bytes/l.packets)
	})
	packets, packetSpread := l.plateau(l.packets, func(r recording.PacketRate) (n, busiest, slack float64) {
		return float64(r.Packets), float64(r.BusiestPackets), evenPackets.Value
	})
	// Where all packets have one size nobody can tell which of the two is limited.
	l.byBytes = bytes > 0 && !(packets > 0 && packetSpread < byteSpread/2)
	l.byPackets = packets > 0 && !(bytes > 0 && byteSpread < packetSpread/2)
	l.steady = max(bytes, packets)
	return l.steady > 0
}

// roundTrips measures how much longer than the shortest they are, by the kernel
// of the sender if that was watched, else by acknowledgements.
func (l *limit) roundTrips(v *view.View) {
	// A round trip goes both ways: the queue is where the bytes are.
	var sent, received int64
	for _, r := range v.PacketRates() {
		for _, s := range r.Seconds {
			switch {
			case r.From == l.From && (r.To == l.To || r.To != "" && l.To == ""):
				sent += s.Bytes
			case r.To == l.From && (r.From == l.To || l.To == ""):
				received += s.Bytes
			}
		}
	}
	if received > sent {
		return
	}
	var sum time.Duration
	var short briefQueue
	n := 0
	for _, c := range v.Connections() {
		if c.Info && c.State == recording.TCPEstablished && c.MinRTT > 0 && c.Local == l.From && (l.To == "" || c.Remote == l.To) {
			sum += max(c.RTT-c.MinRTT, 0)
			short.add(c.RTT-c.MinRTT, c.RTT, c.RTTVar)
			n++
		}
	}
	for _, c := range l.conns {
		side := &c.FromServer
		if c.Client == l.From {
			side = &c.FromClient
		}
		if n == 0 && side.RTTs > 0 {
			mean := side.RTTSum / time.Duration(side.RTTs)
			l.standing = max(l.standing, mean-side.RTTMin)
			if side.RTTs >= fewRoundTrips {
				short.add(mean-side.RTTMin, max(mean, side.RTTMax), 0)
			}
		}
	}
	l.short = short.standing()
	if n > 0 {
		l.standing = sum / time.Duration(n)
	}
}

const (
	shortestDelayedACK = 40 * time.Millisecond // TCP_DELACK_MIN
	// fewRoundTrips of a connection say nothing of the usual one.
	fewRoundTrips = 10
)

// briefQueue adds up connections whose round trips take a little longer than the shortest.
type briefQueue struct {
	sum    time.Duration
	of, in int // connections, and those of them with a standing queue
}

// add takes what the round trips of a connection take above the shortest, the longest that
// counts, and their deviation, 0 if that one says enough.
func (q *briefQueue) add(above, longest, deviation time.Duration) {
	q.of++
	if above >= standingShort.Duration() && longest < shortestDelayedACK && float64(deviation) <= standingSteady.Value*float64(above) {
		q.sum += above
		q.in++
	}
}

// standing is the mean, if most connections have one.
func (q *briefQueue) standing() time.Duration {
	if 2*q.in <= q.of {
		return 0
	}
	return q.sum / time.Duration(q.in)
}

// whole keeps the seconds that the capture covers from end to end.
func (l *limit) whole(v *view.View) {
	var from, to time.Time
	for _, c := range v.PacketCaptures() {
		if from.IsZero() || c.At.Before(from) {
			from = c.At
		}
		if c.Last.After(to) {
			to = c.Last
		}
	}
	var clocked int64
	var queued time.Duration
	for _, s := range l.Seconds {
		if s.At.Before(from) || s.At.Add(time.Second).After(to) {
			continue
		}
		l.seconds = append(l.seconds, s)
		clocked += s.Clocked
		queued += s.Queued
		l.queuedMax = max(l.queuedMax, s.QueuedMax)
	}
	if clocked > 0 {
		l.queued = queued / time.Duration(clocked)
	}
}

// copies counts what was sent again. A capture behind a policer never sees the
// first copies of what it throws away; there the other side tells, which repeats
// its requests for want of an answer.
func (l *limit) copies(v *view.View) {
	lossy := map[time.Time]bool{}
	share := func(seconds []recording.PacketRate) (resent, all int64) {
		for _, s := range seconds {
			resent += s.Resent
			all += s.Packets
			lossy[s.At] = lossy[s.At] || s.Resent > 0
		}
		return resent, all
	}
	resent, all := share(l.seconds)
	l.resent = float64(resent) / float64(max(all, 1))
	var back, backAll int64
	for _, r := range v.PacketRates() {
		if r.To == l.From && (r.From == l.To || l.To == "") {
			resent, all := share(r.Seconds)
			back, backAll = back+resent, backAll+all
		}
	}
	l.unanswered = float64(back) / float64(max(backAll, 1))
	for _, s := range l.seconds {
		if lossy[s.At] {
			l.lossy++
		}
	}
}

func median(list []recording.PacketRate, value func(recording.PacketRate) float64) float64 {
	var values []float64
	for _, r := range list {
		values = append(values, value(r))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// plateau counts the steady seconds, if they make one, and says how far apart
// they are, as a share.
func (l *limit) plateau(middle float64, measure func(recording.PacketRate) (n, busiest, slack float64)) (steady int, spread float64) {
	least, most, run, longest := math.Inf(1), 0.0, 0, 0
	first, last := len(l.seconds), 0 // seconds before the first steady one, and after the last one
	for i, r := range l.seconds {
		n, busiest, slack := measure(r)
		if math.Abs(n-middle) > steadyWithin.Value*middle+min(slack, steadyWithin.Value*middle) || busiest > evenTenths.Value*n/10+slack {
			run = 0
			continue
		}
		steady++
		run++
		longest = max(longest, run)
		least, most = min(least, n), max(most, n)
		first, last = min(first, i), len(l.seconds)-1-i
	}
	ends := len(l.seconds) / rampPart
	if longest < steadySeconds.Int() || float64(steady) < steadyShare.Value*float64(len(l.seconds)-min(first, ends)-min(last, ends)) {
		return 0, math.Inf(1)
	}
	return steady, (most - least) / middle
}

// ends collects who uses the direction.
func (l *limit) ends(v *view.View) {
	for _, s := range v.PacketServices() {
		used := false
		for _, c := range s.Connections {
			if c.Client == l.From && (l.To == "" || c.Server == l.To) || c.Server == l.From && (l.To == "" || c.Client == l.To) {
				l.conns = append(l.conns, c)
				l.waited += c.RTSum + c.Download
				used = true
			}
		}
		if used {
			l.services = append(l.services, s)
		}
	}
}

// shaped: packets queue while their rate does not rise.
func (l *limit) shaped() bool {
	return l.queued >= queueing.Duration() || l.standing >= standing.Duration() || l.short > 0 && l.hungry()
}

// policed: packets are thrown away while those that pass come as evenly as
// users never send them, although these always have something to send.
func (l *limit) policed() bool {
	if max(l.resent, l.unanswered) < policed.Value || l.packets < policedPackets.Value || !l.hungry() {
		return false
	}
	// What passes in a tenth of a second is held against the limit, which is the most that passed
	// in a steady second: senders that wait for a timer use less of it in between.
	most := 0.0
	for _, r := range l.seconds {
		if n := float64(r.Packets); n <= l.packets*(1+steadyWithin.Value) {
			most = max(most, n)
		}
	}
	even, tenth := 0, most/10
	l.uneven = (median(l.seconds, func(r recording.PacketRate) float64 { return float64(r.BusiestPackets) }) - tenth) / math.Sqrt(max(tenth, 1))
	for _, r := range l.seconds {
		if float64(r.BusiestPackets) <= tenth+subPoisson.Value*math.Sqrt(tenth)+evenPackets.Value {
			even++
		}
	}
	enough := steadyShare.Value * float64(len(l.seconds))
	return float64(even) >= enough && float64(l.lossy) >= enough
}

// hungry says that the senders had something to send most of the time.
func (l *limit) hungry() bool {
	var life, quiet time.Duration
	for _, s := range l.services {
		for i := range s.Directions {
			d := &s.Directions[i]
			if k := endsOf(d.Client, d.Server, d.Sender); k.from == l.From && (l.To == "" || k.to == l.To) {
				life += d.Life
				quiet += d.Quiet
			}
		}
	}
	return life > 0 && float64(quiet) <= hungryShare.Value*float64(life)
}

func (l *limit) rate() string {
	bits := fmt.Sprintf("%s (%.3g Mbit/s)", unit.Bytes(l.bytes).String()+"/s", l.bytes*8/1e6)
	packets := unit.Count(l.packets).String() + " packets/s"
	switch {
	case l.byBytes && l.byPackets:
		return bits + " or " + packets
	case l.byBytes:
		return bits
	}
	return packets
}

func (l *limit) finding(v *view.View) rule.Finding {
	to := l.To
	if to == "" {
		to = "all others"
	}
	f := rule.Finding{Subject: v.PeerEntity(l.From, 0), Confidence: pktAtMost(v, rule.Likely)}
	f.Subject.Detail = "to " + to
	for _, s := range l.services {
		f.Affects = append(f.Affects, v.EndsOf(s, l.From, l.To)...)
	}
	what := "queues"
	if !l.shaped() {
		what = "is dropped"
	}
	f.Headline = rule.T("traffic from %s to %s is limited to %s: the excess %s", l.From, to, l.rate(), what)
	f.Impact = rule.Impact{TimeLost: max(perSecond(v, l.waited), float64(l.steady)/max(v.Seconds(), 1)), Text: rule.T("%d of %d seconds at the limit", l.steady, len(l.seconds))}
	host := pktHost("src", l.From)
	check := shell.Line("%s -q -z %s", tshark(v, host), shell.Display("io,stat,1,%s", host))
	f.Evidence = []rule.Evidence{{Metric: metric.PacketsRate, What: rule.T("%d of %d whole seconds at %s, within %s", l.steady, len(l.seconds), l.rate(), unit.Share(steadyWithin.Value)),
		Value: l.bytes, Check: check}}
	if l.queued > 0 {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.PacketsQueued, What: rule.T("by their sender's clock packets waited %s on the way to the capture, up to %s", unit.Duration(l.queued), unit.Duration(l.queuedMax)),
			Value: l.queued.Seconds(), Check: tshark(v, shell.Display("%s && tcp.len > 0", host), "tcp.options.timestamp.tsval")})
	}
	if l.short > l.standing {
		l.standing = l.short
	}
	if l.standing >= standing.Duration() || l.short > 0 {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.PacketsStandingQueue, What: rule.T("its round trips take %s longer than the shortest", unit.Duration(l.standing)),
			Value: l.standing.Seconds()})
	}
	if l.resent > 0 {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.PacketsRetransmissions, What: rule.T("%s of packets are copies of lost ones", unit.Share(l.resent)), Value: l.resent, Check: tshark(v, shell.Display("%s && tcp.analysis.retransmission", host))})
	}
	if l.unanswered > 0 {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.PacketsRetransmissions, What: rule.T("%s of the packets to %s are copies of unanswered ones", unit.Share(l.unanswered), l.From),
			Value: l.unanswered, Check: tshark(v, shell.Display("%s && tcp.analysis.retransmission", pktHost("dst", l.From)))})
	}
	f.Evidence = append(f.Evidence, l.ofBaseline(v)...)
	f.Fixes = []rule.Fix{
		{Text: rule.T("look for the limit: a qdisc or filter on %s, the limit of a cloud instance, a switch port or a firewall", l.From), Command: shell.Line("tc -s qdisc; nft list ruleset; ip -s -s link"), Tradeoff: "none"},
		{Text: rule.T("raise or remove it, or use a larger instance"), Tradeoff: "others on the link get less"},
		{Text: rule.T("send less: compress, fetch fewer columns, batch small packets"), Tradeoff: "CPU time"},
	}
	return f
}

// wholeSeconds says whether the capture is long enough to show a plateau.
func wholeSeconds(v *view.View) bool {
	return slices.ContainsFunc(v.PacketRates(), func(r view.PacketRates) bool {
		l := limit{PacketRates: r}
		l.whole(v)
		return len(l.seconds) >= steadySeconds.Int()
	})
}
