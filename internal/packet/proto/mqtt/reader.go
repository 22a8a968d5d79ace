package mqtt

import "encoding/binary"

// reader reads the fields of a packet one by one. After one that is not all there, all
// are empty.
type reader struct{ b []byte }

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.b = nil
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

// text is a string, or its beginning if the rest was not read.
func (r *reader) text() []byte {
	n := int(r.short())
	return r.take(min(n, len(r.b)))
}

// varint is a length of at most four bytes.
func (r *reader) varint() int {
	v, n := binary.Uvarint(r.b[:min(len(r.b), maxHeader-1)])
	if n <= 0 {
		r.b = nil
		return 0
	}
	r.b = r.b[n:]
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
	list := reader{b: r.b[:min(n, len(r.b))]}
	for len(list.b) > 0 {
		switch list.octet() {
		case topicAlias:
			return list.short()
		case 0x01: // payload format
			list.take(1)
		case 0x02: // expiry
			list.take(4)
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
