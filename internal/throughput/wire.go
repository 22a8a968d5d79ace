// Package throughput measures what TCP, or single packets, carry between two hosts, both of
// which run rtrail, and says what limits it: a window, a buffer, a reader, losses, a CPU, or
// the bytes or packets per second of the path.
package throughput

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"rtrail/internal/escape"
)

// Mode is which way data goes.
type Mode string

// The modes.
const (
	Send    Mode = "send"    // from the client to the server
	Receive Mode = "receive" // from the server to the client
	Packets Mode = "packets" // single packets (UDP) from the client to the server, which counts them
	Echo    Mode = "echo"    // a request and an answer of the same size, one at a time per stream
)

// magic begins each connection, so that nothing is sent to, or taken from, anything but rtrail.
const magic = "rtrail throughput 1\n"

// hello is what a client asks for, on each of its connections.
type hello struct {
	// Session ties the connections of a run to its first one, which has no stream. "": this
	// one begins it.
	Session string        `json:"session,omitempty"`
	Mode    Mode          `json:"mode"`
	Length  time.Duration `json:"length_ns"`
	Size    int           `json:"size"` // bytes of a write, or of a request and its answer
}

// answer is what the server says to it.
type answer struct {
	Session string `json:"session,omitempty"`
	Refused string `json:"refused,omitempty"` // why
}

// Bounds of what a client may ask for, and of a line.
const (
	LongestRun  = 10 * time.Minute
	MostStreams = 256
	LargestSize = 1 << 20
	longestLine = 4096
	handshake   = 5 * time.Second
)

func (h *hello) check() error {
	switch {
	case h.Mode != Send && h.Mode != Receive && h.Mode != Echo && h.Mode != Packets:
		return fmt.Errorf("unknown mode %q", h.Mode)
	case h.Length <= 0 || h.Length > LongestRun:
		return fmt.Errorf("a run takes at most %v", LongestRun)
	case h.Size < 1 || h.Size > LargestSize:
		return fmt.Errorf("a write has 1 to %d bytes", LargestSize)
	case len(h.Session) > 64:
		return errors.New("the name of the session is too long")
	}
	return nil
}

// say writes a line of JSON.
func say(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err == nil {
		_, err = w.Write(append(b, '\n'))
	}
	return err
}

// hear reads a line of JSON.
func hear(r *bufio.Reader, v any) error {
	line, err := r.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return errors.New("a line is too long")
	case err != nil:
		return err
	}
	return json.Unmarshal(line, v)
}

// greet says which run a connection belongs to, and takes the answer.
func greet(c net.Conn, h hello) (*bufio.Reader, answer, error) {
	if err := c.SetDeadline(time.Now().Add(handshake)); err != nil {
		return nil, answer{}, err
	}
	if _, err := io.WriteString(c, magic); err != nil {
		return nil, answer{}, err
	}
	if err := say(c, h); err != nil {
		return nil, answer{}, err
	}
	r := bufio.NewReaderSize(c, longestLine)
	got := make([]byte, len(magic))
	if _, err := io.ReadFull(r, got); isTimeout(err) {
		return nil, answer{}, fmt.Errorf("the server says nothing for %v", handshake)
	} else if err != nil || string(got) != magic {
		return nil, answer{}, errors.New("what answers there is no rtrail throughput server; start \"rtrail throughput --serve 0.0.0.0 PORT\" there")
	}
	var a answer
	if err := hear(r, &a); err != nil {
		return nil, answer{}, fmt.Errorf("the answer of the server: %w", err)
	}
	if a.Refused != "" {
		return nil, a, fmt.Errorf("the server refuses: %s", escape.Line(a.Refused[:min(len(a.Refused), 200)]))
	}
	return r, a, c.SetDeadline(time.Time{})
}

func isTimeout(err error) bool {
	var t net.Error
	return errors.As(err, &t) && t.Timeout()
}

// greeted takes a client's request.
func greeted(c net.Conn) (*bufio.Reader, hello, error) {
	if err := c.SetDeadline(time.Now().Add(handshake)); err != nil {
		return nil, hello{}, err
	}
	r := bufio.NewReaderSize(c, longestLine)
	got := make([]byte, len(magic))
	if _, err := io.ReadFull(r, got); err != nil || string(got) != magic {
		return nil, hello{}, errors.New("no rtrail throughput client")
	}
	var h hello
	if err := hear(r, &h); err != nil {
		return nil, hello{}, err
	}
	return r, h, nil
}
