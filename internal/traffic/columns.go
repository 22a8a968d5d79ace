package traffic

import (
	"io"
	"strings"
	"unicode/utf8"
)

// column is a column of a table.
type column struct {
	title string
	right bool // numbers: the last digits stand below each other
	// drop says in which order columns leave a table that is too wide: the
	// highest goes first, 0 stays.
	drop int
	// text is cut to what is left of the width; it must be the last column.
	text bool
	// fixed is the width in a table that is printed line by line; 0: as wide as
	// its widest cell.
	fixed int
}

// leastText is how many columns of a text are worth showing.
const leastText = 16

// fit chooses columns for a width, 0 for any, and says how wide each one is.
// Columns that do not fit have the width -1.
func fit(columns []column, natural []int, width, indent int) []int {
	wide := make([]int, len(columns))
	copy(wide, natural)
	if width <= 0 {
		return wide
	}
	for {
		total, worst, text := indent-2, -1, -1
		for i, c := range columns {
			switch {
			case wide[i] < 0:
				continue
			case c.text:
				text = i
				total += min(natural[i], leastText) + 2
			default:
				total += wide[i] + 2
			}
			if c.drop > 0 && (worst < 0 || c.drop > columns[worst].drop) {
				worst = i
			}
		}
		if total <= width || worst < 0 {
			if text >= 0 {
				wide[text] = min(natural[text], max(width-total, 0)+min(natural[text], leastText))
			}
			return wide
		}
		wide[worst] = -1
	}
}

// table prints rows below a title, in columns as wide as what is in them.
func table(w io.Writer, title string, width int, columns []column, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	natural := make([]int, len(columns))
	for i, c := range columns {
		natural[i] = utf8.RuneCountInString(c.title)
		for _, r := range rows {
			natural[i] = max(natural[i], utf8.RuneCountInString(r[i]))
		}
	}
	wide := fit(columns, natural, width, 1)
	var b strings.Builder
	b.WriteString("\n" + title + "\n")
	header := make([]string, len(columns))
	for i, c := range columns {
		header[i] = c.title
	}
	row(&b, columns, wide, header, 1)
	for _, r := range rows {
		row(&b, columns, wide, r, 1)
	}
	io.WriteString(w, b.String())
}

// row prints the cells of one line.
func row(out *strings.Builder, columns []column, wide []int, cells []string, indent int) {
	out.Write(appendRow(nil, columns, wide, cells, indent))
}

// blanks are appended to others.
const blanks = "                                                                "

func pad(b []byte, n int) []byte {
	for ; n > len(blanks); n -= len(blanks) {
		b = append(b, blanks...)
	}
	return append(b, blanks[:max(n, 0)]...)
}

// appendRow appends the cells of one line.
func appendRow(b []byte, columns []column, wide []int, cells []string, indent int) []byte {
	begin := len(b)
	b = pad(b, indent)
	first := true
	for i, cell := range cells {
		if wide[i] < 0 {
			continue
		}
		if !first {
			b = append(b, "  "...)
		}
		first = false
		if columns[i].text { // the last one: nothing follows that must be aligned
			b = append(b, Clip(cell, max(wide[i], 1))...)
			continue
		}
		missing := wide[i] - utf8.RuneCountInString(cell)
		if columns[i].right {
			b = append(pad(b, missing), cell...)
		} else {
			b = pad(append(b, cell...), missing)
		}
	}
	end := len(b)
	for end > begin && b[end-1] == ' ' {
		end--
	}
	return append(b[:end], '\n')
}

// Clip cuts a text to a number of columns.
func Clip(text string, columns int) string {
	if len(text) <= columns || utf8.RuneCountInString(text) <= columns {
		return text
	}
	r := []rune(text)
	return string(r[:columns-1]) + "…"
}
