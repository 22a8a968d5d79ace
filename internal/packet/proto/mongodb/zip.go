package mongodb

import (
	"encoding/binary"

	"github.com/klauspost/compress/snappy"

	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/inflate"
)

// Bounds of compressed messages. What is larger has its times, and no command.
const (
	maxCompressed = 256 << 10 // bytes kept of a message under way
	maxInflated   = 4 << 20   // bytes that are read of one
)

// Compressors.
const (
	noCompressor = 0
	useSnappy    = 1
	useZlib      = 2
	useZstd      = 3
)

// pack keeps a part of what is compressed.
func (m *message) pack(b []byte, stock *proto.Buffers) {
	if m.zip == nil {
		m.zip = stock.Get()
	}
	if len(m.zip.B)+len(b) > maxCompressed {
		m.give()
		return
	}
	m.zip.B = append(m.zip.B, b...)
}

// unzip reads a compressed message that is all there.
func (m *message) unzip() {
	if m.part != packed {
		return
	}
	op, size, with := binary.LittleEndian.Uint32(m.held[:]), int32(binary.LittleEndian.Uint32(m.held[4:])), m.held[8]
	if m.zip == nil || op == opCompressed || !knownOp(m.dir, op) || size <= 0 {
		m.give()
		return
	}
	m.operation(op)
	m.inflate(with, m.zip.B, min(int(size), maxInflated))
	if m.part != rest {
		m.give()
	}
}

// inflate reads what is compressed, at most max bytes of it.
func (m *message) inflate(with byte, body []byte, max int) {
	switch with {
	case noCompressor:
		m.read(body, nil)
	case useSnappy:
		if n, err := snappy.DecodedLen(body); err != nil || n > max {
			return
		}
		if whole, err := snappy.Decode(nil, body); err == nil {
			m.read(whole, nil)
		}
	case useZlib, useZstd:
		inflate.Steps(body, with == useZstd, max, func(piece []byte) bool {
			m.read(piece, nil)
			return m.part != rest
		})
	}
}
