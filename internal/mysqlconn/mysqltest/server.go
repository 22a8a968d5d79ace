package mysqltest

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"strings"
)

// Server serves one connection.
type Server struct {
	// Method is the authentication of the greeting; "": mysql_native_password.
	Method string
	// TLS is offered unless it is nil.
	TLS *tls.Config
	// Login are the payloads that follow the client's first packet; "" waits for
	// another one of the client. nil: OK.
	Login []string
	// Answer gives the payloads of the answer to a statement, numbered from 1 on;
	// nil: an error.
	Answer func(statement string) []string
	// Raw replaces the answer to a statement by bytes with their headers; nil or
	// "": Answer is asked.
	Raw func(statement string) string
	// Heard gets the payloads of all packets of the client.
	Heard func(payload string)
}

// Serve speaks with a client until it leaves.
func (s Server) Serve(c net.Conn) {
	defer c.Close()
	method, capabilities := s.Method, uint16(0)
	if method == "" {
		method = "mysql_native_password"
	}
	if s.TLS != nil {
		capabilities |= TLS
	}
	if _, err := io.WriteString(c, Greeting(method, capabilities)); err != nil {
		return
	}
	in := bufio.NewReader(c)
	sequence, payload, err := s.read(in)
	if err != nil {
		return
	}
	if len(payload) == 32 && s.TLS != nil {
		t := tls.Server(begun{c, in}, s.TLS)
		c, in = t, bufio.NewReader(t)
		if sequence, _, err = s.read(in); err != nil {
			return
		}
	}
	login := s.Login
	if login == nil {
		login = []string{OK}
	}
	for _, p := range login {
		if p == "" {
			sequence, _, err = s.read(in)
		} else {
			sequence++
			_, err = io.WriteString(c, Packet(sequence, p))
		}
		if err != nil {
			return
		}
	}
	s.commands(c, in)
}

// begun is a connection of which some was read already.
type begun struct {
	net.Conn
	in *bufio.Reader
}

func (b begun) Read(p []byte) (int, error) { return b.in.Read(p) }

func (s Server) commands(c net.Conn, in *bufio.Reader) {
	for {
		_, payload, err := s.read(in)
		if err != nil || payload == "" || payload[0] == 1 {
			return
		}
		if _, err := io.WriteString(c, s.answer(payload)); err != nil {
			return
		}
	}
}

func (s Server) answer(payload string) string {
	if payload[0] == 14 { // a ping
		return Packet(1, OK)
	}
	statement := payload[1:]
	if s.Raw != nil {
		if raw := s.Raw(statement); raw != "" {
			return raw
		}
	}
	var packets []string
	if s.Answer != nil {
		packets = s.Answer(statement)
	}
	if packets == nil {
		packets = []string{Error(1146, "no such table")}
	}
	return Packets(packets)
}

// Packets numbers the payloads of an answer.
func Packets(payloads []string) string {
	var b strings.Builder
	for i, p := range payloads {
		b.WriteString(Packet(byte(i+1), p))
	}
	return b.String()
}

// read reads a packet of the client.
func (s Server) read(in *bufio.Reader) (sequence byte, payload string, err error) {
	var h [4]byte
	if _, err := io.ReadFull(in, h[:]); err != nil {
		return 0, "", err
	}
	b := make([]byte, int(h[0])|int(h[1])<<8|int(h[2])<<16)
	if _, err := io.ReadFull(in, b); err != nil {
		return 0, "", err
	}
	if s.Heard != nil {
		s.Heard(string(b))
	}
	return h[3], string(b), nil
}
