package refusal

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/probe/netproc"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/catalogue"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// Every counter of recorded kernels is judged by a rule, or listed, or known to
// be no refusal. One that a newer kernel brings has to be put into a table.
func TestEveryCounterIsKnown(t *testing.T) {
	for _, c := range []struct {
		source *source
		names  []string
	}{
		{&protocols, protocolNames(t)},
		{&conntrack, headerOf(t, "nf_conntrack")},
		{&protocols, strings.Fields(olderKernels)},
		{&memory, strings.Fields(olderMemory)},
		{&protocols, strings.Fields(sctpCounters)},
	} {
		if len(c.names) < 10 {
			t.Fatalf("%s: only %d counters in the fixture", c.source.name, len(c.names))
		}
		for _, name := range c.names {
			if _, ok := c.source.known(name); !ok {
				t.Errorf("%s: no table has %s: say what it counts, and which rule judges it", c.source.name, name)
			}
		}
	}
}

// olderKernels are counters that the recorded kernel does not have any more.
const olderKernels = "TcpExtPAWSPassive TcpExtTCPPrequeued TcpExtTCPDirectCopyFromBacklog TcpExtTCPDirectCopyFromPrequeue TcpExtTCPPrequeueDropped " +
	"TcpExtTCPSACKDiscard TcpExtTCPMD5NotFound TcpExtTCPMD5Unexpected UdpLiteInErrors UdpLite6InErrors TcpExtTCPMemoryPressures TcpExtArpFilter " +
	"TcpExtTCPHPHitsToUser TcpExtTCPFACKReorder TcpExtTCPForwardRetrans TcpExtTCPSchedulerFailed TcpExtTCPLoss TcpExtTCPAbortOnSyn IcmpMsgInType8 Icmp6OutType133"

// sctpCounters are those of /proc/net/sctp/snmp (sctp_snmp_list in net/sctp/proc.c).
const sctpCounters = "SctpCurrEstab SctpActiveEstabs SctpPassiveEstabs SctpAborteds SctpShutdowns SctpOutOfBlues SctpChecksumErrors SctpOutCtrlChunks SctpOutOrderChunks " +
	"SctpOutUnorderChunks SctpInCtrlChunks SctpInOrderChunks SctpInUnorderChunks SctpFragUsrMsgs SctpReasmUsrMsgs SctpOutSCTPPacks SctpInSCTPPacks SctpT1InitExpireds " +
	"SctpT1CookieExpireds SctpT2ShutdownExpireds SctpT3RtxExpireds SctpT4RtoExpireds SctpT5ShutdownGuardExpireds SctpDelaySackExpireds SctpAutocloseExpireds " +
	"SctpT3Retransmits SctpPmtudRetransmits SctpFastRetransmits SctpInPktSoftirq SctpInPktBacklog SctpInPktDiscards SctpInDataChunkDiscards"

const olderMemory = "nr_alloc_batch nr_tlb_remote_flush pgscan_kswapd_dma32 pgscan_direct_normal pgsteal_kswapd_movable pgrefill_dma kswapd_skip_congestion_wait " +
	"workingset_refault workingset_activate compact_blocks_moved compact_pages_moved compact_pagemigrate_failed vmacache_find_calls vmacache_find_hits allocstall " +
	"htlb_buddy_alloc_fail thp_fault_fallback thp_split thp_split_failed vma_lock_abort"

func protocolNames(t *testing.T) (names []string) {
	t.Helper()
	var p netproc.Parser
	var rows []recording.ProtocolSample
	for _, file := range []string{"snmp", "netstat", "snmp6", "sockstat", "sockstat6"} {
		b := fixture(t, file)
		var err error
		switch file {
		case "snmp", "netstat":
			rows, err = p.Table(rows, time.Now(), 1, b)
		case "snmp6":
			rows, err = p.SNMP6(rows, time.Now(), 1, b)
		default:
			rows, err = p.Sockstat(rows, time.Now(), 1, b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range rows {
		names = append(names, r.Protocol+r.Name)
	}
	return names
}

func headerOf(t *testing.T, file string) []string {
	head, _, _ := strings.Cut(string(fixture(t, file)), "\n")
	return strings.Fields(head)
}

func fixture(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("../probe/netproc/testdata/linux-6.18", file))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// What the tables say is complete, and names rules and counters that exist.
func TestTables(t *testing.T) {
	rules := map[string]bool{}
	for _, r := range catalogue.Rules {
		rules[r.ID] = true
	}
	for _, s := range sources {
		seen := map[string]bool{}
		for _, c := range s.counters {
			for _, name := range fields(c.Names) {
				if seen[name] {
					t.Errorf("%s: %s is in the table twice", s.name, name)
				}
				seen[name] = true
			}
			for _, id := range c.Rules {
				if !rules[id] {
					t.Errorf("%s: %s is judged by %s, which is no rule", s.name, c.Names, id)
				}
			}
			for _, other := range append(fields(c.Less), fields(c.Of)...) {
				if _, ok := s.known(other); !ok {
					t.Errorf("%s: %s refers to %s, which no table has", s.name, c.Names, other)
				}
			}
			switch {
			case c.Names == "":
				t.Errorf("%s: an entry without a name: %+v", s.name, c)
			case c.Kind == Ordinary && c.Why == "":
				t.Errorf("%s: nobody says why %s is no failure", s.name, c.Names)
			case c.Kind == Slowed && (len(c.Rules) == 0 || c.Means == ""):
				t.Errorf("%s: how much of %s is too much has to be judged by a rule", s.name, c.Names)
			case c.Kind == Refused && (c.Unit == "" || c.Means == "" || c.Resource == ""):
				t.Errorf("%s: %s lacks unit, meaning or resource", s.name, c.Names)
			case c.Kind == Refused && (c.PerSecond > 0 || c.Share > 0) != (c.Why != ""):
				t.Errorf("%s: %s needs a reason for a rate that is everyday life, and only then", s.name, c.Names)
			}
		}
	}
}

// elsewhereNamed are Refused counters that Delta has under another name of the same
// entry: what kernels call it differs.
var elsewhereNamed = map[string]string{"chainlength": "chaintoolong"}

// A source whose Delta lists its counters reads all that are Refused: of one that it
// does not read, nobody hears.
func TestRefusedCountersAreRead(t *testing.T) {
	h := ruletest.New(2, 10)
	h.Cgroup(ruletest.Cgroup{Path: "/web", Change: func(_ float64, row *recording.CgroupSample) {
		row.KmemFailures, row.SocketFailures, row.HugeFailures = 0, 0, 0
	}})
	h.Readings(func(at time.Time, _ float64) {
		ruletest.Add(h, recording.NetDeviceSample{At: at, NetNS: 1, Interface: "eth0"})
		ruletest.Add(h, recording.QdiscSample{At: at, NetNS: 1, Interface: "eth0", Kind: "tbf", Handle: 0x10000, Parent: recording.QdiscRoot})
		ruletest.Add(h, recording.SoftnetSample{At: at})
		ruletest.Add(h, recording.ConntrackSample{At: at, NetNS: 1})
		ruletest.Add(h, recording.VMStatSample{At: at})
		ruletest.Add(h, recording.MemorySample{At: at})
		ruletest.Add(h, recording.DiskSample{At: at, Device: "sda"})
	})
	v := h.View()
	for _, s := range []*source{&devices, &queues, &softnet, &conntrack, &memory, &disks, &controlGroups} {
		read := map[string]float64{}
		for _, scope := range s.scopes(v) {
			maps.Copy(read, scope.Delta)
		}
		for _, c := range s.counters {
			for _, name := range fields(c.Names) {
				_, ok := read[name]
				if _, other := read[elsewhereNamed[name]]; c.Kind == Refused && !ok && !other {
					t.Errorf("%s: %s is Refused, but Delta of the scopes (sources.go, queue.go, disk.go) does not read it, so that it never rises", s.name, name)
				}
			}
		}
	}
}

// What is refused beside no rule that judges it is never health.
func TestResources(t *testing.T) {
	var resources []string
	for _, r := range catalogue.Rules {
		resources = append(resources, r.Resource)
	}
	for _, s := range sources {
		for _, c := range s.counters {
			if c.Kind == Refused && !slices.Contains(resources, c.Resource) {
				t.Errorf("%s: %s belongs to %q, which no rule calls healthy", s.name, c.Names, c.Resource)
			}
		}
	}
}

func TestRise(t *testing.T) {
	for _, tt := range []struct {
		name, counter string
		delta         map[string]float64
		seconds       float64
		want          float64 // 0: not told of
	}{
		{"flood", "TcpExtTCPReqQFullDrop", map[string]float64{"TcpExtTCPReqQFullDrop": 20000}, 10, 20000},
		{"one lost connect", "TcpExtListenDrops", map[string]float64{"TcpExtListenDrops": 1}, 10, 0},
		{"three in ten minutes", "TcpExtListenDrops", map[string]float64{"TcpExtListenDrops": 3}, 600, 0},
		{"the accept queue's own", "TcpExtListenDrops", map[string]float64{"TcpExtListenDrops": 500, "TcpExtListenOverflows": 500}, 10, 0},
		{"both queues", "TcpExtListenDrops", map[string]float64{"TcpExtListenDrops": 500, "TcpExtListenOverflows": 100}, 10, 400},
		{"repair is no refusal", "TcpExtTCPTimeouts", map[string]float64{"TcpExtTCPTimeouts": 500}, 10, 0},
		{"resets by programs", "TcpOutRsts", map[string]float64{"TcpOutRsts": 5000, "TcpExtTCPAbortOnClose": 4900}, 10, 0},
		{"resets of closed ports", "TcpOutRsts", map[string]float64{"TcpOutRsts": 5000}, 10, 5000},
		{"unknown, by its name", "TcpExtTCPFrobnicationDrop", map[string]float64{"TcpExtTCPFrobnicationDrop": 50}, 10, 50},
		{"unknown, by its name, among others that are volume", "MPTcpExtMPCapableFrobnicationDrop", map[string]float64{"MPTcpExtMPCapableFrobnicationDrop": 50}, 10, 50},
		{"unknown, harmless", "TcpExtTCPFrobnicated", map[string]float64{"TcpExtTCPFrobnicated": 50}, 10, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, ok := protocols.rise(tt.counter, Scope{Seconds: tt.seconds, Delta: tt.delta})
			if ok != (tt.want > 0) || r.Count != tt.want {
				t.Errorf("told %v, count %v, want %v", ok, r.Count, tt.want)
			}
		})
	}
	r, ok := devices.rise("rx_dropped", Scope{Seconds: 10, Delta: map[string]float64{"rx_dropped": 120, "rx_packets": 2e6}})
	if ok {
		t.Errorf("told of %v drops among 2 million packets", r.Count)
	}
	if _, ok := memory.rise("oom_kill", Scope{Seconds: 600, Delta: map[string]float64{"oom_kill": 1}}); !ok {
		t.Error("one killed process is worth a word in any window")
	}
}

func TestAccountedFor(t *testing.T) {
	in := func(ns uint64) Risen {
		return Risen{Counter: Counter{Rules: []string{"net/syn-flood"}}, Scope: Scope{Subject: view.Entity{Kind: view.KindNetNS, NetNS: ns}}}
	}
	group := Risen{Counter: Counter{Rules: []string{"mem/cgroup-oom"}}, Scope: Scope{Subject: view.Entity{Kind: view.KindCgroup, Name: "/a"}}}
	for _, tt := range []struct {
		name string
		r    Risen
		f    rule.Finding
		want bool
	}{
		{"same namespace", in(7), rule.Finding{Rule: "net/syn-flood", Subject: view.Entity{Kind: view.KindListener, NetNS: 7}}, true},
		{"another namespace", in(7), rule.Finding{Rule: "net/syn-flood", Subject: view.Entity{Kind: view.KindListener, NetNS: 8}}, false},
		{"another rule", in(7), rule.Finding{Rule: "net/packet-loss", Subject: view.Entity{Kind: view.KindListener, NetNS: 7}}, false},
		{"same group", group, rule.Finding{Rule: "mem/cgroup-oom", Subject: view.Entity{Kind: view.KindCgroup, Name: "/a"}}, true},
		{"another group", group, rule.Finding{Rule: "mem/cgroup-oom", Subject: view.Entity{Kind: view.KindCgroup, Name: "/b"}}, false},
		{"a group in it", group, rule.Finding{Rule: "mem/cgroup-oom", Subject: view.Entity{Kind: view.KindCgroup, Name: "/a/b"}}, true},
		{"one whose name begins alike", group, rule.Finding{Rule: "mem/cgroup-oom", Subject: view.Entity{Kind: view.KindCgroup, Name: "/ab"}}, false},
		{"the process in the group", group, rule.Finding{Rule: "mem/cgroup-oom", Subject: view.Entity{Kind: view.KindProcess, Name: "java"}}, true},
	} {
		if got := tt.r.AccountedFor(tt.f); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// What a finding says already is not listed below it as judged by no rule.
func TestCountersNameTheRulesThatTellThem(t *testing.T) {
	for _, tt := range []struct {
		in      *source
		counter string
		rules   []string
	}{
		{&protocols, "TcpAttemptFails", []string{"net/resets", "rt/connect-slow"}},
		{&protocols, "TcpOutRsts", []string{"net/resets"}},
		{&devices, "rx_dropped", []string{"net/softnet", "net/nic-drops"}},
		{&softnet, "dropped", []string{"net/softnet"}},
	} {
		for _, id := range tt.rules {
			r := Risen{Counter: tt.in.lookup(tt.counter), Scope: Scope{Subject: view.Entity{Kind: view.KindNetNS, NetNS: 7}}}
			if !r.AccountedFor(rule.Finding{Rule: id, Subject: view.Entity{Kind: view.KindPeer}}) {
				t.Errorf("a finding of %s does not account for %s", id, tt.counter)
			}
		}
	}
}

// Who lost datagrams is told with the counter that counts them.
func TestWorstSocket(t *testing.T) {
	h := ruletest.New(2, 10)
	h.Process(ruletest.Process{PID: 70, Comm: "statsd"})
	ruletest.Add(h, recording.SocketOwner{At: ruletest.Start, Inode: 5, PID: 70})
	for inode, rate := range map[uint64]float64{5: 40, 6: 2} {
		ruletest.Every(h, func(at time.Time, s float64) recording.UDPSample {
			return recording.UDPSample{At: at, NetNS: 1, Inode: inode, LocalPort: uint16(8120 + inode), Drops: uint32(rate * s)}
		})
	}
	ruletest.Every(h, func(at time.Time, s float64) recording.ProtocolSample {
		return recording.ProtocolSample{At: at, NetNS: 1, Protocol: "Udp", Name: "RcvbufErrors", Value: int64(42 * s)}
	})
	list := Rising(h.View())
	if len(list) != 1 || list[0].Name != "UdpRcvbufErrors" || list[0].Detail != "most, 400, at the UDP port 8125 of statsd (70)" {
		t.Errorf("got %+v", list)
	}
}

// What a control group is refused at limits that few groups have is listed, with
// the file that shows it in its version.
func TestGroupFailures(t *testing.T) {
	h := ruletest.New(2, 10)
	for path, version := range map[string]int32{"/old": 1, "/new": 2} {
		h.Cgroup(ruletest.Cgroup{Path: path, Change: func(s float64, row *recording.CgroupSample) {
			row.Version, row.HugeFailures = version, int64(s)
			row.SocketFailures, row.KmemFailures = recording.Unknown, recording.Unknown
			if version == 1 && (s == 0 || s >= 10) { // read at the ends only
				row.SocketFailures = int64(40 * s)
			}
		}})
	}
	got := map[string]float64{}
	for _, r := range Rising(h.View()) {
		got[r.Check().String()] = r.Count
	}
	want := map[string]float64{
		"cat /sys/fs/cgroup/memory/old/memory.kmem.tcp.failcnt":              400,
		"grep -r . /sys/fs/cgroup/hugetlb/old --include 'hugetlb.*.failcnt'": 10,
		"grep -r . /sys/fs/cgroup/new --include 'hugetlb.*.events'":          10,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
