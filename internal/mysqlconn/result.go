package mysqlconn

import (
	"iter"
	"strconv"
	"strings"
)

// Result is the answer to one statement.
type Result struct {
	Columns []string
	Cut     int // rows that were above the bound
	index   map[string]int
	rows    [][]cell
}

type cell struct {
	text string
	null bool
}

// NewResult makes an empty answer with these columns.
func NewResult(columns []string) *Result {
	r := &Result{Columns: columns, index: make(map[string]int, len(columns))}
	for i, c := range columns {
		r.index[strings.ToLower(c)] = i
	}
	return r
}

// Add appends a row of texts; null says which of them are NULL, and may be nil.
func (r *Result) Add(texts []string, null func(int) bool) {
	row := make([]cell, len(r.Columns))
	for i := range row {
		if i < len(texts) {
			row[i].text = texts[i]
		}
		row[i].null = i >= len(texts) || null != nil && null(i)
	}
	r.rows = append(r.rows, row)
}

// Len is the number of rows.
func (r *Result) Len() int { return len(r.rows) }

// Has says whether the answer has a column; names are compared without case.
func (r *Result) Has(column string) bool {
	_, ok := r.index[strings.ToLower(column)]
	return ok
}

// Row is one row of an answer.
type Row struct {
	result *Result
	cells  []cell
}

// Row returns row i.
func (r *Result) Row(i int) Row { return Row{r, r.rows[i]} }

// Rows yields all rows.
func (r *Result) Rows() iter.Seq[Row] {
	return func(yield func(Row) bool) {
		for _, cells := range r.rows {
			if !yield(Row{r, cells}) {
				return
			}
		}
	}
}

// At is column i as text; "" for NULL or a column that is not there.
func (r Row) At(i int) string {
	if i < 0 || i >= len(r.cells) || r.cells[i].null {
		return ""
	}
	return r.cells[i].text
}

func (r Row) find(column string) int {
	if i, ok := r.result.index[strings.ToLower(column)]; ok {
		return i
	}
	return -1
}

// Text is a column; "" for NULL or a column that is not there.
func (r Row) Text(column string) string { return r.At(r.find(column)) }

// maxName is the longest name that a server gives, in bytes: 64 characters, and of
// hosts 255. With what is beside them in one column, some are longer.
const maxName = 512

// Name is a column of names: of users, hosts, tables, states. A longer text is cut.
func (r Row) Name(column string) string { return cut(r.Text(column), maxName) }

// cut is the beginning of a text, in whole characters.
func cut(s string, maxBytes int) string {
	if len(s) <= maxBytes {
		return s
	}
	return strings.ToValidUTF8(s[:maxBytes], "")
}

// Limit keeps the first n rows and counts the others as cut.
func (r *Result) Limit(n int) *Result {
	if over := len(r.rows) - n; over > 0 {
		r.rows, r.Cut = r.rows[:n], r.Cut+over
	}
	return r
}

// Null says whether a column is NULL or not there.
func (r Row) Null(column string) bool {
	i := r.find(column)
	return i < 0 || i >= len(r.cells) || r.cells[i].null
}

// Int is a column as a number; -1 for NULL, for one that is not there and for
// what is no number. Unsigned numbers above the range are its end.
func (r Row) Int(column string) int64 {
	text := r.Text(column)
	if text == "" {
		return -1
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	f, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || f != f:
		return -1
	case f >= 1<<63:
		return 1<<63 - 1
	case f <= -1<<63:
		return -1
	}
	return int64(f)
}

// Float is a column as a number; ok is false for NULL, for one that is not
// there, and for what is no number.
func (r Row) Float(column string) (value float64, ok bool) {
	value, err := strconv.ParseFloat(r.Text(column), 64)
	return value, err == nil
}
