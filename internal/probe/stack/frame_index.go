package stack

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"io"
	"sort"
)

// frameIndex finds the call frame information of single addresses in a file, without
// reading all of it: by the sorted table of .eh_frame_hdr (Linux Standard Base Core,
// 10.6.2), which stripped programs have, too.
type frameIndex struct {
	file  io.ReaderAt
	image image  // where addresses are in the file
	begin uint64 // address of .eh_frame_hdr
	table int64  // where its table is in the file
	count int
}

const (
	ptEHFrame     = elf.ProgType(0x6474e550) // PT_GNU_EH_FRAME
	indexHeader   = 32                       // bytes, at most
	indexEntry    = 8
	indexEncoding = peSign4 | 0x30 // four bytes each, relative to the section: what linkers write
	maxFrameEntry = 16 << 10       // bytes that describe one function
)

var errNoFrames = errors.New("there is no table of call frame information")

// openFrameIndex reads the header of the table.
func openFrameIndex(file io.ReaderAt, f *elf.File) (*frameIndex, error) {
	x := &frameIndex{file: file}
	if f.Machine != elf.EM_X86_64 || f.Class != elf.ELFCLASS64 {
		return nil, errNoFrames
	}
	var at elf.ProgHeader
	for _, p := range f.Progs {
		switch p.Type {
		case elf.PT_LOAD:
			x.image.loads = append(x.image.loads, p.ProgHeader)
		case ptEHFrame:
			at = p.ProgHeader
		}
	}
	head := make([]byte, min(at.Filesz, indexHeader))
	if n, _ := file.ReadAt(head, int64(at.Off)); n < len(head) || n < 4 || head[0] != 1 || head[3] != indexEncoding {
		return nil, errNoFrames
	}
	r := &reader{b: head[4:], at: at.Vaddr + 4}
	r.pointer(head[1])
	count := r.pointer(head[2])
	used := r.at - at.Vaddr
	if r.bad || used > at.Filesz {
		return nil, errNoFrames
	}
	x.begin, x.table, x.count = at.Vaddr, int64(at.Off+used), int(min(count, (at.Filesz-used)/indexEntry))
	return x, nil
}

// entry is one of the table: where a function begins, and where it is described.
func (x *frameIndex) entry(i int) (start, described uint64) {
	var b [indexEntry]byte
	if n, _ := x.file.ReadAt(b[:], x.table+int64(i)*indexEntry); n < len(b) {
		return 0, 0
	}
	relative := func(at int) uint64 { return x.begin + uint64(int64(int32(binary.LittleEndian.Uint32(b[at:])))) }
	return relative(0), relative(4)
}

// find gives the function at an address of the file; false: none is described.
func (x *frameIndex) find(pc uint64) (f fde, ok bool) {
	n := sort.Search(x.count, func(i int) bool { start, _ := x.entry(i); return start > pc }) - 1
	if n < 0 {
		return f, false
	}
	_, at := x.entry(n)
	body := x.body(at)
	if body == nil {
		return f, false
	}
	id := binary.LittleEndian.Uint32(body)
	common := x.body(at + 4 - uint64(id))
	if id == 0 || common == nil || binary.LittleEndian.Uint32(common) != 0 {
		return f, false
	}
	c, ok := parseCIE(common[4:], at+4-uint64(id)+8)
	if !ok {
		return f, false
	}
	f, ok = parseFDE(body[4:], at+8, c)
	return f, ok && f.start <= pc && pc < f.end
}

// body is an entry of .eh_frame behind its length; nil if there is none.
func (x *frameIndex) body(address uint64) []byte {
	at, ok := x.offset(address)
	var size [4]byte
	if !ok {
		return nil
	}
	if n, _ := x.file.ReadAt(size[:], at); n < len(size) {
		return nil
	}
	length := binary.LittleEndian.Uint32(size[:])
	if length < 4 || length > maxFrameEntry {
		return nil
	}
	b := make([]byte, length)
	if n, _ := x.file.ReadAt(b, at+4); n < len(b) {
		return nil
	}
	return b
}

// offset is where an address is in the file.
func (x *frameIndex) offset(address uint64) (int64, bool) {
	for _, l := range x.image.loads {
		if address >= l.Vaddr && address-l.Vaddr < l.Filesz {
			return int64(address - l.Vaddr + l.Off), true
		}
	}
	return 0, false
}
