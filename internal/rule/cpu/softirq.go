package cpu

import (
	"fmt"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var softirq = rule.Rule{
	ID:         "cpu/softirq",
	Title:      "interrupt work takes the CPU",
	Plural:     "CPUs are busy with interrupt work",
	Resource:   "CPU",
	Needs:      []recording.Table{recording.CPUs, recording.SoftIRQs},
	Explains:   []string{"cpu/saturated", "net/softnet"},
	Thresholds: []*rule.Threshold{&softirqShare, &softirqPossible, &ksoftirqdFrom, &cpuLeft, &smallPacket, &floodPackets, &receiveShare, &natureShare, &hostShare, &cardShare},
	Detect:     detectSoftIRQ,
}

var hostShare = rule.Threshold{Name: "host-share", Value: 0.5, Unit: "share", Source: rule.Judgement,
	Reason: "Share of all CPUs. From here on softirqs slow down the whole host; below it other work fills the host."}

var (
	softirqShare = rule.Threshold{Name: "softirq-share", Value: 0.30, Unit: "share", Source: rule.Measured,
		Reason: "Share of one CPU. Two CPUs in a web benchmark reach 18 to 28 % with useful work. At 30 % the kernel starts to hand work to ksoftirqd, and programs on that CPU slow down."}
	softirqPossible = rule.Threshold{Name: "softirq-possible", Value: 0.20, Unit: "share", Source: rule.Judgement,
		Reason: "Share of one CPU. Worth a look if it is not the service's own traffic."}
	ksoftirqdFrom = rule.Threshold{Name: "ksoftirqd-from", Value: 0.05, Unit: "share", Source: rule.Judgement,
		Reason: "CPU use of ksoftirqd, share of one CPU. Softirqs arrive faster than the end of an interrupt can finish them."}
	cpuLeft = rule.Threshold{Name: "cpu-left", Value: 0.10, Unit: "share", Source: rule.Judgement,
		Reason: "Idle share of the CPU. Below it, programs on this CPU wait."}
	smallPacket = rule.Threshold{Name: "small-packet", Value: 90.0, Unit: "bytes", Source: rule.Judgement,
		Reason: "Mean bytes per received packet, headers included. A bare SYN or ACK has 54 to 66, a short UDP packet 42 to 60. Requests and replies of real services average more."}
	floodPackets = rule.Threshold{Name: "flood-packets", Value: 5000.0, Unit: "per second", Source: rule.Measured,
		Reason: "Packets per second on one interface. A packet costs 1 to 5 µs of softirq time, 20 µs or more behind long firewall rule lists. Below this rate packets cannot fill 10 % of a CPU even then."}
	receiveShare = rule.Threshold{Name: "receive-share", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of NET_RX in all softirqs of the CPU (timer, scheduler and RCU left out) from which received packets are the cause."}
	natureShare = rule.Threshold{Name: "nature-share", Value: 0.3, Unit: "share", Source: rule.Judgement,
		Reason: "A protocol counter that grows by at least this share of the packet rate shows what the packets are."}
)

func detectSoftIRQ(v *view.View) ([]rule.Finding, error) {
	cpus := v.CPUs()
	if len(cpus) == 0 {
		return nil, &rule.NotJudged{Needs: "two readings of /proc/stat", Why: "softirq time is a difference of two readings", How: shell.Say("watch longer: --for 10s")}
	}
	worst, sum := cpus[0], 0.0
	for _, c := range cpus {
		sum += c.SoftIRQ
		if c.SoftIRQ > worst.SoftIRQ {
			worst = c
		}
	}
	if worst.SoftIRQ < softirqPossible.Value {
		return nil, nil
	}
	kinds := kindsOf(v, worst.CPU)
	flow, hasFlow := receivedOn(v, worst.CPU)
	receiving := kinds.top == "NET_RX" && kinds.share >= receiveShare.Value
	flood := receiving && hasFlow && flow.packets >= floodPackets.Value && flow.size <= smallPacket.Value
	daemon := ksoftirqd(v, worst.CPU)
	// That a CPU spends its time on packets harms nobody while it has time left and
	// somebody wants the packets: a name server or a game may live on tiny ones.
	pressed := daemon.CPU >= ksoftirqdFrom.Value || 1-worst.Busy() <= cpuLeft.Value
	nature := natureOf(v, flow.traffic)
	f := rule.Finding{Confidence: rule.Possible}
	switch {
	// Loopback has no sender but this host: its softirq time is part of what
	// local clients and servers do for each other.
	case hasFlow && flow.name == "lo":
	case worst.SoftIRQ >= softirqShare.Value && flood && (pressed || nature.refused):
		f.Confidence = rule.Certain
	case worst.SoftIRQ >= softirqShare.Value && daemon.CPU >= ksoftirqdFrom.Value:
		f.Confidence = rule.Likely
	}
	if f.Confidence == rule.Possible && !flood && daemon.CPU < ksoftirqdFrom.Value {
		return nil, nil // busy with useful packets
	}
	describeSoftIRQ(v, &f, softirqFacts{worst: worst, sum: sum, kinds: kinds, flow: flow.traffic, hasFlow: hasFlow && receiving, flood: flood, nature: nature.words, daemon: daemon})
	return []rule.Finding{f}, nil
}

type softirqFacts struct {
	worst   view.CPUShare
	sum     float64 // cores, all CPUs
	kinds   kinds
	flow    traffic
	hasFlow bool
	flood   bool
	nature  string // what the packets are; "": not known
	daemon  view.Process
}

// kinds is which kind of softirq dominates on a CPU.
type kinds struct {
	top   string
	rate  float64
	share float64 // of all but housekeeping
}

// housekeeping runs on every CPU all the time and moves with the clock.
var housekeeping = map[string]bool{"TIMER": true, "SCHED": true, "RCU": true, "HRTIMER": true}

func kindsOf(v *view.View, cpu int32) (k kinds) {
	sums := map[string]float64{}
	var all float64
	for _, s := range v.SoftIRQs() {
		if s.CPU == cpu && !housekeeping[s.Kind] {
			sums[s.Kind] += s.PerSecond
			all += s.PerSecond
		}
	}
	for kind, rate := range sums {
		if rate > k.rate || rate == k.rate && kind < k.top {
			k.top, k.rate = kind, rate
		}
	}
	if all > 0 {
		k.share = k.rate / all
	}
	return k
}

// ksoftirqd is the thread that does what the ends of interrupts left on a CPU. Those of other
// CPUs say nothing about this one.
func ksoftirqd(v *view.View, cpu int32) (daemon view.Process) {
	name := fmt.Sprintf("ksoftirqd/%d", cpu)
	for _, p := range v.Processes() {
		if p.Kernel && p.Comm == name {
			daemon = p
		}
	}
	return daemon
}

// natures are protocol counters that tell what a flood consists of.
var natures = []struct {
	protocol, counter, words string
	refused                  bool // nobody here takes them
}{
	{"TcpExt", "SyncookiesSent", "connection requests (SYN) answered with cookies", true},
	{"TcpExt", "TCPReqQFullDrop", "connection requests (SYN) over a full queue", true},
	{"TcpExt", "ListenDrops", "connection requests a listener refused", true},
	{"Udp", "NoPorts", "UDP to ports no process listens on", true},
	{"Udp", "RcvbufErrors", "UDP to a socket whose buffer is full", true},
	{"Udp", "InDatagrams", "UDP datagrams", false},
	{"Icmp", "InEchos", "pings", false},
	{"Tcp", "OutRsts", "TCP segments answered with a reset: no such connection or port", true},
	{"Tcp", "InSegs", "TCP segments", false},
}

// nature is what the packets of an interface are.
type nature struct {
	words   string // "": not known
	refused bool   // nobody here takes them
}

// natureOf says what the packets of an interface's namespace are.
func natureOf(v *view.View, flow traffic) nature {
	type key struct{ protocol, name string }
	var rows []recording.ProtocolSample
	for _, s := range view.Rows[recording.ProtocolSample](v) {
		if s.NetNS == flow.netns {
			rows = append(rows, s)
		}
	}
	_, series := view.Group(rows, func(s recording.ProtocolSample) key { return key{s.Protocol, s.Name} })
	for _, n := range natures {
		if r := view.Rate(v, series[key{n.protocol, n.counter}], func(s recording.ProtocolSample) int64 { return s.Value }); r >= natureShare.Value*flow.packets {
			return nature{fmt.Sprintf("%s (%s.%s +%v)", n.words, n.protocol, n.counter, unit.PerSecond(r)), n.refused}
		}
	}
	return nature{}
}

func describeSoftIRQ(v *view.View, f *rule.Finding, x softirqFacts) {
	cpu := fmt.Sprintf("CPU %d", x.worst.CPU)
	f.Subject = view.Entity{Kind: view.KindCPU, Name: cpu}
	f.Headline = rule.T("%s spends %v of its time in softirqs, mostly %s", cpu, unit.Share(x.worst.SoftIRQ), x.kinds.top)
	if x.hasFlow {
		f.Subject = view.InterfaceEntity(x.flow.name, x.flow.netns)
		what := "packets"
		if x.flood {
			what = "tiny packets"
		}
		f.Headline = rule.T("%v %s arrive on %s: the kernel spends %v of %s on receiving them",
			unit.PerSecond(x.flow.packets), what, x.flow.name, unit.Share(x.worst.SoftIRQ), cpu)
	}
	f.Affects = append(f.Affects, view.Entity{Kind: view.KindCPU, Name: cpu}) // its backlog overflows
	f.AffectsAll = x.sum >= hostShare.Value*float64(v.CPUCount())             // else other work fills the host
	f.Impact = rule.Impact{Share: min(1, x.worst.SoftIRQ), Text: rule.T("%v of %s, %v of all CPU time", unit.Share(x.worst.SoftIRQ), cpu, unit.Share(x.sum/float64(v.CPUCount())))}
	f.Evidence = []rule.Evidence{
		{Metric: metric.CPUSoftirq, Value: x.worst.SoftIRQ, Limit: rule.Limit(softirqShare.Value),
			What: rule.T("softirqs took %v of %s", unit.Share(x.worst.SoftIRQ), cpu)},
		{Metric: metric.SoftirqRate, Value: x.kinds.rate,
			What: rule.T("%s ran %v, %v of all its softirqs except timer, scheduler and RCU", x.kinds.top, unit.PerSecond(x.kinds.rate), unit.Share(x.kinds.share))},
	}
	if x.hasFlow {
		f.Evidence = append(f.Evidence,
			rule.Evidence{Metric: metric.NetRxPackets, Value: x.flow.packets, Limit: rule.Limit(floodPackets.Value),
				What: rule.T("%s received %v packets", x.flow.name, unit.PerSecond(x.flow.packets))},
			rule.Evidence{Metric: metric.NetPacketSize, Value: x.flow.size, Limit: rule.Limit(smallPacket.Value),
				What: rule.T("%v each, headers included", unit.Bytes(x.flow.size))})
		if x.nature != "" {
			f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.NetPacketKind, Value: x.flow.packets,
				What: rule.T("they are %s", x.nature), Check: shell.Line("nstat; tcpdump -c 20 -ni %s", x.flow.name)})
		}
	}
	if x.daemon.CPU >= ksoftirqdFrom.Value {
		f.Affects = append(f.Affects, x.daemon.Entity())
		f.Notes = append(f.Notes, rule.T("%s uses %v of a CPU: it does the queued work and is not the cause", x.daemon.Comm, unit.Share(x.daemon.CPU)))
	}
	where := "IF"
	if x.hasFlow {
		where = x.flow.name
	}
	f.Fixes = []rule.Fix{
		{Text: rule.T("see who sends what, and stop it at the sender or at the edge"), Command: shell.Line("tcpdump -c 100 -nni %s", where), Tradeoff: "reads packets of all users of that interface"},
		{Text: rule.T("drop unwanted packets early: XDP, or nft in the ingress hook"),
			Command: shell.Line("nft add table netdev guard; nft add chain netdev guard in %s; nft add rule netdev guard in ip saddr ADDRESS drop",
				shell.Nft("{ type filter hook ingress device %s priority 0; policy accept; }", where)),
			Tradeoff: "still costs something for each packet; wrong rules cut off real clients"},
		{Text: rule.T("if the traffic is wanted, spread it over CPUs (RSS, RPS) and let the card merge packets (GRO, interrupt coalescing)"),
			Command: shell.Line("ethtool -l %s; cat /sys/class/net/%s/queues/rx-0/rps_cpus", where, where), Tradeoff: "RPS costs an interrupt between CPUs; coalescing adds microseconds of latency"},
	}
}
