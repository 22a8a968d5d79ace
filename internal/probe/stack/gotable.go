package stack

import (
	"encoding/binary"
	"io"
)

// goTable is a table of functions of a Go program, or a part of it: in memory, or in a
// file of which the pages are read that somebody asks for. That of a large program has
// tens of megabytes, and a few addresses need some pages of it.
type goTable struct {
	data     []byte
	file     *filePages // nil: in data
	at, size uint64     // of the part in the file
}

// from is the part from a place on.
func (t goTable) from(at uint64) goTable {
	if t.file == nil {
		return goTable{data: t.data[min(at, uint64(len(t.data))):]}
	}
	at = min(at, t.size)
	return goTable{file: t.file, at: t.at + at, size: t.size - at}
}

func (t goTable) length() uint64 {
	if t.file == nil {
		return uint64(len(t.data))
	}
	return t.size
}

// bytes are up to so many bytes at a place, fewer at the end, which are valid until
// others are asked for.
func (t goTable) bytes(at uint64, n int) []byte {
	if at >= t.length() {
		return nil
	}
	n = int(min(uint64(n), t.length()-at))
	if t.file == nil {
		return t.data[at:][:n]
	}
	return t.file.bytes(t.at+at, n)
}

// number reads a number of 4 or 8 bytes; 0 behind the end.
func (t goTable) number(order binary.ByteOrder, at uint64, width int) uint64 {
	b := t.bytes(at, width)
	switch {
	case len(b) < width:
		return 0
	case width == 4:
		return uint64(order.Uint32(b))
	}
	return order.Uint64(b)
}

// filePages are the pages of a file that were read.
type filePages struct {
	from  io.ReaderAt
	pages map[uint64][]byte
	piece []byte // of more than one page
}

const (
	tablePage = 4096
	// maxTablePages bounds what is kept; more than that are read again.
	maxTablePages = 1024
)

func (f *filePages) bytes(at uint64, n int) []byte {
	page, skip := at/tablePage, at%tablePage
	if b := f.page(page); skip+uint64(n) <= uint64(len(b)) {
		return b[skip:][:n]
	}
	f.piece = f.piece[:0]
	for ; len(f.piece) < n; page, skip = page+1, 0 {
		b := f.page(page)
		if skip >= uint64(len(b)) {
			break // the file is shorter than it says
		}
		f.piece = append(f.piece, b[skip:]...)
	}
	return f.piece[:min(n, len(f.piece))]
}

func (f *filePages) page(number uint64) []byte {
	if b, ok := f.pages[number]; ok {
		return b
	}
	if len(f.pages) >= maxTablePages {
		clear(f.pages)
	}
	b := make([]byte, tablePage)
	n, _ := f.from.ReadAt(b, int64(number*tablePage)) // a short one at the end
	f.pages[number] = b[:n]
	return b[:n]
}
