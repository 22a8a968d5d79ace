package socket

import (
	"encoding/binary"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/recording"
)

// Layout of struct inet_diag_msg (include/uapi/linux/inet_diag.h).
const (
	diagFamily     = 0
	diagState      = 1
	diagRetrans    = 3
	diagSourcePort = 4
	diagDestPort   = 6
	diagSource     = 8
	diagDest       = 24
	diagReceive    = 56
	diagSend       = 60
	diagInode      = 68
	diagSize       = 72
)

// Attributes that follow it.
const (
	attrInfo   = 2 // INET_DIAG_INFO, struct tcp_info
	attrMemory = 7 // INET_DIAG_SKMEMINFO, an array of uint32
)

// Indices in INET_DIAG_SKMEMINFO (include/uapi/linux/sock_diag.h).
const (
	memRmemAlloc = 0
	memRcvBuf    = 1
	memDrops     = 8
)

const (
	afInet  = 2
	afInet6 = 10
)

// reader turns messages of sock_diag into rows. It remembers addresses, of
// which a server with many connections has few, and names of queueing disciplines.
type reader struct {
	addresses map[[16]byte]string
	v4        map[[4]byte]string
	names     map[string]string
}

func newReader() *reader {
	return &reader{addresses: map[[16]byte]string{}, v4: map[[4]byte]string{}, names: map[string]string{}}
}

// maxAddresses bounds what a reader remembers: a flood from forged addresses
// has millions.
const maxAddresses = 16384

func (r *reader) address(family byte, b []byte) string {
	var four [4]byte
	switch family {
	case afInet:
		four = [4]byte(b)
	case afInet6:
		a := [16]byte(b)
		mapped := netip.AddrFrom16(a)
		if !mapped.Is4In6() {
			if s, ok := r.addresses[a]; ok {
				return s
			}
			if len(r.addresses) >= maxAddresses {
				clear(r.addresses)
			}
			s := mapped.String()
			r.addresses[a] = s
			return s
		}
		four = mapped.As4()
	default:
		return ""
	}
	if s, ok := r.v4[four]; ok {
		return s
	}
	if len(r.v4) >= maxAddresses {
		clear(r.v4)
	}
	s := netip.AddrFrom4(four).String()
	r.v4[four] = s
	return s
}

func (r *reader) name(b []byte) string {
	for len(b) > 0 && b[len(b)-1] == 0 {
		b = b[:len(b)-1]
	}
	if s, ok := r.names[string(b)]; ok {
		return s
	}
	if len(r.names) >= 64 {
		clear(r.names)
	}
	s := string(b)
	r.names[s] = s
	return s
}

// tcp parses one TCP socket. ok is false when the message is too short or of
// another family. Listeners come back with state TCPListen; listener turns
// them into their own row.
func (r *reader) tcp(b []byte, row *recording.TCPSample) (ok bool) {
	if len(b) < diagSize || (b[diagFamily] != afInet && b[diagFamily] != afInet6) {
		return false
	}
	row.Local = r.address(b[diagFamily], b[diagSource:diagSource+16])
	row.Remote = r.address(b[diagFamily], b[diagDest:diagDest+16])
	row.LocalPort = binary.BigEndian.Uint16(b[diagSourcePort:])
	row.RemotePort = binary.BigEndian.Uint16(b[diagDestPort:])
	row.State = recording.TCPState(b[diagState])
	row.Retransmits = b[diagRetrans]
	row.RecvQueue = binary.NativeEndian.Uint32(b[diagReceive:])
	row.SendQueue = binary.NativeEndian.Uint32(b[diagSend:])
	row.Inode = uint64(binary.NativeEndian.Uint32(b[diagInode:]))
	eachAttribute(b[diagSize:], func(kind uint16, data []byte) {
		switch kind {
		case attrInfo:
			row.Info = true
			parseTCPInfo(data, row)
		case attrMemory:
			row.RmemAlloc = memory(data, memRmemAlloc)
			row.RcvBuf = memory(data, memRcvBuf)
			row.Drops = memory(data, memDrops)
		}
	})
	return true
}

// udp parses one UDP socket.
func (r *reader) udp(b []byte, row *recording.UDPSample) (ok bool) {
	var s recording.TCPSample
	if !r.tcp(b, &s) {
		return false
	}
	row.Local, row.LocalPort, row.Remote, row.RemotePort = s.Local, s.LocalPort, s.Remote, s.RemotePort
	row.Inode, row.RecvQueue, row.RcvBuf, row.Drops = s.Inode, s.RecvQueue, s.RcvBuf, s.Drops
	return true
}

// listener turns a socket in state LISTEN into its row: its queues hold
// connections, not bytes.
func listener(s *recording.TCPSample) recording.ListenerSample {
	return recording.ListenerSample{
		At: s.At, NetNS: s.NetNS, Local: s.Local, Port: s.LocalPort, Inode: s.Inode,
		Queue: s.RecvQueue, Backlog: s.SendQueue, Drops: s.Drops,
	}
}

// eachAttribute walks netlink attributes. It stops at the first one that does
// not fit.
func eachAttribute(b []byte, visit func(kind uint16, data []byte)) {
	const (
		header = 4
		flags  = unix.NLA_F_NESTED | unix.NLA_F_NET_BYTEORDER
	)
	for len(b) >= header {
		size := int(binary.NativeEndian.Uint16(b))
		if size < header || size > len(b) {
			return
		}
		visit(binary.NativeEndian.Uint16(b[2:])&^flags, b[header:size])
		b = b[min((size+3)&^3, len(b)):]
	}
}

func memory(b []byte, index int) uint32 {
	if len(b) < index*4+4 {
		return 0
	}
	return binary.NativeEndian.Uint32(b[index*4:])
}

// tcpInfo is struct tcp_info (include/uapi/linux/tcp.h). It grew over time:
// members that the kernel does not send are 0.
type tcpInfo []byte

func (i tcpInfo) u8(at int) uint8 {
	if len(i) < at+1 {
		return 0
	}
	return i[at]
}

func (i tcpInfo) u32(at int) uint32 {
	if len(i) < at+4 {
		return 0
	}
	return binary.NativeEndian.Uint32(i[at:])
}

func (i tcpInfo) u64(at int) uint64 {
	if len(i) < at+8 {
		return 0
	}
	return binary.NativeEndian.Uint64(i[at:])
}

func (i tcpInfo) micros(at int) time.Duration { return time.Duration(i.u32(at)) * time.Microsecond }
func (i tcpInfo) millis(at int) time.Duration { return time.Duration(i.u32(at)) * time.Millisecond }

// before is a time as the kernel tells it: by its clock of some milliseconds, so that digits
// below one tell nothing, and cost bytes.
func before(at time.Time, age time.Duration) time.Time {
	return at.Add(-age).Truncate(time.Millisecond)
}

func (i tcpInfo) micros64(at int) time.Duration {
	const most = uint64(1<<63-1) / uint64(time.Microsecond)
	return time.Duration(min(i.u64(at), most)) * time.Microsecond
}

func parseTCPInfo(b []byte, row *recording.TCPSample) {
	i := tcpInfo(b)
	row.Retransmits = i.u8(2)
	row.Backoff = i.u8(4)
	row.RTO = i.micros(8)
	row.MSS = i.u32(16)
	row.Unacked = i.u32(24)
	row.LastSend = before(row.At, i.millis(44))
	row.LastReceive = before(row.At, i.millis(52))
	row.RTT = i.micros(68)
	row.RTTVar = i.micros(72)
	row.Cwnd = i.u32(80)
	row.TotalRetrans = i.u32(100)
	row.BytesAcked = i.u64(120)
	row.BytesReceived = i.u64(128)
	row.SegsOut = i.u32(136)
	row.NotSent = i.u32(144)
	// The kernel starts the minimum at its largest value.
	if i.u32(148) != 1<<32-1 {
		row.MinRTT = i.micros(148)
	}
	row.DataSegsIn = i.u32(152)
	row.DataSegsOut = i.u32(156)
	row.Busy = i.micros64(168)
	row.RwndLimited = i.micros64(176)
	row.SndbufLimited = i.micros64(184)
	row.BytesSent = i.u64(200)
	row.PeerWindow = i.u32(228)
}
