package recording

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"slices"

	"github.com/fxamacker/cbor/v2"
	"github.com/klauspost/compress/zstd"

	"rtrail/internal/budget"
)

// blockReader gives the payloads of whole blocks as one stream.
type blockReader struct {
	r     io.Reader
	spent *effort
	block bytes.Buffer // the last one; its memory serves for the next
	torn  string       // why reading ended before the end of the file
}

func (b *blockReader) Read(p []byte) (int, error) {
	for b.block.Len() == 0 {
		var head [blockHeader]byte
		if n, err := io.ReadFull(b.r, head[:]); err != nil {
			if n > 0 {
				return b.tear("the last block is incomplete")
			}
			return 0, io.EOF
		}
		length := binary.LittleEndian.Uint32(head[:])
		if length == 0 || length > maxBlockBytes {
			return b.tear("a block claims %d bytes", length)
		}
		if n, err := io.CopyN(&b.block, b.r, int64(length)); err != nil {
			return b.tear("the last block has %d of %d bytes", n, length)
		}
		if crc32.Checksum(b.block.Bytes(), castagnoli) != binary.LittleEndian.Uint32(head[4:]) {
			return b.tear("a block fails its checksum")
		}
		b.spent.read += int64(length)
	}
	return b.block.Read(p)
}

// tear ends the reading.
func (b *blockReader) tear(format string, args ...any) (int, error) {
	b.block.Reset()
	b.torn = fmt.Sprintf(format, args...)
	return 0, io.EOF
}

// journalContent is what a reader of a journal is handed, sample by sample.
type journalContent interface {
	// wants says whether a table is to be decoded.
	wants(Table) bool
	// take gets the rows of one table, which hold until it returns. False ends the
	// reading.
	take(k *kind, read *rowsRead, texts []string) (more bool, err error)
}

// A map entry of three bytes takes a hundred in memory: no version has hundreds
// of tables, or of columns in one.
var cborDecoder = must(cbor.DecOptions{
	MaxArrayElements: 1 << 20, MaxMapPairs: 512, MaxNestedLevels: 8,
	DupMapKey: cbor.DupMapKeyEnforcedAPF, IndefLength: cbor.IndefLengthForbidden, TagsMd: cbor.TagsForbidden,
}.DecMode())

func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// errNotJournal says that a file does not begin like a journal.
var errNotJournal = errors.New("not a journal of rtrail")

const (
	// maxJournalTexts bounds the texts of one journal, in bytes; writers begin a
	// new one long before.
	maxJournalTexts = 256 << 20
	// textCost is what a text takes beside its bytes.
	textCost = 32
	// maxJournalRatio is how many times as long as the file its content may be. An
	// idle host's is 50 times as long; zstd can make 30,000 times of it. Short ones
	// may be anything.
	maxJournalRatio = 2000
	shortJournal    = 64 << 20
	// maxJournalRows and maxRowRatio bound rows likewise: those that repeat others
	// take no bytes. A writer begins a new journal at maxSegmentRows.
	maxJournalRows = 4 * maxSegmentRows
	maxRowRatio    = 64
)

// effort is what the journals and tables of one recording took to read. It is bounded for
// all of them together: a small file may hold thousands of them, and each
// may be nothing when packed.
type effort struct {
	read  int64 // bytes of the files
	plain int64 // bytes of samples and pages
	rows  int64
}

func (e *effort) excessive() bool {
	return e.plain > shortJournal && e.plain > maxJournalRatio*e.read || e.rows > maxJournalRows && e.rows > maxRowRatio*e.read
}

// readJournal is readJournal of a file.
func (f *sourceFile) readJournal(ctx context.Context, memory *budget.Budget, to journalContent) (notes []string, err error) {
	return readJournalWith(ctx, io.NewSectionReader(f, 0, f.size), f.effort, memory, to)
}

// readJournal hands over all whole samples of a journal. Damage after the
// first line is never an error: the readable part counts, and notes say what
// was left out. Errors are those of the file's first line, of the taker and of
// the context, or errTooLarge: what was read until then counts. Memory that is only needed while it reads is given back.
func readJournal(ctx context.Context, r io.Reader, memory *budget.Budget, to journalContent) (notes []string, err error) {
	return readJournalWith(ctx, r, &effort{}, memory, to)
}

func readJournalWith(ctx context.Context, r io.Reader, spent *effort, memory *budget.Budget, to journalContent) (notes []string, err error) {
	magic := make([]byte, len(journalMagic))
	n, err := io.ReadFull(r, magic)
	switch {
	case n == 0 || err != nil && bytes.HasPrefix([]byte(journalMagic), magic[:n]):
		return []string{"the journal was torn in its first line"}, nil
	case err != nil || !bytes.HasPrefix(magic, []byte(journalStem)):
		return nil, errNotJournal
	case string(magic) != journalMagic:
		return nil, fmt.Errorf("written in a newer form (%q), this rtrail reads %q: update rtrail",
			bytes.TrimSpace(magic), bytes.TrimSpace([]byte(journalMagic)))
	}
	blocks := &blockReader{r: r, spent: spent}
	stream, err := zstd.NewReader(blocks, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(8<<20))
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	scratch := memory.Part()
	defer scratch.Release()
	d := newJournalDecoder(to, spent, memory, scratch)
	more := true
	for more && err == nil {
		if err = ctx.Err(); err != nil {
			break
		}
		more, err = d.next(stream)
	}
	notes = slices.Sorted(maps.Keys(d.ignored))
	var damage *damageError
	switch {
	case errors.As(err, &damage):
		return append(notes, "the journal was cut where it is damaged: "+damage.Error()), nil
	case blocks.torn != "" && err == nil:
		notes = append(notes, "the torn end of the journal was cut: "+blocks.torn)
	}
	return notes, err
}

var errBloated = &damageError{errors.New("it claims to be thousands of times as long as the file")}

// damageError is a fault in the file, as opposed to one of the taker.
type damageError struct{ err error }

func (e *damageError) Error() string { return e.err.Error() }

// journalDecoder is the state a journal builds up while it is read.
type journalDecoder struct {
	to        journalContent
	memory    *budget.Budget // for what stays: texts
	scratch   *budget.Budget // for the last sample of each table
	item      bytes.Buffer   // the last sample; its memory serves for the next
	texts     []string
	textBytes int
	tables    map[Table]*deltaTable
	ignored   map[string]bool
	spent     *effort
}

func newJournalDecoder(to journalContent, spent *effort, memory, scratch *budget.Budget) *journalDecoder {
	return &journalDecoder{to: to, spent: spent, memory: memory, scratch: scratch, texts: []string{""}, tables: map[Table]*deltaTable{}, ignored: map[string]bool{}}
}

// next reads one sample; more is false at the end.
func (d *journalDecoder) next(stream io.Reader) (more bool, err error) {
	var length [4]byte
	if n, err := io.ReadFull(stream, length[:]); err != nil {
		// The stream of a journal that still runs has no end mark.
		if n == 0 && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)) {
			return false, nil
		}
		return false, &damageError{err}
	}
	size := binary.LittleEndian.Uint32(length[:])
	if size > maxBlockBytes {
		return false, &damageError{fmt.Errorf("a sample claims %d bytes", size)}
	}
	if d.spent.plain += int64(size); d.spent.excessive() {
		return false, errBloated
	}
	d.item.Reset()
	if _, err := io.CopyN(&d.item, stream, int64(size)); err != nil {
		return false, &damageError{fmt.Errorf("a sample is incomplete: %w", err)}
	}
	var s sample
	if err := cborDecoder.Unmarshal(d.item.Bytes(), &s); err != nil {
		return false, &damageError{err}
	}
	return d.sample(s)
}

func (d *journalDecoder) sample(s sample) (more bool, err error) {
	for _, t := range s.Texts {
		if d.textBytes += len(t); d.textBytes > maxJournalTexts {
			return false, &damageError{errors.New("too many texts")}
		}
		if !d.memory.Take(int64(len(t)) + textCost) {
			return false, errTooLarge
		}
		d.texts = append(d.texts, string(t))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Tables)) {
		k, block := kindByName(Table(name)), s.Tables[name]
		if k == nil && retired[Table(name)] {
			continue
		}
		if k == nil {
			d.ignore(fmt.Sprintf("table %s is unknown to this version and was left out", clip(name)))
			continue
		}
		if !d.to.wants(k.name) {
			continue
		}
		d.noteColumns(k, block)
		state := d.tables[k.name]
		if state == nil {
			state = &deltaTable{}
			d.tables[k.name] = state
		}
		if d.spent.rows += int64(min(max(block.Rows, 0), maxBlockWords)); d.spent.excessive() {
			return false, errBloated
		}
		read, err := state.decode(k, block, d.scratch)
		switch {
		case errors.Is(err, errTooLarge):
			return false, err
		case err != nil:
			return false, &damageError{err}
		}
		if more, err := d.to.take(k, read, d.texts); err != nil || !more {
			return false, err
		}
	}
	return true, nil
}

func (d *journalDecoder) ignore(what string) {
	const maxIgnored = 100 // a hostile file could name millions
	if len(d.ignored) < maxIgnored {
		d.ignored[what] = true
	}
}

func (d *journalDecoder) noteColumns(k *kind, b tableBlock) {
	for name := range b.Columns {
		if c, _ := k.written(name); c < 0 && !k.retired[name] {
			d.ignore(unknownColumn(k.name, name))
		}
	}
}

func unknownColumn(t Table, name string) string {
	return fmt.Sprintf("column %s of table %s is unknown to this version and was left out", clip(name), t)
}

// clip keeps hostile names out of notes.
func clip(name string) string {
	if len(name) > 64 {
		name = name[:64] + "..."
	}
	return fmt.Sprintf("%q", name)
}
