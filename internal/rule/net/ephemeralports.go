package net

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var ephemeralPorts = rule.Rule{
	ID:         "net/ephemeral-ports",
	Title:      "a client has no local ports left for one destination",
	Plural:     "destinations leave their clients no local ports",
	Resource:   "local ports",
	Needs:      []recording.Table{recording.TCPSockets, recording.Sysctls},
	Explains:   []string{"rt/connect-slow"},
	Refutes:    []string{"connects"},
	Thresholds: []*rule.Threshold{&rangeFull, &rangeNearlyFull, &fewPorts, &reopenedShare, &minUnsent, &unsentShare},
	Detect:     detectEphemeralPorts,
}

var (
	rangeFull = rule.Threshold{Name: "range-full", Value: 0.97, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the range. The other ports may be bound, or were freed a moment ago."}
	rangeNearlyFull = rule.Threshold{Name: "range-nearly-full", Value: 0.85, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the range. Worth mentioning: the next burst fills it."}
	fewPorts = rule.Threshold{Name: "few-ports", Value: 8, Unit: "count", Source: rule.Judgement,
		Reason: "Ports in the range. Smaller ranges are not judged."}
)

const (
	// reuseDelay is how long a port in TIME_WAIT is kept when the kernel may
	// use it again (tcp_tw_reuse; tcp_tw_reuse_delay of newer kernels).
	reuseDelay = 1.0
)

// destination is one remote address and port as one local address sees it: a
// local port can be used once for each.
type destination struct {
	ns         uint64
	local      string
	remote     string
	remotePort uint16
}

// exhaustion is the use of local ports towards one destination.
type exhaustion struct {
	destination
	size     int // ports in the range, without reserved ones
	text     string
	readings int
	full     int
	peak     int
	timeWait int // of the peak
	reusable bool
	opens    float64 // connects per second in the namespace
	owner    view.Process
	owned    bool
	unsent   int64 // connects for which the kernel found no port, as it told
	sent     int64 // others to the destination
	fullest  bool  // of the local addresses that lead there
}

var minUnsent = rule.Threshold{Name: "min-unsent", Value: 3, Unit: "count", Source: rule.Judgement,
	Reason: "Connects for which the kernel reported no free local port. They are proof by themselves."}

var unsentShare = rule.Threshold{Name: "unsent-share", Value: 0.01, Unit: "share", Source: rule.Judgement,
	Reason: "Share of the connects to a destination that found no local port. Below it ports are short only for moments, or a client asks for a port that it used before."}

var reopenedShare = rule.Threshold{Name: "reopened-share", Value: 0.5, Unit: "share", Source: rule.Judgement,
	Reason: "Share of the range opened within the time after which ports are free again. Half of the range in an average second is the whole range in a burst."}

func detectEphemeralPorts(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, x := range exhaustions(v) {
		c := x.confidence()
		if c == 0 {
			continue
		}
		f := rule.Finding{Subject: x.subject(v), Confidence: c, Headline: x.headline(v), Fixes: x.fixes(v)}
		f.Evidence = append(x.evidence(v), rule.WhoConnects(v, x.meets)...)
		f.Impact = rule.Impact{Share: float64(x.full) / float64(x.readings), Text: rule.T("every new connection to %s in %d of %d samples", x.to(), x.full, x.readings)}
		switch {
		case x.refused() || c == rule.Possible && x.unsent > 0:
			f.Impact = rule.Impact{Share: x.unsentShare(), Text: rule.T("%s found no port", unit.Plural(x.unsent, "connect", "connects"))}
		case c == rule.Possible:
			f.Impact = rule.Impact{Share: 0.1, Text: rule.T("nothing yet")}
		}
		f.Affects = []view.Entity{v.PeerEntity(x.remote, x.ns), v.NetNSEntity(x.ns)}
		found = append(found, f)
	}
	if len(found) == 0 {
		return nil, unreadConnections(v)
	}
	return found, nil
}

// unreadConnections says that connections which the probe left out may use up a range, all of
// them to the destination that has most ports already.
func unreadConnections(v *view.View) error {
	lost := v.MostLost(recording.TCPSockets)
	if lost == 0 {
		return nil
	}
	for _, space := range v.TCPNamespaces() {
		low, high, size, ok := portRange(v, space)
		if !ok {
			continue
		}
		servers := serverPorts(v, space)
		for _, moment := range v.TCPMoments(space) {
			most := 0
			for _, use := range portsOf(moment, servers, low, high) {
				most = max(most, use.ports)
			}
			if float64(most)+float64(lost) >= rangeNearlyFull.Value*float64(size) {
				return &rule.NotJudged{Needs: "all connections", Why: fmt.Sprintf("%s of a sample could not be read", unit.Count(lost)),
					How: shell.Say("count those to one destination: ss -Htan dst ADDRESS:PORT | wc -l")}
			}
		}
	}
	return nil
}

func exhaustions(v *view.View) []exhaustion {
	byKey := map[destination]*exhaustion{}
	var order []destination
	for _, space := range v.TCPNamespaces() {
		low, high, size, ok := portRange(v, space)
		if !ok {
			continue
		}
		servers := serverPorts(v, space)
		moments := v.TCPMoments(space)
		for _, moment := range moments {
			if float64(len(moment)) < rangeNearlyFull.Value*float64(size) {
				continue // so few cannot use up the range
			}
			for d, use := range portsOf(moment, servers, low, high) {
				x := byKey[d]
				if x == nil {
					x = &exhaustion{destination: d, size: size, text: fmt.Sprintf("%d-%d", low, high), readings: len(moments),
						opens: v.CountersOf(space).Rate("TcpActiveOpens"), reusable: reusable(v, d)}
					byKey[d] = x
					order = append(order, d)
				}
				if float64(use.ports) >= rangeFull.Value*float64(size) {
					x.full++
				}
				if use.ports > x.peak {
					x.peak, x.timeWait = use.ports, use.timeWait
				}
			}
		}
	}
	fullest := map[destination]destination{} // by destinations without the local address
	for _, d := range order {
		if most, ok := fullest[d.anyLocal()]; !ok || cmp.Or(cmp.Compare(byKey[d].peak, byKey[most].peak), most.compare(d)) > 0 {
			fullest[d.anyLocal()] = d
		}
	}
	var list []exhaustion
	for _, d := range order {
		x := byKey[d]
		x.fullest = fullest[d.anyLocal()] == d
		x.askConnects(v)
		if !x.nearlyFull() && !x.refused() {
			continue
		}
		if p, ok := clientOf(v, d); ok {
			x.owner, x.owned = p, true
		}
		list = append(list, *x)
	}
	slices.SortFunc(list, func(a, b exhaustion) int {
		return cmp.Or(cmp.Compare(b.full, a.full), cmp.Compare(b.unsent, a.unsent), cmp.Compare(b.peak, a.peak), a.destination.compare(b.destination))
	})
	return list
}

// use is how many ports of the range one destination takes in one sample.
type use struct{ ports, timeWait int }

func portsOf(moment []recording.Reading[recording.TCPSample], servers map[uint16]bool, low, high int) map[destination]use {
	uses := map[destination]use{}
	for _, r := range moment {
		s := r.Of()
		if int(s.LocalPort) < low || int(s.LocalPort) > high || s.State == recording.TCPSynRecv || servers[s.LocalPort] {
			continue
		}
		d := destination{s.NetNS, s.Local, s.Remote, s.RemotePort}
		u := uses[d]
		u.ports++
		if s.State == recording.TCPTimeWait {
			u.timeWait++
		}
		uses[d] = u
	}
	return uses
}

// serverPorts are those that are not taken from the range.
func serverPorts(v *view.View, ns uint64) map[uint16]bool {
	servers := map[uint16]bool{}
	for _, l := range v.Listeners() {
		if l.NetNS == ns {
			servers[l.Port] = true
		}
	}
	return servers
}

// portRange is the range from which clients get local ports, and how many of them there are
// without reserved ones. ok is false if it is not known, or too small to be judged.
func portRange(v *view.View, ns uint64) (low, high, size int, ok bool) {
	text, ok := v.Sysctl(ns, "net.ipv4.ip_local_port_range")
	if !ok {
		return 0, 0, 0, false
	}
	n, err := fmt.Sscan(text, &low, &high)
	if err != nil || n != 2 || low <= 0 || high < low {
		return 0, 0, 0, false
	}
	size = high - low + 1 - reserved(v, ns, low, high)
	return low, high, size, size >= fewPorts.Int()
}

// reserved counts the ports of net.ipv4.ip_local_reserved_ports ("8080,9000-9010")
// inside the range.
func reserved(v *view.View, ns uint64, low, high int) int {
	text, _ := v.Sysctl(ns, "net.ipv4.ip_local_reserved_ports")
	n := 0
	for part := range strings.SplitSeq(strings.TrimSpace(text), ",") {
		from, to, isRange := strings.Cut(strings.TrimSpace(part), "-")
		a, err := strconv.Atoi(from)
		if err != nil {
			continue
		}
		b := a
		if isRange {
			if b, err = strconv.Atoi(to); err != nil {
				continue
			}
		}
		n += max(min(b, high)-max(a, low)+1, 0)
	}
	return n
}

// unstamped says that connections of a namespace have no TCP timestamps, without which no
// port in TIME_WAIT is used again.
func unstamped(v *view.View, ns uint64) bool {
	n, ok := v.SysctlNumber(ns, "net.ipv4.tcp_timestamps")
	return ok && n == 0
}

// reusable says whether the kernel may take a port in TIME_WAIT again after a
// second: tcp_tw_reuse 1, or 2 (the default) on loopback.
func reusable(v *view.View, d destination) bool {
	if unstamped(v, d.ns) {
		return false
	}
	text, ok := v.Sysctl(d.ns, "net.ipv4.tcp_tw_reuse")
	if !ok {
		return loopback(d.remote)
	}
	switch strings.TrimSpace(text) {
	case "1":
		return true
	case "2":
		return loopback(d.remote)
	}
	return false
}

// clientOf is the process that connects to a destination.
func clientOf(v *view.View, d destination) (view.Process, bool) {
	n, byPID := map[int32]int{}, map[int32]view.Process{}
	for _, c := range v.Connections() {
		if (destination{c.NetNS, c.Local, c.Remote, c.RemotePort}) != d {
			continue
		}
		for _, s := range c.Samples {
			// The last owner is the worker; the oldest may only have forked.
			if owners := v.SocketOwners(s.Of().Inode); len(owners) > 0 {
				p := owners[len(owners)-1]
				n[p.PID]++
				byPID[p.PID] = p
			}
		}
	}
	best, found := view.Process{}, false
	for pid, p := range byPID {
		if !found || n[pid] > n[best.PID] || n[pid] == n[best.PID] && pid < best.PID {
			best, found = p, true
		}
	}
	if !found {
		return onlyProgram(v, d.ns)
	}
	return best, found
}

// onlyProgram is the busiest process of a namespace in which one program alone
// was at work. With all ports in TIME_WAIT nobody owns a socket any more, but
// in a container that runs a single program there is no doubt.
func onlyProgram(v *view.View, ns uint64) (best view.Process, found bool) {
	for _, p := range v.Processes() {
		if p.NetNS != ns || p.Kernel || p.Own || p.CPUSeconds == 0 {
			continue
		}
		if !found {
			best, found = p, true
		} else if p.Comm != best.Comm {
			return view.Process{}, false
		}
	}
	return best, found
}

func (x exhaustion) confidence() rule.Confidence {
	held := x.full >= 2 && 2*x.full >= x.readings
	switch {
	case x.refused() && x.nearlyFull():
		return rule.Certain
	case x.refused():
		return rule.Likely // others hold the ports, or the client asks for certain ones
	case held && x.reusable && x.timeWait > x.peak/2:
		// Most ports can be had again after a second: they run out only when
		// more connections are opened per second than there are ports.
		if x.opens*reuseDelay >= reopenedShare.Value*float64(x.size) {
			return rule.Likely
		}
		return rule.Possible
	case held && x.peak >= x.size && (x.owned || x.opens > 0):
		return rule.Certain // else nobody was seen who needs a port
	case held:
		return rule.Likely
	}
	return rule.Possible
}

func (x *exhaustion) nearlyFull() bool {
	return float64(x.peak) >= rangeNearlyFull.Value*float64(x.size)
}

// refused says that the kernel found no port for more than a few connects.
func (x *exhaustion) refused() bool {
	return x.unsent >= int64(minUnsent.Value) && x.unsentShare() >= unsentShare.Value
}

// unsentShare is the share of the connects to the destination that found no port.
func (x *exhaustion) unsentShare() float64 { return share(float64(x.unsent), float64(x.sent)) }

// anyLocal is the destination as all local addresses see it.
func (d destination) anyLocal() destination {
	d.local = ""
	return d
}

func (d destination) compare(o destination) int {
	return cmp.Or(cmp.Compare(d.ns, o.ns), cmp.Compare(d.remote, o.remote), cmp.Compare(d.remotePort, o.remotePort), cmp.Compare(d.local, o.local))
}

// askConnects takes what the kernel told of connects to the destination: who makes
// them, and for how many it found no port.
func (x *exhaustion) askConnects(v *view.View) {
	most := int64(0)
	for _, c := range connectsOf(v)[x.anyLocal()] {
		if !x.meets(c) {
			continue
		}
		if c.Result == recording.ConnectNotSent {
			x.unsent += c.Count
		} else {
			x.sent += c.Count
		}
		if p, ok := v.Process(c.PID); ok && c.Count > most {
			x.owner, x.owned, most = p, true, c.Count
		}
	}
}

// connectsOf lists connects by their destination.
func connectsOf(v *view.View) map[destination][]*view.Connects {
	return view.Memo(v, "net/connects-of", func() map[destination][]*view.Connects {
		m := map[destination][]*view.Connects{}
		all := v.Connects()
		for i := range all {
			d := destination{all[i].NetNS, "", all[i].Remote, all[i].RemotePort}
			m[d] = append(m[d], &all[i])
		}
		return m
	})
}

// meets says whether connects are to the destination. Sums tell no local address: those
// for which the kernel found no port belong to the one that has most of them in use.
func (x *exhaustion) meets(c *view.Connects) bool {
	return c.NetNS == x.ns && c.Remote == x.remote && c.RemotePort == x.remotePort && c.Result != recording.ConnectAccepted &&
		(c.Local == x.local || c.Local == "" && x.fullest)
}

func (x exhaustion) to() string {
	return netip.AddrPortFrom(pktAddr(x.remote), x.remotePort).String()
}

func (x exhaustion) subject(v *view.View) view.Entity {
	if x.owned {
		return x.owner.Entity()
	}
	return v.NetNSEntity(x.ns)
}

func (x exhaustion) headline(v *view.View) rule.Text {
	who := "a client" + v.InNetNS(x.ns)
	if x.owned {
		who = x.owner.Entity().String()
	}
	if x.confidence() == rule.Possible {
		return rule.T("%s uses nearly all local ports towards %s", who, x.to())
	}
	return rule.T("%s has no local ports left towards %s: connect fails with EADDRNOTAVAIL", who, x.to())
}

func (x exhaustion) evidence(v *view.View) []rule.Evidence {
	enter := v.EnterNetNS(x.ns)
	used := rule.T("%s of %s ports (range %s) used from %s to %s in %d of %d samples", unit.Count(x.peak), unit.Count(x.size), x.text, x.local, x.to(), x.full, x.readings)
	if x.full == 0 {
		used = rule.T("at most %s of %s ports (range %s) used from %s to %s", unit.Count(x.peak), unit.Count(x.size), x.text, x.local, x.to())
	}
	list := []rule.Evidence{
		{
			Metric: metric.TCPLocalPorts, What: used,
			Value: float64(x.peak), Limit: rule.Limit(float64(x.size)),
			Check: shell.Line("%s ss -Htan dst %s | wc -l; %s sysctl net.ipv4.ip_local_port_range", enter, x.to(), enter),
		},
		{
			Metric: metric.TCPTimeWait, What: rule.T("%s of them in TIME_WAIT, each for 60 s after its connection was closed from here", unit.Count(x.timeWait)),
			Value: float64(x.timeWait), Check: shell.Line("%s ss -Htan state time-wait dst %s | wc -l", enter, x.to()),
		},
	}
	if x.opens > 0 {
		list = append(list, rule.Evidence{
			Metric: metric.TCPActiveOpens, What: rule.T("%s connects succeed in the namespace", unit.PerSecond(x.opens)),
			Value: x.opens, Check: shell.Line("%s nstat -az TcpActiveOpens", enter),
		})
	}
	return list
}

func (x exhaustion) fixes(v *view.View) []rule.Fix {
	enter := v.EnterNetNS(x.ns)
	fixes := []rule.Fix{{
		Text:     rule.T("keep connections to %s open and reuse them (nginx: keepalive in upstream; a pool elsewhere)", x.to()),
		Tradeoff: "idle connections at the destination",
	}, {
		Text:    rule.T("widen the range of local ports"),
		Command: shell.Line("%s sysctl -w net.ipv4.ip_local_port_range='10240 65535'", enter), Tradeoff: "servers that listen on high ports need ip_local_reserved_ports",
	}}
	if !x.reusable && x.timeWait > 0 {
		settings := shell.Line("net.ipv4.tcp_tw_reuse=1")
		if unstamped(v, x.ns) {
			settings = shell.Line("net.ipv4.tcp_timestamps=1 net.ipv4.tcp_tw_reuse=1")
		}
		fixes = append(fixes, rule.Fix{
			Text: rule.T("let outgoing connections reuse ports in TIME_WAIT"), Command: shell.Line("%s sysctl -w %s", enter, settings),
			Tradeoff: "needs TCP timestamps at both ends; not for destinations behind NAT with different clocks",
		})
	}
	return append(fixes, rule.Fix{
		Text: rule.T("use more addresses: several at the destination, or several local ones (proxy_bind)"), Tradeoff: "configuration; each address brings a range of ports",
	})
}
