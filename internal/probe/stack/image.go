package stack

import (
	"bufio"
	"debug/elf"
	"debug/gosym"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ianlancetaylor/demangle"
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

// openImage reads a file. What cannot be read leaves its addresses without
// names.
func openImage(path, name, root string) *image {
	m := &image{name: name, cfi: &cfi{}}
	f, err := elf.Open(path)
	if err != nil {
		m.err = err
		return m
	}
	defer f.Close()
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
		m.symbols = append(m.symbols, functions(more)...)
		more.Close()
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
	add(f.Symbols())
	add(f.DynamicSymbols())
	return list
}

// debugFile opens the file with the debug symbols that a distribution keeps
// apart, by the build ID; nil if there is none.
func debugFile(f *elf.File, root string) *elf.File {
	s := f.Section(".note.gnu.build-id")
	if s == nil {
		return nil
	}
	data, err := s.Data()
	if err != nil || len(data) < 18 {
		return nil
	}
	id := hex.EncodeToString(data[16:])
	d, err := elf.Open(filepath.Join(root, "/usr/lib/debug/.build-id", id[:2], id[2:]+".debug"))
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
	data, err := pcln.Data()
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
		return demangle.Filter(name, demangle.NoParams)
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

// readPerfMap reads the names that a just-in-time compiler has written down:
// lines of "start size name", hexadecimal.
func readPerfMap(path string) []symbol {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	var list []symbol
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.SplitN(lines.Text(), " ", 3)
		if len(fields) < 3 {
			continue
		}
		start, err1 := strconv.ParseUint(strings.TrimPrefix(fields[0], "0x"), 16, 64)
		size, err2 := strconv.ParseUint(strings.TrimPrefix(fields[1], "0x"), 16, 64)
		if err1 == nil && err2 == nil {
			list = append(list, symbol{start, start + size, fields[2]})
		}
	}
	m := image{symbols: list}
	m.sortSymbols()
	return m.symbols
}
