package rt

import (
	"cmp"
	"fmt"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/protocol"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var serverSlow = rule.Rule{
	ID:       "rt/server-slow",
	Title:    "clients wait for a server, not for the network",
	Plural:   "servers make their clients wait",
	Resource: "response times",
	Needs:    []recording.Table{recording.PacketCaptures, recording.PacketServices},
	Thresholds: []*rule.Threshold{&worthWaiting, &slowerThanItself, &minSlow, &minTime, &minSeconds, &mostOfTheTime, &minRequests, &noticed, &minAnswers, &someoneWaits, &heldUp,
		&pathIsSmall, &otherWaits, &gaveUpAfter, &gaveUpTimes, &gaveUpClients, &mostlyInferred, &missedShare, &fewSamples, &sameTime, &askedAgain},
	Seen:   func(v *view.View) bool { return answered(v, int64(minRequests.Value)) && allHeard(v) },
	Detect: detectServerSlow,
}

var (
	worthWaiting = rule.Threshold{Name: "worth-waiting", Value: 0.01, Unit: "seconds", Source: "Gregg, Systems Performance, table 2.2",
		Reason: "Time of one random read from a spinning disk, the longest single wait of an indexed request. Faster answers are not called slow."}
	slowerThanItself = rule.Threshold{Name: "slower-than-itself", Value: 10, Unit: "ratio", Source: rule.Judgement,
		Reason: "Ratio to the same statement when it is fast. Caches, plans and parameters cause factors of 2 to 5; more is waiting."}
	minSlow = rule.Threshold{Name: "min-slow", Value: 10, Unit: "count", Source: rule.Judgement,
		Reason: "Slow requests. A single short stall delays one request per connection."}
	minTime = rule.Threshold{Name: "min-time", Value: 0.05, Unit: "seconds per second", Source: rule.Judgement,
		Reason: "Time waited for slow requests. A momentary stall causes less."}
	minSeconds = rule.Threshold{Name: "min-seconds", Value: 3, Unit: "seconds", Source: rule.Judgement,
		Reason: "Seconds of the capture with slow answers, or half of its seconds if it is shorter. A queue left by a past problem drains within a second, which may span two clock seconds."}
	mostOfTheTime = rule.Threshold{Name: "most-of-the-time", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the time. A reported cause takes at least this."}
	minRequests = rule.Threshold{Name: "min-requests", Value: 20, Unit: "count", Source: rule.Judgement,
		Reason: "Quantiles of fewer samples say nothing."}
	noticed = rule.Threshold{Name: "noticed", Value: 0.1, Unit: "seconds", Source: "Nielsen, Usability Engineering, 5.5",
		Reason: "Time of a wait. Users notice more; 100 ms feels instantaneous."}
	minAnswers = rule.Threshold{Name: "min-answers", Value: 5, Unit: "count", Source: rule.Judgement,
		Reason: "Answers that all take so long. This many are not an accident."}
	someoneWaits = rule.Threshold{Name: "someone-waits", Value: 0.5, Unit: "requests", Source: rule.Judgement,
		Reason: "Mean number of requests in flight. At 0.5 a request waits half of the time."}
	heldUp = rule.Threshold{Name: "held-up", Value: 0.3, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the threads' time in which a server must be seen waiting for the host's resources."}
	pathIsSmall = rule.Threshold{Name: "path-is-small", Value: 0.2, Unit: "share", Source: rule.Judgement,
		Reason: "Share of a request's time. Below it the round trip to the server does not matter."}
	otherWaits = rule.Threshold{Name: "other-waits", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the time spent on retransmissions or delayed ACKs. Above it the server is not the cause."}
)

func detectServerSlow(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	var blind, alone, poll *slowServer
	hang := hangsIn(v)
	for _, h := range hang.known {
		found = append(found, h.finding())
	}
	for _, s := range v.PacketServices() {
		if hang.about(s) {
			continue // one finding about a service: that it does not answer at all says more
		}
		if x := (slowServer{s: s, v: v, way: toServer(v, s)}); x.look() {
			if !x.seen && x.longPoll() {
				poll = cmp.Or(poll, &x)
				continue
			}
			found = append(found, x.finding())
		} else if blind == nil && x.blind() {
			blind = &x
		} else if alone == nil && x.alone() {
			alone = &x
		}
	}
	switch {
	case len(found) > 0:
	case len(hang.doubtful) > 0:
		return nil, hang.doubtful[0].doubt()
	case blind != nil:
		return nil, blind.doubt()
	case poll != nil:
		return nil, poll.polled()
	case alone != nil:
		return nil, alone.unusual()
	}
	return found, nil
}

// slowServer is a service whose clients wait, and what is known about it.
type slowServer struct {
	v    *view.View
	s    *view.PacketService
	way  way
	hops *hops // of captures on both sides; nil

	stalled   bool                       // most of the time is waited for answers that nobody gets meanwhile
	stall     recording.PacketStall      // these times
	statement *recording.PacketStatement // that takes most of the time, if one does
	varies    bool                       // and takes much longer than when it is fast
	slowFrom  time.Duration              // what is much longer
	slow      int64                      // how many requests took that long
	process   view.ProcessTime           // who serves, where the host was watched
	busy      view.Activity
	serving   view.Serving // what its threads did while requests waited
	watched   bool         // serving is known
	seen      bool         // process is known, and busy or waiting for busy most of the time
	sure      rule.Confidence
}

// look says whether there is anything to say.
func (x *slowServer) look() bool {
	s := x.s
	if s.Count < int64(minRequests.Value) || s.RTSum == 0 || x.waitsForPackets() {
		return false
	}
	x.hops = hopsOf(x.v, s)
	x.findStatement()
	x.findProcess()
	x.findStalls()
	x.findThreads()
	x.sure = x.confidence()
	return x.sure > 0
}

// waitsForPackets says that other rules have the cause.
func (x *slowServer) waitsForPackets() bool {
	return x.s.Retransmit+x.s.DelayedACK > time.Duration(otherWaits.Value*float64(x.s.RTSum))
}

// serve is how long requests were at the server, all together: what is left
// without the way there and back.
func (x *slowServer) serve() time.Duration {
	if x.hops != nil {
		return time.Duration(x.s.Count) * x.hops.each(x.hops.Serve)
	}
	return max(x.s.Serve-time.Duration(x.s.Count)*x.way.RTT, 0)
}

func (x *slowServer) confidence() rule.Confidence {
	compared := x.varies || x.stalled || x.slept() || x.seen && x.serve()/time.Duration(x.s.Count) >= worthWaiting.Duration()
	innocent := x.way.known() && float64(x.way.Slow) <= pathIsSmall.Value*float64(x.tail())
	if x.hops != nil {
		innocent = float64(x.hops.Serve) >= mostOfTheTime.Value*float64(x.hops.Total())
		compared = compared && (x.hops.ServeP99 >= worthWaiting.Duration() || x.hops.each(x.hops.Serve) >= 2*x.hops.ServeP50)
	}
	switch {
	case x.hops != nil && !innocent:
		return 0 // the time is elsewhere
	case compared && innocent && x.hops != nil:
		return atMost(x.v, x.s, rule.Certain)
	case compared && innocent && (x.seen || x.stalled || decoded(x.s)):
		return rule.Likely
	case innocent && x.waitedFor(), compared:
		return rule.Possible
	}
	return 0
}

// decoded says that requests of the service are told apart. Where they are not,
// slow ones may be others than the fast ones: long polls over TLS.
func decoded(s *view.PacketService) bool {
	return !protocol.Of(s.Proto).Opaque
}

// blind says that clients wait for the service, and that nothing tells the
// network's part of it.
func (x *slowServer) blind() bool {
	return x.s.Count >= int64(minRequests.Value) && x.hops == nil && !x.waitsForPackets() && !x.way.known() && x.waitedFor()
}

// waitedFor says that somebody waits for the service at least half of the time,
// and no moment only.
func (x *slowServer) waitedFor() bool {
	return perSecond(x.v, x.serve()) >= someoneWaits.Value && x.serve()/time.Duration(x.s.Count) >= worthWaiting.Duration()
}

func (x *slowServer) doubt() error {
	return &rule.NotJudged{
		Needs: "the network's round trip to " + x.s.Name(),
		Why: fmt.Sprintf("%s to it took %s on average, and too few of its handshakes or pure ACKs were captured to say whether they waited for the server or for the network",
			unit.Plural(x.s.Count, "request", "requests"), unit.Duration(x.s.RTSum/time.Duration(x.s.Count))),
		How: shell.Say("capture while connections are opened, or at the server"),
	}
}

// alone says that every answer takes long enough to be noticed, and that nothing
// shows whether it could be faster. Where requests are not told apart, they may be
// long polls.
func (x *slowServer) alone() bool {
	return float64(x.s.Count) >= minAnswers.Value && x.hops == nil && !x.waitsForPackets() && decoded(x.s) &&
		x.serve()/time.Duration(x.s.Count) >= noticed.Duration() && x.s.RTMin >= noticed.Duration()
}

func (x *slowServer) unusual() error {
	n := time.Duration(x.s.Count)
	return &rule.NotJudged{
		Needs: "what an answer of " + x.s.Name() + " usually takes",
		Why: fmt.Sprintf("its %s took %s on average and never less than %s, of which the server %s; it is unknown whether this is slower than usual",
			unit.Plural(x.s.Count, "answer", "answers"), unit.Duration(x.s.RTSum/n), unit.Duration(x.s.RTMin), unit.Duration(x.serve()/n)),
		How: shell.Say("compare with a capture of a time when it was fast, or look inside the server: its slow log, locks, plans, stacks"),
	}
}

// tail is what slow requests take.
func (x *slowServer) tail() time.Duration {
	if x.varies {
		return x.slowFrom
	}
	if x.stalled {
		return x.stall.P50
	}
	return x.s.RTP95
}

// findStatement looks for the statement that takes most of the time, and asks
// whether it can do better.
func (x *slowServer) findStatement() {
	for _, t := range x.v.PacketStatements() {
		if t.Server != x.s.Server || t.ServerPort != int32(x.s.Port) || t.Proto != x.s.Proto {
			continue
		}
		if float64(t.RTSum) < mostOfTheTime.Value*float64(x.s.RTSum) {
			return // the list is ordered by it
		}
		x.statement = &t
		x.slowFrom = max(worthWaiting.Duration(), slowerThanItself.Times(t.RTP10))
		var took time.Duration
		for _, b := range x.s.Histogram {
			if b.From >= x.slowFrom {
				x.slow += int64(b.Count)
				took += time.Duration(b.Count) * (b.From + (b.To-b.From)/2)
			}
		}
		// The time decides, not the number: a client that waits for a slow answer
		// asks nothing meanwhile, so that few requests may be slow all the time.
		mean := t.RTSum / time.Duration(max(t.Count, 1))
		x.varies = t.Count >= int64(minRequests.Value) && t.RTMax >= x.slowFrom && mean >= 2*t.RTP10 && x.slow >= int64(minSlow.Value) &&
			float64(took) >= mostOfTheTime.Value*float64(x.s.RTSum) && perSecond(x.v, took) >= minTime.Value && x.lasting()
		return
	}
}

// findStalls asks whether the time goes to moments in which nobody is answered,
// and what waits then is fast at others: of encrypted requests, too, nobody can say
// that they are just slow ones.
func (x *slowServer) findStalls() {
	row, ok := stallsOf(x.v, x.s)
	x.stall = row
	x.stalled = ok && row.P50 >= worthWaiting.Duration() && row.Connections > 1 && matters(x.v, x.s, &row) && float64(row.Waited) >= mostOfTheTime.Value*float64(row.RTSum)
}

// lasting says whether slow answers came again and again.
func (x *slowServer) lasting() bool {
	n := 0
	for _, r := range x.s.Seconds {
		if r.RTMax >= x.slowFrom {
			n++
		}
	}
	return n >= min(minSeconds.Int(), (len(x.s.Seconds)+1)/2)
}

// findProcess asks the host what the server's threads did.
func (x *slowServer) findProcess() {
	l, ok := x.v.ServedBy(x.s.Server, x.s.Port)
	if !ok {
		return
	}
	for _, p := range x.v.ProcessTimes() {
		if p.Process.PID != l.PID() {
			continue
		}
		x.process = p
		// Threads wait in a futex for work too, so locks prove nothing here.
		for _, a := range []view.Activity{view.WaitDisk, view.Runnable} {
			if p.Share[a]*float64(p.Threads) >= heldUp.Value && p.Share[a] > p.Share[x.busy] || !x.seen && p.Share[a]*float64(p.Threads) >= heldUp.Value {
				x.busy, x.seen = a, true
			}
		}
		return
	}
}

func (x *slowServer) finding() rule.Finding {
	s := x.s
	f := rule.Finding{Subject: x.v.ServiceEntity(s), Confidence: x.sure}
	lost := perSecond(x.v, x.serve())
	f.Impact = rule.Impact{TimeLost: max(lost, 0.001), Text: rule.T("%s s waited for it per second", unit.Number(lost))}
	f.Headline = x.headline()
	f.Evidence = append(x.evidence(), x.where()...)
	f.Fixes = x.fixes()
	return f
}

func (x *slowServer) headline() rule.Text {
	name, mean := x.s.Name(), unit.Duration(x.serve()/time.Duration(x.s.Count))
	switch {
	case x.seen:
		return rule.T("%s answers slowly, %s on average: %s (%d) spends %s of its threads' time %s", name, mean, x.process.Process.Comm,
			x.process.Process.PID, unit.Share(x.process.Share[x.busy]), activity(x.busy))
	case x.slept() && !x.varies && !x.stalled:
		return rule.T("%s answers slowly, %s on average: the threads of %s slept %s of the time in which requests waited", name, mean, processes(x.serving), unit.Share(x.serving.Asleep))
	case x.varies:
		return rule.T("%s answers slowly: most of the time goes to requests of at least %s, but the same statement can take %s", name,
			unit.Duration(x.slowFrom), unit.Duration(x.statement.RTP10))
	case x.stalled:
		return rule.T("%s answers slowly: %s times it answered no request for at least %s, while up to %s connections waited", name,
			unit.Count(x.stall.Count), unit.Duration(x.stall.P50), unit.Count(x.stall.Connections))
	case x.sure == rule.Possible:
		return rule.T("clients of %s wait for the server, %s a request on average; no evidence that it is slower than usual", name, mean)
	}
	return rule.T("%s answers slowly, %s on average", name, mean)
}

func activity(a view.Activity) string {
	if a == view.WaitDisk {
		return "waiting for disks"
	}
	return "waiting for a CPU"
}

func (x *slowServer) evidence() []rule.Evidence {
	v, s := x.v, x.s
	list := []rule.Evidence{{
		Metric: metric.RTServe, Value: (x.serve() / time.Duration(s.Count)).Seconds(),
		What: rule.T("%s requests were %s at the server on average; response times p50 %s, p95 %s, p99 %s, max %s", unit.Count(s.Count),
			unit.Duration(x.serve()/time.Duration(s.Count)), unit.Duration(s.RTP50), unit.Duration(s.RTP95), unit.Duration(s.RTP99), unit.Duration(s.RTMax)),
		Check: packets(v, s).With("--histogram"),
	}, {
		Metric: metric.RTConcurrency, Value: perSecond(v, s.RTSum),
		What:  rule.T("%s requests were waiting at a time on average", unit.Number(perSecond(v, s.RTSum))),
		Check: packets(v, s).With("--by second"),
	}}
	if r := &x.stall; x.stalled {
		list = append(list, rule.Evidence{
			Metric: metric.RTStalls, Value: float64(r.Count), Limit: rule.Limit(minSlow.Value),
			What: rule.T("%s times, half of them for %s and more, no request was answered while requests waited that can take %s: %s of all %s waited", unit.Count(r.Count),
				unit.Duration(r.P50), unit.Duration(r.Usual), unit.Duration(r.Waited), unit.Duration(r.RTSum)),
			Check: packets(v, s).With("--slowest 20"),
		})
	}
	if t := x.statement; t != nil && t.Fingerprint != "" {
		list = append(list, rule.Evidence{
			Metric: metric.RTStatement, Value: float64(t.RTSum) / float64(s.RTSum),
			What: rule.T("%s of the time for %s, %s times: p10 %s, p50 %s, p95 %s, max %s", unit.Share(float64(t.RTSum)/float64(s.RTSum)),
				short(t.Fingerprint), unit.Count(t.Count), unit.Duration(t.RTP10), unit.Duration(t.RTP50), unit.Duration(t.RTP95), unit.Duration(t.RTMax)),
			Check: packets(v, s).With("--by statement"),
		})
	}
	list = append(list, x.threadEvidence()...)
	if x.seen {
		list = append(list, rule.Evidence{
			Metric: metric.RTProcess, Value: x.process.Share[x.busy], Limit: rule.Limit(heldUp.Value),
			What: rule.T("%s (%d): %d threads, %s of the time on CPU, %s runnable, %s in disk waits", x.process.Process.Comm, x.process.Process.PID, x.process.Threads,
				unit.Share(x.process.Share[view.OnCPU]), unit.Share(x.process.Share[view.Runnable]), unit.Share(x.process.Share[view.WaitDisk])),
			Check: shell.Line("pidstat -t -u -d -p %d 1", x.process.Process.PID),
		})
	}
	return list
}

// short cuts a statement for a line of evidence.
func short(statement string) string {
	const most = 60
	if r := []rune(statement); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return statement
}

// where says why it is not the way.
func (x *slowServer) where() []rule.Evidence {
	switch {
	case x.hops != nil:
		return x.hops.evidence(x.v, x.s)
	case x.way.Here:
		return []rule.Evidence{{
			Metric: metric.RTWay, What: rule.T("the server is on this host: there is no network behind the capture"),
			Check: shell.Line("ss -ltnp 'sport = :%d'", x.s.Port),
		}}
	case x.way.Samples > 0:
		return []rule.Evidence{x.way.evidence(x.v, x.s, "the server")}
	}
	return nil
}

func (x *slowServer) fixes() []rule.Fix {
	fixes := []rule.Fix{{
		Text:     rule.T("look inside the server at that time: its slow log or statement statistics, locks, plans, then stacks"),
		Command:  protocol.Of(x.s.Proto).Inside,
		Tradeoff: "a few percent of CPU while it is watched",
	}}
	if x.process.Process.PID != 0 {
		fixes = append(fixes, rule.Fix{
			Text:     rule.T("see what the threads of %s (%d) wait for", x.process.Process.Comm, x.process.Process.PID),
			Command:  shell.Line("cat /proc/%d/task/*/wchan; pidstat -t -u -d -w -p %d 1", x.process.Process.PID, x.process.Process.PID),
			Tradeoff: "none",
		})
	}
	return fixes
}
