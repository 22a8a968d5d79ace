package explain

import "slices"

// unjudged are words of the field of which no rule and no metric knows anything, with
// what rtrail sees of them all the same, and what to ask instead. A page that only
// mentions such a word would answer another question.
var unjudged = []struct {
	words []string // in lower case; none has synonyms
	text  string
}{
	{[]string{"cpu frequency", "cpufreq", "cpu clock", "frequency scaling", "turbo boost", "p-state", "thermal", "thermal throttling", "overheating"},
		"rtrail reads neither clock rates nor temperatures, only which governor chooses the rate (audit/governor). A CPU that is slowed down looks busier for the same work. `turbostat` and `sensors` show both."},
	{[]string{"ntp", "chrony", "clock skew", "clock drift", "time synchronisation", "time synchronization"},
		"rtrail compares no clocks. A recording notes when the host's clock is set back; `rtrail packets` of a capture from each side estimates how far their clocks are apart. `chronyc tracking` shows the host's own offset."},
	{[]string{"certificate", "certificate expired", "x509"},
		"rtrail decrypts no TLS and checks no certificates. A client that refuses one closes the connection in or after the handshake: net/resets and rt/first-disconnect. `openssl s_client -connect HOST:PORT` shows the certificate."},
	{[]string{"autovacuum", "vacuum", "bloat"},
		"rtrail asks no PostgreSQL server. It decodes its packets (protocol.postgres), and names its processes where they keep a disk or a CPU busy. pg_stat_progress_vacuum shows what vacuum does."},
	{[]string{"semi-sync", "semisync", "semi-synchronous replication", "group replication", "galera"},
		"rtrail judges no replication. Commits that wait for another server show as statements in COMMIT while no disk is slow (`rtrail mysql`); Rpl_semi_sync_master_tx_wait_time and wsrep_flow_control_paused count the waits."},
	{[]string{"query cache"},
		"No rule judges the query cache of MySQL up to 5.7 and of MariaDB. `rtrail mysql audit` checks its settings (variable/query_cache_size); sessions that wait for it are in the state \"Waiting for query cache lock\"."},
	{[]string{"arp", "neighbour table overflow", "neighbor table overflow", "gc_thresh3"},
		"rtrail reads no ARP. A host whose address nobody answers for looks as if it were off: SYNs without an answer, rt/connect-slow. `ip neigh` shows the table; the kernel logs when it overflows."},
	{[]string{"bonding", "bond", "lacp", "vlan"},
		"rtrail knows no bonds and VLANs as such. It judges each interface by itself: net/nic-drops, net/qdisc-drops. /proc/net/bonding shows the state of a bond."},
	{[]string{"asymmetric routing", "rp_filter", "routing loop"},
		"rtrail judges no routes. `rtrail packets` says of how many connections a capture has one direction only; packets that rp_filter throws away count in TcpExtIPReversePathFilter: 1 keeps forged senders out and breaks routes that differ there and back, 2 is less strict. `ip route get ADDRESS` shows the way."},
	{[]string{"stale file handle", "estale"},
		"No rule judges network filesystems that fail. The kernel log has the reason: `dmesg | grep -i stale`."},
	{[]string{"slab", "slab leak", "dentry cache"},
		"No rule judges the kernel's own memory. memory.available leaves out what of it cannot be given back; `slabtop` lists it."},
}

// Unjudged says what rtrail knows of a thing that it does not judge; "" for all others.
func Unjudged(query string) string {
	q := speak(query)
	for _, u := range unjudged {
		if slices.ContainsFunc(u.words, func(w string) bool { return q.means(speak(w)) }) {
			return u.text
		}
	}
	return ""
}
