package flatparquet

import "encoding/binary"

// writtenGroup is a row group that lies in the file.
type writtenGroup struct {
	rows, at        int64
	bytes, unpacked int64
	chunks          []writtenChunk
}

// writtenChunk is one of its columns.
type writtenChunk struct {
	at, data        int64 // where it begins, and its pages after the dictionary
	bytes, unpacked int64
	encoding        int64
	bounded         bool
	least, greatest int64
}

// footer describes the file: FileMetaData of
// https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
func (w *Writer) footer() []byte {
	m := &message{}
	fields := w.schema.Fields
	m.element(func() {
		m.i32(1, 2) // version of the format
		m.list(2, typeStruct, 1+len(fields))
		m.element(func() {
			m.binary(4, w.schema.Name)
			m.i32(5, int64(len(fields)))
		})
		for i := range fields {
			m.element(func() { m.leaf(&fields[i]) })
		}
		m.i64(3, w.total)
		m.list(4, typeStruct, len(w.groups))
		for i := range w.groups {
			m.element(func() { m.group(&w.groups[i], fields) })
		}
		m.binary(6, w.schema.By)
		m.list(7, typeStruct, len(fields)) // bounds are in the order of the type
		for range fields {
			m.element(func() { m.structure(1, nil) })
		}
	})
	m.b = binary.LittleEndian.AppendUint32(m.b, uint32(len(m.b)))
	return append(m.b, magic...)
}

// leaf writes a column of the schema.
func (m *message) leaf(f *Field) {
	// Numbers of converted types, which readers before logical types ask for.
	const (
		utf8     = 0
		unsigned = 11 // of 8 bits; 16, 32 and 64 follow
		signed   = 15
	)
	number := (f.Type == Int32 || f.Type == Int64) && f.Unit == NoTime
	m.i32(1, int64(f.Type))
	m.i32(3, 0) // required
	m.binary(4, f.Name)
	switch {
	case f.Type == ByteArray:
		m.i32(6, utf8)
		m.structure(10, func() { m.structure(1, nil) })
	case f.Unit != NoTime:
		m.structure(10, func() {
			m.structure(8, func() {
				m.bool(1, true) // in UTC
				m.structure(2, func() { m.structure(int64(f.Unit), nil) })
			})
		})
	case number:
		step := map[int]int64{8: 0, 16: 1, 32: 2, 64: 3}[f.Bits]
		if f.Unsigned {
			m.i32(6, unsigned+step)
		} else {
			m.i32(6, signed+step)
		}
		m.structure(10, func() {
			m.structure(10, func() {
				m.field(1, typeByte)
				m.b = append(m.b, byte(f.Bits))
				m.bool(2, !f.Unsigned)
			})
		})
	}
}

func (m *message) group(g *writtenGroup, fields []Field) {
	m.list(1, typeStruct, len(g.chunks))
	for i := range g.chunks {
		m.element(func() {
			m.i64(2, g.chunks[i].at)
			m.structure(3, func() { m.chunk(&g.chunks[i], &fields[i], g.rows) })
		})
	}
	m.i64(2, g.unpacked)
	m.i64(3, g.rows)
	m.i64(5, g.at)
	m.i64(6, g.bytes)
}

func (m *message) chunk(c *writtenChunk, f *Field, rows int64) {
	m.i32(1, int64(f.Type))
	encodings := []int64{c.encoding}
	if c.data > c.at {
		encodings = []int64{encodingPlain, c.encoding}
	}
	m.list(2, typeI32, len(encodings))
	for _, e := range encodings {
		m.b = binary.AppendVarint(m.b, e)
	}
	m.list(3, typeBinary, 1)
	m.text(f.Name)
	m.i32(4, codecZstd)
	m.i64(5, rows)
	m.i64(6, c.unpacked)
	m.i64(7, c.bytes)
	m.i64(9, c.data)
	if c.data > c.at {
		m.i64(11, c.at)
	}
	if c.bounded {
		m.structure(12, func() {
			m.i64(3, 0) // nulls
			m.binary(5, string(appendPlain(nil, f.Type, c.greatest, nil)))
			m.binary(6, string(appendPlain(nil, f.Type, c.least, nil)))
		})
	}
}
