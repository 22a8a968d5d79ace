package event

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path"
	"strings"
	"time"
)

// Named is struct event of bpf/given.h: a call that named a file.
type Named struct {
	At, Started time.Duration // since boot: of the monotonic clock, with suspend
	PID, Result int32
	Flags       uint32 // of the call
	Process     string
	Path        string // as the process gave it, a relative one with its directory
}

// Shape of struct event of bpf/given.h.
const (
	maxGiven = 1024
	textAt   = 64
	// What the second part of the text is.
	baseFile      = 1
	baseDirectory = 2
)

// ParseNamed reads an event.
func ParseNamed(b []byte) (n Named, err error) {
	if len(b) < textAt {
		return n, fmt.Errorf("parse a call that names a file: %d bytes, not %d", len(b), textAt)
	}
	number := func(at int) uint32 { return binary.NativeEndian.Uint32(b[at:]) }
	ago := func(at int) time.Duration { return time.Duration(max(int64(binary.NativeEndian.Uint64(b[at:])), 0)) }
	text := b[textAt:]
	given, base := uint64(number(28)), uint64(number(32))
	if given+base > uint64(len(text)) {
		return n, fmt.Errorf("parse a call that names a file: %d bytes of paths in %d", given+base, len(text))
	}
	return Named{
		At: ago(0), Started: ago(8), PID: int32(number(16)), Result: int32(number(20)), Flags: number(24),
		Process: Text((*[16]byte)(b[48:64])), Path: namedPath(text[:given], text[given:given+base], number(36), number(40)),
	}, nil
}

// namedPath is the path that a call gave, or names of the kernel if that is relative.
func namedPath(given, base []byte, kind, cut uint32) string {
	name, _, whole := bytes.Cut(given, []byte{0})
	said := strings.ToValidUTF8(string(name), "?")
	if len(given) == maxGiven && whole {
		said += "..." // longer than there was room
	}
	switch {
	case len(base) == 0 || path.IsAbs(said):
		return said
	case kind == baseFile:
		return PathOf(base, cut)
	case said == "":
		return ""
	}
	return strings.TrimSuffix(PathOf(base, cut), "/") + "/" + said
}
