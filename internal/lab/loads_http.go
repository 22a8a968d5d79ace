package lab

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"time"
)

// caller is one HTTP connection that is kept open, for one request at a time.
type caller struct {
	conn net.Conn
	in   *bufio.Reader
}

type callers []*caller

// callers opens n connections from the namespace; to gives the address of each.
func (ns *NetNS) callers(ctx context.Context, n int, to func(int) string) (callers, error) {
	var list callers
	for i := range n {
		addr, err := netip.ParseAddrPort(to(i))
		if err != nil {
			return nil, err
		}
		conn, err := ns.connect(ctx, addr, 5*time.Second)
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
