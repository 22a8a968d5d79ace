package audit_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/audit"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/catalogue"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

const gib = 1 << 30

// set records settings of the host, or of its network namespace 1.
func set(h *ruletest.Host, pairs ...string) *ruletest.Host {
	for i := 0; i < len(pairs); i += 2 {
		ns := uint64(0)
		if strings.HasPrefix(pairs[i], "net.ipv4.") || pairs[i] == "net.core.somaxconn" {
			ns = 1
		}
		ruletest.Add(h, recording.SysctlSample{At: ruletest.Start, NetNS: ns, Name: pairs[i], Value: pairs[i+1]})
	}
	return h
}

// host is a healthy one: settings as Debian 12 and Ubuntu 24.04 have them.
func host() *ruletest.Host {
	h := ruletest.New(4, 10).Memory(8*gib, 6*gib, 0)
	ruletest.Add(h, recording.NetNSSample{At: ruletest.Start, NetNS: 1, Own: true})
	set(h, "net.core.somaxconn", "4096", "net.ipv4.ip_local_port_range", "32768 60999", "net.ipv4.tcp_sack", "1", "net.ipv4.tcp_window_scaling", "1",
		"net.ipv4.tcp_timestamps", "1", "net.ipv4.tcp_moderate_rcvbuf", "1", "net.ipv4.tcp_rmem", "4096 131072 6291456", "net.ipv4.tcp_wmem", "4096 16384 4194304",
		"net.core.rmem_max", "212992", "net.core.wmem_max", "212992", "net.ipv4.tcp_syncookies", "1", "net.ipv4.tcp_abort_on_overflow", "0", "net.core.netdev_max_backlog", "1000",
		"vm.dirty_ratio", "20", "vm.dirty_bytes", "0", "vm.dirty_background_ratio", "10", "vm.dirty_background_bytes", "0", "vm.dirty_expire_centisecs", "3000", "vm.dirty_writeback_centisecs", "500",
		"vm.swappiness", "60", "vm.overcommit_memory", "0", "vm.min_free_kbytes", "67584", "vm.vfs_cache_pressure", "100", "vm.zone_reclaim_mode", "0", "kernel.numa_balancing", "0",
		"/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never", "/sys/kernel/mm/transparent_hugepage/defrag", "always defer defer+madvise [madvise] never",
		"/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc", "/sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc hpet acpi_pm",
		"/sys/devices/system/cpu/cpufreq/policy0/scaling_driver", "intel_pstate", "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave")
	card(h, "0-3", "0-3", "0")
	device(h, recording.NetDeviceSample{Interface: "lo", MTU: 65536, Kind: "other"})
	device(h, recording.NetDeviceSample{Interface: "eth0", MTU: 1500, Physical: true, Index: 2})
	h.Swap("/dev/sda2", 2*gib, 0, 0)
	listen(h, "nginx", 80, 511)
	h.Process(ruletest.Process{Comm: "mysqld", Anon: gib})
	return h
}

func device(h *ruletest.Host, d recording.NetDeviceSample) {
	d.At, d.Up = ruletest.Start, true
	if d.NetNS == 0 {
		d.NetNS = 1
	}
	ruletest.Add(h, d)
}

func listen(h *ruletest.Host, comm string, port uint16, backlog uint32) {
	serve(h, comm, port, backlog, "")
}

// serve has a process of a control group listen on a port.
func serve(h *ruletest.Host, comm string, port uint16, backlog uint32, group string) {
	h.Process(ruletest.Process{PID: 100 + int32(port), Comm: comm, Cgroup: group})
	ruletest.Add(h, recording.SocketOwner{At: ruletest.Start, Inode: uint64(port), PID: 100 + int32(port)})
	h.Readings(func(at time.Time, _ float64) {
		ruletest.Add(h, recording.ListenerSample{At: at, NetNS: 1, Local: "0.0.0.0", Port: port, Inode: uint64(port), Backlog: backlog})
	})
}

// redis is one that told the kernel that it wants no huge pages.
func redis(h *ruletest.Host, anon int64) {
	h.Process(ruletest.Process{Comm: "redis-server", Anon: anon, Change: func(_ float64, r *recording.ProcessSample) { r.NoHugePages = true }})
}

// promised says how much of the commit limit programs have asked for, in percent.
func promised(h *ruletest.Host, percent int64) {
	ruletest.Every(h, func(at time.Time, _ float64) recording.MemorySample {
		return recording.MemorySample{At: at, Total: 8 * gib, Available: 6 * gib, CommitLimit: 6 * gib, Committed: 6 * gib / 100 * percent}
	})
}

func twoNodes(h *ruletest.Host) {
	for node := range int32(2) {
		ruletest.Add(h, recording.ZoneSample{At: ruletest.Start, Node: node, Zone: "Normal", Managed: 4 * gib / 4096})
	}
}

// card has two queues on lines 30 and 31.
func card(h *ruletest.Host, first, second, rps string) {
	set(h, "/sys/class/net/eth0/device/msi_irqs", "30 31", "/proc/irq/30/smp_affinity_list", first, "/proc/irq/31/smp_affinity_list", second,
		"/sys/class/net/eth0/queues/rx-0/rps_cpus", rps, "/sys/class/net/eth0/queues/rx-1/rps_cpus", "0")
	for _, irq := range []string{"30", "31"} {
		ruletest.Add(h, recording.InterruptSample{At: ruletest.Start, IRQ: irq, Device: "eth0-TxRx", CPU: 0, Count: 900})
	}
}

func TestRemarks(t *testing.T) {
	limits := func(h *ruletest.Host, open, limit int64) {
		ruletest.Add(h, recording.LimitSample{At: ruletest.Start, PID: 180, Files: open, FilesSoft: limit})
	}
	group := func(h *ruletest.Host, path string, memory int64, quota time.Duration) {
		ruletest.Add(h, recording.CgroupSample{At: ruletest.Start, Version: 2, Path: path, Memory: 1, MemoryMax: memory, Quota: quota, Period: 100 * time.Millisecond})
	}
	killedAmong := func(h *ruletest.Host, path string, processes int32, memory, oom, kills int64) {
		ruletest.Add(h, recording.CgroupSample{At: ruletest.Start, Version: 2, Path: path, Processes: processes, Memory: 1, MemoryMax: memory, EventsMax: 1000, EventsOOM: oom, OOMKills: kills})
	}
	killed := func(h *ruletest.Host, path string, memory, oom, kills int64) {
		killedAmong(h, path, 1, memory, oom, kills)
	}
	java := func(h *ruletest.Host, flags string) {
		h.Process(ruletest.Process{PID: 7, Comm: "java", Cmdline: "java " + flags + " -jar a.jar", Cgroup: "/app", MemCgroup: "/app"})
	}
	speaks, silent := map[string]bool{}, map[string]bool{}
	for _, c := range []struct {
		name   string
		wrong  func(*ruletest.Host)
		check  string
		speaks bool
	}{
		{"MTU of 100", func(h *ruletest.Host) {
			device(h, recording.NetDeviceSample{Interface: "eth1", MTU: 100, Physical: true})
		}, "audit/mtu", true},
		{"a CAN bus", func(h *ruletest.Host) {
			device(h, recording.NetDeviceSample{Interface: "can0", MTU: 16, Physical: true, Kind: "can"})
		}, "audit/mtu", false},
		{"a tunnel", func(h *ruletest.Host) {
			device(h, recording.NetDeviceSample{Interface: "wg0", MTU: 1280, Kind: "wireguard"})
		}, "audit/mtu", false},
		{"a port below its bridge", func(h *ruletest.Host) {
			device(h, recording.NetDeviceSample{Interface: "br0", MTU: 9000, Kind: "bridge"})
			device(h, recording.NetDeviceSample{Interface: "tap0", MTU: 1500, Kind: "tun", Master: "br0"})
		}, "audit/mtu", true},
		{"a port above its bridge", func(h *ruletest.Host) {
			device(h, recording.NetDeviceSample{Interface: "br0", MTU: 1500, Kind: "bridge"})
			device(h, recording.NetDeviceSample{Interface: "eth1", MTU: 9000, Physical: true, Master: "br0"})
		}, "audit/mtu", false},
		{"ends of a pair", func(h *ruletest.Host) {
			device(h, recording.NetDeviceSample{Interface: "veth1", MTU: 9000, Kind: "veth", Index: 5, Link: 6})
			device(h, recording.NetDeviceSample{NetNS: 2, Interface: "eth0", MTU: 1500, Kind: "veth", Index: 6, Link: 5})
		}, "audit/mtu", true},
		{"two pairs of equal numbers", func(h *ruletest.Host) {
			device(h, recording.NetDeviceSample{Interface: "veth1", MTU: 9000, Kind: "veth", Index: 5, Link: 2})
			device(h, recording.NetDeviceSample{NetNS: 2, Interface: "eth0", MTU: 1500, Kind: "veth", Index: 2, Link: 5})
			device(h, recording.NetDeviceSample{NetNS: 3, Interface: "eth0", MTU: 9000, Kind: "veth", Index: 2, Link: 5})
		}, "audit/mtu", false},
		{"a VXLAN as large as what carries it", func(h *ruletest.Host) {
			device(h, recording.NetDeviceSample{Interface: "vxlan0", MTU: 1500, Kind: "vxlan", Link: 2})
		}, "audit/mtu", true},
		{"a VXLAN that fits", func(h *ruletest.Host) {
			device(h, recording.NetDeviceSample{Interface: "vxlan0", MTU: 1450, Kind: "vxlan", Link: 2})
		}, "audit/mtu", false},
		{"a lowered somaxconn", func(h *ruletest.Host) { set(h, "net.core.somaxconn", "511") }, "audit/somaxconn", true},
		{"somaxconn of an old kernel", func(h *ruletest.Host) {
			set(h.Manifest(func(m *recording.Manifest) { m.Host.Kernel = "4.19.0" }), "net.core.somaxconn", "128")
			listen(h, "sshd", 22, 128)
		}, "audit/somaxconn", false},
		{"somaxconn of an old kernel below Redis", func(h *ruletest.Host) {
			set(h.Manifest(func(m *recording.Manifest) { m.Host.Kernel = "4.19.0" }), "net.core.somaxconn", "128")
			listen(h, "redis-server", 6379, 128)
		}, "audit/somaxconn", true},
		{"50 ports", func(h *ruletest.Host) { set(h, "net.ipv4.ip_local_port_range", "20000\t20049") }, "audit/port-range", true},
		{"tw_recycle", func(h *ruletest.Host) { set(h, "net.ipv4.tcp_tw_recycle", "1") }, "audit/tw-recycle", true},
		{"no SACK", func(h *ruletest.Host) { set(h, "net.ipv4.tcp_sack", "0") }, "audit/tcp-options", true},
		{"small windows", func(h *ruletest.Host) { set(h, "net.ipv4.tcp_rmem", "4096 87380 174760") }, "audit/socket-buffers", true},
		{"small buffers", func(h *ruletest.Host) { set(h, "net.core.rmem_max", "8192") }, "audit/socket-buffers", true},
		{"sockets full of data", func(h *ruletest.Host) {
			ruletest.Add(h, recording.SysctlSample{At: ruletest.Start, Name: "net.ipv4.tcp_mem", Value: "93000\t124000\t186000"})
			ruletest.Add(h, recording.ProtocolSample{At: ruletest.Start, NetNS: 1, Protocol: "SockTCP", Name: "mem", Value: 110_000})
		}, "audit/tcp-memory", true},
		{"no cookies", func(h *ruletest.Host) { set(h, "net.ipv4.tcp_syncookies", "0") }, "audit/syncookies", true},
		{"resets", func(h *ruletest.Host) { set(h, "net.ipv4.tcp_abort_on_overflow", "1") }, "audit/abort-on-overflow", true},
		{"short backlog", func(h *ruletest.Host) { set(h, "net.core.netdev_max_backlog", "100") }, "audit/netdev-backlog", true},
		{"few buckets", func(h *ruletest.Host) {
			ruletest.Add(h, recording.ConntrackSample{At: ruletest.Start, NetNS: 1, Count: 300_000, Max: 1 << 20, Buckets: 1 << 16})
		}, "audit/conntrack-buckets", true},
		{"few buckets, hardly used", func(h *ruletest.Host) {
			ruletest.Add(h, recording.ConntrackSample{At: ruletest.Start, NetNS: 1, Count: 1000, Max: 1 << 20, Buckets: 1 << 16})
		}, "audit/conntrack-buckets", false},
		{"dirty", func(h *ruletest.Host) { set(h, "vm.dirty_ratio", "60") }, "audit/dirty-pages", true},
		{"background above: the kernel takes half of the limit", func(h *ruletest.Host) { set(h, "vm.dirty_background_ratio", "20") }, "audit/dirty-pages", false},
		{"dirty in bytes", func(h *ruletest.Host) {
			set(h, "vm.dirty_ratio", "0", "vm.dirty_background_ratio", "0", "vm.dirty_bytes", "268435456", "vm.dirty_background_bytes", "67108864")
		}, "audit/dirty-pages", false},
		{"nothing written for its age", func(h *ruletest.Host) { set(h, "vm.dirty_writeback_centisecs", "0") }, "audit/dirty-pages", true},
		{"a large database and swap", func(h *ruletest.Host) { h.Process(ruletest.Process{Comm: "postgres", Anon: 5 * gib}) }, "audit/swappiness", true},
		{"the same, told", func(h *ruletest.Host) {
			set(h, "vm.swappiness", "1")
			h.Process(ruletest.Process{Comm: "postgres", Anon: 5 * gib})
		}, "audit/swappiness", false},
		{"a large program that is no database", func(h *ruletest.Host) { h.Process(ruletest.Process{Comm: "renderer", Anon: 5 * gib}) }, "audit/swappiness", false},
		{"huge pages and Redis", func(h *ruletest.Host) { h.Process(ruletest.Process{Comm: "redis-server", Anon: gib}) }, "audit/huge-pages", true},
		{"a reserve of a tenth", func(h *ruletest.Host) { set(h, "vm.min_free_kbytes", "1048576") }, "audit/min-free", true},
		{"no reserve", func(h *ruletest.Host) { set(h, "vm.min_free_kbytes", "100") }, "audit/min-free", true},
		{"dentries for ever", func(h *ruletest.Host) { set(h, "vm.vfs_cache_pressure", "0") }, "audit/cache-pressure", true},
		{"zone reclaim on one node", func(h *ruletest.Host) { set(h, "vm.zone_reclaim_mode", "1") }, "audit/zone-reclaim", false},
		{"hpet", func(h *ruletest.Host) {
			set(h, "/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet")
		}, "audit/clock-source", true},
		{"powersave of acpi-cpufreq", func(h *ruletest.Host) {
			set(h, "/sys/devices/system/cpu/cpufreq/policy0/scaling_driver", "acpi-cpufreq")
		}, "audit/governor", true},
		{"queues on one CPU", func(h *ruletest.Host) { card(h, "2", "2", "0") }, "audit/irq-affinity", true},
		{"queues on one CPU, with RPS", func(h *ruletest.Host) { card(h, "2", "2", "f") }, "audit/irq-affinity", false},
		{"queues on a CPU each", func(h *ruletest.Host) { card(h, "0", "1", "0") }, "audit/irq-affinity", false},
		{"half of the files", func(h *ruletest.Host) { limits(h, 600, 1024) }, "audit/fd-limit", true},
		{"few files", func(h *ruletest.Host) { limits(h, 60, 1024) }, "audit/fd-limit", false},
		{"a limit above the host", func(h *ruletest.Host) { group(h, "/app", 16*gib, -1) }, "audit/cgroup-limits", true},
		{"a quota above the host", func(h *ruletest.Host) { group(h, "/app", 4*gib, 800*time.Millisecond) }, "audit/cgroup-limits", true},
		{"limits", func(h *ruletest.Host) { group(h, "/app", 4*gib, 200*time.Millisecond) }, "audit/cgroup-limits", false},
		{"killed at its limit", func(h *ruletest.Host) { killed(h, "/app", 16<<20, 3, 2) }, "audit/cgroup-limits", true},
		{"a small limit", func(h *ruletest.Host) { killed(h, "/app", 16<<20, 0, 0) }, "audit/cgroup-limits", false},
		{"killed as the host was full", func(h *ruletest.Host) { killed(h, "/app", 16<<20, 0, 2) }, "audit/cgroup-limits", false},
		{"at its limit, nobody killed", func(h *ruletest.Host) { killed(h, "/app", 16<<20, 3, 0) }, "audit/cgroup-limits", false},
		{"killed, without a limit", func(h *ruletest.Host) { killed(h, "/app", math.MaxInt64, 3, 2) }, "audit/cgroup-limits", false},
		{"killed, as v1 tells", func(h *ruletest.Host) { killed(h, "/app", 16<<20, recording.Unknown, 2) }, "audit/cgroup-limits", false},
		{"killed at the limit of a group below", func(h *ruletest.Host) {
			killedAmong(h, "/app", 0, 4*gib, 3, 2)
			killed(h, "/app/worker", 16<<20, 3, 2)
		}, "audit/cgroup-limits", true},
		{"killed in a group below that is gone", func(h *ruletest.Host) {
			killedAmong(h, "/kubepods.slice", 0, 4*gib, 3, 2)
			killed(h, "/kubepods.slice/pod1", 16<<20, 0, 0)
		}, "audit/cgroup-limits", false},
		{"killed, processes not counted", func(h *ruletest.Host) {
			killedAmong(h, "/app", recording.Unknown, 16<<20, 3, 2)
		}, "audit/cgroup-limits", false},
		{"killed, processes counted before", func(h *ruletest.Host) {
			killed(h, "/app", 16<<20, 3, 2)
			killedAmong(h, "/app", recording.Unknown, 16<<20, 3, 2)
		}, "audit/cgroup-limits", true},
		{"killed in the container that rtrail runs in", func(h *ruletest.Host) {
			killedAmong(h, "/", recording.Unknown, 16<<20, 3, 2)
			h.Process(ruletest.Process{Comm: "api", Cgroup: "/", MemCgroup: "/"})
		}, "audit/cgroup-limits", true},
		{"heap over its group", func(h *ruletest.Host) { java(h, "-Xms1g -Xmx2g -Xss1m"); group(h, "/app", 2*gib, -1) }, "audit/jvm-heap", true},
		{"heap over its group, in one with less room", func(h *ruletest.Host) {
			java(h, "-Xmx2g")
			group(h, "/app", 2*gib, -1)
			h.Cgroup(ruletest.Cgroup{Path: "/", Memory: 3*gib - 1, MemoryMax: 3 * gib})
		}, "audit/jvm-heap", true},
		{"heap by share", func(h *ruletest.Host) { java(h, "-XX:MaxRAMPercentage=75.0"); group(h, "/app", 2*gib, -1) }, "audit/jvm-heap", false},
		{"the last of two heaps", func(h *ruletest.Host) { java(h, "-Xmx4g -Xmx1g"); group(h, "/app", 2*gib, -1) }, "audit/jvm-heap", false},
		{"heap over the host", func(h *ruletest.Host) { java(h, "-Xmx12288m") }, "audit/jvm-heap", true},
		{"the largest backlog that is no remark", func(h *ruletest.Host) { set(h, "net.core.somaxconn", "512") }, "audit/somaxconn", false},
		{"8,191 ports", func(h *ruletest.Host) { set(h, "net.ipv4.ip_local_port_range", "20000 28190") }, "audit/port-range", true},
		{"8,192 ports", func(h *ruletest.Host) { set(h, "net.ipv4.ip_local_port_range", "20000 28191") }, "audit/port-range", false},
		{"tw_recycle, off", func(h *ruletest.Host) { set(h, "net.ipv4.tcp_tw_recycle", "0") }, "audit/tw-recycle", false},
		{"timestamps with offsets", func(h *ruletest.Host) { set(h, "net.ipv4.tcp_timestamps", "2") }, "audit/tcp-options", false},
		{"windows of a MiB", func(h *ruletest.Host) { set(h, "net.ipv4.tcp_rmem", "4096 87380 1048576") }, "audit/socket-buffers", false},
		{"small windows of a small host", func(h *ruletest.Host) {
			set(h.Manifest(func(m *recording.Manifest) { m.Host.MemoryBytes = gib / 2 }), "net.ipv4.tcp_rmem", "4096 87380 174760", "vm.swappiness", "1")
		}, "audit/socket-buffers", false},
		{"sockets with some data", func(h *ruletest.Host) {
			ruletest.Add(h, recording.SysctlSample{At: ruletest.Start, Name: "net.ipv4.tcp_mem", Value: "93000\t124000\t186000"})
			ruletest.Add(h, recording.ProtocolSample{At: ruletest.Start, NetNS: 1, Protocol: "SockTCP", Name: "mem", Value: 90_000})
		}, "audit/tcp-memory", false},
		{"no cookies, where nobody listens", func(h *ruletest.Host) {
			ruletest.Add(h, recording.NetNSSample{At: ruletest.Start, NetNS: 2})
			ruletest.Add(h, recording.SysctlSample{At: ruletest.Start, NetNS: 2, Name: "net.ipv4.tcp_syncookies", Value: "0"})
		}, "audit/syncookies", false},
		{"cookies always", func(h *ruletest.Host) { set(h, "net.ipv4.tcp_syncookies", "2") }, "audit/syncookies", false},
		{"no resets, told so", func(h *ruletest.Host) { set(h, "net.ipv4.tcp_abort_on_overflow", "0") }, "audit/abort-on-overflow", false},
		{"a long backlog", func(h *ruletest.Host) { set(h, "net.core.netdev_max_backlog", "5000") }, "audit/netdev-backlog", false},
		{"dirty as TuneD has it", func(h *ruletest.Host) { set(h, "vm.dirty_ratio", "40") }, "audit/dirty-pages", false},
		{"dirty in bytes as TuneD has it", func(h *ruletest.Host) {
			set(h, "vm.dirty_ratio", "0", "vm.dirty_background_ratio", "0", "vm.dirty_bytes", "3435973836", "vm.dirty_background_bytes", "858993459")
		}, "audit/dirty-pages", false},
		{"half of memory in bytes", func(h *ruletest.Host) {
			set(h, "vm.dirty_ratio", "0", "vm.dirty_background_ratio", "0", "vm.dirty_bytes", "4294967296", "vm.dirty_background_bytes", "858993459")
		}, "audit/dirty-pages", true},
		{"a MiB in bytes", func(h *ruletest.Host) {
			set(h, "vm.dirty_ratio", "0", "vm.dirty_background_ratio", "0", "vm.dirty_bytes", "1048576", "vm.dirty_background_bytes", "524288")
		}, "audit/dirty-pages", true},
		{"written after an hour", func(h *ruletest.Host) { set(h, "vm.dirty_expire_centisecs", "360000") }, "audit/dirty-pages", true},
		{"huge pages and a Redis that wants none", func(h *ruletest.Host) { redis(h, gib) }, "audit/huge-pages", false},
		{"compaction beside a large database", func(h *ruletest.Host) {
			set(h, "/sys/kernel/mm/transparent_hugepage/defrag", "[always] defer defer+madvise madvise never", "vm.swappiness", "1")
			h.Process(ruletest.Process{Comm: "postgres", Anon: 5 * gib})
		}, "audit/huge-pages", true},
		{"compaction beside a small database", func(h *ruletest.Host) {
			set(h, "/sys/kernel/mm/transparent_hugepage/defrag", "[always] defer defer+madvise madvise never")
		}, "audit/huge-pages", false},
		{"compaction for those that ask, beside a large database", func(h *ruletest.Host) {
			set(h, "/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never", "/sys/kernel/mm/transparent_hugepage/defrag", "[always] defer defer+madvise madvise never", "vm.swappiness", "1")
			h.Process(ruletest.Process{Comm: "postgres", Anon: 5 * gib})
		}, "audit/huge-pages", false},
		{"a large Redis whose copy may be refused", func(h *ruletest.Host) { redis(h, 5*gib); set(h, "vm.swappiness", "1") }, "audit/overcommit", true},
		{"a large Redis whose copy is not refused", func(h *ruletest.Host) {
			redis(h, 5*gib)
			set(h, "vm.swappiness", "1", "vm.overcommit_memory", "1")
		}, "audit/overcommit", false},
		{"all memory promised, and no more to be had", func(h *ruletest.Host) { promised(h, 95); set(h, "vm.overcommit_memory", "2") }, "audit/overcommit", true},
		{"some memory promised", func(h *ruletest.Host) { promised(h, 80); set(h, "vm.overcommit_memory", "2") }, "audit/overcommit", false},
		{"more memory promised than there is", func(h *ruletest.Host) { promised(h, 300) }, "audit/overcommit", false},
		{"a reserve as khugepaged makes it on a small host", func(h *ruletest.Host) {
			set(h.Manifest(func(m *recording.Manifest) { m.Host.MemoryBytes = 2 * gib }), "vm.min_free_kbytes", "67584", "vm.swappiness", "1")
		}, "audit/min-free", false},
		{"dentries for long", func(h *ruletest.Host) { set(h, "vm.vfs_cache_pressure", "50") }, "audit/cache-pressure", false},
		{"zone reclaim of two nodes", func(h *ruletest.Host) { twoNodes(h); set(h, "vm.zone_reclaim_mode", "1") }, "audit/zone-reclaim", true},
		{"balancing of a database larger than a node", func(h *ruletest.Host) {
			twoNodes(h)
			set(h, "kernel.numa_balancing", "1", "vm.swappiness", "1")
			h.Process(ruletest.Process{Comm: "mariadbd", Anon: 5 * gib})
		}, "audit/numa-balancing", true},
		{"balancing of a database that fits a node", func(h *ruletest.Host) {
			twoNodes(h)
			set(h, "kernel.numa_balancing", "1")
			h.Process(ruletest.Process{Comm: "mariadbd", Anon: 3 * gib})
		}, "audit/numa-balancing", false},
		{"the clock of the hypervisor", func(h *ruletest.Host) {
			set(h, "/sys/devices/system/clocksource/clocksource0/current_clocksource", "kvm-clock")
		}, "audit/clock-source", false},
		{"schedutil of acpi-cpufreq", func(h *ruletest.Host) {
			set(h, "/sys/devices/system/cpu/cpufreq/policy0/scaling_driver", "acpi-cpufreq", "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "schedutil")
		}, "audit/governor", false},
		{"half of a great many files", func(h *ruletest.Host) { limits(h, 40_000, 65_536) }, "audit/fd-limit", false},
		{"a tiny quota of a server", func(h *ruletest.Host) {
			serve(h, "api", 8080, 511, "/app")
			group(h, "/app", 4*gib, 10*time.Millisecond)
		}, "audit/cgroup-limits", true},
		{"a tiny quota of a batch job", func(h *ruletest.Host) {
			h.Process(ruletest.Process{Comm: "batch", Cgroup: "/app"})
			group(h, "/app", 4*gib, 10*time.Millisecond)
		}, "audit/cgroup-limits", false},
		{"a small quota of a server", func(h *ruletest.Host) {
			serve(h, "api", 8080, 511, "/app")
			group(h, "/app", 4*gib, 25*time.Millisecond)
		}, "audit/cgroup-limits", false},
	} {
		h := host()
		c.wrong(h)
		var got []string
		for _, m := range audit.Of(h.View()).Remarks {
			got = append(got, m.Check.ID)
			if m.Words.Empty() || strings.Contains(m.Words.String(), "%!") || m.See.Empty() {
				t.Errorf("%s: %v, see %v", c.name, m.Words, m.See)
			}
		}
		var want []string
		if c.speaks {
			want = []string{c.check}
		}
		if diff := cmp.Diff(want, slices.Compact(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if c.speaks {
			speaks[c.check] = true
		} else {
			silent[c.check] = true
		}
	}
	for _, c := range audit.Checks {
		if !speaks[c.ID] || !silent[c.ID] {
			t.Errorf("%s is not tried with a setting that it remarks on, and one beside it that it does not", c.ID)
		}
	}
}

// A setting of one namespace explains no fault of another.
func TestExplains(t *testing.T) {
	r := audit.Remark{Check: &audit.Check{Explains: []string{"net/paws-drops"}, Proves: []string{"net/paws-drops"}}, Spaces: []uint64{1}}
	for _, c := range []struct {
		rule            string
		ns, server      uint64
		explains, proof bool
	}{{"net/paws-drops", 1, 0, true, true}, {"net/paws-drops", 2, 0, false, false}, {"net/paws-drops", 0, 1, true, true}, {"net/paws-drops", 0, 2, false, false}, {"net/resets", 1, 0, false, false}} {
		f := rule.Finding{Rule: c.rule, Subject: view.Entity{Kind: view.KindNetNS, NetNS: c.ns}, Affects: []view.Entity{{Kind: view.KindService, NetNS: c.server}}}
		if explains, proves := r.Explains(&f); explains != c.explains || proves != c.proof {
			t.Errorf("%s in %d: %v, %v", c.rule, c.ns, explains, proves)
		}
	}
}

// TestChecks looks at the table itself.
func TestChecks(t *testing.T) {
	known := map[string]bool{}
	for _, r := range catalogue.Rules {
		known[r.ID] = true
	}
	ids := map[string]bool{}
	for _, c := range audit.Checks {
		if ids[c.ID] || !strings.HasPrefix(c.ID, "audit/") {
			t.Errorf("ID %s", c.ID)
		}
		ids[c.ID] = true
		for _, text := range []string{c.Title, c.Reads, c.Why, c.When, c.Change, c.Price, c.Leave} {
			if text == "" {
				t.Errorf("%s is not all told", c.ID)
			}
		}
		for _, id := range c.Explains {
			if !known[id] {
				t.Errorf("%s explains %s, which is no rule", c.ID, id)
			}
		}
		for _, id := range c.Proves {
			if !slices.Contains(c.Explains, id) {
				t.Errorf("%s proves %s and does not explain it", c.ID, id)
			}
		}
		for _, th := range c.Thresholds {
			if th.Reason == "" || th.Source == "" || !strings.HasSuffix(th.Reason, ".") {
				t.Errorf("%s: threshold %s has no reason", c.ID, th.Name)
			}
		}
	}
}
