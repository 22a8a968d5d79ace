// Package mysql decodes the client/server protocol of MySQL (4.1 protocol, up
// to 9.x) and MariaDB, as described in "MySQL Client/Server Protocol" of the
// MySQL source documentation and "Client/Server Protocol" of the MariaDB
// documentation.
//
// An exchange is one command and all that the server sends for it: several
// result sets of a multi-statement are one answer. What the server says
// unasked - the greeting, the exchange of secrets at login - is never an
// answer. But a login that the server refuses is the exchange Connect: its request
// is all that the client said to log in, its answer the error; where the error
// comes instead of the greeting (too many connections, host blocked), there is no
// request. The file of LOAD DATA LOCAL INFILE belongs to the request, whose last
// packet is the one that ends the file; that the server asks for it is no answer.
// Only where results came before, or other requests wait, is the question the first
// packet of the answer, and the upload of the file lies between the first and the
// last packet of the response. So it is where the server asks for a password at
// COM_CHANGE_USER.
//
// Rows counts the rows of all result sets of an answer, and those that its statements
// changed. Error is the SQLSTATE, where there is one, a blank, and the
// message.
package mysql

import (
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// Protocol is the decoder. The X protocol on port 33060 is another one.
var Protocol = proto.Protocol{
	Name:  "mysql",
	Ports: []uint16{3306},
	Sniff: sniff,
	New:   newParser,
	Trim:  trim(),
}

func newParser(sink proto.Sink, midway bool) proto.Parser {
	p := &parser{sink: sink, scratch: proto.ScratchOf(sink)}
	if midway {
		p.phase, p.midway, p.nextDoubt = phaseCommand, true, proto.Resync
		p.side[flow.ToServer].lost, p.side[flow.ToClient].lost = true, true
	}
	return p
}

// isTLS is true for the header of a TLS record: a command of such a length would
// be of 196,000 bytes and more.
func isTLS(b []byte) bool {
	return len(b) >= 5 && b[0] >= 20 && b[0] <= 23 && b[1] == 3 && b[2] <= 4 && (b[3] != 0 || b[4] != 0) && b[3] <= 0x48
}

func le16(b []byte) uint16 { return uint16(b[0]) | uint16(b[1])<<8 }
func le24(b []byte) uint32 { return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 }
func le32(b []byte) uint32 { return le24(b) | uint32(b[3])<<24 }

// lenenc reads a length-encoded integer; n is how many bytes it has, 0 if it is
// not complete or none.
func lenenc(b []byte) (v uint64, n int) {
	if len(b) == 0 {
		return 0, 0
	}
	switch {
	case b[0] < 0xfb:
		return uint64(b[0]), 1
	case b[0] == 0xfc && len(b) >= 3:
		return uint64(le16(b[1:])), 3
	case b[0] == 0xfd && len(b) >= 4:
		return uint64(le24(b[1:])), 4
	case b[0] == 0xfe && len(b) >= 9:
		return uint64(le32(b[1:])) | uint64(le32(b[5:]))<<32, 9
	}
	return 0, 0
}
