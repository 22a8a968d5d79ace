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
	Resource:   "local ports",
	Needs:      []recording.Table{recording.TCPSockets, recording.Sysctls},
	Explains:   []string{"rt/connect-slow"},
	Refutes:    []string{"connects"},
	Thresholds: []*rule.Threshold{&rangeFull, &rangeNearlyFull, &fewPorts, &reopenedShare, &minUnsent},
	Detect:     detectEphemeralPorts,
}

var (
	rangeFull = rule.Threshold{Name: "range-full", Value: 0.97, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the range. The others may be bound sockets, or were freed a moment ago."}
	rangeNearlyFull = rule.Threshold{Name: "range-nearly-full", Value: 0.85, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the range that is worth mentioning: the next burst fills it."}
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
}

var minUnsent = rule.Threshold{Name: "min-unsent", Value: 3, Unit: "count", Source: rule.Judgement,
	Reason: "Connects for which the kernel found no local port, as it told. They are proof by themselves."}

var reopenedShare = rule.Threshold{Name: "reopened-share", Value: 0.5, Unit: "share", Source: rule.Judgement,
	Reason: "Share of the range opened within the time after which ports are free again. Half of it in an average second is all of it in a burst."}

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
		if c == rule.Possible {
			f.Impact = rule.Impact{Share: 0.1, Text: rule.T("nothing yet")}
		}
		f.Affects = []view.Entity{v.PeerEntity(x.remote, x.ns), v.NetNSEntity(x.ns)}
		found = append(found, f)
	}
	return found, nil
}

func exhaustions(v *view.View) []exhaustion {
	byKey := map[destination]*exhaustion{}
	var order []destination
	for _, space := range v.TCPNamespaces() {
		low, high, ok := portRange(v, space)
		if !ok {
			continue
		}
		size := high - low + 1 - reserved(v, space, low, high)
		if size < fewPorts.Int() {
			continue
		}
		servers := map[uint16]bool{} // ports that are not taken from the range
		for _, l := range v.Listeners() {
			if l.NetNS == space {
				servers[l.Port] = true
			}
		}
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
	var list []exhaustion
	for _, d := range order {
		x := byKey[d]
		if float64(x.peak) < rangeNearlyFull.Value*float64(x.size) {
			continue
		}
		x.owner, x.owned = clientOf(v, d)
		x.askConnects(v)
		list = append(list, *x)
	}
	slices.SortStableFunc(list, func(a, b exhaustion) int { return -cmp.Compare(a.full, b.full) })
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

func portRange(v *view.View, ns uint64) (low, high int, ok bool) {
	text, ok := v.Sysctl(ns, "net.ipv4.ip_local_port_range")
	if !ok {
		return 0, 0, false
	}
	n, err := fmt.Sscan(text, &low, &high)
	return low, high, err == nil && n == 2 && low > 0 && high >= low
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

// reusable says whether the kernel may take a port in TIME_WAIT again after a
// second: tcp_tw_reuse 1, or 2 (the default) on loopback.
func reusable(v *view.View, d destination) bool {
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
	case x.unsent >= int64(minUnsent.Value):
		return rule.Certain
	case held && x.reusable && x.timeWait > x.peak/2:
		// Most ports can be had again after a second: they run out only when
		// more connections are opened per second than there are ports.
		if x.opens*reuseDelay >= reopenedShare.Value*float64(x.size) {
			return rule.Likely
		}
		return rule.Possible
	case held && x.peak >= x.size:
		return rule.Certain
	case held:
		return rule.Likely
	}
	return rule.Possible
}

// askConnects takes what the kernel told of connects to the destination: who makes
// them, and for how many it found no port.
func (x *exhaustion) askConnects(v *view.View) {
	most := int64(0)
	for _, c := range v.Connects() {
		if !x.meets(&c) {
			continue
		}
		if c.Result == recording.ConnectNotSent {
			x.unsent += c.Count
		}
		if p, ok := v.Process(c.PID); ok && (!x.owned || most > 0) && c.Count > most {
			x.owner, x.owned, most = p, true, c.Count
		}
	}
}

// meets says whether connects are to the destination.
func (x *exhaustion) meets(c *view.Connects) bool {
	return c.NetNS == x.ns && c.Remote == x.remote && c.RemotePort == x.remotePort && c.Result != recording.ConnectAccepted
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
	list := []rule.Evidence{
		{
			Metric: metric.TCPLocalPorts, What: rule.T("%s of %s ports (range %s) used from %s to %s in %d of %d samples", unit.Count(x.peak), unit.Count(x.size), x.text, x.local, x.to(), x.full, x.readings),
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
		Text:     rule.T("keep connections to %s open and use them again (nginx: keepalive in upstream; a pool elsewhere)", x.to()),
		Tradeoff: "idle connections at the destination",
	}, {
		Text:    rule.T("widen the range of local ports"),
		Command: shell.Line("%s sysctl -w net.ipv4.ip_local_port_range='10240 65535'", enter), Tradeoff: "servers that listen on high ports need ip_local_reserved_ports",
	}}
	if !x.reusable && x.timeWait > 0 {
		fixes = append(fixes, rule.Fix{
			Text: rule.T("let outgoing connections use ports in TIME_WAIT again"), Command: shell.Line("%s sysctl -w net.ipv4.tcp_tw_reuse=1", enter),
			Tradeoff: "needs TCP timestamps at both ends; not meant for destinations behind NAT that mixes clocks",
		})
	}
	return append(fixes, rule.Fix{
		Text: rule.T("use more addresses: several at the destination, or several local ones (proxy_bind)"), Tradeoff: "configuration; each address brings a range of ports",
	})
}
