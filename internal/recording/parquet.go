package recording

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// columnTag gives one column another Parquet encoding than its field asks for.
type columnTag struct{ name, encoding string }

const (
	// pageBytes is how much of a column is compressed at once. A writer holds
	// one page of each column, so this times 50 columns is its memory.
	pageBytes = 512 << 10
	// parquetGroupRows bounds a row group: what a reader that is not rtrail
	// takes into memory at once.
	parquetGroupRows = 1 << 20
)

func (k *tableKind[T]) writeParquet(w io.Writer, batches func(func(rows) error) error, tags []columnTag) error {
	options := []parquet.WriterOption{
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault, Concurrency: 1}),
		parquet.PageBufferSize(pageBytes),
		parquet.MaxRowsPerRowGroup(parquetGroupRows),
		parquet.ColumnIndexSizeLimit(func([]string) int { return 16 }),
		parquet.CreatedBy("rtrail", fmt.Sprint(FormatVersion), ""),
	}
	t := reflect.TypeFor[T]()
	for _, tag := range tags {
		at := slices.IndexFunc(k.cols, func(c column) bool { return c.name == tag.name })
		field := t.Field(k.cols[at].index)
		have := strings.ReplaceAll(field.Tag.Get("parquet"), ",dict", "")
		options = append(options, parquet.StructTag(reflect.StructTag(`parquet:"`+have+","+tag.encoding+`"`), field.Name))
	}
	out := parquet.NewGenericWriter[T](w, options...)
	err := batches(func(r rows) error {
		_, err := out.Write(r.(*table[T]).list)
		return err
	})
	return errors.Join(err, out.Close())
}

// readParquet appends the rows that in wants. A file that is no Parquet, or is
// damaged, gives an error and the rows before the damage; it never panics.
func (k *tableKind[T]) readParquet(r io.ReaderAt, size int64, in readOptions, into rows) (ignored []string, err error) {
	defer func() {
		// The library checks lengths by Go's bounds; hostile files reach them.
		if p := recover(); p != nil {
			err = fmt.Errorf("damaged Parquet: %v", p)
		}
	}()
	file, err := parquet.OpenFile(r, size, parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true))
	if err != nil {
		return nil, fmt.Errorf("not a whole Parquet file: %w", err)
	}
	ignored, err = k.compareSchema(file.Schema())
	if err != nil {
		return nil, err
	}
	reader := parquet.NewGenericReader[T](file)
	defer func() { err = errors.Join(err, reader.Close()) }()
	t := into.(*table[T])
	intern := map[string]string{}
	batch := make([]T, batchRows)
	for {
		n, err := reader.Read(batch)
		before := len(t.list)
		for i := range batch[:n] {
			if in.keep(batch[i].Time()) {
				k.tidy(&batch[i], intern)
				t.list = append(t.list, batch[i])
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return ignored, nil
		case err != nil:
			return ignored, fmt.Errorf("damaged Parquet: %w", err)
		case n == 0:
			return ignored, errors.New("damaged Parquet: rows are missing")
		}
		if !in.spend(int64(len(t.list)-before) * k.rowBytes()) {
			return ignored, errTooLarge
		}
	}
}

// errTooLarge says that the budget of bytes is used up.
var errTooLarge = errors.New("more rows than fit into memory")

// tidy gives a row from Parquet the form it had: times in UTC, zero times
// zero, equal texts in one place of memory.
func (k *tableKind[T]) tidy(r *T, intern map[string]string) {
	row := reflect.ValueOf(r).Elem()
	for _, c := range k.cols {
		switch f := row.Field(c.index); c.kind {
		case moment:
			at := f.Addr().Interface().(*time.Time)
			*at = timeOf(at.UnixNano())
		case text:
			s := f.String()
			have, ok := intern[s]
			if !ok {
				have = strings.Clone(s)
				intern[have] = have
			}
			f.SetString(have)
		}
	}
}

// compareSchema names the columns of a file that this version does not know.
// A known one of another type is an error: it would be read as nonsense.
func (k *tableKind[T]) compareSchema(have *parquet.Schema) (ignored []string, err error) {
	want := parquet.SchemaOf(new(T))
	types := map[string]parquet.Node{}
	for _, f := range want.Fields() {
		types[f.Name()] = f
	}
	for _, f := range have.Fields() {
		known := types[f.Name()]
		switch {
		case known == nil:
			ignored = append(ignored, unknownColumn(k.table(), f.Name()))
		case !f.Leaf() || f.Repeated() || f.Type().Kind() != known.Type().Kind():
			return nil, fmt.Errorf("column %s is %s here and %s in this version of rtrail", clip(f.Name()), f, known)
		}
	}
	return ignored, nil
}
