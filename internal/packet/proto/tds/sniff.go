package tds

import (
	"encoding/binary"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// sniff knows a packet by its header and by what its kind of message begins with.
func sniff(d flow.Dir, b []byte) proto.Match {
	if len(b) < headerSize {
		return sniffHeader(d, b)
	}
	size := length(d, b[:headerSize])
	if size == 0 || isTLS(b) {
		return proto.No
	}
	body := b[headerSize:min(int64(len(b)), size)]
	fit := sniffBody(d, b[0], int(size)-headerSize, body)
	const whole, number = lastPacket, 6
	if fit == proto.Maybe && int64(len(b)) == size && b[1]&whole != 0 && b[number] <= 1 {
		return proto.Likely
	}
	return fit
}

// sniffHeader judges a header of which only the beginning is there.
func sniffHeader(d flow.Dir, b []byte) proto.Match {
	whole := [headerSize]byte{3: headerSize}
	copy(whole[:], b)
	if len(b) > 0 && (length(d, whole[:]) == 0 || isTLS(b)) {
		return proto.No
	}
	return proto.Maybe
}

// begins says whether a chunk begins with a packet.
func begins(d flow.Dir, b []byte) bool { return sniff(d, b) >= proto.Likely || isTLS(b) }

// sniffBody judges the beginning of a body of size bytes.
func sniffBody(d flow.Dir, kind byte, size int, b []byte) proto.Match {
	le := binary.LittleEndian
	switch kind {
	case prelogin:
		return sniffPrelogin(d, b)
	case login:
		const front = 8
		if len(b) < front {
			return proto.Maybe
		}
		// Its length, and a version from 7.0 to 7.4.
		if version := b[7]; int(le.Uint32(b)) < size || version < 0x70 || version > 0x74 {
			return proto.No
		}
		return proto.Sure
	case batch, procedure, transaction:
		// One header about the transaction, which has a length, a type and 14 bytes.
		const headers, one, kind = 22, 18, 2
		if len(b) >= 10 && le.Uint32(b) == headers && le.Uint32(b[4:]) == one && le.Uint16(b[8:]) == kind {
			return proto.Sure
		}
	case attention:
		if size > 0 {
			return proto.No
		}
	case result:
		return sniffResult(size, b)
	}
	return proto.Maybe
}

// sniffPrelogin judges options: a number, an offset and a length each. The first is
// the version, of six bytes. Handshakes of TLS are wrapped like them.
func sniffPrelogin(d flow.Dir, b []byte) proto.Match {
	const front = 5
	if len(b) < front {
		return proto.Maybe
	}
	be := binary.BigEndian
	switch {
	case b[0] == 0 && be.Uint16(b[3:]) == 6 && be.Uint16(b[1:])%5 == 1:
		return proto.Sure
	case isTLS(b):
		return proto.Sure
	}
	return proto.No
}

// sniffResult judges the first token of an answer, or the options of a server.
func sniffResult(size int, b []byte) proto.Match {
	if len(b) < 3 {
		return proto.Maybe
	}
	switch b[0] {
	case 0:
		return sniffPrelogin(flow.ToClient, b)
	case errorToken, infoToken, environment, loginAck, order, sspiToken:
		if n := int(binary.LittleEndian.Uint16(b[1:])); n == 0 || 3+n > size {
			return proto.No
		}
	case done, doneProc, doneInProc:
		if binary.LittleEndian.Uint16(b[1:])&unused != 0 {
			return proto.No
		}
	case metadata, returnStatus, features:
	default:
		return proto.No
	}
	return proto.Maybe
}
