package capacity

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// answerWithin bounds the wait for the kernel, in seconds.
const answerWithin = 2

// routeTo is the interface by which packets to an address leave this host, from one of its own
// addresses, as the kernel's routes say (rtnetlink(7)). No packet is sent.
func routeTo(to, from netip.Addr) (string, error) {
	c, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
	if err != nil {
		return "", os.NewSyscallError("socket", err)
	}
	defer unix.Close(c)
	if err := unix.SetsockoptTimeval(c, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: answerWithin}); err != nil {
		return "", os.NewSyscallError("setsockopt", err)
	}
	if err := unix.Sendto(c, routeRequest(to, from), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return "", os.NewSyscallError("sendto", err)
	}
	answer := make([]byte, 64<<10)
	n, _, err := unix.Recvfrom(c, answer, 0)
	if err != nil {
		return "", os.NewSyscallError("recvfrom", err)
	}
	messages, err := syscall.ParseNetlinkMessage(answer[:n])
	if err != nil {
		return "", err
	}
	for i := range messages {
		m := &messages[i]
		if m.Header.Type == unix.NLMSG_ERROR && len(m.Data) >= 4 {
			return "", fmt.Errorf("route to %v: %w", to, unix.Errno(-int32(binary.NativeEndian.Uint32(m.Data))))
		}
		if m.Header.Type != unix.RTM_NEWROUTE {
			continue
		}
		attributes, err := syscall.ParseNetlinkRouteAttr(m)
		if err != nil {
			return "", err
		}
		for _, a := range attributes {
			if a.Attr.Type == unix.RTA_OIF && len(a.Value) >= 4 {
				i, err := net.InterfaceByIndex(int(binary.NativeEndian.Uint32(a.Value)))
				if err != nil {
					return "", err
				}
				return i.Name, nil
			}
		}
	}
	return "", errors.New("the kernel names no interface of the route")
}

// routeRequest is RTM_GETROUTE: a header, struct rtmsg, and both addresses.
func routeRequest(to, from netip.Addr) []byte {
	family := byte(unix.AF_INET)
	if to.Is6() {
		family = unix.AF_INET6
	}
	bits := byte(to.BitLen())
	b := make([]byte, unix.SizeofNlMsghdr)
	b = append(b, family, bits, bits, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	for _, a := range []struct {
		kind    uint16
		address netip.Addr
	}{{unix.RTA_DST, to}, {unix.RTA_SRC, from}} {
		raw := a.address.AsSlice()
		b = binary.NativeEndian.AppendUint16(b, uint16(unix.SizeofRtAttr+len(raw)))
		b = binary.NativeEndian.AppendUint16(b, a.kind)
		b = append(b, raw...)
	}
	binary.NativeEndian.PutUint32(b, uint32(len(b)))
	binary.NativeEndian.PutUint16(b[4:], unix.RTM_GETROUTE)
	binary.NativeEndian.PutUint16(b[6:], unix.NLM_F_REQUEST)
	return b
}
