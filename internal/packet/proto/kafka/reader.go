package kafka

import "encoding/binary"

// reader reads the fields of a message one by one. After one that is not all there,
// all are empty.
type reader struct {
	b        []byte
	compact  bool // lengths are varints, and tagged fields follow
	overread bool
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.b, r.overread = nil, true
		return nil
	}
	taken := r.b[:n]
	r.b = r.b[n:]
	return taken
}

func (r *reader) skip(n int) { r.take(n) }

func (r *reader) int16() int16 {
	if b := r.take(2); b != nil {
		return int16(binary.BigEndian.Uint16(b))
	}
	return 0
}

func (r *reader) int32() int32 {
	if b := r.take(4); b != nil {
		return int32(binary.BigEndian.Uint32(b))
	}
	return 0
}

// uvarint is a number of at most five bytes.
func (r *reader) uvarint() int {
	v, n := binary.Uvarint(r.b[:min(len(r.b), 5)])
	if n <= 0 || v > 1<<31-1 {
		r.b, r.overread = nil, true
		return 0
	}
	r.b = r.b[n:]
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
	return r.take(n)
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
	for n := r.uvarint(); n > 0 && !r.overread; n-- {
		r.uvarint()
		r.skip(r.uvarint())
	}
}
