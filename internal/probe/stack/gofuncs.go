package stack

import (
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
	n := sort.Search(t.count, func(i int) bool { return t.entry(i) > pc }) - 1
	if n < 0 || pc >= t.entry(n+1) {
		return ""
	}
	at := numberAt(t.order, t.entries, (2*n+1)*t.width, t.width)
	if at > uint64(len(t.about)) {
		return ""
	}
	return nameAt(t.names, uint32(numberAt(t.order, t.about, int(at)+t.width, 4)))
}
