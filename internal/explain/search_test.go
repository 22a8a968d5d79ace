package explain

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"rtrail/internal/rule/catalogue"
)

func TestSynonymsLeadSomewhere(t *testing.T) {
	entries := Entries(catalogue.Rules)
	for _, p := range phrases() {
		word := p.text
		if word != strings.ToLower(word) {
			t.Errorf("%q is not in lower case: nobody finds it", word)
		}
		if len(p.ids) == 0 {
			t.Errorf("%q leads nowhere", word)
		}
		for _, id := range p.ids {
			if e, ok := Find(entries, id); !ok || e.Kind == Heading {
				t.Errorf("%q leads to %s, which does not exist", word, id)
			}
		}
	}
}

// A word that no page it leads to uses is explained itself, lest a reader wonder
// what one has to do with the other.
func TestSynonymsAreExplained(t *testing.T) {
	entries := Entries(catalogue.Rules)
	for _, p := range phrases() {
		word := p.text
		if Meaning(word) != "" {
			continue
		}
		used := slices.ContainsFunc(p.ids, func(id string) bool {
			e, _ := Find(entries, id)
			text := words(e.ID + " " + e.Title + " " + e.Page)
			return !slices.ContainsFunc(p.words, func(w string) bool { return !slices.Contains(text, w) })
		})
		if !used {
			t.Errorf("%q leads to %v, none of which uses the word: say in meanings.go what it means, and why they answer it", word, p.ids)
		}
	}
	for _, m := range meanings {
		for _, word := range m.words {
			if len(synonyms[word]) == 0 {
				t.Errorf("%q has a meaning and leads nowhere", word)
			}
		}
	}
	for _, word := range []string{"CLOSE_WAIT", "close-wait", "499", "Jitter", "bufferbloat", "hung  task", "replication lag"} {
		if Meaning(word) == "" {
			t.Errorf("%q is not explained", word)
		}
	}
}

// TestSearch wants the page that somebody means who types a word of the field.
func TestSearch(t *testing.T) {
	entries := Entries(catalogue.Rules)
	for best, queries := range map[string][]string{
		// CPU
		"sched.load":                {"load", "LOAD AVERAGE", "load high", "high load", "ldavg-1"},
		"cpu/saturated":             {"cpu", "high cpu", "cpu saturated", "cpu saturation"},
		"cpu.user":                  {"us", "%us", "%usr"},
		"cpu.system":                {"sy", "%sys"},
		"cpu.iowait":                {"wa", "iowait", "high iowait", "%iowait", "io wait"},
		"cpu.steal":                 {"st", "steal time", "%steal", "noisy neighbour"},
		"cpu/steal":                 {"steal"},
		"cpu.idle":                  {"%idle"},
		"cpu/throttled":             {"throttling", "throttled", "cpu limits", "cpu limit", "cfs quota", "CPU throttling", "nr_throttled"},
		"cpu/softirq":               {"ksoftirqd", "softirq", "interrupts"},
		"sched.context-switches":    {"cs"},
		"cpu/context-switches":      {"thundering herd", "context switches", "csw", "cswch"},
		"sched.run-delay":           {"run delay", "runqlat", "run queue latency", "%wait"},
		"cpu/one-thread-limit":      {"single thread", "single-threaded"},
		"cpu/short-lived-processes": {"fork bomb"},
		"mysql.sessions-in-state":   {"queries pile up"},
		"packets.reset-after-idle":  {"keep-alive", "keepalive", "Keep-Alive"},
		"packets.window-limited":    {"window scaling"},
		"interface.drops":           {"rx dropped"},
		"rt/one-slow-backend":       {"HAProxy", "ProxySQL"},
		"rt.stalls":                 {"latency spikes", "freeze", "everything hangs every few minutes", "java heap", "gc", "full gc", "gc pause", "GC pauses", "garbage collection", "stop-the-world"},
		// memory
		"memory.available":      {"mem", "memory", "avail", "RAM", "available"},
		"memory.cached":         {"buff/cache", "page cache"},
		"mem/leak":              {"leak", "memory  leak", "memleak"},
		"mem/oom-kill":          {"oom", "oom killer", "out of memory", "hugepages", "huge pages"},
		"mem/cgroup-oom":        {"OOMKilled", "exit code 137", "137"},
		"mem/swapping":          {"swap", "swapping", "swappiness", "paging"},
		"vmstat.swap-in":        {"si", "pswpin", "si so"},
		"vmstat.swap-out":       {"so"},
		"vmstat.major-faults":   {"majflt", "page faults", "major faults"},
		"memory.direct-reclaim": {"pgscan", "allocstall", "direct reclaim"},
		"mem/reclaim":           {"kswapd", "thrashing"},
		"process.rss":           {"thp", "THP", "transparent hugepages", "res", "rss"},
		"process.virtual-size":  {"virt", "vsz"},
		// disks and files
		"disk/saturated":       {"disk", "iops", "disk i/o", "disk saturated"},
		"disk.await":           {"nvme slow", "await", "r_await", "w_await", "disk latency", "slow disk", "svctm"},
		"disk.utilisation":     {"%util", "util", "utilization"},
		"disk.queue":           {"queue depth", "aqu-sz", "avgqu-sz"},
		"disk/slow-sync":       {"fsync", "fdatasync"},
		"disk/full":            {"full", "disk full", "ENOSPC", "No space left on device"},
		"proc/fd-limit":        {"FIN_WAIT2", "FIN_WAIT_2", "too many open files", "EMFILE", "ulimit", "CLOSE_WAIT", "close-wait", "CloseWait", "close wait"},
		"proc/uninterruptible": {"load average high but cpu idle", "high load, low cpu", "load high, cpu idle", "hung task", "hung_task", "D state", "task blocked for more than 120 seconds", "nfs hang"},
		"proc/zombies":         {"zombies", "zombie", "defunct"},
		"proc/crash-loop":      {"segfault", "CrashLoopBackOff", "core dump"},
		"time.lock":            {"futex"},
		"proc/lock-contention": {"priority inversion", "mutex", "lock contention"},
		"proc/deadlock":        {"proc deadlock"},
		// network
		"net/packet-loss":        {"incast", "packet loss", "loss", "retransmit", "retransmits", "retransmission", "dup ack", "duplicate ACKs", "cwnd", "congestion window"},
		"rt.way":                 {"srtt", "rtt", "round trip time"},
		"tcp.timeouts":           {"rto"},
		"tcp.time-wait":          {"TIMEWAIT", "TIME_WAIT", "time-wait", "time wait"},
		"net/receiver-slow":      {"zero window", "ZeroWindow", "zero windows", "window full", "rwnd"},
		"packets.standing-queue": {"bufferbloat"},
		"rt.quantiles":           {"jitter", "latency", "p99", "tail latency"},
		"net/accept-queue-full":  {"backlog", "somaxconn", "ListenOverflows", "listen queue", "accept queue full"},
		"net/syn-flood":          {"syn flood", "syncookies"},
		"net/resets":             {"RST storm", "connection reset by peer", "connection reset", "ECONNRESET", "RST"},
		"packets.refused":        {"cannot connect", "connection refused", "ECONNREFUSED"},
		"net/ephemeral-ports":    {"port exhaustion", "EADDRNOTAVAIL", "cannot assign requested address"},
		"net/conntrack-full":     {"nf_conntrack", "nf_conntrack: table full, dropping packet", "kernel: nf_conntrack: table full, dropping packet"},
		"net/delayed-ack":        {"nagle", "40ms", "40 ms", "delayed ack", "TCP_NODELAY"},
		"net/mtu-mismatch":       {"PMTUD", "mtu", "path mtu", "black hole"},
		"net/dns-slow":           {"dns", "slow dns"},
		"net/rate-limited":       {"bandwidth", "shaping", "policing"},
		"rt/connect-slow":        {"ETIMEDOUT", "connect timeout", "connection timed out"},
		"net/softnet":            {"time_squeeze", "netdev_max_backlog"},
		"net/nic-drops":          {"ring buffer"},
		// response times
		"rt/first-disconnect": {"499", "broken pipe", "EPIPE", "2006", "2013", "gone away", "MySQL server has gone away", "ERROR 2006 (HY000): MySQL server has gone away", "Lost connection to MySQL server during query"},
		"rt/errors":           {"502", "502 bad gateway", "bad gateway", "503", "503 Service Unavailable"},
		"rt/server-slow":      {"504", "504 gateway timeout", "gateway timeout", "read timed out", "net/http: context deadline exceeded"},
		"rt.serve":            {"ttfb"},
		"rt/chatty":           {"n+1", "round trips"},
		"rt/worker-queueing":  {"worker pool", "bimodal", "connection pool"},
		"rt/head-of-line":     {"head of line blocking", "HOL blocking"},
		// MySQL
		"mysql/row-lock-wait":         {"1205", "1213", "ERROR 1205 (HY000)", "lock wait timeout", "Lock wait timeout exceeded", "Lock wait timeout exceeded; try restarting transaction", "Deadlock found", "Deadlock found when trying to get lock", "row lock", "lock wait"},
		"mysql/metadata-lock":         {"mdl", "metadata lock", "Waiting for table metadata lock"},
		"mysql/connections-exhausted": {"too many connections", "1040", "max_connections", "ERROR 1040 (HY000): Too many connections"},
		"mysql/slow-statements":       {"slow query", "slow queries", "slow query log"},
		"mysql/long-transaction":      {"replication lag", "replica lag", "Seconds_Behind_Master", "idle in transaction"},
		"mysql/purge-lag":             {"history list length", "undo"},
		"mysql/full-scan":             {"full table scan", "missing index", "table scan"},
		"mysql/not-answering":         {"app cannot connect to database", "2003", "Can't connect to MySQL server on '10.0.0.2'"},
		"mysql/buffer-pool-small":     {"buffer pool", "innodb_buffer_pool_size"},
		// columns
		"resent": {"resent"}, "hit%": {"hit%"}, "rlw": {"rlw"},
	} {
		for _, query := range queries {
			list, _ := Search(entries, query)
			switch {
			case len(list) == 0:
				t.Errorf("%q finds nothing, want %s", query, best)
			case list[0].ID != best:
				var first []string
				for _, e := range list[:min(len(list), 4)] {
					first = append(first, e.ID)
				}
				t.Errorf("%q opens %v, want %s", query, first, best)
			}
		}
	}
	for _, query := range []string{"xyzzy", "los", "ack queue nonsenseword"} {
		if list, _ := Search(entries, query); len(list) > 0 {
			t.Errorf("%q finds %s and %d others", query, list[0].ID, len(list)-1)
		}
	}
}

// A page that only mentions what is searched for does not open.
func TestMentions(t *testing.T) {
	entries := Entries(catalogue.Rules)
	for _, query := range []string{"Stale", "backup or compaction"} {
		if list, mention := Search(entries, query); len(list) > 0 || len(mention) == 0 {
			t.Errorf("%q opens %v, is mentioned by %v", query, list, len(mention))
		}
	}
}

// What no rule judges has an answer that says so, and no synonym that leads elsewhere.
func TestUnjudged(t *testing.T) {
	entries := Entries(catalogue.Rules)
	for _, u := range unjudged {
		for _, w := range u.words {
			if w != strings.ToLower(w) || Known(w) {
				t.Errorf("%q is not in lower case, or a synonym as well", w)
			}
			if _, ok := Find(entries, w); ok {
				t.Errorf("%q is an entry of its own", w)
			}
		}
		for _, id := range regexp.MustCompile(`\b[a-z]+[/.][a-z-]+\b`).FindAllString(u.text, -1) {
			if _, ok := Find(entries, id); !ok && !strings.HasPrefix(id, "proc/net") && id != "proc/vmstat" && id != "i/o" {
				t.Errorf("%s does not exist: %s", id, u.text)
			}
		}
	}
	for _, query := range []string{"NTP", "clock skew", "cpu frequency", "thermal", "certificate", "semi-sync", "autovacuum", "ARP", "bonding", "VLAN", "asymmetric routing", "query cache", "stale file handle", "slab"} {
		if Unjudged(query) == "" {
			t.Errorf("%q has no answer", query)
		}
	}
	if text := Unjudged("mysql"); text != "" {
		t.Errorf("mysql: %s", text)
	}
}

func TestSearchFindsEachOnce(t *testing.T) {
	entries := Entries(catalogue.Rules)
	for _, word := range []string{"loss", "swap", "thread pool", "close_wait"} {
		seen := map[string]bool{}
		for _, e := range first(Search(entries, word)) {
			if seen[e.ID] {
				t.Errorf("%q finds %s twice", word, e.ID)
			}
			seen[e.ID] = true
		}
	}
}

func first(list, _ []Entry) []Entry { return list }
