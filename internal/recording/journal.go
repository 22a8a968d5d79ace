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
	"os"
	"slices"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/klauspost/compress/zstd"

	"rtrail/internal/budget"
)

// A journal is a line that names the format, then blocks: length and CRC-32C
// of the payload, both little endian, and the payload. The payloads put
// together are one zstd stream, flushed after each block; in it each sample is
// its length and a CBOR item. So a reader follows as far as the blocks are
// whole, and a torn tail costs the samples in it and no more.
const (
	journalMagic = "rtrail journal 1\n"
	journalStem  = "rtrail journal "

	blockHeader = 8
	// maxBlockBytes bounds what a damaged or hostile length can make a reader
	// allocate. 50,000 sockets are some 2 MB when nothing is known of them.
	maxBlockBytes = 32 << 20
	// maxBlockWords bounds the values of one table in one block; a writer with
	// more splits the sample.
	maxBlockWords = 4 << 20
	// journalWindow is how far back zstd looks for repetitions.
	journalWindow = 1 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sample is the CBOR item of one commit. Tables and columns go by name, so
// that readers skip those they do not know.
type sample struct {
	Texts  [][]byte              `cbor:"s,omitempty"` // new ones, numbered on
	Tables map[string]tableBlock `cbor:"t"`
}

// journalWriter appends samples to a journal file.
type journalWriter struct {
	file   *os.File
	size   int64 // of whole blocks
	rows   int64
	stream *zstd.Encoder
	out    bytes.Buffer
	texts  *textList
	told   int // texts already written
	tables map[Table]*deltaTable
}

// createJournal begins a journal in a new file.
func createJournal(file *os.File) (j *journalWriter, err error) {
	j = &journalWriter{file: file, texts: newTextList(), told: 1, tables: map[Table]*deltaTable{}}
	j.stream, err = zstd.NewWriter(&j.out, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithWindowSize(journalWindow), zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(false))
	if err != nil {
		return nil, err
	}
	if _, err := file.WriteString(journalMagic); err != nil {
		return nil, err
	}
	j.size = int64(len(journalMagic))
	return j, nil
}

// empty says that no sample is in it.
func (j *journalWriter) empty() bool { return j.size == int64(len(journalMagic)) }

// append writes one sample. When the disk refuses, the file is cut back to its
// last whole block: put tries again, and before it did not succeed nothing may
// be appended.
func (j *journalWriter) append(tables map[Table]rows) error {
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		k := kindByName(name)
		if k == nil {
			return fmt.Errorf("table %s is not in the catalogue", name)
		}
		have := j.tables[name]
		if have == nil {
			have = &deltaTable{}
			j.tables[name] = have
		}
		rows := tables[name]
		most := maxBlockWords / len(k.columns())
		for first := 0; first < rows.count(); first += most {
			last := min(first+most, rows.count())
			block := have.encode(k, k.load(rows, first, last, j.texts, have.spare))
			if err := j.write(sample{Texts: j.news(), Tables: map[string]tableBlock{string(name): block}}); err != nil {
				return err
			}
			j.rows += int64(last - first)
		}
	}
	return j.flush()
}

// news are the texts that the next block has to bring along.
func (j *journalWriter) news() [][]byte {
	var news [][]byte
	for _, s := range j.texts.list[j.told:] {
		news = append(news, []byte(s))
	}
	j.told = len(j.texts.list)
	return news
}

func (j *journalWriter) write(s sample) error {
	item, err := cbor.Marshal(s)
	if err != nil {
		return err
	}
	var length [4]byte
	binary.LittleEndian.PutUint32(length[:], uint32(len(item)))
	if _, err := j.stream.Write(length[:]); err != nil {
		return err
	}
	_, err = j.stream.Write(item)
	return err
}

// flush makes a block of what was written since the last one.
func (j *journalWriter) flush() error {
	if err := j.stream.Flush(); err != nil {
		return err
	}
	return j.put()
}

// put writes what was flushed as a block.
func (j *journalWriter) put() error {
	payload := j.out.Bytes()
	if len(payload) == 0 {
		return nil
	}
	block := make([]byte, blockHeader, blockHeader+len(payload))
	binary.LittleEndian.PutUint32(block, uint32(len(payload)))
	binary.LittleEndian.PutUint32(block[4:], crc32.Checksum(payload, castagnoli))
	block = append(block, payload...)
	if _, err := j.file.Write(block); err != nil {
		_, back := j.file.Seek(j.size, io.SeekStart)
		return errors.Join(err, j.file.Truncate(j.size), back)
	}
	j.out.Reset()
	j.size += int64(len(block))
	return nil
}

func (j *journalWriter) close() error {
	return errors.Join(j.file.Sync(), j.file.Close(), j.stream.Close())
}

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
				b.torn = "the last block is incomplete"
			}
			return 0, io.EOF
		}
		length := binary.LittleEndian.Uint32(head[:])
		if length == 0 || length > maxBlockBytes {
			b.torn = fmt.Sprintf("a block claims %d bytes", length)
			return 0, io.EOF
		}
		if n, err := io.CopyN(&b.block, b.r, int64(length)); err != nil {
			b.block.Reset()
			b.torn = fmt.Sprintf("the last block has %d of %d bytes", n, length)
			return 0, io.EOF
		}
		if crc32.Checksum(b.block.Bytes(), castagnoli) != binary.LittleEndian.Uint32(head[4:]) {
			b.block.Reset()
			b.torn = "a block fails its checksum"
			return 0, io.EOF
		}
		b.spent.read += int64(length)
	}
	return b.block.Read(p)
}

// journalContent is what a reader of a journal is handed, sample by sample.
type journalContent interface {
	// wants says whether a table is to be decoded.
	wants(Table) bool
	// take gets the rows of one table, which hold until it returns. False ends the
	// reading.
	take(k kind, read *rowsRead, texts []string) (more bool, err error)
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

// effort is what the journals of one recording took to read. It is bounded for
// all of them together: a small file may hold thousands of journals, and each
// may be nothing when packed.
type effort struct {
	read  int64 // bytes of the files
	plain int64 // bytes of samples
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
		if k == nil {
			d.ignore(fmt.Sprintf("table %s is unknown to this version and was left out", clip(name)))
			continue
		}
		if !d.to.wants(k.table()) {
			continue
		}
		d.noteColumns(k, block)
		state := d.tables[k.table()]
		if state == nil {
			state = &deltaTable{}
			d.tables[k.table()] = state
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
	const most = 100 // a hostile file could name millions
	if len(d.ignored) < most {
		d.ignored[what] = true
	}
}

func (d *journalDecoder) noteColumns(k kind, b tableBlock) {
	for name := range b.Columns {
		if k.column(name) < 0 {
			d.ignore(unknownColumn(k.table(), name))
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

// collector is journalContent that becomes a recording.
type collector struct {
	in  readOptions
	rec *Recording
}

func (c *collector) wants(t Table) bool { return c.in.wants(t) }

func (c *collector) take(k kind, read *rowsRead, texts []string) (bool, error) {
	have := c.rec.tables[k.table()]
	if have == nil {
		have = k.empty()
	}
	before := have.count()
	if err := k.store(have, read.words, texts, c.in.keep); err != nil {
		return false, &damageError{err}
	}
	if have.count() > 0 {
		c.rec.tables[k.table()] = have
	}
	if !c.in.memory.Take(int64(have.count()-before) * k.rowBytes()) {
		return false, errTooLarge
	}
	return true, nil
}

// readOptions choose what is read back.
type readOptions struct {
	from, to time.Time // zero: open
	tables   []Table   // nil: all
	memory   *budget.Budget
}

func (o readOptions) wants(t Table) bool { return o.tables == nil || slices.Contains(o.tables, t) }

func (o readOptions) keep(at time.Time) bool {
	return (o.from.IsZero() || !at.Before(o.from)) && (o.to.IsZero() || !at.After(o.to))
}

// firstMoment finds the time of the first row in a journal; zero without one.
func firstMoment(ctx context.Context, r io.Reader) time.Time {
	var f firstRow
	memory := budget.From(ctx).Part()
	defer memory.Release()
	_, _ = readJournal(ctx, r, memory, &f) // damaged ones have no time
	return f.at
}

type firstRow struct{ at time.Time }

func (f *firstRow) wants(Table) bool { return true }

func (f *firstRow) take(k kind, read *rowsRead, _ []string) (bool, error) {
	for c, col := range k.columns() {
		if col.name == "at" {
			f.at = timeOf(read.words[c][0])
		}
	}
	return false, nil
}
