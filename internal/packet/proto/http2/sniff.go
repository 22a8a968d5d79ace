package http2

import (
	"strings"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// maxUsual is the length of a frame that both sides take unless they say more
// (SETTINGS_MAX_FRAME_SIZE).
const maxUsual = 16 << 10

// maxStream is the number of a stream that only connections reach which have had a
// million requests.
const maxStream = 1 << 21

// sniff knows a client by its preface and a server by its settings. In the middle of a
// connection it takes frames, one behind the other, for likely.
func sniff(d flow.Dir, data []byte) proto.Match {
	if d == flow.ToServer && (strings.HasPrefix(preface, string(data[:min(len(data), len(preface))]))) {
		if len(data) >= len(preface) {
			return proto.Sure
		}
		return proto.Maybe
	}
	whole := 0
	for len(data) >= headerSize {
		f, size := readHeader(data)
		switch {
		case size > maxUsual, f.kind > continuationFrame, !fits(f, size), f.flags&^flagsOf[f.kind] != 0, f.stream >= maxStream,
			f.kind == dataFrame && size == 0 && f.flags&flagEndStream == 0: // zeros, of which other protocols are full
			return proto.No
		case int64(len(data)) < headerSize+size:
			return some(whole)
		}
		whole++
		data = data[headerSize+size:]
	}
	return some(whole)
}

// flagsOf has the flags that a frame of a type can have.
var flagsOf = [...]byte{
	dataFrame: flagEndStream | flagPadded, headersFrame: flagEndStream | flagEndHeaders | flagPadded | flagPriority, settingsFrame: flagAck,
	pushFrame: flagEndHeaders | flagPadded, pingFrame: flagAck, continuationFrame: flagEndHeaders,
}

func some(whole int) proto.Match {
	if whole > 0 {
		return proto.Likely
	}
	return proto.Maybe
}

// begins says whether a chunk begins with a frame.
func begins(d flow.Dir, data []byte) bool {
	fit := sniff(d, data)
	return fit == proto.Sure || fit == proto.Likely
}
