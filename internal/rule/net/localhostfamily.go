package net

import (
	"cmp"
	"net/netip"
	"slices"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var localhostFamily = rule.Rule{
	ID:         "net/localhost-family",
	Title:      "clients look for a service at ::1 that listens on 127.0.0.1 only, or the other way round",
	Plural:     "services are looked for at the loopback address that they do not listen on",
	Resource:   "connects on loopback",
	Needs:      []recording.Table{recording.Listeners, recording.TCPEvents},
	Refutes:    []string{"connects"},
	Thresholds: []*rule.Threshold{&refusedOften, &cameOtherwise},
	Seen:       func(*view.View) bool { return false }, // only refused connects are told
	Detect:     detectLocalhostFamily,
}

var (
	refusedOften = rule.Threshold{Name: "refused-often", Value: 3, Unit: "count", Source: rule.Judgement,
		Reason: "Refused connects to one port. A scan of ports tries each once or twice."}
	cameOtherwise = rule.Threshold{Name: "came-otherwise", Value: 0.5, Unit: "ratio", Source: rule.Judgement,
		Reason: "Ratio of the connections that came in by the other address to the refused connects. From here on clients may try both addresses and come through at once, as many libraries do."}
)

// otherFamily is the connects to one port of a loopback address that nobody listens on, while
// somebody listens on the port of the other one.
type otherFamily struct {
	view.Listener
	asked   string // address that was asked
	refused int64
	opened  float64 // connections that came in, of all listeners of the namespace
	seen    int     // connections with the listener on loopback that began in the window
}

func detectLocalhostFamily(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, o := range otherFamilies(v) {
		if c := o.confidence(); c > 0 {
			found = append(found, o.finding(v, c))
		}
	}
	return found, nil
}

func otherFamilies(v *view.View) []*otherFamily {
	type key struct {
		ns    uint64
		asked string
		port  uint16
	}
	refused := map[key]int64{}
	var asked []key
	for _, e := range v.TCPEvents() {
		// The client's end of a refused connect: kernels before Linux 6.10 do not tell of the reset
		// that a port without listener sends.
		if e.Kind != recording.TCPResetReceived || e.State != recording.TCPSynSent || !loopback(e.Remote) || e.RemotePort == 0 {
			continue
		}
		k := key{e.NetNS, e.Remote, e.RemotePort}
		if refused[k] == 0 {
			asked = append(asked, k)
		}
		refused[k] += e.Packets
	}
	asked = slices.DeleteFunc(asked, func(k key) bool { return refused[k] < int64(refusedOften.Value) })
	slices.SortStableFunc(asked, func(a, b key) int { return cmp.Compare(refused[b], refused[a]) })
	var list []*otherFamily
	for _, k := range asked[:min(len(asked), maxAsked)] {
		if l, ok := otherListener(v, k.ns, k.asked, k.port); ok {
			list = append(list, &otherFamily{Listener: l, asked: k.asked, refused: refused[k], opened: v.CountersOf(k.ns).Delta("TcpPassiveOpens"), seen: beganOnLoopback(v, l)})
		}
	}
	return list
}

// maxAsked is how many ports are looked at, those that refused most: each is compared with all
// listeners and connections.
const maxAsked = 200

// otherListener finds who listens on a port, on addresses of the other family than the one that
// was asked only.
func otherListener(v *view.View, ns uint64, asked string, port uint16) (found view.Listener, ok bool) {
	six := isIPv6(asked)
	for _, l := range v.Listeners() {
		if l.NetNS != ns || l.Port != port || !loopback(l.Local) && !view.Wildcard(l.Local) {
			continue
		}
		if isIPv6(l.Local) == six {
			return view.Listener{}, false // it began to listen in the window, or ended
		}
		found, ok = l, true
	}
	return found, ok
}

func isIPv6(address string) bool {
	a, err := netip.ParseAddr(address)
	return err == nil && a.Is6()
}

// beganOnLoopback is how many connections with a listener, from this host to itself, were not
// there at the first reading.
func beganOnLoopback(v *view.View, l view.Listener) int {
	ports := map[uint16]bool{} // of clients
	all := v.Connections()
	for i := range all {
		c := &all[i]
		switch {
		case !c.New || c.NetNS != l.NetNS || !loopback(c.Local) || !loopback(c.Remote):
		case c.LocalPort == l.Port:
			ports[c.RemotePort] = true
		case c.RemotePort == l.Port && !c.Connecting():
			ports[c.LocalPort] = true
		}
	}
	return len(ports)
}

func (o *otherFamily) confidence() rule.Confidence {
	limit := cameOtherwise.Value * float64(o.refused)
	switch {
	case o.refused < int64(refusedOften.Value), !view.Known(o.opened):
		return 0
	case o.opened < limit:
		return rule.Likely
	case float64(o.seen) < limit:
		return rule.Possible // what came in may have come to others
	}
	return 0
}

func (o *otherFamily) finding(v *view.View, c rule.Confidence) rule.Finding {
	f := rule.Finding{Subject: o.Listener.Entity(), Confidence: c}
	asked, enter := hostPort(o.asked, o.Port), v.EnterNetNS(o.NetNS)
	f.Headline = rule.T("%s%s listens on %s only, and clients connect to %s: %s refused", o.Name(), v.InNetNS(o.NetNS), hostPort(o.Local, o.Port), asked, unit.Plural(o.refused, "connect was", "connects were"))
	s := share(float64(o.refused), float64(o.seen))
	f.Impact = rule.Impact{Share: s, Text: rule.T("%s of the connects to port %d on loopback", unit.Share(s), o.Port)}
	f.Evidence = []rule.Evidence{
		{Metric: metric.TCPLoopbackRefused, What: rule.T("%s at %s answered by RST: nobody listens there", unit.Plural(o.refused, "SYN", "SYNs"), asked),
			Value: float64(o.refused), Limit: rule.Limit(0), Check: shell.Line("rtrail trace retransmits --for 10s")},
		{Metric: metric.TCPLoopbackRefused, What: rule.T("%s connections began at %s meanwhile", unit.Count(o.seen), hostPort(o.Local, o.Port)),
			Value: float64(o.seen), Check: shell.Line("%s ss -Htlnp 'sport = :%d'", enter, o.Port)},
	}
	f.Evidence = append(f.Evidence, rule.WhoConnects(v, func(c *view.Connects) bool {
		return c.NetNS == o.NetNS && c.Remote == o.asked && c.RemotePort == o.Port
	})...)
	for _, c := range v.Connects() {
		if p, ok := v.Process(c.PID); ok && c.NetNS == o.NetNS && c.Remote == o.asked && c.RemotePort == o.Port {
			f.Affects = append(f.Affects, p.Entity())
		}
	}
	f.Fixes = []rule.Fix{
		{Text: rule.T("let %s listen on both loopback addresses, 127.0.0.1 and ::1, then restart or reload it", o.Name()), Command: shell.Line("%s ss -Htlnp 'sport = :%d'", enter, o.Port), Tradeoff: "a restart ends its connections"},
		{Text: rule.T("or give clients the address %s instead of the name localhost", hostPort(o.Local, o.Port)), Command: shell.Line("getent ahosts localhost"), Tradeoff: "the address then stands in each client's configuration"},
	}
	return f
}
