package rt

import (
	_ "embed"
	"slices"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

//go:embed oneslowbackend.md
var oneSlowBackendPage string

var oneSlowBackend = rule.Rule{
	ID:       "rt/one-slow-backend",
	Title:    "one of several servers of the same kind is slower than the others",
	Resource: "backends",
	Needs:    []recording.Table{recording.PacketCaptures, recording.PacketServices, recording.PacketConnections, recording.PacketStatements},
	Explains: []string{"rt/server-slow", "rt/two-humps"},
	Refutes:  []string{"response times"},
	Page:     oneSlowBackendPage,
	Seen:     func(v *view.View) bool { return len(groups(v)) > 0 },
	Detect:   detectOneSlowBackend,
}

const (
	// fewestPeers besides one: of two servers nobody can say which is normal.
	fewestPeers = 2
	// slowerThanPeers: the same statements take three times as long as at the
	// median of the others. Hardware of two generations differs by less than two.
	slowerThanPeers = 3
	// slowerBy is the least difference that counts; below it scheduling decides.
	slowerBy = time.Millisecond
	// alike: the others are alike if the slowest of them is within this factor of
	// their median; else there is no normal to differ from.
	alike = 3
	// hotShare: a server that gets so many times the mean of requests is hot.
	// Random spread of some hundred keys over some ten servers stays below.
	hotShare = 1.5
)

// backend is one server of a group, and how long it takes for what its peers
// do too.
type backend struct {
	service *view.PacketService
	by      map[string]time.Duration // medians by statement
	counts  map[string]int64
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

// group is servers with one protocol and port that the same clients ask.
type group []*backend

// groups are found by protocol and port, and by having a client in common:
// strangers with one port are no peers.
func groups(v *view.View) []group {
	type kind struct {
		port  uint16
		proto string
	}
	var asked []*view.PacketService
	for _, s := range v.PacketServices() {
		if s.Count >= someRequests {
			asked = append(asked, s)
		}
	}
	kinds, byKind := view.Group(asked, func(s *view.PacketService) kind { return kind{s.Port, s.Proto} })
	var list []group
	for _, k := range kinds {
		left := byKind[k]
		for len(left) > 0 {
			first := left[0]
			var g group
			var others []*view.PacketService
			for _, s := range left {
				if s == first || shareClient(first, s) {
					g = append(g, newBackend(v, s))
				} else {
					others = append(others, s)
				}
			}
			if len(g) > fewestPeers {
				list = append(list, g)
			}
			left = others
		}
	}
	return list
}

func shareClient(a, b *view.PacketService) bool {
	return slices.ContainsFunc(a.Connections, func(x *view.PacketConnection) bool {
		return slices.ContainsFunc(b.Connections, func(y *view.PacketConnection) bool { return x.Client == y.Client })
	})
}

func newBackend(v *view.View, s *view.PacketService) *backend {
	b := &backend{service: s, by: map[string]time.Duration{}, counts: map[string]int64{}}
	for _, t := range v.PacketStatements() {
		if t.Server == s.Server && t.ServerPort == int32(s.Port) && t.Proto == s.Proto && t.Count > 0 {
			key := t.Command + " " + t.Fingerprint
			b.by[key], b.counts[key] = t.RTP50, t.Count
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
	if len(times) < fewestPeers {
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
	if usual == 0 || shared < mostOfTheTime*all {
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
	if slow == nil || times < slowerThanPeers || excess < slowerBy || others > alike {
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
		Subject: serviceSubject(v, s), Confidence: atMost(v, s, sure),
		Headline: rule.T("%s is %s times slower than its %d peers", s.Name(), unit.Number(round(times)), len(g)-1),
		Impact:   rule.Impact{TimeLost: max(lost, 0.001), Text: rule.T("%s s longer waited than at its peers, per second", unit.Number(lost))},
		Evidence: g.evidence(v, slow, excess),
		Fixes: []rule.Fix{{
			Text:     rule.T("take it out of rotation, or give it less weight, until it is known what it lacks"),
			Tradeoff: "the others get its load",
		}, {
			Text:     rule.T("compare it with a healthy twin: configuration, version, hardware, neighbours, data; then per request: CPU, reads, plan"),
			Command:  shell.Line("vmstat 1; pidstat -u -d -w 1   # on it and on a twin"),
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
		Metric: "rt.backend", Value: s.RTP50.Seconds(), Unit: "seconds", Limit: rule.Limit(slowerThanPeers * at(peers, 0.5).Seconds()),
		What: rule.T("median response time %s, at its peers %s (from %s to %s); for the same requests %s longer", unit.Duration(s.RTP50),
			unit.Duration(at(peers, 0.5)), unit.Duration(at(peers, 0)), unit.Duration(at(peers, 1)), unit.Duration(excess)),
		Check: packets(v, s).With("--by server"),
	}, {
		Metric: "rt.backend-load", Value: float64(s.Count) / mean, Unit: "times the mean", Limit: rule.Limit(hotShare),
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
	case times >= hotShare:
		return "it is hot, look at how keys are spread"
	case times < 1/hotShare:
		return "less than its share, as it answers late"
	}
	return "its load is not why"
}
