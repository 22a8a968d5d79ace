package mongodb

import (
	"encoding/binary"
	"math"
)

const (
	maxName   = 48  // bytes of the name of a field that are kept; those of interest are shorter
	maxValue  = 256 // bytes of a string that are kept
	maxLevels = 6   // documents within each other that are looked into
)

// Types of BSON values (bsonspec.org).
const (
	typeDouble   = 0x01
	typeString   = 0x02
	typeDocument = 0x03
	typeArray    = 0x04
	typeBinary   = 0x05
	typeBool     = 0x08
	typeRegex    = 0x0b
	typePointer  = 0x0c
	typeCode     = 0x0d
	typeSymbol   = 0x0e
	typeScope    = 0x0f
	typeInt32    = 0x10
	typeInt64    = 0x12
)

// fixedSize is how many bytes a value of a type has; -1: its length stands in front
// of it, or there is no such type.
func fixedSize(kind byte) int {
	switch kind {
	case 0x06, 0x0a, 0x7f, 0xff: // undefined, null, the largest and the least key
		return 0
	case typeBool:
		return 1
	case typeInt32:
		return 4
	case typeDouble, typeInt64, 0x09, 0x11: // date, timestamp
		return 8
	case 0x07: // ObjectId
		return 12
	case 0x13: // decimal
		return 16
	}
	return -1
}

// place is what a document that is looked into is for; 0: it is passed over.
type place uint8

// fields says what the walker is to do with the fields of documents.
type fields interface {
	// enter says whether the document or array in a field is looked into, and as
	// what. index is the number of the field in its document, from 0.
	enter(at place, index int, name []byte) place
	// wants says whether the value of a field, which is no document, is to be kept.
	wants(at place, index int, name []byte, kind byte) bool
	// value takes such a value: of a string its beginning.
	value(at place, index int, name []byte, kind byte, value []byte)
	// leave says that a document ends after so many fields.
	leave(at place, count int)
}

// step is what a walker reads next.
type step uint8

const (
	readLength  step = iota // of a document, 4 bytes
	readType                // of a field, or the zero byte that ends a document
	readName                // up to a zero byte
	readSize                // 4 bytes in front of a value
	readValue               // left bytes, of which the beginning is kept if want is set
	readStrings             // of a regular expression: left zero bytes
	finished                // the outermost document has ended
	broken                  // this is no BSON
)

// walker reads a document that comes in pieces, and passes over most of it.
type walker struct {
	step   step
	kind   byte
	want   bool
	depth  uint8
	pos    int64 // bytes read since the beginning of the outermost document
	left   int64
	held   []byte // of the number, name or value being read
	name   []byte
	levels [maxLevels]level
}

type level struct {
	end   int64 // where the document ends
	place place
	index int32 // of the field being read, or that comes next
}

// reset makes ready for a document.
func (w *walker) reset(as place) {
	w.step, w.depth, w.pos = readLength, 1, 0
	w.held, w.name = w.held[:0], w.name[:0]
	w.levels[0] = level{place: as}
}

// read takes bytes up to the end of the document at most and returns how many.
func (w *walker) read(b []byte, f fields) int {
	i := 0
	for i < len(b) && w.step < finished {
		n := 1
		switch w.step {
		case readLength, readSize:
			w.held = append(w.held, b[i])
			w.pos++
			if len(w.held) == 4 {
				w.number(f)
			}
		case readType:
			w.pos++
			w.begin(b[i], f)
		case readName:
			w.pos++
			w.letter(b[i], f)
		case readStrings:
			w.pos++
			if b[i] == 0 {
				if w.left--; w.left == 0 {
					w.next()
				}
			}
		case readValue:
			n = int(min(w.left, int64(len(b)-i)))
			w.piece(b[i:i+n], f)
		}
		i += n
		if w.step < finished && w.pos >= w.levels[w.depth-1].end && w.levels[w.depth-1].end > 0 {
			w.step = broken // the zero byte at the end of the document is missing
		}
	}
	return i
}

// miss passes over n bytes that were not captured. They must belong to one value
// that is of no interest.
func (w *walker) miss(n int64) {
	if w.step == finished {
		return
	}
	if w.step != readValue || w.want || n > w.left {
		w.step = broken
		return
	}
	w.left -= n
	w.pos += n
	if w.left == 0 {
		w.next()
	}
}

// number takes the length of a document or of a value.
func (w *walker) number(f fields) {
	n := int64(int32(binary.LittleEndian.Uint32(w.held)))
	w.held = w.held[:0]
	top := &w.levels[w.depth-1]
	if w.step == readLength {
		const least = 5
		end := w.pos - 4 + n
		if n < least || w.depth > 1 && end >= w.levels[w.depth-2].end {
			w.step = broken
			return
		}
		top.end = end
		w.step = readType
		return
	}
	switch w.kind {
	case typeDocument, typeArray, typeScope:
		n -= 4 // the length counts itself
	case typeBinary:
		n++ // the kind of binary
	case typePointer:
		n += 12
	}
	w.skipOrTake(n, f)
}

// skipOrTake begins a value of n bytes.
func (w *walker) skipOrTake(n int64, f fields) {
	if n < 0 || w.pos+n >= w.levels[w.depth-1].end {
		w.step = broken
		return
	}
	w.left, w.step = n, readValue
	if n == 0 {
		w.valued(f)
	}
}

// begin takes the type of a field, or the end of a document.
func (w *walker) begin(kind byte, f fields) {
	if kind != 0 {
		w.kind, w.step, w.name = kind, readName, w.name[:0]
		return
	}
	top := &w.levels[w.depth-1]
	if w.pos != top.end {
		w.step = broken
		return
	}
	f.leave(top.place, int(top.index))
	w.depth--
	if w.depth == 0 {
		w.depth, w.step = 1, finished
		return
	}
	w.next()
}

// letter takes a byte of the name of a field.
func (w *walker) letter(c byte, f fields) {
	if c != 0 {
		if len(w.name) < maxName {
			w.name = append(w.name, c)
		}
		return
	}
	top := &w.levels[w.depth-1]
	size := fixedSize(w.kind)
	switch w.kind {
	case typeDocument, typeArray:
		if as := f.enter(top.place, int(top.index), w.name); as != 0 && w.depth < maxLevels {
			w.levels[w.depth] = level{place: as}
			w.depth++
			w.step = readLength
			return
		}
		w.want, w.step = false, readSize
	case typeRegex:
		w.left, w.step = 2, readStrings
	case typeString, typeBinary, typePointer, typeCode, typeSymbol, typeScope:
		w.want = w.kind == typeString && f.wants(top.place, int(top.index), w.name, w.kind)
		w.step = readSize
	default:
		if size < 0 {
			w.step = broken
			return
		}
		w.want = f.wants(top.place, int(top.index), w.name, w.kind)
		w.skipOrTake(int64(size), f)
	}
}

// piece takes a part of a value.
func (w *walker) piece(b []byte, f fields) {
	if w.want {
		w.held = append(w.held, b[:min(len(b), maxValue-len(w.held))]...)
	}
	w.pos += int64(len(b))
	if w.left -= int64(len(b)); w.left == 0 {
		w.valued(f)
	}
}

// valued ends a value.
func (w *walker) valued(f fields) {
	if w.want {
		value := w.held
		if n := len(value); w.kind == typeString && n > 0 && value[n-1] == 0 {
			value = value[:n-1]
		}
		top := &w.levels[w.depth-1]
		f.value(top.place, int(top.index), w.name, w.kind, value)
	}
	w.next()
}

// next makes ready for the next field.
func (w *walker) next() {
	w.held, w.want, w.step = w.held[:0], false, readType
	w.levels[w.depth-1].index++
}

// number is the value of a field as a whole number; text and others are 0. Commands
// have ok as double, as int32 or as bool.
func number(kind byte, value []byte) int64 {
	switch {
	case kind == typeBool && len(value) == 1:
		return int64(value[0])
	case kind == typeInt32 && len(value) == 4:
		return int64(int32(binary.LittleEndian.Uint32(value)))
	case kind == typeInt64 && len(value) == 8:
		return int64(binary.LittleEndian.Uint64(value))
	case kind == typeDouble && len(value) == 8:
		switch v := math.Float64frombits(binary.LittleEndian.Uint64(value)); {
		case v > 0 && v < 1:
			return 1
		case math.Abs(v) < 1<<53:
			return int64(v)
		}
	}
	return 0
}
