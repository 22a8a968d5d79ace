package net

import (
	"slices"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/packet/proto"
	"rtrail/internal/protocol"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// quiet is how long connections had been idle when they were closed, where it
// is known, the shortest first.
func (b *broken) quiet(v *view.View) []time.Duration {
	closed := map[int64]time.Time{}
	for _, c := range b.conns {
		closed[c.ID] = c.ClosedAt
	}
	var list []time.Duration
	for _, t := range v.PacketTransactions() {
		at, ok := closed[t.Connection]
		if !ok || t.Status != proto.Unanswered.String() || t.Idle < 0 {
			continue
		}
		delete(closed, t.Connection) // requests after the first one add nothing
		if d := t.Idle - t.At.Sub(at); d > 0 {
			list = append(list, d)
		}
	}
	slices.Sort(list)
	return list
}

// alike says that connections were idle for about the same time, as they are
// when a limit ends them; a restart ends them whenever it comes.
func alike(times []time.Duration) bool {
	return len(times) >= minResets.Int() && times[len(times)-1] <= 2*times[0]
}

// closedIdle words that requests crossed the FIN of a server.
func (b *broken) closedIdle(v *view.View, f rule.Finding, first *view.PacketConnection) rule.Finding {
	where := shell.Display("%s && tcp.port == %d && (tcp.flags.fin == 1 || tcp.flags.reset == 1)", pktHost("addr", b.s.Server), b.s.Port)
	check := tshark(v, where, "ip.src", "tcp.stream", "frame.number", "tcp.flags.str")
	f.Plural = "services close idle connections while clients still use them"
	f.Headline = rule.T("%s closes idle connections while clients still use them: %d of %d that ended", b.s.Name(), b.count, b.ended)
	f.Evidence = []rule.Evidence{{
		Metric: metric.PacketsResets, Value: float64(b.count), Limit: rule.Limit(0), Check: check,
		What: rule.T("on %d connections a request crossed the server's FIN; the server answered with RST, and the request is lost", b.count),
	}}
	below := rule.T("make the idle limit of the clients' pools shorter than the server's")
	if times := b.quiet(v); len(times) > 0 {
		f.Evidence = append(f.Evidence, rule.Evidence{
			Metric: metric.PacketsResetAfterIdle, Value: times[len(times)/2].Seconds(),
			What:  rule.T("the server closed them after %s without a request (%s to %s)", unit.Duration(times[len(times)/2]), unit.Duration(times[0]), unit.Duration(times[len(times)-1])),
			Check: check,
		})
		if alike(times) {
			below = rule.T("make the idle limit of the clients' pools shorter than the server's, which is about %s", unit.Duration(times[len(times)/2]))
		} else {
			f.Notes = append(f.Notes, rule.T("they had been idle for very different times: a restart looks like this, and so does a server that closes connections above a limit"))
		}
	}
	f.Evidence = append(f.Evidence, rule.Evidence{
		Metric: metric.PacketsFirstFrame, Value: float64(first.CloseFrame), Check: check,
		What: rule.T("first at %s, frame %d, %s", unit.ClockMillis(first.ClosedAt), first.CloseFrame, pktEnds(first)),
	})
	f.Fixes = []rule.Fix{
		{Text: below, Tradeoff: "a few more connects"},
		{Text: rule.T("or raise the server's idle timeout above that of all its clients: %s", protocol.Of(b.s.Proto).IdleLimit), Tradeoff: "the server keeps more idle connections open"},
		{Text: rule.T("let clients retry idempotent requests on a new connection"), Tradeoff: "one more round trip for such a request"},
	}
	return f
}
