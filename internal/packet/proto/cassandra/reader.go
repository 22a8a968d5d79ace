package cassandra

import "rtrail/internal/packet/proto/framed"

// reader reads the fields of a message.
type reader struct{ framed.Fields }

func (r *reader) int() int { return int(int32(r.Uint32())) }

// text is a string, or short bytes.
func (r *reader) text() []byte { return r.Take(int(r.Uint16())) }

// byteMap passes over one.
func (r *reader) byteMap() {
	for n := r.Uint16(); n > 0 && !r.Overread; n-- {
		r.text()
		r.Take(max(0, r.int()))
	}
}
