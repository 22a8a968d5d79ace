package stack

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"sort"

	"rtrail/internal/budget"
)

// goFunctions is the table of functions that every Go program has, also stripped
// ones (runtime/symtab.go, cmd/internal/objabi/funcdata). Nothing but the section
// is kept: names are read as they are asked for.
type goFunctions struct {
	order   binary.ByteOrder
	base    uint64 // what entries are relative to
	count   int
	width   int    // of the two numbers of an entry
	entries []byte // of the addresses and places of functions
	about   []byte // functions, by their places
	names   string
	lines   *goLines // nil: of another version
}

// goLines is where the table has files and lines. Numbers are kept as bytes of
// 7 bits, as differences from one instruction to the next.
type goLines struct {
	quantum uint64 // bytes of the shortest instruction
	units   []byte // numbers of files, for each file of each unit that was compiled
	files   []byte
	values  []byte
}

// versions of the table, by its first four bytes.
const (
	goTable12  = 0xfffffffb
	goTable116 = 0xfffffffa
	goTable118 = 0xfffffff0
	goTable120 = 0xfffffff1
)

// readGoFunctions reads the table of a file; nil if it has none, or one of
// another version.
func readGoFunctions(f *elf.File, memory *budget.Budget) (*goFunctions, error) {
	table, text := f.Section(".gopclntab"), f.Section(".text")
	if table == nil || text == nil || table.Size > maxSectionBytes {
		return nil, nil
	}
	if !memory.Take(int64(table.Size) * 2) { // names are a copy
		return nil, errSymbols
	}
	data, err := sectionData(table)
	if err != nil {
		memory.Give(int64(table.Size) * 2)
		return nil, err
	}
	return parseGoFunctions(data, f.ByteOrder, text.Addr), nil
}

func parseGoFunctions(data []byte, order binary.ByteOrder, text uint64) *goFunctions {
	if len(data) < 8 || data[7] != 4 && data[7] != 8 {
		return nil
	}
	pointer := int(data[7])
	word := func(i int) uint64 { return numberAt(order, data, 8+i*pointer, pointer) }
	part := func(i int) []byte { return data[min(word(i), uint64(len(data))):] }
	t := &goFunctions{order: order, width: pointer}
	var names []byte
	switch order.Uint32(data) {
	case goTable12:
		t.entries, t.about, names = data[min(8+pointer, len(data)):], data, data
	case goTable116:
		names, t.entries = part(2), part(6)
		t.about = t.entries
	case goTable118, goTable120:
		names, t.entries = part(3), part(7)
		t.about, t.width, t.base = t.entries, 4, text
		t.lines = &goLines{uint64(data[6]), part(4), part(5), part(6)}
	default:
		return nil
	}
	t.names = string(names)
	// One more address ends the last function.
	t.count = int(min(word(0), uint64(max(len(t.entries)-t.width, 0)/(2*t.width))))
	return t
}

// numberAt reads a number of 4 or 8 bytes; 0 behind the end.
func numberAt(order binary.ByteOrder, b []byte, at, width int) uint64 {
	switch {
	case at < 0 || at+width > len(b):
		return 0
	case width == 4:
		return uint64(order.Uint32(b[at:]))
	}
	return order.Uint64(b[at:])
}

func (t *goFunctions) entry(i int) uint64 {
	return t.base + numberAt(t.order, t.entries, 2*i*t.width, t.width)
}

// name is the function at an address; "" for none.
func (t *goFunctions) name(pc uint64) string {
	at, _, ok := t.at(pc)
	if !ok {
		return ""
	}
	return nameAt(t.names, uint32(numberAt(t.order, t.about, at+t.width, 4)))
}

// at is where the description of the function of an address is, and where that
// begins.
func (t *goFunctions) at(pc uint64) (at int, start uint64, ok bool) {
	n := sort.Search(t.count, func(i int) bool { return t.entry(i) > pc }) - 1
	if n < 0 || pc >= t.entry(n+1) {
		return 0, 0, false
	}
	place := numberAt(t.order, t.entries, (2*n+1)*t.width, t.width)
	return int(place), t.entry(n), place <= uint64(len(t.about))
}

// line is where the source of an address is; "": not known.
func (t *goFunctions) line(pc uint64) (file string, line int) {
	at, start, ok := t.at(pc)
	if !ok || t.lines == nil {
		return "", 0
	}
	field := func(i int) uint64 { return numberAt(t.order, t.about, at+4*i, 4) }
	number, ok1 := t.lines.value(field(5), start, pc)
	n, ok2 := t.lines.value(field(6), start, pc)
	if !ok1 || !ok2 || number < 0 || n < 0 {
		return "", 0
	}
	place := numberAt(t.order, t.lines.units, 4*(int(field(8))+int(number)), 4)
	if place >= uint64(len(t.lines.files)) {
		return "", 0
	}
	name, _, _ := bytes.Cut(t.lines.files[place:min(place+maxNameBytes, uint64(len(t.lines.files)))], []byte{0})
	return string(name), int(n)
}

// value is what a table says of an address.
func (l *goLines) value(table, start, pc uint64) (int32, bool) {
	if table == 0 || table >= uint64(len(l.values)) {
		return 0, false
	}
	value := int32(-1)
	for b, at := l.values[table:], start; ; {
		difference, n := binary.Uvarint(b)
		if n <= 0 || difference == 0 && at != start {
			return 0, false
		}
		step, m := binary.Uvarint(b[n:])
		if m <= 0 {
			return 0, false
		}
		b = b[n+m:]
		value += int32(difference>>1) ^ -int32(difference&1)
		if at += step * l.quantum; pc < at {
			return value, true
		}
		if step == 0 {
			return 0, false
		}
	}
}
