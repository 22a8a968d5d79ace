package net

import (
	"rtrail/internal/metric"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// link is what large packets do not get through, between one host and others.
// One narrow link can be the cause of all, as they have one end in common.
type link struct {
	narrow             // sums over all ways; from or to is "" if there are several
	ways     []*narrow // what waited longest first
	certain  rule.Confidence
	outwards bool // the host in common is the one that sends
}

// linksOf gathers the directions that are accused by the end that most of them
// have in common. Two directions go together only if all that got stuck on either
// was larger than all that got through on both: else the sizes are no proof of
// one link.
func linksOf(list []*narrow) []*link {
	type host struct {
		address  string
		outwards bool
	}
	common := map[host]int{}
	for _, n := range list {
		if n.confidence() > 0 {
			common[host{n.from, true}]++
			common[host{n.to, false}]++
		}
	}
	var links []*link
	known := map[host][]*link{}
	for _, n := range list {
		c := n.confidence()
		if c == 0 {
			continue
		}
		h := host{n.to, false}
		if from := (host{n.from, true}); common[from] > common[h] {
			h = from
		}
		joined := false
		for _, l := range known[h] {
			if joined = l.fits(n); joined {
				l.join(n, c)
				break
			}
		}
		if !joined {
			l := &link{narrow: *n, ways: []*narrow{n}, certain: c, outwards: h.outwards}
			known[h] = append(known[h], l)
			links = append(links, l)
		}
	}
	return links
}

func (l *link) fits(n *narrow) bool { return max(l.acked, n.acked) < min(l.smallest, n.smallest) }

// join adds a direction. It is no surer for that: each is judged by its own
// segments.
func (l *link) join(n *narrow, c rule.Confidence) {
	l.ways = append(l.ways, n)
	l.certain = max(l.certain, c)
	if l.outwards {
		l.to = ""
	} else {
		l.from = ""
	}
	l.stuck = append(l.stuck[:len(l.stuck):len(l.stuck)], n.stuck...)
	l.smallest, l.largest = min(l.smallest, n.smallest), max(l.largest, n.largest)
	l.copies += n.copies
	l.acked = max(l.acked, n.acked)
	l.passed += n.passed
	l.tooBig += n.tooBig
	if n.mtu > 0 && (l.mtu == 0 || n.mtu < l.mtu) {
		l.mtu = n.mtu
	}
	l.waited += n.waited
	l.mss = max(l.mss, n.mss)
}

// ends names who sends and who receives.
func (l *link) ends() (from, to string) {
	from, to = l.from, l.to
	if from == "" {
		from = l.others()
	}
	if to == "" {
		to = l.others()
	}
	return from, to
}

// others is how many hosts are at the end that the ways do not have in common.
func (l *link) others() string {
	servers := 0
	for _, n := range l.ways {
		if n.fromServer != l.outwards {
			servers++
		}
	}
	switch servers {
	case 0:
		return plural(len(l.ways), "client")
	case len(l.ways):
		return plural(servers, "server")
	}
	return plural(len(l.ways), "host")
}

// packets is the display filter for what goes one way, or for what comes back.
func (l *link) packets(back bool) shell.Filter {
	from, to := "src", "dst"
	if back {
		from, to = to, from
	}
	switch {
	case l.from == "":
		return pktHost(to, l.to)
	case l.to == "":
		return pktHost(from, l.from)
	}
	return shell.Display("%s && %s", pktHost(from, l.from), pktHost(to, l.to))
}

func (l *link) subject(v *view.View) view.Entity {
	from, to := l.ends()
	s := v.PeerEntity(to, 0)
	s.Detail = "from " + from
	if l.to == "" {
		s = v.PeerEntity(from, 0)
		s.Detail = "to " + to
	}
	return s
}

func (l *link) finding(v *view.View) rule.Finding {
	from, to := l.ends()
	f := rule.Finding{Subject: l.subject(v), Confidence: l.certain}
	// Somebody waits as long as a segment is stuck, from its first copy on.
	for _, n := range l.ways {
		f.Affects = append(append(f.Affects, v.EndsOf(n.service, n.from, n.to)...), v.ClientEntity(n.worst))
	}
	f.Headline = rule.T("large packets from %s do not reach %s: segments of %s are sent again and again, small ones arrive", from, to, unit.Bytes(l.smallest))
	f.Impact = rule.Impact{TimeLost: perSecond(v, l.waited), Text: rule.T("%s stuck", plural(len(l.stuck), "connection"))}
	f.Evidence = l.evidence(v)
	f.Fixes = l.fixes(from)
	return f
}

func (l *link) evidence(v *view.View) []rule.Evidence {
	worst := l.ways[0]
	retried := tshark(v, shell.Display("%s && tcp.analysis.retransmission && tcp.len >= %d", l.packets(false), l.smallest),
		"tcp.stream", view.IPField("src", worst.from), view.IPField("dst", worst.to), "tcp.seq", "tcp.len")
	list := []rule.Evidence{{Metric: metric.PacketsStuckSegment, Value: float64(l.smallest), Check: retried,
		What: rule.T("%s stuck at a segment of %s or more, which was repeated %d times without an acknowledgement", plural(len(l.stuck), "connection"), unit.Bytes(l.smallest), l.copies),
	}}
	if len(l.ways) > 1 {
		names := make([]string, 0, len(l.ways))
		for _, n := range l.ways {
			if l.outwards {
				names = append(names, n.to)
			} else {
				names = append(names, n.from)
			}
		}
		list = append(list, rule.Evidence{Metric: metric.PacketsStuckPaths, Value: float64(len(l.ways)), Check: retried,
			What: rule.T("%s; the longest waits: %s", l.others(), named(names, false))})
	}
	list = append(list, rule.Evidence{Metric: metric.PacketsLargestAcked, Value: float64(l.acked), Limit: rule.Limit(float64(l.smallest)),
		What:  rule.T("the largest segment that arrived has %s; %s completed", unit.Bytes(l.acked), plural(l.passed, "handshake")),
		Check: shell.Line("ping -M do -s %d %s   # from %s: a packet of %d bytes", l.largest-ipHeader(worst.from)-echoHeader, shell.Address(worst.to), shell.Address(worst.from), l.largest)})
	if l.mss > 0 {
		_, to := l.ends()
		words := rule.T("%s announced that it takes segments of %d bytes", to, l.mss)
		if l.to == "" {
			words = rule.T("they announced that they take segments of %d bytes", l.mss)
		}
		list = append(list, rule.Evidence{Metric: metric.PacketsMss, What: words, Value: float64(l.mss),
			Check: tshark(v, shell.Display("%s && tcp.flags.syn == 1", l.packets(true)), view.IPField("src", worst.to), "tcp.options.mss_val")})
	}
	if l.tooBig > 0 {
		list = append(list, rule.Evidence{Metric: metric.PacketsTooBig, What: rule.T("%d ICMP messages said that packets are too big, MTU %d", l.tooBig, l.mtu),
			Value: float64(l.tooBig), Check: tshark(v, shell.Display("icmp.type == 3 && icmp.code == 4 || icmpv6.type == 2"))})
	}
	return list
}

func (l *link) fixes(from string) []rule.Fix {
	tables, message := shell.Line("iptables"), shell.Line("-p icmp --icmp-type fragmentation-needed")
	name := "\"fragmentation needed\""
	if ipHeader(l.ways[0].from) == ipv6Header {
		tables, message, name = shell.Line("ip6tables"), shell.Line("-p icmpv6 --icmpv6-type packet-too-big"), "\"packet too big\""
	}
	return []rule.Fix{
		{Text: rule.T("allow ICMP %s on routers and on %s", name, from), Command: shell.Line("%s -I INPUT %s -j ACCEPT", tables, message), Tradeoff: "almost nothing"},
		{Text: rule.T("or clamp the MSS of connections at the router before the narrow link"), Command: shell.Line("%s -t mangle -A FORWARD -p tcp --tcp-flags SYN,RST SYN -j TCPMSS --clamp-mss-to-pmtu", tables), Tradeoff: "TCP only"},
		{Text: rule.T("or give all interfaces of the path the same MTU; tunnels cost 50 bytes (VXLAN) to 80"), Command: shell.Line("tracepath -n %s; ip link", shell.Address(l.ways[0].to)), Tradeoff: "smaller packets everywhere"},
	}
}
