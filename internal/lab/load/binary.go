package load

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/netip"
	"time"

	"rtrail/internal/lab/env"
)

// dialect is what a load must know of a protocol of binary messages: three of them are
// spoken here, each with one kind of request, so that the lab needs no libraries of clients.
type dialect struct {
	// greet is called on every new connection.
	greet func(*Caller) error
	// ask makes a request and reads its answer; an error is an answer too.
	ask func(*Caller) error
}

// paced makes requests every so often for d, over n connections that stay.
func (l dialect) paced(ctx context.Context, in *env.NetNS, at netip.AddrPort, n int, d, every time.Duration) (PacedResult, error) {
	all, err := OpenCallers(ctx, in, n, func(int) string { return at.String() })
	if err != nil {
		return PacedResult{}, err
	}
	defer all.Close()
	for _, c := range all {
		if err := l.greet(c); err != nil {
			return PacedResult{}, fmt.Errorf("greet %s: %w", at, err)
		}
	}
	return all.Paced(ctx, d, every, 1, l.ask), nil
}

// call sends a request, if it is not empty, and reads an answer: header bytes that tell
// how many follow. The answer must hold what is expected.
func (c *Caller) call(request []byte, header int, rest func(header []byte) int, expected string) error {
	if err := c.conn.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
		return err
	}
	if _, err := c.conn.Write(request); err != nil {
		return err
	}
	answer := make([]byte, header)
	if _, err := io.ReadFull(c.in, answer); err != nil {
		return err
	}
	const max = 1 << 20
	n := rest(answer)
	if n < 0 || n > max {
		return fmt.Errorf("an answer of %d bytes", n)
	}
	answer = append(answer, make([]byte, n)...)
	if _, err := io.ReadFull(c.in, answer[header:]); err != nil {
		return err
	}
	if !bytes.Contains(answer, []byte(expected)) {
		return fmt.Errorf("the answer is %q", answer)
	}
	return nil
}
