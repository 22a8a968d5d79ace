package net

import (
	"cmp"
	"slices"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/view"
)

var mtuMismatch = rule.Rule{
	ID:         "net/mtu-mismatch",
	Title:      "large packets do not get through, small ones do",
	Plural:     "paths lose large packets, not small ones",
	Resource:   "packet sizes",
	Needs:      []recording.Table{recording.PacketConnections, recording.PacketPaths},
	Explains:   []string{"net/packet-loss", "rt/path-slow", "rt/server-slow", "rt/client-slow", "rt/first-disconnect", "rt/connect-slow", "net/resets"},
	Refutes:    []string{"network path", "packet delivery"},
	Thresholds: []*rule.Threshold{&stuckCopies},
	Seen:       pktData,
	Detect:     detectMTUMismatch,
}

var stuckCopies = rule.Threshold{Name: "stuck-copies", Value: 3, Unit: "count", Source: "kernel, TCP_RTO_MIN and its doubling (RFC 6298)",
	Reason: "Consecutive copies of one segment without an ACK: 1.4 s with timers that double from 200 ms on. At 1 % random loss this happens one time in a million."}

const (
	// Lengths of headers without options (RFC 791, 8200, 9293, 792), and of the
	// timestamps that TCP adds to each segment (RFC 7323).
	ipv4Header, ipv6Header, tcpHeader, echoHeader = 20, 40, 20, 8
	timestampOption                               = 12
	// smallestMTU of the Internet (RFC 791: every host takes 576 bytes, every link
	// 68): what is not larger than this does not get lost for its size.
	smallestMTU = 68
)

// narrow is one direction between two hosts in which large segments are lost.
type narrow struct {
	from, to    string
	stuck       []*view.PacketConnection
	smallest    int64 // payload of the smallest segment that was stuck
	largest     int64 // bytes of IP of the largest packet that was stuck
	copies      int64
	acked       int64 // payload of the largest segment that got through
	passed      int   // connections whose handshake got through
	tooBig, mtu int64
	// smallUnheard counts small segments that got no answer either while a large one
	// was stuck.
	smallUnheard int64
	waited       time.Duration
	worst        *view.PacketConnection // the one with most copies
	worstCopies  int64
	service      *view.PacketService
	fromServer   bool
	mss          int32 // announced by the receiver, the largest one
}

func detectMTUMismatch(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, l := range linksOf(narrows(v)) {
		found = append(found, l.finding(v))
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
	if p.StuckCopies < int64(stuckCopies.Value) {
		return
	}
	n.stuck = append(n.stuck, c)
	n.copies += p.StuckCopies
	n.smallUnheard += p.SmallUnheard
	if n.smallest == 0 || p.StuckSize < n.smallest {
		n.smallest = p.StuckSize
	}
	n.largest = max(n.largest, packetSize(n.from, p, receiver.MSS))
	n.waited += c.Last.Sub(c.At)
	if n.worst == nil || p.StuckCopies > n.worstCopies {
		n.worst, n.worstCopies = c, p.StuckCopies
	}
	n.service, n.fromServer, n.mss = s, p.Sender == "server", max(n.mss, receiver.MSS)
}

// packetSize is how many bytes of IP the stuck segment of a sender took. A sender
// may hand more to its network card than fits a packet, for the card to cut it:
// what the receiver announced bounds it then.
func packetSize(sender string, p *recording.PacketPath, mss int32) int64 {
	data := p.StuckSize
	if p.FirstTS != 0 {
		data += timestampOption
	}
	if mss > 0 {
		data = min(data, int64(mss))
	}
	return data + tcpHeader + ipHeader(sender)
}

// ipHeader is the length of the header of packets of an address.
func ipHeader(address string) int64 {
	if pktAddr(address).Is6() {
		return ipv6Header
	}
	return ipv4Header
}

// confidence: all that got stuck was larger than all that got through.
func (n *narrow) confidence() rule.Confidence {
	switch {
	case len(n.stuck) == 0, n.acked >= n.smallest, n.smallest+ipv4Header+tcpHeader+timestampOption <= smallestMTU, n.tooBig == 0 && n.smallest <= anyPath:
		return 0
	case n.smallUnheard > 0 && n.tooBig == 0:
		return 0 // it is not for their size that nothing gets through
	case n.acked == 0 && n.passed == 0:
		return 0 // nothing gets through: that has nothing to do with sizes
	case n.tooBig > 0, len(n.stuck) > 1 && n.acked > 0:
		return rule.Certain
	case len(n.stuck) > 1, n.acked > 0:
		return rule.Likely
	}
	return rule.Possible
}
