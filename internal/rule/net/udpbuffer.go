package net

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var udpBuffer = rule.Rule{
	ID:         "net/udp-buffer",
	Title:      "datagrams are lost because the receive buffer of a socket is full",
	Plural:     "sockets lose datagrams because their receive buffers are full",
	Resource:   "UDP receive buffers",
	Needs:      []recording.Table{recording.UDPSockets, recording.Protocol},
	Refutes:    []string{"packet delivery"},
	Thresholds: []*rule.Threshold{&minDatagrams, &datagramShare, &slightDatagramShare, &burstShare, &waitedForLost, &unansweredFor, &fewPackets},
	Detect:     detectUDPBuffer,
}

var (
	minDatagrams = rule.Threshold{Name: "min-datagrams", Value: 10, Unit: "count", Source: rule.Judgement,
		Reason: "Datagrams lost in the window. Fewer are a single burst, which UDP senders must expect."}
	datagramShare = rule.Threshold{Name: "datagram-share", Value: 0.01, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the datagrams that came to the namespace. From 1 % on logs have gaps, counts are wrong, and lookups wait for a retry."}
	slightDatagramShare = rule.Threshold{Name: "slight-datagram-share", Value: 0.001, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the datagrams. Worth mentioning. Less is a fault only if the program does not keep up: then it loses most of its own, however many other sockets of the namespace get."}
	burstShare = rule.Threshold{Name: "burst-share", Value: 0.1, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the datagrams, if all were lost at one moment of the window. Up to here it is one burst, which UDP senders must expect."}
)

// overrun is a socket whose buffer was too small for what came, or several of one program that
// share a port.
type overrun struct {
	view.UDPSocket
	sockets  int
	bursts   int // moments at which datagrams were dropped
	counters view.Counters
	full     float64                  // datagrams that the namespace lost because buffers were full
	came     float64                  // to the namespace, the lost ones included
	others   float64                  // what its other sockets dropped
	missing  missing                  // what clients of a name server lose by it
	told     *recording.ReceiveBuffer // what the kernel told of its full buffer; nil: nothing
	allowed  float64                  // bytes that a program may ask for, net.core.rmem_max; 0: not known
}

func detectUDPBuffer(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, o := range overruns(v) {
		c := o.confidence(v)
		if c == 0 {
			continue
		}
		found = append(found, rule.Finding{Subject: o.Entity(), Confidence: c, Headline: o.headline(v), Impact: o.impact(v), Evidence: append(o.evidence(v), o.missing.evidence...), Fixes: o.fixes()})
	}
	return found, nil
}

// overruns lists the sockets that dropped datagrams while counters of full buffers
// grew, those with most first.
func overruns(v *view.View) []overrun {
	var list []overrun
	dropped := map[uint64]float64{}
	sockets := v.UDPSockets()
	for i := range sockets {
		dropped[sockets[i].NetNS] += sockets[i].Dropped
	}
	for _, same := range sharingPort(sockets) {
		s := together(same)
		if s.Dropped < minDatagrams.Value {
			continue
		}
		c := v.CountersOf(s.NetNS)
		full, came := 0.0, 0.0
		for _, family := range []string{"Udp", "Udp6", "UdpLite", "UdpLite6"} {
			full += c.AtLeast(family + "RcvbufErrors")
			came += c.AtLeast(family+"InDatagrams") + c.AtLeast(family+"InErrors")
		}
		if full < minDatagrams.Value {
			continue // a filter, or wrong checksums
		}
		o := overrun{UDPSocket: s, sockets: len(same), bursts: moments(s.Bursts), counters: c, full: full, came: came, others: dropped[s.NetNS] - s.Dropped,
			told: fullBuffer(v, same), allowed: allowedBuffer(v, s.NetNS)}
		o.missing = o.missedAnswers(v)
		list = append(list, o)
	}
	slices.SortStableFunc(list, func(a, b overrun) int { return cmp.Compare(b.Dropped, a.Dropped) })
	return list
}

// sharingPort puts the sockets that dropped datagrams together where they are of one program, at
// one address and port: the kernel spreads what comes over them (SO_REUSEPORT), so that each loses
// little. Different programs at one port, as of multicast, each get all that comes; where nobody
// knows whose a socket is, it may be one of these.
func sharingPort(sockets []view.UDPSocket) [][]*view.UDPSocket {
	type key struct {
		ns            uint64
		local, remote string
		port, to      uint16
		owner         string
		inode         uint64 // without an owner
	}
	at := map[key]int{}
	var list [][]*view.UDPSocket
	for i := range sockets {
		s := &sockets[i]
		if s.Dropped <= 0 {
			continue
		}
		k := key{ns: s.NetNS, local: s.Local, port: s.LocalPort, remote: s.Remote, to: s.RemotePort}
		if len(s.Owners) > 0 {
			k.owner = s.Owners[0].Comm
		} else {
			k.inode = s.Inode
		}
		n, ok := at[k]
		if !ok {
			n = len(list)
			at[k] = n
			list = append(list, nil)
		}
		list[n] = append(list[n], s)
	}
	return list
}

// together is sockets that share a port as one: that which dropped most, with the drops of all,
// and the readings of the one whose buffer was full most often.
func together(same []*view.UDPSocket) view.UDPSocket {
	u := *same[0]
	if len(same) == 1 {
		return u
	}
	u.Dropped, u.Bursts = 0, nil
	for _, s := range same {
		u.Dropped += s.Dropped
		u.Bursts = append(u.Bursts, s.Bursts...)
		u.Moved = u.Moved || s.Moved
		if s.Full*u.Readings > u.Full*s.Readings {
			u.Full, u.Readings, u.RecvQueue = s.Full, s.Readings, s.RecvQueue
		}
	}
	return u
}

// moments is how many readings times are of: those of one reading of all sockets are the same.
func moments(times []time.Time) int {
	sorted := slices.Clone(times)
	slices.SortFunc(sorted, time.Time.Compare)
	return len(slices.CompactFunc(sorted, time.Time.Equal))
}

// fullBuffer finds what the kernel told of sockets whose buffers were full.
func fullBuffer(v *view.View, same []*view.UDPSocket) *recording.ReceiveBuffer {
	var told *recording.ReceiveBuffer
	buffers := v.ReceiveBuffers()
	for i := range buffers {
		b := &buffers[i]
		if b.Kind != recording.BufferFull || b.Inode == 0 || !slices.ContainsFunc(same, func(s *view.UDPSocket) bool { return s.Inode == b.Inode && s.NetNS == b.NetNS }) {
			continue
		}
		if told == nil {
			first := *b
			told = &first
			continue
		}
		told.Times += b.Times
	}
	if told == nil || float64(told.Times) < minDatagrams.Value {
		return nil
	}
	return told
}

// allowedBuffer is the size that programs may ask for.
func allowedBuffer(v *view.View, ns uint64) float64 {
	text, _ := v.Sysctl(ns, "net.core.rmem_max")
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 31)
	if err != nil {
		return 0
	}
	return float64(n)
}

// lost is how many datagrams the socket lost for want of room, at least.
func (o *overrun) lost() float64 { return min(o.Dropped, o.full) }

// share is how many of the namespace's datagrams these are.
func (o *overrun) share() float64 { return o.lost() / max(o.came, 1) }

func (o *overrun) confidence(v *view.View) rule.Confidence {
	share := o.share()
	// Sockets also drop what their filters refuse: the namespace's losses are this
	// socket's if no other one dropped enough to have them, if its buffer was seen
	// full, or if the kernel said so.
	ours := o.told != nil || o.full > o.others+minDatagrams.Value || o.Full > 0 || o.dropped(v)
	few := share < datagramShare.Value
	burst := o.oneBurst() && share < burstShare.Value
	switch {
	case !ours, share < slightDatagramShare.Value && !o.behind() && !o.costly():
		return 0
	case o.costly() && (few || burst):
		return rule.Likely
	case few && !o.behind(), few && !o.Moved, burst:
		return rule.Possible // few of many, of a socket that nobody may read, or a burst
	case few, len(o.Owners) == 0:
		return rule.Likely
	}
	return rule.Certain
}

// costly says that clients wait half of the time for answers to what was dropped, however few of
// the namespace's datagrams that is.
func (o *overrun) costly() bool { return o.missing.waited >= waitedForLost.Value }

func (o *overrun) impact(v *view.View) rule.Impact {
	lost, where := unit.PerSecond(o.lost()/max(o.counters.Seconds, 1)), v.InNetNS(o.NetNS)
	i := rule.Impact{TimeLost: o.missing.waited, Share: o.share(), Text: rule.T("%s datagrams lost, %s of those%s", lost, unit.Share(o.share()), where)}
	if o.missing.waited > 0 {
		i.Text = rule.T("%s datagrams lost, %s of those%s; clients wait %s per second for answers", lost, unit.Share(o.share()), where, unit.Seconds(o.missing.waited))
	}
	return i
}

// dropped says that the kernel gave a full buffer as the reason for drops at the port.
func (o *overrun) dropped(v *view.View) bool {
	for _, d := range v.Drops() {
		if d.NetNS == o.NetNS && d.Protocol == "udp" && d.Port == o.LocalPort && d.Reason == "SOCKET_RCVBUFF" {
			return true
		}
	}
	return false
}

// oneBurst says that all was lost at one moment of several.
func (o *overrun) oneBurst() bool { return o.bursts == 1 && o.Readings > 2 && !o.behind() }

// behind says that the reader does not keep up on average: what came stands in the
// buffer at half of the readings or more. Otherwise bursts are larger than it.
func (o *overrun) behind() bool { return o.Full >= 2 && 2*o.Full >= o.Readings }

func (o *overrun) headline(v *view.View) rule.Text {
	if o.behind() {
		return rule.T("%s reads UDP port %d%s more slowly than datagrams come: its receive buffer is full", o.Entity().Name, o.LocalPort, v.InNetNS(o.NetNS))
	}
	return rule.T("%s loses datagrams at UDP port %d%s: bursts are larger than its receive buffer", o.Entity().Name, o.LocalPort, v.InNetNS(o.NetNS))
}

func (o *overrun) evidence(v *view.View) []rule.Evidence {
	enter := v.EnterNetNS(o.NetNS)
	list := []rule.Evidence{
		{Metric: metric.UDPSocketDrops, What: rule.T("the socket dropped %s datagrams in %s; its buffer takes %s, headers included", unit.Count(o.Dropped), unit.Seconds(o.counters.Seconds), unit.Bytes(float64(o.RcvBuf))),
			Value: o.Dropped, Limit: rule.Limit(0), Check: shell.Line("%s ss -uanm sport = :%d", enter, o.LocalPort)},
		{Metric: metric.UDPBufferErrors, What: rule.T("RcvbufErrors +%s of %s received datagrams", unit.Count(o.full), unit.Count(o.came)),
			Value: o.full, Limit: rule.Limit(0), Check: shell.Line("%s nstat -az UdpRcvbufErrors Udp6RcvbufErrors", enter)},
	}
	if o.sockets > 1 {
		list[0].What = rule.T("%d sockets of the port dropped %s datagrams in %s; the buffer of one takes %s, headers included", o.sockets, unit.Count(o.Dropped), unit.Seconds(o.counters.Seconds), unit.Bytes(float64(o.RcvBuf)))
	}
	if o.Full > 0 {
		list = append(list, rule.Evidence{Metric: metric.UDPReceiveQueue, What: rule.T("nearly full at %d of %d readings", o.Full, o.Readings), Value: float64(o.RecvQueue),
			Check: shell.Line("%s ss -uan sport = :%d", enter, o.LocalPort)})
	}
	if o.told != nil {
		what := rule.T("the kernel found the buffer of this socket full %s times, with %s%s", unit.Count(o.told.Times), unit.Bytes(float64(o.told.Buffer)), o.origin())
		if o.sockets > 1 {
			what = rule.T("the kernel found the buffers of these sockets full %s times, with %s%s", unit.Count(o.told.Times), unit.Bytes(float64(o.told.Buffer)), o.origin())
		}
		return append(list, rule.Evidence{Metric: metric.UDPSocketDrops, What: what,
			Value: float64(o.told.Times), Limit: rule.Limit(0), Check: shell.Line("rtrail trace buffers --for 10s"), Counters: true})
	}
	return append(list, kernelDrops(v, func(d *recording.PacketDrop) bool {
		return d.NetNS == o.NetNS && d.Protocol == "udp" && d.Port == o.LocalPort && d.Reason == "SOCKET_RCVBUFF"
	})...)
}

// origin says where the size of the buffer comes from, as far as it is known.
func (o *overrun) origin() rule.Text {
	switch {
	case !o.told.Set:
		return rule.T(", the default: the program does not set it")
	case o.cut():
		return rule.T(", all that net.core.rmem_max (%s, doubled by the kernel) allows the program", unit.Bytes(o.allowed))
	case o.allowed > 0:
		return rule.T(", set by the program (SO_RCVBUF %s, doubled by the kernel); net.core.rmem_max allows %s", unit.Bytes(float64(o.told.Buffer)/2), unit.Bytes(o.allowed))
	}
	return rule.T(", set by the program (SO_RCVBUF)")
}

// cut says that the program has as much as it may ask for.
func (o *overrun) cut() bool { return o.allowed > 0 && float64(o.RcvBuf) >= 2*o.allowed }

// roomy is a size, in bytes, that outlasts most bursts.
const roomy = 8 << 20

// larger is how the socket gets a larger buffer.
func (o *overrun) larger() rule.Fix {
	const tradeoff = "memory; waiting datagrams are read later. The program must reopen its socket"
	allow := shell.Line("sysctl -w net.core.rmem_max=%d", max(roomy, 4*int64(o.allowed)))
	switch {
	case o.told != nil && !o.told.Set:
		return rule.Fix{Text: rule.T("raise the default, since the program does not set SO_RCVBUF"), Command: shell.Line("sysctl -w net.core.rmem_default=%d", max(roomy, 4*o.told.Buffer)),
			Tradeoff: "memory of all sockets that set no size themselves, except TCP; waiting datagrams are read later. The program must reopen its socket"}
	case o.told != nil && !o.cut() && o.allowed >= 4*float64(o.told.Buffer)/2:
		return rule.Fix{Text: rule.T("set a larger receive buffer in the program's settings (SO_RCVBUF): net.core.rmem_max already allows %s", unit.Bytes(o.allowed)), Tradeoff: tradeoff}
	case o.cut():
		return rule.Fix{Text: rule.T("the program already has all that net.core.rmem_max (%s) allows: raise it, then SO_RCVBUF in the program", unit.Bytes(o.allowed)), Command: allow, Tradeoff: tradeoff}
	}
	return rule.Fix{Text: rule.T("give the socket a larger receive buffer (SO_RCVBUF in the program's settings), and raise net.core.rmem_max to allow it"), Command: allow, Tradeoff: tradeoff}
}

func (o *overrun) fixes() []rule.Fix {
	larger := o.larger()
	faster := rule.Fix{Text: rule.T("read faster: several sockets with SO_REUSEPORT, many datagrams per call (recvmmsg), work in other threads"), Tradeoff: "a change of the program"}
	if o.sockets > 1 {
		faster.Text = rule.T("read faster: more sockets of the port, each with its thread, many datagrams per call (recvmmsg)")
	}
	if len(o.Owners) > 0 {
		faster.Command = shell.Line("perf top -g -p %d", o.Owners[0].PID)
	}
	if o.behind() {
		// A buffer only shifts the moment from which all that comes is lost.
		return []rule.Fix{faster, {Text: rule.T("send less: sample or aggregate before sending"), Tradeoff: "less detail"}, larger}
	}
	return []rule.Fix{larger, faster}
}
