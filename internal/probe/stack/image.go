package stack

import (
	"cmp"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"rtrail/internal/budget"
	"rtrail/internal/crash"
	"rtrail/internal/probe/localfile"
	"rtrail/internal/safefile"
)

// image is one file that is mapped into a process: its functions, and how to
// follow its frames.
type image struct {
	name    string // "libc.so.6"
	loads   []elf.ProgHeader
	symbols []symbol // sorted by address
	gofuncs *goFunctions
	cfi     *cfi
	err     error
}

type symbol struct {
	start, end uint64
	name       string
}

// readImage reads a file. What cannot be read, or does not fit into memory, leaves
// its addresses without names.
func readImage(file *os.File, name string, of files, memory *budget.Budget) (m *image) {
	m = &image{name: name, cfi: &cfi{}}
	part := memory.Part()
	defer func() {
		if v := recover(); v != nil { // the file is somebody else's
			part.Release()
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
	m.readFunctions(f, part)
	if f.Machine == elf.EM_X86_64 {
		// Of a damaged table what comes before the damage is good.
		table, err := readCFI(f, part)
		if table != nil {
			m.cfi = table
		}
		m.spent(err)
	}
	if more := debugFile(f, of); more != nil {
		defer more.Close()
		if f, err := readELF(more); err == nil {
			m.readFunctions(f, part)
		}
	}
	m.sortSymbols()
	if f.Section(".symtab") == nil {
		m.gofuncs, err = readGoFunctions(f, part)
		m.spent(err)
	}
	return m
}

// spent takes note of what did not fit into memory.
func (m *image) spent(err error) {
	if errors.Is(err, budget.ErrSpent) {
		m.err = err
	}
}

func (m *image) readFunctions(f *elf.File, memory *budget.Budget) {
	for _, kind := range []elf.SectionType{elf.SHT_SYMTAB, elf.SHT_DYNSYM} {
		part := memory.Part()
		list, err := functions(f, kind, part)
		if list == nil {
			part.Release()
		}
		m.symbols = append(m.symbols, list...)
		m.spent(err)
	}
}

// debugFile opens the file with the debug symbols that a distribution keeps
// apart, by the build ID, as a process sees it; nil if there is none.
func debugFile(f *elf.File, of files) *os.File {
	id := hex.EncodeToString(buildID(f))
	if id == "" {
		return nil
	}
	name := filepath.Join("/usr/lib/debug/.build-id", id[:2], id[2:]+".debug")
	open := localfile.Open
	if of.ours() { // none but root adds to it, and some distributions add links
		open = func(_ int32, path string) (*os.File, error) { return safefile.OpenRegular(path) }
	}
	d, err := open(of.pid, name)
	if err != nil {
		return nil
	}
	return d
}

func (m *image) sortSymbols() {
	slices.SortStableFunc(m.symbols, func(a, b symbol) int { return cmp.Compare(a.start, b.start) })
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
	if m.gofuncs != nil {
		if name := m.gofuncs.name(at); name != "" {
			return name
		}
	}
	return fmt.Sprintf("?? (%s)", m.name)
}

// farthest is how far behind the beginning of a function without a size an
// address may be.
const farthest = 4096

func lookup(symbols []symbol, at uint64) string {
	n := around(symbols, at, func(s symbol) uint64 { return s.start })
	// Several symbols may begin at one address, and local ones may lie within.
	for i := n; i >= 0 && n-i < 8; i-- {
		s := symbols[i]
		if at < s.end || s.end == s.start && at < s.start+farthest {
			return s.name
		}
	}
	return ""
}
