package buffers

import (
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe/event/eventtest"
	"rtrail/internal/recording"
)

// Types are laid out as in bpf/buffers.c.
func TestLayout(t *testing.T) {
	if k, s := unsafe.Sizeof(key{}), unsafe.Sizeof(sum{}); k != 64 || s != 56 {
		t.Errorf("keys have %d bytes, sums %d", k, s)
	}
}

// rowsOf are the rows of this thread's namespace.
func rowsOf(t *testing.T, rec *recording.Recording) (rows []recording.ReceiveBuffer) {
	var own unix.Stat_t
	if err := unix.Stat("/proc/thread-self/ns/net", &own); err != nil {
		t.Error(err)
	}
	for _, r := range recording.Rows[recording.ReceiveBuffer](rec) {
		if r.NetNS == own.Ino {
			rows = append(rows, r)
		}
	}
	return rows
}

// told tells of a socket its inode, the size of its buffer, and what it dropped.
func told(t *testing.T, fd int) (inode uint64, buffer, drops int64) {
	var s unix.Stat_t
	if err := unix.Fstat(fd, &s); err != nil {
		t.Error(err)
	}
	var info [9]uint32 // SK_MEMINFO_VARS
	size := uint32(unsafe.Sizeof(info))
	if _, _, e := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(fd), unix.SOL_SOCKET, unix.SO_MEMINFO, uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0); e != 0 {
		t.Error(e)
	}
	return s.Ino, int64(info[unix.SK_MEMINFO_RCVBUF]), int64(info[unix.SK_MEMINFO_DROPS])
}

// toldOf is told of a connection.
func toldOf(t *testing.T, c syscall.Conn) (inode uint64, buffer, drops int64) {
	raw, err := c.SyscallConn()
	if err != nil {
		t.Error(err)
		return
	}
	_ = raw.Control(func(fd uintptr) { inode, buffer, drops = told(t, int(fd)) })
	return inode, buffer, drops
}

// Datagrams that find a buffer full are exactly those that the socket and its namespace
// count, and have the size of the buffer beside them.
func TestDatagrams(t *testing.T) {
	eventtest.InNamespace(t, func(t *testing.T) {
		for _, c := range []struct{ network, address, counter string }{{"udp4", "127.0.0.1:0", "UdpRcvbufErrors"}, {"udp6", "[::1]:0", "Udp6RcvbufErrors"}} {
			const sent, size = 400, 100
			full, err := net.ListenPacket(c.network, c.address)
			if err != nil {
				t.Error(err)
				continue
			}
			defer full.Close()
			udp := full.(*net.UDPConn)
			_ = udp.SetReadBuffer(8192)
			before := eventtest.NetCounters(t)
			rec := eventtest.Watch(t, New(), func() {
				to, err := net.Dial(c.network, full.LocalAddr().String())
				if err != nil {
					t.Error(err)
					return
				}
				defer to.Close()
				for range sent {
					_, _ = to.Write(make([]byte, size))
				}
			})
			grown := eventtest.NetCounters(t)[c.counter] - before[c.counter]
			inode, buffer, drops := toldOf(t, udp)
			rows := rowsOf(t, rec)
			if len(rows) != 1 {
				t.Errorf("%s: %d rows: %+v", c.network, len(rows), rows)
				continue
			}
			r := rows[0]
			if r.Kind != recording.BufferFull || r.Times != drops || r.Times != grown || drops == 0 || r.Inode != inode || r.Buffer != buffer || r.Largest != buffer ||
				!r.Set || r.Protocol != "udp" || r.Bytes != size*drops || r.PID != 0 || r.Limit != 0 || int(r.LocalPort) != udp.LocalAddr().(*net.UDPAddr).Port {
				t.Errorf("the socket dropped %d, its namespace %d, its buffer has %d: %+v", drops, grown, buffer, r)
			}
		}
	})
}

// Messages that find the buffer of a ping socket full are those that it drops.
func TestPing(t *testing.T) {
	eventtest.InNamespace(t, func(t *testing.T) {
		// It is for the namespace of the thread.
		if err := os.WriteFile("/proc/sys/net/ipv4/ping_group_range", []byte("0 0"), 0); err != nil {
			t.Error(err)
			return
		}
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, unix.IPPROTO_ICMP)
		if err != nil {
			t.Error(err)
			return
		}
		ping := os.NewFile(uintptr(fd), "ping")
		defer ping.Close()
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, 4096)
		rec := eventtest.Watch(t, New(), func() {
			for range 100 {
				if err := unix.Sendto(fd, append([]byte{8, 0, 0, 0, 0, 0, 0, 1}, make([]byte, 50)...), 0, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
					t.Error(err)
					return
				}
			}
		})
		inode, buffer, drops := told(t, fd)
		rows := rowsOf(t, rec)
		if len(rows) != 1 || drops == 0 {
			t.Errorf("it dropped %d: %+v", drops, rows)
			return
		}
		if r := rows[0]; r.Kind != recording.BufferFull || r.Protocol != "icmp" || r.Inode != inode || r.Times != drops || r.Buffer != buffer || !r.Set {
			t.Errorf("it dropped %d, its buffer has %d: %+v", drops, buffer, r)
		}
	})
}

// connected is a TCP connection over loopback: the end that sends and the one that receives.
func connected(t *testing.T) (sends, receives *net.TCPConn) {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Error(err)
		return nil, nil
	}
	defer l.Close()
	c, err := net.Dial("tcp4", l.Addr().String())
	if err != nil {
		t.Error(err)
		return nil, nil
	}
	a, err := l.Accept()
	if err != nil {
		t.Error(err)
		return nil, nil
	}
	return c.(*net.TCPConn), a.(*net.TCPConn)
}

// Segments that a receiver has no room for are exactly those that its namespace counts.
func TestSegments(t *testing.T) {
	eventtest.InNamespace(t, func(t *testing.T) {
		before := eventtest.NetCounters(t)
		inodes := map[uint64]int64{}
		rec := eventtest.Watch(t, New(), func() {
			for range 5 {
				sends, receives := connected(t)
				if sends == nil {
					return
				}
				defer sends.Close()
				defer receives.Close()
				_ = receives.SetReadBuffer(4096)
				inode, buffer, _ := toldOf(t, receives)
				inodes[inode] = buffer
				_ = sends.SetWriteDeadline(time.Now().Add(300 * time.Millisecond))
				for {
					if _, err := sends.Write(make([]byte, 10)); err != nil {
						break
					}
				}
			}
		})
		after := eventtest.NetCounters(t)
		grown := func(name string) int64 { return after["TcpExt"+name] - before["TcpExt"+name] }
		got := map[string]int64{}
		for _, r := range rowsOf(t, rec) {
			got[r.Kind] += r.Times
			if r.Protocol != "tcp" || inodes[r.Inode] != r.Buffer || !r.Set || r.Limit != 0 || r.Bytes == 0 || r.LocalPort == 0 || r.RemotePort == 0 {
				t.Errorf("%+v", r)
			}
		}
		if want := grown("TCPRcvQDrop") + grown("TCPOFODrop"); got[recording.BufferFull] != want || want == 0 {
			t.Errorf("%d segments without room, the kernel counts %d", got[recording.BufferFull], want)
		}
		if want := grown("TCPZeroWindowDrop"); got[recording.BufferZeroWindow] != want {
			t.Errorf("%d segments for a window of zero, the kernel counts %d", got[recording.BufferZeroWindow], want)
		}
	})
}

// A buffer of TCP grows while its reader takes more, up to tcp_rmem, and not where the
// program has set its size.
func TestGrowth(t *testing.T) {
	eventtest.InNamespace(t, func(t *testing.T) {
		limited := func(limit int) {
			if err := os.WriteFile("/proc/sys/net/ipv4/tcp_rmem", fmt.Appendf(nil, "4096 16384 %d", limit), 0); err != nil {
				t.Error(err)
			}
		}
		const large, small, set = 32 << 20, 16384, 16384
		ports := map[uint16]string{}
		atLimit := func(r *recording.ReceiveBuffer, limit int64, meant string) bool {
			return r.Buffer == limit && r.Limit == limit && ports[r.LocalPort] == meant
		}
		do := func() {
			for _, c := range []struct {
				kind       string
				limit, set int
			}{{recording.BufferGrew, large, 0}, {recording.BufferAtLimit, small, 0}, {recording.BufferFixed, large, set}} {
				limited(c.limit)
				ports[transfer(t, c.set)] = c.kind
			}
		}
		for _, s := range []*Source{Growing(), New()} {
			clear(ports)
			seen := map[string]bool{}
			for _, r := range rowsOf(t, eventtest.Watch(t, s, do)) {
				seen[r.Kind] = true
				if r.PID != int32(os.Getpid()) || r.Process == "" || r.Times == 0 || r.Inode == 0 || r.Largest < r.Buffer ||
					r.Kind == recording.BufferGrew && (r.Buffer >= r.Limit || r.Set) ||
					r.Kind == recording.BufferAtLimit && !atLimit(&r, small, recording.BufferAtLimit) && !atLimit(&r, large, recording.BufferGrew) || // the latter of a reader without a CPU
					r.Kind == recording.BufferFixed && (r.Buffer != 2*set || !r.Set || r.Limit != 0 || ports[r.LocalPort] != r.Kind) {
					t.Errorf("%+v", r)
				}
			}
			if !seen[recording.BufferAtLimit] || !seen[recording.BufferFixed] || seen[recording.BufferGrew] != s.growth {
				t.Errorf("growth %v: %v", s.growth, seen)
			}
		}
	})
}

// transfer sends for a moment to a reader whose buffer may be set, and returns its port.
func transfer(t *testing.T, set int) uint16 {
	sends, receives := connected(t)
	if sends == nil {
		return 0
	}
	defer receives.Close()
	if set > 0 {
		_ = receives.SetReadBuffer(set)
	}
	go func() {
		defer sends.Close()
		_ = sends.SetWriteDeadline(time.Now().Add(300 * time.Millisecond))
		for {
			if _, err := sends.Write(make([]byte, 1<<20)); err != nil {
				return
			}
		}
	}()
	_, _ = io.Copy(io.Discard, receives)
	return uint16(receives.LocalAddr().(*net.TCPAddr).Port)
}
