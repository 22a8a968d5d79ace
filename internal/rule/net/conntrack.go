package net

import (
	"fmt"
	"strconv"
	"strings"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var conntrackFull = rule.Rule{
	ID:         "net/conntrack-full",
	Title:      "the connection tracking table is full: new connections are dropped",
	Plural:     "connection tracking tables are full: new connections are dropped",
	Resource:   "connection tracking",
	Needs:      []recording.Table{recording.Conntrack},
	Columns:    []string{"conntrack.count", "conntrack.max", "conntrack.drop", "conntrack.early_drop"},
	Levels:     true,
	Explains:   []string{"net/packet-loss", "rt/connect-slow", "mysql/not-answering"},
	Refutes:    []string{"packet delivery", "connects"},
	Thresholds: []*rule.Threshold{&tableFull, &tableNearlyFull, &minDrops},
	Detect:     detectConntrackFull,
}

var (
	tableFull = rule.Threshold{Name: "table-full", Value: 0.95, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the limit. The count moves by a few entries between drops."}
	tableNearlyFull = rule.Threshold{Name: "table-nearly-full", Value: 0.85, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the table. Worth mentioning: the next burst fills it."}
	minDrops = rule.Threshold{Name: "min-drops", Value: 3, Unit: "count", Source: rule.Judgement,
		Reason: "Dropped packets. One or two at a full table are a short burst."}
)

const (
	// tableFullMessage is what nf_conntrack_core.c logs, rate limited; newer
	// kernels say in which namespace.
	tableFullMessage = "nf_conntrack: table full"
)

// tracking is connection tracking in one network namespace.
type tracking struct {
	last     recording.ConntrackSample
	readings int
	full     int
	peak     int64
	drops    float64
	early    float64
	inserted float64
	seconds  float64
	messages int
}

func detectConntrackFull(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, t := range trackings(v) {
		c := t.confidence()
		if c == 0 {
			continue
		}
		f := rule.Finding{Subject: v.NetNSEntity(t.last.NetNS), Confidence: c, Headline: t.headline(v), Impact: t.impact(), Evidence: t.evidence(v), Fixes: t.fixes(v)}
		// What it drops is missed by connections of any namespace behind it;
		// packet-loss leaves connects to the rules that know their cause, so
		// that only losses of this kind are folded.
		f.AffectsAll = c > rule.Possible
		found = append(found, f)
	}
	return found, nil
}

func trackings(v *view.View) []tracking {
	return view.Memo(v, "net/trackings", func() []tracking {
		spaces, byNS := view.Group(view.Rows[recording.ConntrackSample](v), func(s recording.ConntrackSample) uint64 { return s.NetNS })
		list := make([]tracking, 0, len(spaces))
		for _, ns := range spaces {
			samples := byNS[ns]
			t := tracking{last: samples[len(samples)-1], readings: len(samples), seconds: view.Elapsed(samples).Seconds()}
			for _, s := range samples {
				if s.Max > 0 && float64(s.Count) >= tableFull.Value*float64(s.Max) {
					t.full++
				}
				t.peak = max(t.peak, s.Count)
			}
			t.drops, _ = view.Delta(samples, func(s recording.ConntrackSample) uint64 { return s.Drop })
			t.early, _ = view.Delta(samples, func(s recording.ConntrackSample) uint64 { return s.EarlyDrop })
			t.inserted, _ = view.Delta(samples, func(s recording.ConntrackSample) uint64 { return s.Insert })
			for _, l := range v.LogLinesWith(tableFullMessage) {
				if said, named := strings.CutPrefix(l.Text[strings.Index(l.Text, tableFullMessage):], tableFullMessage+" in netns "); named {
					if strings.HasPrefix(said, fmt.Sprintf("%d,", ns)) {
						t.messages++
					}
				} else if v.OwnNetNS(ns) || len(spaces) == 1 {
					t.messages++
				}
			}
			list = append(list, t)
		}
		return list
	})
}

func (t tracking) confidence() rule.Confidence {
	dropping := t.drops >= minDrops.Value
	nearly := t.last.Max > 0 && float64(t.peak) >= tableNearlyFull.Value*float64(t.last.Max)
	switch {
	case t.full > 0 && (dropping || t.messages > 0), dropping && t.messages > 0:
		return rule.Certain
	case t.messages > 0:
		return rule.Likely // full between two samples
	case dropping && nearly:
		return rule.Likely
	case nearly:
		return rule.Possible
	}
	return 0
}

// evicting says that room was made in a full table for all that came: no packet was dropped.
func (t tracking) evicting() bool {
	return t.full > 0 && t.early >= minDrops.Value && t.confidence() == rule.Possible
}

func (t tracking) headline(v *view.View) rule.Text {
	where := v.NetNSName(t.last.NetNS)
	switch {
	case t.evicting():
		return rule.T("the connection tracking table of %s is full: it makes room by forgetting connections that were not answered", where)
	case t.confidence() == rule.Possible:
		return rule.T("the connection tracking table of %s is nearly full", where)
	}
	return rule.T("the connection tracking table of %s is full: packets of new connections are dropped", where)
}

func (t tracking) impact() rule.Impact {
	switch {
	case t.drops == 0 && t.early == 0:
		return rule.Impact{Share: 0.1, Text: rule.T("nothing yet")}
	case t.drops == 0:
		return rule.Impact{Share: 0.1, Text: rule.T("%s connections forgotten early", unit.PerSecond(t.early/max(t.seconds, 1)))}
	}
	// Each dropped packet is a first packet; who sent it waits a second and
	// more before it tries again.
	rate := t.drops / max(t.seconds, 1)
	return rule.Impact{TimeLost: rate * firstRetry, Text: rule.T("%s packets of new connections dropped", unit.PerSecond(rate))}
}

func (t tracking) evidence(v *view.View) []rule.Evidence {
	enter := v.EnterNetNS(t.last.NetNS)
	list := []rule.Evidence{{
		Metric: metric.ConntrackCount, What: rule.T("%s entries of %s, full in %d of %d samples", unit.Count(t.peak), unit.Count(t.last.Max), t.full, t.readings),
		Value: float64(t.peak), Limit: rule.Limit(float64(t.last.Max)),
		Check: shell.Line("%s sysctl net.netfilter.nf_conntrack_count net.netfilter.nf_conntrack_max", enter),
	}}
	if t.drops > 0 {
		list = append(list, rule.Evidence{
			Metric: metric.ConntrackDrop, What: rule.T("%s packets dropped in %s because the table was full", unit.Count(t.drops), unit.Seconds(t.seconds)),
			Value: t.drops, Limit: rule.Limit(0), Check: shell.Line("%s conntrack -S", enter),
		})
	}
	if t.early > 0 {
		list = append(list, rule.Evidence{
			Metric: metric.ConntrackEarlyDrop, What: rule.T("%s entries evicted early to make room", unit.Count(t.early)),
			Value: t.early, Check: shell.Line("%s conntrack -S", enter),
		})
	}
	if t.messages > 0 {
		list = append(list, rule.Evidence{
			Metric: metric.KernelLog, What: rule.T("kernel log in the window: %q, %d times (the kernel rate-limits it)", tableFullMessage, t.messages),
			Value: float64(t.messages), Check: shell.Line("dmesg | grep nf_conntrack"),
		})
	}
	text, _ := v.Sysctl(t.last.NetNS, "net.netfilter.nf_conntrack_tcp_timeout_time_wait")
	if seconds, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil {
		list = append(list, rule.Evidence{
			Metric: metric.ConntrackTimeWait, What: rule.T("a closed connection keeps its entry for %s", unit.Seconds(seconds)),
			Value: seconds, Check: shell.Line("%s conntrack -L -p tcp | awk '{print $4}' | sort | uniq -c", enter),
		})
	}
	return list
}

// bytesPerEntry is the size of one entry: 256 bytes in the slab cache of Linux
// 6.x, 320 and more with extensions.
const bytesPerEntry = 320

func (t tracking) fixes(v *view.View) []rule.Fix {
	target := max(4*t.last.Max, 262144)
	where := ""
	if !v.OwnNetNS(t.last.NetNS) {
		where = " (on the host: the limit holds for every namespace)"
	}
	return []rule.Fix{
		{
			Text:     rule.T("raise the limit%s, and the number of buckets with it", where),
			Command:  shell.Line("sysctl -w net.netfilter.nf_conntrack_max=%d; echo %d > /sys/module/nf_conntrack/parameters/hashsize", target, target/4),
			Tradeoff: fmt.Sprintf("up to %s of kernel memory when full; without more buckets lookups get slower", unit.Bytes(target*bytesPerEntry)),
		},
		{
			Text: rule.T("keep closed connections for a shorter time"), Command: shell.Line("%s sysctl -w net.netfilter.nf_conntrack_tcp_timeout_time_wait=30", v.EnterNetNS(t.last.NetNS)),
			Tradeoff: "late packets of closed connections count as invalid",
		},
		{
			Text:     rule.T("open fewer connections (keep-alive, pools), or exempt traffic that needs no tracking"),
			Command:  shell.Line("%s conntrack -L -p tcp | grep -o ' dport=[0-9]*' | sort | uniq -c | sort -n | tail   # ports with most entries", v.EnterNetNS(t.last.NetNS)),
			Tradeoff: "no NAT and no state match for that traffic",
		},
	}
}
