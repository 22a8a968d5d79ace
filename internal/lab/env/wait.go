package env

import (
	"context"
	"fmt"
	"time"
)

// Until waits until ok says so, asking every 20 ms, and gives up after limit
// or when ctx ends. what completes "waited for": "nginx to listen".
func Until(ctx context.Context, limit time.Duration, what string, ok func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	var last error
	for {
		done, err := ok()
		if done {
			return nil
		}
		last = err
		select {
		case <-tick.C:
		case <-ctx.Done():
			if last != nil {
				return fmt.Errorf("waited %s for %s: %w", limit, what, last)
			}
			return fmt.Errorf("waited %s for %s: %w", limit, what, ctx.Err())
		}
	}
}

// UntilListens waits until something accepts TCP connections at a numeric
// address, "10.213.1.1:80"; a nil namespace is the host's.
func (ns *NetNS) UntilListens(ctx context.Context, addr string) error {
	return ns.UntilListensWithin(ctx, 10*time.Second, addr)
}

// UntilListensWithin is UntilListens for servers that take long to start.
func (ns *NetNS) UntilListensWithin(ctx context.Context, limit time.Duration, addr string) error {
	return Until(ctx, limit, addr+" to accept connections", func() (bool, error) {
		dial, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		conn, err := ns.Dial(dial, "tcp", addr)
		if err != nil {
			return false, err
		}
		return true, conn.Close()
	})
}
