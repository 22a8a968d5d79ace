package http2

import (
	"encoding/binary"
	"strconv"

	"rtrail/internal/packet/flow"
)

// Settings that matter here (RFC 9113, 6.5.2).
const (
	settingTable  = 1 // SETTINGS_HEADER_TABLE_SIZE
	settingWindow = 4 // SETTINGS_INITIAL_WINDOW_SIZE
)

// settings takes what a side asks of the other one.
func (p *parser) settings(d flow.Dir, s *side) {
	if s.frame.flags&flagAck != 0 || s.frame.cut {
		return
	}
	for b := s.payload; len(b) >= 6; b = b[6:] {
		value := binary.BigEndian.Uint32(b[2:])
		switch binary.BigEndian.Uint16(b) {
		case settingTable:
			p.sides[d.Other()].fields.SetAllowedMaxDynamicTableSize(min(value, maxTable))
		case settingWindow:
			if d == flow.ToServer {
				p.resize(int64(value))
			}
		}
	}
}

// resize changes how many bytes streams of the server begin with, also of those that
// are under way.
func (p *parser) resize(first int64) {
	s := &p.sides[flow.ToServer]
	for _, t := range p.streams {
		t.may += first - s.first
	}
	s.first = first
}

// widen takes a WINDOW_UPDATE.
func (p *parser) widen(d flow.Dir, s *side) {
	if d != flow.ToServer || len(s.payload) < 4 {
		return
	}
	more := int64(binary.BigEndian.Uint32(s.payload) & (1<<31 - 1))
	if s.frame.stream == 0 {
		s.may += more
	} else if t := p.streams[s.frame.stream]; t != nil {
		t.may += more
	}
}

// resets are the names of error codes (RFC 9113, 7).
var resets = []string{"NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED", "FRAME_SIZE_ERROR",
	"REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED"}

func resetName(code uint32) string {
	if int64(code) < int64(len(resets)) {
		return resets[code]
	}
	return "RST_STREAM"
}

// statuses are the names of grpc-status.
var statuses = []string{"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED",
	"RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED"}

func statusName(s string) string {
	if n, err := strconv.Atoi(s); err == nil && n >= 0 && n < len(statuses) {
		return statuses[n]
	}
	return "UNKNOWN"
}
