package load

import (
	"context"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"

	"rtrail/internal/lab/env"
)

// HoldOpen opens n connections from a namespace, says something on each, if only
// half of a request, and keeps them until the lab is over.
func HoldOpen(ctx context.Context, e *env.Env, in *env.NetNS, at netip.AddrPort, n int, say string) error {
	_, err := connect(ctx, e, in, at, n, func(c net.Conn) error {
		_, err := io.WriteString(c, say)
		return err
	})
	return err
}

// Converse opens n connections from a namespace and runs talk on each, beside the
// lab, until talk returns or the lab is over, which closes the connection.
func Converse(ctx context.Context, e *env.Env, in *env.NetNS, at netip.AddrPort, n int, talk func(i int, c net.Conn) error) error {
	conns, err := connect(ctx, e, in, at, n, func(net.Conn) error { return nil })
	for i, c := range conns {
		go func() { _ = talk(i, c) }() // ends when the connection is closed
	}
	return err
}

// connect opens n connections, a few at a time, so that the server's queue never
// fills. The lab closes them.
func connect(ctx context.Context, e *env.Env, in *env.NetNS, at netip.AddrPort, n int, first func(net.Conn) error) ([]net.Conn, error) {
	var (
		mu     sync.Mutex
		conns  []net.Conn
		failed error
		wg     sync.WaitGroup
	)
	e.Defer("connections that are kept", func() error {
		for _, c := range conns {
			c.Close()
		}
		return nil
	})
	left := make(chan struct{}, n)
	for range n {
		left <- struct{}{}
	}
	close(left)
	for range 8 {
		wg.Go(func() {
			for range left {
				c, err := in.Connect(ctx, at, 5*time.Second)
				if err == nil {
					err = first(c)
				}
				mu.Lock()
				if err != nil {
					failed = err
				} else {
					conns = append(conns, c)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return conns, failed
}
