package audit_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rtrail/internal/audit"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/catalogue"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/verdict"
)

// bare is a host of which nothing is known but its own network namespace.
func bare() *ruletest.Host {
	h := ruletest.New(4, 10)
	ruletest.Add(h, recording.NetNSSample{At: ruletest.Start, NetNS: 1, Own: true})
	return h
}

// counters grow by so much a second, in the namespace of the host.
func counters(h *ruletest.Host, protocol string, rates map[string]float64) {
	h.Readings(func(at time.Time, s float64) {
		for name, rate := range rates {
			ruletest.Add(h, recording.ProtocolSample{At: at, NetNS: 1, Protocol: protocol, Name: name, Value: 1e6 + int64(rate*s)})
		}
	})
}

// counted says that a probe reads these counters: they stand in for packets.
func counted(h *ruletest.Host) { probed(h, "socket", recording.Protocol) }

// probed says which probe fills a table: it is enough beside others that may lack.
func probed(h *ruletest.Host, probe string, table recording.Table) {
	h.Manifest(func(m *recording.Manifest) {
		m.Probes = append(m.Probes, recording.ProbeInfo{Name: probe, Fills: []recording.Table{table}})
	})
}

// interrupted has all softirqs of packets on CPU 2, and others' shares of it.
func interrupted(h *ruletest.Host, two, one float64) {
	h.CPUs(ruletest.CPU{}, ruletest.CPU{SoftIRQ: one}, ruletest.CPU{SoftIRQ: two}, ruletest.CPU{})
	h.SoftIRQ("NET_RX", 2, 20_000*two).SoftIRQ("NET_RX", 1, 20_000*one)
	h.Process(ruletest.Process{Comm: "ksoftirqd/2", Kernel: true, CPU: 0.1})
}

// losing is a card that loses half a percent of its packets, in its receive ring or as
// damaged frames, for which connections wait.
func losing(h *ruletest.Host, ring float64) {
	counters(h, "Tcp", map[string]float64{"OutSegs": 10_000, "RetransSegs": 50})
	counters(h, "TcpExt", map[string]float64{"TCPSynRetrans": 0, "TCPTimeouts": 4, "TCPLossProbes": 0, "TCPDSACKRecv": 0})
	h.Readings(func(at time.Time, s float64) {
		ruletest.Add(h, recording.TCPSample{At: at, NetNS: 1, Local: "10.0.0.2", LocalPort: 41000, Remote: "10.0.0.1", RemotePort: 80, State: recording.TCPEstablished, Info: true,
			RTT: time.Millisecond, MSS: 1448, RTO: 204 * time.Millisecond, TotalRetrans: uint32(50 * s), SegsOut: uint32(10_000 * s), BytesSent: uint64(1e6 * s)})
		ruletest.Add(h, recording.NetDeviceSample{At: at, NetNS: 1, Interface: "eth0", RxPackets: uint64(9950 * s), RxErrors: uint64(50 * s), RxFIFO: uint64(50 * s * ring), SpeedMbps: -1, Physical: true, MTU: 1500, Up: true})
	})
}

// storm is a process that spends most of its time in one system call.
func storm(h *ruletest.Host, stack string) {
	h.CPUs(ruletest.CPU{User: 1}, ruletest.CPU{})
	h.Process(ruletest.Process{PID: 70, Comm: "importer", CPU: 1, System: 0.8, Change: func(s float64, row *recording.ProcessSample) {
		row.ReadCalls, row.ReadChars = int64(1e6*s), int64(1e6*s)
	}})
	h.OnCPU(recording.OnCPUSample{PID: 70, Process: "importer", Samples: 392, Kernel: true, Module: recording.KernelModule, Stack: stack},
		recording.OnCPUSample{PID: 70, Process: "importer", Samples: 98, Function: "main", Stack: "main"})
}

const (
	inClock = "posix_get_realtime_timespec;__x64_sys_clock_gettime;do_syscall_64;entry_SYSCALL_64_after_hwframe"
	inFiles = "filemap_read;vfs_read;ksys_read;do_syscall_64;entry_SYSCALL_64_after_hwframe;read"
)

// swaps is a host that swaps, and on which nobody measures how long that is waited for.
func swaps(h *ruletest.Host, available int64, p ruletest.Process) {
	h.VMStat(ruletest.VMStat{SwapIn: 5000, SwapOut: 5200, MajorFaults: 1000, Faults: 20000}).Memory(8*gib, available, 0).Swap("/dev/sda2", 16*gib, 2*gib, 0)
	p.Major, p.Change = 900, func(_ float64, r *recording.ProcessSample) { r.SwapDelay = recording.Unknown }
	h.Process(p)
}

// rereads is a host that reads files again for which it lacks memory, whatever has it.
func rereads(h *ruletest.Host, names int64) {
	h.VMStat(ruletest.VMStat{Refaults: 1600})
	h.Process(ruletest.Process{Comm: "nginx", BlockDelay: 0.9, ReadBytes: 63 << 20})
	ruletest.Every(h, func(at time.Time, _ float64) recording.MemorySample {
		return recording.MemorySample{At: at, Total: 8 * gib, Available: gib / 4, Cached: gib, SReclaimable: names}
	})
}

// nodes are two, of which the first is full and swaps.
func nodes(h *ruletest.Host) {
	for node, free := range []int64{18_000, 5 << 20} {
		ruletest.Every(h, func(at time.Time, _ float64) recording.ZoneSample {
			return recording.ZoneSample{At: at, Node: int32(node), Zone: "Normal", Free: free, Managed: 8 << 20, High: 20_000}
		})
	}
	ruletest.Every(h, func(at time.Time, s float64) recording.VMStatSample {
		return recording.VMStatSample{At: at, SwapOut: uint64(512 * s), ScanKswapd: uint64(9000 * s)}
	})
}

// files are the open files of the server at port 8080, and its limit.
func files(h *ruletest.Host, open, limit int64) {
	ruletest.Every(h, func(at time.Time, _ float64) recording.LimitSample {
		return recording.LimitSample{At: at, PID: 8180, Files: open, FilesSoft: limit, FilesHard: limit}
	})
}

// overflows are connects that the only listener refuses, so many a second.
func overflows(h *ruletest.Host, refused float64) {
	counters(h, "TcpExt", map[string]float64{"ListenOverflows": refused, "ListenDrops": refused})
	counters(h, "Tcp", map[string]float64{"PassiveOpens": 1200})
}

// quota is a group that is stopped in half of its periods.
func quota(h *ruletest.Host, quota time.Duration, memory int64) {
	h.Cgroup(ruletest.Cgroup{Path: "/app", Quota: quota, CPU: 0.1, Periods: 10, Throttled: 5, ThrottledTime: 0.5, Memory: 1 << 20, MemoryMax: memory})
	serve(h, "nginx", 8080, 511, "/app")
}

// stuck is a connection over which segments of a size do not get through.
func stuck(h *ruletest.Host, size, acked int64) {
	h.PacketCapture(nil)
	h.PacketConnection(ruletest.PacketConnection{PacketConnection: recording.PacketConnection{Transactions: 100, RTSum: time.Second, RTMin: time.Millisecond, RTMax: time.Millisecond},
		FromClient: recording.PacketSide{Packets: 200, Segments: 100, Bytes: 5000}, FromServer: recording.PacketSide{Packets: 200, Segments: 100, Bytes: 90_000}})
	ruletest.Add(h, recording.PacketPath{At: ruletest.Start, Connection: 1, Sender: "server", Downstream: 4, StuckCopies: 4, StuckSize: size, LargestAcked: acked})
}

// bridged has a member of a bridge with an MTU.
func bridged(h *ruletest.Host, mtu int64) {
	device(h, recording.NetDeviceSample{Interface: "br0", MTU: 1500, Kind: "bridge"})
	device(h, recording.NetDeviceSample{Interface: "tap0", MTU: mtu, Kind: "tun", Master: "br0"})
}

// outgoing are connections in TIME_WAIT from all ports of a range but one.
func outgoing(h *ruletest.Host, first, last uint16) {
	set(h, "net.ipv4.ip_local_port_range", fmt.Sprintf("%d %d", first, last))
	h.Readings(func(at time.Time, _ float64) {
		for port := first; port < last; port++ {
			ruletest.Add(h, recording.TCPSample{At: at, NetNS: 1, Local: "10.0.0.1", LocalPort: port, Remote: "10.0.0.5", RemotePort: 8080, State: recording.TCPTimeWait})
		}
	})
}

// datagrams are lost at a socket that nobody is known to hold, so many a second.
func datagrams(h *ruletest.Host, buffer uint32, lost float64) {
	counters(h, "Udp", map[string]float64{"InDatagrams": 100, "InErrors": lost, "RcvbufErrors": lost})
	h.Readings(func(at time.Time, s float64) {
		ruletest.Add(h, recording.UDPSample{At: at, NetNS: 1, Local: "0.0.0.0", LocalPort: 8125, Inode: 77, RcvBuf: buffer, Drops: 5 + uint32(lost*s)})
	})
}

// writes keep a disk busy, or reads do; dirty bytes wait to be written.
func busy(h *ruletest.Host, reads, writes float64, dirty int64) {
	ruletest.Every(h, func(at time.Time, s float64) recording.DiskSample {
		n := func(rate float64) uint64 { return uint64(rate * (s + 1000)) }
		t := func(seconds float64) time.Duration { return time.Duration(seconds * (s + 1000) * float64(time.Second)) }
		return recording.DiskSample{At: at, Device: "vda", Reads: n(reads), ReadBytes: n(reads * 4096), ReadTime: t(reads * 0.1), Writes: n(writes), WrittenBytes: n(writes * 4096), WriteTime: t(writes * 0.1),
			Busy: t(1), WeightedQueue: t(3)}
	})
	ruletest.Every(h, func(at time.Time, _ float64) recording.MemorySample {
		return recording.MemorySample{At: at, Total: 8 * gib, Available: 4 * gib, Cached: 3 * gib, Dirty: dirty}
	})
	h.Process(ruletest.Process{PID: 7, Comm: "mariadbd", ReadBytes: reads * 4096, WriteBytes: writes * 4096, BlockDelay: 0.9})
}

// TestProves is of likely findings of real rules beside settings: certain is what a setting
// is proven to do, and a setting that cannot have done it is not named.
func TestProves(t *testing.T) {
	proven := map[string]bool{}
	for _, c := range []struct {
		name        string
		check, rule string
		build       func(*ruletest.Host)
		want        rule.Confidence
		cited       bool
	}{
		{"all interrupts on the CPU that is busy with them", "audit/irq-affinity", "cpu/softirq", func(h *ruletest.Host) {
			interrupted(h, 0.6, 0)
			h.NetDevice(ruletest.NetDevice{Name: "eth0", RxPackets: 20_000, RxBytes: 2e7})
			card(h, "2", "2", "0")
		}, rule.Certain, true},
		{"other CPUs do as much of it", "audit/irq-affinity", "cpu/softirq", func(h *ruletest.Host) {
			interrupted(h, 0.6, 0.5)
			h.NetDevice(ruletest.NetDevice{Name: "eth0", RxPackets: 20_000, RxBytes: 2e7})
			card(h, "2", "2", "0")
		}, rule.Likely, true},
		{"all interrupts on another CPU", "audit/irq-affinity", "cpu/softirq", func(h *ruletest.Host) {
			interrupted(h, 0.6, 0)
			h.NetDevice(ruletest.NetDevice{Name: "eth0", RxPackets: 20_000, RxBytes: 2e7})
			card(h, "1", "1", "0")
		}, rule.Likely, false},
		{"the one CPU that may read the ring is full", "audit/irq-affinity", "net/nic-drops", func(h *ruletest.Host) {
			losing(h, 1)
			interrupted(h, 0.98, 0)
			card(h, "2", "2", "0")
		}, rule.Certain, true},
		{"the one CPU that may read the ring has time", "audit/irq-affinity", "net/nic-drops", func(h *ruletest.Host) {
			losing(h, 1)
			interrupted(h, 0.5, 0)
			card(h, "2", "2", "0")
		}, rule.Likely, true},
		{"damaged frames", "audit/irq-affinity", "net/nic-drops", func(h *ruletest.Host) {
			losing(h, 0)
			interrupted(h, 0.98, 0)
			card(h, "2", "2", "0")
		}, rule.Likely, false},
		{"asks for the time of hpet", "audit/clock-source", "cpu/syscall-storm", func(h *ruletest.Host) {
			storm(h, inClock)
			set(h, "/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet")
		}, rule.Certain, true},
		{"asks for the time of tsc", "audit/clock-source", "cpu/syscall-storm", func(h *ruletest.Host) {
			storm(h, inClock)
			set(h, "/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc")
		}, rule.Likely, false},
		{"asks how much CPU time it took, beside hpet", "audit/clock-source", "cpu/syscall-storm", func(h *ruletest.Host) {
			storm(h, "posix_cpu_clock_get;thread_cpu_clock_get;__x64_sys_clock_gettime;do_syscall_64;entry_SYSCALL_64_after_hwframe")
			set(h, "/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet")
		}, rule.Likely, false},
		{"reads bytes beside hpet", "audit/clock-source", "cpu/syscall-storm", func(h *ruletest.Host) {
			storm(h, inFiles)
			set(h, "/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet")
		}, rule.Likely, false},
		{"a database in swap beside more page cache", "audit/swappiness", "mem/swapping", func(h *ruletest.Host) {
			swaps(h, 4*gib, ruletest.Process{Comm: "postgres", Anon: 4 * gib, SwapUsed: gib})
			set(h, "vm.swappiness", "60")
		}, rule.Certain, true},
		{"a database in swap, and hardly any page cache", "audit/swappiness", "mem/swapping", func(h *ruletest.Host) {
			swaps(h, gib, ruletest.Process{Comm: "postgres", Anon: 4 * gib, SwapUsed: gib})
			set(h, "vm.swappiness", "60")
		}, rule.Likely, true},
		{"a database at the limit of its group", "audit/swappiness", "mem/swapping", func(h *ruletest.Host) {
			swaps(h, 4*gib, ruletest.Process{Comm: "postgres", Anon: 4 * gib, SwapUsed: gib, MemCgroup: "/db"})
			h.Cgroup(ruletest.Cgroup{Path: "/db", Memory: 4 * gib, MemoryMax: 4 * gib, SwapUsed: gib, EventsMax: 5})
			set(h, "vm.swappiness", "60")
		}, rule.Likely, true},
		{"a database in swap, told to stay", "audit/swappiness", "mem/swapping", func(h *ruletest.Host) {
			swaps(h, 4*gib, ruletest.Process{Comm: "postgres", Anon: 4 * gib, SwapUsed: gib})
			set(h, "vm.swappiness", "1")
		}, rule.Likely, false},
		{"a heap that does not fit the host", "audit/jvm-heap", "mem/swapping", func(h *ruletest.Host) {
			swaps(h, gib, ruletest.Process{Comm: "java", Cmdline: "java -Xmx12g -jar a.jar", Anon: 7 * gib, SwapUsed: 2 * gib})
		}, rule.Certain, true},
		{"a heap that does not fit the host, once it is full", "audit/jvm-heap", "mem/swapping", func(h *ruletest.Host) {
			swaps(h, gib, ruletest.Process{Comm: "java", Cmdline: "java -Xmx12g -jar a.jar", Anon: 4 * gib, SwapUsed: gib})
		}, rule.Likely, true},
		{"a heap that does not fit the group above", "audit/jvm-heap", "mem/cgroup-oom", func(h *ruletest.Host) {
			h.VMStat(ruletest.VMStat{OOMKills: 0.2}).Log(3, "nothing").Cgroup(ruletest.Cgroup{Path: "/pod", Memory: 2 * gib, MemoryMax: 2 * gib}).
				Cgroup(ruletest.Cgroup{Path: "/pod/java", Memory: gib, OOMKills: 0.2})
			h.Process(ruletest.Process{Comm: "java", Cmdline: "java -Xmx2g -jar a.jar", Anon: gib, MemCgroup: "/pod/java"})
			probed(h, "cgroup", recording.Cgroups)
		}, rule.Certain, true},
		{"a heap that fits the group above", "audit/jvm-heap", "mem/cgroup-oom", func(h *ruletest.Host) {
			h.VMStat(ruletest.VMStat{OOMKills: 0.2}).Log(3, "nothing").Cgroup(ruletest.Cgroup{Path: "/pod", Memory: 2 * gib, MemoryMax: 2 * gib}).
				Cgroup(ruletest.Cgroup{Path: "/pod/java", Memory: gib, OOMKills: 0.2})
			h.Process(ruletest.Process{Comm: "java", Cmdline: "java -Xmx1g -jar a.jar", Anon: gib, MemCgroup: "/pod/java"})
			probed(h, "cgroup", recording.Cgroups)
		}, rule.Likely, false},
		{"names of files have the room", "audit/cache-pressure", "mem/reclaim", func(h *ruletest.Host) { rereads(h, 5*gib); set(h, "vm.vfs_cache_pressure", "0") }, rule.Certain, true},
		{"programs have the room", "audit/cache-pressure", "mem/reclaim", func(h *ruletest.Host) { rereads(h, gib/4); set(h, "vm.vfs_cache_pressure", "0") }, rule.Likely, true},
		{"names of files have the room for a while", "audit/cache-pressure", "mem/reclaim", func(h *ruletest.Host) { rereads(h, 5*gib); set(h, "vm.vfs_cache_pressure", "50") }, rule.Likely, false},
		{"a node swaps for itself", "audit/zone-reclaim", "mem/numa", func(h *ruletest.Host) { nodes(h); set(h, "vm.zone_reclaim_mode", "5") }, rule.Certain, true},
		{"a node drops page cache for itself, and swaps", "audit/zone-reclaim", "mem/numa", func(h *ruletest.Host) { nodes(h); set(h, "vm.zone_reclaim_mode", "1") }, rule.Likely, false},
		{"few files", "audit/fd-limit", "proc/fd-limit", func(h *ruletest.Host) { listen(h, "api", 8080, 511); files(h, 1024, 1024) }, rule.Certain, true},
		{"a great many files", "audit/fd-limit", "proc/fd-limit", func(h *ruletest.Host) { listen(h, "api", 8080, 511); files(h, 65_536, 65_536) }, rule.Likely, false},
		{"no file for a connection", "audit/fd-limit", "net/accept-queue-full", func(h *ruletest.Host) {
			listen(h, "api", 8080, 511)
			files(h, 1024, 1024)
			overflows(h, 5)
		}, rule.Certain, true},
		{"files for more connections", "audit/fd-limit", "net/accept-queue-full", func(h *ruletest.Host) {
			listen(h, "api", 8080, 511)
			files(h, 600, 1024)
			overflows(h, 5)
		}, rule.Likely, false},
		{"a tiny quota", "audit/cgroup-limits", "cpu/throttled", func(h *ruletest.Host) { quota(h, 10*time.Millisecond, 0) }, rule.Certain, true},
		{"memory above the host's beside a usual quota", "audit/cgroup-limits", "cpu/throttled", func(h *ruletest.Host) { quota(h, 50*time.Millisecond, 16*gib) }, rule.Likely, false},
		{"an MTU between what is lost and what arrives", "audit/mtu", "net/mtu-mismatch", func(h *ruletest.Host) { stuck(h, 1448, 500); bridged(h, 1400) }, rule.Certain, true},
		{"an MTU that all fit", "audit/mtu", "net/mtu-mismatch", func(h *ruletest.Host) { stuck(h, 1448, 500); bridged(h, 1490) }, rule.Likely, false},
		{"an MTU that some may not have fit that arrived", "audit/mtu", "net/mtu-mismatch", func(h *ruletest.Host) { stuck(h, 1448, 1340); bridged(h, 1400) }, rule.Likely, true},
		{"a burst that the backlog wanted would hold", "audit/somaxconn", "net/accept-queue-full", func(h *ruletest.Host) {
			listen(h, "nginx", 80, 128)
			set(h, "net.core.somaxconn", "128")
			overflows(h, 5)
		}, rule.Certain, true},
		{"more than any backlog holds", "audit/somaxconn", "net/accept-queue-full", func(h *ruletest.Host) {
			listen(h, "nginx", 80, 128)
			set(h, "net.core.somaxconn", "128")
			overflows(h, 500)
		}, rule.Likely, true},
		{"nobody knows which backlog was wanted", "audit/somaxconn", "net/accept-queue-full", func(h *ruletest.Host) {
			listen(h, "api", 80, 128)
			set(h, "net.core.somaxconn", "128")
			overflows(h, 5)
		}, rule.Likely, true},
		{"a backlog below the limit", "audit/somaxconn", "net/accept-queue-full", func(h *ruletest.Host) {
			listen(h, "nginx", 80, 128)
			set(h, "net.core.somaxconn", "4096")
			overflows(h, 5)
		}, rule.Likely, false},
		{"few ports", "audit/port-range", "net/ephemeral-ports", func(h *ruletest.Host) { outgoing(h, 50_000, 50_049) }, rule.Certain, true},
		{"ports enough", "audit/port-range", "net/ephemeral-ports", func(h *ruletest.Host) { outgoing(h, 50_000, 58_192) }, rule.Likely, false},
		{"ports that timestamps would give back", "audit/tcp-options", "net/ephemeral-ports", func(h *ruletest.Host) {
			outgoing(h, 50_000, 58_192)
			set(h, "net.ipv4.tcp_timestamps", "0", "net.ipv4.tcp_tw_reuse", "1")
		}, rule.Certain, true},
		{"ports that are not used again", "audit/tcp-options", "net/ephemeral-ports", func(h *ruletest.Host) {
			outgoing(h, 50_000, 58_192)
			set(h, "net.ipv4.tcp_timestamps", "0", "net.ipv4.tcp_tw_reuse", "0")
		}, rule.Likely, false},
		{"no SACK, and no ports", "audit/tcp-options", "net/ephemeral-ports", func(h *ruletest.Host) {
			outgoing(h, 50_000, 58_192)
			set(h, "net.ipv4.tcp_sack", "0")
		}, rule.Likely, false},
		{"a buffer as small as the limit", "audit/socket-buffers", "net/udp-buffer", func(h *ruletest.Host) { datagrams(h, 16_384, 5); set(h, "net.core.rmem_max", "8192") }, rule.Certain, true},
		{"more than the default buffer holds", "audit/socket-buffers", "net/udp-buffer", func(h *ruletest.Host) { datagrams(h, 16_384, 200); set(h, "net.core.rmem_max", "8192") }, rule.Likely, true},
		{"a buffer that is none of the limit", "audit/socket-buffers", "net/udp-buffer", func(h *ruletest.Host) { datagrams(h, 212_992, 5); set(h, "net.core.rmem_max", "8192") }, rule.Likely, false},
		{"a small buffer to send", "audit/socket-buffers", "net/udp-buffer", func(h *ruletest.Host) { datagrams(h, 16_384, 5); set(h, "net.core.wmem_max", "8192") }, rule.Likely, false},
		{"a short backlog", "audit/netdev-backlog", "net/softnet", func(h *ruletest.Host) { backlog(h); set(h, "net.core.netdev_max_backlog", "100") }, rule.Certain, true},
		{"the usual backlog", "audit/netdev-backlog", "net/softnet", func(h *ruletest.Host) { backlog(h); set(h, "net.core.netdev_max_backlog", "1000") }, rule.Likely, false},
		{"SYNs dropped for their timestamps", "audit/tw-recycle", "net/paws-drops", func(h *ruletest.Host) {
			counters(h, "TcpExt", map[string]float64{"PAWSPassive": 20, "ListenDrops": 20, "ListenOverflows": 0})
			counted(h)
			set(h, "net.ipv4.tcp_tw_recycle", "1")
		}, rule.Certain, true},
		{"answers dropped for their timestamps", "audit/tw-recycle", "net/paws-drops", func(h *ruletest.Host) {
			counters(h, "TcpExt", map[string]float64{"PAWSActive": 20})
			counted(h)
			counters(h, "Tcp", map[string]float64{"ActiveOpens": 100})
			set(h, "net.ipv4.tcp_tw_recycle", "1")
		}, rule.Likely, false},
		{"writes, and much that waits", "audit/dirty-pages", "disk/saturated", func(h *ruletest.Host) { busy(h, 0, 200, 2*gib); set(h, "vm.dirty_ratio", "60") }, rule.Likely, true},
		{"writes, and little that waits", "audit/dirty-pages", "disk/saturated", func(h *ruletest.Host) { busy(h, 0, 200, gib/16); set(h, "vm.dirty_ratio", "60") }, rule.Likely, false},
		{"reads", "audit/dirty-pages", "disk/saturated", func(h *ruletest.Host) { busy(h, 200, 1, 2*gib); set(h, "vm.dirty_ratio", "60") }, rule.Likely, false},
	} {
		h := bare()
		c.build(h)
		r, ok := catalogue.Find(c.rule)
		if !ok {
			t.Fatalf("no rule %s", c.rule)
		}
		// What a rule finds by itself is likely at most, but for what it knows of the setting.
		v := verdict.Judge(h.View(), []rule.Rule{r})
		if len(v.Findings) != 1 {
			t.Errorf("%s: %d findings of %s, %v", c.name, len(v.Findings), c.rule, v.NotJudged)
			continue
		}
		f := v.Findings[0]
		cited := false
		for _, n := range f.Notes {
			cited = cited || strings.Contains(n.String(), "("+c.check+")")
		}
		if f.Confidence != c.want || cited != c.cited {
			t.Errorf("%s: %v, want %v; cited %v, want %v: %v", c.name, f.Confidence, c.want, cited, c.cited, f.Headline)
		}
		if c.want == rule.Certain {
			proven[c.check+" "+c.rule] = true
		}
	}
	for _, c := range audit.Checks {
		for _, id := range c.Proves {
			if !proven[c.ID+" "+id] {
				t.Errorf("no test shows that %s proves %s", c.ID, id)
			}
		}
	}
}

// backlog is a CPU that drops half a percent of its packets.
func backlog(h *ruletest.Host) {
	h.Readings(func(at time.Time, s float64) {
		ruletest.Add(h, recording.SoftnetSample{At: at, CPU: 1, Processed: uint64(9950 * s), Dropped: uint64(50 * s)})
	})
}
