package net

import (
	_ "embed"
	"fmt"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

//go:embed pkt_delayedack.md
var delayedACKPage string

var delayedACK = rule.Rule{
	ID:       "net/delayed-ack",
	Title:    "small writes wait for delayed acknowledgements (Nagle)",
	Resource: "small writes",
	Needs:    []recording.Table{recording.PacketConnections, recording.PacketSides},
	Explains: []string{"rt/server-slow", "rt/client-slow", "rt/path-slow", "rt/two-humps", "net/sender-app-limited"},
	Page:     delayedACKPage,
	Seen:     pktData,
	Detect:   detectDelayedACK,
}

const (
	// someDelays: one or two are the end of a long answer now and then.
	someDelays = 5
	// delayedRequests is the share of requests that must have waited.
	delayedRequests = 0.02
)

// nagled is one side of a service whose writes waited.
type nagled struct {
	s        *view.PacketService
	server   bool // who wrote
	delays   int64
	waited   time.Duration
	requests int64
	worst    *view.PacketConnection
}

func detectDelayedACK(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, s := range v.PacketServices() {
		for _, server := range []bool{true, false} {
			n := nagled{s: s, server: server}
			n.add(s)
			if n.worst != nil && n.delays >= someDelays && float64(n.delays) >= delayedRequests*float64(n.requests) {
				found = append(found, n.finding(v))
			}
		}
	}
	return found, nil
}

// add counts over all connections, and finds the worst one.
func (n *nagled) add(s *view.PacketService) {
	sender := "client"
	if n.server {
		sender = "server"
	}
	sent := s.Sent(sender)
	n.requests, n.delays, n.waited = sent.Transactions+sent.Excluded, sent.DelayedACKs, sent.DelayedACKTime
	for _, c := range s.Connections {
		if n.worst == nil || n.writes(c).DelayedACKTime > n.writes(n.worst).DelayedACKTime {
			n.worst = c
		}
	}
}

func (n *nagled) writes(c *view.PacketConnection) *recording.PacketSide {
	if n.server {
		return &c.FromServer
	}
	return &c.FromClient
}

func (n *nagled) finding(v *view.View) rule.Finding {
	each := n.waited / time.Duration(n.delays)
	share := min(float64(n.delays)/float64(max(n.requests, 1)), 1)
	f := rule.Finding{Subject: pktService(v, n.s), Confidence: pktAtMost(v, rule.Certain), Affects: pktAffected(v, n.s, n.worst.Client)}
	writer, reader, address, other := "the server "+n.s.Name(), "its client's", n.s.Server, n.worst.Client
	if !n.server {
		f.Subject = pktClient(v, n.worst)
		writer, reader, address, other = "the client "+f.Subject.String(), "the server's", n.worst.Client, n.s.Server
	}
	f.Headline = rule.T("%s writes in small pieces without TCP_NODELAY: the next one waits %s for %s delayed acknowledgement", writer, unit.Duration(each), reader)
	f.Impact = rule.Impact{TimeLost: perSecond(v, n.waited), Text: rule.T("%s of requests, %s each", unit.Share(share), unit.Duration(each))}
	// The gap stands on the acknowledgement: tcp.time_delta counts from the packet
	// before it, of either side, and what waited leaves at once after it.
	late := fmt.Sprintf("tcp.port == %d && tcp.len == 0 && tcp.flags.ack == 1 && tcp.flags.syn == 0 && tcp.flags.fin == 0 && tcp.flags.reset == 0 && "+
		"tcp.time_delta > 0.02 && tcp.time_delta < 0.6 && !tcp.analysis.keep_alive && !tcp.analysis.window_update", n.s.Port)
	fields := []string{"tcp.stream", "ip.src", "tcp.ack", "tcp.time_delta"}
	check := tshark(v, pktHost("dst", address)+" && "+late, fields...)
	worst := tshark(v, fmt.Sprintf("%s && %s && tcp.port == %d && %s", pktHost("src", other), pktHost("dst", address), n.worst.ClientPort, late), fields...)
	f.Evidence = []rule.Evidence{
		{Metric: "packets.delayed-ack", What: rule.T("%d times a small segment left only when the acknowledgement of the one before came, %s in all", n.delays, unit.Duration(n.waited)),
			Value: float64(n.delays), Unit: "count", Check: check},
		{Metric: "packets.delayed-ack", What: rule.T("%s of %d requests, %s each", unit.Share(share), n.requests, unit.Duration(each)), Value: share, Unit: "share", Check: check},
		{Metric: "packets.delayed-ack", What: rule.T("most on %s: %s", pktEnds(n.worst), unit.Duration(n.writes(n.worst).DelayedACKTime)), Value: n.writes(n.worst).DelayedACKTime.Seconds(), Unit: "seconds", Check: worst},
	}
	f.Fixes = []rule.Fix{
		{Text: rule.T("set TCP_NODELAY on the socket of the writer (nginx: tcp_nodelay on)"), Command: "strace -f -e trace=setsockopt -p PID   # shows whether it is set", Tradeoff: "more, smaller packets"},
		{Text: rule.T("write what belongs together with one call (a buffer, writev, MSG_MORE)"), Tradeoff: "a change of the program"},
	}
	return f
}
