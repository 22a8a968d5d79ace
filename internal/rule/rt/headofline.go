package rt

import (
	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var headOfLine = rule.Rule{
	ID:       "rt/head-of-line",
	Title:    "one kind of request blocks all others (head-of-line blocking)",
	Plural:   "services let one kind of request block all others (head-of-line blocking)",
	Resource: "response times",
	Needs:    []recording.Table{recording.PacketCaptures, recording.PacketServices, recording.PacketStalls},
	Explains: []string{"rt/server-slow", "rt/worker-queueing", "rt/slow-connections"},
	Thresholds: []*rule.Threshold{&answeredMeanwhile, &minSlow, &minTime, &minSeconds, &mostOfTheTime, &minRequests, &pathIsSmall, &mostlyInferred,
		&missedShare, &fewSamples},
	Seen:   func(v *view.View) bool { return answered(v, int64(minRequests.Value)) },
	Detect: detectHeadOfLine,
}

var answeredMeanwhile = rule.Threshold{Name: "answered-meanwhile", Value: 0.1, Unit: "share", Source: rule.Judgement,
	Reason: "Share of the executions of a request during which other requests are answered. Above it the request does not block the server."}

// holder is one kind of request during which all others of a service wait.
type holder struct {
	v   *view.View
	s   *view.PacketService
	row recording.PacketStall // that end with its answers
	all recording.PacketStall // of the service
	way way
}

func detectHeadOfLine(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, s := range v.PacketServices() {
		all, ok := stallsOf(v, s)
		if !ok {
			continue
		}
		for _, row := range v.PacketStalls() {
			h := holder{v: v, s: s, row: row, all: all, way: toServer(v, s)}
			if sameService(s, &row) && !whole(&row) && h.holds() {
				found = append(found, h.finding())
			}
		}
	}
	return found, nil
}

// stallsOf are all times in which a service answered no request.
func stallsOf(v *view.View, s *view.PacketService) (recording.PacketStall, bool) {
	for _, row := range v.PacketStalls() {
		if sameService(s, &row) && whole(&row) {
			return row, true
		}
	}
	return recording.PacketStall{}, false
}

func sameService(s *view.PacketService, row *recording.PacketStall) bool {
	return row.Server == s.Server && row.ServerPort == int32(s.Port) && row.Proto == s.Proto
}

// whole says that a row is the sum for its service.
func whole(row *recording.PacketStall) bool { return row.Command == "" && row.Fingerprint == "" }

// matters says that requests waited again and again, and long enough in all.
func matters(v *view.View, s *view.PacketService, row *recording.PacketStall) bool {
	return row.Count >= int64(minSlow.Value) && row.Seconds >= int64(min(minSeconds.Int(), (len(s.Seconds)+1)/2)) && perSecond(v, row.Waited) >= minTime.Value
}

// holds says that it is this kind of request that the others wait for: most of the
// time without answers ends with its answers, and hardly ever was anybody answered
// while it was worked on.
func (h *holder) holds() bool {
	r := &h.row
	return matters(h.v, h.s, r) && float64(r.Lasted) >= mostOfTheTime.Value*float64(h.all.Lasted) &&
		float64(r.Answered) <= answeredMeanwhile.Value*float64(r.Executions)
}

// what names the request.
func (h *holder) what() string {
	if h.row.Fingerprint != "" {
		return short(h.row.Fingerprint)
	}
	return h.row.Command
}

func (h *holder) finding() rule.Finding {
	r, s := &h.row, h.s
	sure := rule.Likely
	if h.way.known() && float64(h.way.Slow) <= pathIsSmall.Value*float64(r.P50) {
		sure = rule.Certain
	}
	lost := perSecond(h.v, r.Waited)
	return rule.Finding{
		Subject: h.v.ServiceEntity(s), Confidence: atMost(h.v, s, sure),
		Headline: rule.T("%s blocks all other requests while it works on %s: they wait for %s, %s times", s.Name(), h.what(), unit.Duration(r.P50), unit.Count(r.Count)),
		Impact:   rule.Impact{TimeLost: max(lost, 0.001), Text: rule.T("%s s waited behind it per second", unit.Number(lost))},
		Evidence: h.evidence(),
		Fixes:    h.fixes(),
	}
}

func (h *holder) evidence() []rule.Evidence {
	r, s, v := &h.row, h.s, h.v
	waiting := r.Waiting
	if waiting == "" {
		waiting = "what waited"
	}
	list := []rule.Evidence{{
		Metric: metric.RTStalls, Value: float64(r.Count), Limit: rule.Limit(minSlow.Value),
		What: rule.T("%s times no request was answered (%s in total) until %s was; %s requests on up to %s connections waited", unit.Count(r.Count),
			unit.Duration(r.Lasted), h.what(), unit.Count(r.Waiters), unit.Count(r.Connections)),
		Check: packets(v, s).With("--slowest 20"),
	}, {
		Metric: metric.RTHeldUp, Value: r.Usual.Seconds(),
		What:  rule.T("%s waited most often, and can take %s", short(waiting), unit.Duration(r.Usual)),
		Check: packets(v, s).With("--by statement"),
	}, {
		Metric: metric.RTStalls, Value: float64(r.Answered),
		What:  rule.T("of %s times that it took 5 ms or more, another connection was answered in the last 5 ms of %s", unit.Count(r.Executions), unit.Count(r.Answered)),
		Check: packets(v, s).With("--transactions"),
	}}
	if h.way.Samples > 0 {
		list = append(list, h.way.evidence(v, s, "the server"))
	}
	return list
}

func (h *holder) fixes() []rule.Fix {
	fixes := []rule.Fix{{
		Text:     rule.T("find the client that sends it and make it short: less work per call, smaller pieces so that others get their turn, or remove it"),
		Command:  packets(h.v, h.s).With("--by client"),
		Tradeoff: "a change of the program; work done in pieces is no longer atomic",
	}, {
		Text:     rule.T("send it to another server, for example a replica"),
		Tradeoff: "memory for the replica; its data is a little older",
	}}
	if h.s.Proto == "redis" {
		fixes = append(fixes, rule.Fix{
			Text:     rule.T("see which commands took long in Redis itself: KEYS, SMEMBERS, SORT, long LRANGE, scripts; SCAN, SSCAN and similar do the same in pieces"),
			Command:  shell.Line("redis-cli slowlog get 20; redis-cli info commandstats"),
			Tradeoff: "none",
		})
	}
	return fixes
}
