package lab

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
)

// caller is one HTTP connection that is kept open, for one request at a time.
type caller struct {
	conn net.Conn
	in   *bufio.Reader
}

type callers []*caller

// call opens n connections from a namespace; to gives the address of each.
func call(ctx context.Context, in *NetNS, n int, to func(int) string) (callers, error) {
	var list callers
	for i := range n {
		addr, err := netip.ParseAddrPort(to(i))
		if err != nil {
			return nil, err
		}
		conn, err := in.Connect(ctx, addr, 5*time.Second)
		if err != nil {
			list.close()
			return nil, err
		}
		list = append(list, &caller{conn, bufio.NewReader(conn)})
	}
	return list, nil
}

func (l callers) close() {
	for _, c := range l {
		c.conn.Close()
	}
}

// get asks for a path and reads the answer to its end.
func (c *caller) get(path string) error {
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

// pacedLines sends a command every so often for d, over n connections that stay,
// encrypted where a configuration is given. Answers are a line and begin as given.
func pacedLines(ctx context.Context, in *NetNS, at netip.AddrPort, encrypted *tls.Config, n int, d, every time.Duration, command, answer string) (pacedResult, error) {
	all, err := call(ctx, in, n, func(int) string { return at.String() })
	if err != nil {
		return pacedResult{}, err
	}
	defer all.close()
	idle := make(chan *caller, n)
	for _, c := range all {
		if encrypted != nil {
			c.conn = tls.Client(c.conn, encrypted)
			c.in.Reset(c.conn)
		}
		idle <- c
	}
	return paced(ctx, d, every, 1, func(context.Context) error {
		c := <-idle
		defer func() { idle <- c }()
		return c.line(command, answer)
	}), nil
}

// line sends a command and reads a line, which begins with answer.
func (c *caller) line(command, answer string) error {
	if err := c.conn.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
		return err
	}
	if _, err := io.WriteString(c.conn, command); err != nil {
		return err
	}
	line, err := c.in.ReadString('\n')
	if err == nil && !strings.HasPrefix(line, answer) {
		err = fmt.Errorf("the answer is %q", line)
	}
	return err
}
