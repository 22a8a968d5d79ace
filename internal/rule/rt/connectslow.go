package rt

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"rtrail/internal/direction"
	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var connectSlow = rule.Rule{
	ID:         "rt/connect-slow",
	Title:      "connects take seconds because SYNs get no answer",
	Plural:     "destinations leave SYNs without an answer: connects take seconds",
	Resource:   "connects",
	Needs:      []recording.Table{recording.PacketCaptures, recording.PacketConnections},
	Thresholds: []*rule.Threshold{&minRepeatedSYNs, &slowConnects, &fewSlowConnects, &connectWaits, &mostlyInferred, &missedShare, &fewSamples},
	Seen:       connectsSeen,
	Detect:     detectConnectSlow,
}

var (
	minRepeatedSYNs = rule.Threshold{Name: "min-repeated-syns", Value: 3, Unit: "count", Source: rule.Judgement,
		Reason: "One or two may be a bad moment of the network. Also the number of unanswered SYNs after which a single connect counts as failed."}
	slowConnects = rule.Threshold{Name: "slow-connects", Value: 0.01, Unit: "share", Source: rule.Judgement,
		Reason: "Share of connects. A network that loses 1 packet in 1,000 repeats 1 SYN in 1,000."}
	fewSlowConnects = rule.Threshold{Name: "few-slow-connects", Value: 0.003, Unit: "share", Source: rule.Judgement,
		Reason: "Share of connects, if clients wait long for them. Less is what networks lose that nobody calls lossy."}
	connectWaits = rule.Threshold{Name: "connect-waits", Value: 1, Unit: "seconds per second", Source: rule.Judgement,
		Reason: "Waited for connects whose SYN got no answer. From it on somebody waits for one at any time, whatever their share."}
)

func detectConnectSlow(v *view.View) ([]rule.Finding, error) {
	type service struct {
		address string
		port    int32
	}
	services, byService := view.Group(v.PacketConnections(), func(c *view.PacketConnection) service { return service{c.Server, c.ServerPort} })
	var found []rule.Finding
	for _, k := range services {
		x := slowConnect{v: v}
		for _, c := range byService[k] {
			x.add(c)
		}
		if x.look(k.address, k.port) {
			found = append(found, x.finding())
		}
	}
	return found, nil
}

// slowConnect is a service that is slow to answer SYNs.
type slowConnect struct {
	v          *view.View
	service    *view.PacketService // of those at this address and port, the one most asked
	repeated   int                 // connections whose first SYN got no answer
	never      int                 // of these, those that were never answered
	begun      int                 // connections whose SYN was seen
	handshakes int                 // complete without repeats
	waited     time.Duration       // by connects with repeated SYNs
	steps      []time.Duration     // connect times of those answered, of the connections that were kept
	silent     int                 // SYNs that no answer came to
	// ignored counts connections whose server repeats its SYN-ACK although the
	// client's ACK and data are there, and come again: Linux drops both while
	// the accept queue is full (tcp_check_req in net/ipv4/tcp_minisocks.c).
	ignored int
}

// add takes what only the connection itself tells.
func (x *slowConnect) add(c *view.PacketConnection) {
	silent, _ := direction.SilentSYNs(&c.PacketConnection)
	switch {
	case c.Refused:
	case c.SYNs == 1 && x.abandoned(c):
		// Its client gave up before the first repeat.
		x.repeated++
		x.never++
		x.silent++
		x.waited += c.Last.Sub(c.At)
	case c.SYNs == 1 && c.SYNACKs > 1 && c.FromClient.Retransmissions > 0:
		x.ignored++
		x.waited += min(c.RTMax, c.Last.Sub(c.At))
	case silent > 0 && c.SYNACKs > 0:
		x.steps = append(x.steps, c.Connect)
	}
}

// abandoned says that a SYN got no answer, though there was time for one: what
// is captured of one direction only has no answers at all.
func (x *slowConnect) abandoned(c *view.PacketConnection) bool {
	return c.SYNACKs == 0 && c.FromServer.Packets == 0 && c.FromClient.Packets <= 1 && x.v.End().Sub(c.At) >= direction.FirstRetry
}

func (x *slowConnect) look(address string, port int32) bool {
	for _, s := range x.v.PacketServicesAt(address, uint16(port)) {
		sent := s.Sent("client")
		x.begun += int(sent.Begun)
		x.repeated += int(sent.SlowConnects)
		x.never += int(sent.NeverAnswered)
		x.silent += int(sent.SilentSYNs)
		x.waited += sent.ConnectWait
		x.handshakes += int(s.Handshakes)
		if x.service == nil || s.Proto != "" && s.Handshakes > x.service.Handshakes {
			x.service = s
		}
	}
	if x.service == nil {
		return false
	}
	// Older recordings have the worst of many connections, but all handshakes.
	x.begun = max(x.begun, x.handshakes+x.repeated)
	if x.repeated+x.ignored < minRepeatedSYNs.Int() && !x.vain() {
		return false
	}
	slices.Sort(x.steps)
	return x.share() >= slowConnects.Value || x.costly()
}

// share is how many of the connects were slow.
func (x *slowConnect) share() float64 {
	return float64(x.repeated+x.ignored) / float64(max(x.begun, 1))
}

// costly says that clients wait for connects all the time, though most are fast.
func (x *slowConnect) costly() bool {
	return x.share() >= fewSlowConnects.Value && perSecond(x.v, x.waited) >= connectWaits.Value
}

// vain says that nobody ever got an answer, though few tried, for long enough.
func (x *slowConnect) vain() bool {
	return x.never > 0 && x.never == x.begun && x.silent >= minRepeatedSYNs.Int()
}

func (x *slowConnect) finding() rule.Finding {
	v, s := x.v, x.service
	share := x.share()
	f := rule.Finding{
		Subject: v.ServiceEntity(s), Confidence: atMost(v, s, rule.Certain),
		Headline: rule.T("connects to %s take seconds: %s of their first SYNs get no answer", s.Name(), unit.Share(share)),
		Impact:   rule.Impact{TimeLost: perSecond(v, x.waited), Text: rule.T("%s of connects, %s waited", unit.Share(share), unit.Duration(x.waited))},
	}
	switch {
	case x.never == x.begun && v.OneDirection(s.Server):
		f.Confidence = rule.Possible
		f.Headline = rule.T("no answer to the connects to %s was captured, and clients repeat their SYNs; but only one direction was captured", s.Name())
		f.Notes = append(f.Notes, rule.T("no connection was captured in both directions: SYN-ACK or RST may have taken another path; capture at the client, or mirror both directions"))
	case x.never == x.begun:
		f.Headline = rule.T("connects to %s get no answer", s.Name())
	case x.ignored > x.repeated:
		f.Headline = rule.T("%s leaves %s of connects waiting: it does not accept completed connections", s.Name(), unit.Share(share))
	}
	if x.repeated+x.ignored < minRepeatedSYNs.Int() {
		f.Confidence = rule.Possible // a mistyped address looks like this
	}
	if share < slowConnects.Value {
		f.Confidence = min(f.Confidence, rule.Likely) // long paths lose that much for moments
	}
	if x.waited <= 0 { // clients gave up at once
		f.Impact = rule.Impact{Share: share, Text: rule.T("%s of connects", unit.Share(share))}
	}
	if x.ignored > 0 {
		f.Evidence = append(f.Evidence, rule.Evidence{
			Metric: metric.RTSYNACKRepeats, Value: float64(x.ignored), Limit: rule.Limit(0),
			What:  rule.T("in %s connections the server repeated its SYN-ACK although the client had answered it and sent its request: its accept queue was full", unit.Count(x.ignored)),
			Check: tshark(v, s, shell.Display("tcp.flags.syn == 1 && tcp.flags.ack == 1 && tcp.analysis.retransmission"), "frame.time_relative", view.IPField("dst", s.Server), "tcp.dstport"),
		})
	}
	f.Evidence = append(f.Evidence, rule.Evidence{
		Metric: metric.RTSYNRepeats, Value: float64(x.repeated), Limit: rule.Limit(minRepeatedSYNs.Value),
		What:  rule.T("the first SYN of %s of %s got no answer, %s SYNs in total; %s of them never got one", unit.Count(x.repeated), unit.Plural(x.begun, "connect", "connects"), unit.Count(x.silent), unit.Count(x.never)),
		Check: tshark(v, s, shell.Display("tcp.flags.syn == 1 && tcp.flags.ack == 0 && tcp.analysis.retransmission"), "frame.time_relative", view.IPField("src", s.Server), "tcp.srcport"),
	})
	if len(x.steps) > 0 {
		kept := ""
		if !v.ConnectionsComplete() {
			kept = fmt.Sprintf(", by the %d with the longest waits", len(x.steps))
		}
		f.Evidence = append(f.Evidence, rule.Evidence{
			Metric: metric.RTConnect, Value: at(x.steps, 0.5).Seconds(), Limit: rule.Limit(direction.FirstRetry.Seconds()),
			What:  rule.T("the answered ones took %s%s: %s", unit.Duration(at(x.steps, 0.5)), kept, steps(x.steps)),
			Check: packets(v, s).With("--by connection"),
		})
	}
	f.Evidence = append(f.Evidence, rule.WhoConnects(v, func(c *view.Connects) bool { return c.Remote == s.Server && c.RemotePort == s.Port })...)
	if w := toServer(v, s); w.Samples > 0 {
		f.Evidence = append(f.Evidence, w.evidence(v, s, "the server"))
	}
	f.Fixes = []rule.Fix{{
		Text:     rule.T("see on the server what drops the SYNs: its accept queue, SYN queue, packet filter, connection tracking; if they do not arrive there, it is the network"),
		Command:  shell.Line("nstat -az TcpExtListenOverflows TcpExtListenDrops TcpExtTCPReqQFullDrop; ss -ltn 'sport = :%d'; iptables -nvL; conntrack -S", s.Port),
		Tradeoff: "none",
	}, {
		Text:     rule.T("connect less often: keep connections open, or take them from a pool"),
		Tradeoff: "open connections cost memory on both sides",
	}}
	return f
}

// steps counts connect times by whole seconds: repeats come after 1, 3, 7, 15 s
// with the doubling timer of RFC 6298, after 1, 2, 3, 4, 5, 7 s with Linux 6.5
// and later (net.ipv4.tcp_syn_linear_timeouts).
func steps(times []time.Duration) string {
	counts := map[time.Duration]int{}
	for _, d := range times {
		counts[d.Round(time.Second)]++
	}
	var words []string
	for _, d := range slices.Sorted(maps.Keys(counts)) {
		words = append(words, fmt.Sprintf("%d about %s", counts[d], unit.Duration(d)))
	}
	const most = 6
	if len(words) > most {
		words = append(words[:most], "...")
	}
	return strings.Join(words, ", ")
}

// connectsSeen says whether any connection was begun in the capture.
func connectsSeen(v *view.View) bool {
	return slices.ContainsFunc(v.PacketConnections(), func(c *view.PacketConnection) bool { return c.SYNs > 0 })
}
