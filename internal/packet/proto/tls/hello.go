package tls

import (
	"encoding/binary"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// Messages and extensions that are read (RFC 8446, 4 and 4.2).
const (
	clientHello = 1
	serverHello = 2

	extensionName     = 0
	extensionVersions = 43
)

// maxName is the length of the longest host name.
const maxName = 255

// reader takes fields off the front of a message that may have been cut short.
type reader struct {
	b  []byte
	ok bool
}

// next takes n bytes; of a message that is too short, what there is.
func (r *reader) next(n int) []byte {
	if n > len(r.b) {
		n, r.ok = len(r.b), false
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

// number takes a number of n bytes.
func (r *reader) number(n int) (v int) {
	for _, c := range r.next(n) {
		v = v<<8 | int(c)
	}
	return v
}

// extension finds an extension in a hello of the given type, given the message
// with its header; nil if there is none, or if it was not captured.
func extension(hello []byte, message, which int) []byte {
	r := reader{b: hello, ok: true}
	if r.number(1) != message {
		return nil
	}
	r.next(3 + 2 + 32)  // length, version, random
	r.next(r.number(1)) // session
	if message == clientHello {
		r.next(r.number(2)) // cipher suites
		r.next(r.number(1)) // compression methods
	} else {
		r.next(2 + 1)
	}
	for r.number(2); r.ok && len(r.b) > 0; {
		kind := r.number(2)
		body := r.next(r.number(2))
		if kind == which && r.ok {
			return body
		}
	}
	return nil
}

// serverName is the host name that the client asked for (RFC 6066, 3).
func serverName(hello []byte) []byte {
	r := reader{b: extension(hello, clientHello, extensionName), ok: true}
	r.number(2)
	for r.ok && len(r.b) > 0 {
		kind := r.number(1)
		name := r.next(r.number(2))
		if kind == 0 && r.ok && len(name) <= maxName {
			return append([]byte(nil), name...)
		}
	}
	return nil
}

// chosenVersion is the version that the server chose by extension; 0: none.
func chosenVersion(hello []byte) uint16 {
	b := extension(hello, serverHello, extensionVersions)
	if len(b) != 2 {
		return 0
	}
	return binary.BigEndian.Uint16(b)
}

// isHeader says whether data begins with the header of a record.
func isHeader(data []byte) bool {
	if len(data) < headerLength || data[1] != 3 || data[2] > 4 {
		return false
	}
	n := binary.BigEndian.Uint16(data[3:])
	switch data[0] {
	case changeCipherSpec:
		return n == 1
	case alert, handshake, applicationData, heartbeat:
		return n > 0 && n <= maxRecord
	}
	return false
}

// sniff knows a record by its header. In a capture that begins midway the first
// bytes may be in the midst of a record, where everything looks random: the port
// decides, unless they are text.
func sniff(_ flow.Dir, data []byte) proto.Match {
	if isHeader(data) {
		return proto.Sure
	}
	if len(data) < headerLength {
		return proto.Maybe
	}
	for _, b := range data[:min(len(data), 8)] {
		if b < ' ' && b != '\r' && b != '\n' || b > '~' {
			return proto.Maybe
		}
	}
	return proto.No
}
