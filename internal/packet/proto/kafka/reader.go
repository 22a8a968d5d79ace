package kafka

import (
	"encoding/binary"

	"rtrail/internal/packet/proto/framed"
)

// reader reads the fields of a message one by one.
type reader struct {
	framed.Fields
	compact bool // lengths are varints, and tagged fields follow
}

func (r *reader) int16() int16 { return int16(r.Uint16()) }

func (r *reader) int32() int32 { return int32(r.Uint32()) }

// uvarint is a number of at most five bytes.
func (r *reader) uvarint() int {
	v, n := binary.Uvarint(r.B[:min(len(r.B), 5)])
	if n <= 0 || v > 1<<31-1 {
		r.B, r.Overread = nil, true
		return 0
	}
	r.B = r.B[n:]
	return int(v)
}

// text is a string; nil stands for one that is null.
func (r *reader) text() []byte {
	n := 0
	if r.compact {
		n = r.uvarint() - 1
	} else {
		n = int(r.int16())
	}
	if n < 0 {
		return nil
	}
	return r.Take(n)
}

// list is how many elements an array has.
func (r *reader) list() int {
	n := 0
	if r.compact {
		n = r.uvarint() - 1
	} else {
		n = int(r.int32())
	}
	return max(n, 0)
}

// tags passes over tagged fields, which flexible versions have.
func (r *reader) tags() {
	if !r.compact {
		return
	}
	for n := r.uvarint(); n > 0 && !r.Overread; n-- {
		r.uvarint()
		r.Take(r.uvarint())
	}
}
