package stack

import (
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"path"
	"slices"

	"rtrail/internal/crash"
)

// nameOffsets finds functions of offsets in an ELF file, and lines of places that are to have them. What a damaged
// file says of itself is not believed, and costs no more than its names.
func nameOffsets(file *os.File, of files, offsets []uint64, places []Place) {
	_ = crash.Guard(func() error { // the file is somebody else's
		f, err := readELF(file)
		if err != nil {
			return err
		}
		m := image{}
		for _, p := range f.Progs {
			if p.Type == elf.PT_LOAD {
				m.loads = append(m.loads, p.ProgHeader)
			}
		}
		var list []*located
		for i, o := range offsets {
			if at, ok := m.address(o); ok {
				list = append(list, &located{at: at, place: &places[i]})
			}
		}
		slices.SortFunc(list, func(a, b *located) int { return cmp.Compare(a.at, b.at) })
		readNames(f, list)
		if more := debugFile(f, of); more != nil {
			defer more.Close()
			if d, err := readELF(more); err == nil {
				readNames(d, list)
				readLines(d, list)
			}
		}
		if !readGo(f, list) {
			readLines(f, list)
		}
		nameByFrames(file, f, list)
		for _, l := range list {
			l.place.Function = cutName(l.place.Function)
		}
		return nil
	})
}

// nameByFrames calls functions of which no name is left, as in stripped programs, by where they
// begin: call frame information has their bounds. Else each address would be one of its own.
func nameByFrames(file io.ReaderAt, f *elf.File, list []*located) {
	if !slices.ContainsFunc(list, func(l *located) bool { return l.place.Function == "" }) {
		return
	}
	frames, err := openFrameIndex(file, f)
	if err != nil {
		return
	}
	for _, l := range list {
		if l.place.Function != "" {
			continue
		}
		if function, ok := frames.find(l.at); ok {
			if begin, ok := frames.offset(function.start); ok {
				l.place.Function = fmt.Sprintf("%s+%#x", l.place.Module, begin)
			}
		}
	}
}

// located is an address of a file, and what is found of it.
type located struct {
	at    uint64
	start uint64 // of the function found so far
	place *Place
}

// readNames reads the tables of symbols, in pieces.
func readNames(f *elf.File, list []*located) {
	var data, text []byte
	for _, kind := range []elf.SectionType{elf.SHT_SYMTAB, elf.SHT_DYNSYM} {
		table := f.SectionByType(kind)
		if table == nil || table.Size > maxSymbols*elf.Sym64Size || int(table.Link) >= len(f.Sections) {
			continue
		}
		names := f.Sections[table.Link]
		size := elf.Sym64Size
		if f.Class == elf.ELFCLASS32 {
			size = elf.Sym32Size
		}
		found := map[*located]elfSymbol{}
		if data == nil {
			data, text = make([]byte, size*4096), make([]byte, maxNameBytes+1)
		}
		for in := table.Open(); ; {
			n, err := io.ReadFull(in, data)
			for s := range symbolsOf(f, data[:n/size*size]) {
				if s.isFunction() {
					s.covers(list, found)
				}
			}
			if err != nil {
				break
			}
		}
		if names.ReaderAt == nil {
			continue // compressed, which linkers do not
		}
		for l, s := range found {
			n, _ := names.ReadAt(text, int64(s.name)) // a short one at the end
			l.start, l.place.Function = s.value, readableName(upToZero(text[:n]))
		}
	}
}

// covers notes a symbol for the addresses that lie in it. Of several the one that
// begins last counts, and of those of one address the first.
func (s elfSymbol) covers(list []*located, found map[*located]elfSymbol) {
	size := s.size
	if size == 0 {
		size = farthest
	}
	i, _ := slices.BinarySearchFunc(list, s.value, func(l *located, at uint64) int { return cmp.Compare(l.at, at) })
	for ; i < len(list) && list[i].at-s.value < size; i++ {
		l := list[i]
		if before, ok := found[l]; ok && before.value >= s.value || l.place.Function != "" && l.start >= s.value {
			continue
		}
		found[l] = s
	}
}

// readGo names functions of a Go program, and lines; false: it is none.
func readGo(f *elf.File, list []*located) bool {
	table := openGoFunctions(f)
	if table == nil {
		return f.Section(".gopclntab") != nil
	}
	for _, l := range list {
		// With code of C before it the table may be meant for other addresses.
		if name := table.name(l.at); name != "" && (l.place.Function == "" || l.place.Function == name) {
			l.place.Function = name
			if !l.place.lined {
				continue
			}
			if file, line := table.line(l.at); file != "" {
				l.place.Source = cutName(fmt.Sprintf("%s:%d", file, line))
			}
		}
	}
	return true
}

// maxDebugBytes bounds the debug information that is read for line numbers: it is
// held in memory meanwhile.
const maxDebugBytes = 48 << 20

// readLines finds lines of the source, where the file has debug information.
func readLines(f *elf.File, list []*located) {
	size := uint64(0)
	for _, s := range f.Sections {
		if len(s.Name) > 7 && (s.Name[:7] == ".debug_" || s.Name[:7] == ".zdebug") {
			size += s.Size
		}
	}
	missing := func(l *located) bool { return l.place.lined && l.place.Source == "" }
	if size == 0 || size > maxDebugBytes || !slices.ContainsFunc(list, missing) {
		return
	}
	data, err := f.DWARF()
	if err != nil {
		return
	}
	var lines *dwarf.LineReader
	var unit dwarf.Offset
	for _, l := range list {
		if !missing(l) {
			continue
		}
		u, err := data.Reader().SeekPC(l.at)
		if err != nil || u == nil {
			continue
		}
		if lines == nil || u.Offset != unit {
			unit = u.Offset
			if lines, err = data.LineReader(u); err != nil {
				lines = nil
			}
		}
		var line dwarf.LineEntry
		if lines != nil && lines.SeekPC(l.at, &line) == nil && line.File != nil {
			l.place.Source = cutName(fmt.Sprintf("%s:%d", path.Clean(line.File.Name), line.Line))
		}
	}
}
