package tcpping

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"time"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// SYN sends one bare SYN without TCP timestamps from a port that it holds meanwhile, and
// waits for the answer for patience. It needs CAP_NET_RAW. Without an answer nothing is sent again.
func SYN(ctx context.Context, kind Kind, source netip.Addr, target netip.AddrPort, patience time.Duration) Try {
	t := Try{At: time.Now(), Kind: kind, Target: target}
	if err := t.syn(ctx, source, patience); err != nil {
		t.fail(err)
	}
	return t
}

// Raw says whether this process may send bare SYNs.
func Raw() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.IPPROTO_TCP)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

func (t *Try) syn(ctx context.Context, source netip.Addr, patience time.Duration) error {
	if !source.IsValid() {
		var err error
		if source, err = towards(t.Target); err != nil {
			return err
		}
	}
	t.Source = source
	// A socket that is bound and no more keeps the port from others, and lets the kernel
	// answer a SYN-ACK by a reset.
	holder, err := open(source, t.Target)
	if err != nil {
		return err
	}
	defer unix.Close(holder)
	if err := unix.Bind(holder, sockaddr(netip.AddrPortFrom(source, 0))); err != nil && !errors.Is(err, unix.EINVAL) {
		return err // EINVAL: open has bound it
	}
	bound, err := unix.Getsockname(holder)
	if err != nil {
		return err
	}
	port := portOf(bound)
	family := unix.AF_INET
	if t.Target.Addr().Is6() {
		family = unix.AF_INET6
	}
	raw, err := unix.Socket(family, unix.SOCK_RAW|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, unix.IPPROTO_TCP)
	if err != nil {
		return err
	}
	socket := os.NewFile(uintptr(raw), "raw socket")
	defer socket.Close()
	if err := onlyTo(raw, port, t.Target.Port(), family == unix.AF_INET6); err != nil {
		return err
	}
	drain(raw)
	if err := unix.Bind(raw, sockaddr(netip.AddrPortFrom(source, 0))); err != nil {
		return err
	}
	seq := rand.Uint32()
	t.At, t.SYNs = time.Now(), 1
	to := netip.AddrPortFrom(t.Target.Addr(), 0) // raw sockets of IPv6 take no port
	if err := unix.Sendto(raw, segment(source, t.Target, port, seq), 0, sockaddr(to)); err != nil {
		return err
	}
	return t.answer(ctx, socket, raw, seq, t.At.Add(patience))
}

// drain takes off a raw socket what came before it had its filter: on a busy host that fills
// the buffer, and the answer would be dropped.
func drain(fd int) {
	var one [1]byte
	for range 1 << 16 {
		if _, _, err := unix.Recvfrom(fd, one[:], unix.MSG_DONTWAIT|unix.MSG_TRUNC); err != nil {
			return
		}
	}
}

// answer waits for what comes back.
func (t *Try) answer(ctx context.Context, socket *os.File, fd int, seq uint32, until time.Time) error {
	conn, stop, err := deadline(ctx, socket, until)
	if err != nil {
		return err
	}
	defer stop()
	packet := make([]byte, 2048)
	var failed error
	err = conn.Read(func(uintptr) bool {
		for {
			n, from, err := unix.Recvfrom(fd, packet, unix.MSG_DONTWAIT)
			switch {
			case errors.Is(err, unix.EAGAIN):
				return false
			case err != nil:
				failed = err
				return true
			case addrOf(from).Unmap().WithZone("") != t.Target.Addr().WithZone(""):
				continue
			}
			if t.Answer = answerIn(packet[:n], t.Target.Addr().Is4(), seq); t.Answer != "" {
				return true
			}
		}
	})
	t.Took = time.Since(t.At)
	if err = overdue(ctx, err, failed); t.Answer == "" && (errors.Is(err, unix.ETIMEDOUT) || ctx.Err() != nil) {
		t.Answer = Silence
		return nil
	}
	return err
}

// answerIn is what a packet of the right ports and hosts answers to a SYN; "": nothing.
func answerIn(p []byte, hasIP bool, seq uint32) Answer {
	if hasIP {
		if len(p) < 20 || len(p) < int(p[0]&15)*4 {
			return ""
		}
		p = p[int(p[0]&15)*4:]
	}
	if len(p) < 20 || binary.BigEndian.Uint32(p[8:]) != seq+1 {
		return ""
	}
	const syn, rst, ack = 2, 4, 16
	switch flags := p[13]; {
	case flags&(rst|ack) == rst|ack:
		return Refused
	case flags&(syn|ack) == syn|ack:
		return Accepted
	}
	return ""
}

// towards is the address that the kernel sends from.
func towards(target netip.AddrPort) (netip.Addr, error) {
	family := unix.AF_INET
	if target.Addr().Is6() {
		family = unix.AF_INET6
	}
	fd, err := unix.Socket(family, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return netip.Addr{}, err
	}
	defer unix.Close(fd)
	if err := unix.Connect(fd, sockaddr(target)); err != nil { // sends nothing
		return netip.Addr{}, err
	}
	a, err := unix.Getsockname(fd)
	if err != nil {
		return netip.Addr{}, err
	}
	return addrOf(a), nil
}

func portOf(a unix.Sockaddr) uint16 {
	switch a := a.(type) {
	case *unix.SockaddrInet4:
		return uint16(a.Port)
	case *unix.SockaddrInet6:
		return uint16(a.Port)
	}
	return 0
}

// maxSegment is the option that tells the largest segment, as a client on Ethernet sends it.
var maxSegment = []byte{2, 4, 1460 >> 8, 1460 & 255}

// segment is a SYN with its checksum.
func segment(source netip.Addr, target netip.AddrPort, port uint16, seq uint32) []byte {
	p := make([]byte, 20, 20+len(maxSegment))
	binary.BigEndian.PutUint16(p[0:], port)
	binary.BigEndian.PutUint16(p[2:], target.Port())
	binary.BigEndian.PutUint32(p[4:], seq)
	p = append(p, maxSegment...)
	p[12] = byte(len(p)/4) << 4
	p[13] = 2 // SYN
	binary.BigEndian.PutUint16(p[14:], 64240)
	binary.BigEndian.PutUint16(p[16:], checksum(source, target.Addr(), p))
	return p
}

// checksum is that of RFC 9293, with the pseudo header.
func checksum(from, to netip.Addr, p []byte) uint16 {
	var sum uint32
	add := func(b []byte) {
		for i := 0; i+1 < len(b); i += 2 {
			sum += uint32(b[i])<<8 | uint32(b[i+1])
		}
	}
	add(from.AsSlice())
	add(to.AsSlice())
	sum += unix.IPPROTO_TCP + uint32(len(p))
	add(p)
	for sum>>16 != 0 {
		sum = sum&0xffff + sum>>16
	}
	return ^uint16(sum)
}

// onlyTo has a raw socket take packets of two ports only.
func onlyTo(fd int, local, remote uint16, is6 bool) error {
	program := []bpf.Instruction{bpf.LoadMemShift{Off: 0}}
	if is6 {
		program[0] = bpf.LoadConstant{Dst: bpf.RegX, Val: 0} // raw sockets of IPv6 begin at TCP
	}
	program = append(program,
		bpf.LoadIndirect{Off: 0, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(remote)<<16 | uint32(local), SkipFalse: 1},
		bpf.RetConstant{Val: 2048}, bpf.RetConstant{Val: 0})
	code, err := bpf.Assemble(program)
	if err != nil {
		return fmt.Errorf("assembling the filter: %w", err)
	}
	filter := make([]unix.SockFilter, len(code))
	for i, c := range code {
		filter[i] = unix.SockFilter{Code: c.Op, Jt: c.Jt, Jf: c.Jf, K: c.K}
	}
	return unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]})
}
