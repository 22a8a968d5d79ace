package mongodb

import (
	"bytes"
	"encoding/binary"
	"io"
	"sync"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"rtrail/internal/packet/proto"
)

// Bounds of compressed messages. What is larger has its times, and no command.
const (
	maxCompressed = 256 << 10 // bytes kept of a message under way
	maxInflated   = 4 << 20   // bytes that are read of one
	inflateStep   = 16 << 10  // bytes inflated at a time, where that is possible
	maxWindow     = 8 << 20   // of zstd, as much as its levels up to 19 use
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
	f := inflaters.Get().(*inflater)
	f.inflate(m, with, m.zip.B, min(int(size), maxInflated))
	inflaters.Put(f)
	if m.part != rest {
		m.give()
	}
}

// inflater is what it takes to inflate; it is shared by all connections.
type inflater struct {
	src  bytes.Reader
	zlib io.ReadCloser
	zstd *zstd.Decoder
	out  []byte
}

var inflaters = sync.Pool{New: func() any { return &inflater{out: make([]byte, inflateStep)} }}

// inflate has a message read what is compressed, at most max bytes of it.
func (f *inflater) inflate(m *message, with byte, body []byte, max int) {
	switch with {
	case noCompressor:
		m.read(body, nil)
		return
	case useSnappy:
		if n, err := snappy.DecodedLen(body); err != nil || n > max {
			return
		}
		if whole, err := snappy.Decode(nil, body); err == nil {
			m.read(whole, nil)
		}
		return
	}
	r := f.open(with, body)
	for r != nil && max > 0 && m.part != rest {
		n, err := io.ReadFull(r, f.out[:min(max, len(f.out))])
		m.read(f.out[:n], nil)
		if max -= n; err != nil {
			return
		}
	}
}

// open begins to inflate; nil if it cannot.
func (f *inflater) open(with byte, body []byte) io.Reader {
	f.src.Reset(body)
	switch {
	case with == useZstd && f.zstd == nil:
		d, err := zstd.NewReader(&f.src, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil
		}
		f.zstd = d
		return d
	case with == useZstd:
		if f.zstd.Reset(&f.src) != nil {
			return nil
		}
		return f.zstd
	case with != useZlib:
		return nil
	case f.zlib == nil:
		r, err := zlib.NewReader(&f.src)
		if err != nil {
			return nil
		}
		f.zlib = r
		return r
	}
	if f.zlib.(zlib.Resetter).Reset(&f.src, nil) != nil {
		return nil
	}
	return f.zlib
}
