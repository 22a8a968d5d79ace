package fastcgi

import (
	"bytes"
	"fmt"
	"strings"

	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/http"
)

const (
	statusField = "status:"
	usual       = 200     // status of a script that sets none
	maxHeader   = 8 << 10 // bytes before the body that are looked at
)

// head reads the header that a script writes before its body (RFC 3875, 6.3), in pieces.
type head struct {
	line   [len(statusField) + 6]byte // the beginning of the line under way
	have   uint8
	size   int
	over   bool
	status int // 0: not known
}

// lose stops it.
func (h *head) lose() { h.over = true }

// read takes the next bytes on STDOUT.
func (h *head) read(b []byte) {
	for len(b) > 0 && !h.over {
		end := bytes.IndexByte(b, '\n')
		n := end
		if end < 0 {
			n = len(b)
		}
		h.have += uint8(copy(h.line[h.have:], b[:n]))
		if h.size += n + 1; h.size > maxHeader {
			h.lose()
		}
		if end < 0 {
			return
		}
		b = b[end+1:]
		h.field(bytes.TrimSuffix(h.line[:h.have], []byte("\r")))
		h.have = 0
	}
}

// field takes a line; an empty one ends the header.
func (h *head) field(line []byte) {
	if len(line) == 0 {
		h.over = true
		if h.status == 0 {
			h.status = usual
		}
		return
	}
	if len(line) < len(statusField) || !bytes.EqualFold(line[:len(statusField)], []byte(statusField)) {
		return
	}
	const digits = 3
	code := bytes.TrimLeft(line[len(statusField):], " ")
	n := 0
	for _, c := range code[:min(len(code), digits)] {
		if c < '0' || c > '9' {
			return
		}
		n = 10*n + int(c-'0')
	}
	h.status = n
}

// line is the beginning of the first line on STDERR.
type line struct {
	text  []byte
	ended bool
}

func (l *line) read(b []byte) {
	if l.ended {
		return
	}
	if end := bytes.IndexByte(b, '\n'); end >= 0 {
		b, l.ended = b[:end], true
	}
	l.text = append(l.text, b[:min(len(b), maxLog-len(l.text))]...)
}

// refusals are what the server says of a request that it does not take.
var refusals = [...]string{1: "CANT_MPX_CONN", 2: "OVERLOADED", 3: "UNKNOWN_ROLE"}

// outcome fills in what is known of an answer: exit is the exit status of the script,
// refusal the protocol status of the server.
func outcome(e *proto.Exchange, r *request, exit int32, refusal byte) {
	status := r.head.status
	e.Failed = true
	switch {
	case refusal > 0 && int(refusal) < len(refusals):
		e.Code = refusals[refusal]
	case status >= 400 && status <= 599:
		e.Code, e.Error = http.Status(status), http.Phrase(status, nil)
	case exit != 0:
		e.Code, e.Error = "EXIT", fmt.Sprintf("exit status %d", exit)
	case len(r.log.text) > 0:
		e.Code = "STDERR"
	default:
		e.Failed = false
		if status > 0 {
			e.Code = http.Status(status)
		}
	}
	if e.Failed && len(r.log.text) > 0 {
		e.Error = strings.ToValidUTF8(string(r.log.text), "�")
	}
}
