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

// maxFamilies is how many pairs of address and port are told of, the most refused ones: any
// local user can make thousands.
const maxFamilies = 200

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
	known := map[key]*otherFamily{}
	var list []*otherFamily
	events := v.TCPEvents()
	for i := range events {
		e := &events[i]
		// The client's end of a refused connect: kernels before Linux 6.10 do not tell of the reset
		// that a port without listener sends.
		if e.Kind != recording.TCPResetReceived || e.State != recording.TCPSynSent || !loopback(e.Remote) || e.RemotePort == 0 {
			continue
		}
		k := key{e.NetNS, e.Remote, e.RemotePort}
		if o := known[k]; o != nil {
			o.refused += e.Packets
			continue
		}
		if l, ok := otherListener(v, e.NetNS, e.Remote, e.RemotePort); ok {
			o := &otherFamily{Listener: l, asked: e.Remote, refused: e.Packets}
			known[k] = o
			list = append(list, o)
		}
	}
	slices.SortStableFunc(list, func(a, b *otherFamily) int { return cmp.Compare(b.refused, a.refused) })
	list = list[:min(len(list), maxFamilies)]
	for _, o := range list {
		o.opened = v.CountersOf(o.NetNS).Delta("TcpPassiveOpens")
	}
	beganOnLoopback(v, list)
	return list
}

// otherListener finds who listens on a port, on addresses of the other family than the one that
// was asked only.
func otherListener(v *view.View, ns uint64, asked string, port uint16) (view.Listener, bool) {
	type place struct {
		ns   uint64
		port uint16
		six  bool
	}
	last := view.Memo(v, "net/loopback-listeners", func() map[place]*view.Listener {
		m := map[place]*view.Listener{}
		all := v.Listeners()
		for i := range all {
			if l := &all[i]; loopback(l.Local) || view.Wildcard(l.Local) {
				m[place{l.NetNS, l.Port, isIPv6(l.Local)}] = l
			}
		}
		return m
	})
	six := isIPv6(asked)
	if last[place{ns, port, six}] != nil {
		return view.Listener{}, false // it began to listen in the window, or ended
	}
	if l := last[place{ns, port, !six}]; l != nil {
		return *l, true
	}
	return view.Listener{}, false
}

func isIPv6(address string) bool {
	a, err := netip.ParseAddr(address)
	return err == nil && a.Is6()
}

// beganOnLoopback counts for each listener the connections with it, from this host to itself,
// that were not there at the first reading.
func beganOnLoopback(v *view.View, list []*otherFamily) {
	type place struct {
		ns   uint64
		port uint16
	}
	clients := map[place]map[uint16]bool{} // their ports
	for _, o := range list {
		clients[place{o.NetNS, o.Port}] = map[uint16]bool{}
	}
	all := v.Connections()
	for i := range all {
		c := &all[i]
		at, to := clients[place{c.NetNS, c.LocalPort}], clients[place{c.NetNS, c.RemotePort}]
		switch {
		case at == nil && to == nil || !c.New || !loopback(c.Local) || !loopback(c.Remote):
			continue
		case to != nil && !c.Connecting():
			to[c.LocalPort] = true
		}
		if at != nil {
			at[c.RemotePort] = true
		}
	}
	for _, o := range list {
		o.seen = len(clients[place{o.NetNS, o.Port}])
	}
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
	connects := v.Connects()
	for i := range connects {
		c := &connects[i]
		if c.NetNS != o.NetNS || c.Remote != o.asked || c.RemotePort != o.Port || len(f.Affects) >= maxAffected {
			continue
		}
		if p, ok := v.Process(c.PID); ok {
			f.Affects = append(f.Affects, p.Entity())
		}
	}
	f.Fixes = []rule.Fix{
		{Text: rule.T("let %s listen on both loopback addresses, 127.0.0.1 and ::1, then restart or reload it", o.Name()), Command: shell.Line("%s ss -Htlnp 'sport = :%d'", enter, o.Port), Tradeoff: "a restart ends its connections"},
		{Text: rule.T("or give clients the address %s instead of the name localhost", hostPort(o.Local, o.Port)), Command: shell.Line("getent ahosts localhost"), Tradeoff: "the address then stands in each client's configuration"},
	}
	return f
}
