package fastcgi

import (
	"bytes"
	"encoding/binary"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// length is how long a record is; 0 if this is no header of one that this side sends.
func length(d flow.Dir, header []byte) int64 {
	const version, reserved = 0, 7
	if header[version] != 1 || header[reserved] != 0 {
		return 0
	}
	id, size := binary.BigEndian.Uint16(header[2:]), int64(binary.BigEndian.Uint16(header[4:]))
	sender, fixed := flow.ToServer, int64(-1)
	switch kind := header[1]; kind {
	case beginRequest:
		fixed = 8
	case endRequest, unknownType:
		sender, fixed = flow.ToClient, 8
	case abortRequest:
		fixed = 0
	case paramsRecord, stdin, data, getValues:
	case stdout, stderr, getValuesResult:
		sender = flow.ToClient
	default:
		return 0
	}
	about := header[1] >= getValues // the server, not a request
	if d != sender || about != (id == management) || fixed >= 0 && size != fixed {
		return 0
	}
	return headerSize + size + int64(header[6])
}

// sniff knows a record that begins or ends a request, one that asks about the server,
// and output that begins with a field. Others are likely where they end with the bytes.
func sniff(d flow.Dir, b []byte) proto.Match {
	for len(b) >= headerSize {
		size := length(d, b[:headerSize])
		if size == 0 {
			return proto.No
		}
		content := b[headerSize:min(int64(len(b)), size)]
		content = content[:min(len(content), int(binary.BigEndian.Uint16(b[4:])))]
		if fit := sniffContent(b[1], content); fit != proto.Maybe {
			return fit
		}
		switch {
		case int64(len(b)) == size:
			return proto.Likely
		case int64(len(b)) < size:
			return proto.Maybe
		}
		b = b[size:]
	}
	if len(b) > 0 && b[0] != 1 {
		return proto.No
	}
	return proto.Maybe
}

// begins says whether a chunk begins with a record.
func begins(d flow.Dir, b []byte) bool { return sniff(d, b) >= proto.Likely }

// sniffContent judges what is there of the content of a record.
func sniffContent(kind byte, b []byte) proto.Match {
	const whole = 8
	switch kind {
	case beginRequest, endRequest:
		if len(b) < whole {
			return proto.Maybe
		}
		known := b[0] == 0 && b[1] >= responder && b[1] <= filter && b[2] <= 1
		unused := b[3:]
		if kind == endRequest {
			known, unused = int(b[4]) < len(refusals), b[5:]
		}
		if !known || !bytes.Equal(unused, make([]byte, len(unused))) {
			return proto.No
		}
		return proto.Sure
	case getValues, getValuesResult:
		const prefix, lengths = "FCGI_", 2
		if len(b) >= lengths+len(prefix) && string(b[lengths:lengths+len(prefix)]) == prefix {
			return proto.Sure
		}
	case stdout:
		const telling = 4 // letters of a field that others seldom have there
		if n := bytes.IndexFunc(b, func(c rune) bool { return !isToken(c) }); n >= telling && b[n] == ':' {
			return proto.Sure
		}
	}
	return proto.Maybe
}

// isToken says whether the name of a field may have a character, as those of scripts do.
func isToken(c rune) bool { return c == '-' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
