package mqtt

import (
	"encoding/binary"

	"rtrail/internal/packet/proto/framed"
)

// reader reads the fields of a packet.
type reader struct{ framed.Fields }

// text is a string, or its beginning if the rest was not read.
func (r *reader) text() []byte {
	n := int(r.Uint16())
	return r.Take(min(n, len(r.B)))
}

// varint is a length of at most four bytes.
func (r *reader) varint() int {
	v, n := binary.Uvarint(r.B[:min(len(r.B), maxHeader-1)])
	if n <= 0 {
		r.B = nil
		return 0
	}
	r.B = r.B[n:]
	return int(v)
}

// Properties by how long their values are (MQTT 5, 2.2.2.2). Others are strings.
const (
	topicAlias   = 0x23
	userProperty = 0x26
)

// alias is the topic alias among the properties of a PUBLISH; 0: there is none.
func (r *reader) alias() uint16 {
	n := r.varint()
	list := reader{framed.Fields{B: r.B[:min(n, len(r.B))]}}
	for len(list.B) > 0 {
		switch list.Byte() {
		case topicAlias:
			return list.Uint16()
		case 0x01: // payload format
			list.Take(1)
		case 0x02: // expiry
			list.Take(4)
		case 0x0b: // subscription
			list.varint()
		case userProperty:
			list.text()
			list.text()
		case 0x03, 0x08, 0x09: // content type, response topic, correlation data
			list.text()
		default:
			return 0
		}
	}
	return 0
}
