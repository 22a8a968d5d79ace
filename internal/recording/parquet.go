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
