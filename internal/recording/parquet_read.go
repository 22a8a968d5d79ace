package recording

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"rtrail/internal/flatparquet"
)

// batchRows is how many rows are read at a time.
const batchRows = 1024

// readParquet appends the rows that in wants. A file that is no Parquet, or is
// damaged, gives an error and the rows before the damage.
func (k *kind) readParquet(ctx context.Context, r io.ReaderAt, size int64, in readOptions, into rows) (ignored []string, err error) {
	file, err := flatparquet.Open(r, size)
	if err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	places, ages, ignored, err := k.match(file.Columns)
	if err != nil {
		return nil, err
	}
	batch := k.blankBatch()
	var columns []int // of the file: first those that tell which rows are wanted
	var filled [][]word
	read := func(c int) {
		if places[c] >= 0 {
			columns, filled = append(columns, places[c]), append(filled, batch[c])
		}
	}
	read(0)
	if k.stretch > 0 {
		read(k.stretch)
	}
	lead := len(columns)
	for c := 1; c < len(places); c++ {
		if c != k.stretch {
			read(c)
		}
	}
	if len(columns) == 0 || file.Rows == 0 {
		return ignored, nil
	}
	reader, err := file.Read(columns, in.memory)
	if err != nil {
		return ignored, err
	}
	defer reader.Close()
	spent := in.spent
	if spent == nil {
		spent = &effort{}
	}
	reader.Unpack = func(packed, unpacked int64) error {
		spent.read += packed
		if spent.plain += unpacked; spent.excessive() {
			return errBloated
		}
		return ctx.Err()
	}
	keep := in.thin(in.keep(k))
	var wanted []flatparquet.Span
	for {
		n, err := reader.Next(filled, lead, func(n int) []flatparquet.Span {
			wanted = k.choose(batch, n, keep)
			return wanted
		})
		if spent.rows += int64(n); err == nil && spent.excessive() {
			err = errBloated
		}
		switch {
		case errors.Is(err, io.EOF):
			return ignored, nil
		case ctx.Err() != nil:
			return ignored, ctx.Err()
		case errors.Is(err, flatparquet.ErrMemory):
			return ignored, errTooLarge
		case err != nil:
			return ignored, fmt.Errorf("it is damaged: %w", err)
		}
		if lead == len(columns) { // nothing else is read
			wanted = k.choose(batch, n, keep)
		}
		k.tell(batch, ages, wanted)
		if err := k.storeBatch(into, batch, wanted, reader.Texts.List, in); err != nil {
			return ignored, err
		}
		if err := ctx.Err(); err != nil {
			return ignored, err
		}
	}
}

// blankBatch is room for some rows, with what columns hold that a file lacks.
func (k *kind) blankBatch() [][]word {
	batch := make([][]word, len(k.columns))
	for c, col := range k.columns {
		batch[c] = make([]word, batchRows)
		if col.kind == moment {
			for i := range batch[c] {
				batch[c][i] = noTime / col.unit
			}
		}
	}
	return batch
}

// tell makes times of ages: see kind.aged.
func (k *kind) tell(batch [][]word, ages []int, wanted []flatparquet.Span) {
	for _, c := range ages {
		for _, s := range wanted {
			for i := s.From; i < s.To; i++ {
				batch[c][i] = (batch[0][i] - batch[c][i]) / k.columns[c].unit
			}
		}
	}
}

// storeBatch keeps the rows of a batch that are wanted.
func (k *kind) storeBatch(into rows, batch [][]word, wanted []flatparquet.Span, texts []string, in readOptions) error {
	for c, col := range k.columns {
		if col.kind != unsigned || col.bits > 32 {
			continue
		}
		for _, s := range wanted {
			for i := s.From; i < s.To; i++ {
				batch[c][i] &= math.MaxUint32 // the file has them as numbers with a sign
			}
		}
	}
	before := into.count()
	if err := k.store(into, batch, texts, wanted); err != nil {
		return err
	}
	if !in.memory.Take(int64(into.count()-before) * k.rowBytes) {
		return errTooLarge
	}
	return nil
}

// errTooLarge says that the budget of bytes is used up.
var errTooLarge = errors.New("more rows than fit into memory")

// match finds the place of every known column in a file, -1 where it has none, which of
// them hold ages, and names those that this version does not know. A known one of another
// type is an error: it would be read as nonsense.
func (k *kind) match(have []flatparquet.Column) (places, ages []int, ignored []string, err error) {
	places = make([]int, len(k.columns))
	for c := range places {
		places[c] = -1
	}
	for i, h := range have {
		if h.Name == hostColumn {
			continue // the manifest tells
		}
		c, age := k.written(h.Name)
		if c < 0 {
			if !k.retired[h.Name] {
				ignored = append(ignored, unknownColumn(k.name, h.Name))
			}
			continue
		}
		want := k.columns[c].parquetType()
		if h.Type != want {
			return nil, nil, nil, fmt.Errorf("column %s is %s here and %s in this version of rtrail", clip(h.Name), h.Type, want)
		}
		if unit := k.columns[c].timeUnit(); unit != flatparquet.NoTime && !age && h.Unit != unit {
			return nil, nil, nil, fmt.Errorf("column %s is no time in the unit of this version of rtrail", clip(h.Name))
		}
		if age {
			ages = append(ages, c)
		}
		places[c] = i
	}
	return places, ages, ignored, nil
}

// timeUnit is what a column of times counts in files.
func (c column) timeUnit() flatparquet.Unit {
	switch {
	case c.kind != moment:
		return flatparquet.NoTime
	case c.unit == 1:
		return flatparquet.Nanoseconds
	}
	return flatparquet.Milliseconds
}

// parquetType is how a column lies in files.
func (c column) parquetType() flatparquet.Type {
	switch {
	case c.kind == float:
		return flatparquet.Double
	case c.kind == boolean:
		return flatparquet.Boolean
	case c.kind == text:
		return flatparquet.ByteArray
	case c.kind != moment && c.bits <= 32:
		return flatparquet.Int32
	}
	return flatparquet.Int64
}
