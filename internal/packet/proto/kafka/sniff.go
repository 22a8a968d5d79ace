package kafka

import (
	"encoding/binary"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// sniff knows a request by its key and version, the name of the client, which is
// printable and fits in, and a length that is that of the bytes. Answers have only
// a length and a number: they are likely where the lengths fit to the byte.
func sniff(d flow.Dir, data []byte) proto.Match {
	if len(data) < headerSize {
		if n := len(data); n >= 4 && binary.BigEndian.Uint32(data) > maxAnswer {
			return proto.No
		}
		return proto.Maybe
	}
	size := length(d, data[:headerSize])
	if size == 0 {
		return proto.No
	}
	if d == flow.ToClient {
		return sniffAnswer(data)
	}
	return sniffRequest(data, size)
}

// begins says whether a chunk begins with a message.
func begins(d flow.Dir, data []byte) bool {
	fit := sniff(d, data)
	return fit == proto.Sure || d == flow.ToClient && fit == proto.Likely
}

// sniffRequest judges a request of size bytes.
func sniffRequest(data []byte, size int64) proto.Match {
	const front = 14 // up to the name of the client
	if len(data) < front {
		return proto.Maybe
	}
	id, n := int32(binary.BigEndian.Uint32(data[8:])), int(int16(binary.BigEndian.Uint16(data[12:])))
	if id < 0 || n < -1 || int64(front+n) > size {
		return proto.No
	}
	client := data[front:]
	client = client[:max(0, min(n, len(client)))]
	for _, c := range client {
		if c < ' ' || c > '~' {
			return proto.No
		}
	}
	const telling = 4 // bytes of a name that others seldom have there
	if whole := int64(len(data)) == size; whole || len(client) >= telling {
		return proto.Sure
	}
	return proto.Maybe
}

// sniffAnswer judges answers, one after the other.
func sniffAnswer(data []byte) proto.Match {
	for len(data) >= headerSize {
		size := length(flow.ToClient, data[:headerSize])
		switch {
		case size == 0:
			return proto.No
		case int64(len(data)) == size:
			return proto.Likely
		case int64(len(data)) < size:
			return proto.Maybe
		}
		data = data[size:]
	}
	return proto.Maybe
}
