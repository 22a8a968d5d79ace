package mysql

import (
	"strconv"
	"sync"
	"unsafe"
)

// maxText is how much of a statement is kept.
const maxText = 4096

// buffer is memory that a connection has while a packet or an answer is
// incomplete.
type buffer struct{ b []byte }

var buffers = sync.Pool{New: func() any { return &buffer{make([]byte, 0, 256)} }}

func newBuffer() *buffer {
	b := buffers.Get().(*buffer)
	b.b = b.b[:0]
	return b
}

// free gives the buffer back and clears the pointer to it.
func free(b **buffer) {
	if *b == nil {
		return
	}
	if cap((*b).b) <= 8<<10 {
		buffers.Put(*b)
	}
	*b = nil
}

// bytesOf is the bytes of a string, not to be written to.
func bytesOf(s string) []byte {
	if s == "" {
		return nil
	}
	return unsafe.Slice(unsafe.StringData(s), len(s))
}

// stringOf is bytes as a string that lives as long as they do.
func stringOf(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// keepError keeps what an ERR packet says: number, 0, SQLSTATE, blank, message.
func (p *parser) keepError(b []byte) {
	if p.err == nil {
		p.err = newBuffer()
	}
	p.err.b = p.err.b[:0]
	if len(b) < 3 {
		p.err.b = append(p.err.b, 0)
		return
	}
	p.err.b = strconv.AppendUint(p.err.b, uint64(le16(b[1:])), 10)
	p.err.b = append(p.err.b, 0)
	rest := b[3:]
	if len(rest) >= 6 && rest[0] == '#' {
		p.err.b = append(p.err.b, rest[1:6]...)
		p.err.b = append(p.err.b, ' ')
		rest = rest[6:]
	}
	p.err.b = append(p.err.b, rest...)
}

// errorWords takes apart what keepError put together.
func (p *parser) errorWords() (code, text string) {
	for i, c := range p.err.b {
		if c == 0 {
			return stringOf(p.err.b[:i]), stringOf(p.err.b[i+1:])
		}
	}
	return "", ""
}
