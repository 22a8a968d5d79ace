package net

import (
	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// causes are the kernel's reasons for a drop that are faults or decisions of this
// host, with what they mean. Others follow from faults that have rules of their
// own, or are a protocol's usual course: a segment that came twice, a closed port.
var causes = map[string]string{
	"NETFILTER_DROP":       "a packet filter rule",
	"BPF_CGROUP_EGRESS":    "a BPF program of a control group",
	"SOCKET_FILTER":        "a filter that the program put on its socket",
	"XDP":                  "an XDP program",
	"TC_INGRESS":           "a filter or policer of tc, coming in",
	"TC_EGRESS":            "a filter or policer of tc, going out",
	"QDISC_DROP":           "a full queue of an interface, or its shaper",
	"QDISC_OVERLIMIT":      "a full queue of an interface",
	"QDISC_CONGESTED":      "a queue of an interface that limits its delay",
	"CPU_BACKLOG":          "the receive backlog of a CPU was full",
	"FULL_RING":            "the ring buffer of an interface was full",
	"SOCKET_RCVBUFF":       "the receive buffer of a socket was full",
	"SOCKET_BACKLOG":       "the backlog of a socket was full",
	"PROTO_MEM":            "the memory for this protocol was used up",
	"NOMEM":                "no memory",
	"IP_RPFILTER":          "reverse path filtering: the route back uses another interface",
	"IP_OUTNOROUTES":       "no route",
	"PKT_TOO_BIG":          "larger than the MTU",
	"TCP_CSUM":             "a wrong checksum",
	"UDP_CSUM":             "a wrong checksum",
	"IP_CSUM":              "a wrong checksum",
	"NEIGH_FAILED":         "the next hop does not answer ARP or neighbour discovery",
	"NEIGH_QUEUEFULL":      "too many packets wait for ARP or neighbour discovery",
	"TCP_LISTEN_OVERFLOW":  "a full accept queue",
	"TCP_MINTTL":           "a lower TTL than the socket demands",
	"TCP_MD5FAILURE":       "a wrong MD5 signature",
	"TCP_RFC7323_PAWS":     "an old timestamp",
	"TCP_RFC7323_PAWS_ACK": "an old timestamp",
}

// kernelDrops tells what the kernel dropped of a protocol for a cause of this host:
// where wants is true, the most packets first, two at most.
func kernelDrops(v *view.View, wants func(*recording.PacketDrop) bool) []rule.Evidence {
	const most = 2
	var list []rule.Evidence
	drops := v.Drops()
	for i := range drops {
		d := &drops[i]
		if causes[d.Reason] == "" || float64(d.Packets) < fewPackets.Value || !wants(d) {
			continue
		}
		to := ""
		if d.Port > 0 {
			to = rule.T(" to port %d", d.Port).String()
		}
		list = append(list, rule.Evidence{
			Metric: metric.DroppedPackets, What: rule.T("the kernel dropped %s %s packets%s%s in %s: %s (%s)", unit.Count(d.Packets), d.Protocol, to, v.InNetNS(d.NetNS), d.Function, causes[d.Reason], d.Reason),
			Value: float64(d.Packets), Limit: rule.Limit(0), Check: shell.Line("rtrail trace drops --for 10s"),
		})
		if len(list) == most {
			break
		}
	}
	return list
}
