package cassandra

import "encoding/binary"

// reader reads the fields of a message one by one. After one that is not all there, all
// are empty.
type reader struct {
	b        []byte
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

func (r *reader) octet() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) short() uint16 {
	if b := r.take(2); b != nil {
		return binary.BigEndian.Uint16(b)
	}
	return 0
}

func (r *reader) int() int {
	if b := r.take(4); b != nil {
		return int(int32(binary.BigEndian.Uint32(b)))
	}
	return 0
}

// text is a string, or short bytes.
func (r *reader) text() []byte { return r.take(int(r.short())) }

// byteMap passes over one.
func (r *reader) byteMap() {
	for n := r.short(); n > 0 && !r.overread; n-- {
		r.text()
		r.take(max(0, r.int()))
	}
}
