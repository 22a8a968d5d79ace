package recording

import "time"

// NetDeviceSample holds the counters of one interface, from /proc/net/dev of
// its network namespace and /sys/class/net.
type NetDeviceSample struct {
	At         time.Time `parquet:"at,timestamp(nanosecond)"`
	NetNS      uint64    `parquet:"netns"` // inode of the network namespace
	Interface  string    `parquet:"interface,dict"`
	RxBytes    uint64    `parquet:"rx_bytes"`
	RxPackets  uint64    `parquet:"rx_packets"`
	RxErrors   uint64    `parquet:"rx_errors"`
	RxDropped  uint64    `parquet:"rx_dropped"`
	RxFIFO     uint64    `parquet:"rx_fifo"`
	TxBytes    uint64    `parquet:"tx_bytes"`
	TxPackets  uint64    `parquet:"tx_packets"`
	TxErrors   uint64    `parquet:"tx_errors"`
	TxDropped  uint64    `parquet:"tx_dropped"`
	TxFIFO     uint64    `parquet:"tx_fifo"`
	Collisions uint64    `parquet:"collisions"`
	Carrier    uint64    `parquet:"carrier"`    // carrier errors
	MTU        int64     `parquet:"mtu_bytes"`  // bytes; 0 when not readable
	SpeedMbps  int64     `parquet:"speed_mbps"` // -1 when the device has none
	Up         bool      `parquet:"up"`
	Physical   bool      `parquet:"physical"`     // a device of a bus is behind it, such as PCI, USB or virtio; false also where that is not known: in other network namespaces
	Master     string    `parquet:"master,dict"`  // bond, bridge or VRF that it is a member of; "": none, or not known
	Kind       string    `parquet:"kind,dict"`    // of virtual interfaces, as `ip -d link` prints it: veth, bridge, vxlan; "other": lo and what is no Ethernet; "": a device, or not known
	Index      int32     `parquet:"ifindex"`      // number in its namespace; 0: not known
	Link       int32     `parquet:"link_ifindex"` // number of the other end of a veth pair, in whatever namespace that is, or of the interface below; 0: none
}

// ProtocolSample is one counter of one network namespace since that namespace
// began, from /proc/net/snmp, netstat, snmp6, sockstat, stat, xfrm_stat, tls_stat and sctp/snmp. Gauges (CurrEstab,
// everything from sockstat) are values of the moment. Netlink Drops is what the sockets in /proc/net/netlink
// lost since the probe's first look.
type ProtocolSample struct {
	At       time.Time `parquet:"at,timestamp(nanosecond)"`
	NetNS    uint64    `parquet:"netns"`
	Protocol string    `parquet:"protocol,dict"` // as nstat prefixes it: Tcp, TcpExt, Udp, IpExt; sockstat: SockTCP, SockUDP
	Name     string    `parquet:"name,dict"`     // ListenOverflows
	Value    int64     `parquet:"value"`
}

// ConntrackSample is connection tracking in one network namespace, from
// /proc/sys/net/netfilter and the per-CPU statistics summed.
type ConntrackSample struct {
	At           time.Time `parquet:"at,timestamp(nanosecond)"`
	NetNS        uint64    `parquet:"netns"`
	Count        int64     `parquet:"count"` // entries right now
	Max          int64     `parquet:"max"`
	Buckets      int64     `parquet:"buckets"`
	Found        uint64    `parquet:"found"` // the rest counts since the namespace began
	Insert       uint64    `parquet:"insert"`
	InsertFailed uint64    `parquet:"insert_failed"`
	Drop         uint64    `parquet:"drop"`       // no entry could be allocated
	EarlyDrop    uint64    `parquet:"early_drop"` // an old entry had to go
	Invalid      uint64    `parquet:"invalid"`
	ChainTooLong uint64    `parquet:"chain_too_long"` // too many entries shared a bucket
}

// FirewallRule is one rule of nftables (iptables-nft included) that can drop
// or reject packets, with its counters since the rule was made.
type FirewallRule struct {
	At      time.Time `parquet:"at,timestamp(nanosecond)"`
	NetNS   uint64    `parquet:"netns"`
	Backend string    `parquet:"backend,dict"` // nft, iptables-nft, iptables-legacy
	Family  string    `parquet:"family,dict"`  // ip, ip6, inet, bridge, netdev, arp
	TableOf string    `parquet:"table,dict"`
	Chain   string    `parquet:"chain,dict"`
	Handle  uint64    `parquet:"handle"`
	Index   int32     `parquet:"index"`        // position in the chain, from 1, all rules counted
	Verdict string    `parquet:"verdict,dict"` // drop, reject
	Match   string    `parquet:"match"`        // the rule in words, as far as understood
	Random  float64   `parquet:"random"`       // probability of a statistic or numgen match, 0: none
	Counted bool      `parquet:"counted"`      // false: the rule has no counter
	Packets uint64    `parquet:"packets"`
	Bytes   uint64    `parquet:"bytes"`
}

// NetNSSample is one network namespace that was found, and how people know it.
type NetNSSample struct {
	At        time.Time `parquet:"at,timestamp(nanosecond)"`
	NetNS     uint64    `parquet:"netns"`
	Name      string    `parquet:"name,dict"` // as `ip netns` lists it; "" without a name
	Own       bool      `parquet:"own"`       // rtrail itself runs in it
	PID       int32     `parquet:"pid"`       // lowest process in it, 0: only a name holds it
	Comm      string    `parquet:"comm,dict"`
	Processes int32     `parquet:"processes"`
}

// TCPState is a state of a TCP connection, numbered as the kernel does
// (include/net/tcp_states.h).
type TCPState uint8

// The states rules ask for.
const (
	TCPEstablished TCPState = 1
	TCPSynSent     TCPState = 2
	TCPSynRecv     TCPState = 3
	TCPFinWait1    TCPState = 4
	TCPFinWait2    TCPState = 5
	TCPTimeWait    TCPState = 6
	TCPClose       TCPState = 7
	TCPCloseWait   TCPState = 8
	TCPLastAck     TCPState = 9
	TCPListen      TCPState = 10
	TCPClosing     TCPState = 11
)

// TCPSample is one connection, from sock_diag with tcp_info and socket memory.
// Counters run since the connection began. Connections in TIME_WAIT and
// SYN_RECV have addresses and state only.
type TCPSample struct {
	At            time.Time     `parquet:"at,timestamp(nanosecond)"`
	NetNS         uint64        `parquet:"netns"`
	Local         string        `parquet:"local,dict"` // address without port; v4-mapped addresses as IPv4
	LocalPort     uint16        `parquet:"local_port"`
	Remote        string        `parquet:"remote,dict"`
	RemotePort    uint16        `parquet:"remote_port"`
	State         TCPState      `parquet:"state"`
	Inode         uint64        `parquet:"inode"`            // joins with SocketOwner; 0: no process holds it
	RecvQueue     uint32        `parquet:"recv_queue_bytes"` // bytes the application has not read
	SendQueue     uint32        `parquet:"send_queue_bytes"` // bytes the peer has not acknowledged
	RTT           time.Duration `parquet:"rtt_ns"`           // smoothed
	RTTVar        time.Duration `parquet:"rtt_var_ns"`
	MinRTT        time.Duration `parquet:"min_rtt_ns"`
	RTO           time.Duration `parquet:"rto_ns"`
	Cwnd          uint32        `parquet:"cwnd"` // segments
	MSS           uint32        `parquet:"mss_bytes"`
	Unacked       uint32        `parquet:"unacked"`     // segments
	Retransmits   uint8         `parquet:"retransmits"` // timeouts in a row right now
	Backoff       uint8         `parquet:"backoff"`
	TotalRetrans  uint32        `parquet:"total_retrans"` // segments
	SegsOut       uint32        `parquet:"segs_out"`
	DataSegsOut   uint32        `parquet:"data_segs_out"`
	DataSegsIn    uint32        `parquet:"data_segs_in"`
	BytesAcked    uint64        `parquet:"bytes_acked"`
	BytesReceived uint64        `parquet:"bytes_received"`
	BytesSent     uint64        `parquet:"bytes_sent"`
	NotSent       uint32        `parquet:"not_sent_bytes"`                      // bytes in the send queue never sent
	LastSend      time.Time     `parquet:"last_send,timestamp(millisecond)"`    // when data was last sent, or the connection began; to a few ms
	LastReceive   time.Time     `parquet:"last_receive,timestamp(millisecond)"` // when data was last received, likewise
	Busy          time.Duration `parquet:"busy_ns"`                             // had data to send
	RwndLimited   time.Duration `parquet:"rwnd_limited_ns"`                     // of Busy: held by the peer's window
	SndbufLimited time.Duration `parquet:"sndbuf_limited_ns"`                   // of Busy: held by the send buffer
	PeerWindow    uint32        `parquet:"peer_window_bytes"`                   // bytes the peer last offered
	RmemAlloc     uint32        `parquet:"rmem_alloc_bytes"`                    // of RcvBuf in use, headers of the kernel included
	RcvBuf        uint32        `parquet:"rcv_buf_bytes"`
	Drops         uint32        `parquet:"drops"` // packets the socket refused
	Info          bool          `parquet:"info"`  // tcp_info was there; otherwise everything from RTT to PeerWindow is 0
}

// ListenerSample is one listening TCP socket, from sock_diag.
type ListenerSample struct {
	At      time.Time `parquet:"at,timestamp(nanosecond)"`
	NetNS   uint64    `parquet:"netns"`
	Local   string    `parquet:"local,dict"` // 0.0.0.0 or :: for all addresses
	Port    uint16    `parquet:"port"`
	Inode   uint64    `parquet:"inode"`
	Queue   uint32    `parquet:"queue"`   // connections that wait for accept(2)
	Backlog uint32    `parquet:"backlog"` // limit of that queue; it refuses when Queue exceeds it
	Drops   uint32    `parquet:"drops"`   // connections or packets refused at this socket
}

// UDPSample is one UDP socket, from sock_diag.
type UDPSample struct {
	At         time.Time `parquet:"at,timestamp(nanosecond)"`
	NetNS      uint64    `parquet:"netns"`
	Local      string    `parquet:"local,dict"`
	LocalPort  uint16    `parquet:"local_port"`
	Remote     string    `parquet:"remote,dict"`
	RemotePort uint16    `parquet:"remote_port"`
	Inode      uint64    `parquet:"inode"`
	RecvQueue  uint32    `parquet:"recv_queue_bytes"`
	RcvBuf     uint32    `parquet:"rcv_buf_bytes"`
	Drops      uint32    `parquet:"drops"`
}

// SocketOwner says that a process holds a socket open, from /proc/PID/fd.
// A socket shared after fork has one row per process.
type SocketOwner struct {
	At    time.Time `parquet:"at,timestamp(nanosecond)"`
	Inode uint64    `parquet:"inode"`
	PID   int32     `parquet:"pid"`
	FD    int32     `parquet:"fd"`
}

// SysctlSample is one kernel setting that a rule or the audit refers to, as text,
// from /proc/sys, /sys or /proc/irq.
type SysctlSample struct {
	At    time.Time `parquet:"at,timestamp(nanosecond)"`
	NetNS uint64    `parquet:"netns"`     // 0 for settings that are not per namespace
	Name  string    `parquet:"name,dict"` // net.core.somaxconn; of settings outside of /proc/sys the path
	Value string    `parquet:"value"`
}

// NameServer is one resolver that programs of a network namespace ask, from resolv.conf(5) as
// a process there sees it, or that systemd-resolved asks for them. A row with asked above 0 is
// about queries that rtrail sent itself.
type NameServer struct {
	At       time.Time     `parquet:"at,timestamp(nanosecond)"`
	NetNS    uint64        `parquet:"netns"`
	Server   string        `parquet:"server,dict"`
	Via      string        `parquet:"via,dict"` // the resolver there that asks it for programs: 127.0.0.53; empty: they ask it themselves
	Default  bool          `parquet:"default"`  // the file names none, so that libraries ask this one
	Asked    int64         `parquet:"asked"`    // queries sent by rtrail; 0 without --probe-dns
	Answered int64         `parquet:"answered"` // of these
	Time     time.Duration `parquet:"time_ns"`  // from the first query to the answer, or until rtrail stopped waiting
}

func (NetDeviceSample) Table() Table { return NetDevices }
func (ProtocolSample) Table() Table  { return Protocol }
func (ConntrackSample) Table() Table { return Conntrack }
func (FirewallRule) Table() Table    { return Firewall }
func (NetNSSample) Table() Table     { return NetNamespace }
func (TCPSample) Table() Table       { return TCPSockets }
func (ListenerSample) Table() Table  { return Listeners }
func (UDPSample) Table() Table       { return UDPSockets }
func (SocketOwner) Table() Table     { return SocketOwners }
func (SysctlSample) Table() Table    { return Sysctls }
func (NameServer) Table() Table      { return NameServers }
