package load

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"rtrail/internal/lab/env"
)

// Caller is one HTTP connection that is kept open, for one request at a time.
type Caller struct {
	conn net.Conn
	in   *bufio.Reader
}

// Callers are several of them.
type Callers []*Caller

// OpenCallers opens n connections from a namespace; to gives the address of each.
func OpenCallers(ctx context.Context, in *env.NetNS, n int, to func(int) string) (Callers, error) {
	var list Callers
	for i := range n {
		addr, err := netip.ParseAddrPort(to(i))
		if err != nil {
			return nil, err
		}
		conn, err := in.Connect(ctx, addr, 5*time.Second)
		if err != nil {
			list.Close()
			return nil, err
		}
		list = append(list, &Caller{conn, bufio.NewReader(conn)})
	}
	return list, nil
}

// Close closes all connections.
func (l Callers) Close() {
	for _, c := range l {
		c.conn.Close()
	}
}

// Paced is the function Paced for requests that each take the next connection
// that is free.
func (l Callers) Paced(ctx context.Context, d, every time.Duration, burst int, do func(*Caller) error) PacedResult {
	idle := make(chan *Caller, len(l))
	for _, c := range l {
		idle <- c
	}
	return Paced(ctx, d, every, burst, func(context.Context) error {
		c := <-idle
		defer func() { idle <- c }()
		return do(c)
	})
}

// Get asks for a path and reads the answer to its end.
func (c *Caller) Get(path string) error {
	if err := c.conn.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(c.conn, "GET %s HTTP/1.1\r\nHost: lab\r\n\r\n", path); err != nil {
		return err
	}
	answer, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}

// PacedLines sends a command every so often for d, over n connections that stay,
// encrypted where a configuration is given. Answers are a line and begin as given.
func PacedLines(ctx context.Context, in *env.NetNS, at netip.AddrPort, encrypted *tls.Config, n int, d, every time.Duration, command, answer string) (PacedResult, error) {
	all, err := OpenCallers(ctx, in, n, func(int) string { return at.String() })
	if err != nil {
		return PacedResult{}, err
	}
	defer all.Close()
	if encrypted != nil {
		for _, c := range all {
			c.conn = tls.Client(c.conn, encrypted)
			c.in.Reset(c.conn)
		}
	}
	return all.Paced(ctx, d, every, 1, func(c *Caller) error { return c.line(command, answer) }), nil
}

// Exchange is what a client sends, and what the server answers to the byte.
type Exchange struct{ Request, Answer string }

// PacedExchanges greets over n connections that stay, and then makes a call every so often
// for d.
func PacedExchanges(ctx context.Context, in *env.NetNS, at netip.AddrPort, n int, d, every time.Duration, greeting, call Exchange) (PacedResult, error) {
	all, err := OpenCallers(ctx, in, n, func(int) string { return at.String() })
	if err != nil {
		return PacedResult{}, err
	}
	defer all.Close()
	for _, c := range all {
		if err := c.exchange(greeting); err != nil {
			return PacedResult{}, err
		}
	}
	return all.Paced(ctx, d, every, 1, func(c *Caller) error { return c.exchange(call) }), nil
}

// PacedStreams asks for a path every so often for d, over one connection of HTTP/2 in
// clear text that all requests share.
func PacedStreams(ctx context.Context, in *env.NetNS, at netip.AddrPort, d, every time.Duration, path string) PacedResult {
	transport := &http.Transport{
		Protocols: new(http.Protocols),
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return in.Connect(ctx, at, 5*time.Second)
		},
	}
	transport.Protocols.SetUnencryptedHTTP2(true)
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: 5 * time.Second}
	return Paced(ctx, d, every, 1, func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+at.String()+path, nil)
		if err != nil {
			return err
		}
		answer, err := client.Do(request)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		_, err = io.Copy(io.Discard, answer.Body)
		return err
	})
}

// say sends a request.
func (c *Caller) say(request string) error {
	if err := c.conn.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
		return err
	}
	_, err := io.WriteString(c.conn, request)
	return err
}

// exchange sends a request and reads its answer.
func (c *Caller) exchange(x Exchange) error {
	if err := c.say(x.Request); err != nil {
		return err
	}
	answer := make([]byte, len(x.Answer))
	_, err := io.ReadFull(c.in, answer)
	if err == nil && string(answer) != x.Answer {
		err = fmt.Errorf("the answer is %q", answer)
	}
	return err
}

// line sends a command and reads a line, which begins with answer.
func (c *Caller) line(command, answer string) error {
	if err := c.say(command); err != nil {
		return err
	}
	line, err := c.in.ReadString('\n')
	if err == nil && !strings.HasPrefix(line, answer) {
		err = fmt.Errorf("the answer is %q", line)
	}
	return err
}
