package document

import (
	"slices"
	"strings"
)

// Column is one column of a table.
type Column struct {
	Name  string `json:"name,omitempty"`
	Short string `json:"-"`               // name on narrow terminals; "" for the same
	Right bool   `json:"right,omitempty"` // numbers: the last digits stand below each other
	// Group is printed above its columns, which are Tight.
	Group string `json:"group,omitempty"`
	Tight bool   `json:"-"` // stands close to the column before
	// Drop says in which order columns leave a table that is too wide: those with the
	// highest number go first, together; 0 stays.
	Drop int `json:"-"`
	// Cut is cut to what the others leave of the width: text.
	Cut bool `json:"cut,omitempty"`
	// Wrap goes on in further lines where it does not fit: text.
	Wrap bool `json:"wrap,omitempty"`
	// Hang is for a last column that is Wrap: where a terminal leaves it fewer columns than
	// that, and it needs more, its cells stand below their rows; 0: never.
	Hang int `json:"-"`
	// Fixed is the width in a table that is printed line by line; 0: as wide as its
	// widest cell.
	Fixed int   `json:"-"`
	Max   int   `json:"-"`               // text is cut to it; 0: to no width
	Style Style `json:"style,omitempty"` // of its cells
}

const (
	// minCut and minWrap are how many columns of a text are worth showing, in one line
	// or in several.
	minCut, minWrap = 16, 8
	// tableIndent is how far a table stands from its title's beginning, belowIndent what
	// belongs to a row from its column's.
	tableIndent, belowIndent = 1, 2
)

// Lines prints the lines of a table one by one, which need not all be known.
type Lines struct {
	columns []Column
	wide    []int // -1: does not fit
	gaps    []int // before each
	indent  int
	paint   func(Style, string) string // nil: no styles
}

// FixedLines are for columns whose widths are known before their cells, on a
// terminal of that width; 0 for any.
func FixedLines(columns []Column, width int) *Lines {
	natural := make([]int, len(columns))
	for i, c := range columns {
		natural[i] = c.Fixed
	}
	return newLines(columns, natural, width, 0)
}

// FitLines are for columns as wide as their cells, on a terminal of that width.
func FitLines(columns []Column, rows [][]string, width int) *Lines {
	return fitLines(columns, rows, width, 0)
}

func fitLines(columns []Column, rows [][]string, width, indent int) *Lines {
	natural := make([]int, len(columns))
	for i, c := range columns {
		natural[i] = cells(c.Name)
		for _, r := range rows {
			natural[i] = max(natural[i], cells(r[i]))
		}
		if c.Max > 0 {
			natural[i] = min(natural[i], c.Max)
		}
	}
	return newLines(columns, natural, width, indent)
}

// newLines chooses columns for a width, and how wide each one is.
func newLines(columns []Column, natural []int, width, indent int) *Lines {
	l := &Lines{columns: columns, wide: append([]int(nil), natural...), indent: indent}
	for width > 0 {
		least, drop := indent, 0
		for i, c := range columns {
			if l.wide[i] >= 0 {
				least += l.gap(i) + c.least(natural[i])
				drop = max(drop, c.Drop)
			}
		}
		if least <= width || drop == 0 {
			break
		}
		for i, c := range columns {
			if c.Drop == drop {
				l.wide[i] = -1
			}
		}
	}
	for i := range columns {
		l.gaps = append(l.gaps, l.gap(i))
	}
	if width > 0 {
		l.shrink(width)
	}
	return l
}

// least is how narrow a column may be.
func (c *Column) least(natural int) int {
	switch {
	case c.Cut:
		return min(natural, minCut)
	case c.Wrap:
		return min(natural, minWrap)
	}
	return natural
}

// shrink takes what is too much from the widest texts.
func (l *Lines) shrink(width int) {
	for over := l.Width() - width; over > 0; over-- {
		widest := -1
		for i := range l.columns {
			if l.columns[i].least(l.wide[i]) < l.wide[i] && (widest < 0 || l.wide[i] > l.wide[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		l.wide[widest]--
	}
}

// gap is the space before a column.
func (l *Lines) gap(i int) int {
	for before := i - 1; before >= 0; before-- {
		switch {
		case l.wide[before] < 0:
			continue
		case l.columns[i].Tight, l.columns[i].Group != "" && l.columns[before].Group == l.columns[i].Group:
			return 1
		}
		return 2
	}
	return 0
}

// begin is where a column begins.
func (l *Lines) begin(column int) int {
	at := l.indent
	for i := range column {
		if l.wide[i] >= 0 {
			at += l.gaps[i] + l.wide[i]
		}
	}
	if l.wide[column] >= 0 {
		at += l.gaps[column]
	}
	return at
}

// hangs says whether the cells of the last column stand below their rows, because the
// others leave them too little.
func (l *Lines) hangs(rows [][]string) bool {
	last := len(l.columns) - 1
	if last < 1 || !l.columns[last].Wrap || l.wide[last] >= l.columns[last].Hang {
		return false
	}
	return slices.ContainsFunc(rows, func(r []string) bool { return cells(r[last]) > l.wide[last] })
}

// Width is how many columns of the terminal a line takes.
func (l *Lines) Width() int {
	last := len(l.columns) - 1
	return l.begin(last) + max(l.wide[last], 0)
}

// WidthOf is how many a column has; negative: it does not fit.
func (l *Lines) WidthOf(column int) int { return l.wide[column] }

// AppendNames appends the names of the columns, below those of their groups.
func (l *Lines) AppendNames(b []byte) []byte {
	groups, names := blanks(nil, l.indent), make([]string, len(l.columns))
	grouped := false
	for i := 0; i < len(l.columns); i++ {
		names[i] = l.columns[i].Name
		if l.wide[i] < 0 {
			continue
		}
		groups = blanks(groups, l.gaps[i])
		span, name := l.wide[i], l.columns[i].Group
		for name != "" && i+1 < len(l.columns) && l.columns[i+1].Group == name {
			i++
			names[i] = l.columns[i].Name
			if l.wide[i] >= 0 {
				span += l.gaps[i] + l.wide[i]
			}
		}
		if grouped = grouped || name != ""; cells(name) > span {
			name = "" // a torn word says nothing
		}
		groups = append(groups, pad(centered(name, span), span)...)
	}
	if grouped {
		b = append(append(b, strings.TrimRight(string(groups), " ")...), '\n')
	}
	unstyled := *l
	unstyled.paint = nil
	return unstyled.Append(b, names)
}

// centered puts a name between dashes, which show what belongs to it.
func centered(name string, span int) string {
	free := span - cells(name)
	if name == "" || free < 4 {
		return name
	}
	return strings.Repeat("-", free/2-1) + " " + name + " " + strings.Repeat("-", free-free/2-1)
}

// Append appends the cells of one line.
func (l *Lines) Append(b []byte, row []string) []byte {
	begin := len(b)
	b = blanks(b, l.indent)
	var more [][]string // of cells that go on
	for i, cell := range row {
		wide, c := l.wide[i], &l.columns[i]
		if wide < 0 {
			continue
		}
		b = blanks(b, l.gaps[i])
		n := cells(cell)
		switch {
		case n <= wide:
		case c.Cut, c.Max > 0:
			cell = Clip(cell, max(wide, 1))
			n = cells(cell)
		case c.Wrap:
			if more == nil {
				more = make([][]string, len(row))
			}
			more[i] = wrap(cell, wide)
			cell, more[i] = more[i][0], more[i][1:]
			n = cells(cell)
		}
		if c.Right {
			b = blanks(b, wide-n)
		}
		if l.paint != nil {
			cell = l.paint(c.Style, cell)
		}
		b = append(b, cell...)
		if !c.Right {
			b = blanks(b, wide-n)
		}
	}
	b = endLine(b, begin)
	for goesOn := more != nil; goesOn; {
		next := make([]string, len(row))
		goesOn = false
		for i, rest := range more {
			if len(rest) > 0 {
				next[i], more[i], goesOn = rest[0], rest[1:], true
			}
		}
		if goesOn {
			b = l.Append(b, next)
		}
	}
	return b
}

// endLine ends a line without the blanks before its end.
func endLine(b []byte, begin int) []byte {
	end := len(b)
	for end > begin && b[end-1] == ' ' {
		end--
	}
	return append(b[:end], '\n')
}

const manyBlanks = "                                                                "

func blanks(b []byte, n int) []byte {
	for ; n > len(manyBlanks); n -= len(manyBlanks) {
		b = append(b, manyBlanks...)
	}
	return append(b, manyBlanks[:max(n, 0)]...)
}
