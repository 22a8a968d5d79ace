package net

import (
	"cmp"
	"slices"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var delayedACK = rule.Rule{
	ID:         "net/delayed-ack",
	Title:      "small writes wait for delayed acknowledgements (Nagle)",
	Plural:     "services have small writes that wait for delayed acknowledgements (Nagle)",
	Resource:   "small writes",
	Needs:      []recording.Table{recording.PacketConnections, recording.PacketSides},
	Explains:   []string{"net/sender-app-limited"},
	Delays:     []string{"rt/server-slow", "rt/client-slow", "rt/path-slow", "rt/worker-queueing"},
	Thresholds: []*rule.Threshold{&minDelays, &delayedRequests, &delayedTime, &delayedWait, &unfeltDelay, &explainedShare, &pktMissed},
	Seen:       pktData,
	Delayed: func(_ *view.View, f, symptom *rule.Finding) bool {
		return f.Affected(symptom.Subject) && f.Impact.TimeLost >= explainedShare.Value*symptom.Impact.TimeLost
	},
	Detect: detectDelayedACK,
}

var (
	minDelays = rule.Threshold{Name: "min-delays", Value: 5, Unit: "count", Source: rule.Judgement,
		Reason: "Delayed ACKs. One or two occur at the end of long answers."}
	delayedRequests = rule.Threshold{Name: "delayed-requests", Value: 0.02, Unit: "share", Source: rule.Judgement,
		Reason: "Share of requests that waited."}
	delayedTime = rule.Threshold{Name: "delayed-time", Value: 0.2, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the time of all requests that some of them waited for delayed ACKs. From it on the mean response time shows it, however few requests these are."}
	delayedWait = rule.Threshold{Name: "delayed-wait", Value: 0.1, Unit: "seconds per second", Source: rule.Judgement,
		Reason: "Waited for delayed ACKs. Less is no matter if it is few requests: somebody waits a tenth of the time."}
	unfeltDelay = rule.Threshold{Name: "unfelt-delay", Value: 0.01, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the time of all requests that some of them waited for delayed ACKs. Below it requests take so long anyway that nobody notices."}
	explainedShare = rule.Threshold{Name: "explained-share", Value: 0.5, Unit: "ratio", Source: rule.Judgement,
		Reason: "Time waited for delayed ACKs relative to the time that others waited for the same server, client or path. Below it most of that has another cause, and both are listed."}
)

// nagled is one side of a service whose writes waited: the server, or those of
// its clients that write so.
type nagled struct {
	s        *view.PacketService
	server   bool // who wrote
	delays   int64
	waited   time.Duration
	requests int64
	timed    int64                       // of requests, those whose times count
	took     time.Duration               // these took, from the request to the end of the answer; 0: not known
	clients  []recording.PacketDirection // who wrote, if not the server; what waited longest first
	worst    *view.PacketConnection      // nil: none of theirs is listed
}

func detectDelayedACK(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, s := range v.PacketServices() {
		server := nagled{s: s, server: true}
		server.add(s.Sent("server"))
		if server.often(v) {
			found = append(found, server.finding(v))
		}
		if all := (nagled{s: s}); all.addClients(v) {
			found = append(found, all.finding(v))
		}
	}
	return found, nil
}

func (n *nagled) add(sent recording.PacketDirection) {
	n.requests += sent.Transactions + sent.Excluded
	n.delays += sent.DelayedACKs
	n.waited += sent.DelayedACKTime
	n.timed += sent.Transactions
	n.took += sent.RTSum + sent.Download
	for _, c := range n.s.Connections {
		if w := n.writes(c); w.DelayedACKTime > 0 && (n.server || c.Client == sent.Client) &&
			(n.worst == nil || w.DelayedACKTime > n.writes(n.worst).DelayedACKTime) {
			n.worst = c
		}
	}
}

// often says that these are no single waits, or that they take much of the time.
func (n *nagled) often(v *view.View) bool {
	return n.delays >= int64(minDelays.Value) && (n.many() || n.costly(v))
}

// costly says that the waits are a material part of the time of all requests, however few waited.
func (n *nagled) costly(v *view.View) bool {
	return n.took > 0 && 2*n.timed >= n.requests && n.ofTime() >= delayedTime.Value && perSecond(v, n.waited) >= delayedWait.Value
}

// many says that a material share of the requests waited.
func (n *nagled) many() bool { return float64(n.delays) >= delayedRequests.Value*float64(n.requests) }

// ofTime is how much of the time of all requests the waits are, at least: whether response times
// have them within depends on who writes.
func (n *nagled) ofTime() float64 {
	return n.waited.Seconds() / max((n.took+n.waited).Seconds(), 1e-9)
}

// confidence says how sure it is that the waits matter. That they are there is certain.
func (n *nagled) confidence() rule.Confidence {
	switch {
	case n.took > 0 && n.ofTime() < unfeltDelay.Value:
		return rule.Possible
	case !n.many():
		return rule.Likely
	}
	return rule.Certain
}

// addClients sums up the clients that write so, and says whether that matters to
// the service. A client that waited once or twice is not accused with the others;
// where none did more, as each asks little, it takes all that waited.
func (n *nagled) addClients(v *view.View) bool {
	all := nagled{s: n.s}
	all.add(n.s.Sent("client"))
	if !all.often(v) {
		return false
	}
	var some, many []recording.PacketDirection
	for _, d := range n.s.Directions {
		if d.Sender != "client" || d.DelayedACKs == 0 {
			continue
		}
		some = append(some, d)
		one := nagled{s: n.s}
		if one.add(d); one.often(v) {
			many = append(many, d)
		}
	}
	if n.clients = many; len(many) == 0 {
		n.clients = some
	}
	slices.SortStableFunc(n.clients, func(a, b recording.PacketDirection) int {
		return cmp.Or(cmp.Compare(b.DelayedACKTime, a.DelayedACKTime), cmp.Compare(a.Client, b.Client))
	})
	for _, d := range n.clients {
		n.add(d)
	}
	return true
}

func (n *nagled) writes(c *view.PacketConnection) *recording.PacketSide {
	if n.server {
		return &c.FromServer
	}
	return &c.FromClient
}

// client is the address of the only client that writes so, "" for several, or if
// it is not told apart from others.
func (n *nagled) client() string {
	if len(n.clients) == 1 {
		return n.clients[0].Client
	}
	return ""
}

// writer names who writes so, and how the verb goes with it.
func (n *nagled) writer(v *view.View) (subject view.Entity, words string) {
	switch client := n.client(); {
	case n.server:
		return v.ServiceEntity(n.s), "the server " + n.s.Name() + " writes"
	case client != "":
		subject = v.PeerEntity(client, 0)
		if n.worst != nil {
			subject = v.ClientEntity(n.worst)
		}
		return subject, "the client " + subject.String() + " writes"
	case n.untold():
		return v.ServiceEntity(n.s), "clients of " + n.s.Name() + " write"
	}
	return v.ServiceEntity(n.s), rule.T("%d clients of %s write", len(n.clients), n.s.Name()).String()
}

// untold says that the last clients of many are not told apart, so that nobody
// knows how many write so.
func (n *nagled) untold() bool {
	return slices.ContainsFunc(n.clients, func(d recording.PacketDirection) bool { return d.Client == "" })
}

// reads is the display filter for what who does not write acknowledges: of one
// client, or "" for all of a side.
func (n *nagled) reads(client string) shell.Filter {
	// The gap stands on the acknowledgement: tcp.time_delta counts from the packet
	// before it, of either side, and what waited leaves at once after it.
	where := shell.Display("%s && tcp.srcport == %d", pktHost("src", n.s.Server), n.s.Port)
	field := "dst"
	if n.server {
		where = shell.Display("%s && tcp.dstport == %d", pktHost("dst", n.s.Server), n.s.Port)
		field = "src"
	}
	if client != "" {
		where = shell.Display("%s && %s", where, pktHost(field, client))
	}
	return shell.Display("%s && tcp.len == 0 && tcp.flags.ack == 1 && tcp.flags.syn == 0 && tcp.flags.fin == 0 && tcp.flags.reset == 0 && "+
		"tcp.time_delta > 0.02 && tcp.time_delta < 0.6 && !tcp.analysis.keep_alive && !tcp.analysis.window_update", where)
}

func (n *nagled) finding(v *view.View) rule.Finding {
	each := n.waited / time.Duration(n.delays)
	share := min(float64(n.delays)/float64(max(n.requests, 1)), 1)
	subject, writes := n.writer(v)
	f := rule.Finding{Subject: subject, Confidence: pktAtMost(v, n.confidence()), Affects: v.EndsOf(n.s, n.affected()...)}
	reader := "the server's"
	if n.server {
		reader = "its client's"
	}
	f.Headline = rule.T("%s in small pieces without TCP_NODELAY: the next one waits %s for %s delayed acknowledgement", writes, unit.Duration(each), reader)
	f.Impact = rule.Impact{TimeLost: perSecond(v, n.waited), Text: rule.T("%s of requests, %s each", unit.Share(share), unit.Duration(each))}
	f.Evidence = n.evidence(v, each, share)
	nodelay := rule.Fix{Text: rule.T("set TCP_NODELAY on the socket of the writer (nginx: tcp_nodelay on)"), Tradeoff: "more, smaller packets"}
	nodelay.Command = shell.Line("ss -tnp '( sport = :%d or dport = :%d )'   # on the writer's host: which program it is", n.s.Port, n.s.Port)
	if subject.PID != 0 {
		nodelay.Command = shell.Line("strace -f -e trace=setsockopt -p %d   # shows whether new connections set it", subject.PID)
	}
	f.Fixes = []rule.Fix{
		nodelay,
		{Text: rule.T("write each message with one call (a buffer, writev, MSG_MORE)"), Tradeoff: "a change of the program"},
	}
	return f
}

// affected are the clients that waited, as far as they are told apart.
func (n *nagled) affected() (addresses []string) {
	for _, d := range n.clients {
		if d.Client != "" {
			addresses = append(addresses, d.Client)
		}
	}
	if n.server && n.worst != nil {
		addresses = append(addresses, n.worst.Client)
	}
	return addresses
}

func (n *nagled) evidence(v *view.View, each time.Duration, share float64) []rule.Evidence {
	show := func(where shell.Filter) shell.Command {
		return tshark(v, where, "tcp.stream", view.IPField("src", n.s.Server), view.IPField("dst", n.s.Server), "tcp.ack", "tcp.time_delta")
	}
	check := show(n.reads(n.client()))
	list := []rule.Evidence{
		{Metric: metric.PacketsDelayedACK, What: rule.T("%d times a small segment waited for the acknowledgement of the previous one, %s in total", n.delays, unit.Duration(n.waited)),
			Value: float64(n.delays), Check: check},
		{Metric: metric.PacketsDelayedACKShare, What: rule.T("%s of %d requests, %s each", unit.Share(share), n.requests, unit.Duration(each)), Value: share, Check: check},
	}
	if len(n.clients) > 1 && n.clients[0].Client != "" {
		worst := &n.clients[0]
		list = append(list, rule.Evidence{Metric: metric.PacketsDelayedACK, Value: float64(worst.DelayedACKs), Check: show(n.reads(worst.Client)),
			What: rule.T("most by %s: %d times, %s; then %s", worst.Client, worst.DelayedACKs, unit.Duration(worst.DelayedACKTime), named(n.affected()[1:], n.untold()))})
	}
	if w := n.worst; w != nil {
		waited := n.writes(w).DelayedACKTime
		list = append(list, rule.Evidence{Metric: metric.PacketsDelayedACKWait, What: rule.T("most on %s: %s", pktEnds(w), unit.Duration(waited)), Value: waited.Seconds(),
			Check: show(shell.Display("tcp.port == %d && %s", w.ClientPort, n.reads(w.Client)))})
	}
	return list
}
