package fastcgi

import (
	"cmp"
	"encoding/binary"

	"rtrail/internal/packet/proto/http"
	"rtrail/internal/packet/proto/pair"
)

// Names of parameters that are read.
const (
	requestURI    = "REQUEST_URI"
	scriptName    = "SCRIPT_NAME"
	requestMethod = "REQUEST_METHOD"
)

// maxValue is how many bytes a parameter may have that is believed.
const maxValue = 16 << 20

// step is what of a parameter is read next.
type step uint8

const (
	nameLength step = iota
	valueLength
	nameBytes
	valueBytes
	nothing // the place was lost
)

// params reads pairs of names and values that come in pieces: their lengths, of one
// byte or of four, then both.
type params struct {
	step   step
	length [4]byte
	have   uint8 // bytes of length
	name   uint32
	value  uint32
	left   uint32                   // bytes of the name or of the value still to come
	short  [len(requestMethod)]byte // a name, or a method
	wanted string                   // requestURI if the value is the text, requestMethod, or ""
	found  bool                     // REQUEST_URI is the text
}

// lose stops it.
func (p *params) lose() { p.step = nothing }

// read takes the next bytes of the parameters of a request.
func (p *params) read(b []byte, q *pair.Pending) {
	for len(b) > 0 && p.step != nothing {
		n := 1
		switch p.step {
		case nameLength, valueLength:
			p.length[p.have] = b[0]
			p.have++
			if p.have == 4 || p.length[0] < 0x80 {
				p.sized()
			}
		case nameBytes:
			n = min(len(b), int(p.left))
			if p.name <= uint32(len(p.short)) {
				copy(p.short[p.name-p.left:], b[:n])
			}
			p.left -= uint32(n)
		case valueBytes:
			n = min(len(b), int(p.left))
			p.take(b[:n], q)
			p.left -= uint32(n)
		}
		b = b[n:]
		p.next(q)
	}
}

// sized takes a length.
func (p *params) sized() {
	n := uint32(p.length[0])
	if p.have == 4 {
		n = binary.BigEndian.Uint32(p.length[:]) &^ (1 << 31)
	}
	p.have = 0
	switch {
	case n > maxValue:
		p.lose()
	case p.step == nameLength:
		p.name, p.step = n, valueLength
	default:
		p.value, p.left, p.step = n, p.name, nameBytes
	}
}

// next goes on where a name or a value is complete.
func (p *params) next(q *pair.Pending) {
	if p.step == nameBytes && p.left == 0 {
		p.step, p.left = valueBytes, p.value
		p.named(q)
	}
	if p.step == valueBytes && p.left == 0 {
		p.step = nameLength
	}
}

// named makes ready for a value.
func (p *params) named(q *pair.Pending) {
	p.wanted = ""
	if p.name > uint32(len(p.short)) {
		return
	}
	switch name := string(p.short[:p.name]); {
	case name == requestURI, name == scriptName && !p.found:
		p.wanted, p.found = requestURI, name == requestURI
		q.TextCut = false
		q.SetText(nil, maxText)
	case name == requestMethod && p.value <= uint32(len(p.short)):
		p.wanted = requestMethod
	}
}

// take takes a part of a value.
func (p *params) take(b []byte, q *pair.Pending) {
	switch p.wanted {
	case requestURI:
		q.AppendText(b, maxText)
	case requestMethod:
		copy(p.short[p.value-p.left:], b)
		if len(b) == int(p.left) {
			q.Command = cmp.Or(http.Method(p.short[:p.value]), "?")
		}
	}
}
