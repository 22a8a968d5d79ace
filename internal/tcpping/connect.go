package tcpping

import (
	"context"
	"errors"
	"net/netip"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// usesTimestamps is TCPI_OPT_TIMESTAMPS of linux/tcp.h.
const usesTimestamps = 1

// slice is how long a wait for an answer lasts at most before the context is looked at.
const slice = 100 * time.Millisecond

// Connect connects once, from an address of this host or, if that is invalid, from the one
// that the kernel chooses, and closes the connection at once. It waits for patience.
func Connect(ctx context.Context, source netip.Addr, target netip.AddrPort, patience time.Duration) Try {
	t := Try{At: time.Now(), Kind: Whole, Target: target}
	fd, err := open(source, target)
	if err != nil {
		t.Answer, t.Error = Failed, err.Error()
		return t
	}
	defer unix.Close(fd)
	t.At = time.Now()
	err = unix.Connect(fd, sockaddr(target))
	if errors.Is(err, unix.EINPROGRESS) {
		err = wait(ctx, fd, t.At.Add(patience))
	}
	t.Took = time.Since(t.At)
	if a, err := unix.Getsockname(fd); err == nil {
		t.Source = addrOf(a)
	}
	info, known := infoOf(fd)
	if t.ICMP = complaint(fd); t.ICMP != nil && t.ICMP.From == t.Source {
		t.ICMP.From = netip.Addr{} // nobody at that address answered who has it
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
		t.Answer, t.Error = Failed, err.Error()
	}
	// A socket that has failed no longer tells its counts.
	if known && (t.Answer == Accepted || t.Answer == Silence) {
		t.SYNs = 1 + int(info.Total_retrans)
	}
	return t
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
func wait(ctx context.Context, fd int, until time.Time) error {
	for {
		left := time.Until(until)
		if left <= 0 {
			return unix.ETIMEDOUT
		}
		pause := unix.NsecToTimespec(int64(min(left, slice)))
		n, err := unix.Ppoll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, &pause, nil)
		switch {
		case err != nil && !errors.Is(err, unix.EINTR):
			return err
		case n > 0:
			code, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR)
			if err != nil {
				return err
			}
			if code != 0 {
				return unix.Errno(code)
			}
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		}
	}
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
		return netip.AddrFrom16(a.Addr)
	}
	return netip.Addr{}
}
