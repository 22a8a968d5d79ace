package netproc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"rtrail/internal/recording"
)

var at = time.Unix(1700000000, 0)

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata/linux-6.18", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

type value struct {
	Name  string
	Value int64
}

func values(rows []recording.ProtocolSample) []value {
	var list []value
	for _, r := range rows {
		list = append(list, value{r.Protocol + "." + r.Name, r.Value})
	}
	return list
}

func TestProtocolTables(t *testing.T) {
	parse := map[string]func(*Parser, []byte) ([]recording.ProtocolSample, error){
		"table":    func(p *Parser, b []byte) ([]recording.ProtocolSample, error) { return p.Table(nil, at, 7, b) },
		"snmp6":    func(p *Parser, b []byte) ([]recording.ProtocolSample, error) { return p.SNMP6(nil, at, 7, b) },
		"sockstat": func(p *Parser, b []byte) ([]recording.ProtocolSample, error) { return p.Sockstat(nil, at, 7, b) },
	}
	tests := []struct {
		name, parser, in string
		want             []value
		wantErr          string
	}{
		{name: "two protocols", parser: "table", in: "Tcp: RtoMin MaxConn CurrEstab\nTcp: 200 -1 3\nUdp: InErrors\nUdp: 9\n",
			want: []value{{"Tcp.RtoMin", 200}, {"Tcp.MaxConn", -1}, {"Tcp.CurrEstab", 3}, {"Udp.InErrors", 9}}},
		{name: "no newline at the end", parser: "table", in: "Udp: InErrors\nUdp: 9", want: []value{{"Udp.InErrors", 9}}},
		{name: "protocol without counters", parser: "table", in: "MPTcpExt:\nMPTcpExt:\nUdp: A\nUdp: 1\n", want: []value{{"Udp.A", 1}}},
		{name: "values of another protocol", parser: "table", in: "Tcp: A\nTcpExt: 1\nUdp: A\nUdp: 1\n",
			want: []value{{"Udp.A", 1}}, wantErr: "values of Tcp do not follow"},
		{name: "torn values", parser: "table", in: "Tcp: A B\nTcp: 1", want: []value{{"Tcp.A", 1}}, wantErr: `TcpB is "", not a number`},
		{name: "larger than int64", parser: "table", in: "IpExt: InOctets\nIpExt: 18446744073709551615\n",
			want: []value{{"IpExt.InOctets", 9223372036854775807}}},
		{name: "empty", parser: "table"},
		{name: "snmp6", parser: "snmp6", in: "Ip6InReceives                   \t12\nUdpLite6InErrors\t3\nIcmp6OutType133\t0\n",
			want: []value{{"Ip6.InReceives", 12}, {"UdpLite6.InErrors", 3}, {"Icmp6.OutType133", 0}}},
		{name: "snmp6 torn", parser: "snmp6", in: "Ip6InReceives", wantErr: "not a number"},
		{name: "sockstat", parser: "sockstat", in: "sockets: used 17\nTCP: inuse 1 orphan 0 mem 310\nFRAG: inuse 0 memory 0\n",
			want: []value{{"Sock.used", 17}, {"SockTCP.inuse", 1}, {"SockTCP.orphan", 0}, {"SockTCP.mem", 310}, {"SockFRAG.inuse", 0}, {"SockFRAG.memory", 0}}},
		{name: "sockstat6", parser: "sockstat", in: "TCP6: inuse 4\n", want: []value{{"SockTCP6.inuse", 4}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var p Parser
			for range 2 { // the second time from remembered names
				got, err := parse[tt.parser](&p, []byte(tt.in))
				if diff := cmp.Diff(tt.want, values(got)); diff != "" {
					t.Errorf("rows (-want +got):\n%s", diff)
				}
				if tt.wantErr == "" && err != nil || tt.wantErr != "" && (err == nil || !strings.Contains(err.Error(), tt.wantErr)) {
					t.Errorf("error %v, want one with %q", err, tt.wantErr)
				}
			}
		})
	}
}

// nstat shows the same names on the same machine; these are the ones rules ask
// for, so that a parser that shifts columns is noticed.
func TestRecordedFiles(t *testing.T) {
	var p Parser
	var rows []recording.ProtocolSample
	var err error
	for _, name := range []string{"snmp", "netstat"} {
		if rows, err = p.Table(rows, at, 1, fixture(t, name)); err != nil {
			t.Fatal(err)
		}
	}
	if rows, err = p.SNMP6(rows, at, 1, fixture(t, "snmp6")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sockstat", "sockstat6"} {
		if rows, err = p.Sockstat(rows, at, 1, fixture(t, name)); err != nil {
			t.Fatal(err)
		}
	}
	have := map[string]int64{}
	for _, v := range values(rows) {
		have[v.Name] = v.Value
	}
	for name, want := range map[string]int64{
		"Tcp.RtoMin": 200, "Tcp.MaxConn": -1, "Ip.DefaultTTL": 64,
		"TcpExt.ListenOverflows": 0, "TcpExt.ListenDrops": 0, "TcpExt.TCPReqQFullDrop": 0,
		"TcpExt.TCPReqQFullDoCookies": 0, "TcpExt.PAWSActive": 0, "Udp.RcvbufErrors": 0, "Udp6.RcvbufErrors": 0,
		"SockUDP.mem": 0,
	} {
		if got, ok := have[name]; !ok || got != want {
			t.Errorf("%s = %d, there %v; want %d", name, got, ok, want)
		}
	}
}

func TestDevices(t *testing.T) {
	tests := []struct {
		name, in string
		want     []recording.NetDeviceSample
		wantErr  bool
	}{
		{
			name: "two devices",
			in: `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:    3193      29    0    0    0     0          0         0     3193      29    0    0    0     0       0          0
  eth0:1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
`,
			want: []recording.NetDeviceSample{
				{At: at, NetNS: 3, Interface: "lo", RxBytes: 3193, RxPackets: 29, TxBytes: 3193, TxPackets: 29, SpeedMbps: -1},
				{At: at, NetNS: 3, Interface: "eth0", RxBytes: 1, RxPackets: 2, RxErrors: 3, RxDropped: 4, RxFIFO: 5,
					TxBytes: 9, TxPackets: 10, TxErrors: 11, TxDropped: 12, TxFIFO: 13, Collisions: 14, Carrier: 15, SpeedMbps: -1},
			},
		},
		{
			name: "alias with a colon",
			in:   "eth0:0: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n",
			want: []recording.NetDeviceSample{{At: at, NetNS: 3, Interface: "eth0:0", RxBytes: 1, RxPackets: 2, RxErrors: 3, RxDropped: 4, RxFIFO: 5,
				TxBytes: 9, TxPackets: 10, TxErrors: 11, TxDropped: 12, TxFIFO: 13, Collisions: 14, Carrier: 15, SpeedMbps: -1}},
		},
		{name: "torn line", in: "eth0: 1 2 3", wantErr: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var p Parser
			got, err := p.Devices(nil, at, 3, []byte(tt.in))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			if (err != nil) != tt.wantErr {
				t.Errorf("error %v, want one: %v", err, tt.wantErr)
			}
		})
	}
}

func TestConntrack(t *testing.T) {
	in := "entries  clashres found new invalid ignore delete chainlength insert insert_failed drop early_drop icmp_error  expect_new expect_create expect_delete search_restart\n" +
		"0000001f  00000000 00000002 00000000 00000001 00000000 00000000 00000000 00000010 00000003 0000000a 00000004 00000000  00000000 00000000 00000000 00000000\n" +
		"0000001f  00000000 00000001 00000000 00000000 00000000 00000000 00000000 00000001 00000000 00000001 00000000 00000000  00000000 00000000 00000000 00000000\n"
	want := recording.ConntrackSample{At: at, NetNS: 5, Count: 31, Max: -1, Buckets: -1, Found: 3, Invalid: 1, Insert: 17, InsertFailed: 3, Drop: 11, EarlyDrop: 4}
	var p Parser
	got, err := p.Conntrack(at, 5, []byte(in))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("row (-want +got):\n%s", diff)
	}
	if _, err := p.Conntrack(at, 5, fixture(t, "nf_conntrack")); err != nil {
		t.Errorf("recorded file: %v", err)
	}
	for _, bad := range []string{"", "entries drop\n", "entries\nxyz\n"} {
		if _, err := p.Conntrack(at, 5, []byte(bad)); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}

func FuzzParsers(f *testing.F) {
	for _, name := range []string{"snmp", "netstat", "snmp6", "sockstat", "dev", "nf_conntrack"} {
		f.Add(fixture(f, name))
	}
	var p Parser
	f.Fuzz(func(t *testing.T, b []byte) {
		rows, _ := p.Table(nil, at, 1, b)
		rows, _ = p.SNMP6(rows, at, 1, b)
		rows, _ = p.Sockstat(rows, at, 1, b)
		if len(rows) > 3*len(b) {
			t.Errorf("%d rows out of %d bytes", len(rows), len(b))
		}
		p.Devices(nil, at, 1, b)
		p.Conntrack(at, 1, b)
	})
}

// BenchmarkNamespace is the cost of the counters of one network namespace.
func BenchmarkNamespace(b *testing.B) {
	snmp, netstat, snmp6 := fixture(b, "snmp"), fixture(b, "netstat"), fixture(b, "snmp6")
	sockstat, dev := fixture(b, "sockstat"), fixture(b, "dev")
	var p Parser
	var rows []recording.ProtocolSample
	var devices []recording.NetDeviceSample
	b.ReportAllocs()
	for b.Loop() {
		rows, _ = p.Table(rows[:0], at, 1, snmp)
		rows, _ = p.Table(rows, at, 1, netstat)
		rows, _ = p.SNMP6(rows, at, 1, snmp6)
		rows, _ = p.Sockstat(rows, at, 1, sockstat)
		devices, _ = p.Devices(devices[:0], at, 1, dev)
	}
}

func TestStat(t *testing.T) {
	const arp = "entries  allocs   res_failed unresolved_discards table_fulls\n" +
		"00000002 0000000a 00000006   00000001            00000010\n00000002 00000003 00000001   00000000            00000001\n"
	const unreadable = "entries  res_failed unresolved_discards table_fulls\n00000002 zz 0 0\n"
	for _, tt := range []struct {
		name, text string
		want       []value
		fails      bool
	}{
		{"sums over CPUs", arp, []value{{"ArpCache.res_failed", 7}, {"ArpCache.unresolved_discards", 1}, {"ArpCache.table_fulls", 17}}, false},
		{"a kernel without the columns", "entries  allocs\n00000002 0000000a\n", nil, false},
		{"not a number", unreadable, nil, true},
		{"empty", "", nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var p Parser
			rows, err := p.Stat(nil, time.Time{}, 1, "stat/arp_cache", []byte(tt.text))
			if diff := cmp.Diff(tt.want, values(rows), cmpopts.EquateEmpty()); diff != "" || (err != nil) != tt.fails {
				t.Errorf("error %v, rows %s", err, diff)
			}
		})
	}
}

func TestPairs(t *testing.T) {
	var p Parser
	rows, err := p.Pairs(nil, time.Time{}, 1, "Xfrm", false, []byte("XfrmInError             \t0\nXfrmInNoStates          \t12\n"))
	if diff := cmp.Diff([]value{{"Xfrm.InNoStates", 12}}, values(rows)); diff != "" || err != nil {
		t.Errorf("error %v, rows %s", err, diff)
	}
	if rows, err := p.Pairs(nil, time.Time{}, 1, "Tls", false, []byte("XfrmInNoStates 12\nTlsDecryptError x\n")); err == nil || len(rows) > 0 {
		t.Errorf("took %v out of another file, error %v", rows, err)
	}
}
