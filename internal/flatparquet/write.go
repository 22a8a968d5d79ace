package flatparquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"github.com/klauspost/compress/zstd"
)

// Run is a value and how many rows in a row have it. What is recorded hardly
// changes, and a file of it is written from its changes, not from its rows.
type Run struct {
	Value int64 // as Reader.Next gives it; of a text its number in Schema.Texts
	Rows  int
}

// Schema is what a file is about.
type Schema struct {
	Name   string // of the root
	By     string // which program wrote it
	Fields []Field
	Texts  []string // by number
}

// Field is a column to be written.
type Field struct {
	Column
	Bits     int // of numbers: 8, 16, 32 or 64
	Unsigned bool
	// Changing says that most rows differ from the one before: numbers are then
	// written as differences, else as places in a dictionary.
	Changing bool
}

const (
	// PageRows is how many rows Write takes at most: what is compressed at once.
	PageRows = 32 << 10
	// groupRows bounds a row group: what a reader that is not rtrail takes into
	// memory at once.
	groupRows = 1 << 20
	// worthPacking is the least length of a page that zstd can make shorter.
	worthPacking = 48
)

// Writer writes a file. Pages are held, compressed, until their row group ends,
// since a column lies in one piece.
type Writer struct {
	to     io.Writer
	schema Schema
	zstd   *zstd.Encoder
	chunks []chunkWriter
	rows   int64 // of the group
	total  int64
	at     int64 // in the file
	groups []writtenGroup
}

// NewCompressor makes what writers compress with. It takes a megabyte or more, so
// that files written one after the other share one.
func NewCompressor() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault),
		zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(false))
}

// NewWriter begins a file.
func NewWriter(to io.Writer, s Schema, compressor *zstd.Encoder) *Writer {
	w := &Writer{to: to, schema: s, zstd: compressor, chunks: make([]chunkWriter, len(s.Fields))}
	for i := range w.chunks {
		w.chunks[i].begin(&w.schema.Fields[i])
	}
	return w
}

var errRagged = errors.New("columns of different lengths")

// Write adds rows: of each column its runs, which have the same number of rows in
// all, at most PageRows.
func (w *Writer) Write(columns [][]Run) error {
	rows := 0
	for i, runs := range columns {
		n := 0
		for _, r := range runs {
			n += r.Rows
		}
		if i > 0 && n != rows {
			return errRagged
		}
		rows = n
	}
	if rows == 0 {
		return nil
	}
	if rows > PageRows {
		return fmt.Errorf("%d rows at once, %d are possible", rows, PageRows)
	}
	if w.rows+int64(rows) > groupRows {
		if err := w.flush(); err != nil {
			return err
		}
	}
	for i := range w.chunks {
		if err := w.chunks[i].page(w, columns[i], rows); err != nil {
			return err
		}
	}
	w.rows += int64(rows)
	return nil
}

// Close writes what is left, and the description of the file.
func (w *Writer) Close() error {
	if err := w.flush(); err != nil {
		return err
	}
	if err := w.begin(); err != nil {
		return err
	}
	return w.write(w.footer())
}

var magic = []byte("PAR1")

// begin writes what a file begins with.
func (w *Writer) begin() error {
	if w.at > 0 {
		return nil
	}
	return w.write(magic)
}

func (w *Writer) write(b []byte) error {
	n, err := w.to.Write(b)
	w.at += int64(n)
	return err
}

// flush ends the row group.
func (w *Writer) flush() error {
	if w.rows == 0 {
		return nil
	}
	if err := w.begin(); err != nil {
		return err
	}
	g := writtenGroup{rows: w.rows, at: w.at}
	for i := range w.chunks {
		c := &w.chunks[i]
		done := writtenChunk{at: w.at, encoding: c.encoding(), least: c.least, greatest: c.greatest, bounded: c.bounded}
		if c.dictionary != nil {
			if err := w.write(c.dictionaryPage(w)); err != nil {
				return err
			}
		}
		done.data = w.at
		if err := w.write(c.pages.Bytes()); err != nil {
			return err
		}
		done.bytes, done.unpacked = w.at-done.at, c.unpacked
		g.chunks = append(g.chunks, done)
		g.unpacked += c.unpacked
		c.begin(c.field)
	}
	g.bytes = w.at - g.at
	w.groups = append(w.groups, g)
	w.total += w.rows
	w.rows = 0
	return nil
}

// chunkWriter makes the pages of a column of a row group.
type chunkWriter struct {
	field      *Field
	pages      bytes.Buffer
	unpacked   int64           // bytes of the pages before compression
	dictionary map[int64]int32 // place of each value; nil: there is none
	values     []int64         // of the dictionary
	places     []Run           // of a page
	raw        []byte          // a page
	packed     []byte

	bounded         bool // the next two are known
	least, greatest int64
}

func (c *chunkWriter) begin(f *Field) {
	c.field = f
	c.pages.Reset()
	c.unpacked, c.bounded, c.values = 0, false, c.values[:0]
	c.dictionary = nil
	if f.Type == ByteArray || f.Type != Boolean && !f.Changing {
		c.dictionary = map[int64]int32{}
	}
}

func (c *chunkWriter) encoding() int64 {
	switch {
	case c.dictionary != nil:
		return encodingDictionaryRuns
	case c.field.Type == Int32 || c.field.Type == Int64:
		return encodingDelta
	}
	return encodingPlain
}

// page adds a page.
func (c *chunkWriter) page(w *Writer, runs []Run, rows int) error {
	for _, r := range runs {
		if !c.field.fits(r.Value, len(w.schema.Texts)) {
			return fmt.Errorf("column %s: %d does not fit", c.field.Name, r.Value)
		}
	}
	c.raw = c.raw[:0]
	switch {
	case c.dictionary != nil:
		c.places = c.places[:0]
		for _, r := range runs {
			c.places = append(c.places, Run{int64(c.place(r.Value)), r.Rows})
		}
		// Of one value the width is 0, which some readers refuse.
		width := max(1, bits.Len(uint(len(c.values)-1)))
		c.raw = appendRuns(append(c.raw, byte(width)), c.places, uint(width))
	case c.field.Type == Boolean:
		c.raw = appendBools(c.raw, runs)
	case c.field.Type == Double:
		c.raw = appendFixed(c.raw, runs)
	default:
		c.raw = appendDeltas(c.raw, runs, rows, c.field.Type == Int32)
		for _, r := range runs {
			c.bound(r.Value)
		}
	}
	head, body := c.pack(w, pageHeader{kind: pageData2, values: int64(rows), encoding: c.encoding()})
	c.pages.Write(head)
	c.pages.Write(body)
	return nil
}

// place is where a value is in the dictionary.
func (c *chunkWriter) place(v int64) int32 {
	at, ok := c.dictionary[v]
	if !ok {
		at = int32(len(c.values))
		c.dictionary[v] = at
		c.values = append(c.values, v)
		c.bound(v)
	}
	return at
}

// dictionaryPage is the page before all others.
func (c *chunkWriter) dictionaryPage(w *Writer) []byte {
	c.raw = c.raw[:0]
	for _, v := range c.values {
		c.raw = appendPlain(c.raw, c.field.Type, v, w.schema.Texts)
	}
	head, body := c.pack(w, pageHeader{kind: pageDictionary, values: int64(len(c.values)), encoding: encodingPlain})
	return append(head, body...)
}

// pack compresses raw, and gives the header and the body of its page. The body
// holds until the next one. Pages of the second form may stay as they are.
func (c *chunkWriter) pack(w *Writer, h pageHeader) (head, body []byte) {
	body = c.raw
	if h.kind == pageDictionary || len(c.raw) >= worthPacking {
		c.packed = w.zstd.EncodeAll(c.raw, c.packed[:0])
		if h.kind == pageDictionary || len(c.packed) < len(c.raw) {
			body, h.packed = c.packed, true
		}
	}
	h.unpacked, h.compressed = int64(len(c.raw)), int64(len(body))
	head = h.append(nil)
	c.unpacked += int64(len(head) + len(c.raw))
	return head, body
}

// bound notes the least and the greatest value.
func (c *chunkWriter) bound(v int64) {
	f := c.field
	if f.Type == Double || f.Type == Boolean || f.Type == ByteArray {
		return
	}
	if !c.bounded {
		c.bounded, c.least, c.greatest = true, v, v
		return
	}
	if f.less(v, c.least) {
		c.least = v
	}
	if f.less(c.greatest, v) {
		c.greatest = v
	}
}

// fits says whether a value can be one of the column.
func (f *Field) fits(v int64, texts int) bool {
	switch {
	case f.Type == ByteArray:
		return v >= 0 && v < int64(texts)
	case f.Type == Boolean:
		return v == 0 || v == 1
	case f.Bits == 0 || f.Bits >= 64:
		return true
	case f.Unsigned:
		return uint64(v)>>f.Bits == 0
	}
	return v>>(f.Bits-1) == v>>63
}

func (f *Field) less(a, b int64) bool {
	if f.Unsigned {
		return uint64(a) < uint64(b)
	}
	return a < b
}
