package rt

import (
	"slices"
	"time"

	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/view"
)

var (
	mostlyInferred = rule.Threshold{Name: "mostly-inferred", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of requests with inferred, not decoded boundaries. From here on a finding from their times is at most likely."}
	missedShare = rule.Threshold{Name: "missed-share", Value: 0.01, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the bytes that were acknowledged but not captured. Above it times may belong to other requests."}
)

// atMost lowers a confidence where the evidence has holes.
func atMost(v *view.View, s *view.PacketService, c rule.Confidence) rule.Confidence {
	if float64(s.Approximate) > mostlyInferred.Value*float64(s.Count) {
		c = min(c, rule.Likely)
	}
	for _, p := range v.PacketCaptures() {
		if float64(p.Missed) > missedShare.Value*float64(p.Bytes) {
			c = min(c, rule.Likely)
		}
	}
	return c
}

// perSecond is a sum of waits as seconds waited per second of the window.
func perSecond(v *view.View, d time.Duration) float64 { return v.PerSecond(d) }

// tshark is a command that shows fields of the packets of a service that a
// display filter keeps. The zero filter stands for all packets of the service.
func tshark(v *view.View, s *view.PacketService, filter shell.Filter, fields ...string) shell.Command {
	where := shell.Display("%s && tcp.port == %d", view.IPFilter("addr", s.Server), s.Port)
	if !filter.Empty() {
		where = shell.Display("%s && %s", where, filter)
	}
	return v.PacketSource().Tshark(where, fields...)
}

// programOf is the program that serves it; "": a capture alone does not tell.
func programOf(v *view.View, s *view.PacketService) string {
	if l, ok := v.ServedBy(s.Server, s.Port); ok && len(l.Owners) > 0 {
		return l.Name()
	}
	return ""
}

// packets is the verb that prints all response times of a service.
func packets(v *view.View, s *view.PacketService) shell.Command {
	return v.PacketSource().Packets(s.Port)
}

// answered says whether a service gave at least so many answers whose times count.
func answered(v *view.View, n int64) bool {
	return slices.ContainsFunc(v.PacketServices(), func(s *view.PacketService) bool { return s.Count >= n })
}
