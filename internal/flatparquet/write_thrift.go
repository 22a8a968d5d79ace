package flatparquet

import "encoding/binary"

// message writes Thrift's compact protocol.
type message struct {
	b    []byte
	last []int64 // number of the last field, of each struct that is open
}

// open begins a struct; close ends it.
func (m *message) open() { m.last = append(m.last, 0) }

func (m *message) close() {
	m.b = append(m.b, 0)
	m.last = m.last[:len(m.last)-1]
}

// field begins a field, whose number is at most 15 more than that of the one before.
func (m *message) field(id int64, kind byte) {
	last := &m.last[len(m.last)-1]
	m.b = append(m.b, byte(id-*last)<<4|kind)
	*last = id
}

func (m *message) i32(id, v int64) {
	m.field(id, typeI32)
	m.b = binary.AppendVarint(m.b, v)
}

func (m *message) i64(id, v int64) {
	m.field(id, typeI64)
	m.b = binary.AppendVarint(m.b, v)
}

func (m *message) bool(id int64, v bool) {
	if v {
		m.field(id, typeTrue)
	} else {
		m.field(id, typeFalse)
	}
}

func (m *message) binary(id int64, v string) {
	m.field(id, typeBinary)
	m.text(v)
}

// text is an element of a list, or the rest of a field.
func (m *message) text(v string) {
	m.b = binary.AppendUvarint(m.b, uint64(len(v)))
	m.b = append(m.b, v...)
}

// structure writes a field that is a struct.
func (m *message) structure(id int64, content func()) {
	m.field(id, typeStruct)
	m.element(content)
}

// element writes a struct in a list.
func (m *message) element(content func()) {
	m.open()
	if content != nil {
		content()
	}
	m.close()
}

// list begins a list of n elements, which the caller writes.
func (m *message) list(id int64, kind byte, n int) {
	m.field(id, typeList)
	if n < 15 {
		m.b = append(m.b, byte(n)<<4|kind)
		return
	}
	m.b = binary.AppendUvarint(append(m.b, 15<<4|kind), uint64(n))
}

// append writes the header of a page.
func (h *pageHeader) append(b []byte) []byte {
	m := &message{b: b}
	m.element(func() {
		m.i32(1, h.kind)
		m.i32(2, h.unpacked)
		m.i32(3, h.compressed)
		if h.kind == pageDictionary {
			m.structure(7, func() {
				m.i32(1, h.values)
				m.i32(2, h.encoding)
			})
			return
		}
		m.structure(8, func() {
			m.i32(1, h.values)
			m.i32(2, 0) // nulls
			m.i32(3, h.values)
			m.i32(4, h.encoding)
			m.i32(5, 0) // bytes of levels, of which flat columns without nulls have none
			m.i32(6, 0)
			m.bool(7, h.packed)
		})
	})
	return m.b
}
