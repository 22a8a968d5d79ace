package document

import "unicode/utf8"

// Column is one column of a table.
type Column struct {
	Name  string
	Short string // name on narrow terminals; "" for the same
	Right bool   // numbers: the last digits stand below each other
	// Drop says in which order columns leave a table that is too wide: the highest
	// goes first, 0 stays.
	Drop int
	// Cut is cut to what the others leave of the width: text. One column may be.
	Cut bool
	// Fixed is the width in a table that is printed line by line; 0: as wide as its
	// widest cell.
	Fixed int
}

const (
	// leastText is how many columns of a text are worth showing.
	leastText = 16
	// tableIndent is how far a table stands from the margin.
	tableIndent = 1
	gap         = "  "
)

// Lines prints the lines of a table one by one, which need not all be known.
type Lines struct {
	columns []Column
	wide    []int // -1: does not fit
	indent  int
}

// FixedLines are for columns whose widths are known before what is in them, in so
// many columns of a terminal; 0 for any number.
func FixedLines(columns []Column, width int) *Lines {
	natural := make([]int, len(columns))
	for i, c := range columns {
		natural[i] = c.Fixed
	}
	return newLines(columns, natural, width, 0)
}

// newLines chooses columns for a width, and how wide each one is.
func newLines(columns []Column, natural []int, width, indent int) *Lines {
	l := &Lines{columns: columns, wide: make([]int, len(columns)), indent: indent}
	copy(l.wide, natural)
	if width <= 0 {
		return l
	}
	for {
		total, worst, text := indent-len(gap), -1, -1
		for i, c := range columns {
			switch {
			case l.wide[i] < 0:
				continue
			case c.Cut:
				text = i
				total += min(natural[i], leastText) + len(gap)
			default:
				total += l.wide[i] + len(gap)
			}
			if c.Drop > 0 && (worst < 0 || c.Drop > columns[worst].Drop) {
				worst = i
			}
		}
		if total <= width || worst < 0 {
			if text >= 0 {
				l.wide[text] = min(natural[text], max(width-total, 0)+min(natural[text], leastText))
			}
			return l
		}
		l.wide[worst] = -1
	}
}

// AppendNames appends the line above the others.
func (l *Lines) AppendNames(b []byte) []byte {
	names := make([]string, len(l.columns))
	for i, c := range l.columns {
		names[i] = c.Name
	}
	return l.Append(b, names)
}

// Append appends the cells of one line.
func (l *Lines) Append(b []byte, row []string) []byte {
	begin := len(b)
	b = blanks(b, l.indent)
	first := true
	for i, cell := range row {
		if l.wide[i] < 0 {
			continue
		}
		if !first {
			b = append(b, gap...)
		}
		first = false
		n := span(cell)
		if l.columns[i].Cut && n > l.wide[i] {
			cell = fit(cell, max(l.wide[i], 1))
			n = span(cell)
		}
		if l.columns[i].Right {
			b = append(blanks(b, l.wide[i]-n), cell...)
		} else {
			b = blanks(append(b, cell...), l.wide[i]-n)
		}
	}
	end := len(b)
	for end > begin && b[end-1] == ' ' {
		end--
	}
	return append(b[:end], '\n')
}

func blanks(b []byte, n int) []byte {
	const some = "                                                                "
	for ; n > len(some); n -= len(some) {
		b = append(b, some...)
	}
	return append(b, some[:max(n, 0)]...)
}

// span is cells, which most texts have one of for each byte.
func span(s string) int {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return cells(s)
		}
	}
	return len(s)
}

// Clip cuts a text to a number of columns, with an ellipsis.
func Clip(text string, columns int) string {
	switch {
	case columns <= 0:
		return ""
	case span(text) <= columns:
		return text
	}
	return fit(text, columns)
}
