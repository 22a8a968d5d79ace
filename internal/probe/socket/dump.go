package socket

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// netlinkConn is a netlink socket, for sock_diag or queues. It stays in the network
// namespace it was opened in, so that no thread has to enter that namespace
// for a dump.
type netlinkConn struct {
	fd       int
	sequence uint32
	buf      []byte
}

const (
	sockDiagByFamily = 20 // SOCK_DIAG_BY_FAMILY
	netlinkHeader    = 16
	requestSize      = 56 // struct inet_diag_req_v2

	// dumpBuffer is what one read takes. The kernel fills buffers of up to
	// 32 KB; larger ones are only for its bookkeeping.
	dumpBuffer = 64 << 10

	// answerTime bounds the wait for the kernel, which answers at once.
	answerTime = 500 * time.Millisecond
)

// errEnough is returned by a visitor that wants no more.
var errEnough = errors.New("enough")

// errTorn is an answer that does not hold what it says.
var errTorn = errors.New("netlink: torn answer")

// openDiag opens a socket for sock_diag in the namespace of the calling thread.
func openDiag(buf []byte) (*netlinkConn, error) { return openNetlink(unix.NETLINK_SOCK_DIAG, buf) }

func openNetlink(protocol int, buf []byte) (*netlinkConn, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, protocol)
	if err != nil {
		return nil, fmt.Errorf("open netlink: %w", err)
	}
	timeout := unix.NsecToTimeval(int64(answerTime))
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &timeout); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("set timeout of netlink: %w", err)
	}
	return &netlinkConn{fd: fd, buf: buf}, nil
}

func (c *netlinkConn) close() {
	if c.fd >= 0 {
		unix.Close(c.fd)
		c.fd = -1
	}
}

// dump asks for all sockets of a family and protocol in the given states and
// calls visit with the payload of each. After errEnough the rest of the answer
// is still in the socket: it must be closed.
func (c *netlinkConn) dump(family, protocol, extensions uint8, states uint32, visit func([]byte) error) error {
	var r [requestSize]byte
	r[0], r[1], r[2] = family, protocol, extensions
	binary.NativeEndian.PutUint32(r[4:], states)
	return c.ask(sockDiagByFamily, r[:], visit)
}

// ask sends a request for a dump and calls visit with the payload of each answer.
func (c *netlinkConn) ask(kind uint16, payload []byte, visit func([]byte) error) error {
	c.sequence++
	request := make([]byte, netlinkHeader+len(payload))
	binary.NativeEndian.PutUint32(request, uint32(len(request)))
	binary.NativeEndian.PutUint16(request[4:], kind)
	binary.NativeEndian.PutUint16(request[6:], unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
	binary.NativeEndian.PutUint32(request[8:], c.sequence)
	copy(request[netlinkHeader:], payload)
	if err := unix.Sendto(c.fd, request, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return fmt.Errorf("ask netlink: %w", err)
	}
	for {
		n, _, err := unix.Recvfrom(c.fd, c.buf, 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read netlink: %w", err)
		}
		done, err := eachMessage(c.buf[:n], c.sequence, visit)
		if done || err != nil {
			return err
		}
	}
}

// eachMessage walks the messages of one read. done is true at the end of the
// dump.
func eachMessage(b []byte, sequence uint32, visit func([]byte) error) (done bool, err error) {
	if len(b) < netlinkHeader {
		return true, fmt.Errorf("%w: %d bytes", errTorn, len(b))
	}
	for len(b) >= netlinkHeader {
		size := int(binary.NativeEndian.Uint32(b))
		if size < netlinkHeader || size > len(b) {
			return true, fmt.Errorf("%w: message of %d bytes in %d", errTorn, size, len(b))
		}
		kind, payload := binary.NativeEndian.Uint16(b[4:]), b[netlinkHeader:size]
		current := binary.NativeEndian.Uint32(b[8:]) == sequence
		b = b[min((size+3)&^3, len(b)):]
		if !current {
			continue // left over from a dump that was cut short
		}
		switch kind {
		case unix.NLMSG_DONE:
			return true, nil
		case unix.NLMSG_ERROR:
			return true, netlinkError(payload)
		case sockDiagByFamily, unix.RTM_NEWQDISC, newChain, newRule:
			if err := visit(payload); err != nil {
				return false, err
			}
		}
	}
	return false, nil
}

func netlinkError(payload []byte) error {
	if len(payload) < 4 {
		return errors.New("netlink: error without a number")
	}
	code := int32(binary.NativeEndian.Uint32(payload))
	if code == 0 {
		return nil
	}
	return fmt.Errorf("netlink: %w", unix.Errno(-code))
}
