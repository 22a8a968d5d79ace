package catalogue

import (
	"slices"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/verdict"
)

// outlines are what some rules find, at least so sure, in the order of the verdict.
func outlines(t *testing.T, h *ruletest.Host, least rule.Confidence, ids ...string) (list []string) {
	t.Helper()
	var rules []rule.Rule
	for _, id := range ids {
		rules = append(rules, mustFind(t, id))
	}
	for _, f := range verdict.Judge(h.View(), rules).Findings {
		if f.Confidence >= least {
			list = append(list, outline(f))
		}
	}
	return list
}

// A node without memory explains what the host and its programs lack, not what a control group
// lacks at its own limit.
func TestFullNodeAndFullGroup(t *testing.T) {
	const mib, pages = 1 << 20, 8 << 20 // of a node
	host := func(in, out, again float64, stalled float64) *ruletest.Host {
		h := ruletest.New(16, 10).Pressure("memory", stalled, stalled/4).Memory(64<<30, 30<<30, 0).Swap("/dev/zram0", 8<<30, 1<<30, 0)
		h.Readings(func(at time.Time, s float64) {
			for node, free := range []int64{18_000, 5 << 20} {
				ruletest.Add(h, recording.ZoneSample{At: at, Node: int32(node), Zone: "Normal", Free: free, Managed: pages, High: 20_000})
			}
			ruletest.Add(h, recording.VMStatSample{At: at, SwapIn: uint64(in * s), SwapOut: uint64(out * s), ScanKswapd: uint64(90_000 * s), RefaultFile: uint64(again * s)})
		})
		return h
	}
	java := ruletest.Process{PID: 9, Comm: "java", RSS: 900 * mib, Anon: 890 * mib, SwapUsed: 600 * mib, Major: 900}
	for _, c := range []struct {
		name string
		host func() *ruletest.Host
		want []string
	}{
		{"a program of the host swaps", func() *ruletest.Host { return host(5000, 5200, 0, 0.4).Process(java) }, []string{"mem/numa(mem/swapping)"}},
		{"a program swaps at the limit of its group", func() *ruletest.Host {
			p := java
			p.MemCgroup = "/app"
			return host(5000, 5200, 0, 0.4).Process(p).Cgroup(ruletest.Cgroup{Path: "/app", Memory: 1000 * mib, MemoryMax: 1024 * mib, SwapUsed: 600 * mib, EventsMax: 50, MemoryStall: 0.35})
		}, []string{"mem/swapping", "mem/numa"}},
		{"a group reads files again at its limit", func() *ruletest.Host {
			h := host(0, 512, 80_000, 0.45).Process(ruletest.Process{PID: 10, Comm: "redis-server", Anon: 47 * mib, MemCgroup: "/app", BlockDelay: 0.4, ReadBytes: 320 * mib})
			return h.Cgroup(ruletest.Cgroup{Path: "/app", Memory: 48 * mib, MemoryMax: 48 * mib, EventsMax: 70_000, Refaults: 80_000, MemoryStall: 0.4})
		}, []string{"mem/reclaim", "mem/numa"}},
	} {
		if got := outlines(t, c.host(), rule.Likely, "mem/numa", "mem/swapping", "mem/reclaim"); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A CPU full of received packets explains losses only where packets were lost there.
func TestFullCPUAndLosses(t *testing.T) {
	type rates struct{ backlog, ring, damaged float64 } // packets per second that are lost
	host := func(lost rates) *ruletest.Host {
		quiet := ruletest.CPU{User: 0.1}
		h := ruletest.New(4, 10).CPUs(quiet, ruletest.CPU{System: 0.2, SoftIRQ: 0.79}, quiet, quiet).SoftIRQ("NET_RX", 1, 11_000)
		h.Process(ruletest.Process{PID: 20, Comm: "ksoftirqd/1", Kernel: true, CPU: 0.6})
		h.Readings(func(at time.Time, s float64) {
			ruletest.Add(h, recording.NetDeviceSample{At: at, NetNS: 1, Interface: "eth0", RxPackets: uint64(90_000 * s), RxBytes: uint64(6e7 * s), TxPackets: uint64(40_000 * s), TxBytes: uint64(4e7 * s),
				RxFIFO: uint64(lost.ring * s), RxErrors: uint64((lost.ring + lost.damaged) * s), MTU: 1500, SpeedMbps: 1000, Up: true, Physical: true})
			ruletest.Add(h, recording.SoftnetSample{At: at, CPU: 1, Processed: uint64(90_000 * s), Dropped: uint64(lost.backlog * s), Squeezed: uint64(60 * s)})
		})
		return h
	}
	// loses has a connection of a network namespace send 65 segments a second again.
	loses := func(h *ruletest.Host, ns uint64) *ruletest.Host {
		h.Readings(func(at time.Time, s float64) {
			for name, rate := range map[string]float64{"OutSegs": 1300, "RetransSegs": 65} {
				ruletest.Add(h, recording.ProtocolSample{At: at, NetNS: ns, Protocol: "Tcp", Name: name, Value: int64(rate * s)})
			}
			for name, rate := range map[string]float64{"TCPSynRetrans": 0, "TCPTimeouts": 10, "TCPLossProbes": 0, "TCPLossProbeRecovery": 0, "TCPDSACKRecv": 0} {
				ruletest.Add(h, recording.ProtocolSample{At: at, NetNS: ns, Protocol: "TcpExt", Name: name, Value: int64(rate * s)})
			}
			ruletest.Add(h, recording.TCPSample{At: at, NetNS: ns, Local: "10.0.0.2", LocalPort: 41000, Remote: "10.0.0.7", RemotePort: 80, State: recording.TCPEstablished,
				Info: true, RTO: 204 * time.Millisecond, TotalRetrans: uint32(65 * s), SegsOut: uint32(1300 * s), DataSegsOut: uint32(1300 * s)})
		})
		return h
	}
	const core = "cpu/interrupts-on-one-core"
	for _, c := range []struct {
		name string
		host *ruletest.Host
		want []string
	}{
		{"it lost nothing, and a path loses packets", loses(host(rates{}), 1), []string{core + "(cpu/softirq)", "net/packet-loss"}},
		{"its backlog dropped some of them", loses(host(rates{backlog: 10}), 1), []string{core + "(cpu/softirq)", "net/packet-loss"}},
		{"its backlog dropped them", loses(host(rates{backlog: 40}), 1), []string{core + "(cpu/softirq(net/softnet) net/packet-loss)"}},
		{"its backlog dropped some, and a container loses packets", loses(host(rates{backlog: 40}), 2), []string{core + "(cpu/softirq(net/softnet))", "net/packet-loss"}},
		{"the ring of its card was full", loses(host(rates{ring: 50}), 1), []string{core + "(cpu/softirq net/nic-drops(net/packet-loss))"}},
		{"its card got damaged frames", host(rates{damaged: 3000}), []string{core + "(cpu/softirq)", "net/nic-drops"}},
		{"the ring of its card was full more often", host(rates{ring: 3000, damaged: 300}), []string{core + "(cpu/softirq net/nic-drops)"}},
	} {
		if got := outlines(t, c.host, rule.Possible, core, "cpu/softirq", "net/softnet", "net/nic-drops", "net/packet-loss"); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A CPU full of received packets makes a server slow whose threads wait for this CPU.
func TestFullCPUAndSlowServer(t *testing.T) {
	const core = "cpu/interrupts-on-one-core"
	for _, c := range []struct {
		name  string
		cpu   int32   // on which the server was
		delay float64 // that it waited for a CPU, seconds per second
		want  []string
	}{
		{"it waits for this CPU", 1, 0.8, []string{core + "(cpu/softirq rt/server-slow)"}},
		{"it waits for another one", 3, 0.8, []string{core + "(cpu/softirq)", "rt/server-slow"}},
		{"it sleeps", 1, 0.03, []string{core + "(cpu/softirq)", "rt/server-slow"}},
	} {
		quiet := ruletest.CPU{User: 0.1}
		h := ruletest.New(4, 10).CPUs(quiet, ruletest.CPU{System: 0.2, SoftIRQ: 0.79}, quiet, quiet).SoftIRQ("NET_RX", 1, 11_000).PacketCapture(nil)
		h.NetDevice(ruletest.NetDevice{Name: "eth0", RxPackets: 90_000, RxBytes: 6e7}).Process(ruletest.Process{PID: 20, Comm: "ksoftirqd/1", Kernel: true, CPU: 0.6})
		h.Process(ruletest.Process{PID: 80, Comm: "api", RunDelay: c.delay})
		h.Packets(ruletest.PacketService{Server: "127.0.0.1", Port: 8000, Proto: "http", Rate: 2, RTs: []time.Duration{501 * time.Millisecond}, Handshakes: 2, ServerRTT: 50 * time.Microsecond})
		ruletest.Every(h, func(at time.Time, _ float64) recording.ListenerSample {
			return recording.ListenerSample{At: at, NetNS: 1, Local: "127.0.0.1", Port: 8000, Inode: 80, Backlog: 128}
		})
		ruletest.Add(h, recording.SocketOwner{At: ruletest.Start, PID: 80, Inode: 80})
		ruletest.Every(h, func(at time.Time, s float64) recording.ThreadSample {
			return recording.ThreadSample{At: at, PID: 80, TID: 80, Comm: "api", State: "S", CPUTime: time.Duration(1e7 * s), RunDelay: time.Duration(c.delay * s * 1e9), Syscall: -1, Processor: c.cpu}
		})
		if got := outlines(t, h, rule.Possible, core, "cpu/softirq", "rt/server-slow"); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
