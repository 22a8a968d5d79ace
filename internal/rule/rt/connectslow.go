package rt

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

//go:embed connectslow.md
var connectSlowPage string

var connectSlow = rule.Rule{
	ID:       "rt/connect-slow",
	Title:    "connects take seconds because SYNs get no answer",
	Resource: "connects",
	Needs:    []recording.Table{recording.PacketCaptures, recording.PacketConnections},
	Page:     connectSlowPage,
	Detect:   detectConnectSlow,
}

const (
	// someRepeatedSYNs: one or two may be a moment of a bad line.
	someRepeatedSYNs = 3
	// slowConnects is the share of connects from which it is more than bad luck:
	// lines that lose one packet in a thousand repeat one SYN in a thousand.
	slowConnects = 0.01
	// firstRetry is how long Linux, and most others, wait before a SYN is
	// repeated: TCP_TIMEOUT_INIT of include/net/tcp.h, RFC 6298 section 2.1.
	firstRetry = time.Second
	// aboutRetry is how much earlier a repeat may come, by timers that are coarse.
	aboutRetry = 100 * time.Millisecond
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
	v        *view.View
	service  *view.PacketService // of those at this address and port, the one most asked
	repeated int                 // connections whose SYN was sent more than once
	never    int                 // of these, those that were never answered
	begun    int                 // connections whose SYN was seen
	waited   time.Duration       // by connects with repeated SYNs
	steps    []time.Duration     // connect times of those answered
	silent   int                 // SYNs that no answer came to
}

func (x *slowConnect) add(c *view.PacketConnection) {
	if c.SYNs == 0 {
		return
	}
	x.begun++
	switch {
	case c.SYNs < 2 || c.Refused:
	case c.SYNACKs == 0:
		x.repeated++
		x.never++
		x.silent += int(c.SYNs)
		x.waited += c.Last.Sub(c.At)
	case c.Connect >= firstRetry-aboutRetry:
		x.repeated++
		x.silent += int(c.SYNs) - 1
		x.waited += c.Connect
		x.steps = append(x.steps, c.Connect)
	}
}

func (x *slowConnect) look(address string, port int32) bool {
	if x.repeated < someRepeatedSYNs {
		return false
	}
	handshakes := int64(0)
	for _, s := range x.v.PacketServices() {
		if s.Server == address && int32(s.Port) == port {
			handshakes += s.Handshakes
			if x.service == nil || s.Proto != "" && s.Handshakes > x.service.Handshakes {
				x.service = s
			}
		}
	}
	if x.service == nil {
		return false
	}
	// Of many connections only the worst are kept, but all handshakes counted.
	x.begun = max(x.begun, int(handshakes)+x.repeated)
	slices.Sort(x.steps)
	return float64(x.repeated) >= slowConnects*float64(x.begun)
}

func (x *slowConnect) finding() rule.Finding {
	v, s := x.v, x.service
	share := float64(x.repeated) / float64(x.begun)
	f := rule.Finding{
		Subject: serviceSubject(v, s), Confidence: atMost(v, s, rule.Certain),
		Headline: rule.T("connects to %s take seconds: %s of their first SYNs get no answer", s.Name(), unit.Share(share)),
		Impact:   rule.Impact{TimeLost: perSecond(v, x.waited), Text: rule.T("%s of connects, %s waited", unit.Share(share), unit.Duration(x.waited))},
	}
	if x.never == x.begun {
		f.Headline = rule.T("connects to %s get no answer", s.Name())
	}
	f.Evidence = []rule.Evidence{{
		Metric: "rt.syn-repeats", Value: float64(x.repeated), Unit: "count", Limit: rule.Limit(someRepeatedSYNs),
		What:  rule.T("%s of %s connects repeated their SYN, %s SYNs got no answer, %s connects none at all", unit.Count(x.repeated), unit.Count(x.begun), unit.Count(x.silent), unit.Count(x.never)),
		Check: tshark(v, s, "tcp.flags.syn == 1 && tcp.flags.ack == 0 && tcp.analysis.retransmission", "frame.time_relative", "ip.src", "tcp.srcport"),
	}}
	if len(x.steps) > 0 {
		f.Evidence = append(f.Evidence, rule.Evidence{
			Metric: "rt.connect", Value: at(x.steps, 0.5).Seconds(), Unit: "seconds", Limit: rule.Limit(firstRetry.Seconds()),
			What:  rule.T("those answered took %s: %s", unit.Duration(at(x.steps, 0.5)), steps(x.steps)),
			Check: packets(v, s, "--by connection"),
		})
	}
	if w := toServer(v, s); w.Samples > 0 {
		f.Evidence = append(f.Evidence, w.evidence(v, s, "the server"))
	}
	f.Fixes = []rule.Fix{{
		Text:     rule.T("see on the server who drops the SYNs: its accept queue, SYN queue, packet filter, connection tracking; if they do not arrive there, it is the network"),
		Command:  fmt.Sprintf("nstat -az TcpExtListenOverflows TcpExtListenDrops TcpExtTCPReqQFullDrop; ss -ltn 'sport = :%d'; iptables -nvL; conntrack -S", s.Port),
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
