package audit_test

import (
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
	ruletest.Add(h, recording.NetNSSample{At: ruletest.Start, NetNS: 1, Own: true, Entered: true})
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
	h.Process(ruletest.Process{PID: 100 + int32(port), Comm: comm})
	ruletest.Add(h, recording.SocketOwner{At: ruletest.Start, Inode: uint64(port), PID: 100 + int32(port)})
	h.Readings(func(at time.Time, _ float64) {
		ruletest.Add(h, recording.ListenerSample{At: at, NetNS: 1, Local: "0.0.0.0", Port: port, Inode: uint64(port), Backlog: backlog})
	})
}

// card has two queues on lines 30 and 31.
func card(h *ruletest.Host, first, second, rps string) {
	set(h, "/sys/class/net/eth0/device/msi_irqs", "30 31", "/proc/irq/30/smp_affinity_list", first, "/proc/irq/31/smp_affinity_list", second,
		"/sys/class/net/eth0/queues/rx-0/rps_cpus", rps, "/sys/class/net/eth0/queues/rx-1/rps_cpus", "0")
	for _, irq := range []string{"30", "31"} {
		ruletest.Add(h, recording.InterruptSample{At: ruletest.Start, IRQ: irq, Device: "eth0-TxRx", CPU: 0, Count: 900})
	}
}

func TestHealthyHostHasNoRemark(t *testing.T) {
	r := audit.Of(host().View())
	for _, m := range r.Remarks {
		t.Errorf("%s: %v", m.Check.ID, m.Words)
	}
	if len(r.Fine) < 15 {
		t.Errorf("only %d checks had something to judge", len(r.Fine))
	}
}

func TestRemarks(t *testing.T) {
	limits := func(h *ruletest.Host, open, limit int64) {
		ruletest.Add(h, recording.LimitSample{At: ruletest.Start, PID: 180, Files: open, FilesSoft: limit})
	}
	group := func(h *ruletest.Host, path string, memory int64, quota time.Duration) {
		ruletest.Add(h, recording.CgroupSample{At: ruletest.Start, Version: 2, Path: path, Memory: 1, MemoryMax: memory, Quota: quota, Period: 100 * time.Millisecond})
	}
	java := func(h *ruletest.Host, flags string) {
		h.Process(ruletest.Process{PID: 7, Comm: "java", Cmdline: "java " + flags + " -jar a.jar", Cgroup: "/app", MemCgroup: "/app"})
	}
	for _, c := range []struct {
		name  string
		wrong func(*ruletest.Host)
		want  string // check; "": none
	}{
		{"MTU of 100", func(h *ruletest.Host) {
			device(h, recording.NetDeviceSample{Interface: "eth1", MTU: 100, Physical: true})
		}, "audit/mtu"},
		{"a CAN bus", func(h *ruletest.Host) {
			device(h, recording.NetDeviceSample{Interface: "can0", MTU: 16, Physical: true, Kind: "can"})
		}, ""},
		{"a tunnel", func(h *ruletest.Host) {
			device(h, recording.NetDeviceSample{Interface: "wg0", MTU: 1280, Kind: "wireguard"})
		}, ""},
		{"a port below its bridge", func(h *ruletest.Host) {
			device(h, recording.NetDeviceSample{Interface: "br0", MTU: 9000, Kind: "bridge"})
			device(h, recording.NetDeviceSample{Interface: "tap0", MTU: 1500, Kind: "tun", Master: "br0"})
		}, "audit/mtu"},
		{"a port above its bridge", func(h *ruletest.Host) {
			device(h, recording.NetDeviceSample{Interface: "br0", MTU: 1500, Kind: "bridge"})
			device(h, recording.NetDeviceSample{Interface: "eth1", MTU: 9000, Physical: true, Master: "br0"})
		}, ""},
		{"ends of a pair", func(h *ruletest.Host) {
			device(h, recording.NetDeviceSample{Interface: "veth1", MTU: 9000, Kind: "veth", Index: 5, Link: 6})
			device(h, recording.NetDeviceSample{NetNS: 2, Interface: "eth0", MTU: 1500, Kind: "veth", Index: 6, Link: 5})
		}, "audit/mtu"},
		{"two pairs of equal numbers", func(h *ruletest.Host) {
			device(h, recording.NetDeviceSample{Interface: "veth1", MTU: 9000, Kind: "veth", Index: 5, Link: 2})
			device(h, recording.NetDeviceSample{NetNS: 2, Interface: "eth0", MTU: 1500, Kind: "veth", Index: 2, Link: 5})
			device(h, recording.NetDeviceSample{NetNS: 3, Interface: "eth0", MTU: 9000, Kind: "veth", Index: 2, Link: 5})
		}, ""},
		{"a VXLAN as large as what carries it", func(h *ruletest.Host) {
			device(h, recording.NetDeviceSample{Interface: "vxlan0", MTU: 1500, Kind: "vxlan", Link: 2})
		}, "audit/mtu"},
		{"a VXLAN that fits", func(h *ruletest.Host) {
			device(h, recording.NetDeviceSample{Interface: "vxlan0", MTU: 1450, Kind: "vxlan", Link: 2})
		}, ""},
		{"a lowered somaxconn", func(h *ruletest.Host) { set(h, "net.core.somaxconn", "511") }, "audit/somaxconn"},
		{"somaxconn of an old kernel", func(h *ruletest.Host) {
			set(h.Manifest(func(m *recording.Manifest) { m.Host.Kernel = "4.19.0" }), "net.core.somaxconn", "128")
			listen(h, "sshd", 22, 128)
		}, ""},
		{"somaxconn of an old kernel below Redis", func(h *ruletest.Host) {
			set(h.Manifest(func(m *recording.Manifest) { m.Host.Kernel = "4.19.0" }), "net.core.somaxconn", "128")
			listen(h, "redis-server", 6379, 128)
		}, "audit/somaxconn"},
		{"50 ports", func(h *ruletest.Host) { set(h, "net.ipv4.ip_local_port_range", "20000\t20049") }, "audit/port-range"},
		{"tw_recycle", func(h *ruletest.Host) { set(h, "net.ipv4.tcp_tw_recycle", "1") }, "audit/tw-recycle"},
		{"no SACK", func(h *ruletest.Host) { set(h, "net.ipv4.tcp_sack", "0") }, "audit/tcp-options"},
		{"small windows", func(h *ruletest.Host) { set(h, "net.ipv4.tcp_rmem", "4096 87380 174760") }, "audit/socket-buffers"},
		{"small buffers", func(h *ruletest.Host) { set(h, "net.core.rmem_max", "8192") }, "audit/socket-buffers"},
		{"no cookies", func(h *ruletest.Host) { set(h, "net.ipv4.tcp_syncookies", "0") }, "audit/syncookies"},
		{"resets", func(h *ruletest.Host) { set(h, "net.ipv4.tcp_abort_on_overflow", "1") }, "audit/abort-on-overflow"},
		{"short backlog", func(h *ruletest.Host) { set(h, "net.core.netdev_max_backlog", "100") }, "audit/netdev-backlog"},
		{"few buckets", func(h *ruletest.Host) {
			ruletest.Add(h, recording.ConntrackSample{At: ruletest.Start, NetNS: 1, Count: 300_000, Max: 1 << 20, Buckets: 1 << 16})
		}, "audit/conntrack-buckets"},
		{"few buckets, hardly used", func(h *ruletest.Host) {
			ruletest.Add(h, recording.ConntrackSample{At: ruletest.Start, NetNS: 1, Count: 1000, Max: 1 << 20, Buckets: 1 << 16})
		}, ""},
		{"dirty", func(h *ruletest.Host) { set(h, "vm.dirty_ratio", "60") }, "audit/dirty-pages"},
		{"background above", func(h *ruletest.Host) { set(h, "vm.dirty_background_ratio", "20") }, "audit/dirty-pages"},
		{"dirty in bytes", func(h *ruletest.Host) {
			set(h, "vm.dirty_ratio", "0", "vm.dirty_background_ratio", "0", "vm.dirty_bytes", "268435456", "vm.dirty_background_bytes", "67108864")
		}, ""},
		{"nothing written for its age", func(h *ruletest.Host) { set(h, "vm.dirty_writeback_centisecs", "0") }, "audit/dirty-pages"},
		{"a large database and swap", func(h *ruletest.Host) { h.Process(ruletest.Process{Comm: "postgres", Anon: 5 * gib}) }, "audit/swappiness"},
		{"the same, told", func(h *ruletest.Host) {
			set(h, "vm.swappiness", "1")
			h.Process(ruletest.Process{Comm: "postgres", Anon: 5 * gib})
		}, ""},
		{"a large program that is no database", func(h *ruletest.Host) { h.Process(ruletest.Process{Comm: "renderer", Anon: 5 * gib}) }, ""},
		{"huge pages and Redis", func(h *ruletest.Host) { h.Process(ruletest.Process{Comm: "redis-server", Anon: gib}) }, "audit/huge-pages"},
		{"a reserve of a tenth", func(h *ruletest.Host) { set(h, "vm.min_free_kbytes", "1048576") }, "audit/min-free"},
		{"no reserve", func(h *ruletest.Host) { set(h, "vm.min_free_kbytes", "100") }, "audit/min-free"},
		{"dentries for ever", func(h *ruletest.Host) { set(h, "vm.vfs_cache_pressure", "0") }, "audit/cache-pressure"},
		{"zone reclaim on one node", func(h *ruletest.Host) { set(h, "vm.zone_reclaim_mode", "1") }, ""},
		{"hpet", func(h *ruletest.Host) {
			set(h, "/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet")
		}, "audit/clock-source"},
		{"powersave of acpi-cpufreq", func(h *ruletest.Host) {
			set(h, "/sys/devices/system/cpu/cpufreq/policy0/scaling_driver", "acpi-cpufreq")
		}, "audit/governor"},
		{"queues on one CPU", func(h *ruletest.Host) { card(h, "2", "2", "0") }, "audit/irq-affinity"},
		{"queues on one CPU, with RPS", func(h *ruletest.Host) { card(h, "2", "2", "f") }, ""},
		{"queues on a CPU each", func(h *ruletest.Host) { card(h, "0", "1", "0") }, ""},
		{"half of the files", func(h *ruletest.Host) { limits(h, 600, 1024) }, "audit/fd-limit"},
		{"few files", func(h *ruletest.Host) { limits(h, 60, 1024) }, ""},
		{"a limit above the host", func(h *ruletest.Host) { group(h, "/app", 16*gib, -1) }, "audit/cgroup-limits"},
		{"a quota above the host", func(h *ruletest.Host) { group(h, "/app", 4*gib, 800*time.Millisecond) }, "audit/cgroup-limits"},
		{"limits", func(h *ruletest.Host) { group(h, "/app", 4*gib, 200*time.Millisecond) }, ""},
		{"heap over its group", func(h *ruletest.Host) { java(h, "-Xms1g -Xmx2g -Xss1m"); group(h, "/app", 2*gib, -1) }, "audit/jvm-heap"},
		{"heap by share", func(h *ruletest.Host) { java(h, "-XX:MaxRAMPercentage=75.0"); group(h, "/app", 2*gib, -1) }, ""},
		{"the last of two heaps", func(h *ruletest.Host) { java(h, "-Xmx4g -Xmx1g"); group(h, "/app", 2*gib, -1) }, ""},
		{"heap over the host", func(h *ruletest.Host) { java(h, "-Xmx12288m") }, "audit/jvm-heap"},
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
		if c.want != "" {
			want = []string{c.want}
		}
		if diff := cmp.Diff(want, slices.Compact(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// A Redis that told the kernel that it wants no huge pages has none.
func TestRedisWithoutHugePages(t *testing.T) {
	h := host()
	ruletest.Add(h, recording.ProcessSample{At: ruletest.Start, PID: 9, Comm: "redis-server", Full: true, NoHugePages: true, Anon: gib})
	if list := audit.Of(h.View()).Remarks; len(list) > 0 {
		t.Errorf("%v", list[0].Words)
	}
}

// TestNodes are checks of hosts with several NUMA nodes.
func TestNodes(t *testing.T) {
	h := host()
	for node := range int32(2) {
		ruletest.Add(h, recording.ZoneSample{At: ruletest.Start, Node: node, Zone: "Normal", Managed: 4 * gib / 4096})
	}
	set(h, "vm.zone_reclaim_mode", "1", "kernel.numa_balancing", "1", "vm.swappiness", "1")
	h.Process(ruletest.Process{Comm: "mariadbd", Anon: 5 * gib})
	var got []string
	for _, m := range audit.Of(h.View()).Remarks {
		got = append(got, m.Check.ID)
	}
	if diff := cmp.Diff([]string{"audit/zone-reclaim", "audit/numa-balancing"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A setting of one namespace explains no fault of another.
func TestExplains(t *testing.T) {
	r := audit.Remark{Check: &audit.Check{Explains: []string{"net/paws-drops"}, Proves: []string{"net/paws-drops"}}, Spaces: []uint64{1}}
	for _, c := range []struct {
		rule            string
		ns              uint64
		explains, proof bool
	}{{"net/paws-drops", 1, true, true}, {"net/paws-drops", 2, false, false}, {"net/resets", 1, false, false}} {
		f := rule.Finding{Rule: c.rule, Subject: view.Entity{Kind: view.KindNetNS, NetNS: c.ns}}
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
