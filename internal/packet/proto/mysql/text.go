package mysql

import (
	"strconv"
	"unsafe"
)

// maxText is how much of a statement is kept.
const maxText = 4096

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
		p.err = p.scratch.Buffers.Get()
	}
	p.err.B = p.err.B[:0]
	if len(b) < 3 {
		p.err.B = append(p.err.B, 0)
		return
	}
	p.err.B = strconv.AppendUint(p.err.B, uint64(le16(b[1:])), 10)
	p.err.B = append(p.err.B, 0)
	rest := b[3:]
	if len(rest) >= 6 && rest[0] == '#' {
		p.err.B = append(p.err.B, rest[1:6]...)
		p.err.B = append(p.err.B, ' ')
		rest = rest[6:]
	}
	p.err.B = append(p.err.B, rest...)
}

// errorWords takes apart what keepError put together.
func (p *parser) errorWords() (code, text string) {
	for i, c := range p.err.B {
		if c == 0 {
			return stringOf(p.err.B[:i]), stringOf(p.err.B[i+1:])
		}
	}
	return "", ""
}
