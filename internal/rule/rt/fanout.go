package rt

import (
	"fmt"
	"math"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var fanOut = rule.Rule{
	ID:       "rt/fan-out",
	Title:    "requests wait for the slowest of many calls",
	Plural:   "services wait for the slowest of many calls",
	Resource: "calls between services",
	Needs:    []recording.Table{recording.PacketCaptures, recording.PacketNestings, recording.PacketServices},
	// The caller is slow for that reason, and its callee is slow now and then.
	Explains: []string{"rt/server-slow", "rt/worker-queueing"},
	Thresholds: []*rule.Threshold{&manyCalls, &atOnce, &tailShare, &multiplied, &hitShare, &minHits, &formulaHits, &formulaWithin, &coveredShare,
		&mostlyInferred, &missedShare},
	Seen:   func(v *view.View) bool { return len(v.PacketNestings()) > 0 },
	Detect: detectFanOut,
}

var (
	manyCalls = rule.Threshold{Name: "many-calls", Value: 8, Unit: "count", Source: rule.Judgement,
		Reason: "Parallel calls per request. With fewer, a request seldom hits the tail."}
	atOnce = rule.Threshold{Name: "at-once", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of a request's calls that are in flight together. Sequential calls add up instead (rt/chatty)."}
	tailShare = rule.Threshold{Name: "tail-share", Value: 0.2, Unit: "share", Source: rule.Judgement,
		Reason: "Share of slow calls. Above it they are not a tail: the callee is slow."}
	multiplied = rule.Threshold{Name: "multiplied", Value: 3, Unit: "ratio", Source: rule.Judgement,
		Reason: "Ratio of slow requests to slow calls."}
	hitShare = rule.Threshold{Name: "hit-share", Value: 0.1, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the requests that are hit. From here on the callee's tail is normal for the caller."}
	minHits = rule.Threshold{Name: "min-hits", Value: 5, Unit: "count", Source: rule.Judgement,
		Reason: "Requests hit. Fewer may be one bad moment."}
	formulaHits = rule.Threshold{Name: "formula-hits", Value: 20, Unit: "count", Source: rule.Judgement,
		Reason: "Requests with a slow call. The formula needs this many."}
	formulaWithin = rule.Threshold{Name: "formula-within", Value: 0.3, Unit: "share", Source: rule.Judgement,
		Reason: "Deviation of the measured mean from the formula, which assumes independent calls that cost nothing to send."}
	coveredShare = rule.Threshold{Name: "covered-share", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of a request's time in which its calls are in flight."}
)

func detectFanOut(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, n := range v.PacketNestings() {
		if x := (fan{v: v, PacketNesting: n}); x.look() {
			found = append(found, x.finding())
		}
	}
	return found, nil
}

// fan is a service that asks many others at once for each request.
type fan struct {
	recording.PacketNesting
	v *view.View
}

// n is the number of calls per request.
func (x *fan) n() float64 { return float64(x.Calls) / float64(max(x.Requests, 1)) }

// p is the share of calls that are slow.
func (x *fan) p() float64 { return float64(x.Slow) / float64(max(x.Calls, 1)) }

// slow and usual are the mean times of a slow call and of the others.
func (x *fan) slow() time.Duration { return x.SlowSum / time.Duration(max(x.Slow, 1)) }
func (x *fan) usual() time.Duration {
	return max(x.CallSum-x.SlowSum, 0) / time.Duration(max(x.Calls-x.Slow, 1))
}

// hit is the share of requests with at least one slow call; expected what it
// would be if calls were slow independently of each other.
func (x *fan) hit() float64      { return float64(x.Struck) / float64(max(x.Requests, 1)) }
func (x *fan) expected() float64 { return 1 - math.Pow(1-x.p(), x.n()) }

// formula is the mean time a request has to wait for its calls:
// (1-(1-p)^n) J + (1-p)^n b.
func (x *fan) formula() time.Duration {
	q := x.expected()
	return time.Duration(q*float64(x.slow()) + (1-q)*float64(x.usual()))
}

// measured is the mean time requests did wait for them.
func (x *fan) measured() time.Duration { return x.Covered / time.Duration(max(x.Requests, 1)) }

func (x *fan) look() bool {
	return x.n() >= manyCalls.Value && float64(x.Most) >= atOnce.Value*x.n() &&
		x.Struck >= int64(minHits.Value) && x.hit() >= hitShare.Value && x.hit() >= multiplied.Value*x.p() && x.p() <= tailShare.Value &&
		float64(x.Covered) >= coveredShare.Value*float64(x.RTSum)
}

// fits says that the formula explains what was measured.
func (x *fan) fits() bool {
	return x.Struck >= int64(formulaHits.Value) && math.Abs(float64(x.formula()-x.measured())) <= formulaWithin.Value*float64(x.measured())
}

func (x *fan) caller() *view.PacketService { return serviceAt(x.v, x.Host, x.Port) }
func (x *fan) callee() string {
	if x.Callee == "" {
		return fmt.Sprintf("several servers on port %d", x.CalleePort)
	}
	return serviceAt(x.v, x.Callee, x.CalleePort).Name()
}

// serviceAt is the service on a port of an address; one without numbers if it
// is not in the recording.
func serviceAt(v *view.View, server string, port int32) *view.PacketService {
	if at := v.PacketServicesAt(server, uint16(port)); len(at) > 0 {
		return at[0]
	}
	return &view.PacketService{Server: server, Port: uint16(port)}
}

func (x *fan) finding() rule.Finding {
	caller := x.caller()
	sure := rule.Likely
	if x.fits() {
		sure = atMost(x.v, caller, rule.Certain)
	}
	lost := perSecond(x.v, time.Duration(x.Struck)*(x.slow()-x.usual()))
	f := rule.Finding{
		Subject: x.v.ServiceEntity(caller), Confidence: sure,
		Impact: rule.Impact{TimeLost: max(lost, 0.001), Text: rule.T("%s s waited for slow calls per second", unit.Number(lost))},
		Headline: rule.T("%s waits for the slowest of %s calls at once: %s of the calls are slow, and so are %s of its requests", caller.Name(),
			unit.Number(x.n()), unit.Share(x.p()), unit.Share(x.hit())),
		Evidence: x.evidence(), Fixes: x.fixes(),
	}
	if x.Callee != "" {
		f.Affects = []view.Entity{x.v.ServiceEntity(serviceAt(x.v, x.Callee, x.CalleePort))}
	}
	return f
}

func (x *fan) evidence() []rule.Evidence {
	caller := x.caller()
	callee := &view.PacketService{Server: x.Callee, Port: uint16(x.CalleePort)}
	return []rule.Evidence{{
		Metric: metric.RTFanOut, Value: x.n(), Limit: rule.Limit(manyCalls.Value),
		What:  rule.T("%s requests made %s calls to %s, up to %d at the same time", unit.Count(x.Requests), unit.Count(x.Calls), x.callee(), x.Most),
		Check: packets(x.v, caller).With("--transactions"),
	}, {
		Metric: metric.RTSlowCalls, Value: x.p(), Limit: rule.Limit(tailShare.Value),
		What: rule.T("%s of the calls took %s, the others %s (p50 %s, p99 %s)", unit.Share(x.p()), unit.Duration(x.slow()), unit.Duration(x.usual()),
			unit.Duration(x.CallP50), unit.Duration(x.CallP99)),
		Check: packets(x.v, callee).With("--histogram"),
	}, {
		Metric: metric.RTAffectedRequests, Value: x.hit(),
		What:  rule.T("%s of the requests had a slow call; expected for independent calls: %s", unit.Share(x.hit()), unit.Share(x.expected())),
		Check: packets(x.v, caller).With("--histogram"),
	}, {
		Metric: metric.RTFanOutFormula, Value: x.measured().Seconds(),
		What: rule.T("requests waited %s for their calls on average; expected: %s, and %s without slow calls", unit.Duration(x.measured()),
			unit.Duration(x.formula()), unit.Duration(x.usual())),
		Check: packets(x.v, caller).With("--by server"),
	}}
}

func (x *fan) fixes() []rule.Fix {
	return []rule.Fix{{
		Text:     rule.T("cut the tail of the callee, not its mean: find out what its slow answers wait for (locks, garbage collection, one bad backend)"),
		Command:  packets(x.v, &view.PacketService{Server: x.Callee, Port: uint16(x.CalleePort)}).With("--slowest 20"),
		Tradeoff: "none",
	}, {
		Text:     rule.T("make fewer calls per request: fetch many items in one call, cache, or keep related data in one place"),
		Tradeoff: "larger calls, and caches that may be stale",
	}, {
		Text:     rule.T("send a second call when an answer takes longer than p99, and use the first answer (hedged requests); or answer without the late part"),
		Tradeoff: "1 % more calls; only for calls that change nothing",
	}}
}
