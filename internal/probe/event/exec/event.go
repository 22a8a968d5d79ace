package exec

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"time"
)

// Kinds of bpf/exec.c.
const (
	forked = 1 + iota
	began
	exited
)

// Sizes of struct event and struct exec_event of bpf/exec.c.
const (
	eventSize = 3*8 + 4*4 + 16
	argsAt    = eventSize + 2*4
	maxArgs   = 512
)

// happening is one event of bpf/exec.c.
type happening struct {
	at      time.Duration // of the monotonic clock
	started time.Duration // since boot, suspend included; with pid the identity
	cpu     time.Duration // of exited
	kind    uint32
	pid     int32
	ppid    int32
	code    uint32 // of exited, as wait(2) gives it
	comm    string
	args    []byte // of began, as in /proc/PID/cmdline; valid as long as what was parsed
	cut     bool   // there were more
}

// parse reads an event.
func parse(b []byte) (e happening, err error) {
	if len(b) < eventSize {
		return e, fmt.Errorf("parse an event of a process: %d bytes, not %d", len(b), eventSize)
	}
	e = happening{
		at:      duration(b),
		started: duration(b[8:]),
		cpu:     duration(b[16:]),
		kind:    binary.NativeEndian.Uint32(b[24:]),
		pid:     int32(binary.NativeEndian.Uint32(b[28:])),
		ppid:    int32(binary.NativeEndian.Uint32(b[32:])),
		code:    binary.NativeEndian.Uint32(b[36:]),
	}
	comm, _, _ := bytes.Cut(b[40:eventSize], []byte{0})
	e.comm = string(comm)
	switch e.kind {
	case forked, exited:
		return e, nil
	case began:
	default:
		return e, fmt.Errorf("parse an event of a process: the kind %d is not known", e.kind)
	}
	if len(b) < argsAt {
		return e, fmt.Errorf("parse an exec: %d bytes, not %d", len(b), argsAt)
	}
	length, whole := binary.NativeEndian.Uint32(b[eventSize:]), binary.NativeEndian.Uint32(b[eventSize+4:])
	if rest := b[argsAt:]; length > maxArgs || int(length) > len(rest) {
		return e, fmt.Errorf("parse an exec: %d bytes of arguments in %d", length, len(rest))
	}
	e.args, e.cut = b[argsAt:argsAt+length], length < whole
	return e, nil
}

// duration reads a number of nanoseconds. None gets so large that it would become
// negative.
func duration(b []byte) time.Duration {
	return time.Duration(max(int64(binary.NativeEndian.Uint64(b)), 0))
}

// status takes apart what wait(2) gives: the status of a process that ended by
// itself, or the signal that ended it.
func status(code uint32) (status, signal int32) {
	if s := int32(code & 0x7f); s != 0 {
		return -1, s
	}
	return int32(code >> 8 & 0xff), 0
}
