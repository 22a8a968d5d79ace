package net

import (
	"slices"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var nicDrops = rule.Rule{
	ID:       "net/nic-drops",
	Title:    "a network interface loses packets",
	Plural:   "network interfaces lose packets",
	Resource: "packet delivery",
	Needs:    []recording.Table{recording.NetDevices},
	// Without knowing the cards nothing is more than possible, and rx_dropped is not judged here: the
	// verdict lists it where it rises.
	Columns: []string{"net_devices.rx_packets", "net_devices.tx_packets", "net_devices.rx_errors", "net_devices.rx_dropped", "net_devices.rx_fifo",
		"net_devices.tx_fifo", "net_devices.carrier"},
	Explains:   []string{"net/packet-loss", "rt/path-slow", "rt/server-slow"},
	Refutes:    []string{"network path"},
	Thresholds: []*rule.Threshold{&minDiscarded, &discardedShare, &slightlyDiscarded, &fewPackets, &timerShare, &feltTimers, &repairedShare},
	Detect:     detectNICDrops,
}

// nicLoss is what an interface lost in the window.
type nicLoss struct {
	ns       uint64
	name     string
	ring     float64 // packets that found the receive ring full
	damaged  float64 // frames with errors, without these
	dropped  float64 // by the interface without a word why, or of protocols that nobody speaks
	sent     float64 // packets lost in the transmit ring, or on a link that went away
	rx, tx   float64 // packets that came through
	physical bool
	master   string // bond or bridge that it is a member of
}

func nicLosses(v *view.View) (list []nicLoss) {
	type key struct {
		ns   uint64
		name string
	}
	type sample = recording.NetDeviceSample
	keys, series := view.Group(view.Rows[sample](v), func(s sample) key { return key{s.NetNS, s.Interface} })
	for _, k := range keys {
		rows := series[k]
		grown := func(read func(sample) uint64) float64 {
			d, _ := view.Delta(rows, read)
			return d
		}
		last := rows[len(rows)-1]
		l := nicLoss{ns: k.ns, name: k.name, physical: last.Physical, master: last.Master}
		l.ring = grown(func(s sample) uint64 { return s.RxFIFO })
		l.damaged = max(grown(func(s sample) uint64 { return s.RxErrors })-l.ring, 0)
		l.dropped = grown(func(s sample) uint64 { return s.RxDropped })
		l.sent = grown(func(s sample) uint64 { return s.TxFIFO }) + grown(func(s sample) uint64 { return s.Carrier })
		l.rx, l.tx = grown(func(s sample) uint64 { return s.RxPackets }), grown(func(s sample) uint64 { return s.TxPackets })
		list = append(list, l)
	}
	// A bond counts what its members count, too.
	for i := range list {
		if m := slices.IndexFunc(list, func(l nicLoss) bool { return l.ns == list[i].ns && l.name == list[i].master }); m >= 0 {
			list[m].leaveOut(&list[i])
		}
	}
	return list
}

// leaveOut takes off what a member lost.
func (l *nicLoss) leaveOut(member *nicLoss) {
	l.ring, l.damaged = max(l.ring-member.ring, 0), max(l.damaged-member.damaged, 0)
	l.dropped, l.sent = max(l.dropped-member.dropped, 0), max(l.sent-member.sent, 0)
}

func detectNICDrops(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, l := range nicLosses(v) {
		came := l.rx + l.ring + l.damaged + l.dropped
		ring, damaged, sent := discardsOf(v, l.ns, l.ring, came).elsewhere(), discardsOf(v, l.ns, l.damaged, came).elsewhere(), discardsOf(v, l.ns, l.sent, l.tx+l.sent)
		switch {
		case ring.sure() != 0 && l.ring >= l.damaged:
			found = append(found, l.finding(v, ring.sure(), ring, "drops packets because its receive ring was full", "rx_fifo_errors"))
		case damaged.sure() != 0:
			found = append(found, l.finding(v, damaged.sure(), damaged, "receives damaged frames", "rx_errors"))
		case sent.sure() != 0:
			found = append(found, l.finding(v, sent.sure(), sent, "loses packets in its transmit ring or on a link that went down", "tx_fifo_errors, tx_carrier_errors"))
		// What is dropped is also what nobody wanted: protocols that this host does not speak.
		// So is what the backlog of a CPU drops, which net/softnet tells.
		case l.physical && discarding(l.dropped-backlogs(v).Dropped, came) == rule.Certain:
			found = append(found, l.finding(v, rule.Possible, discarded{lost: l.dropped, all: came}, "drops received packets unread", "rx_dropped, rx_missed_errors"))
		}
	}
	return found, nil
}

func (l *nicLoss) finding(v *view.View, c rule.Confidence, d discarded, what, counters string) rule.Finding {
	enter, lost, share := v.EnterNetNS(l.ns), d.lost, d.ofAll()
	if !l.physical { // tunnels and the like count here what they refuse
		c = rule.Possible
	}
	f := rule.Finding{Subject: view.InterfaceEntity(l.name, l.ns), Confidence: c,
		Headline: rule.T("%s%s %s: %s, %v of all", l.name, v.InNetNS(l.ns), what, unit.Count(lost), unit.Share(share)),
		Impact:   d.impact("packets of " + l.name),
		Affects:  suffersLoss(v, l.ns, lost),
		Evidence: []rule.Evidence{{Metric: metric.InterfaceDrops, Value: lost, Limit: rule.Limit(0), Check: shell.Line("%s ip -s -s link show dev %s", enter, l.name),
			What: rule.T("%s grew by %s; %s packets were received and %s sent", counters, unit.Count(lost), unit.Count(l.rx), unit.Count(l.tx))}},
	}
	f.Evidence = append(f.Evidence, kernelDrops(v, func(d *recording.PacketDrop) bool { return d.Reason == "FULL_RING" && d.Device == l.name })...)
	f.Evidence = append(append(f.Evidence, repeats(v, l.ns)...), d.evidence(enter)...)
	if !l.physical {
		f.Headline = rule.T("%s%s counts errors: %s of %s, %v of all packets", l.name, v.InNetNS(l.ns), unit.Count(lost), counters, unit.Share(share))
		f.Notes = append(f.Notes, rule.T("it has no known network card: tunnels count refused packets here, out of order or without a route"))
		f.Fixes = []rule.Fix{{Text: rule.T("see which errors it counts"), Command: shell.Line("%s ip -s -s -d link show dev %s", enter, l.name), Tradeoff: "none"}}
		return f
	}
	statistics := rule.Fix{Text: rule.T("see what the card itself counts: missed, no_buffer, crc, by queue"), Command: shell.Line("%s ethtool -S %s", enter, l.name), Tradeoff: "none"}
	switch counters {
	case "rx_errors":
		f.Notes = append(f.Notes, rule.T("a few drivers, such as Intel's own ixgbe, also count wrong IP and TCP checksums here, from any sender; rx_crc_errors in ethtool -S shows damaged frames only"))
		f.Fixes = []rule.Fix{{Text: rule.T("change the cable, the optics or the port: frames are damaged on the wire"), Command: shell.Line("%s ethtool %s", enter, l.name), Tradeoff: "an outage of the link"}, statistics}
	case "tx_fifo_errors, tx_carrier_errors":
		f.Fixes = []rule.Fix{{Text: rule.T("see whether the link goes up and down"), Command: shell.Line("journalctl -k -g %s", l.name), Tradeoff: "none"}, statistics}
	default:
		f.Fixes = []rule.Fix{{Text: rule.T("enlarge the receive ring"), Command: shell.Line("%s ethtool -g %s   # then ethtool -G with the maximum", enter, l.name), Tradeoff: "memory; the link is down for a moment with many drivers"},
			{Text: rule.T("spread interrupts over more CPUs, so that the ring is read in time"), Command: shell.Line("%s ethtool -l %s", enter, l.name), Tradeoff: "these CPUs have less time for programs"}, statistics}
		if c == rule.Possible && counters != "rx_fifo_errors" {
			f.Notes = append(f.Notes, rule.T("packets of protocols that this host does not use count here, too"))
		}
	}
	return f
}
