package document

import (
	"io"
	"regexp"
	"strings"

	"rtrail/internal/escape"
)

// Page writes a Markdown page for a terminal: headings, paragraphs, lists,
// tables and code, which is all that rtrail's own pages use. What is hidden in
// it is escaped.
func Page(w io.Writer, markdown string, o TerminalOptions) error {
	p := newPage(o)
	p.breaks = true
	lines := strings.Split(strings.TrimRight(markdown, "\n"), "\n")
	for i, l := range lines {
		lines[i] = escape.Text(l)
	}
	for i := 0; i < len(lines); {
		i += p.block(lines[i:])
	}
	_, err := io.WriteString(w, p.out.String())
	return err
}

var (
	listItem  = regexp.MustCompile(`^ {0,3}(?:[-*]|\d+\.) +`)
	tableRule = regexp.MustCompile(`^\|[-:| ]+\|$`)
	link      = regexp.MustCompile(`\[([^\]]+)\]\(([^)]+)\)`)
)

// block writes the block at the head of lines and says how many it took.
func (p *page) block(lines []string) int {
	l := lines[0]
	switch {
	case strings.TrimSpace(l) == "":
		p.blank()
		return 1
	case strings.HasPrefix(l, "#"):
		p.paragraph("", 0, Strong, inline(strings.TrimLeft(l, "# ")))
		return 1
	case strings.HasPrefix(l, "```"):
		n := 1
		for n < len(lines) && !strings.HasPrefix(lines[n], "```") {
			p.line("    " + lines[n])
			n++
		}
		return min(n+1, len(lines))
	case strings.HasPrefix(l, "    "):
		p.line(l)
		return 1
	case strings.HasPrefix(l, "|"):
		n := 1
		for n < len(lines) && strings.HasPrefix(lines[n], "|") {
			n++
		}
		p.markup(lines[:n])
		return n
	}
	bullet := strings.TrimLeft(listItem.FindString(l), " ")
	text, n := l[len(listItem.FindString(l)):], 1
	for n < len(lines) && continues(lines[n], bullet != "") {
		text += " " + strings.TrimSpace(lines[n])
		n++
	}
	if bullet == "" {
		p.paragraph("", 0, Plain, inline(text))
	} else {
		p.paragraph("  "+bullet, 2+len(bullet), Plain, inline(text))
	}
	return n
}

// continues says whether a line belongs to the paragraph or item before it. A
// paragraph ends at four blanks, which are code; lines of an item are indented.
func continues(l string, inItem bool) bool {
	return strings.TrimSpace(l) != "" && !strings.HasPrefix(l, "#") && !strings.HasPrefix(l, "|") &&
		!strings.HasPrefix(l, "```") && !listItem.MatchString(l) && (inItem || !strings.HasPrefix(l, "    "))
}

// inline takes the marks of emphasis and links out. Code keeps its
// characters, so that a * in a command stays.
func inline(s string) string {
	var b strings.Builder
	for i, part := range strings.Split(s, "`") {
		if i%2 == 0 {
			part = strings.ReplaceAll(part, "**", "")
			part = link.ReplaceAllString(part, "$1 ($2)")
		}
		b.WriteString(part)
	}
	return b.String()
}

// markup writes a table of Markdown.
func (p *page) markup(lines []string) {
	var rows [][]string
	columns := 0
	for _, l := range lines {
		if !tableRule.MatchString(strings.TrimSpace(l)) {
			rows = append(rows, tableCells(l))
			columns = max(columns, len(rows[len(rows)-1]))
		}
	}
	if columns == 0 {
		return
	}
	t := Table{Columns: make([]Column, columns)}
	for y, r := range rows {
		r = append(r, make([]string, columns-len(r))...)
		if y > 0 {
			t.Add(r)
			continue
		}
		for i, name := range r {
			t.Columns[i] = Column{Name: name, Wrap: true}
		}
	}
	p.table(t)
}

// tableCells splits a row at its bars, except at escaped ones and those in
// code.
func tableCells(l string) []string {
	l = strings.TrimSpace(l)
	l = strings.TrimSuffix(strings.TrimPrefix(l, "|"), "|")
	var row []string
	var cell strings.Builder
	code := false
	for i := 0; i < len(l); i++ {
		switch {
		case l[i] == '\\' && i+1 < len(l) && l[i+1] == '|':
			cell.WriteByte('|')
			i++
		case l[i] == '|' && !code:
			row = append(row, inline(strings.TrimSpace(cell.String())))
			cell.Reset()
		default:
			code = code != (l[i] == '`')
			cell.WriteByte(l[i])
		}
	}
	return append(row, inline(strings.TrimSpace(cell.String())))
}
