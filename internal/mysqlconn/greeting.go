package mysqlconn

import (
	"fmt"
	"net"
	"strings"
	"sync"
	"unicode"
)

// mostFirst is how much of what a server says first is kept for its error text.
const mostFirst = 40

// greeted is a connection that looks at what the other side says first. MySQL
// greets its clients; the driver would take the first bytes of anything else
// for a length, and wait for as many.
type greeted struct {
	net.Conn
	mu    sync.Mutex
	first []byte // what came so far, until it is known to be a greeting
	known bool   // to be one
}

// Read reads, and refuses what is no greeting.
func (c *greeted) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known || n <= 0 {
		return n, err
	}
	c.first = append(c.first, b[:min(n, max(mostFirst-len(c.first), 0))]...)
	switch whole, other := greeting(c.first); {
	case other:
		return 0, &notMySQL{c.first}
	case whole:
		c.known, c.first = true, nil
	}
	return n, err
}

// other says what came instead of a greeting, when the connection ended before
// it was one; nil if nothing came.
func (c *greeted) other() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known || len(c.first) == 0 {
		return nil
	}
	return &notMySQL{c.first}
}

// greeting says whether bytes begin one, or cannot: the length in three bytes,
// the number 0, and the version of the protocol, 9 or 10. An error has 255 there;
// its number may be another one.
func greeting(b []byte) (whole, other bool) {
	if len(b) < 5 {
		return false, len(b) == 4 && b[3] > 2
	}
	whole = b[4] == 0xff || b[3] == 0 && (b[4] == 9 || b[4] == 10)
	return whole, !whole
}

// notMySQL is what something else said.
type notMySQL struct{ first []byte }

func (e *notMySQL) Error() string {
	shown := strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return '.'
		}
		return r
	}, strings.TrimRight(string(e.first), "\r\n"))
	return fmt.Sprintf("%v: it begins with %q", ErrNotMySQL, shown)
}

func (e *notMySQL) Unwrap() error { return ErrNotMySQL }
