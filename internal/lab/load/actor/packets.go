package actor

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// httpPieces is an HTTP server that writes each answer in
// pieces and rests between them.
func httpPieces(args []string) error {
	pieces := number(args, 1)
	pause := number(args, 2)
	const piece = 2000
	return answer(args, func(_ *bufio.Reader, c *net.TCPConn, _ *http.Request) error {
		head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", pieces*piece)
		if _, err := io.WriteString(c, head); err != nil {
			return err
		}
		for i := range pieces {
			if i > 0 {
				time.Sleep(time.Duration(pause) * time.Millisecond)
			}
			if _, err := io.WriteString(c, strings.Repeat("x", piece)); err != nil {
				return err
			}
		}
		return nil
	})
}

// httpTwoWrites is an HTTP server that writes head and body
// of an answer with a call each, with or without TCP_NODELAY.
func httpTwoWrites(args []string) error {
	return answer(args, func(_ *bufio.Reader, c *net.TCPConn, _ *http.Request) error {
		if err := c.SetNoDelay(args[1] == "nodelay"); err != nil {
			return err
		}
		if _, err := io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"); err != nil {
			return err
		}
		_, err := io.WriteString(c, "ok\n")
		return err
	})
}

// errDone closes a connection without any further word.
var errDone = errors.New("done with this connection")

// httpHasty is an HTTP server that closes connections as soon
// as it has the head of a request, or reads and answers it first.
func httpHasty(args []string) error {
	return answer(args, func(_ *bufio.Reader, c *net.TCPConn, q *http.Request) error {
		if args[1] == "hasty" {
			// Time for the body to come, which nobody reads.
			time.Sleep(5 * time.Millisecond)
			return errDone
		}
		if _, err := io.Copy(io.Discard, q.Body); err != nil {
			return err
		}
		if _, err := io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nok\n"); err != nil {
			return err
		}
		return errDone
	})
}

// answer serves HTTP/1.1 on the address in the first argument; write answers.
func answer(args []string, write func(*bufio.Reader, *net.TCPConn, *http.Request) error) error {
	return serve(args[0], func(c net.Conn) {
		// No larger than a head: what follows stays in the socket.
		r := bufio.NewReaderSize(c, 512)
		for {
			q, err := http.ReadRequest(r)
			if err != nil || write(r, c.(*net.TCPConn), q) != nil {
				return
			}
		}
	})
}

// download is a client that fetches a page over and
// over, reading a quarter of a megabyte at a time with a pause after it. Reports
// how many bytes it has read.
func download(args []string) error {
	pause := number(args, 2)
	const gulp = 256 << 10
	var total int64
	for {
		c, err := net.Dial("tcp", args[0])
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: lab\r\nConnection: close\r\n\r\n", args[1]); err != nil {
			return err
		}
		for {
			n, err := io.CopyN(io.Discard, c, gulp)
			total += n
			if err := report(args[3], total); err != nil {
				return err
			}
			if err != nil {
				break
			}
			time.Sleep(time.Duration(pause) * time.Millisecond)
		}
		c.Close()
	}
}

// datagrams is a client that sends a text in bursts of datagrams, one every so
// many milliseconds.
func datagrams(args []string) error {
	burst, pause := number(args, 1), number(args, 2)
	c, err := net.Dial("udp", args[0])
	if err != nil {
		return err
	}
	for range time.Tick(time.Duration(pause) * time.Millisecond) {
		for range burst {
			if _, err := io.WriteString(c, args[3]); err != nil && !errors.Is(err, syscall.ECONNREFUSED) {
				return err
			}
		}
	}
	return nil
}

// resolver is a DNS server that knows one address
// for every name. drop-first ignores the first query for each name.
func resolver(args []string) error {
	c, err := net.ListenPacket("udp", args[0])
	if err != nil {
		return err
	}
	var mu sync.Mutex
	seen := map[string]bool{}
	b := make([]byte, 1500)
	for {
		n, from, err := c.ReadFrom(b)
		if err != nil {
			return err
		}
		q := b[:n]
		end := 12
		for end < n && q[end] != 0 {
			end += int(q[end]) + 1
		}
		if end += 5; end > n {
			continue
		}
		name := string(q[12 : end-4])
		mu.Lock()
		known := seen[name]
		seen[name] = true
		mu.Unlock()
		if args[1] == "mute" || args[1] == "drop-first" && !known {
			continue
		}
		// Header, the question as it came, and 192.0.2.1 for 60 s (RFC 1035, 4.1).
		a := append([]byte{q[0], q[1], 0x85, 0x80, 0, 1, 0, 1, 0, 0, 0, 0}, q[12:end]...)
		a = append(a, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1)
		if _, err := c.WriteTo(a, from); err != nil {
			return fmt.Errorf("answer %s: %w", strconv.Quote(name), err)
		}
	}
}
