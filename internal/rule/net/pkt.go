package net

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"rtrail/internal/protocol"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/view"
)

// pktInferred says that the requests of a service were mostly not decoded but
// inferred from who spoke when.
func pktInferred(s *view.PacketService) bool {
	return protocol.Of(s.Proto).Opaque || 2*s.Approximate > s.Count
}

var pktMissed = rule.Threshold{Name: "pkt-missed", Value: 0.01, Unit: "share", Source: rule.Judgement,
	Reason: "Share of the bytes that were acknowledged but not captured. Above it no finding about missing packets is certain."}

// pktAtMost lowers a confidence where the capture has holes.
func pktAtMost(v *view.View, c rule.Confidence) rule.Confidence {
	for _, p := range v.PacketCaptures() {
		if float64(p.Missed) > pktMissed.Value*float64(p.Bytes) {
			return min(c, rule.Likely)
		}
	}
	return c
}

// oneDirection is what to say where view.OneDirection holds.
func oneDirection() rule.Text {
	return rule.T("no connection was captured in both directions: the answers may have taken another path; capture at the client, or mirror both directions")
}

// perSecond is a sum of waits as seconds waited per second of the window.
func perSecond(v *view.View, d time.Duration) float64 { return v.PerSecond(d) }

// tshark is a command that shows the packets that a display filter keeps.
func tshark(v *view.View, filter shell.Filter, fields ...string) shell.Command {
	if len(fields) > 0 {
		fields = append([]string{"frame.time_relative"}, fields...)
	}
	return v.PacketSource().Tshark(filter, fields...)
}

// pktHost is the display filter for an address.
func pktHost(field, address string) shell.Filter { return view.IPFilter(field, address) }

// pktEnds words a connection.
func pktEnds(c *view.PacketConnection) string {
	return netip.AddrPortFrom(pktAddr(c.Client), uint16(c.ClientPort)).String() + " -> " +
		netip.AddrPortFrom(pktAddr(c.Server), uint16(c.ServerPort)).String()
}

func pktAddr(s string) netip.Addr {
	a, _ := netip.ParseAddr(s) // a recording of ours holds addresses only
	return a
}

// plural words a number of things.
func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// namedFew is how many of many hosts are named: enough to see whether they are of
// a kind.
const namedFew = 3

// named lists the first few of some names; more says that there are others whose
// names are not known.
func named(names []string, more bool) string {
	left := len(names) - namedFew
	words := slices.Clone(names[:min(len(names), namedFew)])
	switch {
	case more:
		words = append(words, "others")
	case left > 0:
		words = append(words, fmt.Sprintf("%d more", left))
	}
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// pktSegments is how many segments with data were captured.
func pktSegments(v *view.View) (n int64) {
	for _, s := range v.PacketServices() {
		n += s.Sent("client").Segments + s.Sent("server").Segments
	}
	return n
}

// pktData says whether anything was sent over TCP at all.
func pktData(v *view.View) bool { return pktSegments(v) > 0 }
