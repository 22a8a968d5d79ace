package flatparquet

import (
	"encoding/binary"
	"errors"
)

// Types of Thrift's compact protocol.
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
const (
	typeTrue   = 1
	typeFalse  = 2
	typeByte   = 3
	typeI16    = 4
	typeI32    = 5
	typeI64    = 6
	typeDouble = 7
	typeBinary = 8
	typeList   = 9
	typeSet    = 10
	typeMap    = 11
	typeStruct = 12
)

// maxDepth bounds structs in structs; Parquet has five.
const maxDepth = 16

var errThrift = errors.New("its description is damaged")

// compact reads a message of Thrift's compact protocol. What it returns after an
// error is zero. Nothing is allocated: a length is only believed if as many
// bytes are there.
type compact struct {
	b     []byte
	short bool // the error is that the bytes end
	err   error
	depth int
}

func (c *compact) fail(err error) {
	if c.err == nil {
		c.err = err
	}
	c.b = nil
}

func (c *compact) ends() {
	if c.err == nil {
		c.short = true
	}
	c.fail(errThrift)
}

func (c *compact) byte() byte {
	if len(c.b) == 0 {
		c.ends()
		return 0
	}
	v := c.b[0]
	c.b = c.b[1:]
	return v
}

func (c *compact) uvarint() uint64 {
	v, n := binary.Uvarint(c.b)
	switch {
	case n == 0:
		c.ends()
		return 0
	case n < 0:
		c.fail(errThrift)
		return 0
	}
	c.b = c.b[n:]
	return v
}

func (c *compact) int() int64 {
	v := c.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

// bytes gives a part of the message itself.
func (c *compact) bytes() []byte {
	n := c.uvarint()
	if n > uint64(len(c.b)) {
		c.ends()
		return nil
	}
	v := c.b[:n:n]
	c.b = c.b[n:]
	return v
}

// fields calls f for every field of a struct; f reads it, or skips it.
func (c *compact) fields(f func(id int64, kind byte)) {
	if c.depth++; c.depth > maxDepth {
		c.fail(errThrift)
	}
	defer func() { c.depth-- }()
	id := int64(0)
	for c.err == nil {
		head := c.byte()
		if head == 0 {
			return
		}
		if step := int64(head >> 4); step != 0 {
			id += step
		} else {
			id = c.int()
		}
		f(id, head&15)
	}
}

// list calls f for every element. An element takes a byte or more.
func (c *compact) list(f func(kind byte)) {
	head := c.byte()
	n := uint64(head >> 4)
	if n == 15 {
		n = c.uvarint()
	}
	if n > uint64(len(c.b)) {
		c.ends()
	}
	if c.depth++; c.depth > maxDepth {
		c.fail(errThrift)
	}
	defer func() { c.depth-- }()
	for ; n > 0 && c.err == nil; n-- {
		f(head & 15)
	}
}

// skip reads over a field. Booleans of fields are in their type.
func (c *compact) skip(kind byte) {
	switch kind {
	case typeTrue, typeFalse:
	default:
		c.element(kind)
	}
}

// element reads over an element of a list, where booleans take a byte.
func (c *compact) element(kind byte) {
	switch kind {
	case typeTrue, typeFalse, typeByte:
		c.byte()
	case typeI16, typeI32, typeI64:
		c.uvarint()
	case typeDouble:
		if len(c.b) < 8 {
			c.ends()
			return
		}
		c.b = c.b[8:]
	case typeBinary:
		c.bytes()
	case typeList, typeSet:
		c.list(c.element)
	case typeStruct:
		c.fields(func(_ int64, kind byte) { c.skip(kind) })
	default: // Parquet has no maps
		c.fail(errThrift)
	}
}
