package postgres

import (
	"bytes"
	"encoding/binary"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// sniff knows the first packet of a connection, and in the middle of one a query, a
// group of messages up to its Sync or Flush, and answers up to ReadyForQuery.
func sniff(d flow.Dir, data []byte) proto.Match {
	if d == flow.ToServer && isStartup(data) {
		return proto.Sure
	}
	if len(data) == 0 {
		return proto.Maybe
	}
	if len(data) < headerSize {
		if shapes[d&1][data[0]].most > 0 || d == flow.ToServer && data[0] == 0 {
			return proto.Maybe
		}
		return proto.No
	}
	if !chained(d, data) {
		return proto.No
	}
	count, last, whole := chain(data)
	switch {
	case d == flow.ToServer && data[0] == 'Q' && isQuery(data):
		if whole && count == 1 {
			return proto.Sure
		}
		return proto.Likely
	case !whole:
		if d == flow.ToClient && count > 2 {
			return proto.Likely
		}
		return proto.Maybe
	case d == flow.ToServer && count > 1 && (last == 'S' || last == 'H'), d == flow.ToClient && last == 'Z':
		return proto.Sure
	case d == flow.ToServer && (data[0] == 'S' || data[0] == 'X'), d == flow.ToClient && count > 1:
		return proto.Likely
	}
	return proto.Maybe
}

// isStartup says whether data is a request for encryption, for the end of another
// query, or a StartupMessage, as far as it goes: pairs of names and values that
// each end with a zero byte. Other protocols have a length in front too.
func isStartup(data []byte) bool {
	if len(data) < 8 {
		return false
	}
	n, code := binary.BigEndian.Uint32(data), binary.BigEndian.Uint32(data[4:])
	switch code {
	case sslRequest, gssRequest:
		return n == 8
	case cancelRequest:
		return n >= 16 && n <= maxCancel
	}
	if code>>16 != 3 || code&0xffff > 99 || n < 9 || n > maxStartup {
		return false
	}
	body := data[8:min(int(n), len(data))]
	if len(body) == 0 || n == 9 {
		return true // cut off, or without parameters
	}
	name, _, _ := bytes.Cut(body, []byte{0})
	for _, c := range name {
		if (c < 'a' || c > 'z') && c != '_' && c != '.' && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return len(name) > 0 && (int(n) > len(data) || data[n-1] == 0)
}

// maxCancel bounds the CancelRequest, whose key has up to 256 bytes since
// protocol 3.2.
const maxCancel = 4 + 4 + 4 + 256

// isQuery says whether a Query begins with text.
func isQuery(data []byte) bool {
	n := int(binary.BigEndian.Uint32(data[1:]))
	text := data[headerSize:]
	if n+1 <= len(data) {
		if data[n] != 0 {
			return false
		}
		text = data[headerSize:n]
	}
	const enough = 4 // shorter statements are words like "abc"
	if len(text) < enough {
		return false
	}
	for _, c := range text[:min(len(text), 16)] {
		if c < ' ' && c != '\n' && c != '\t' && c != '\r' || c == 0x7f {
			return false
		}
	}
	return true
}

func isReady(status byte) bool { return status == 'I' || status == 'T' || status == 'E' }

// chain counts the messages that chained bytes begin; whole says that they end with
// the last one, which is of the type last.
func chain(b []byte) (count int, last byte, whole bool) {
	for len(b) >= headerSize {
		n := 1 + int(binary.BigEndian.Uint32(b[1:]))
		count++
		last = b[0]
		if n >= len(b) {
			return count, last, n == len(b)
		}
		b = b[n:]
	}
	return count, last, false
}
