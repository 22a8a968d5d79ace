package tcpping

import (
	"cmp"
	"context"
	"errors"
	"net/netip"
	"os"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// usesTimestamps is TCPI_OPT_TIMESTAMPS of linux/tcp.h.
const usesTimestamps = 1

// Connect connects once, from an address of this host or, if that is invalid, from the one
// that the kernel chooses, and closes the connection at once. It waits for patience.
func Connect(ctx context.Context, source netip.Addr, target netip.AddrPort, patience time.Duration) Try {
	t := Try{At: time.Now(), Kind: Whole, Target: target}
	fd, err := open(source, target)
	if err != nil {
		t.fail(err)
		return t
	}
	t.At = time.Now()
	err = unix.Connect(fd, sockaddr(target))
	socket := os.NewFile(uintptr(fd), "socket") // known to the poller from here on
	defer socket.Close()
	if errors.Is(err, unix.EINPROGRESS) {
		err = wait(ctx, socket, fd, t.At.Add(patience))
	}
	t.Took = time.Since(t.At)
	if a, err := unix.Getsockname(fd); err == nil {
		t.Source = addrOf(a)
	}
	info, known := infoOf(fd)
	t.ICMP = complaint(fd)
	if t.ICMP != nil && t.ICMP.From.WithZone("") == t.Source.WithZone("") {
		t.ICMP.From = netip.Addr{}
	}
	switch {
	case err == nil:
		t.Answer = Accepted
		t.Timestamps = known && info.Options&usesTimestamps != 0
	case errors.Is(err, unix.ECONNREFUSED):
		t.Answer = Refused
	case t.ICMP != nil:
		t.Answer = Unreachable
	case errors.Is(err, unix.EHOSTUNREACH), errors.Is(err, unix.ENETUNREACH):
		t.Answer, t.ICMP = Unreachable, &ICMP{IPv6: target.Addr().Is6(), Type: 3, Code: 1}
		if t.ICMP.IPv6 {
			t.ICMP.Type, t.ICMP.Code = 1, 3
		}
		if errors.Is(err, unix.ENETUNREACH) {
			t.ICMP.Code = 0
		}
	case errors.Is(err, unix.ETIMEDOUT), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		t.Answer = Silence
	default:
		t.fail(err)
	}
	if t.ICMP != nil {
		t.ICMP.NoNeighbour = !t.ICMP.From.IsValid() && t.Took >= neighbourWait
	}
	// A socket that has failed no longer tells its counts.
	if known && (t.Answer == Accepted || t.Answer == Silence) {
		t.SYNs = 1 + int(info.Total_retrans)
	}
	return t
}

// neighbourWait is less than what the kernel waits for an answer to ARP or neighbour
// discovery: three times a second. Routes and filters of this host answer at once.
const neighbourWait = 900 * time.Millisecond

// fail notes why nothing was sent.
func (t *Try) fail(err error) {
	t.Answer, t.Error = Failed, err.Error()
	for _, w := range []struct {
		is    error
		words string
	}{
		{unix.EINVAL, "a blackhole route, an address of another interface, or a link-local address without its zone"},
		{unix.EACCES, "a prohibit route, or a broadcast address"},
		{unix.EPERM, "a packet filter of this host drops it"},
		{unix.EADDRNOTAVAIL, "no such address on this host, or no local port is free"},
	} {
		if errors.Is(err, w.is) {
			t.Error += ": " + w.words
		}
	}
}

func open(source netip.Addr, target netip.AddrPort) (int, error) {
	family, level, option := unix.AF_INET, unix.SOL_IP, unix.IP_RECVERR
	if target.Addr().Is6() {
		family, level, option = unix.AF_INET6, unix.SOL_IPV6, unix.IPV6_RECVERR
	}
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	// The kernel then tells who sent an ICMP message, and does not go on trying after one.
	err = unix.SetsockoptInt(fd, level, option, 1)
	if err == nil && source.IsValid() {
		err = unix.Bind(fd, sockaddr(netip.AddrPortFrom(source, 0)))
	}
	if err != nil {
		unix.Close(fd)
		return 0, err
	}
	return fd, nil
}

// wait waits for the answer: nil if the connection is there, ETIMEDOUT if nothing came in time.
func wait(ctx context.Context, socket *os.File, fd int, until time.Time) error {
	raw, stop, err := deadline(ctx, socket, until)
	if err != nil {
		return err
	}
	defer stop()
	var answer error
	err = raw.Write(func(uintptr) bool {
		code, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR)
		switch {
		case err != nil:
			answer = err
		case code != 0:
			answer = unix.Errno(code)
		default:
			_, err := unix.Getpeername(fd)
			return err == nil // else it was woken for nothing
		}
		return true
	})
	return overdue(ctx, err, answer)
}

// deadline has a socket wait until a time, or until ctx ends; stop ends the latter.
func deadline(ctx context.Context, socket *os.File, until time.Time) (raw syscall.RawConn, stop func() bool, err error) {
	if err := socket.SetDeadline(until); err != nil {
		return nil, nil, err
	}
	if raw, err = socket.SyscallConn(); err != nil {
		return nil, nil, err
	}
	return raw, context.AfterFunc(ctx, func() { _ = socket.SetDeadline(time.Unix(1, 0)) }), nil
}

// overdue is what ended a wait: err is of the wait, answer what came.
func overdue(ctx context.Context, err, answer error) error {
	switch {
	case !errors.Is(err, os.ErrDeadlineExceeded):
		return cmp.Or(err, answer)
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return unix.ETIMEDOUT
}

func infoOf(fd int) (*unix.TCPInfo, bool) {
	info, err := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
	return info, err == nil
}

// complaint is the ICMP message that a socket got; nil: none.
func complaint(fd int) *ICMP {
	data, control := make([]byte, 128), make([]byte, 512)
	_, n, _, _, err := unix.Recvmsg(fd, data, control, unix.MSG_ERRQUEUE|unix.MSG_DONTWAIT)
	if err != nil {
		return nil
	}
	list, err := unix.ParseSocketControlMessage(control[:n])
	if err != nil {
		return nil
	}
	for _, m := range list {
		is4, is6 := m.Header.Level == unix.SOL_IP && m.Header.Type == unix.IP_RECVERR, m.Header.Level == unix.SOL_IPV6 && m.Header.Type == unix.IPV6_RECVERR
		if size := int(unsafe.Sizeof(unix.SockExtendedErr{})); (is4 || is6) && len(m.Data) >= size {
			return message(*(*unix.SockExtendedErr)(unsafe.Pointer(&m.Data[0])), m.Data[size:])
		}
	}
	return nil
}

// message is what an error of a socket tells; from is the address of who sent it.
func message(e unix.SockExtendedErr, from []byte) *ICMP {
	m := ICMP{IPv6: e.Origin == unix.SO_EE_ORIGIN_ICMP6, Type: e.Type, Code: e.Code}
	switch {
	case e.Origin != unix.SO_EE_ORIGIN_ICMP && e.Origin != unix.SO_EE_ORIGIN_ICMP6:
		return nil
	case !m.IPv6 && len(from) >= unix.SizeofSockaddrInet4:
		m.From = netip.AddrFrom4([4]byte(from[4:8]))
	case m.IPv6 && len(from) >= unix.SizeofSockaddrInet6:
		m.From = netip.AddrFrom16([16]byte(from[8:24]))
	}
	return &m
}

func sockaddr(a netip.AddrPort) unix.Sockaddr {
	if a.Addr().Is4() {
		return &unix.SockaddrInet4{Port: int(a.Port()), Addr: a.Addr().As4()}
	}
	return &unix.SockaddrInet6{Port: int(a.Port()), Addr: a.Addr().As16(), ZoneId: zone(a.Addr())}
}

func addrOf(a unix.Sockaddr) netip.Addr {
	switch a := a.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrFrom4(a.Addr)
	case *unix.SockaddrInet6:
		addr := netip.AddrFrom16(a.Addr)
		if a.ZoneId != 0 {
			addr = addr.WithZone(strconv.FormatUint(uint64(a.ZoneId), 10))
		}
		return addr
	}
	return netip.Addr{}
}

// Bindable says whether connects can be made from an address.
func Bindable(a netip.Addr) error {
	fd, err := open(a, netip.AddrPortFrom(a, 0))
	if err != nil {
		return err
	}
	return unix.Close(fd)
}
