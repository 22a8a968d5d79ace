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
	for range 8 { // few at a time, so that the server's queue never fills
		wg.Go(func() {
			for range left {
				c, err := in.Connect(ctx, at, 5*time.Second)
				if err == nil {
					_, err = io.WriteString(c, say)
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
	return failed
}
