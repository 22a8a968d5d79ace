package actor

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// workerPool is an HTTP server of which each worker takes one connection at a time, as those of
// PHP-FPM do: all others wait in the accept queue. A request takes so many milliseconds, and its
// answer is a text of so many bytes.
func workerPool(args []string) error {
	workers, job := number(args, 0), time.Duration(number(args, 1))*time.Millisecond
	body := strings.Repeat("order 4711 was paid by somebody in a hurry\n", number(args, 2)/43+1)[:number(args, 2)]
	answer := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	l, err := net.Listen("tcp", args[3])
	if err != nil {
		return err
	}
	failed := make(chan error)
	for range workers {
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					failed <- err
					return
				}
				serveOne(c, job, answer)
			}
		}()
	}
	return <-failed
}

// serveOne answers one request, and waits for the client to close: the port in TIME_WAIT is then
// the client's.
func serveOne(c net.Conn, job time.Duration, answer string) {
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(2 * time.Second))
	r := bufio.NewReader(c)
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		if line == "\r\n" {
			break
		}
	}
	time.Sleep(job)
	if _, err := io.WriteString(c, answer); err == nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(r, 1<<20))
	}
}
