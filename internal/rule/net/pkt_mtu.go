package net

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

//go:embed pkt_mtu.md
var mtuMismatchPage string

var mtuMismatch = rule.Rule{
	ID:       "net/mtu-mismatch",
	Title:    "large packets do not get through, small ones do",
	Resource: "packet sizes",
	Needs:    []recording.Table{recording.PacketConnections, recording.PacketPaths},
	Explains: []string{"net/packet-loss", "rt/path-slow", "rt/server-slow", "rt/client-slow", "rt/first-disconnect", "rt/connect-slow", "net/resets"},
	Refutes:  []string{"network path", "packet delivery"},
	Page:     mtuMismatchPage,
	Seen:     pktData,
	Detect:   detectMTUMismatch,
}

const (
	// stuckCopies of one segment in a row without an acknowledgement: with timers
	// that double from 200 ms on, 1.4 s. Losses at random of one percent do that
	// one time in a million.
	stuckCopies = 3
	// ipHeaders is what an IPv4 packet adds to its payload of TCP with timestamps.
	ipHeaders = 20 + 20 + 12
	// smallestMTU of the Internet (RFC 791: every host takes 576 bytes, every link
	// 68): what is not larger than this does not get lost for its size.
	smallestMTU = 68
)

// narrow is one direction between two hosts in which large segments are lost.
type narrow struct {
	from, to    string
	stuck       []*view.PacketConnection
	smallest    int64 // payload of the smallest segment that was stuck
	copies      int64
	acked       int64 // payload of the largest segment that got through
	passed      int   // connections whose handshake got through
	tooBig, mtu int64
	waited      time.Duration
	worst       *view.PacketConnection
	service     *view.PacketService
	fromServer  bool
	mss         int32 // announced by the receiver
}

func detectMTUMismatch(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, n := range narrows(v) {
		if c := n.confidence(); c > 0 {
			found = append(found, n.finding(v, c))
		}
	}
	return found, nil
}

// narrows measures all directions in which a segment was stuck.
func narrows(v *view.View) []*narrow {
	type key struct{ from, to string }
	known := map[key]*narrow{}
	var list []*narrow
	for _, s := range v.PacketServices() {
		for _, c := range s.Connections {
			for _, sender := range []string{"client", "server"} {
				p, ok := v.PacketPath(c.ID, sender)
				if !ok {
					continue
				}
				k, receiver := key{c.Client, c.Server}, &c.FromServer
				if sender == "server" {
					k, receiver = key{c.Server, c.Client}, &c.FromClient
				}
				n := known[k]
				if n == nil {
					n = &narrow{from: k.from, to: k.to}
					known[k] = n
					list = append(list, n)
				}
				n.add(s, c, &p, receiver)
			}
		}
	}
	for _, s := range v.PacketServices() {
		for i := range s.Directions {
			d := &s.Directions[i]
			if n := known[key(endsOf(d.Client, d.Server, d.Sender))]; n != nil {
				n.acked = max(n.acked, d.LargestAcked)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *narrow) int { return cmp.Compare(b.waited, a.waited) })
	return list
}

func (n *narrow) add(s *view.PacketService, c *view.PacketConnection, p *recording.PacketPath, receiver *recording.PacketSide) {
	n.acked = max(n.acked, p.LargestAcked)
	n.tooBig += p.TooBig
	if p.MTU > 0 && (n.mtu == 0 || p.MTU < n.mtu) {
		n.mtu = p.MTU
	}
	if c.SYNACKs > 0 && c.SYNs > 0 {
		n.passed++
	}
	if p.StuckCopies < stuckCopies {
		return
	}
	n.stuck = append(n.stuck, c)
	n.copies += p.StuckCopies
	if n.smallest == 0 || p.StuckSize < n.smallest {
		n.smallest = p.StuckSize
	}
	n.waited += c.Last.Sub(c.At)
	if n.worst == nil || p.StuckCopies > n.copies {
		n.worst = c
	}
	n.service, n.fromServer, n.mss = s, p.Sender == "server", receiver.MSS
}

// confidence: all that got stuck was larger than all that got through.
func (n *narrow) confidence() rule.Confidence {
	switch {
	case len(n.stuck) == 0, n.acked >= n.smallest, n.smallest+ipHeaders <= smallestMTU:
		return 0
	case n.acked == 0 && n.passed == 0:
		return 0 // nothing gets through: that has nothing to do with sizes
	case n.tooBig > 0, len(n.stuck) > 1 && n.acked > 0:
		return rule.Certain
	case len(n.stuck) > 1, n.acked > 0:
		return rule.Likely
	}
	return rule.Possible
}

func (n *narrow) finding(v *view.View, c rule.Confidence) rule.Finding {
	f := rule.Finding{Subject: peerSubject(n.to, 0), Confidence: c}
	f.Subject.Detail = "from " + n.from
	// Somebody waits as long as a segment is stuck, from its first copy on.
	f.Affects = append(pktAffected(v, n.service, n.from, n.to), pktClient(v, n.worst))
	f.Headline = rule.T("large packets from %s do not reach %s: segments of %s are sent again and again, small ones get through", n.from, n.to, unit.Bytes(n.smallest))
	f.Impact = rule.Impact{TimeLost: perSecond(v, n.waited), Text: rule.T("%s stuck", plural(len(n.stuck), "connection"))}
	check := tshark(v, fmt.Sprintf("%s && %s && tcp.analysis.retransmission", pktHost("src", n.from), pktHost("dst", n.to)), "tcp.stream", "tcp.seq", "tcp.len")
	f.Evidence = append(f.Evidence, rule.Evidence{Metric: "packets.stuck-segment", What: rule.T("%s stuck at a segment of %s and more, which was repeated %d times without an acknowledgement", plural(len(n.stuck), "connection"), unit.Bytes(n.smallest), n.copies),
		Value: float64(n.smallest), Unit: "bytes", Check: check})
	f.Evidence = append(f.Evidence, rule.Evidence{Metric: "packets.largest-acked", What: rule.T("the largest segment that arrived has %s; %d handshakes got through", unit.Bytes(n.acked), n.passed),
		Value: float64(n.acked), Unit: "bytes", Limit: rule.Limit(float64(n.smallest)), Check: fmt.Sprintf("ping -M do -s %d %s   # from %s", n.smallest, n.to, n.from)})
	if n.mss > 0 {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: "packets.mss", What: rule.T("%s announced that it takes segments of %d bytes", n.to, n.mss),
			Value: float64(n.mss), Unit: "bytes", Check: tshark(v, "tcp.flags.syn == 1", "ip.src", "tcp.options.mss_val")})
	}
	if n.tooBig > 0 {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: "packets.too-big", What: rule.T("%d ICMP messages said that packets are too big, MTU %d", n.tooBig, n.mtu),
			Value: float64(n.tooBig), Unit: "count", Check: tshark(v, "icmp.type == 3 && icmp.code == 4 || icmpv6.type == 2")})
	}
	f.Fixes = []rule.Fix{
		{Text: rule.T("let ICMP \"fragmentation needed\" and \"packet too big\" through, on routers and on %s", n.from), Command: "iptables -I INPUT -p icmp --icmp-type fragmentation-needed -j ACCEPT", Tradeoff: "none worth naming"},
		{Text: rule.T("or have the router at the narrow link lower the MSS of connections"), Command: "iptables -t mangle -A FORWARD -p tcp --tcp-flags SYN,RST SYN -j TCPMSS --clamp-mss-to-pmtu", Tradeoff: "TCP only"},
		{Text: rule.T("or give all interfaces of the way the same MTU; tunnels take 50 bytes (VXLAN) to 80 off"), Command: "ip link set dev IF mtu N; tracepath -n " + n.to, Tradeoff: "smaller packets everywhere"},
	}
	return f
}
