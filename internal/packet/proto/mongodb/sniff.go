package mongodb

import (
	"bytes"
	"encoding/binary"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// sniff knows a message by its header, what follows it, and that only answers name
// a request.
func sniff(d flow.Dir, data []byte) proto.Match {
	if len(data) < headerSize {
		return sniffLength(data)
	}
	if length(d, data[:headerSize]) == 0 {
		return proto.No
	}
	le := binary.LittleEndian
	size := int64(le.Uint32(data)) - headerSize
	op, to := le.Uint32(data[12:]), le.Uint32(data[8:])
	if (d == flow.ToServer) != (to == 0) {
		return proto.No
	}
	body := data[headerSize:]
	body = body[:min(int64(len(body)), size)]
	switch op {
	case opMsg:
		return sniffMsg(body, size)
	case opCompressed:
		return sniffCompressed(d, body)
	case opReply:
		const front = 20
		if len(body) < front {
			return proto.Maybe
		}
		if le.Uint32(body) > 0xf || int32(le.Uint32(body[16:])) < 0 {
			return proto.No
		}
		if size == front {
			return proto.Likely
		}
		return sniffDocument(body[front:], size-front)
	case opKillCursors:
		return proto.Maybe
	}
	return sniffNamespace(body)
}

// begins says whether a chunk begins with a message, for certain.
func begins(d flow.Dir, data []byte) bool { return sniff(d, data) == proto.Sure }

// sniffLength judges a header of which only the beginning is there.
func sniffLength(data []byte) proto.Match {
	const least = 4
	if n := len(data); n >= least {
		if size := binary.LittleEndian.Uint32(data); size <= headerSize || size > maxMessage {
			return proto.No
		}
	}
	return proto.Maybe
}

// sniffMsg judges the body of OP_MSG, of size bytes: flags, of which three are
// known, and sections.
func sniffMsg(body []byte, size int64) proto.Match {
	const front = 5
	if len(body) < front {
		return proto.Maybe
	}
	const exhaustAllowed, checksum = 1 << 16, 1
	if binary.LittleEndian.Uint32(body)&^(exhaustAllowed|moreToCome|checksum) != 0 {
		return proto.No
	}
	switch kind, rest := body[4], body[front:]; {
	case kind == 0:
		return sniffDocument(rest, size-front)
	case kind == 1 && len(rest) >= 4:
		if n := int64(int32(binary.LittleEndian.Uint32(rest))); n < 6 || n > size-front {
			return proto.No
		}
		name, _, whole := bytes.Cut(rest[4:], []byte{0})
		if !whole || len(name) == 0 || !printable(name) {
			return proto.No
		}
		return proto.Sure
	case kind == 1:
		return proto.Maybe
	}
	return proto.No
}

// sniffDocument judges a document that has room bytes at most.
func sniffDocument(b []byte, room int64) proto.Match {
	const front = 5
	if len(b) < front {
		return proto.Maybe
	}
	n := int64(int32(binary.LittleEndian.Uint32(b)))
	if n < front || n > room {
		return proto.No
	}
	kind := b[4]
	if kind == 0 && n == front {
		return proto.Likely
	}
	sized := kind >= typeDouble && kind <= 0x13 || kind == 0x7f || kind == 0xff
	name, _, whole := bytes.Cut(b[front:], []byte{0})
	if !sized || !printable(name) || whole && len(name) == 0 {
		return proto.No
	}
	if !whole {
		return proto.Maybe
	}
	return proto.Sure
}

// sniffCompressed judges which operation is compressed, and by what.
func sniffCompressed(d flow.Dir, body []byte) proto.Match {
	const front = 9
	if len(body) < front {
		return proto.Maybe
	}
	op, size := binary.LittleEndian.Uint32(body), binary.LittleEndian.Uint32(body[4:])
	if op == opCompressed || !knownOp(d, op) || size == 0 || size > maxMessage || body[8] > useZstd {
		return proto.No
	}
	return proto.Sure
}

// sniffNamespace judges what older requests have in front: flags, and a collection.
func sniffNamespace(body []byte) proto.Match {
	const front = 4
	if len(body) < front {
		return proto.Maybe
	}
	name, _, whole := bytes.Cut(body[front:], []byte{0})
	switch {
	case binary.LittleEndian.Uint32(body) > 0xff || !printable(name):
		return proto.No
	case !whole:
		return proto.Maybe
	case bytes.IndexByte(name, '.') < 1:
		return proto.No
	}
	return proto.Sure
}

// printable says whether a name has no control characters.
func printable(name []byte) bool {
	for _, c := range name {
		if c < ' ' || c == 0x7f {
			return false
		}
	}
	return true
}
