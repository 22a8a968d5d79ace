package rt

import (
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/protocol"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var chatty = rule.Rule{
	ID:       "rt/chatty",
	Title:    "one piece of work takes too many round trips in sequence",
	Plural:   "clients need too many round trips in sequence for one piece of work",
	Resource: "round trips",
	Needs:    []recording.Table{recording.PacketCaptures, recording.PacketServices, recording.PacketStatements},
	// The caller is slow because of its round trips, however fast each is.
	Explains:   []string{"rt/server-slow"},
	Thresholds: []*rule.Threshold{&manyTrips, &minUnits, &feltWait, &noticedWait, &shortTrip, &tripShare, &mostlyInferred, &missedShare},
	Detect:     detectChatty,
}

var (
	manyTrips = rule.Threshold{Name: "many-trips", Value: 20, Unit: "count", Source: rule.Judgement,
		Reason: "Round trips per piece of work. From here on a single request with a join or a list should replace them. The recording uses the same number for runs."}
	minUnits = rule.Threshold{Name: "min-units", Value: 5, Unit: "count", Source: rule.Judgement,
		Reason: "Pieces of work in which it must occur."}
	feltWait = rule.Threshold{Name: "felt-wait", Value: 0.1, Unit: "seconds", Source: "Nielsen, Usability Engineering, chapter 5",
		Reason: "Time that a person can wait without noticing."}
	noticedWait = rule.Threshold{Name: "noticed-wait", Value: 0.02, Unit: "seconds", Source: rule.Judgement,
		Reason: "Round-trip time per piece of work, below felt-wait. Worth a hint."}
	shortTrip = rule.Threshold{Name: "short-trip", Value: 0.01, Unit: "seconds", Source: rule.Judgement,
		Reason: "Time per answer. Longer answers are slow by themselves; fewer of them do not help."}
	tripShare = rule.Threshold{Name: "trip-share", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the work's time spent waiting for answers. A client that computes longer in between is the slow part."}
)

func detectChatty(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, n := range v.PacketNestings() {
		if x := (talk{v: v, s: serviceAt(v, n.Callee, n.CalleePort), nesting: &n, units: n.Requests, trips: n.Calls, waited: n.Covered, took: n.RTSum}); x.look() && n.Most == 1 {
			found = append(found, x.finding())
		}
	}
	for _, t := range v.PacketStatements() {
		x := talk{v: v, s: serviceAt(v, t.Server, t.ServerPort), statement: &t, units: t.Runs, trips: t.RunCount, waited: t.RunWaited, took: t.RunTime}.far()
		if x.look() && !told(found, &x) {
			found = append(found, x.finding())
		}
	}
	return found, nil
}

// told says that requests of another service were already found to cause this.
func told(found []rule.Finding, x *talk) bool {
	for _, f := range found {
		for _, a := range f.Affects {
			if a.Name == x.s.Name() {
				return true
			}
		}
	}
	return false
}

// talk is pieces of work and the round trips they took.
type talk struct {
	v         *view.View
	s         *view.PacketService // which was asked
	nesting   *recording.PacketNesting
	statement *recording.PacketStatement

	units, trips int64
	waited, took time.Duration // for answers; in all
}

// far adds the way to the client, which a capture at the server shows as a pause
// of the client.
func (x talk) far() talk {
	if _, client, ok := x.s.ConnectRTT(); ok {
		x.waited = min(x.waited+time.Duration(x.trips)*client, x.took)
	}
	return x
}

func (x *talk) each() time.Duration { return x.waited / time.Duration(max(x.trips, 1)) }

// unit is how long the answers of one piece of work were waited for.
func (x *talk) unit() time.Duration { return x.waited / time.Duration(max(x.units, 1)) }

func (x *talk) perUnit() float64 { return float64(x.trips) / float64(max(x.units, 1)) }

func (x *talk) look() bool {
	return x.units >= int64(minUnits.Value) && x.perUnit() >= manyTrips.Value && x.each() <= shortTrip.Duration() && x.unit() >= noticedWait.Duration() &&
		float64(x.waited) >= tripShare.Value*float64(x.took)
}

func (x *talk) confidence() rule.Confidence {
	switch {
	case x.unit() < feltWait.Duration():
		return rule.Possible
	case x.nesting != nil:
		return atMost(x.v, x.s, rule.Certain)
	}
	return rule.Likely // the work is told by the same statement, not seen
}

func (x *talk) finding() rule.Finding {
	// What one trip for each piece of work would not have waited for.
	lost := perSecond(x.v, x.waited-time.Duration(x.units)*x.each())
	f := rule.Finding{
		Confidence: x.confidence(),
		Impact:     rule.Impact{TimeLost: max(lost, 0.001), Text: rule.T("%s s of round trips per second", unit.Number(lost))},
		Affects:    []view.Entity{x.v.ServiceEntity(x.s)},
		Evidence:   x.evidence(), Fixes: x.fixes(),
	}
	if x.nesting != nil {
		caller := serviceAt(x.v, x.nesting.Host, x.nesting.Port)
		f.Subject = x.v.ServiceEntity(caller)
		f.Headline = rule.T("%s makes %s sequential calls to %s for each request: %s of %s are round trips", caller.Name(),
			unit.Number(x.perUnit()), x.s.Name(), unit.Duration(x.unit()), unit.Duration(x.took/time.Duration(x.units)))
		return f
	}
	f.Subject = view.Entity{Kind: view.KindStatement, Name: short(x.statement.Fingerprint), Port: x.s.Port, Detail: x.s.Name()}
	f.Headline = rule.T("clients of %s ask %s times in a row for what one request could fetch: %s of round trips each time, for %s", x.s.Name(),
		unit.Number(x.perUnit()), unit.Duration(x.unit()), short(x.statement.Fingerprint))
	return f
}

func (x *talk) evidence() []rule.Evidence {
	list := []rule.Evidence{{
		Metric: metric.RTRoundTrips, Value: x.perUnit(), Limit: rule.Limit(manyTrips.Value),
		What:  rule.T("%s sequential round trips in each of %s pieces of work, %s for each trip", unit.Number(x.perUnit()), unit.Count(x.units), unit.Duration(x.each())),
		Check: packets(x.v, x.s).With("--transactions"),
	}, {
		Metric: metric.RTRoundTripShare, Value: float64(x.waited) / float64(max(x.took, 1)), Limit: rule.Limit(tripShare.Value),
		What: rule.T("%s of %s were spent waiting for these answers, %s between them", unit.Duration(x.unit()), unit.Duration(x.took/time.Duration(max(x.units, 1))),
			unit.Duration((x.took-x.waited)/time.Duration(max(x.units, 1)))),
		Check: packets(x.v, x.s).With("--by statement"),
	}}
	if server, client, ok := x.s.ConnectRTT(); ok {
		list = append(list, rule.Evidence{
			Metric: metric.RTHandshake, Value: (server + client).Seconds(),
			What:  rule.T("the network takes %s of each trip, by the handshakes", unit.Duration(server+client)),
			Check: tshark(x.v, x.s, shell.Display("tcp.analysis.initial_rtt"), "tcp.stream", "tcp.analysis.initial_rtt"),
		})
	}
	if x.statement != nil {
		list = append(list, rule.Evidence{
			Metric: metric.RTLongestRun, Value: float64(x.statement.RunMost),
			What:  rule.T("%s, up to %s times in a row on one connection", short(x.statement.Fingerprint), unit.Count(x.statement.RunMost)),
			Check: packets(x.v, x.s).With("--by statement"),
		})
	}
	return list
}

func (x *talk) fixes() []rule.Fix {
	return []rule.Fix{{
		Text:     rule.T("fetch all of it at once: %s", protocol.Of(x.s.Proto).Batch),
		Tradeoff: "larger requests and answers; a very long list may change the plan",
	}, {
		Text:     rule.T("if it must be many requests, send them without waiting (pipelining), or move the client closer to the server"),
		Tradeoff: "errors have to be matched to requests afterwards",
	}}
}
