package stack

import (
	"cmp"
	"debug/elf"
	"encoding/binary"
	"errors"
	"slices"
	"unsafe"

	"rtrail/internal/budget"
)

// Call frame information tells for every address of a program where its caller
// is (DWARF 5, section 6.4; .eh_frame: Linux Standard Base Core, 10.6). Programs
// compiled without frame pointers, as those of most distributions, can only be
// followed by it.

// cie is what several functions have in common.
type cie struct {
	codeAlign uint64
	dataAlign int64
	pointers  byte // encoding of addresses
	augmented bool
	signal    bool // the frame of a signal handler
	ra        uint64
	program   []byte
}

// fde is one function.
type fde struct {
	start, end uint64
	cie        *cie
	program    []byte
}

// cfi is the table of one file, sorted by address.
type cfi struct{ list []fde }

// encodings of pointers (DW_EH_PE).
const (
	peOmit  = 0xff
	peULEB  = 0x01
	peData2 = 0x02
	peData4 = 0x03
	peData8 = 0x04
	peSLEB  = 0x09
	peSign2 = 0x0a
	peSign4 = 0x0b
	peSign8 = 0x0c
	pePCRel = 0x10
)

var errFrames = errors.New("call frame information is damaged")

// readCFI reads .eh_frame of a file.
func readCFI(f *elf.File, memory *budget.Budget) (*cfi, error) {
	s := f.Section(".eh_frame")
	if s == nil || s.Type == elf.SHT_NOBITS {
		return &cfi{}, nil
	}
	if s.Size > maxSectionBytes || !memory.Take(int64(s.Size)) {
		return nil, errSymbols
	}
	data, err := sectionData(s)
	if err != nil {
		memory.Give(int64(s.Size))
		return nil, err
	}
	return parseCFI(data, s.Addr, memory)
}

const (
	fdeBytes = 2 * int64(unsafe.Sizeof(fde{}))  // a list that grows
	cieBytes = int64(unsafe.Sizeof(cie{})) + 48 // with its place in a map
)

func parseCFI(data []byte, base uint64, memory *budget.Budget) (*cfi, error) {
	table := &cfi{}
	cies := map[int]*cie{}
	for at := 0; at+4 <= len(data); {
		length := int(binary.LittleEndian.Uint32(data[at:]))
		if length == 0 {
			break
		}
		body := at + 4
		if length < 4 || length > len(data)-body {
			// Entries of over 4 GB are not read.
			return table.sorted(), errFrames
		}
		entry := data[body : body+length]
		id := int(binary.LittleEndian.Uint32(entry))
		if id == 0 {
			if c, ok := parseCIE(entry[4:], base+uint64(body)+4); ok {
				if !memory.Take(cieBytes) {
					return table.sorted(), errSymbols
				}
				cies[at] = c
			}
		} else if c := cies[body-id]; c != nil {
			if f, ok := parseFDE(entry[4:], base+uint64(body)+4, c); ok {
				if !memory.Take(fdeBytes) {
					return table.sorted(), errSymbols
				}
				table.list = append(table.list, f)
			}
		}
		at = body + length
	}
	return table.sorted(), nil
}

func (t *cfi) sorted() *cfi {
	slices.SortFunc(t.list, func(a, b fde) int { return cmp.Compare(a.start, b.start) })
	return t
}

// find gives the function at an address, nil if none is described.
func (t *cfi) find(pc uint64) *fde {
	n := around(t.list, pc, func(f fde) uint64 { return f.start })
	if n < 0 || pc >= t.list[n].end {
		return nil
	}
	return &t.list[n]
}

// around is the place in a sorted list of the first entry that begins at an address,
// or of the last one before it; -1: there is none.
func around[T any](list []T, at uint64, start func(T) uint64) int {
	n, found := slices.BinarySearchFunc(list, at, func(x T, at uint64) int { return cmp.Compare(start(x), at) })
	if !found {
		n--
	}
	return n
}

func parseCIE(b []byte, at uint64) (*cie, bool) {
	r := &reader{b: b, at: at}
	c := &cie{}
	version := r.byte()
	augmentation := r.text()
	c.codeAlign, c.dataAlign = r.uleb(), r.sleb()
	if version == 1 {
		c.ra = uint64(r.byte())
	} else {
		c.ra = r.uleb()
	}
	if len(augmentation) > 0 && augmentation[0] == 'z' {
		c.augmented = true
		n := r.uleb()
		rest := r.take(n)
		in := &reader{b: rest, at: r.at - uint64(len(rest))}
		for _, letter := range augmentation[1:] {
			switch letter {
			case 'R':
				c.pointers = in.byte()
			case 'P':
				enc := in.byte()
				in.pointer(enc)
			case 'L':
				in.byte()
			case 'S':
				c.signal = true
			}
		}
		if in.bad {
			return nil, false
		}
	} else if augmentation != "" {
		return nil, false
	}
	c.program = r.b
	return c, !r.bad
}

func parseFDE(b []byte, at uint64, c *cie) (fde, bool) {
	r := &reader{b: b, at: at}
	f := fde{cie: c}
	f.start = r.pointer(c.pointers)
	f.end = f.start + r.pointer(c.pointers&0x0f)
	if c.augmented {
		r.take(r.uleb())
	}
	f.program = r.b
	return f, !r.bad && f.end > f.start
}

// reader takes numbers from bytes; bad is set when there are too few.
type reader struct {
	b   []byte
	at  uint64 // address of b
	bad bool
}

func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.bad = true
		r.b = nil
		return nil
	}
	out := r.b[:n]
	r.b = r.b[n:]
	r.at += n
	return out
}

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

// fixed reads a little-endian number of n bytes.
func (r *reader) fixed(n uint64) uint64 {
	v := uint64(0)
	for i, b := range r.take(n) {
		v |= uint64(b) << (8 * i)
	}
	return v
}

func (r *reader) text() string {
	for i, b := range r.b {
		if b == 0 {
			return string(r.take(uint64(i) + 1)[:i])
		}
	}
	r.bad = true
	return ""
}

func (r *reader) uleb() uint64 {
	v := uint64(0)
	for shift := uint(0); !r.bad; shift += 7 {
		b := r.byte()
		if shift < 64 {
			v |= uint64(b&0x7f) << shift
		}
		if b&0x80 == 0 {
			break
		}
	}
	return v
}

func (r *reader) sleb() int64 {
	v := int64(0)
	for shift := uint(0); !r.bad; shift += 7 {
		b := r.byte()
		if shift < 64 {
			v |= int64(b&0x7f) << shift
		}
		if b&0x80 == 0 {
			if b&0x40 != 0 && shift+7 < 64 {
				v |= -1 << (shift + 7)
			}
			break
		}
	}
	return v
}

func (r *reader) pointer(enc byte) uint64 {
	if enc == peOmit {
		return 0
	}
	at, v := r.at, uint64(0)
	switch enc & 0x0f {
	case 0, peData8, peSign8:
		v = r.fixed(8)
	case peData2:
		v = r.fixed(2)
	case peSign2:
		v = uint64(int64(int16(r.fixed(2))))
	case peData4:
		v = r.fixed(4)
	case peSign4:
		v = uint64(int64(int32(r.fixed(4))))
	case peULEB:
		v = r.uleb()
	case peSLEB:
		v = uint64(r.sleb())
	default:
		r.bad = true
	}
	if enc&0x70 == pePCRel {
		v += at
	}
	return v
}
