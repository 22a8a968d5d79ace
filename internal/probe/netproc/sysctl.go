package netproc

// Sysctls lists the settings below /proc/sys that every network namespace has
// for itself, by their names as sysctl(8) prints them. The directory shows the
// values of the namespace of the thread that reads. A kernel may lack some.
var Sysctls = []string{
	"net.core.somaxconn",
	"net.ipv4.ip_local_port_range",
	"net.ipv4.ip_local_reserved_ports",
	"net.ipv4.tcp_abort_on_overflow",
	"net.ipv4.tcp_fin_timeout",
	"net.ipv4.tcp_max_syn_backlog",
	"net.ipv4.tcp_max_tw_buckets",
	"net.ipv4.tcp_moderate_rcvbuf",
	"net.ipv4.tcp_rmem",
	"net.ipv4.tcp_sack",
	"net.ipv4.tcp_syn_retries",
	"net.ipv4.tcp_synack_retries",
	"net.ipv4.tcp_syncookies",
	"net.ipv4.tcp_timestamps",
	"net.ipv4.tcp_tw_recycle", // until Linux 4.11
	"net.ipv4.tcp_tw_reuse",
	"net.ipv4.tcp_window_scaling",
	"net.ipv4.tcp_wmem",
	"net.netfilter.nf_conntrack_buckets",
	"net.netfilter.nf_conntrack_max",
}
