package framed

import "encoding/binary"

// Fields reads the fields of a message one by one, numbers in network byte order. After
// one that is not all there, all are empty.
type Fields struct {
	B        []byte // what was not read yet
	Overread bool   // a field was not all there
}

// Take reads n bytes; nil if there are fewer.
func (f *Fields) Take(n int) []byte {
	if n < 0 || n > len(f.B) {
		f.B, f.Overread = nil, true
		return nil
	}
	taken := f.B[:n]
	f.B = f.B[n:]
	return taken
}

// Byte reads a byte.
func (f *Fields) Byte() byte {
	if b := f.Take(1); b != nil {
		return b[0]
	}
	return 0
}

// Uint16 reads a number of two bytes.
func (f *Fields) Uint16() uint16 {
	if b := f.Take(2); b != nil {
		return binary.BigEndian.Uint16(b)
	}
	return 0
}

// Uint32 reads a number of four bytes.
func (f *Fields) Uint32() uint32 {
	if b := f.Take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

// Uint64 reads a number of eight bytes.
func (f *Fields) Uint64() uint64 {
	if b := f.Take(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}
