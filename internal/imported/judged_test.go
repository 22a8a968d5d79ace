package imported

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"rtrail/internal/rule"
	"rtrail/internal/rule/catalogue"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

// exported are series of node_exporter 1.8 on a host where nothing is wrong: what they were at
// first, and what they grow by per second.
var exported = map[string][2]float64{
	`node_cpu_seconds_total{cpu="0",mode="idle"}`:                                        {24063.74, 0.8},
	`node_cpu_seconds_total{cpu="0",mode="iowait"}`:                                      {863.35, 0.01},
	`node_cpu_seconds_total{cpu="0",mode="irq"}`:                                         {0, 0},
	`node_cpu_seconds_total{cpu="0",mode="nice"}`:                                        {122.02, 0},
	`node_cpu_seconds_total{cpu="0",mode="softirq"}`:                                     {545.09, 0.02},
	`node_cpu_seconds_total{cpu="0",mode="steal"}`:                                       {46.61, 0},
	`node_cpu_seconds_total{cpu="0",mode="system"}`:                                      {8497.73, 0.07},
	`node_cpu_seconds_total{cpu="0",mode="user"}`:                                        {15774.87, 0.1},
	`node_cpu_seconds_total{cpu="1",mode="idle"}`:                                        {23186.88, 0.8},
	`node_cpu_seconds_total{cpu="1",mode="iowait"}`:                                      {865.63, 0.01},
	`node_cpu_seconds_total{cpu="1",mode="irq"}`:                                         {0, 0},
	`node_cpu_seconds_total{cpu="1",mode="nice"}`:                                        {120.49, 0},
	`node_cpu_seconds_total{cpu="1",mode="softirq"}`:                                     {844.67, 0.02},
	`node_cpu_seconds_total{cpu="1",mode="steal"}`:                                       {47.76, 0},
	`node_cpu_seconds_total{cpu="1",mode="system"}`:                                      {9187.92, 0.07},
	`node_cpu_seconds_total{cpu="1",mode="user"}`:                                        {15893.03, 0.1},
	`node_context_switches_total`:                                                        {8.56448828e+08, 900},
	`node_intr_total`:                                                                    {2.23564225e+08, 500},
	`node_forks_total`:                                                                   {1.834453e+06, 2},
	`node_procs_running`:                                                                 {1, 0},
	`node_procs_blocked`:                                                                 {0, 0},
	`node_load1`:                                                                         {0.4, 0},
	`node_load5`:                                                                         {0.3, 0},
	`node_load15`:                                                                        {0.2, 0},
	`node_memory_MemTotal_bytes`:                                                         {2.5276510208e+10, 0},
	`node_memory_MemFree_bytes`:                                                          {1.5126196224e+10, 0},
	`node_memory_MemAvailable_bytes`:                                                     {2.3819808768e+10, 0},
	`node_memory_SwapTotal_bytes`:                                                        {0, 0},
	`node_memory_SwapFree_bytes`:                                                         {0, 0},
	`node_vmstat_oom_kill`:                                                               {0, 0},
	`node_vmstat_pgfault`:                                                                {9.1e+08, 1500},
	`node_vmstat_pgmajfault`:                                                             {81234, 0},
	`node_vmstat_pgpgin`:                                                                 {1.06e+08, 10},
	`node_vmstat_pgpgout`:                                                                {4.2e+08, 200},
	`node_vmstat_pswpin`:                                                                 {0, 0},
	`node_vmstat_pswpout`:                                                                {0, 0},
	`node_pressure_cpu_waiting_seconds_total`:                                            {27213.89, 0.01},
	`node_pressure_io_stalled_seconds_total`:                                             {1210.67, 0},
	`node_pressure_io_waiting_seconds_total`:                                             {1410.67, 0.001},
	`node_pressure_memory_stalled_seconds_total`:                                         {0.5, 0},
	`node_pressure_memory_waiting_seconds_total`:                                         {0.7, 0},
	`node_disk_io_now{device="vda"}`:                                                     {0, 0},
	`node_disk_io_time_seconds_total{device="vda"}`:                                      {1673.356, 0.01},
	`node_disk_io_time_weighted_seconds_total{device="vda"}`:                             {10278.361, 0.02},
	`node_disk_read_bytes_total{device="vda"}`:                                           {1.08545750016e+11, 4096},
	`node_disk_read_time_seconds_total{device="vda"}`:                                    {3741.734, 0.001},
	`node_disk_reads_completed_total{device="vda"}`:                                      {5.001027e+06, 1},
	`node_disk_write_time_seconds_total{device="vda"}`:                                   {5817.262, 0.01},
	`node_disk_writes_completed_total{device="vda"}`:                                     {1.3042795e+07, 20},
	`node_disk_written_bytes_total{device="vda"}`:                                        {4.32498364416e+11, 200000},
	`node_filesystem_avail_bytes{device="/dev/vda1",fstype="ext4",mountpoint="/"}`:       {4e10, -20000},
	`node_filesystem_avail_bytes{device="/dev/vdb",fstype="xfs",mountpoint="/srv/data"}`: {3e11, 0},
	`node_filesystem_avail_bytes{device="/dev/loop0",fstype="squashfs",mountpoint="/snap/core/1"}`: {0, 0},
	`node_filesystem_device_error{device="/dev/vda1",fstype="ext4",mountpoint="/"}`:                {0, 0},
	`node_filesystem_files{device="/dev/vda1",fstype="ext4",mountpoint="/"}`:                       {5e6, 0},
	`node_filesystem_files{device="/dev/vdb",fstype="xfs",mountpoint="/srv/data"}`:                 {2e8, 0},
	`node_filesystem_files_free{device="/dev/vda1",fstype="ext4",mountpoint="/"}`:                  {4e6, 0},
	`node_filesystem_files_free{device="/dev/vdb",fstype="xfs",mountpoint="/srv/data"}`:            {1.9e8, 0},
	`node_filesystem_free_bytes{device="/dev/vda1",fstype="ext4",mountpoint="/"}`:                  {4.4e10, -20000},
	`node_filesystem_free_bytes{device="/dev/vdb",fstype="xfs",mountpoint="/srv/data"}`:            {3e11, 0},
	`node_filesystem_free_bytes{device="/dev/loop0",fstype="squashfs",mountpoint="/snap/core/1"}`:  {0, 0},
	`node_filesystem_readonly{device="/dev/vda1",fstype="ext4",mountpoint="/"}`:                    {0, 0},
	`node_filesystem_readonly{device="/dev/vdb",fstype="xfs",mountpoint="/srv/data"}`:              {0, 0},
	`node_filesystem_readonly{device="/dev/loop0",fstype="squashfs",mountpoint="/snap/core/1"}`:    {1, 0},
	`node_filesystem_size_bytes{device="/dev/vda1",fstype="ext4",mountpoint="/"}`:                  {8e10, 0},
	`node_filesystem_size_bytes{device="/dev/vdb",fstype="xfs",mountpoint="/srv/data"}`:            {4e11, 0},
	`node_filesystem_size_bytes{device="/dev/loop0",fstype="squashfs",mountpoint="/snap/core/1"}`:  {5e7, 0},
	`node_netstat_Ip_Forwarding`:                         {1, 0},
	`node_netstat_Tcp_ActiveOpens`:                       {81234, 5},
	`node_netstat_Tcp_InErrs`:                            {3, 0},
	`node_netstat_Tcp_InSegs`:                            {9.1e7, 2000},
	`node_netstat_Tcp_OutRsts`:                           {1234, 0},
	`node_netstat_Tcp_OutSegs`:                           {9.5e7, 2000},
	`node_netstat_Tcp_PassiveOpens`:                      {912345, 20},
	`node_netstat_Tcp_RetransSegs`:                       {45678, 1},
	`node_netstat_TcpExt_ListenDrops`:                    {0, 0},
	`node_netstat_TcpExt_ListenOverflows`:                {0, 0},
	`node_netstat_TcpExt_TCPSynRetrans`:                  {12345, 0},
	`node_netstat_TcpExt_TCPTimeouts`:                    {23456, 0},
	`node_netstat_Udp_InDatagrams`:                       {1e6, 10},
	`node_netstat_Udp_InErrors`:                          {0, 0},
	`node_netstat_Udp_RcvbufErrors`:                      {0, 0},
	`node_network_receive_bytes_total{device="eth0"}`:    {9e10, 2e6},
	`node_network_receive_drop_total{device="eth0"}`:     {120, 0},
	`node_network_receive_errs_total{device="eth0"}`:     {0, 0},
	`node_network_receive_fifo_total{device="eth0"}`:     {0, 0},
	`node_network_receive_packets_total{device="eth0"}`:  {9e7, 2000},
	`node_network_transmit_bytes_total{device="eth0"}`:   {8e10, 1e6},
	`node_network_transmit_carrier_total{device="eth0"}`: {0, 0},
	`node_network_transmit_drop_total{device="eth0"}`:    {0, 0},
	`node_network_transmit_errs_total{device="eth0"}`:    {0, 0},
	`node_network_transmit_fifo_total{device="eth0"}`:    {0, 0},
	`node_network_transmit_packets_total{device="eth0"}`: {8e7, 2000},
	`node_nf_conntrack_entries`:                          {812, 1},
	`node_nf_conntrack_entries_limit`:                    {262144, 0},
	`node_nf_conntrack_stat_drop`:                        {0, 0},
	`node_nf_conntrack_stat_early_drop`:                  {0, 0},
	`node_nf_conntrack_stat_found`:                       {42, 0},
	`node_nf_conntrack_stat_insert_failed`:               {1, 0},
	`node_softnet_dropped_total{cpu="0"}`:                {0, 0},
	`node_softnet_dropped_total{cpu="1"}`:                {0, 0},
	`node_softnet_processed_total{cpu="0"}`:              {4e7, 1000},
	`node_softnet_processed_total{cpu="1"}`:              {5e7, 1000},
	`node_softnet_times_squeezed_total{cpu="0"}`:         {12, 0},
	`node_softnet_times_squeezed_total{cpu="1"}`:         {34, 0},
	`node_sockstat_TCP_tw`:                               {30, 0},
	`node_uname_info{domainname="(none)",machine="x86_64",nodename="db7",release="6.1.0-13",sysname="L"}`: {1, 0},
}

// exporterTells is what node_exporter answers five times in a minute, with some series changed or added; one
// that is nil is not there.
func exporterTells(changed map[string]*[2]float64) string {
	var b strings.Builder
	for s := 0; s <= 60; s += 15 {
		fmt.Fprintf(&b, "# HELP node_time_seconds System time in seconds since epoch (1970).\n# TYPE node_time_seconds gauge\nnode_time_seconds %d\n", 1767322800+s)
		series := map[string]*[2]float64{}
		for name, v := range exported {
			series[name] = &v
		}
		maps.Copy(series, changed)
		for _, name := range slices.Sorted(maps.Keys(series)) {
			if v := series[name]; v != nil {
				fmt.Fprintf(&b, "%s %g\n", name, v[0]+v[1]*float64(s))
			}
		}
	}
	return b.String()
}

// matrixOf is the same as Prometheus answers it.
func matrixOf(text string) string {
	values, order := map[string][]string{}, []string{}
	at := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			continue
		}
		i := strings.LastIndexByte(line, ' ')
		if strings.HasPrefix(line, "node_time_seconds ") {
			at = line[i+1:]
			continue
		}
		if values[line[:i]] == nil {
			order = append(order, line[:i])
		}
		values[line[:i]] = append(values[line[:i]], fmt.Sprintf(`[%s,"%s"]`, at, line[i+1:]))
	}
	var all []string
	for _, series := range order {
		name, labels, _ := strings.Cut(strings.TrimSuffix(series, "}"), "{")
		metric := fmt.Sprintf(`"__name__":%q,"instance":"db7:9100"`, name)
		for _, l := range label.FindAllStringSubmatch(labels, -1) {
			metric += fmt.Sprintf(`,%q:%q`, l[1], l[2])
		}
		all = append(all, `{"metric":{`+metric+`},"values":[`+strings.Join(values[series], ",")+`]}`)
	}
	return `{"status":"success","data":{"resultType":"matrix","result":[` + strings.Join(all, ",") + `]}}`
}

// judged lists the rules of a host that are judged.
func judged(v *view.View) (ids []string) {
	out := verdict.Judge(v, catalogue.For(v.Manifest()))
	for _, r := range catalogue.For(v.Manifest()) {
		domain, _, _ := strings.Cut(r.ID, "/")
		if slices.Contains([]string{"cpu", "mem", "disk", "net", "proc"}, domain) && !notJudged(out, r.ID) {
			ids = append(ids, r.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// What each source is enough for.
func TestJudged(t *testing.T) {
	ofHost := []string{"cpu/saturated", "cpu/steal", "disk/saturated", "mem/swapping"}
	of := func(more ...string) []string { return slices.Sorted(slices.Values(slices.Concat(ofHost, more))) }
	rec, held, err := Read(t.Context(), []string{"testdata/stalk"})
	if err != nil {
		t.Fatal(err)
	}
	exporter := of("disk/full", "disk/inodes-full", "net/conntrack-full", "net/nic-drops", "net/packet-loss", "net/softnet")
	for name, tc := range map[string]struct {
		view *view.View
		want []string
	}{
		"node_exporter":        {text(t, exporterTells(nil)), exporter},
		"Prometheus":           {text(t, matrixOf(exporterTells(nil))), exporter},
		"without its network":  {read(t, "exporter/1.prom", "exporter/2.prom"), ofHost},
		"an old conntrack":     {text(t, exporterTells(map[string]*[2]float64{"node_nf_conntrack_stat_drop": nil})), slices.DeleteFunc(slices.Clone(exporter), func(id string) bool { return id == "net/conntrack-full" })},
		"an old netstat":       {text(t, exporterTells(map[string]*[2]float64{"node_netstat_TcpExt_TCPSynRetrans": nil})), slices.DeleteFunc(slices.Clone(exporter), func(id string) bool { return id == "net/packet-loss" })},
		"sadf -j":              {read(t, "cpu/sar.json"), ofHost},
		"sadf -d -A":           {read(t, "csv/sadf.csv"), of("net/nic-drops", "net/softnet")},
		"iostat -xt":           {read(t, "disk/iostat-xt.txt"), []string{"cpu/steal", "disk/saturated"}},
		"vmstat -t":            {read(t, "cpu/vmstat-t.txt"), []string{"cpu/steal", "mem/swapping"}},
		"mpstat, pidstat -u":   {read(t, "cpu/mpstat.txt", "cpu/pidstat-u.txt"), []string{"cpu/saturated", "cpu/steal"}},
		"pt-stalk":             {view.New(rec, held.From, held.To), of("mem/fragmentation")},
		"vmstat, iostat -x -t": {read(t, "calm/vmstat-t.txt", "calm/iostat-xt.txt", "calm/mpstat.txt"), ofHost},
	} {
		if got := judged(tc.view); !slices.Equal(got, tc.want) {
			t.Errorf("%s: judged\n%q, want\n%q", name, got, tc.want)
		}
	}
}

const root = `{device="/dev/vda1",fstype="ext4",mountpoint="/"}`

// Faults that node_exporter tells are found, whoever passes them on, and a host without any is
// accused of nothing.
func TestExporterFaults(t *testing.T) {
	for _, tc := range []struct {
		name    string
		changed map[string]*[2]float64
		rule    string // "": none
		sure    rule.Confidence
		says    string
	}{
		{"healthy", nil, "", 0, ""},
		{"segments sent again", map[string]*[2]float64{"node_netstat_Tcp_RetransSegs": {45678, 60}, "node_netstat_TcpExt_TCPTimeouts": {23456, 20}},
			"net/packet-loss", rule.Possible, "% of segments are sent again"},
		{"and peers did not have them", map[string]*[2]float64{"node_netstat_Tcp_RetransSegs": {45678, 60}, "node_netstat_TcpExt_TCPDSACKRecv": {0, 1}}, "net/packet-loss", rule.Likely, "are lost"},
		{"SYNs sent again", map[string]*[2]float64{"node_netstat_Tcp_RetransSegs": {45678, 60}, "node_netstat_TcpExt_TCPSynRetrans": {12345, 60}}, "", 0, ""},
		{"a receive ring", map[string]*[2]float64{`node_network_receive_fifo_total{device="eth0"}`: {0, 100}, `node_network_receive_errs_total{device="eth0"}`: {0, 100}},
			"net/nic-drops", rule.Possible, "eth0 counts errors"},
		{"damaged frames", map[string]*[2]float64{`node_network_receive_errs_total{device="eth0"}`: {0, 100}}, "net/nic-drops", rule.Possible, "of rx_errors"},
		{"a backlog", map[string]*[2]float64{`node_softnet_dropped_total{cpu="1"}`: {0, 100}}, "net/softnet", rule.Certain, "most on CPU 1"},
		{"rounds with packets left", map[string]*[2]float64{`node_softnet_times_squeezed_total{cpu="1"}`: {34, 200}, `node_cpu_seconds_total{cpu="1",mode="softirq"}`: {844, 0.5},
			`node_cpu_seconds_total{cpu="1",mode="idle"}`: {23186, 0.3}}, "net/softnet", rule.Possible, "CPU 1 does not keep up"},
		{"a full table of connections", map[string]*[2]float64{"node_nf_conntrack_entries": {262144, 0}, "node_nf_conntrack_stat_drop": {0, 50}}, "net/conntrack-full", rule.Certain, "is full"},
		{"a table of connections nearly full", map[string]*[2]float64{"node_nf_conntrack_entries": {240000, 0}}, "net/conntrack-full", rule.Possible, "nearly full"},
		{"a full filesystem", map[string]*[2]float64{"node_filesystem_avail_bytes" + root: {0, 0}, "node_filesystem_free_bytes" + root: {4e9, -100}}, "disk/full", rule.Certain, "/ is full"},
		{"one that fills up", map[string]*[2]float64{"node_filesystem_avail_bytes" + root: {3e9, -2e7}, "node_filesystem_free_bytes" + root: {7e9, -2e7}}, "disk/full", rule.Possible, "/ fills up"},
		{"no inodes", map[string]*[2]float64{"node_filesystem_files_free" + root: {0, 0}}, "disk/inodes-full", rule.Certain, "/ has no inodes left"},
		{"all is full, and read-only", map[string]*[2]float64{"node_filesystem_avail_bytes" + root: {0, 0}, "node_filesystem_files_free" + root: {0, 0}, "node_filesystem_readonly" + root: {1, 0}}, "", 0, ""},
	} {
		base := exporterTells(tc.changed)
		for kind, content := range map[string]string{"node_exporter": base, "Prometheus": matrixOf(base)} {
			v := text(t, content)
			found := 0
			for _, f := range verdict.Judge(v, catalogue.For(v.Manifest())).Findings {
				if f.Rule != tc.rule {
					t.Errorf("%s, %s: %s: %s", tc.name, kind, f.Rule, f.Headline)
					continue
				}
				if found++; f.Confidence != tc.sure || !strings.Contains(f.Headline.String(), tc.says) {
					t.Errorf("%s, %s: %s: %s", tc.name, kind, f.Confidence, f.Headline)
				}
			}
			if want := min(len(tc.rule), 1); found != want {
				t.Errorf("%s, %s: %d findings, want %d", tc.name, kind, found, want)
			}
		}
	}
}

// Interfaces and filesystems that appear while Prometheus asks leave no time out.
func TestComesAndGoes(t *testing.T) {
	veth := `{"metric":{"__name__":"node_network_receive_bytes_total","device":"veth1","instance":"db:9100"},"values":[[1767322845,"1"],[1767322860,"5"]]}`
	about(t, "seconds", text(t, matrix(veth)).Seconds(), 60, 0)
	loads := `{"metric":{"__name__":"node_load1","instance":"db:9100"},"values":[[1767322845,"1"],[1767322860,"5"]]}`
	about(t, "seconds of all", text(t, matrix(loads)).Seconds(), 15, 0)
}

// A collector that fails in one answer leaves its table to the others; what one of them does not
// tell is not known.
func TestCollectorFails(t *testing.T) {
	all := exporterTells(nil)
	first, rest, _ := strings.Cut(all, "# HELP node_time_seconds System time in seconds since epoch (1970).\n# TYPE node_time_seconds gauge\nnode_time_seconds 1767322815\n")
	rest = "node_time_seconds 1767322815\n" + rest
	without := func(text, prefix string) string {
		var b strings.Builder
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(line, prefix) {
				b.WriteString(line)
			}
		}
		return b.String()
	}
	if v := text(t, without(first, "node_filesystem_")+rest); !slices.Contains(judged(v), "disk/full") || len(v.Filesystems()) != 2 {
		t.Errorf("%+v", v.Filesystems())
	}
	if v := text(t, without(first, "node_filesystem_avail_bytes")+rest); slices.Contains(judged(v), "disk/full") {
		t.Error("what is available at first was not told, and disk/full was judged")
	}
}

// fullCPUs is a host with two full CPUs and some runnable tasks, as vmstat -t, mpstat -P ALL and a report of
// pidstat tell of it: lines of a header and of processes, without times.
func fullCPUs(t *testing.T, runnable int, pidstat ...string) verdict.Verdict {
	t.Helper()
	vmstat, mpstat, processes := strings.ReplaceAll(vmstatHead, "-cpu-----", "-cpu----- -----timestamp-----"), sysstatBanner+mpstatHead, sysstatBanner
	for i := range 7 {
		at := fmt.Sprintf("10:00:%02d", i)
		vmstat += fmt.Sprintf("%d 0 0 500000 1000 90000 0 0 0 0 1000 2000 97 3 0 0 0 2026-01-02 %s\n", runnable, at)
		for _, cpu := range []string{"all", "0", "1"} {
			if i > 0 {
				mpstat += at + " " + cpu + " 97.00 0.00 3.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00\n"
			}
		}
		for n, line := range pidstat {
			if (n == 0) == (i == 0) {
				processes += at + " " + line + "\n"
			}
		}
	}
	files := []string{write(t, vmstat), write(t, mpstat)}
	if len(pidstat) > 0 {
		files = append(files, write(t, processes))
	}
	v := view.New(readAll(t, files))
	return verdict.Judge(v, catalogue.For(v.Manifest()))
}

// What a report of processes does not tell takes nothing away that others tell.
func TestFullCPUsBesidePidstat(t *testing.T) {
	const used = "UID PID %usr %system %guest %wait %CPU CPU Command"
	for _, tc := range []struct {
		name     string
		runnable int
		pidstat  []string
		subject  string // of cpu/saturated; "": it finds nothing
	}{
		{"none", 60, nil, "db"},
		{"main threads do not wait", 60, []string{used, "999 812 190.00 5.00 0.00 0.00 195.00 0 mysqld"}, "mysqld"},
		{"only one that does nothing is listed (-p)", 60, []string{used, "0 90 1.00 0.00 0.00 0.00 1.00 1 sshd"}, "db"},
		{"no CPU time is listed (-d)", 60, []string{"UID PID kB_rd/s kB_wr/s kB_ccwr/s iodelay Command", "999 812 4.00 8.00 0.00 0 mysqld"}, "db"},
		{"nor here (-r)", 60, []string{"UID PID minflt/s majflt/s VSZ RSS %MEM Command", "999 812 5.00 0.00 900000 500000 1.50 mysqld"}, "db"},
		{"nobody waits", 3, []string{used, "999 812 190.00 5.00 0.00 0.00 195.00 0 mysqld"}, ""},
	} {
		subject := ""
		for _, f := range fullCPUs(t, tc.runnable, tc.pidstat...).Findings {
			if f.Rule == "cpu/saturated" && f.Confidence == rule.Likely {
				subject = f.Subject.Name
			} else {
				t.Errorf("%s: %s: %s: %s", tc.name, f.Rule, f.Confidence, f.Headline)
			}
		}
		if subject != tc.subject {
			t.Errorf("%s: %q is named, want %q", tc.name, subject, tc.subject)
		}
	}
}

// The delay that pidstat -d tells is that of main threads: others may wait while it tells that of a journal
// alone.
func TestDiskBesidePidstat(t *testing.T) {
	delays := "Linux 6.18.44-fc-v657 (vm) \t11/26/26 \t_x86_64_\t(2 CPU)\n\n14:33:04 UID PID kB_rd/s kB_wr/s kB_ccwr/s iodelay Command\n"
	for s := 5; s <= 15; s++ {
		delays += fmt.Sprintf("14:33:%02[1]d 0 300 0.00 8.00 0.00 40 jbd2/loop0-8\n14:33:%02[1]d 999 812 4.00 0.00 0.00 0 mysqld\n", s)
	}
	v := view.New(readAll(t, []string{"testdata/disk/iostat-xt.txt", "testdata/disk/vmstat-t.txt", write(t, delays)}))
	sure := rule.Confidence(0)
	for _, f := range verdict.Judge(v, catalogue.For(v.Manifest())).Findings {
		if f.Rule == "disk/saturated" {
			sure = f.Confidence
		}
	}
	if sure != rule.Likely {
		t.Errorf("disk/saturated: %v, want %v as without pidstat", sure, rule.Likely)
	}
}

// Partitions are no disks of their own: what they do is seen at their disk. Volumes are none of them.
func TestPartitions(t *testing.T) {
	const loaded = " 200.00 800.00 0.00 0.00 79.00 4.00 0.00 0.00 0.00 0.00 0.00 0.00 15.80 100.00\n"
	for devices, want := range map[string]string{
		"sda sda1 sda10 sdb":        "sda sdb",
		"nvme0n1 nvme0n1p1":         "nvme0n1",
		"xvda1":                     "xvda1",
		"md0 md1 dm-1 loop0":        "dm-1 loop0 md0 md1",
		"sda vg-data vg-data1":      "sda vg-data vg-data1",
		"dev8-0 dev8-1 dev8-16":     "dev8-0 dev8-16",
		"dev8-1 dev253-0 dev253-1":  "dev253-0 dev253-1 dev8-1",
		"dev65-160 dev65-161 dev-1": "dev-1 dev65-160",
	} {
		one := ""
		for _, name := range strings.Fields(devices) {
			one += name + loaded
		}
		v := text(t, sysstatBanner+strings.Repeat(iostatHead+one+"\n", 8))
		var whole []string
		for _, d := range v.BlockDevices() {
			whole = append(whole, d.Device)
		}
		slices.Sort(whole)
		if got := strings.Join(whole, " "); got != want {
			t.Errorf("%s: the disks are %s, want %s", devices, got, want)
		}
		found := 0
		for _, f := range verdict.Judge(v, catalogue.For(v.Manifest())).Findings {
			if f.Rule == "disk/saturated" {
				found++
			}
		}
		if !strings.Contains(want, " ") && found != 1 {
			t.Errorf("%s: %d findings about one disk", devices, found)
		}
	}
}

// sarNetwork is what sar -u ALL -P ALL -n DEV,EDEV,SOFT prints of a host, a report each ten
// minutes.
func sarNetwork(cpu, errors, backlog string) string {
	var b strings.Builder
	b.WriteString("Linux 6.1.0 (db7) \t2026-01-02 \t_x86_64_\t(2 CPU)\n\n")
	section := func(head, line string) {
		if line == "" {
			return
		}
		b.WriteString("02:50:00 " + head + "\n")
		for _, at := range []string{"03:00:00", "03:10:00", "03:20:00", "03:30:00", "03:40:00"} {
			for one := range strings.SplitSeq(line, "\n") {
				b.WriteString(at + " " + one + "\n")
			}
		}
		b.WriteString("\n")
	}
	section("CPU %usr %nice %sys %iowait %steal %irq %soft %guest %gnice %idle", cpu)
	section("IFACE rxpck/s txpck/s rxkB/s txkB/s rxcmp/s txcmp/s rxmcst/s %ifutil", "eth0 2000.00 1000.00 1500.00 800.00 0.00 0.00 0.00 1.00")
	section("IFACE rxerr/s txerr/s coll/s rxdrop/s txdrop/s txcarr/s rxfram/s rxfifo/s txfifo/s", errors)
	section("CPU total/s dropd/s squeezd/s rx_rps/s flw_lim/s", backlog)
	return b.String()
}

func TestSarNetwork(t *testing.T) {
	const (
		cpus    = "all 10.00 0.00 10.00 0.00 0.00 0.00 2.00 0.00 0.00 78.00\n0 10.00 0.00 10.00 0.00 0.00 0.00 2.00 0.00 0.00 78.00\n1 10.00 0.00 10.00 0.00 0.00 0.00 2.00 0.00 0.00 78.00"
		receive = "all 10.00 0.00 10.00 0.00 0.00 0.00 30.00 0.00 0.00 50.00\n0 10.00 0.00 10.00 0.00 0.00 0.00 2.00 0.00 0.00 78.00\n1 10.00 0.00 10.00 0.00 0.00 0.00 58.00 0.00 0.00 22.00"
		good    = "eth0 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00"
		calm    = "all 4000.00 0.00 0.00 0.00 0.00\n0 2000.00 0.00 0.00 0.00 0.00\n1 2000.00 0.00 0.00 0.00 0.00"
		tight   = "all 4000.00 0.00 200.00 0.00 0.00\n0 2000.00 0.00 0.00 0.00 0.00\n1 2000.00 0.00 200.00 0.00 0.00"
	)
	for _, tc := range []struct {
		name, text string
		rule       string // that finds something; "": none
		sure       rule.Confidence
		unknown    string // a rule that is not judged
	}{
		{"healthy", sarNetwork(cpus, good, calm), "", 0, "net/packet-loss"},
		{"damaged frames", sarNetwork(cpus, "eth0 50.00 0.00 0.00 0.00 0.00 0.00 50.00 0.00 0.00", calm), "net/nic-drops", rule.Possible, ""},
		{"a receive ring", sarNetwork(cpus, "eth0 50.00 0.00 0.00 0.00 0.00 0.00 0.00 50.00 0.00", calm), "net/nic-drops", rule.Possible, ""},
		{"a backlog", sarNetwork(cpus, good, "all 4000.00 100.00 0.00 0.00 0.00\n0 2000.00 0.00 0.00 0.00 0.00\n1 2000.00 100.00 0.00 0.00 0.00"), "net/softnet", rule.Certain, ""},
		{"rounds with packets left", sarNetwork(receive, good, tight), "net/softnet", rule.Possible, ""},
		{"and time for them", sarNetwork(cpus, good, tight), "", 0, ""},
		{"or nobody says", sarNetwork("", good, tight), "", 0, "net/softnet"},
		{"of all CPUs together", sarNetwork(cpus, good, "all 4000.00 100.00 0.00 0.00 0.00"), "", 0, "net/softnet"},
		{"without errors of interfaces", sarNetwork(cpus, "", calm), "", 0, "net/nic-drops"},
	} {
		v := text(t, tc.text)
		out := verdict.Judge(v, catalogue.For(v.Manifest()))
		found := false
		for _, f := range out.Findings {
			if found = f.Rule == tc.rule; !found || f.Confidence != tc.sure {
				t.Errorf("%s: %s: %s: %s", tc.name, f.Rule, f.Confidence, f.Headline)
			}
		}
		if found != (tc.rule != "") {
			t.Errorf("%s: %s found: %v", tc.name, tc.rule, found)
		}
		if tc.unknown != "" && !notJudged(out, tc.unknown) {
			t.Errorf("%s: %s was judged", tc.name, tc.unknown)
		}
	}
	v := text(t, sarNetwork(cpus, "eth0 50.00 0.00 0.00 1.00 0.00 0.00 0.00 0.00 0.00", calm))
	all := v.Interfaces()
	if len(all) != 1 || all[0].RxPackets != 2000 || all[0].Errors != 50*3000 || all[0].Dropped != 3000 {
		t.Errorf("DEV and EDEV are of the same interface: %+v", all)
	}
}
