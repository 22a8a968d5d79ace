package amqp

import (
	"encoding/binary"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// sniff knows the preamble, and frames by their type, the byte that ends them and the
// numbers of methods.
func sniff(d flow.Dir, data []byte) proto.Match {
	n := min(len(data), len(preamble))
	if string(data[:n]) == preamble[:n] {
		if n == len(preamble) {
			return proto.Sure
		}
		return proto.Maybe
	}
	if len(data) < headerSize {
		return proto.Maybe
	}
	size := length(d, data[:headerSize])
	switch {
	case size == 0, int64(len(data)) >= size && data[size-1] != frameEnd:
		return proto.No
	case data[0] == methodFrame:
		return sniffMethod(data, size)
	case data[0] == heartbeatFrame && int64(len(data)) >= size:
		return proto.Sure
	case int64(len(data)) >= size:
		return proto.Likely
	}
	return proto.Maybe
}

func sniffMethod(data []byte, size int64) proto.Match {
	const known = headerSize + 4
	if len(data) < known || size < known+1 {
		return proto.Maybe
	}
	class, m := binary.BigEndian.Uint16(data[headerSize:]), binary.BigEndian.Uint16(data[headerSize+2:])
	switch {
	case class != 10 && class != 20 && class != 40 && class != 50 && class != 60 && class != 85 && class != 90, m < 10 || m > 120:
		return proto.No
	case int64(len(data)) >= size:
		return proto.Sure
	}
	return proto.Likely
}

// begins says whether a chunk begins with a frame.
func begins(d flow.Dir, data []byte) bool {
	fit := sniff(d, data)
	return fit == proto.Sure || fit == proto.Likely
}
