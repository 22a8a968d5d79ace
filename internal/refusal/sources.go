package refusal

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"rtrail/internal/recording"
	"rtrail/internal/shell"
	"rtrail/internal/view"
)

var protocols = source{name: "nstat", file: "/proc/net/snmp, netstat, snmp6, stat, xfrm_stat, tls_stat, sctp/snmp and netlink", resource: "packet delivery", counters: slices.Concat(tcpCounters, ipCounters, messageCounters), scopes: protocolScopes}

func protocolScopes(v *view.View) (list []Scope) {
	for _, c := range v.Counters() {
		enter := v.EnterNetNS(c.NetNS)
		list = append(list, Scope{
			Subject: v.NetNSEntity(c.NetNS), Where: elsewhere(v, c.NetNS), Seconds: c.Seconds, Delta: c.Deltas(),
			Check:  func(name string) shell.Command { return protocolCheck(enter, name) },
			Detail: func(name string) string { return worstSocket(v, c.NetNS, name) },
		})
	}
	return list
}

// protocolCheck is the command that shows a counter: nstat knows what is in snmp,
// netstat and snmp6.
func protocolCheck(enter shell.Command, name string) shell.Command {
	for prefix, file := range map[string]string{"ArpCache": "stat/arp_cache", "NdiscCache": "stat/ndisc_cache", "RtCache": "stat/rt_cache",
		"Synproxy": "stat/synproxy", "Xfrm": "xfrm_stat", "Tls": "tls_stat", "Sctp": "sctp/snmp", "Netlink": "netlink"} {
		if strings.HasPrefix(name, prefix) {
			return shell.Line("%s cat %s", enter, shell.Path("/proc/net/"+file))
		}
	}
	return shell.Line("%s nstat -az %s", enter, name)
}

// worstSocket names the UDP socket that lost most datagrams, for the counters
// that count them.
func worstSocket(v *view.View, ns uint64, counter string) string {
	switch counter {
	case "UdpRcvbufErrors", "Udp6RcvbufErrors", "UdpMemErrors", "Udp6MemErrors":
	default:
		return ""
	}
	for _, worst := range v.UDPSockets() {
		if worst.NetNS != ns || worst.Dropped == 0 {
			continue
		}
		who := "an unknown process"
		if len(worst.Owners) > 0 {
			who = worst.Owners[0].Entity().String()
		}
		return fmt.Sprintf("most, %.0f, at the UDP port %d of %s", worst.Dropped, worst.LocalPort, who)
	}
	return ""
}

var devices = source{name: "interface", file: "/proc/net/dev", resource: "packet delivery", counters: deviceCounters, scopes: deviceScopes}

func deviceScopes(v *view.View) (list []Scope) {
	type key struct {
		ns   uint64
		name string
	}
	type sample = recording.NetDeviceSample
	keys, series := view.Group(view.Rows[sample](v), func(s sample) key { return key{s.NetNS, s.Interface} })
	for _, k := range keys {
		where := k.name
		if in := elsewhere(v, k.ns); in != "" {
			where += " in " + in
		}
		enter := v.EnterNetNS(k.ns)
		list = append(list, Scope{
			Subject: view.InterfaceEntity(k.name, k.ns), Where: where, Seconds: view.Covered(v, series[k]).Seconds(),
			Delta: deltas(series[k], map[string]func(sample) uint64{
				"rx_packets": func(s sample) uint64 { return s.RxPackets }, "tx_packets": func(s sample) uint64 { return s.TxPackets },
				"rx_errors": func(s sample) uint64 { return s.RxErrors }, "rx_dropped": func(s sample) uint64 { return s.RxDropped },
				"rx_fifo": func(s sample) uint64 { return s.RxFIFO }, "tx_errors": func(s sample) uint64 { return s.TxErrors },
				"tx_dropped": func(s sample) uint64 { return s.TxDropped }, "tx_fifo": func(s sample) uint64 { return s.TxFIFO },
				"tx_carrier": func(s sample) uint64 { return s.Carrier }, "collisions": func(s sample) uint64 { return s.Collisions },
			}),
			Check: func(string) shell.Command { return shell.Line("%s ip -s -s link show dev %s", enter, k.name) },
		})
	}
	return list
}

var softnet = source{name: "softnet", file: "/proc/net/softnet_stat", resource: "packet delivery", counters: softnetCounters, scopes: softnetScopes}

func softnetScopes(v *view.View) []Scope {
	type sample = recording.SoftnetSample
	keys, series := view.Group(view.Rows[sample](v), func(s sample) int32 { return s.CPU })
	sum := hostScope(v, shell.Line("cat /proc/net/softnet_stat   # second column, hexadecimal"))
	for _, k := range keys {
		sum.Seconds = max(sum.Seconds, view.Covered(v, series[k]).Seconds())
		for name, d := range deltas(series[k], map[string]func(sample) uint64{
			"dropped": func(s sample) uint64 { return s.Dropped }, "squeezed": func(s sample) uint64 { return s.Squeezed },
		}) {
			sum.Delta[name] += d
		}
	}
	return []Scope{sum}
}

var conntrack = source{name: "conntrack", file: "/proc/net/stat/nf_conntrack", resource: "connection tracking", counters: conntrackCounters, scopes: conntrackScopes}

func conntrackScopes(v *view.View) (list []Scope) {
	type sample = recording.ConntrackSample
	spaces, series := view.Group(view.Rows[sample](v), func(s sample) uint64 { return s.NetNS })
	for _, ns := range spaces {
		enter := v.EnterNetNS(ns)
		list = append(list, Scope{
			Subject: v.NetNSEntity(ns), Where: elsewhere(v, ns), Seconds: view.Elapsed(series[ns]).Seconds(),
			Delta: deltas(series[ns], map[string]func(sample) uint64{
				"drop": func(s sample) uint64 { return s.Drop }, "early_drop": func(s sample) uint64 { return s.EarlyDrop },
				"insert_failed": func(s sample) uint64 { return s.InsertFailed }, "chaintoolong": func(s sample) uint64 { return s.ChainTooLong },
			}),
			Check: func(string) shell.Command { return shell.Line("%s conntrack -S", enter) },
		})
	}
	return list
}

var memory = source{name: "vmstat", file: "/proc/vmstat; /sys/devices/system/edac/mc", resource: "memory", counters: memoryCounters, scopes: memoryScopes}

func memoryScopes(v *view.View) []Scope {
	type sample = recording.VMStatSample
	rows := view.Rows[sample](v)
	s := hostScope(v, shell.Command{})
	s.Seconds = view.Covered(v, rows).Seconds()
	s.Delta = deltas(rows, map[string]func(sample) uint64{
		"oom_kill": func(s sample) uint64 { return s.OOMKills }, "htlb_buddy_alloc_fail": func(s sample) uint64 { return s.HugePageFails },
	})
	for name, d := range deltas(view.Rows[recording.MemorySample](v), map[string]func(recording.MemorySample) int64{
		"ce_count": func(s recording.MemorySample) int64 { return s.Corrected }, "ue_count": func(s recording.MemorySample) int64 { return s.Uncorrected },
	}) {
		s.Delta[name] = d
	}
	s.Check = func(name string) shell.Command {
		if strings.HasSuffix(name, "_count") {
			return shell.Line("grep -r . /sys/devices/system/edac/mc --include %s", name)
		}
		return shell.Line("grep %s /proc/vmstat", "^"+name)
	}
	return []Scope{s}
}

var controlGroups = source{name: "cgroup", file: "memory.events, memory.swap.events, hugetlb.SIZE.events, pids.events and cpu.stat of control groups, failcnt of version 1", resource: "memory", counters: groupCounters, scopes: groupScopes}

func groupScopes(v *view.View) (list []Scope) {
	type sample = recording.CgroupSample
	for _, g := range v.Cgroups() {
		list = append(list, Scope{
			Subject: view.CgroupEntity(g.Path), Where: "control group " + g.Path, Seconds: g.Seconds,
			Delta: deltas(g.Samples, map[string]func(sample) int64{
				"oom": func(s sample) int64 { return s.EventsOOM }, "oom_kill": func(s sample) int64 { return s.OOMKills },
				"pids.max":     func(s sample) int64 { return s.PidsEvents },
				"kmem.failcnt": func(s sample) int64 { return s.KmemFailures }, "kmem.tcp.failcnt": func(s sample) int64 { return s.SocketFailures },
				"hugetlb.max": func(s sample) int64 { return s.HugeFailures },
			}),
			Check: func(name string) shell.Command { return groupCheck(g.Version, name, g.Path) },
		})
	}
	return list
}

// hostScope is a scope of the whole host.
func hostScope(v *view.View, check shell.Command) Scope {
	return Scope{
		Subject: v.HostEntity(), Delta: map[string]float64{},
		Check: func(string) shell.Command { return check },
	}
}

// elsewhere names a network namespace; "" for the one of rtrail.
func elsewhere(v *view.View, ns uint64) string {
	if v.OwnNetNS(ns) {
		return ""
	}
	return v.NetNSName(ns)
}

// deltas says how counters grew over a series; those read less than twice are
// left out.
func deltas[T any, N view.Number](series []T, read map[string]func(T) N) map[string]float64 {
	grown := map[string]float64{}
	for name, value := range read {
		if d, ok := view.Delta(series, value); ok && !math.IsNaN(d) {
			grown[name] = d
		}
	}
	return grown
}

// groupCheck is the command that shows an event of a control group.
func groupCheck(version int32, counter, path string) shell.Command {
	path = strings.TrimSuffix(path, "/")
	if version == 1 {
		switch {
		case counter == "pids.max":
			return shell.Line("cat %s", shell.Path("/sys/fs/cgroup/pids"+path+"/pids.events"))
		case counter == "hugetlb.max":
			return shell.Line("grep -r . %s --include 'hugetlb.*.failcnt'", shell.Path("/sys/fs/cgroup/hugetlb"+path))
		case strings.HasSuffix(counter, "failcnt"):
			return shell.Line("cat %s", shell.Path("/sys/fs/cgroup/memory"+path+"/memory."+counter))
		}
		return shell.Line("cat %s", shell.Path("/sys/fs/cgroup/memory"+path+"/memory.oom_control"))
	}
	dir := "/sys/fs/cgroup" + path
	switch counter {
	case "pids.max":
		return shell.Line("cat %s", shell.Path(dir+"/pids.events"))
	case "hugetlb.max":
		return shell.Line("grep -r . %s --include 'hugetlb.*.events'", shell.Path(dir))
	}
	return shell.Line("cat %s", shell.Path(dir+"/memory.events"))
}
