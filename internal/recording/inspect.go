package recording

import (
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"rtrail/internal/budget"
	"rtrail/internal/flatparquet"
)

// Contents tells what a recording holds without loading its rows.
type Contents struct {
	Manifest Manifest
	Window   Window
	Pieces   []Piece       // oldest first; more than one where the clock was set back
	Segments []SegmentInfo // oldest first; the running one last
	Rows     map[Table]int64
	Notes    []string // what could not be read

	notes noteList
}

// Bytes is the size of all segments.
func (c *Contents) Bytes() (n int64) {
	for _, s := range c.Segments {
		n += s.Bytes
	}
	return n
}

// SegmentInfo is one segment of a recording.
type SegmentInfo struct {
	Start  time.Time
	Bytes  int64
	Sealed bool // its rows are Parquet; else they are still a journal
}

// Inspect looks at the tables of contents of all files, and through journals.
func Inspect(ctx context.Context, name string) (Contents, error) {
	c := Contents{Rows: map[Table]int64{}}
	src, err := openSource(name)
	if err != nil {
		return c, err
	}
	defer src.close()
	if c.Manifest, err = readManifest(src); err != nil {
		return c, fmt.Errorf("reading the recording %s: %w", name, err)
	}
	ctx = budget.With(ctx, budget.From(ctx)) // the machine's memory is asked for once, not for each journal
	segments := src.segments()
	if c.Pieces, err = pieces(ctx, src, c.Manifest, segments); err != nil {
		return c, fmt.Errorf("reading the recording %s: %w", name, err)
	}
	c.Window = span(c.Pieces)
	if n := len(numbers(src, c.Manifest, segments)); n > len(c.Pieces) && n > maxPieces {
		c.notes.add("only the newest %d of %d pieces are shown", maxPieces, n)
	}
	for _, s := range segments {
		c.segment(ctx, src, s)
	}
	if f, err := src.open(journalFile); err == nil {
		defer f.Close()
		start := firstMoment(ctx, io.NewSectionReader(f, 0, f.size))
		c.Segments = append(c.Segments, SegmentInfo{Start: start, Bytes: f.size})
		c.countJournal(ctx, journalFile, f)
	}
	c.Notes = c.notes.all()
	return c, ctx.Err()
}

func (c *Contents) segment(ctx context.Context, src source, s segmentFiles) {
	info := SegmentInfo{Start: s.id.start, Sealed: !slices.Contains(s.files, journalFile)}
	sums, err := readSums(src, s.folder)
	if err != nil {
		c.notes.add("%s: %v", path.Join(s.folder, checksumFile), err)
	}
	if info.Sealed {
		for _, t := range s.missing(sums) {
			c.notes.add("%s is missing", s.fileOf(t))
		}
	}
	for _, file := range s.files {
		base, isTable := strings.CutSuffix(file, parquetSuffix)
		if file == checksumFile || isTable != info.Sealed {
			continue
		}
		full := path.Join(s.folder, file)
		f, err := src.open(full)
		if err != nil {
			c.notes.add("%s: %v", full, err)
			continue
		}
		if f.size <= maxFileBytes {
			info.Bytes += f.size
		}
		if !isTable {
			c.countJournal(ctx, full, f)
		} else if n, err := parquetRows(ctx, f, file, sums); err != nil {
			c.notes.add("%s: %v", full, err)
		} else {
			c.Rows[Table(base)] += n
		}
		f.Close()
	}
	c.Segments = append(c.Segments, info)
}

func (c *Contents) countJournal(ctx context.Context, name string, f *sourceFile) {
	memory := budget.From(ctx).Part()
	defer memory.Release()
	notes, err := f.readJournal(ctx, memory, rowCounter(c.Rows))
	for _, n := range notes {
		c.notes.add("%s: %s", name, n)
	}
	if err != nil {
		c.notes.add("%s: %v", name, err)
	}
}

func parquetRows(ctx context.Context, f *sourceFile, name string, sums map[string]fileSum) (n int64, err error) {
	if err := f.verify(ctx, name, sums); err != nil {
		return 0, err
	}
	file, err := flatparquet.Open(f, f.size)
	if err != nil {
		return 0, fmt.Errorf("it cannot be read: %w", err)
	}
	return file.Rows, nil
}

// rowCounter is journalContent that counts.
type rowCounter map[Table]int64

func (r rowCounter) wants(Table) bool { return true }

func (r rowCounter) take(k *kind, read *rowsRead, _ []string) (bool, error) {
	r[k.name] += int64(len(read.before))
	return true, nil
}
