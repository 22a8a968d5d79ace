package rt

import (
	"fmt"
	"math"
	"strings"
	"time"

	"rtrail/internal/metric"
	rtmodes "rtrail/internal/packet/rt"
	"rtrail/internal/protocol"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var workerQueueing = rule.Rule{
	ID:       "rt/worker-queueing",
	Formerly: []string{"rt/two-humps"},
	Title:    "response times come in steps: jobs queue for too few workers",
	Plural:   "servers have too few workers for their jobs",
	Resource: "worker pools",
	Needs:    []recording.Table{recording.PacketCaptures, recording.PacketServices, recording.PacketHistograms},
	Explains: []string{"rt/server-slow"},
	Refutes:  []string{"response times"},
	Thresholds: []*rule.Threshold{&leastStep, &tooth, &onTeeth, &gapShare, &toothShare, &apart, &humpShare, &hollow, &worthWaiting,
		&mostOfTheTime, &minRequests},
	Seen:   func(v *view.View) bool { return answered(v, 2*int64(minRequests.Value)) },
	Detect: detectWorkerQueueing,
}

// farthest multiple that is looked at: buckets of recordings by older versions
// are six percent wide, and beyond the fifth multiple wider than a tooth.
const farthest = 5

var (
	leastStep = rule.Threshold{Name: "least-step", Value: 0.002, Unit: "seconds", Source: rule.Judgement,
		Reason: "Step between the peaks. Shorter steps are hidden by scheduling and interrupts, which have their own steps (a tick is 1 to 10 ms)."}
	tooth = rule.Threshold{Name: "tooth", Value: 0.2, Unit: "steps", Source: rule.Judgement,
		Reason: "Distance from a multiple of the step, in steps. A response time within it belongs to that multiple. These bands cover less than half of the axis, so they hold less than half of a smooth distribution."}
	onTeeth = rule.Threshold{Name: "on-teeth", Value: 0.9, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the times above half a step that are at multiples. A smooth distribution has 0.4."}
	gapShare = rule.Threshold{Name: "gap-share", Value: 0.2, Unit: "share", Source: rule.Judgement,
		Reason: "Two peaks are separate if no response times are within a fifth above the first one."}
	toothShare = rule.Threshold{Name: "tooth-share", Value: 0.05, Unit: "share", Source: rule.Judgement,
		Reason: "Share of all requests in a peak that counts."}
	apart = rule.Threshold{Name: "apart", Value: 3, Unit: "ratio", Source: rule.Judgement,
		Reason: "Ratio of two peaks that are not multiples. From 3 on it is worth a hint."}
	humpShare = rule.Threshold{Name: "hump-share", Value: 0.1, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the requests in each of two peaks."}
	hollow = rule.Threshold{Name: "hollow", Value: 0.02, Unit: "share", Source: rule.Judgement,
		Reason: "Requests between two peaks, as a share of the lower peak."}
)

func detectWorkerQueueing(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, s := range v.PacketServices() {
		if s.Count < 2*int64(minRequests.Value) {
			continue
		}
		if c, ok := combOf(v, s); ok {
			found = append(found, c.finding(v, s))
		} else if f, ok := hollowGap(v, s); ok {
			found = append(found, f)
		}
	}
	return found, nil
}

// comb is a distribution of response times at multiples of one time.
type comb struct {
	step  time.Duration
	teeth [farthest + 1]uint64 // requests near each multiple, from the first on
	all   uint64
	on    float64 // share of the times that lie on teeth
}

// combOf looks for response times at multiples of the fastest hump.
func combOf(v *view.View, s *view.PacketService) (comb, bool) {
	c := comb{step: firstHump(s)}
	for _, t := range v.PacketStatements() {
		// Percentiles of statements are kept more exactly than buckets.
		if t.Server == s.Server && t.ServerPort == int32(s.Port) && math.Abs(float64(t.RTP10-c.step)) < 0.05*float64(c.step) {
			c.step = t.RTP10
			break
		}
	}
	if c.step < leastStep.Duration() {
		return c, false
	}
	var on, beyond uint64
	for _, b := range s.Histogram {
		at := float64(b.From+(b.To-b.From)/2) / float64(c.step)
		c.all += b.Count
		k := math.Round(at)
		switch {
		case at < 0.5 || k > farthest:
			if at >= 0.5 {
				beyond += b.Count
			}
			continue
		case math.Abs(at-k) <= tooth.Value:
			on += b.Count
			c.teeth[int(k)] += b.Count
		}
	}
	slow := uint64(0)
	for _, b := range s.Histogram {
		if float64(b.From+(b.To-b.From)/2) >= 0.5*float64(c.step) {
			slow += b.Count
		}
	}
	if slow <= beyond {
		return c, false
	}
	c.on = float64(on) / float64(slow-beyond)
	return c, c.on >= onTeeth.Value && float64(beyond) < mostOfTheTime.Value*float64(slow) && c.count() >= 3 && c.teeth[1] > 0 && c.teeth[2] > 0 && sameWork(v, s, c)
}

// firstHump is the mean of the fastest hump of the response times that holds
// enough of them; jobs that fail or are answered at once may be faster still.
// A hump ends where a gap of gapShare follows it: a hundred requests are too few
// for the humps of a smoothed distribution, and enough for this.
func firstHump(s *view.PacketService) time.Duration {
	var sum, n float64
	var last time.Duration
	for _, b := range s.Histogram {
		if n > 0 && float64(b.From) > (1+gapShare.Value)*float64(last) {
			if n >= toothShare.Value*float64(s.Count) {
				break
			}
			sum, n = 0, 0
		}
		sum += float64(b.From+(b.To-b.From)/2) * float64(b.Count)
		n += float64(b.Count)
		last = b.To
	}
	if n < toothShare.Value*float64(s.Count) {
		return 0
	}
	return time.Duration(sum / n)
}

// count is the number of teeth that hold enough.
func (c comb) count() int {
	n := 0
	for _, t := range c.teeth[1:] {
		if float64(t) >= toothShare.Value*float64(c.all) {
			n++
		}
	}
	return n
}

// sameWork says that the steps are not those of different statements: one that
// takes most of the time is itself seen on several of them.
func sameWork(v *view.View, s *view.PacketService, c comb) bool {
	if c.all == 0 || float64(s.RTP95) < 1.5*float64(c.step) {
		return false
	}
	for k := 1; k < farthest; k++ {
		if x := sidesOf(v, s, time.Duration(float64(c.step)*(float64(k)+0.5))); !x.differ(s) {
			return true
		}
	}
	return false
}

// workers is how many jobs were worked on at a time: as many as are done in a
// second, times the seconds each takes.
func (c comb) workers(s *view.PacketService) float64 {
	if len(s.Seconds) == 0 {
		return 0
	}
	most := int64(0)
	for _, r := range s.Seconds {
		most = max(most, r.Count)
	}
	return float64(most) * c.step.Seconds()
}

func (c comb) finding(v *view.View, s *view.PacketService) rule.Finding {
	waited := s.RTSum - time.Duration(s.Count)*c.step
	lost := perSecond(v, max(waited, 0))
	f := rule.Finding{
		Subject: v.ServiceEntity(s), Confidence: rule.Likely,
		Headline: rule.T("%s has too few workers: jobs of %s queue, so answers take %s", s.Name(), unit.Duration(c.step), c.list()),
		Impact:   rule.Impact{TimeLost: max(lost, 0.001), Text: rule.T("%s s waited in the queue per second", unit.Number(lost))},
	}
	f.Evidence = []rule.Evidence{{
		Metric: metric.RTModes, Value: float64(c.count()),
		What:  rule.T("%s of %s response times are at multiples of %s: %s", unit.Share(c.on), unit.Count(c.all), unit.Duration(c.step), c.shares()),
		Check: packets(v, s).With("--histogram"),
	}, {
		Metric: metric.RTWorkers, Value: c.workers(s),
		What:  rule.T("in the busiest second jobs of %s kept %s workers busy; on average %s requests were in flight", unit.Duration(c.step), unit.Number(round(c.workers(s))), unit.Number(round(perSecond(v, s.RTSum)))),
		Check: packets(v, s).With("--by second"),
	}}
	f.Fixes = []rule.Fix{{
		Text:     rule.T("give it as many workers as jobs arrive at the same time; a pool needs requests per second times their duration"),
		Command:  protocol.Of(s.Proto).Pool,
		Tradeoff: "workers that wait cost memory; workers that compute need a core each",
	}, {
		Text:     rule.T("or send fewer at a time: spread bursts, fan out less"),
		Tradeoff: "the caller waits instead",
	}}
	return f
}

func round(v float64) float64 { return math.Round(v*10) / 10 }

// list is "50 ms, 100 ms or 150 ms".
func (c comb) list() string {
	var words []string
	for k, n := range c.teeth {
		if k > 0 && float64(n) >= toothShare.Value*float64(c.all) {
			words = append(words, unit.Duration(time.Duration(k)*c.step).String())
		}
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func (c comb) shares() string {
	var words []string
	for k, n := range c.teeth {
		if k > 0 && n > 0 {
			words = append(words, fmt.Sprintf("%s at %d ×", unit.Share(float64(n)/float64(c.all)), k))
		}
	}
	return strings.Join(words, ", ")
}

// hollowGap is two humps that are no multiples of each other: a hint, for a
// cache that hits or misses looks the same. If each is that of other statements,
// there is nothing to ask.
func hollowGap(v *view.View, s *view.PacketService) (rule.Finding, bool) {
	modes := s.Modes()
	for i := 1; i < len(modes); i++ {
		a, b := modes[i-1], modes[i]
		if a.Share < humpShare.Value || b.Share < humpShare.Value || b.At < worthWaiting.Duration() || float64(b.At) < apart.Value*float64(a.At) || !hollowBetween(s, a, b) {
			continue
		}
		x := sidesOf(v, s, time.Duration(math.Sqrt(float64(a.At)*float64(b.At))))
		if x.differ(s) {
			continue
		}
		waited := time.Duration(b.Count) * (b.At - a.At)
		of, tells := s.Name(), "statements, parameters, connections, a cache that misses, a limit that is reached"
		if x.same(s) {
			waited = min(waited, x.over)
			of, tells = s.Name()+" to "+short(x.both.Fingerprint), "parameters, connections, a cache that misses, a limit that is reached"
		}
		lost := perSecond(v, waited)
		f := rule.Finding{
			Subject: v.ServiceEntity(s), Confidence: rule.Possible,
			Headline: rule.T("answers of %s take %s or %s, and almost never a time in between", of, unit.Duration(a.At), unit.Duration(b.At)),
			Impact:   rule.Impact{TimeLost: max(lost, 0.001), Text: rule.T("%s of requests take the longer time", unit.Share(b.Share))},
			Evidence: []rule.Evidence{{
				Metric: metric.RTModes, Value: float64(len(modes)),
				What:  rule.T("%s requests around %s, %s around %s, almost none between", unit.Count(a.Count), unit.Duration(a.At), unit.Count(b.Count), unit.Duration(b.At)),
				Check: packets(v, s).With("--histogram"),
			}},
			Fixes: []rule.Fix{{
				Text:     rule.T("find out how the two differ: %s", tells),
				Command:  packets(v, s).With("--by statement"),
				Tradeoff: "none",
			}},
		}
		if x.same(s) {
			f.Evidence = append(f.Evidence, x.evidence(v, s))
		}
		return f, true
	}
	return rule.Finding{}, false
}

// hollowBetween says that next to nothing lies in the middle half of the gap.
func hollowBetween(s *view.PacketService, a, b rtmodes.Mode) bool {
	la, lb := math.Log(float64(a.At)), math.Log(float64(b.At))
	from, to := time.Duration(math.Exp(la+(lb-la)/4)), time.Duration(math.Exp(lb-(lb-la)/4))
	between := uint64(0)
	for _, x := range s.Histogram {
		if x.From >= from && x.To <= to {
			between += x.Count
		}
	}
	return float64(between) <= hollow.Value*float64(min(a.Count, b.Count))
}
