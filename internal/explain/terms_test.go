package explain

import (
	"slices"
	"strings"
	"testing"

	"rtrail/internal/mysqlview/audit"
	"rtrail/internal/rule/catalogue"
	"rtrail/internal/stack/signatures"
)

// A word that is there twice, in whatever way it is written, has two answers.
func TestTermsAreThereOnce(t *testing.T) {
	seen := map[string]string{}
	for word := range synonyms {
		seen[speak(word).joined] = word
	}
	for _, term := range terms {
		if strings.TrimSpace(term.text) == "" {
			t.Errorf("%v has no meaning", term.words)
		}
		for _, word := range term.words {
			j := speak(word).joined
			if j == "" {
				t.Errorf("%q has no letters", word)
			}
			if before, twice := seen[j]; twice {
				t.Errorf("%q and %q are the same word", before, word)
			}
			seen[j] = word
		}
	}
}

// TestSymptoms wants, for a word of each kind that people know (a column, a file, a tool, a
// change, a message, a code, a frame of a profile), the page that it opens, and in the
// answer: what it means, the rule that looks at it, the command that shows it, the change
// and its price.
func TestSymptoms(t *testing.T) {
	entries := Entries(catalogue.Rules)
	for _, c := range []struct {
		query, id string
		holds     []string
	}{
		// CPU: columns, files, tools, profiles, changes
		{"%wa", "cpu.iowait", []string{"block I/O", "vmstat 1", "disk/saturated"}},
		{"r", "sched.running", []string{"number of CPUs", "vmstat 1", "cpu/saturated"}},
		{"%guest", "cpu.user", []string{"do not add it", "mpstat 1", "cpu/saturated"}},
		{"nvcswch/s", "process.context-switches", []string{"pidstat -w", "cpu/context-switches"}},
		{"/proc/softirqs", "softirq.rate", []string{"NET_RX", "cpu/softirq"}},
		{"rescheduling interrupts", "sched.interrupts", []string{"RES", "/proc/interrupts"}},
		{"mpstat", "tool/mpstat", []string{"%soft", "cpu.steal"}},
		{"perf", "tool/perf", []string{"--symfs", "swapper", "perf stat"}},
		{"%hi", "sched.interrupts", []string{"interrupt handlers", "/proc/"}},
		{"%si", "cpu.softirq", []string{"softirqs, in percent", "cpu/softirq"}},
		{"%ni", "cpu.user", []string{"nice value above 0"}},
		{"%id", "cpu.idle", []string{"nothing to run"}},
		{"AnonPages", "process.anon", []string{"heaps and stacks", "mem/leak"}},
		{"KernelStack", "process.threads", []string{"many threads", "/proc/PID/stat"}},
		{"HugePages_Total", "change/huge-pages", []string{"set aside", "Price"}},
		{"Inactive", "mem/reclaim", []string{"lists of pages"}},
		{"110", "rt/connect-slow", []string{"nothing came back"}},
		{"address already in use", "tool/ss", []string{"SO_REUSEADDR", "ss -ltnp"}},
		{"OutOfMemoryError", "audit/jvm-heap", []string{"no heap left"}},
		{"fatrace", "tool/fatrace", []string{"rtrail trace files", "disk/log-flood"}},
		{"collectl", "tool/collectl", []string{"rtrail replay"}},
		{"nmon", "tool/nmon", []string{"rtrail record"}},
		{"glances", "tool/glances", []string{"cpu/saturated"}},
		{"bpftool", "tool/bpftool", []string{"run_cnt"}},
		{"sosreport", "tool/sosreport", []string{"rtrail diagnose sosreport"}},
		{"bpftrace", "tool/bpftrace", []string{"bpftrace -e", "rtrail trace"}},
		{"flame graph", "cpu/hot-function", []string{"Width"}},
		{"inet_hash_connect", "net/ephemeral-ports", []string{"TIME_WAIT", "change/reuse-time-wait", "Price"}},
		{"reap children", "change/reap-children", []string{"waitpid", "proc/zombies", "## Price"}},
		{"zombies", "proc/zombies", []string{"change/reap-children", "Price"}},
		// memory
		{"%commit", "memory.committed", []string{"memory and swap together", "None: it is there for people"}},
		{"kbswpcad", "swap.used", []string{"can be dropped"}},
		{"pgscand/s", "mem/reclaim", []string{"had to wait"}},
		{"slabtop", "tool/slabtop", []string{"SReclaimable", "OBJS", "mem/reclaim"}},
		{"buddyinfo", "mem/fragmentation", []string{"left to right", "memory.compactions"}},
		{"READ_HIT%", "tool/cachetop", []string{"about 50 %"}},
		{"PSS", "process.rss", []string{"^Pss:", "mem/leak"}},
		{"watermarks", "mem/reclaim", []string{"min, low and high"}},
		{"oom_score", "mem/oom-kill", []string{"CPU time plays no part", "change/oom-score", "Price"}},
		{"oom_adj", "change/oom-score", []string{"-17"}},
		{"Memory cgroup out of memory", "mem/cgroup-oom", []string{"change/memory-limit", "Price"}},
		{"fewer allocations", "change/fewer-allocations", []string{"## Price"}},
		// disks and files
		{"slat", "tool/fio", []string{"iodepth", "submit"}},
		{"wrqm/s", "disk.request-size", []string{"joined", "iostat -dx 1", "disk/saturated"}},
		{"IO%", "process.disk-wait", []string{"task_delayacct", "pidstat -d 1"}},
		{"biosnoop", "tool/biosnoop", []string{"rtrail trace block"}},
		{"iotop", "tool/iotop", []string{"Actual"}},
		{"cfq", "change/io-scheduler", []string{"## Price"}},
		{"data=writeback", "change/journal-mode", []string{"old contents", "## Price"}},
		{"df -i", "tool/df", []string{"inodes"}},
		// network: columns, counters of netstat -s, files, settings, messages
		{"rxkB/s", "interface.bytes", []string{"in bits"}},
		{"retrans/s", "tcp.retransmission-rate", []string{"net/packet-loss"}},
		{"atmptf/s", "TcpAttemptFails", []string{"rt/connect-slow"}},
		{"ListenDrops", "tcp.listen-drops", []string{"net/syn-queue-full", "nstat"}},
		{"SYNs to LISTEN sockets dropped", "tcp.listen-drops", []string{"ListenOverflows included"}},
		{"times the listen queue of a socket overflowed", "tcp.listen-overflows", []string{"net/accept-queue-full"}},
		{"passive connections rejected because of time stamp", "tcp.paws-drops", []string{"net/paws-drops"}},
		{"overruns", "net/nic-drops", []string{"change/ring-size", "Price"}},
		{"ethtool", "tool/ethtool", []string{"Duplex", "-g ring sizes"}},
		{"tc", "tool/tc", []string{"netem", "overlimits"}},
		{"TCPReqQFullDrop", "TcpExtTCPReqQFullDrop", []string{"net/syn-queue-full", "nstat -az TcpExtTCPReqQFullDrop"}},
		{"ulimit -n", "proc/fd-limit", []string{"LimitNOFILE", "change/file-limit"}},
		{"conntrack", "tool/conntrack", []string{"-S drops"}},
		{"nf_conntrack_count", "conntrack.count", []string{"net/conntrack-full"}},
		{"iperf3", "tool/iperf3", []string{"-R the other direction"}},
		{"Flags [S]", "tool/tcpdump", []string{"SYN flood"}},
		{"netem", "net/qdisc-drops", []string{"tc -s qdisc"}},
		{"NETFILTER_DROP", "kernel.dropped-packets", []string{"net/firewall-drops"}},
		{"TIME_WAIT", "tcp.time-wait", []string{"net/ephemeral-ports", "ss -s"}},
		{"193 SYN_RECV", "net/syn-queue-full", []string{"three quarters", "change/syn-queue", "Price"}},
		{"no servers could be reached", "net/dns-unreachable", []string{"resolv.conf"}},
		{"TCP_CORK", "change/nodelay", []string{"## Price"}},
		{"txqueuelen", "net/qdisc-drops", []string{"change/queue-discipline", "Price"}},
		{"bbr", "change/congestion-control", []string{"## Price"}},
		{"SYN limit", "change/syn-limit", []string{"## Price", "--hashlimit-above"}},
		// methods
		{"USE method", "cpu/saturated", []string{"saturation", "errors"}},
		{"node_exporter", "tool/prometheus", []string{"--prometheus"}},
		{"failcnt", "cgroup.memory-hits", []string{"mem/cgroup-near-limit"}},
		{"br_handle_frame", "cpu/softirq", []string{"bridge", "change/host-network", "Price"}},
		{"Resource temporarily unavailable", "proc/pid-limit", []string{"Unix socket", "From fork"}},
		{"connect() to unix:/run/php-fpm.sock failed (11: Resource temporarily unavailable)", "net/accept-queue-full", []string{"PHP-FPM"}},
		{"Too many open files", "proc/fd-limit", []string{"change/file-limit", "Price", "/proc/"}},
		{"499", "rt/first-disconnect", []string{"client closed", "rtrail packets"}},
		// response times and pools
		{"tcprstat", "tool/tcprstat", []string{"%95a", "rtrail packets"}},
		{"maxWaitThreadCount", "rt/worker-queueing", []string{"always 0", "change/more-workers", "Price"}},
		{"upstream_connect_time", "rt/one-slow-backend", []string{"stood still"}},
		{"hot shard", "rt/one-slow-backend", []string{"change/even-shards", "Price"}},
		{"Application was streaming results when the connection failed", "rt/first-disconnect", []string{"a guess"}},
		{"little's law", "rt.concurrency", []string{"rate × response time"}},
		{"-gcutil", "tool/jstat", []string{"Both near 100"}},
		// MySQL
		{"Opened_tables", "mysql.table-cache-overflows", []string{"Only overflows"}},
		{"1146", "mysql/opening-missing-tables", []string{"not there"}},
		{"1170", "change/add-index", []string{"needs a length", "## Price"}},
		{"possible_keys", "mysql/full-scan", []string{"ALL the whole table", "change/add-index"}},
		{"innodb_io_capacity", "variable/innodb_io_capacity", []string{"## What a change costs", "rtrail mysql audit"}},
		{"ut_delay", "wait/mysql/innodb-spin", []string{"## What to do"}},
		{"insert_params", "wait/mysql/prepared-padding", []string{"## Frames"}},
		{"stall_limit", "variable/thread_pool_oversubscribe", []string{"10 ms with Oracle"}},
		{"table cache", "change/table-cache", []string{"## Price"}},
		{"blue-green", "change/blue-green", []string{"rtrail bench watch", "## Price"}},
		// packets
		{"packets dropped by kernel", "tool/tcpdump", []string{"larger buffer"}},
		{"tcp.analysis.lost_segment", "packets.loss-side", []string{"the capture lost them"}},
		{"ack_rtt", "rt.handshake", []string{"no round trip"}},
		{"pipelining", "rt.quantiles", []string{"far too short"}},
		{"tshark", "tool/wireshark", []string{"no response times of MySQL"}},
	} {
		list, _ := Search(entries, c.query)
		if len(list) == 0 || list[0].ID != c.id {
			var found []string
			for _, e := range list[:min(len(list), 4)] {
				found = append(found, e.ID)
			}
			t.Errorf("%q opens %v, want %s", c.query, found, c.id)
			continue
		}
		answer := Meaning(c.query) + "\n" + list[0].Page
		for _, want := range c.holds {
			if !strings.Contains(answer, want) {
				t.Errorf("%q: the answer lacks %q:\n%s", c.query, want, answer)
			}
		}
	}
}

// A metric names the rules that look at it, a rule the changes that bear on it.
func TestPagesLeadOn(t *testing.T) {
	entries := Entries(catalogue.Rules)
	judged := 0
	for _, e := range entries {
		if e.Kind == Metric && !strings.Contains(e.Page, "None: it is there for people") {
			judged++
		}
	}
	if judged < 250 {
		t.Errorf("only %d metrics name a rule", judged)
	}
	for _, c := range changes {
		for _, id := range c.see {
			if e, _ := Find(entries, id); e.Kind == Finding && !strings.Contains(e.Page, "- change/"+c.name+": "+c.title+". Price: "+c.price+"\n") {
				t.Errorf("the page of %s does not name change/%s", id, c.name)
			}
		}
	}
}

// Each variable and each known wait has a page that its name finds.
func TestVariablesAndWaits(t *testing.T) {
	entries := Entries(catalogue.Rules)
	for _, s := range audit.Settings() {
		e, ok := Find(entries, "variable/"+s.Name)
		if !ok || !strings.Contains(strings.ToLower(e.Page), strings.ToLower(s.Cost)) {
			t.Errorf("%s has no page, or one without the price of a change:\n%s", s.Name, e.Page)
		}
		list, _ := Search(entries, s.Name)
		if !slices.ContainsFunc(list, func(e Entry) bool { return e.ID == "variable/"+s.Name }) && Unjudged(s.Name) == "" {
			t.Errorf("%q does not find its page", s.Name)
		}
	}
	for _, s := range signatures.Default().All() {
		if e, ok := Find(entries, "wait/"+s.ID); ok == (s.Kind == signatures.Idle) || ok && !strings.Contains(e.Page, s.Act) {
			t.Errorf("wait/%s: %v\n%s", s.ID, ok, e.Page)
		}
	}
}
