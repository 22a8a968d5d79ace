package stack

import (
	"bytes"
	"debug/elf"
	"fmt"
	"unsafe"

	"rtrail/internal/budget"
)

const (
	symbolBytes = int64(unsafe.Sizeof(symbol{}))
	// maxNameSharing is how often the bytes of a table of names may be names.
	// Linkers let a name be the end of a longer one, a few times.
	maxNameSharing = 8
)

// errSymbols is what does not fit. It names no cause of the user's.
var errSymbols = fmt.Errorf("symbols: %w", budget.ErrSpent)

// functions reads the functions of a table of symbols. Their names are parts of
// one text, however often they overlap. Of a damaged table nothing is read.
func functions(f *elf.File, kind elf.SectionType, memory *budget.Budget) ([]symbol, error) {
	table := f.SectionByType(kind)
	if table == nil || table.Size > maxSymbols*elf.Sym64Size || int(table.Link) >= len(f.Sections) {
		return nil, nil
	}
	strings := f.Sections[table.Link]
	if strings.Size > maxSectionBytes {
		return nil, nil
	}
	read := int64(table.Size + strings.Size)
	if !memory.Take(read + int64(strings.Size)) {
		return nil, errSymbols
	}
	defer memory.Give(read)
	data, err := sectionData(table)
	if err != nil {
		return nil, err
	}
	text, err := sectionData(strings)
	if err != nil {
		return nil, err
	}
	n := 0
	for s := range symbolsOf(f, data) {
		if s.isFunction() {
			n++
		}
	}
	// Those of a file of debug symbols are appended: room for both.
	if !memory.Take(int64(n) * symbolBytes * 2) {
		return nil, errSymbols
	}
	return namedFunctions(f, data, string(text), n), nil
}

func namedFunctions(f *elf.File, data []byte, names string, n int) []symbol {
	list := make([]symbol, 0, n)
	left := maxNameSharing*len(names) + n
	for s := range symbolsOf(f, data) {
		if !s.isFunction() {
			continue
		}
		name := nameAt(names, s.name)
		if left -= len(name) + 1; left < 0 {
			return nil // no linker makes such a table
		}
		list = append(list, symbol{s.value, s.value + s.size, name})
	}
	return list
}

// nameAt is the name that begins somewhere in a text, up to a zero byte.
func nameAt(names string, at uint32) string {
	if uint64(at) >= uint64(len(names)) {
		return ""
	}
	name := names[at:min(uint64(len(names)), uint64(at)+maxNameBytes+1)]
	if end := bytes.IndexByte(unsafe.Slice(unsafe.StringData(name), len(name)), 0); end >= 0 {
		name = name[:end]
	}
	return name
}

// elfSymbol is what is read of a symbol (System V ABI, 4.17).
type elfSymbol struct {
	name        uint32
	info        byte
	section     uint16
	value, size uint64
}

// isFunction says whether a symbol is that of a function that is in this file.
// Assembly has functions of no declared type or size.
func (s *elfSymbol) isFunction() bool {
	kind := elf.ST_TYPE(s.info)
	return (kind == elf.STT_FUNC || kind == elf.STT_NOTYPE && s.size > 0 || kind == elf.STT_GNU_IFUNC) && s.value != 0 && elf.SectionIndex(s.section) != elf.SHN_UNDEF
}

// symbolsOf goes through the symbols of a table.
func symbolsOf(f *elf.File, data []byte) func(func(elfSymbol) bool) {
	o := f.ByteOrder
	return func(yield func(elfSymbol) bool) {
		for b := data; ; {
			var s elfSymbol
			switch {
			case f.Class == elf.ELFCLASS64 && len(b) >= elf.Sym64Size:
				s = elfSymbol{o.Uint32(b), b[4], o.Uint16(b[6:]), o.Uint64(b[8:]), o.Uint64(b[16:])}
				b = b[elf.Sym64Size:]
			case f.Class == elf.ELFCLASS32 && len(b) >= elf.Sym32Size:
				s = elfSymbol{o.Uint32(b), b[12], o.Uint16(b[14:]), uint64(o.Uint32(b[4:])), uint64(o.Uint32(b[8:]))}
				b = b[elf.Sym32Size:]
			default:
				return
			}
			if !yield(s) {
				return
			}
		}
	}
}
