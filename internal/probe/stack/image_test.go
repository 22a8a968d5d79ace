package stack

import (
	"bytes"
	"debug/elf"
	"debug/gosym"
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"rtrail/internal/budget"
)

// section is one of a forged program.
type section struct {
	name string
	kind elf.SectionType
	link uint32
	data []byte
}

// forged is a program of 64 bits with some sections, the first of which has
// number 1.
func forged(t *testing.T, sections ...section) *elf.File {
	t.Helper()
	names := []byte{0}
	var body bytes.Buffer
	headers := []elf.Section64{{}}
	sections = append(sections, section{name: ".shstrtab", kind: elf.SHT_STRTAB})
	for i, s := range sections {
		h := elf.Section64{Name: uint32(len(names)), Type: uint32(s.kind), Link: s.link, Off: uint64(64 + body.Len()), Addr: 0x1000}
		names = append(append(names, s.name...), 0)
		if i == len(sections)-1 {
			s.data = names
		}
		h.Size = uint64(len(s.data))
		body.Write(s.data)
		headers = append(headers, h)
	}
	head := elf.Header64{Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: uint32(elf.EV_CURRENT), Ehsize: 64, Shentsize: 64,
		Shoff: uint64(64 + body.Len()), Shnum: uint16(len(headers)), Shstrndx: uint16(len(headers) - 1)}
	copy(head.Ident[:], elf.ELFMAG+"\x02\x01\x01")
	var out bytes.Buffer
	for _, part := range []any{head, body.Bytes(), headers} {
		if err := binary.Write(&out, binary.LittleEndian, part); err != nil {
			t.Fatal(err)
		}
	}
	f, err := elf.NewFile(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestBuildID(t *testing.T) {
	note := func(named, length, kind uint32, id []byte) []byte {
		b := binary.LittleEndian.AppendUint32(nil, named)
		b = binary.LittleEndian.AppendUint32(b, length)
		b = binary.LittleEndian.AppendUint32(b, kind)
		return append(append(b, "GNU\x00"...), id...)
	}
	id := bytes.Repeat([]byte{0xab}, 200)
	for name, c := range map[string]struct {
		note []byte
		want []byte
	}{
		"of a linker":           {note(4, 20, 3, id[:20]), id[:20]},
		"padded":                {note(4, 18, 3, id[:20]), id[:18]},
		"as long as may be":     {note(4, 112, 3, id[:112]), id[:112]},
		"longer":                {note(4, 113, 3, id[:113]), nil},
		"longer than the note":  {note(4, 21, 3, id[:20]), nil},
		"one byte":              {note(4, 1, 3, id[:1]), nil},
		"another note":          {note(4, 16, 1, id[:16]), nil},
		"another name":          {note(6, 16, 3, id[:16]), nil},
		"nothing":               {nil, nil},
		"a length and no more":  {note(4, 16, 3, nil)[:8], nil},
		"an empty one with GNU": {note(4, 0, 3, nil), nil},
	} {
		f := forged(t, section{".note.gnu.build-id", elf.SHT_NOTE, 0, c.note})
		if got := buildID(f); !bytes.Equal(got, c.want) {
			t.Errorf("%s: %x, want %x", name, got, c.want)
		}
	}
}

// symbolTable is the symbols of functions with names at some places of a text.
func symbolTable(places ...uint32) []byte {
	var b bytes.Buffer
	for i, at := range places {
		_ = binary.Write(&b, binary.LittleEndian, elf.Sym64{Name: at, Info: byte(elf.STT_FUNC), Shndx: 1, Value: uint64(0x1000 + 16*i), Size: 16})
	}
	return b.Bytes()
}

func TestFunctions(t *testing.T) {
	read := func(text string, memory *budget.Budget, places ...uint32) ([]symbol, error) {
		f := forged(t, section{".strtab", elf.SHT_STRTAB, 0, []byte(text)}, section{".symtab", elf.SHT_SYMTAB, 1, symbolTable(places...)})
		return functions(f, elf.SHT_SYMTAB, memory)
	}
	list, err := read("\x00do_read\x00open\x00", nil, 1, 4, 9, 99)
	if err != nil || len(list) != 4 || list[0] != (symbol{0x1000, 0x1010, "do_read"}) || list[1].name != "read" || list[2].name != "open" || list[3].name != "" {
		t.Errorf("%v, %v", list, err)
	}
	// All have one long name: more text than any linker makes of a table.
	if list, err := read(strings.Repeat("x", 10_000), nil, make([]uint32, 1000)...); err != nil || list != nil {
		t.Errorf("%d functions of one long name, %v", len(list), err)
	}
	memory := budget.New(10_000)
	if list, err := read("\x00a\x00", memory, make([]uint32, 1000)...); list != nil || !errors.Is(err, budget.ErrSpent) {
		t.Errorf("%d functions, %v: they do not fit", len(list), err)
	}
	if list, err := read("\x00a\x00", memory, 1, 1); len(list) != 2 || err != nil || memory.Used() > 10_000 {
		t.Errorf("%v, %v, %d bytes", list, err, memory.Used())
	}
}

// TestImagesShareMemory reads this test's own program twice, with room for one.
func TestImagesShareMemory(t *testing.T) {
	f, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := budget.New(1 << 40)
	if m := readImage(f, "self", ownFiles(), all); m.err != nil || all.Used() == 0 {
		t.Fatalf("%v, %d bytes", m.err, all.Used())
	}
	// What is read and not kept needs as much again.
	memory := budget.New(all.Used() * 5 / 2)
	if m := readImage(f, "self", ownFiles(), memory); m.err != nil {
		t.Errorf("the first: %v", m.err)
	}
	for range 3 {
		if m := readImage(f, "self", ownFiles(), memory); m.err != nil {
			if !errors.Is(m.err, budget.ErrSpent) {
				t.Error(m.err)
			}
			return
		}
	}
	t.Errorf("four images in memory for two, %d of %d bytes used", memory.Used(), memory.Limit())
}

// TestGoFunctions finds what debug/gosym finds in this test's own program.
func TestGoFunctions(t *testing.T) {
	f, err := elf.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table, err := readGoFunctions(f, nil)
	if err != nil || table == nil {
		t.Fatal(table, err)
	}
	data, err := f.Section(".gopclntab").Data()
	if err != nil {
		t.Fatal(err)
	}
	paged := openGoFunctions(f)
	theirs, err := gosym.NewTable(nil, gosym.NewLineTable(data, f.Section(".text").Addr))
	if err != nil {
		t.Fatal(err)
	}
	if len(theirs.Funcs) < 1000 || table.count != len(theirs.Funcs) {
		t.Fatalf("%d functions, want %d", table.count, len(theirs.Funcs))
	}
	// Functions of C, as the race detector has them, may have several names.
	names := map[uint64][]string{}
	for _, f := range theirs.Funcs {
		names[f.Entry] = append(names[f.Entry], f.Name)
	}
	for _, want := range theirs.Funcs {
		for _, pc := range []uint64{want.Entry, max(want.Entry, want.End-1)} {
			if got := table.name(pc); !slices.Contains(names[want.Entry], got) {
				t.Fatalf("%#x is %s, want %q", pc, got, names[want.Entry])
			}
			file, line := table.line(pc)
			if inFile, number := paged.line(pc); paged.name(pc) != table.name(pc) || inFile != file || number != line {
				t.Fatalf("%#x is %s in %s:%d by pages, %s in %s:%d in memory", pc, paged.name(pc), inFile, number, table.name(pc), file, line)
			}
		}
	}
	if got := table.name(theirs.Funcs[0].Entry - 1); got != "" {
		t.Errorf("in front of the first: %s", got)
	}
}

func FuzzGoFunctions(f *testing.F) {
	for _, magic := range []uint32{goTable12, goTable116, goTable118, goTable120} {
		b := append(binary.LittleEndian.AppendUint32(nil, magic), 0, 0, 1, 8)
		for i := range 30 {
			b = binary.LittleEndian.AppendUint64(b, uint64(i%9*8))
		}
		f.Add(b, uint64(0x1000))
	}
	f.Fuzz(func(t *testing.T, data []byte, pc uint64) {
		if table := parseGoFunctions(goTable{data: data}, binary.LittleEndian, 0x1000); table != nil {
			table.line(pc)
			if name := table.name(pc); len(name) > len(data) {
				t.Fatal("a name longer than the table")
			}
			paged := parseGoFunctions(goTable{file: &filePages{from: bytes.NewReader(data), pages: map[uint64][]byte{}}, size: uint64(len(data))}, binary.LittleEndian, 0x1000)
			file, line := table.line(pc)
			if inFile, number := paged.line(pc); paged.name(pc) != table.name(pc) || inFile != file || number != line {
				t.Fatal("by pages it is another one")
			}
		}
	})
}
