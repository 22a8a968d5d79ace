package cassandra

import (
	"bytes"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// sniff knows Startup by its option, segments by the CRC of their header, and other
// messages by their headers, one after the other.
func sniff(d flow.Dir, data []byte) proto.Match {
	if _, ok := segmentKind(data); ok {
		return proto.Sure
	}
	if len(data) < headerSize {
		return proto.Maybe
	}
	for seen := 0; ; seen++ {
		switch {
		case len(data) == 0:
			return proto.Likely
		case len(data) < headerSize:
			return proto.Maybe
		}
		size := length(d, data[:headerSize])
		switch {
		case size == 0:
			return proto.No
		case data[4] == startup && bytes.Contains(data[headerSize:min(int64(len(data)), size)], []byte("CQL_VERSION")):
			return proto.Sure
		case int64(len(data)) < size:
			return proto.Likely
		}
		data = data[size:]
	}
}

// begins says whether a chunk begins with a message.
func begins(d flow.Dir, data []byte) bool {
	return len(data) >= headerSize && length(d, data[:headerSize]) > 0
}
