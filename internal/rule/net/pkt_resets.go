package net

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"rtrail/internal/direction"
	"rtrail/internal/metric"
	"rtrail/internal/packet/proto"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var resets = rule.Rule{
	ID:         "net/resets",
	Title:      "connections are reset while in use",
	Plural:     "services have connections reset while in use",
	Resource:   "connections",
	NeedsAny:   []recording.Table{recording.PacketConnections, recording.TCPEvents},
	Explains:   []string{"rt/first-disconnect", "rt/errors", "rt/connect-slow"},
	Refutes:    []string{"connects", "answers"},
	Thresholds: []*rule.Threshold{&minResets, &resetShare, &giveUpShare, &lostRequests, &cutTime, &feltResets, &pktMissed},
	Seen:       connectionsCaptured,
	Detect:     detectResets,
}

var (
	minResets = rule.Threshold{Name: "min-resets", Value: 3, Unit: "count", Source: rule.Judgement,
		Reason: "Resets. One or two are crashes and restarts, which other rules name."}
	resetShare = rule.Threshold{Name: "reset-share", Value: 0.02, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the connections that ended. Less is an accident."}
	lostRequests = rule.Threshold{Name: "lost-requests", Value: 0.001, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the requests of a service that are lost. Less is not felt, even if most of the few connections that end are reset: those of a pool serve many requests each."}
	cutTime = rule.Threshold{Name: "cut-time", Value: 0.1, Unit: "seconds", Source: rule.Judgement,
		Reason: "Time per second for which requests had been under way when they were cut. From it on a few long requests are lost, whatever their share: somebody waits in vain a tenth of the time."}
	feltResets = rule.Threshold{Name: "felt-resets", Value: 1, Unit: "per second", Source: rule.Judgement,
		Reason: "Resets that programs of this host get on connections in use. From it on requests fail every second, whatever their share of the connections."}
	giveUpShare = rule.Threshold{Name: "give-up-share", Value: 0.1, Unit: "share", Source: rule.Judgement,
		Reason: "Share of clients that give up. Worth mentioning."}
)

// How a reset came about.
type resetKind int

const (
	refused      resetKind = iota // the SYN was answered by RST: no process listens
	serverBroke                   // by the server, with a request under way or unread
	clientGaveUp                  // by the client, with its request unanswered
	closedIdle                    // by the server, which had closed an idle connection, for a request that crossed its FIN
)

// broken is the connections of a service that were reset in one way.
type broken struct {
	s     *view.PacketService
	kind  resetKind
	cut   float64 // seconds per second that requests had been under way when a reset cut them, where it is known
	count int64   // of all of them; connects that were tried again count once
	ended int64   // connections of the service that ended, in whatever way
	syns  int64   // of refused connects: SYNs that were answered by RST
	// Of those that were kept: all, or the worst of thousands.
	conns  []*view.PacketConnection
	unread int                     // with bytes that the closing side had not acknowledged
	states map[recordedState]int64 // what was under way
}

type recordedState = string

func detectResets(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	told := map[uint16]bool{}
	for _, s := range v.PacketServices() {
		for _, b := range brokenOf(s) {
			b.cut = perSecond(v, b.underWay(v))
			if c := b.confidence(); c > 0 {
				found = append(found, b.finding(v, pktAtMost(v, c)))
				told[s.Port] = told[s.Port] || b.kind == serverBroke
			}
		}
	}
	var doubt error
	for _, h := range hastyServers(v) {
		if c := h.confidence(); c > 0 && !told[h.Port] {
			found = append(found, h.finding(v, c))
		} else if doubt == nil && h.doubtful() {
			doubt = h.doubt()
		}
	}
	if len(found) > 0 || connectionsCaptured(v) {
		return found, nil
	}
	return nil, doubt
}

func brokenOf(s *view.PacketService) []*broken {
	var kinds [4]*broken
	client, server := s.Sent("client"), s.Sent("server")
	for i, n := range []int64{refused: server.Refused - server.RefusedAgain, serverBroke: server.Broke + server.BrokeUnread, clientGaveUp: client.Broke, closedIdle: server.Crossed} {
		kinds[i] = &broken{s: s, kind: resetKind(i), count: n, ended: server.Ended - server.RefusedAgain, syns: server.Refused, states: map[recordedState]int64{}}
	}
	for _, c := range s.Connections {
		if c.Ending == "open" || c.Retried {
			continue
		}
		if k, ok := kindOfReset(c); ok {
			kinds[k].add(c)
		}
	}
	return kinds[:]
}

// connectionsCaptured says whether there were connections whose ends could be seen. The kernel
// tells of resets only, not of what they are a part of.
func connectionsCaptured(v *view.View) bool { return len(v.PacketServices()) > 0 }

// kindOfReset tells whose doing a reset is. A client that closes before it has
// read all it was sent, with no answer under way, misses nothing.
func kindOfReset(c *view.PacketConnection) (resetKind, bool) {
	switch harm := direction.HarmOf(&c.PacketConnection); {
	case harm == direction.ConnectRefused:
		return refused, true
	case harm == direction.NoHarm:
		return 0, false
	case harm == direction.RequestCrossed:
		return closedIdle, true
	case c.Closer == "server":
		return serverBroke, true
	}
	return clientGaveUp, c.Closer == "client" && direction.HarmOf(&c.PacketConnection) == direction.ExchangeBroken
}

func (b *broken) add(c *view.PacketConnection) {
	b.conns = append(b.conns, c)
	if c.Outstanding > 0 {
		b.unread++
	}
	b.states[c.CloseState]++
}

func (b *broken) share() float64 { return float64(b.count) / float64(max(b.ended, 1)) }

func (b *broken) confidence() rule.Confidence {
	switch {
	case b.count < int64(minResets.Value), len(b.conns) == 0, b.share() < resetShare.Value && b.cut < cutTime.Value:
		return 0
	case b.kind == clientGaveUp && b.share() < giveUpShare.Value:
		return 0
	case b.kind == clientGaveUp:
		// Load generators and browsers do so when they end; and who gives up
		// because an answer is late suffers from something else.
		return rule.Possible
	case b.kind != refused && b.ofRequests() < lostRequests.Value && b.cut < cutTime.Value:
		return rule.Possible
	}
	return rule.Certain
}

// ofRequests is the share of the service's requests that the resets cost, as far as it is
// known how many were answered: at least one each.
func (b *broken) ofRequests() float64 { return float64(b.count) / float64(b.count+b.s.Count) }

// underWay is how long the requests that a server's resets cut had been under way.
func (b *broken) underWay(v *view.View) (sum time.Duration) {
	if b.kind != serverBroke || b.count < int64(minResets.Value) {
		return 0
	}
	closed := map[int64]time.Time{}
	for _, c := range b.conns {
		closed[c.ID] = c.ClosedAt
	}
	for _, t := range v.PacketTransactions() {
		if at, ok := closed[t.Connection]; ok && t.Status == proto.Unanswered.String() && t.At.Before(at) {
			delete(closed, t.Connection) // others were sent meanwhile
			sum += at.Sub(t.At)
		}
	}
	return sum
}

// impact is in requests where it is known how many were answered: connections serve one, or many.
func (b *broken) impact() rule.Impact {
	i := rule.Impact{TimeLost: b.cut, Share: b.share(), Text: rule.T("%s of connections", unit.Share(b.share()))}
	if b.kind != refused && b.ofRequests() < b.share() {
		i.Share, i.Text = b.ofRequests(), rule.T("%s of connections, %s of requests", unit.Share(b.share()), unit.Share(b.ofRequests()))
	}
	if b.cut >= cutTime.Value {
		i.Text = rule.T("%s, which had been under way for %s per second", i.Text, unit.Seconds(b.cut))
	}
	return i
}

// looked words the connections that details are known of.
func (b *broken) looked() string {
	if int64(len(b.conns)) == b.count {
		return "them"
	}
	return fmt.Sprintf("the %d of them that are listed", len(b.conns))
}

// state is what was most often under way.
func (b *broken) state() string {
	best := ""
	for _, s := range []string{"waiting", "request", "response"} {
		if b.states[s] > b.states[best] || best == "" {
			best = s
		}
	}
	switch {
	case b.states[best] == 0:
		return "with data of the other side unread"
	case best == "waiting":
		return "instead of an answer"
	case best == "request":
		return "in the middle of a request"
	}
	return "in the middle of an answer"
}

func (b *broken) finding(v *view.View, c rule.Confidence) rule.Finding {
	f := rule.Finding{Subject: v.ServiceEntity(b.s), Confidence: c, Affects: v.EndsOf(b.s)}
	for _, c := range b.conns {
		f.Affects = append(f.Affects, view.Entity{Kind: view.KindConnection, Name: pktEnds(c), Port: b.s.Port})
	}
	f.Affects = append(f.Affects, b.gateways(v)...)
	f.Impact = b.impact()
	first := slices.MinFunc(b.conns, func(x, y *view.PacketConnection) int {
		return cmp.Compare(x.ClosedAt.UnixNano(), y.ClosedAt.UnixNano())
	})
	where := shell.Display("%s && tcp.port == %d && tcp.flags.reset == 1", pktHost("addr", b.s.Server), b.s.Port)
	check := tshark(v, where, view.IPField("src", b.s.Server), "tcp.stream", "frame.number")
	switch b.kind {
	case refused:
		f.Plural = "destinations refuse connects"
		f.Headline = rule.T("no process listens on %s:%d: %d connects were refused", b.s.Server, b.s.Port, b.count)
		f.Evidence = []rule.Evidence{{Metric: metric.PacketsRefused, What: rule.T("%d of %d connects were refused: %d SYNs were answered by RST", b.count, b.ended, b.syns), Value: float64(b.count), Limit: rule.Limit(0), Check: check}}
		f.Fixes = []rule.Fix{{Text: rule.T("start the server, or let it listen on this address; a firewall that rejects with tcp-reset looks the same"), Command: shell.Line("ss -ltn 'sport = :%d'; iptables -nvL", b.s.Port), Tradeoff: "none"}}
		return f
	case serverBroke:
		f.Plural = "services reset connections in use"
		f.Headline = rule.T("%s resets connections %s: %d of %d that ended", b.s.Name(), b.state(), b.count, b.ended)
		f.Fixes = readFirst()
	case clientGaveUp:
		f.Plural = "services have clients that reset connections in use"
		f.Headline = rule.T("clients of %s reset connections %s: %d of %d that ended", b.s.Name(), b.state(), b.count, b.ended)
		f.Fixes = []rule.Fix{{Text: rule.T("before you raise the clients' timeouts, see why the answers take longer"), Tradeoff: "none"}}
	case closedIdle:
		return b.closedIdle(v, f, first)
	}
	f.Evidence = []rule.Evidence{
		{Metric: metric.PacketsResets, What: rule.T("RST from the %s on %d connections; on %d of %s it had not acknowledged all data", first.Closer, b.count, b.unread, b.looked()),
			Value: float64(b.count), Limit: rule.Limit(0), Check: check},
		{Metric: metric.PacketsFirstFrame, What: rule.T("first at %s, frame %d, %s", unit.ClockMillis(first.ClosedAt), first.CloseFrame, pktEnds(first)), Value: float64(first.CloseFrame), Check: check},
	}
	return f
}

// readFirst is what to do about a server that closes with data unread.
func readFirst() []rule.Fix {
	return []rule.Fix{
		{Text: rule.T("make the server read all data before it closes (shutdown for writing, read to the end, then close): closing a socket with unread data sends RST, which can destroy an answer in flight"), Tradeoff: "some time and memory for data that is discarded (lingering_close)"},
		{Text: rule.T("read the server's log of that time: a crash, a limit on requests, or an idle timeout shorter than its clients'"), Tradeoff: "none"},
	}
}
