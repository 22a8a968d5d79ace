package stack

import (
	"debug/elf"
	"debug/gosym"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"rtrail/internal/crash"
	"rtrail/internal/safefile"
)

// image is one file that is mapped into a process: its functions, and how to
// follow its frames.
type image struct {
	name    string // "libc.so.6"
	loads   []elf.ProgHeader
	symbols []symbol // sorted by address
	gopcs   *gosym.Table
	cfi     *cfi
	err     error
}

type symbol struct {
	start, end uint64
	name       string
}

// readImage reads a file. What cannot be read leaves its addresses without
// names.
func readImage(file *os.File, name, root string) (m *image) {
	m = &image{name: name, cfi: &cfi{}}
	defer func() {
		if v := recover(); v != nil { // the file is somebody else's
			m = &image{name: name, cfi: &cfi{}, err: errors.New(crash.Of(v).String())}
		}
	}()
	f, err := readELF(file)
	if err != nil {
		m.err = err
		return m
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			m.loads = append(m.loads, p.ProgHeader)
		}
	}
	m.symbols = functions(f)
	if f.Machine == elf.EM_X86_64 {
		// Of a damaged table what comes before the damage is good.
		if table, _ := readCFI(f); table != nil {
			m.cfi = table
		}
	}
	if more := debugFile(f, root); more != nil {
		defer more.Close()
		if f, err := readELF(more); err == nil {
			m.symbols = append(m.symbols, functions(f)...)
		}
	}
	m.sortSymbols()
	if f.Section(".symtab") == nil {
		m.gopcs = goTable(f)
	}
	return m
}

func functions(f *elf.File) []symbol {
	var list []symbol
	add := func(from []elf.Symbol, _ error) {
		for _, s := range from {
			// Assembly has functions of no declared type or size.
			if kind := elf.ST_TYPE(s.Info); (kind == elf.STT_FUNC || kind == elf.STT_NOTYPE && s.Size > 0 || kind == elf.STT_GNU_IFUNC) && s.Value != 0 && s.Section != elf.SHN_UNDEF {
				list = append(list, symbol{s.Value, s.Value + s.Size, s.Name})
			}
		}
	}
	if sane(f, elf.SHT_SYMTAB) {
		add(f.Symbols())
	}
	if sane(f, elf.SHT_DYNSYM) {
		add(f.DynamicSymbols())
	}
	return list
}

// debugFile opens the file with the debug symbols that a distribution keeps
// apart, by the build ID; nil if there is none.
func debugFile(f *elf.File, root string) *os.File {
	s := f.Section(".note.gnu.build-id")
	if s == nil {
		return nil
	}
	data, err := sectionData(s)
	if err != nil || len(data) < 18 {
		return nil
	}
	id := hex.EncodeToString(data[16:])
	d, err := safefile.OpenRegular(filepath.Join(root, "/usr/lib/debug/.build-id", id[:2], id[2:]+".debug"))
	if err != nil {
		return nil
	}
	return d
}

// goTable reads the table of functions that every Go program has, also
// stripped ones.
func goTable(f *elf.File) *gosym.Table {
	pcln, text := f.Section(".gopclntab"), f.Section(".text")
	if pcln == nil || text == nil {
		return nil
	}
	data, err := sectionData(pcln)
	if err != nil {
		return nil
	}
	t, err := gosym.NewTable(nil, gosym.NewLineTable(data, text.Addr))
	if err != nil {
		return nil
	}
	return t
}

func (m *image) sortSymbols() {
	slices.SortStableFunc(m.symbols, func(a, b symbol) int {
		switch {
		case a.start < b.start:
			return -1
		case a.start > b.start:
			return 1
		}
		return 0
	})
}

// address makes an address of the file of an offset in it.
func (m *image) address(offset uint64) (uint64, bool) {
	for _, l := range m.loads {
		if offset >= l.Off && offset-l.Off < l.Filesz {
			return offset - l.Off + l.Vaddr, true
		}
	}
	return 0, false
}

// function names the function at an address of the file.
func (m *image) function(at uint64) string {
	if name := lookup(m.symbols, at); name != "" {
		return readableName(name)
	}
	if m.gopcs != nil {
		if f := m.gopcs.PCToFunc(at); f != nil {
			return f.Name
		}
	}
	return fmt.Sprintf("?? (%s)", m.name)
}

// farthest is how far behind the beginning of a function without a size an
// address may be.
const farthest = 4096

func lookup(symbols []symbol, at uint64) string {
	n, found := slices.BinarySearchFunc(symbols, at, func(s symbol, at uint64) int {
		switch {
		case s.start < at:
			return -1
		case s.start > at:
			return 1
		}
		return 0
	})
	if !found {
		n--
	}
	// Several symbols may begin at one address, and local ones may lie within.
	for i := n; i >= 0 && n-i < 8; i-- {
		s := symbols[i]
		if at < s.end || s.end == s.start && at < s.start+farthest {
			return s.name
		}
	}
	return ""
}
