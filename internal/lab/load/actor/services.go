package actor

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// exportEvery is one in how many exports breaks.
const exportEvery = 160

// exporter is an HTTP server that works for a second and then
// answers with much, for a third of a second. With BREAKS 1, of 160 answers in
// turn it ends one halfway by closing the connection.
func exporter(args []string) error {
	breaks := number(args, 1)
	const work, pieces, pause = time.Second, 10, 30 * time.Millisecond
	piece := make([]byte, 2000)
	var asked atomic.Int64
	return http.ListenAndServe(args[0], http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		broken := breaks == 1 && asked.Add(1)%exportEvery == 43
		w.Header().Set("Content-Length", strconv.Itoa(pieces*len(piece)))
		out := http.NewResponseController(w)
		time.Sleep(work)
		for i := range pieces {
			if broken && i == pieces/2 {
				panic(http.ErrAbortHandler) // closes the connection
			}
			if _, err := w.Write(piece); err != nil {
				return
			}
			_ = out.Flush()
			time.Sleep(pause)
		}
	}))
}

// tailServer is an HTTP server that answers at
// once, but for so many of a thousand requests after so many milliseconds.
func tailServer(args []string) error {
	permille := number(args, 1)
	millis := number(args, 2)
	var asked atomic.Int64
	slow := func() bool {
		// A multiplicative hash of a counter: spread like chance, and every run alike.
		return permille > 0 && uint64(asked.Add(1))*0x9e3779b97f4a7c15>>32%1000 < uint64(permille)
	}
	return serveLines(args[0], func() {
		if slow() {
			time.Sleep(time.Duration(millis) * time.Millisecond)
		}
	})
}

// serveLines answers HTTP requests without a body by two letters, after work was
// done. It spends less on a request than package net/http does, which matters
// where hundreds come at once.
func serveLines(address string, work func()) error {
	return serve(address, func(conn net.Conn) {
		in := bufio.NewReader(conn)
		for skipHeader(in) == nil {
			work()
			if _, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"); err != nil {
				return
			}
		}
	})
}

// skipHeader reads until an empty line.
func skipHeader(in *bufio.Reader) error {
	for {
		line, err := in.ReadSlice('\n')
		if err != nil || len(line) <= 2 {
			return err
		}
	}
}

// fanOutServer is an HTTP server that asks the
// backend so many times at once for each of its requests, and answers when all
// answers are there.
func fanOutServer(args []string) error {
	n := number(args, 2)
	var calls []func() error
	for range n {
		conn, err := net.Dial("tcp", args[1])
		if err != nil {
			return err
		}
		in, answer := bufio.NewReader(conn), make([]byte, 2)
		calls = append(calls, func() error {
			if _, err := io.WriteString(conn, "GET /part HTTP/1.1\r\nHost: lab\r\n\r\n"); err != nil {
				return err
			}
			if err := skipHeader(in); err != nil {
				return err
			}
			_, err := io.ReadFull(in, answer)
			return err
		})
	}
	var one sync.Mutex // the connections to the backend serve one request at a time
	return serveLines(args[0], func() {
		one.Lock()
		defer one.Unlock()
		var all sync.WaitGroup
		for _, call := range calls {
			all.Go(func() {
				if err := call(); err != nil {
					fmt.Println(err)
				}
			})
		}
		all.Wait()
	})
}

// farProxy hands connections on, and
// holds everything back for so long in either direction, as a distance does.
func farProxy(args []string) error {
	micros := number(args, 2)
	hold := time.Duration(micros) * time.Microsecond
	return serve(args[0], func(near net.Conn) {
		if far, err := net.Dial("tcp", args[1]); err == nil {
			go handOn(far, near, hold)
			handOn(near, far, hold)
		}
	})
}

// handOn copies what comes, later. What comes while it holds something back
// is held back longer, which questions and answers in turn do not notice.
func handOn(to, from net.Conn, hold time.Duration) {
	defer to.Close()
	b := make([]byte, 64<<10)
	for {
		n, err := from.Read(b)
		if n > 0 {
			time.Sleep(hold)
			if _, err := to.Write(b[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
