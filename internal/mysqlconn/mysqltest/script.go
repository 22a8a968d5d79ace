package mysqltest

import (
	"io"
	"net"
	"time"
)

// Script is a connection to a server that says one thing after the other, the
// next one each time it is told something, and then closes. It needs no other
// goroutine, so that a run is like the one before.
type Script struct {
	Says [][]byte
	// Answer, if there is one, says what comes when Says is at its end.
	Answer func(heard []byte) []byte

	began  bool
	closed bool
	left   []byte
}

// Read gives what is said now, and the end when all of it was read.
func (s *Script) Read(b []byte) (int, error) {
	if !s.began {
		s.next(nil)
	}
	switch {
	case s.closed:
		return 0, net.ErrClosed
	case len(s.left) == 0:
		return 0, io.EOF
	}
	n := copy(b, s.left)
	s.left = s.left[n:]
	return n, nil
}

// Write goes on with the script.
func (s *Script) Write(b []byte) (int, error) {
	if s.closed {
		return 0, net.ErrClosed
	}
	s.next(b)
	return len(b), nil
}

func (s *Script) next(heard []byte) {
	s.began = true
	switch {
	case len(s.Says) > 0:
		s.left, s.Says = append(s.left, s.Says[0]...), s.Says[1:]
	case s.Answer != nil:
		s.left = append(s.left, s.Answer(heard)...)
	}
}

// Close ends it.
func (s *Script) Close() error { s.closed = true; return nil }

// LocalAddr is none.
func (s *Script) LocalAddr() net.Addr { return &net.UnixAddr{} }

// RemoteAddr is none.
func (s *Script) RemoteAddr() net.Addr { return &net.UnixAddr{} }

// SetDeadline does nothing: nothing is waited for.
func (s *Script) SetDeadline(time.Time) error { return nil }

// SetReadDeadline does nothing.
func (s *Script) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline does nothing.
func (s *Script) SetWriteDeadline(time.Time) error { return nil }
