package stack

import (
	"bytes"
	"fmt"

	"rtrail/internal/recording"
)

// KindFrame is the outermost frame of a stack in a text that holds stacks of
// several kinds, whose counts do not add up: [on-cpu], or [off-cpu, looks: 10],
// where the counts are of all looks together.
func (s *Stack) KindFrame() string {
	if s.Kind == recording.StackOffCPU {
		return fmt.Sprintf("[%s, looks: %d]", s.Kind, s.Samples)
	}
	return "[" + s.Kind + "]"
}

// ofKind takes what KindFrame wrote.
func (a *aggregate) ofKind(t *thread, frame []byte) bool {
	if string(frame) == "["+recording.StackOnCPU+"]" {
		t.kind = recording.StackOnCPU
		return true
	}
	rest, ok := bytes.CutPrefix(frame, []byte("["+recording.StackOffCPU+", looks: "))
	if !ok {
		return false
	}
	looks, rest := number(rest)
	if looks <= 0 || string(rest) != "]" {
		return false
	}
	t.kind = recording.StackOffCPU
	a.looks = max(a.looks, int64(looks))
	return true
}
