package rt

import (
	"fmt"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// hops is where the time of a service went, from captures on both sides.
type hops struct{ recording.PacketPair }

// There is the way of requests, repeats included.
func (h *hops) There() time.Duration { return h.ResentThere + h.PathThere }

// Back is the way of answers, repeats included.
func (h *hops) Back() time.Duration { return h.ResentBack + h.PathBack }

// Path is the way there and back.
func (h *hops) Path() time.Duration { return h.There() + h.Back() }

// Total is what clients waited for the first packet of an answer.
func (h *hops) Total() time.Duration { return h.Path() + h.Serve }

// each is the mean of a sum.
func (h *hops) each(sum time.Duration) time.Duration { return sum / time.Duration(h.Count) }

// hopsOf is nil without captures on both sides that saw the same requests.
func hopsOf(v *view.View, s *view.PacketService) *hops {
	for _, p := range view.Rows[recording.PacketPair](v) {
		if p.Server == s.Server && p.ServerPort == int32(s.Port) && p.Proto == s.Proto && p.Count >= int64(minRequests.Value) {
			return &hops{p}
		}
	}
	return nil
}

func (h *hops) evidence(v *view.View, s *view.PacketService) []rule.Evidence {
	each := func(d time.Duration) unit.Duration { return unit.Duration(h.each(d)) }
	return []rule.Evidence{{
		Metric: metric.RTHops, Value: h.Serve.Seconds() / max(h.Total().Seconds(), 1e-9),
		What: rule.T("mean of %s requests seen on both sides: %s at the server, %s on the way to it, %s on the way back; the client took %s before its next request",
			unit.Count(h.Count), each(h.Serve), each(h.There()), each(h.Back()), each(h.Idle)),
		Check: bothSides(v, s),
	}}
}

// bothSides is the verb that splits the time of a service between two captures:
// either of them alone has no more than its sum.
func bothSides(v *view.View, s *view.PacketService) shell.Command {
	return shell.Line("rtrail packets %s -p %d", v.PairFlags(), s.Port)
}

// evidence shows the round trips to one end.
func (w way) evidence(v *view.View, s *view.PacketService, end string) rule.Evidence {
	what, trip, filter := fmt.Sprintf("handshakes with %s", end), "tcp.analysis.initial_rtt", shell.Display("tcp.analysis.initial_rtt")
	if w.Means { // most connections may have begun before the capture
		what, trip, filter = fmt.Sprintf("acknowledgements of %s", end), "tcp.analysis.ack_rtt", shell.Display("tcp.analysis.ack_rtt && tcp.len == 0")
	}
	if w.Worst {
		what += ", on the connections with the longest waits,"
	}
	return rule.Evidence{
		Metric: metric.RTWay, Value: w.RTT.Seconds(),
		What:  rule.T("%s came back within %s (p10 %s, p90 %s, %s samples)", what, unit.Duration(w.RTT), unit.Duration(w.Fast), unit.Duration(w.Slow), unit.Count(w.Samples)),
		Check: tshark(v, s, filter, "tcp.stream", trip),
	}
}
