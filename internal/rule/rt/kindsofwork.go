package rt

import (
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/packet/summary"
	"rtrail/internal/recording"
	"rtrail/internal/unit"
	"rtrail/internal/view"

	"rtrail/internal/rule"
)

// sides says on which sides of a time the answers to the statements of a service
// lie. Histograms are kept of services only; percentiles of a statement tell
// whether a tenth of its answers and more lies below a time, and a twentieth
// above.
type sides struct {
	both *recording.PacketStatement // the one that took most time of those that lie on both; nil: none
	// spread requests are of such statements. Those of low and high are of
	// statements that were asked too rarely to tell, or that are not told apart: they
	// may be of one kind that lies on both sides.
	spread, low, high int64
	over              time.Duration // what statements on both sides took beyond their fast answers
}

// sidesOf sorts the statements of a service by a time.
func sidesOf(v *view.View, s *view.PacketService, at time.Duration) sides {
	var x sides
	known := int64(0)
	for _, t := range v.PacketStatements() {
		if t.Server != s.Server || t.ServerPort != int32(s.Port) || t.Proto != s.Proto || t.Count == 0 {
			continue
		}
		known += t.Count
		told := t.Count >= int64(minRequests.Value) && t.Fingerprint != "" && t.Fingerprint != summary.Others
		below, above := t.RTP10 < at, t.RTP95 > at
		switch {
		case told && below && above:
			if x.both == nil {
				x.both = &t
			}
			x.spread += t.Count
			x.over += max(t.RTSum-time.Duration(t.Count)*t.RTP10, 0)
		case !told:
			if below {
				x.low += t.Count
			}
			if above {
				x.high += t.Count
			}
		}
	}
	untold := max(s.Count-known, 0)
	x.low += untold
	x.high += untold
	return x
}

// same says that a statement lies on both sides, and that this is no matter of a
// few requests of many.
func (x *sides) same(s *view.PacketService) bool {
	return x.both != nil && float64(x.spread) >= humpShare.Value*float64(s.Count)
}

// differ says that the sides are those of different statements: two kinds of
// work, of which each takes its time.
func (x *sides) differ(s *view.PacketService) bool {
	least := humpShare.Value * float64(s.Count)
	return !x.same(s) && (float64(x.low) < least || float64(x.high) < least)
}

// evidence shows that one statement takes both times.
func (x *sides) evidence(v *view.View, s *view.PacketService) rule.Evidence {
	t := x.both
	return rule.Evidence{
		Metric: metric.RTStatement, Value: float64(t.RTSum) / float64(s.RTSum),
		What: rule.T("different statements are not the reason: %s requests of %s took p10 %s, p50 %s, p95 %s",
			unit.Count(t.Count), short(t.Fingerprint), unit.Duration(t.RTP10), unit.Duration(t.RTP50), unit.Duration(t.RTP95)),
		Check: packets(v, s).With("--by statement"),
	}
}
