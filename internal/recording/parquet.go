package recording

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// columnTag gives one column another Parquet encoding than its field asks for.
type columnTag struct{ name, encoding string }

const (
	// pageBytes is how much of a column is compressed at once. A writer takes
	// memory for one page of each column before the first row comes, so this times
	// 50 columns is its memory. Most tables have few rows and need less.
	pageBytes    = 512 << 10
	minPageBytes = 4 << 10
	// parquetGroupRows bounds a row group: what a reader that is not rtrail
	// takes into memory at once.
	parquetGroupRows = 1 << 20
)

// pageCodec keeps its encoders, of some megabytes each, from one table to the next.
var pageCodec = &zstd.Codec{Level: zstd.SpeedDefault, Concurrency: 1}

// pageFor is the size of pages for so many rows of at most 8 bytes a value.
func pageFor(rows int64) int { return int(min(max(rows*wordBytes, minPageBytes), pageBytes)) }

func (k *tableKind[T]) writeParquet(w io.Writer, numRows int64, batches func(func(rows) error) error, tags []columnTag) error {
	options := []parquet.WriterOption{
		parquet.Compression(pageCodec),
		parquet.PageBufferSize(pageFor(numRows)),
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
