package net

import (
	"slices"
	"time"

	"rtrail/internal/direction"
	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var (
	minDead = rule.Threshold{Name: "min-dead", Value: 3, Unit: "count", Source: rule.Judgement,
		Reason: "Dead connections of one service. This many are more than an accident of one client."}
	shortestLimit = rule.Threshold{Name: "shortest-limit", Value: 5, Unit: "seconds", Source: rule.Judgement,
		Reason: "Shortest idle limit of firewalls and NAT. Their defaults are minutes and more."}
)

const (
	// anyPath takes packets of this payload: RFC 9293, 3.7.1 lets senders assume so.
	// What is not larger does not get lost for its size.
	anyPath = 536
)

// dead says that requests of a client were repeated until the end and not one
// packet came back, for another reason than their size.
func dead(d *recording.PacketDirection) bool {
	return d.Unheard > 0 && d.UnheardLargest <= max(d.LargestAcked, anyPath)
}

// deadService is the connections to a service on which nothing comes back.
type deadService struct {
	s       *view.PacketService
	sum     recording.PacketDirection // over the clients below
	clients []string
	others  int64         // requests that the service answered meanwhile
	pause   time.Duration // the longest one after which a request was answered
}

// deadConnections finds services to which connections are dead from a request on.
func deadConnections(v *view.View) []rule.Finding {
	var found []rule.Finding
	for _, s := range v.PacketServices() {
		x := deadService{s: s, pause: s.IdleQuantile(1)}
		for i := range s.Directions {
			if d := &s.Directions[i]; dead(d) {
				direction.Merge(&x.sum, d)
				x.clients = append(x.clients, d.Client)
			}
		}
		if x.sum.Unheard == 0 {
			continue
		}
		slices.Sort(x.clients)
		for i := range s.Seconds {
			if s.Seconds[i].At.After(x.sum.UnheardFrom) {
				x.others += s.Seconds[i].Count
			}
		}
		found = append(found, x.finding(v))
	}
	return found
}

// forgotten says that silence is what the dead connections have in common: each
// was silent for longer than any that was answered.
func (x *deadService) forgotten() bool {
	return x.sum.UnheardQuiet >= shortestLimit.Duration() && x.sum.UnheardQuiet > x.pause
}

func (x *deadService) finding(v *view.View) rule.Finding {
	f := rule.Finding{Subject: v.ServiceEntity(x.s), Confidence: rule.Possible}
	if x.sum.Unheard >= int64(minDead.Value) {
		f.Confidence = pktAtMost(v, rule.Likely)
	}
	f.Affects = v.EndsOf(x.s, slices.DeleteFunc(slices.Clone(x.clients), func(c string) bool { return c == "" })...)
	for _, s := range v.PacketServices() {
		if s.Server != x.s.Server && slices.Contains(x.clients, s.Server) {
			f.Affects = append(f.Affects, v.ServiceEntity(s)) // it waits for this one, and its clients for it
		}
	}
	lost := perSecond(v, x.sum.UnheardFor)
	f.Impact = rule.Impact{TimeLost: lost, Text: rule.T("%s, %s s waited on them per second", unit.Plural(x.sum.Unheard, "dead connection", "dead connections"), unit.Number(lost))}
	f.Headline = x.headline()
	f.Evidence = x.evidence(v)
	f.Fixes = x.fixes()
	return f
}

func (x *deadService) headline() rule.Text {
	n, name := unit.Plural(x.sum.Unheard, "connection", "connections"), x.s.Name()
	switch {
	case x.others == 0:
		return rule.T("nothing comes back from %s any more: requests on %s were sent again and again, without any packet in return", name, n)
	case x.forgotten():
		return rule.T("%s to %s dead after at least %s of silence: no packet comes back for the next request, as if a firewall or NAT on the path had forgotten them", n, isOrAre(name, x.sum.Unheard), unit.Duration(x.sum.UnheardQuiet))
	}
	return rule.T("%s to %s dead: no packet comes back for their requests, while others are answered", n, isOrAre(name, x.sum.Unheard))
}

func isOrAre(name string, n int64) string {
	if n == 1 {
		return name + " is"
	}
	return name + " are"
}

func (x *deadService) evidence(v *view.View) []rule.Evidence {
	d := &x.sum
	check := tshark(v, shell.Display("%s && tcp.dstport == %d && tcp.len > 0 && tcp.analysis.retransmission", pktHost("dst", x.s.Server), x.s.Port),
		"tcp.stream", "tcp.seq", "tcp.len", "tcp.analysis.rto")
	list := []rule.Evidence{{Metric: metric.PacketsUnheard, Value: float64(d.Unheard), Check: check,
		What: rule.T("on %d of %d connections, of %s, the last request was sent again %d times in all, and no packet of any kind came back in the %s until the last copy", d.Unheard,
			max(x.s.Sent("client").Connections, d.Unheard), clientsOf(x.clients), d.UnheardCopies, unit.Duration(d.UnheardFor/time.Duration(d.Unheard)))}}
	if d.UnheardQuiet >= shortestLimit.Duration() {
		text := rule.T("before that, each was silent for at least %s; no request was answered after more than %s of silence", unit.Duration(d.UnheardQuiet), unit.Duration(x.pause))
		if !x.forgotten() {
			text = rule.T("before that, each was silent for at least %s; other requests were answered after as much as %s", unit.Duration(d.UnheardQuiet), unit.Duration(x.pause))
		}
		list = append(list, rule.Evidence{Metric: metric.PacketsUnheardQuiet, Value: d.UnheardQuiet.Seconds(), Check: check, What: text})
	}
	return append(list, rule.Evidence{Metric: metric.PacketsUnheard, Value: float64(x.others),
		What:  rule.T("%s other requests were answered after the first of these was sent, at %s", unit.Count(x.others), unit.ClockMillis(d.UnheardFrom)),
		Check: tshark(v, shell.Display("%s && tcp.srcport == %d && tcp.len > 0", pktHost("src", x.s.Server), x.s.Port), "tcp.stream")})
}

// clientsOf names one client, or says how many there are.
func clientsOf(list []string) string {
	if len(list) == 1 && list[0] != "" {
		return list[0]
	}
	return plural(len(list), "client")
}

func (x *deadService) fixes() []rule.Fix {
	look := rule.Fix{Text: rule.T("find where the requests get lost: capture at the server at the same time; if they do not arrive, look at the path between"),
		Command: shell.Line("tcpdump -ni any 'tcp port %d'; conntrack -L -p tcp --dport %d; ip route get %s", x.s.Port, x.s.Port, shell.Address(x.s.Server)), Tradeoff: "none"}
	if x.sum.UnheardQuiet < shortestLimit.Duration() || !x.forgotten() {
		return []rule.Fix{look}
	}
	forgot := []rule.Fix{
		{Text: rule.T("send keep-alives more often than every %s, with SO_KEEPALIVE set on the sockets of the client", unit.Duration(x.sum.UnheardQuiet)),
			Command: shell.Line("sysctl net.ipv4.tcp_keepalive_time net.ipv4.tcp_keepalive_intvl; ss -tno   # timer:(keepalive,...)"), Tradeoff: "a packet per connection and interval"},
		{Text: rule.T("or have the client's pool close connections that were idle for less than that, or test them before use"), Tradeoff: "more connects, or a round trip per use"},
		{Text: rule.T("or raise the idle timeout of the firewall, NAT or load balancer on the path"), Command: shell.Line("sysctl net.netfilter.nf_conntrack_tcp_timeout_established"), Tradeoff: "larger tables there"},
	}
	if x.others == 0 {
		return append([]rule.Fix{look}, forgot...)
	}
	return append(forgot, look)
}
