package net

import (
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var synQueueFull = rule.Rule{
	ID:         "net/syn-queue-full",
	Title:      "the queue of half-open connections is full: a server does not hear new clients",
	Plural:     "listeners have their queue full of half-open connections",
	Resource:   "half-open connections",
	Needs:      []recording.Table{recording.Listeners, recording.Protocol},
	Explains:   []string{"net/packet-loss", "rt/connect-slow"},
	Refutes:    []string{"connects"},
	Thresholds: []*rule.Threshold{&refusedFrom, &queueFull, &floodRate, &mostIncomplete, &halfOpenSome, &resetRate, &shortQueue, &oneSource},
	Detect:     detectSYNQueueFull,
}

var refusedFrom = rule.Threshold{Name: "refused-from", Value: 1.0, Unit: "per second", Source: rule.Judgement,
	Reason: "SYNs per second that a full queue refuses, or answers that are refused for their timestamps. At 1 per second there is always a client that waits a second or more for a connection."}

func detectSYNQueueFull(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, x := range floods(v) {
		if !x.tooShort() {
			continue // net/syn-flood
		}
		f := rule.Finding{Subject: x.Listener.Entity(), Confidence: x.confidence(), Headline: x.headline(v), Impact: x.impact(v)}
		f.Evidence = append(x.evidence(v), connectsTo(v, x.Listener)...)
		f.Fixes = append(x.fixes(v), rule.Fix{
			Text:    rule.T("find out why handshakes of %s are not completed: a filter or a route that swallows the SYN-ACKs", x.from()),
			Command: x.showSYNs(v), Tradeoff: "none",
		})
		f.Affects, f.Notes = suffering(v, x.Listener)
		f.Affects = append(f.Affects, v.NetNSEntity(x.NetNS), v.HostEntity())
		found = append(found, f)
	}
	return found, nil
}

// tooShort says that SYNs are refused because the queue is full, and not so many that it
// is a flood.
func (x flood) tooShort() bool { return x.queueFull() && !x.flooded() }

// queueFull says that SYNs are refused because the queue is full, be they many
// or few.
func (x flood) queueFull() bool {
	return !x.cookies && x.atLimit() && x.refused/max(x.counters.Seconds, 1) >= refusedFrom.Value
}

// longerQueue is how a server gets a longer queue.
func (x flood) longerQueue(v *view.View) rule.Fix {
	return rule.Fix{
		Text:     rule.T("give listen() a larger backlog (now %s) and restart %s; the kernel uses the smallest of this, somaxconn and tcp_max_syn_backlog", unit.Count(x.Backlog), x.Name()),
		Command:  shell.Line("%s sysctl net.core.somaxconn net.ipv4.tcp_max_syn_backlog", v.EnterNetNS(x.NetNS)),
		Tradeoff: "about 300 bytes of kernel memory for each half-open connection; a fast flood still fills it",
	}
}

// showSYNs shows handshakes as they begin. In filters of packets tcp[] is of IPv4 only: the flags
// of a TCP header that follows one of IPv6 are at byte 53.
func (x flood) showSYNs(v *view.View) shell.Command {
	return shell.Line("%s tcpdump -c 50 -ni any %s", v.EnterNetNS(x.NetNS), "tcp[tcpflags] == tcp-syn or (ip6 proto 6 and ip6[53] == 2)")
}
