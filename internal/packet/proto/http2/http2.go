// Package http2 decodes HTTP/2 in clear text (RFC 9113) that begins with its preface, and
// gRPC within it (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md).
//
// An exchange is a request and its answer on one stream, whatever others are under way
// on the connection. Command is the method, Text the path. Failed are answers with a
// status of 400 to 599, of gRPC those whose grpc-status is not OK, and streams that the
// server resets; Code is the status, the name of the grpc-status (UNAVAILABLE) or of the
// reset (REFUSED_STREAM). What the client resets has no answer. Pushed answers belong to
// no exchange.
//
// Names of fields are compressed with what both sides remember (HPACK, RFC 7541). If a
// part of a header is missing, or the capture begins midway, times stay exact, since they
// hang on streams, but commands are "?", and their doubt is proto.Approximate.
//
// The server waits with some answers because it is asked to. They are marked
// proto.Blocking: calls of gRPC in which it sends several messages (server streaming), or
// begins before the client has ended (bidirectional streaming), and answers that had to wait for
// the client's window (flow control).
package http2

import (
	"encoding/binary"
	"maps"
	"slices"

	"golang.org/x/net/http2/hpack"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/framed"
	"rtrail/internal/packet/proto/pair"
)

// Protocol is the decoder. The ports are those of etcd; that of gRPC's examples, 50051,
// may be the port of any client.
var Protocol = proto.Protocol{Name: "http2", Ports: []uint16{2379, 2380}, Sniff: sniff, New: newParser}

const (
	headerSize = 9
	// maxFrame is the longest frame that the protocol has.
	maxFrame = 1<<24 - 1
	// maxPending bounds the requests under way: servers allow 100 to 250 streams.
	maxPending = 1024
	maxStreams = 1024
	maxText    = 1024 // bytes of a path
	maxBlock   = 64 << 10
	maxString  = 16 << 10
	maxTable   = 64 << 10 // bytes of names and values that are remembered
	firstTable = 4096     // what both sides begin with (SETTINGS_HEADER_TABLE_SIZE)
	window     = 65535    // bytes that may be sent at first
	preface    = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
)

// Types of frames.
const (
	dataFrame = iota
	headersFrame
	priorityFrame
	resetFrame
	settingsFrame
	pushFrame
	pingFrame
	goAwayFrame
	windowFrame
	continuationFrame
	prefaceFrame = 0xff
)

// Flags.
const (
	flagEndStream  = 0x1
	flagAck        = 0x1
	flagEndHeaders = 0x4
	flagPadded     = 0x8
	flagPriority   = 0x20
)

type frame struct {
	kind, flags byte
	stream      uint32
	padded      int  // bytes of padding; -1: not read yet
	cut         bool // a part of its payload is missing
}

// side is what is known of one direction.
type side struct {
	framed.Stream
	frame   frame
	payload []byte // of a frame that is read as a whole
	fields  *hpack.Decoder
	blind   bool // what the fields refer to was missed
	header  frame
	block   proto.Span // frames of a header that is not complete
	first   int64      // bytes that a stream of the other direction may begin with
	may     int64      // bytes that the other direction may send
}

type parser struct {
	table   pair.Table
	sides   [2]side
	streams map[uint32]*stream
	now     *stream // whose fields are read
	dir     flow.Dir
	cut     bool // a part of a frame is missing
	window  bool // windows are known: the beginning was captured
}

var format = framed.Format{Header: headerSize, Length: length, Begins: begins}

func newParser(sink proto.Sink, midway bool) proto.Parser {
	p := &parser{table: pair.NewTable(sink, maxPending), streams: map[uint32]*stream{}, window: !midway}
	for d := range p.sides {
		s := &p.sides[d]
		s.first, s.may = window, window
		s.fields = hpack.NewDecoder(firstTable, p.field)
		s.fields.SetMaxStringLength(maxString)
		s.fields.SetAllowedMaxDynamicTableSize(firstTable)
		if midway {
			s.Lose()
			s.blind = true
		}
	}
	return p
}

// length is how long a frame is; 0 if this is no header of one. The preface is taken for
// one.
func length(d flow.Dir, header []byte) int64 {
	if d == flow.ToServer && string(header) == preface[:headerSize] {
		return int64(len(preface))
	}
	f, size := readHeader(header)
	if f.kind > continuationFrame && f.kind < 0x10 || size > maxFrame || !fits(f, size) {
		return 0
	}
	return headerSize + size
}

func readHeader(h []byte) (f frame, size int64) {
	size = int64(h[0])<<16 | int64(h[1])<<8 | int64(h[2])
	return frame{kind: h[3], flags: h[4], stream: binary.BigEndian.Uint32(h[5:]), padded: -1}, size
}

// fits says whether a frame of this type may be so long, and on such a stream.
func fits(f frame, size int64) bool {
	switch f.kind {
	case dataFrame, headersFrame, continuationFrame, pushFrame:
		return f.stream != 0 && f.stream < 1<<31
	case priorityFrame:
		return size == 5
	case resetFrame:
		return size == 4 && f.stream != 0
	case settingsFrame:
		return size%6 == 0 && f.stream == 0
	case pingFrame:
		return size == 8 && f.stream == 0
	case goAwayFrame:
		return size >= 8 && f.stream == 0
	case windowFrame:
		return size == 4
	}
	return true
}

// Data takes the next bytes of a direction.
func (p *parser) Data(c *flow.Chunk) { p.sides[c.Dir].Data(&format, p, c) }

// Gap passes over bytes that are missing.
func (p *parser) Gap(d flow.Dir, n int64, _ flow.Stamp) { p.sides[d].Gap(&format, p, d, n) }

// Begin takes the header of a frame.
func (p *parser) Begin(d flow.Dir, header []byte) {
	s := &p.sides[d]
	s.payload = s.payload[:0]
	if s.frame, _ = readHeader(header); d == flow.ToServer && string(header) == preface[:headerSize] {
		s.frame.kind = prefaceFrame
	}
	if s.frame.flags&flagPadded == 0 {
		s.frame.padded = 0
	}
}

// Body takes a part of a frame.
func (p *parser) Body(d flow.Dir, data []byte) {
	s := &p.sides[d]
	if s.frame.kind == dataFrame {
		p.content(d, data)
		return
	}
	if s.frame.kind != prefaceFrame {
		n := min(len(data), maxBlock-len(s.payload))
		s.payload = append(s.payload, data[:n]...)
		s.frame.cut = s.frame.cut || n < len(data)
	}
}

// Missing is told of a part that was not captured.
func (p *parser) Missing(d flow.Dir, _ int64) {
	s := &p.sides[d]
	s.frame.cut, p.cut = true, true
	if t := p.streams[s.frame.stream]; t != nil && s.frame.kind == dataFrame {
		t.messages.lost = true
	}
}

// Lost is told that a direction is out of step.
func (p *parser) Lost(d flow.Dir) {
	p.sides[d].blind, p.window, p.cut = true, false, true
	p.table.Tear()
}

// Complete takes a frame.
func (p *parser) Complete(d flow.Dir) {
	s := &p.sides[d]
	switch f := s.frame; f.kind {
	case dataFrame:
		p.data(d, f)
	case headersFrame, pushFrame, continuationFrame:
		p.headers(d, s)
	case resetFrame:
		if !f.cut && len(s.payload) == 4 {
			p.reset(d, f.stream, binary.BigEndian.Uint32(s.payload))
		}
	case settingsFrame:
		p.settings(d, s)
	case windowFrame:
		p.widen(d, s)
	}
	if cap(s.payload) > 4<<10 {
		s.payload = nil
	}
}

// End gives out what is left: answers that the end cut short, in the order of their
// requests, and requests without answer.
func (p *parser) End(_ flow.Stamp, how flow.Ending) {
	for _, id := range slices.Sorted(maps.Keys(p.streams)) {
		if t := p.streams[id]; !t.answer.Empty() && p.outcome(id, t) {
			p.table.Broken(how)
			p.table.Answered(uint64(id))
		}
	}
	p.table.End()
	p.streams = nil
}

// Progress says what the connection is doing.
func (p *parser) Progress() proto.Progress {
	client, server := &p.sides[flow.ToServer], &p.sides[flow.ToClient]
	for _, t := range p.streams {
		if !t.answer.Empty() {
			return proto.Answering
		}
	}
	switch {
	case p.table.Len() > 0:
		return proto.Waiting
	case client.Lost(), server.Lost(), server.Within():
		return proto.Unclear
	}
	return proto.Idle
}

// Seeking implements proto.Seeker.
func (p *parser) Seeking() bool { return p.sides[flow.ToServer].Lost() }

// Owes says whether the oldest request is complete, and nobody but the server can go
// on: not the client, by a window that it opens.
func (p *parser) Owes() bool {
	if p.Progress() != proto.Waiting || len(p.streams) == 0 || p.sides[flow.ToServer].Within() || p.sides[flow.ToClient].Within() {
		return false
	}
	oldest := p.streams[slices.Min(slices.Collect(maps.Keys(p.streams)))]
	return oldest.asked && p.sides[flow.ToServer].may > 0
}
