package recording

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"rtrail/internal/flatparquet"
)

// fewChanges is the share of rows in which a column may change and still count
// as constant: runs of equal dictionary numbers are then the smallest form,
// else differences are. Measured on 1,000 processes and 5,000 connections.
const fewChanges = 0.02

// hostColumn names the host in every row of a file, for who reads the recordings
// of many hosts as one table. rtrail itself reads one, and its manifest.
const hostColumn = "recorded_host"

// writeParquet writes all rows of a host.
func (s *shelf) writeParquet(to io.Writer, host string, compressor *zstd.Encoder) error {
	number := word(len(s.texts))
	w := flatparquet.NewWriter(to, flatparquet.Schema{
		Name: s.kind.rowName, By: fmt.Sprintf("rtrail version %d", FormatVersion),
		Fields: append(s.fields(), flatparquet.Field{Column: flatparquet.Column{Name: hostColumn, Type: flatparquet.ByteArray}}),
		Texts:  append(slices.Clip(s.texts), strings.ToValidUTF8(host, "\uFFFD")),
	}, compressor)
	err := s.runs(func(columns [][]flatparquet.Run) error {
		rows := 0
		for _, r := range columns[0] {
			rows += r.Rows
		}
		return w.Write(append(columns, []flatparquet.Run{{Value: number, Rows: rows}}))
	})
	if err != nil {
		return err
	}
	return w.Close()
}

// fields are the columns, and how each is stored.
func (s *shelf) fields() []flatparquet.Field {
	columns := s.kind.columns
	all := make([]flatparquet.Field, len(columns))
	for i, c := range columns {
		f := &all[i]
		f.Name, f.Type, f.Bits, f.Unsigned = c.name, c.parquetType(), c.bits, c.kind == unsigned
		f.Unit = c.timeUnit()
		f.Changing = c.name == "at" || float64(s.changes[i]) > fewChanges*float64(s.rows)
	}
	return all
}
