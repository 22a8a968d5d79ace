package opens

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path"
	"strings"
	"time"

	"rtrail/internal/probe/event"
	"rtrail/internal/recording"
)

// Shape of struct event of bpf/opens.c.
const (
	maxGiven = 1024
	textAt   = 64
	// What the second part of the text is.
	baseFile      = 1
	baseDirectory = 2
)

// row makes a row of an event.
func (s *Source) row(b []byte) (row recording.FileOpen, err error) {
	if len(b) < textAt {
		return row, fmt.Errorf("parse an open: %d bytes, not %d", len(b), textAt)
	}
	number := func(at int) uint32 { return binary.NativeEndian.Uint32(b[at:]) }
	ago := func(at int) time.Duration { return time.Duration(max(int64(binary.NativeEndian.Uint64(b[at:])), 0)) }
	text := b[textAt:]
	given, base := uint64(number(28)), uint64(number(32))
	if given+base > uint64(len(text)) {
		return row, fmt.Errorf("parse an open: %d bytes of paths in %d", given+base, len(text))
	}
	row = recording.FileOpen{
		At: s.clock.Monotonic.Add(ago(0)), Started: s.clock.Started(ago(8)), PID: int32(number(16)), FD: int32(number(20)), Flags: number(24),
		Process: event.Text((*[16]byte)(b[48:64])), Path: pathOf(text[:given], text[given:given+base], number(36), number(40)),
	}
	if row.FD < 0 {
		row.FD, row.Error = recording.Unknown, -row.FD
	}
	return row, nil
}

// pathOf is the path of an open: what was given, or names of the kernel if that is relative.
func pathOf(given, base []byte, kind, cut uint32) string {
	name, _, whole := bytes.Cut(given, []byte{0})
	said := strings.ToValidUTF8(string(name), "?")
	if len(given) == maxGiven && whole {
		said += "..." // longer than there was room
	}
	switch {
	case len(base) == 0 || path.IsAbs(said):
		return said
	case kind == baseFile:
		return event.PathOf(base, cut)
	case said == "":
		return ""
	}
	return strings.TrimSuffix(event.PathOf(base, cut), "/") + "/" + said
}
