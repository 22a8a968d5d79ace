package env

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"syscall"
	"time"
)

// Connect opens a TCP connection from the namespace. Unlike Dial it holds no
// thread while it waits, for only the making of the socket has to be done in
// the namespace: hundreds of connects may hang at once.
func (ns *NetNS) Connect(ctx context.Context, addr netip.AddrPort, timeout time.Duration) (net.Conn, error) {
	var fd int
	open := func() (err error) {
		fd, err = syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC, 0)
		return err
	}
	in := ns.Do
	if ns == nil { // the host
		in = func(fn func() error) error { return fn() }
	}
	if err := in(open); err != nil {
		return nil, fmt.Errorf("connect to %s: %w", addr, err)
	}
	to := &syscall.SockaddrInet4{Addr: addr.Addr().As4(), Port: int(addr.Port())}
	if err := syscall.Connect(fd, to); err != nil && !errors.Is(err, syscall.EINPROGRESS) {
		syscall.Close(fd)
		return nil, fmt.Errorf("connect to %s: %w", addr, err)
	}
	// The poller of package os waits until the handshake is through.
	f := os.NewFile(uintptr(fd), addr.String())
	defer f.Close()
	if err := awaitConnected(ctx, f, timeout); err != nil {
		return nil, fmt.Errorf("connect to %s: %w", addr, err)
	}
	return net.FileConn(f)
}

func awaitConnected(ctx context.Context, f *os.File, timeout time.Duration) error {
	deadline := time.Now().Add(timeout)
	if d, ok := ctx.Deadline(); ok && d.Before(deadline) {
		deadline = d
	}
	if err := f.SetWriteDeadline(deadline); err != nil {
		return err
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Write(func(fd uintptr) bool {
		if _, err := syscall.Getpeername(int(fd)); err == nil {
			return true
		}
		if code, err := syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_ERROR); err == nil && code != 0 {
			failed = syscall.Errno(code)
			return true
		}
		return false // still under way: wait until it is writable
	})
	if err != nil {
		return err
	}
	return failed
}
