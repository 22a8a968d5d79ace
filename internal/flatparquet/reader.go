// Package flatparquet reads and writes Parquet files as rtrail has them: flat
// tables without nulls, plain or compressed with zstd, in a few encodings.
//
// It reads files of strangers: every size is compared with what is there before
// it is believed, and memory is asked for before it is taken. The library for all
// of Parquet believes what a file says: a list of a billion columns, or a page of
// 2 GB, is allocated first.
//
// It writes runs of equal values, not rows: most of what is recorded does not
// change from one row to the next, and then costs nothing.
package flatparquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// Memory is asked before memory is taken for what a file claims.
type Memory interface {
	Take(bytes int64) bool
	Give(bytes int64)
}

// ErrMemory says that Memory refused.
var ErrMemory = errors.New("more than fits into memory")

// Texts numbers the texts of a file: each is kept once.
type Texts struct {
	List    []string // by number; 0 is ""
	numbers map[string]int64
	memory  Memory
}

// textCost is what a text takes beside its bytes: its header in the list and in
// the map, and their growth.
const textCost = 64

func (t *Texts) number(b []byte) (int64, error) {
	if n, ok := t.numbers[string(b)]; ok {
		return n, nil
	}
	if !t.memory.Take(int64(len(b)) + textCost) {
		return 0, ErrMemory
	}
	n, s := int64(len(t.List)), string(b)
	t.numbers[s] = n
	t.List = append(t.List, s)
	return n, nil
}

// Reader reads some columns of a file, all in step. One page of each is in
// memory at a time, and its dictionary.
type Reader struct {
	Texts *Texts
	// Unpack is asked before a page is unpacked, with its bytes in the file and in memory; an
	// error ends the reading. A column of a small file may have millions of large pages.
	Unpack  func(packed, unpacked int64) error
	file    *File
	memory  Memory
	cursors []cursor
	group   int
	left    int64 // rows of the group
	zstd    *zstd.Decoder
	raw     []byte // a page as it lies in the file
	rawCost int64
}

// Read begins to read columns, which are given by their places in the file. Texts
// stay charged after Close: whoever keeps them gives them back.
func (f *File) Read(columns []int, memory Memory) (*Reader, error) {
	r := &Reader{file: f, memory: memory, group: -1, Texts: &Texts{List: []string{""}, numbers: map[string]int64{"": 0}, memory: memory}}
	for _, c := range columns {
		r.cursors = append(r.cursors, cursor{r: r, place: c})
	}
	var err error
	r.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(maxPage), zstd.WithDecodeAllCapLimit(true))
	return r, err
}

// Next fills the columns with the values of the next rows, as many as into has
// room for: numbers as they are, floats as their bits, booleans as 0 and 1,
// texts as their numbers. io.EOF: there are no more.
//
// With choose, it is given the first columns when these are filled, lead of them, and says
// which of the n rows are wanted, in their order: the other columns are filled there only.
func (r *Reader) Next(into [][]int64, lead int, choose func(n int) []Span) (n int, err error) {
	for r.left == 0 {
		if r.group++; r.group >= len(r.file.groups) {
			return 0, io.EOF
		}
		g := &r.file.groups[r.group]
		r.left = g.rows
		for i := range r.cursors {
			r.cursors[i].begin(g.chunks[r.cursors[i].place])
		}
	}
	n = int(min(r.left, int64(len(into[0]))))
	wanted := []Span{{0, n}}
	for i := range r.cursors {
		if choose != nil && i == lead {
			wanted = choose(n)
		}
		c := &r.cursors[i]
		if err := c.fill(into[i][:n], wanted); err != nil {
			return 0, fmt.Errorf("column %.64q: %w", r.file.Columns[c.place].Name, err)
		}
	}
	r.left -= int64(n)
	return n, nil
}

// Span is rows of a batch: from one up to before another.
type Span struct{ From, To int }

// Close gives back the memory of pages.
func (r *Reader) Close() {
	for i := range r.cursors {
		r.cursors[i].free()
	}
	r.memory.Give(r.rawCost)
	r.rawCost, r.raw = 0, nil
	r.zstd.Close()
}

// cursor is the place in one column.
type cursor struct {
	r          *Reader
	place      int // of the column in the file
	chunk      chunk
	at         int64  // of the next page in the file
	page       []byte // unpacked
	pageCost   int64
	values     values
	left       int64 // values of the page
	dictionary []int64
	dictCost   int64
	pages      int // of the chunk, up to now
}

func (c *cursor) begin(k chunk) {
	c.free()
	*c = cursor{r: c.r, place: c.place, chunk: k, at: k.from}
}

func (c *cursor) free() {
	c.r.memory.Give(c.pageCost + c.dictCost)
	c.pageCost, c.dictCost, c.page, c.dictionary = 0, 0, nil, nil
}

// fill gives the next values that are wanted, and passes over the other ones.
func (c *cursor) fill(out []int64, wanted []Span) error {
	at := 0
	for _, s := range wanted {
		if err := c.advance(s.From-at, nil); err != nil {
			return err
		}
		if err := c.advance(s.To-s.From, out[s.From:s.To]); err != nil {
			return err
		}
		at = s.To
	}
	return c.advance(len(out)-at, nil)
}

// advance takes the next n values, or passes over them if out is nil.
func (c *cursor) advance(n int, out []int64) error {
	for n > 0 {
		if c.left == 0 {
			if err := c.nextPage(); err != nil {
				return err
			}
			continue
		}
		some := int(min(int64(n), c.left))
		var err error
		if out == nil {
			err = c.values.skip(some)
		} else {
			err = c.values.next(out[:some])
			out = out[some:]
		}
		if err != nil {
			return err
		}
		c.left -= int64(some)
		n -= some
	}
	return nil
}

// take makes room for n bytes in a buffer that has been paid for up to cost.
func (r *Reader) take(b []byte, cost *int64, n int64) ([]byte, error) {
	if n <= int64(cap(b)) {
		return b[:n], nil
	}
	r.memory.Give(*cost)
	*cost = 0
	if !r.memory.Take(n) {
		return nil, ErrMemory
	}
	*cost = n
	return make([]byte, n), nil
}

func (c *cursor) nextPage() error {
	h, err := c.header()
	if err != nil {
		return err
	}
	if c.r.Unpack != nil {
		if err := c.r.Unpack(h.compressed, h.unpacked); err != nil {
			return err
		}
	}
	if c.r.raw, err = c.r.take(c.r.raw, &c.r.rawCost, h.compressed); err != nil {
		return err
	}
	if _, err := c.r.file.from.ReadAt(c.r.raw, c.at); err != nil {
		return err
	}
	c.at += h.compressed
	if c.page, err = c.r.take(c.page, &c.pageCost, h.unpacked); err != nil {
		return err
	}
	if c.chunk.codec == codecPlain || h.kind == pageData2 && !h.packed {
		if h.compressed != h.unpacked {
			return errors.New("a page of another length than it claims")
		}
		copy(c.page, c.r.raw)
	} else {
		plain, err := c.r.zstd.DecodeAll(c.r.raw, c.page[:0:h.unpacked])
		if err != nil {
			return fmt.Errorf("a page cannot be unpacked: %w", err)
		}
		if int64(len(plain)) != h.unpacked {
			return errors.New("a page of another length than it claims")
		}
	}
	c.pages++
	if h.kind == pageDictionary {
		return c.learn(h)
	}
	c.left = h.values
	c.values, err = c.decoder(h)
	return err
}

// learn reads a dictionary, which is the first page of its column.
func (c *cursor) learn(h pageHeader) error {
	kind := c.chunk.kind
	width := map[Type]int64{Int32: 4, Int64: 8, Double: 8, ByteArray: 4}[kind]
	switch {
	case c.pages != 1:
		return errors.New("a dictionary after other pages")
	case h.encoding != encodingPlain && h.encoding != encodingOldDictionary:
		return errors.New("a dictionary in another encoding than rtrail writes")
	case width == 0 || h.values > h.unpacked/width:
		return errors.New("a dictionary with more entries than bytes")
	case !c.r.memory.Take(8 * h.values):
		return ErrMemory
	}
	c.dictCost = 8 * h.values
	c.dictionary = make([]int64, h.values)
	return c.plain().next(c.dictionary)
}

// plain decodes values that are written one after the other.
func (c *cursor) plain() values {
	switch c.chunk.kind {
	case ByteArray:
		return &byteArrays{c.page, c.r.Texts}
	case Boolean:
		return &bools{b: c.page}
	case Int32:
		return &fixed{c.page, 4}
	default:
		return &fixed{c.page, 8}
	}
}

func (c *cursor) decoder(h pageHeader) (values, error) {
	kind := c.chunk.kind
	switch {
	case h.encoding == encodingPlain:
		return c.plain(), nil
	case (h.encoding == encodingDictionaryRuns || h.encoding == encodingOldDictionary) && kind != Boolean:
		if len(c.page) == 0 {
			return &indexes{}, nil // of no values
		}
		width := uint(c.page[0])
		if width > 32 {
			return nil, errValues
		}
		return &indexes{runs{b: c.page[1:], width: width}, c.dictionary}, nil
	case h.encoding == encodingRuns && kind == Boolean:
		if len(c.page) < 4 || uint64(binary.LittleEndian.Uint32(c.page)) > uint64(len(c.page)-4) {
			return nil, errValues
		}
		return &runs{b: c.page[4:], width: 1}, nil
	case h.encoding == encodingDelta && (kind == Int32 || kind == Int64):
		return newDeltas(c.page, kind == Int32)
	}
	return nil, fmt.Errorf("a page of %v in encoding %d, which rtrail does not write", kind, h.encoding)
}
