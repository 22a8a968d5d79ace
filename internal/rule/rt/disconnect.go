package rt

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/packet/proto"
	"rtrail/internal/protocol"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var firstDisconnect = rule.Rule{
	ID:         "rt/first-disconnect",
	Title:      "a connection was closed in the middle of a request",
	Plural:     "services had a connection closed in the middle of a request",
	Resource:   "connections",
	Needs:      []recording.Table{recording.PacketCaptures, recording.PacketConnections},
	Refutes:    []string{"answers"},
	Thresholds: []*rule.Threshold{&gaveUpAfter, &gaveUpTimes, &gaveUpClients, &minTime, &minRequests, &mostlyInferred, &missedShare},
	Seen:       allHeard,
	Detect:     detectFirstDisconnect,
}

var (
	gaveUpAfter = rule.Threshold{Name: "gave-up-after", Value: 1, Unit: "seconds", Source: rule.Judgement,
		Reason: "The shortest common request timeout. A client that disconnects earlier was stopped, or its user gave up."}
	gaveUpTimes = rule.Threshold{Name: "gave-up-times", Value: 10, Unit: "ratio", Source: rule.Judgement,
		Reason: "Multiple of the usual response time. A client that disconnects later has given up waiting."}
	gaveUpClients = rule.Threshold{Name: "gave-up-clients", Value: 3, Unit: "count", Source: rule.Judgement,
		Reason: "Clients of one service that gave up. This many are not an accident."}
)

// cut is a connection that was closed in the middle of a request.
type cut struct {
	c *view.PacketConnection
	t recording.PacketTransaction // the request
}

func (x cut) byServer() bool { return x.c.Closer == "server" }

// waited is how long the client had waited for the end of the answer.
func (x cut) waited() time.Duration { return x.c.ClosedAt.Sub(x.t.At) }

// name is the connection as its ends name it.
func (x cut) name() string {
	return fmt.Sprintf("%s:%d -> %s:%d", x.c.Client, x.c.ClientPort, x.c.Server, x.c.ServerPort)
}

func detectFirstDisconnect(v *view.View) ([]rule.Finding, error) {
	open := cutRequests(v)
	var found []rule.Finding
	for _, s := range v.PacketServices() {
		var cuts []cut
		for _, c := range s.Connections {
			if t, ok := open[c.ID]; ok && middle(c, t) {
				cuts = append(cuts, cut{c, t})
			}
		}
		slices.SortStableFunc(cuts, func(a, b cut) int {
			return cmp.Or(a.c.ClosedAt.Compare(b.c.ClosedAt), cmp.Compare(a.c.CloseFrame, b.c.CloseFrame))
		})
		if d := (disconnects{v: v, s: s, cuts: cuts}); d.look() {
			found = append(found, d.finding())
		}
	}
	return found, nil
}

// cutRequests are the requests that were not answered to the end, the first of
// each connection.
func cutRequests(v *view.View) map[int64]recording.PacketTransaction {
	open := map[int64]recording.PacketTransaction{}
	for _, t := range v.PacketTransactions() {
		if t.Status != proto.Unanswered.String() && t.Error != proto.EndedWithin {
			continue
		}
		if known, ok := open[t.Connection]; !ok || t.At.Before(known.At) {
			open[t.Connection] = t
		}
	}
	return open
}

// middle says that a connection was closed while this request was under way.
// Of what is not decoded for certain, nobody knows what a last word is: the
// farewell within TLS looks like a request. A request that crossed the FIN of a
// server was not under way there: net/resets reports these.
func middle(c *view.PacketConnection, t recording.PacketTransaction) bool {
	if c.Closer == "" || protocol.Of(c.Proto).Opaque || t.Doubt != "" && !asked(t) || c.ClosedAt.Before(t.At) {
		return false
	}
	return c.CloseState == "waiting" || c.CloseState == "response"
}

// asked says that the server waited because the request asks it to.
func asked(t recording.PacketTransaction) bool { return t.Doubt == proto.Blocking.Words()[0] }

// disconnects are those of one service, ascending by time.
type disconnects struct {
	v     *view.View
	s     *view.PacketService
	cuts  []cut
	first cut
	sure  rule.Confidence

	bySameSide, byOther int // how many others were closed in the middle after the first
	kindred             int // of all, those that the side which closed first closed
}

func (d *disconnects) look() bool {
	i := slices.IndexFunc(d.cuts, cut.byServer)
	if i >= 0 {
		d.first, d.sure = d.cuts[i], atMost(d.v, d.s, rule.Certain)
		if d.first.c.FromServer.Missed > 0 {
			d.sure = min(d.sure, rule.Likely) // the rest of the answer may be in what was missed
		}
	} else if i = slices.IndexFunc(d.cuts, d.gaveUp); i >= 0 {
		d.first, d.sure = d.cuts[i], rule.Possible
		n := 0
		for _, x := range d.cuts {
			if d.gaveUp(x) {
				n++
			}
		}
		if n >= gaveUpClients.Int() {
			d.sure = rule.Likely
		}
	} else {
		return false
	}
	for j, x := range d.cuts {
		same := x.c.Closer == d.first.c.Closer
		switch {
		case same && j != i:
			d.bySameSide++
		case j > i:
			d.byOther++
		}
	}
	d.kindred = d.bySameSide + 1
	return true
}

// gaveUp says that a client left after it had waited much longer than usual,
// and not because nothing came that it was ready to wait for.
func (d *disconnects) gaveUp(x cut) bool {
	return !x.byServer() && !asked(x.t) && x.waited() >= gaveUpAfter.Duration() && x.waited() >= gaveUpTimes.Times(d.s.RTP50)
}

func (d *disconnects) finding() rule.Finding {
	x := d.first
	subject := view.Entity{Kind: view.KindConnection, Name: x.name(), Port: d.s.Port, Detail: d.s.Name()}
	broken := d.kindred + d.byOther
	all := max(int(d.s.Sent("server").Connections), broken)
	return rule.Finding{
		Subject: subject, Confidence: d.sure,
		Headline: d.headline(),
		Impact:   rule.Impact{Share: float64(broken) / float64(all), Text: rule.T("%d of %d connections broken", broken, all)},
		Affects:  []view.Entity{d.v.ServiceEntity(d.s)},
		Evidence: d.evidence(), Fixes: d.fixes(), Notes: d.notes(),
	}
}

func (d *disconnects) headline() rule.Text {
	x := d.first
	what := request(x.t)
	switch {
	case !x.byServer():
		return rule.T("client %s gave up on %s after %s: it closed the connection while %s was %s", x.c.Client, d.s.Name(), unit.Duration(x.waited()), what, stage(x))
	case d.kindred > 1:
		return rule.T("%s closed %d connections in the middle of requests, the first one while %s was %s", d.s.Name(), d.kindred, what, stage(x))
	}
	return rule.T("%s closed a connection while %s was %s", d.s.Name(), what, stage(x))
}

func request(t recording.PacketTransaction) string {
	if t.Fingerprint == "" {
		return "a request"
	}
	return short(t.Fingerprint)
}

// stage says how far the answer was.
func stage(x cut) string {
	if x.t.ResponseBytes <= 0 {
		return "waiting for its answer"
	}
	return fmt.Sprintf("being answered, %s into it", unit.Bytes(x.t.ResponseBytes))
}

func (d *disconnects) evidence() []rule.Evidence {
	x := d.first
	how := "FIN"
	if x.c.CloseReset {
		how = "RST"
	}
	follow := tshark(d.v, d.s, shell.Display("tcp.port == %d && (tcp.flags.fin == 1 || tcp.flags.reset == 1)", x.c.ClientPort), "frame.number", "frame.time_relative", view.IPField("src", d.s.Server), "tcp.flags.str")
	// The number of a connection means nothing in packets that are captured again.
	ladder := shell.Line("--by connection")
	if d.v.PacketSource().File != "" {
		ladder = shell.Line("--connection %d", x.c.ID)
	}
	list := []rule.Evidence{{
		Metric: metric.RTDisconnect, Value: x.waited().Seconds(), Check: follow,
		What: rule.T("the first %s came from the %s, %s after the request, in frame %d", how, x.c.Closer, unit.Duration(x.waited()), x.c.CloseFrame),
	}, {
		Metric: metric.RTInterrupted, Value: float64(max(x.t.ResponseBytes, 0)),
		What:  rule.T("%s by %s: %s, in state %s", commandOf(x.t), x.c.Client, stage(x), x.c.CloseState),
		Check: packets(d.v, d.s).With("%s", ladder),
	}}
	if x.c.Outstanding > 0 {
		list = append(list, rule.Evidence{
			Metric: metric.RTOutstanding, Value: float64(x.c.Outstanding), Check: follow,
			What: rule.T("%s of the other side were not acknowledged when it closed", unit.Bytes(x.c.Outstanding)),
		})
	}
	return append(list, rule.Evidence{
		Metric: metric.RTDisconnects, Value: float64(d.kindred + d.byOther),
		What:  rule.T("connections closed in the middle of a request: %d by the %s, %d by the other side after the first", d.kindred, x.c.Closer, d.byOther),
		Check: tshark(d.v, d.s, shell.Display("(tcp.flags.fin == 1 || tcp.flags.reset == 1)"), "frame.time_relative", view.IPField("src", d.s.Server), "tcp.stream"),
	})
}

func commandOf(t recording.PacketTransaction) string {
	if t.Command == "" {
		return "request"
	}
	return t.Command
}

func (d *disconnects) notes() []rule.Text {
	if d.byOther == 0 || !d.first.byServer() {
		return nil
	}
	return []rule.Text{rule.T("clients then closed %d more connections in the middle of requests: consequences, not causes", d.byOther)}
}

func (d *disconnects) fixes() []rule.Fix {
	if !d.first.byServer() {
		return []rule.Fix{{
			Text:     rule.T("find out what the server was doing for this request; a longer time limit in the client only makes it wait longer"),
			Command:  protocol.Of(d.s.Proto).Inside,
			Tradeoff: "none",
		}}
	}
	fixes := []rule.Fix{{
		Text: rule.T("look at the logs of the server, and of proxy, load balancer and firewall between, at %v: which one closed on purpose, crashed, or reached a limit?",
			unit.ClockMillis(d.first.c.ClosedAt)),
		Command:  protocol.Of(d.s.Proto).LogAt(d.first.c.ClosedAt, programOf(d.v, d.s)),
		Tradeoff: "none",
	}}
	if d.s.Proto == "mysql" {
		fixes = append(fixes, rule.Fix{
			Text:     rule.T("rule out KILL, wait_timeout, max_statement_time, and net_write_timeout: the last one only if the client's window was closed for that long before"),
			Command:  shell.Line(`mysql -e "show global status like 'Aborted%%'; show variables like '%%timeout%%'"`),
			Tradeoff: "none",
		})
	}
	return fixes
}
