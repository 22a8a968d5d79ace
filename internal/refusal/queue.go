package refusal

import (
	"fmt"

	"rtrail/internal/recording"
	"rtrail/internal/shell"
	"rtrail/internal/view"
)

// queueCounters are those of queueing disciplines (net/core/gen_stats.c).
var queueCounters = []Counter{
	volume("packets bytes backlog queued"),
	{Names: "drops", Kind: Refused, Unit: "packets", Resource: "packet delivery", Rules: append([]string{"net/qdisc-drops"}, ofLoss...), PerSecond: 1, Share: 1e-3, Of: "packets",
		Means: "a packet that the queue of an interface threw away: it was full, or longer than its manager allows; behind a shaper (tbf, htb) the rate it was given is what limits",
		Why:   "TCP finds out what a link takes by filling its queue until something is thrown away"},
	slowed("overlimits", "a packet waited because the configured rate was used up", "net/rate-limited", "net/packet-loss"),
	ordinary("requeues", "the driver was busy for a moment, and the packet was sent after that"),
}

var queues = source{name: "qdisc", file: "rtnetlink (tc -s qdisc)", resource: "packet delivery", counters: queueCounters, scopes: queueScopes}

// queueScopes are the first queue of each interface and direction, which include
// what is below.
func queueScopes(v *view.View) (list []Scope) {
	type sample = recording.QdiscSample
	for _, q := range v.Queues() {
		where := fmt.Sprintf("%s of %s", q, q.Interface)
		if in := elsewhere(v, q.NetNS); in != "" {
			where += " in " + in
		}
		enter := v.EnterNetNS(q.NetNS)
		list = append(list, Scope{
			Subject: view.InterfaceEntity(q.Interface, q.NetNS), Where: where, Seconds: view.Elapsed(q.Samples).Seconds(),
			Delta: deltas(q.Samples, map[string]func(sample) uint64{
				"packets": func(s sample) uint64 { return s.Packets }, "drops": func(s sample) uint64 { return uint64(s.Drops) },
				"overlimits": func(s sample) uint64 { return uint64(s.Overlimits) }, "requeues": func(s sample) uint64 { return uint64(s.Requeues) },
			}),
			Check: func(string) shell.Command { return shell.Line("%s tc -s qdisc show dev %s", enter, q.Interface) },
		})
	}
	return list
}
