package stack

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"slices"
	"sort"

	"rtrail/internal/budget"
)

// goFunctions is the table of functions that every Go program has, also stripped
// ones (runtime/symtab.go, cmd/internal/objabi/funcdata). Nothing but the table is kept:
// names are read as they are asked for.
type goFunctions struct {
	order   binary.ByteOrder
	base    uint64 // what entries are relative to
	count   int
	width   int     // of the two numbers of an entry
	entries goTable // of the addresses and places of functions
	about   goTable // functions, by their places
	names   goTable
	lines   *goLines // nil: of another version
}

// goLines is where the table has files and lines. Numbers are kept as bytes of
// 7 bits, as differences from one instruction to the next.
type goLines struct {
	quantum uint64  // bytes of the shortest instruction
	units   goTable // numbers of files, for each file of each unit that was compiled
	files   goTable
	values  goTable
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
	if !memory.Take(int64(table.Size)) {
		return nil, errSymbols
	}
	data, err := sectionData(table)
	if err != nil {
		memory.Give(int64(table.Size))
		return nil, err
	}
	return parseGoFunctions(goTable{data: data}, f.ByteOrder, text.Addr), nil
}

// openGoFunctions is the table of a file for a few addresses; nil if it has none, or one
// of another version. It is valid while the file is open.
func openGoFunctions(f *elf.File) *goFunctions {
	table, text := f.Section(".gopclntab"), f.Section(".text")
	if table == nil || text == nil || table.ReaderAt == nil { // it is compressed, which linkers do not
		return nil
	}
	in := &filePages{from: table.ReaderAt, pages: map[uint64][]byte{}}
	return parseGoFunctions(goTable{file: in, size: table.Size}, f.ByteOrder, text.Addr)
}

func parseGoFunctions(data goTable, order binary.ByteOrder, text uint64) *goFunctions {
	head := slices.Clone(data.bytes(0, 8))
	if len(head) < 8 || head[7] != 4 && head[7] != 8 {
		return nil
	}
	pointer := int(head[7])
	word := func(i int) uint64 { return data.number(order, uint64(8+i*pointer), pointer) }
	part := func(i int) goTable { return data.from(word(i)) }
	t := &goFunctions{order: order, width: pointer}
	switch order.Uint32(head) {
	case goTable12:
		t.entries, t.about, t.names = data.from(uint64(8+pointer)), data, data
	case goTable116:
		t.names, t.entries = part(2), part(6)
		t.about = t.entries
	case goTable118, goTable120:
		t.names, t.entries = part(3), part(7)
		t.about, t.width, t.base = t.entries, 4, text
		t.lines = &goLines{uint64(head[6]), part(4), part(5), part(6)}
	default:
		return nil
	}
	// One more address ends the last function.
	width := uint64(t.width)
	t.count = int(min(word(0), (max(t.entries.length(), width)-width)/(2*width)))
	return t
}

func (t *goFunctions) entry(i int) uint64 {
	return t.base + t.entries.number(t.order, uint64(2*i*t.width), t.width)
}

// name is the function at an address; "" for none.
func (t *goFunctions) name(pc uint64) string {
	at, _, ok := t.at(pc)
	if !ok {
		return ""
	}
	return textAt(t.names, t.about.number(t.order, at+uint64(t.width), 4))
}

// at is where the description of the function of an address is, and where that
// begins.
func (t *goFunctions) at(pc uint64) (at, start uint64, ok bool) {
	n := sort.Search(t.count, func(i int) bool { return t.entry(i) > pc }) - 1
	if n < 0 || pc >= t.entry(n+1) {
		return 0, 0, false
	}
	place := t.entries.number(t.order, uint64((2*n+1)*t.width), t.width)
	return place, t.entry(n), place <= t.about.length()
}

// textAt is the text up to a zero byte, cut like names.
func textAt(t goTable, at uint64) string {
	const usual = 256 // bytes; more may be on pages that nobody needs
	b := t.bytes(at, usual)
	if len(b) == usual && bytes.IndexByte(b, 0) < 0 {
		b = t.bytes(at, maxNameBytes+1)
	}
	return upToZero(b)
}

func upToZero(b []byte) string {
	if end := bytes.IndexByte(b, 0); end >= 0 {
		b = b[:end]
	}
	return string(b)
}

// line is where the source of an address is; "": not known.
func (t *goFunctions) line(pc uint64) (file string, line int) {
	at, start, ok := t.at(pc)
	if !ok || t.lines == nil {
		return "", 0
	}
	field := func(i int) uint64 { return t.about.number(t.order, at+uint64(4*i), 4) }
	number, ok1 := t.lines.value(field(5), start, pc)
	n, ok2 := t.lines.value(field(6), start, pc)
	if !ok1 || !ok2 || number < 0 || n < 0 {
		return "", 0
	}
	place := t.lines.units.number(t.order, 4*(field(8)+uint64(number)), 4)
	return textAt(t.lines.files, place), int(n)
}

// value is what a table says of an address.
func (l *goLines) value(table, start, pc uint64) (int32, bool) {
	const (
		pair = 2 * binary.MaxVarintLen64
		most = 1 << 20 // bytes for one function: those of the largest have some thousand
	)
	if table == 0 {
		return 0, false
	}
	value, b, end := int32(-1), []byte(nil), table+most
	for at := start; table < end; {
		if len(b) < pair {
			b = l.values.bytes(table, tablePage)
		}
		difference, n := binary.Uvarint(b)
		if n <= 0 || difference == 0 && at != start {
			return 0, false
		}
		step, m := binary.Uvarint(b[n:])
		if m <= 0 {
			return 0, false
		}
		b, table = b[n+m:], table+uint64(n+m)
		value += int32(difference>>1) ^ -int32(difference&1)
		if at += step * l.quantum; pc < at {
			return value, true
		}
		if step == 0 {
			return 0, false
		}
	}
	return 0, false
}
