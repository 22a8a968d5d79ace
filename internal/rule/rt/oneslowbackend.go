package rt

import (
	"slices"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var oneSlowBackend = rule.Rule{
	ID:       "rt/one-slow-backend",
	Title:    "one backend is slower than the others",
	Plural:   "backends are slower than the others",
	Resource: "backends",
	Needs:    []recording.Table{recording.PacketCaptures, recording.PacketServices, recording.PacketConnections, recording.PacketStatements},
	Explains: []string{"rt/server-slow", "rt/worker-queueing"},
	Refutes:  []string{"response times"},
	Thresholds: []*rule.Threshold{&fewestPeers, &slowerThanPeers, &slowerBy, &alike, &sameShare, &alikeSize, &hotShare, &mostOfTheTime, &minRequests,
		&mostlyInferred, &missedShare, &fewSamples},
	Seen:   func(v *view.View) bool { return len(groups(v)) > 0 },
	Detect: detectOneSlowBackend,
}

var (
	fewestPeers = rule.Threshold{Name: "fewest-peers", Value: 2, Unit: "count", Source: rule.Judgement,
		Reason: "Other servers. With two servers, nobody knows which one is normal."}
	slowerThanPeers = rule.Threshold{Name: "slower-than-peers", Value: 3, Unit: "ratio", Source: rule.Judgement,
		Reason: "Ratio to the median of the others, for the same statements. Two generations of hardware differ by less than 2."}
	slowerBy = rule.Threshold{Name: "slower-by", Value: 0.001, Unit: "seconds", Source: rule.Judgement,
		Reason: "Smallest difference that counts; below it scheduling decides."}
	alike = rule.Threshold{Name: "alike", Value: 3, Unit: "ratio", Source: rule.Judgement,
		Reason: "Ratio of the slowest peer to their median. Above it there is no normal value to compare with."}
	sameShare = rule.Threshold{Name: "same-share", Value: 0.9, Unit: "share", Source: rule.Judgement,
		Reason: "Share of a server's requests that a peer on another port must share. Every web server is asked for / or /metrics."}
	alikeSize = rule.Threshold{Name: "alike-size", Value: 1.5, Unit: "ratio", Source: rule.Judgement,
		Reason: "Ratio of mean answer sizes of peers. Every web server is asked for / or /metrics, but the answers differ."}
	hotShare = rule.Threshold{Name: "hot-share", Value: 1.5, Unit: "ratio", Source: rule.Judgement,
		Reason: "Multiple of the mean number of requests. Above it a server is hot. A random distribution of some hundred keys over some ten servers stays below."}
)

// backend is one server of a group, and how long it takes for what its peers
// do too.
type backend struct {
	service *view.PacketService
	by      map[string]time.Duration // medians by statement
	counts  map[string]int64
	sizes   map[string]float64 // bytes of all answers
}

func detectOneSlowBackend(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, g := range groups(v) {
		if f, ok := g.judge(v); ok {
			found = append(found, f)
		}
	}
	return found, nil
}

// group is servers with one protocol that the same clients ask for the same.
type group []*backend

// groups are found by protocol, and by having a client in common. Strangers with
// one port are no peers; nor are those with another port, unless they are asked
// for the same and give answers of the same size, as all backends of a proxy do.
func groups(v *view.View) []group {
	var asked []*view.PacketService
	for _, s := range v.PacketServices() {
		if s.Count >= int64(minRequests.Value) {
			asked = append(asked, s)
		}
	}
	kinds, byKind := view.Group(asked, func(s *view.PacketService) string { return s.Proto })
	var list []group
	for _, k := range kinds {
		var left []*backend
		for _, s := range byKind[k] {
			left = append(left, newBackend(v, s))
		}
		for len(left) > 0 {
			first := left[0]
			var g group
			var others []*backend
			for _, b := range left {
				if b == first || first.peer(v, b) {
					g = append(g, b)
				} else {
					others = append(others, b)
				}
			}
			if len(g) > fewestPeers.Int() {
				list = append(list, g)
			}
			left = others
		}
	}
	return list
}

// peer says that two servers do the same work for the same clients.
func (b *backend) peer(v *view.View, o *backend) bool {
	if !shareClient(b.service, o.service) {
		return false
	}
	return b.service.Port == o.service.Port || b.sameWork(o) && o.sameWork(b) && !asks(v, b.service, o.service) && !asks(v, o.service, b.service)
}

// sameWork says that nearly all of what a server is asked for another one is asked
// for too, and that the answers of both have one size.
func (b *backend) sameWork(o *backend) bool {
	var same, all int64
	for statement, n := range b.counts {
		all += n
		if m := o.counts[statement]; m > 0 && within(b.sizes[statement]/float64(n), o.sizes[statement]/float64(m), alikeSize.Value) {
			same += n
		}
	}
	return all > 0 && float64(same) >= sameShare.Value*float64(all)
}

// within says that two sizes differ by no more than a factor, of which the first
// few bytes are left out.
func within(a, b, factor float64) bool {
	const few = 64
	return max(a, b)+few <= factor*(min(a, b)+few)
}

// asks says that one server asks another one while it answers: a proxy is no peer
// of its backends.
func asks(v *view.View, s, callee *view.PacketService) bool {
	return slices.ContainsFunc(v.PacketNestings(), func(n recording.PacketNesting) bool {
		return n.Host == s.Server && n.Port == int32(s.Port) && n.CalleePort == int32(callee.Port) && (n.Callee == callee.Server || n.Callee == "") && n.Calls > 0
	})
}

func shareClient(a, b *view.PacketService) bool {
	return slices.ContainsFunc(a.Connections, func(x *view.PacketConnection) bool {
		return slices.ContainsFunc(b.Connections, func(y *view.PacketConnection) bool { return x.Client == y.Client })
	})
}

func newBackend(v *view.View, s *view.PacketService) *backend {
	b := &backend{service: s, by: map[string]time.Duration{}, counts: map[string]int64{}, sizes: map[string]float64{}}
	for _, t := range v.PacketStatements() {
		if t.Server == s.Server && t.ServerPort == int32(s.Port) && t.Proto == s.Proto && t.Count > 0 {
			key := t.Command + " " + t.Fingerprint
			b.by[key], b.counts[key], b.sizes[key] = t.RTP50, t.Count, float64(t.ResponseBytes)
		}
	}
	return b
}

// usual is the median of the medians of the others for a statement; 0 if fewer
// than two of them have it.
func (g group) usual(statement string, but *backend) time.Duration {
	var times []time.Duration
	for _, b := range g {
		if d, ok := b.by[statement]; ok && b != but {
			times = append(times, d)
		}
	}
	if len(times) < fewestPeers.Int() {
		return 0
	}
	return at(times, 0.5)
}

// factor is how many times as long as its peers a server takes for the
// statements they share, and how long that is for a mean request; ok is false
// if what they share is not most of what it does.
func (g group) factor(b *backend) (times float64, excess time.Duration, ok bool) {
	var own, usual, shared, all float64
	for statement, n := range b.counts {
		all += float64(n)
		u := g.usual(statement, b)
		if u == 0 {
			continue
		}
		shared += float64(n)
		own += float64(n) * float64(b.by[statement])
		usual += float64(n) * float64(u)
	}
	if usual == 0 || shared < mostOfTheTime.Value*all {
		return 0, 0, false
	}
	return own / usual, time.Duration((own - usual) / shared), true
}

func (g group) judge(v *view.View) (rule.Finding, bool) {
	var slow *backend
	var times float64
	var excess time.Duration
	others := 0.0 // the slowest of the others
	for _, b := range g {
		f, e, ok := g.factor(b)
		if !ok {
			continue
		}
		if f > times {
			slow, times, excess, others = b, f, e, times
		} else {
			others = max(others, f)
		}
	}
	if slow == nil || times < slowerThanPeers.Value || excess < slowerBy.Duration() || others > alike.Value {
		return rule.Finding{}, false
	}
	s := slow.service
	sure := rule.Likely
	// With the ways alike it is the server; without knowing, it is "it or the
	// way to it", which is still the one that is slow.
	if w := toServer(v, s); w.known() && w.RTT < excess/5 {
		sure = rule.Certain
	}
	lost := perSecond(v, time.Duration(s.Count)*excess)
	f := rule.Finding{
		Subject: v.ServiceEntity(s), Confidence: atMost(v, s, sure),
		Headline: rule.T("%s is %s times slower than its %d peers", s.Name(), unit.Number(round(times)), len(g)-1),
		Impact:   rule.Impact{TimeLost: max(lost, 0.001), Text: rule.T("%s s more waited than at its peers, per second", unit.Number(lost))},
		Evidence: g.evidence(v, slow, excess),
		Fixes: []rule.Fix{{
			Text:     rule.T("take it out of rotation, or give it less weight, until the reason is known"),
			Tradeoff: "the others get its load",
		}, {
			Text:     rule.T("compare it with a healthy peer: configuration, version, hardware, neighbours, data; then per request: CPU, reads, plan"),
			Command:  shell.Line("vmstat 1; pidstat -u -d -w 1   # on it and on a peer"),
			Tradeoff: "none",
		}},
	}
	return f, true
}

func (g group) evidence(v *view.View, slow *backend, excess time.Duration) []rule.Evidence {
	s := slow.service
	var peers []time.Duration
	var requests int64
	for _, b := range g {
		requests += b.service.Count
		if b != slow {
			peers = append(peers, b.service.RTP50)
		}
	}
	mean := float64(requests) / float64(len(g))
	list := []rule.Evidence{{
		Metric: metric.RTBackend, Value: s.RTP50.Seconds(), Limit: rule.Limit(slowerThanPeers.Value * at(peers, 0.5).Seconds()),
		What: rule.T("median response time %s, at its peers %s (from %s to %s); for the same requests %s longer", unit.Duration(s.RTP50),
			unit.Duration(at(peers, 0.5)), unit.Duration(at(peers, 0)), unit.Duration(at(peers, 1)), unit.Duration(excess)),
		Check: packets(v, s).With("--by server"),
	}, {
		Metric: metric.RTBackendLoad, Value: float64(s.Count) / mean, Limit: rule.Limit(hotShare.Value),
		What:  rule.T("it got %s of %s requests, %s times the mean of %d servers: %s", unit.Count(s.Count), unit.Count(requests), unit.Number(round(float64(s.Count)/mean)), len(g), hot(float64(s.Count)/mean)),
		Check: packets(v, s).With("--by server"),
	}}
	if w := toServer(v, s); w.Samples > 0 {
		list = append(list, w.evidence(v, s, "it"))
	}
	return list
}

func hot(times float64) string {
	switch {
	case times >= hotShare.Value:
		return "it is hot: look at how keys are distributed"
	case times < 1/hotShare.Value:
		return "less than its share, because it answers late"
	}
	return "its load is not the reason"
}
