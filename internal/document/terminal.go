package document

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"rtrail/internal/escape"
)

// TerminalOptions say what the terminal can show.
type TerminalOptions struct {
	Width int  // columns; anything under 40 counts as 40, 0 as 80; AnyWidth
	Words int  // columns at which words are broken, if other than those of tables; 0: as Width says
	Color bool // the output is a terminal and colours are wanted
	// Break says that lines which are too wide are broken where the terminal ends them: break
	// commands so that they can be pasted, and cells between words.
	Break bool
}

const (
	// AnyWidth is that of output in which nothing is cut or broken: programs search it
	// by lines.
	AnyWidth = 1 << 20

	minWidth = 40
	// readable: longer lines of words are hard to read, however wide the
	// terminal is.
	readable = 132
	// narrow: below it tables have short names.
	narrow = 78
)

// Terminal writes a document for people. The width is kept wherever words can be
// broken; commands are never cut, and only broken as a shell takes them.
func Terminal(w io.Writer, d Document, o TerminalOptions) error {
	p := newPage(o)
	for i, b := range d.Blocks {
		if i > 0 {
			if apart(d.Blocks[i-1], b) {
				p.blank()
			}
			_, p.belowTable = d.Blocks[i-1].(Table)
		}
		p.write(b)
	}
	_, err := io.WriteString(w, p.out.String())
	return err
}

// apart says whether a blank line belongs between two blocks: facts and
// sentences stand together, and a list without a title belongs to what is above it.
func apart(a, b Block) bool {
	switch b := b.(type) {
	case Facts:
		return false
	case Prose:
		if b.Label == "" {
			_, facts := a.(Facts)
			return !facts || b.Style == Plain
		}
		before, prose := a.(Prose)
		return !prose || before.Label == ""
	case List:
		return b.Title != ""
	}
	return true
}

// page collects the lines of a document.
type page struct {
	out     strings.Builder
	width   int
	color   bool
	breaks  bool
	columns int // of the terminal: commands may use all

	belowTable bool // what is written now follows a table
}

func newPage(o TerminalOptions) *page {
	if o.Width == 0 {
		o.Width = 80
	}
	columns := max(o.Width, minWidth)
	words := columns
	switch {
	case o.Words > 0:
		words = max(o.Words, minWidth)
	case o.Width != AnyWidth:
		words = min(columns, readable)
	}
	return &page{width: words, color: o.Color, breaks: o.Break, columns: columns}
}

// paint puts text into a style, if the terminal shows styles.
func (p *page) paint(style Style, s string) string {
	code := [...]string{Plain: "", Strong: "1", Quiet: "2", Alarm: "1;31", Warn: "33", Good: "32"}[style]
	if !p.color || s == "" || code == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (p *page) line(s string) {
	p.out.WriteString(strings.TrimRight(s, " "))
	p.out.WriteByte('\n')
}

func (p *page) blank() { p.out.WriteByte('\n') }

// paragraph writes words after a first prefix; further lines are indented.
func (p *page) paragraph(first string, indent int, style Style, words string) {
	for i, l := range wrap(escape.Text(words), p.width-indent) {
		lead := strings.Repeat(" ", indent)
		if i == 0 {
			lead = pad(first, indent)
		}
		p.line(lead + p.paint(style, l))
	}
}

func (p *page) write(b Block) {
	switch b := b.(type) {
	case Facts:
		p.facts(b)
	case Prose:
		p.prose(b)
	case Heading:
		p.line(p.paint(b.Style, escape.Text(b.Words)))
	case Finding:
		for _, l := range p.finding(b) {
			p.line(l)
		}
	case Table:
		p.table(b)
	case List:
		p.list(b)
	case Chains:
		p.list(b.list())
	}
}

// facts writes as many pieces into a line as fit, two blanks apart.
func (p *page) facts(f Facts) {
	line, used := p.paint(f.Style, escape.Text(f.Lead)), cells(escape.Text(f.Lead))
	for _, s := range f.Items {
		s = Clip(escape.Text(s), p.width)
		switch {
		case s == "":
		case used == 0:
			line, used = s, cells(s)
		case used+2+cells(s) <= p.width:
			line, used = line+"  "+s, used+2+cells(s)
		default:
			p.line(line)
			line, used = s, cells(s)
		}
	}
	p.line(line)
}

// labels is the width of the labels left of sentences.
// Longer ones have two blanks behind them.
const labels = 13

func (p *page) prose(x Prose) {
	if x.Label == "" {
		p.paragraph("", 0, x.Style, x.Words)
		return
	}
	label := escape.Text(x.Label)
	wide := max(labels, cells(label)+2)
	for i, l := range wrap(escape.Text(x.Words), p.width-wide) {
		lead := pad("", wide)
		if i == 0 {
			lead = p.paint(x.Style, label) + pad("", wide-cells(label))
		}
		p.line(lead + l)
	}
}

// command gives a command as lines that can be pasted together: on a terminal
// that is narrower it is broken as a shell takes it.
func (p *page) command(indent int, command string) []string {
	lines := []string{command}
	if p.breaks {
		lines = breakCommand(command, p.columns-indent-2)
	}
	lead := "$ "
	for i, l := range lines {
		lines[i] = strings.Repeat(" ", indent) + lead + l
		lead = "  "
	}
	return lines
}

// table writes a table. It may be wider than words.
func (p *page) table(t Table) {
	indent := 0
	if t.Title != "" {
		indent = tableIndent
		for i, l := range wrap(escape.Text(t.Title), max(p.width, p.columns)-2) {
			p.line(pad("", 2*min(i, 1)) + p.paint(Strong, l))
		}
	}
	columns, named := slices.Clone(t.Columns), false
	rows := make([][]string, len(t.Rows))
	for i, c := range columns {
		if c.Short != "" && p.columns < narrow {
			columns[i].Name = c.Short
		}
		columns[i].Wrap = c.Wrap && p.breaks
		named = named || c.Name != ""
	}
	for y, r := range t.Rows {
		rows[y] = make([]string, len(r))
		for i, c := range r {
			rows[y][i] = escape.Text(c)
		}
	}
	lines := fitLines(columns, rows, p.columns, indent)
	var hanging []string // cells of the last column, which stand below their rows
	var style Style
	if lines.hangs(rows) {
		last := len(columns) - 1
		style = columns[last].Style
		for y, r := range rows {
			hanging, rows[y] = append(hanging, r[last]), r[:last]
		}
		columns = columns[:last]
		lines = fitLines(columns, rows, p.columns, indent)
	}
	lines.paint = p.paint
	if named {
		for name := range strings.Lines(string(lines.AppendNames(nil))) {
			p.line(p.paint(Quiet, strings.TrimSuffix(name, "\n")))
		}
	}
	for y, r := range rows {
		p.out.Write(lines.Append(nil, r))
		if hanging != nil && hanging[y] != "" {
			for _, l := range wrap(hanging[y], p.width-indent-belowIndent) {
				p.line(pad("", indent+belowIndent) + p.paint(style, l))
			}
		}
		if y < len(t.Below) {
			p.below(lines.begin(min(t.Under, len(columns)-1))+belowIndent, t.Below[y])
		}
	}
	if t.More != "" {
		p.paragraph("", indent, Quiet, t.More)
	}
}

// below writes what stands below the row of a table.
func (p *page) below(indent int, rows []Row) {
	for _, r := range rows {
		label := ""
		if r.Label != "" {
			label = r.Label + ": "
		}
		first := pad("", indent) + p.paint(Quiet, label)
		for _, l := range p.words(indent+cells(label), r.Words, r.Lines) {
			p.line(first + l)
			first = pad("", indent+cells(label))
		}
		for _, c := range r.Commands {
			for _, l := range p.command(indent, c) {
				p.line(l)
			}
		}
	}
}

func (p *page) list(l List) {
	if l.Title == "" {
		p.remarks(l)
		return
	}
	p.line(p.paint(l.Style, l.Title))
	for _, x := range l.Items {
		for _, words := range p.words(2, x.Words, x.Lines) {
			p.line("  " + words)
		}
		if x.Command != "" {
			for _, c := range p.command(4, x.Command) {
				p.line(c)
			}
		}
		if x.Remedy != "" {
			p.paragraph("    get it: ", 12, Quiet, x.Remedy)
		}
	}
	if l.More != "" {
		p.line("  " + p.paint(Quiet, l.More))
	}
}

// remarks writes the words of a list without a title, an item from the beginning of a
// line, or below the cells of a table.
func (p *page) remarks(l List) {
	indent := 0
	if p.belowTable {
		indent = tableIndent
	}
	for _, x := range l.Items {
		lead := pad("", indent)
		for _, words := range p.words(indent+2, x.Words, x.Lines) {
			p.line(lead + p.paint(l.Style, words))
			lead = pad("", indent+2)
		}
	}
	if l.More != "" {
		p.line(pad("", indent) + p.paint(Quiet, l.More))
	}
}

// words breaks words into lines right of an indentation, at most maxLines (0: any
// number); the last has a mark where something is missing.
func (p *page) words(indent int, words string, maxLines int) []string {
	list := wrap(escape.Text(words), p.width-indent)
	if maxLines > 0 && len(list) > maxLines {
		rest := strings.Join(list[maxLines-1:], " ")
		list = append(list[:maxLines-1:maxLines-1], clipWords(rest, max(p.width-indent, 8)))
	}
	return list
}

// Where the rows of a finding begin, and their words.
const (
	rowsAt  = 3
	wordsAt = 12
	// In a short finding the headline, the commands of a row and what they cost have at
	// most so many lines.
	maxHeadLines, maxCommandLines, maxPriceLines = 2, 2, 2
	// Spare rows up to this go only when words of several lines were cut.
	dearSpare = 3
)

// finding gives the lines of a finding, at most as many as it says.
func (p *page) finding(f Finding) []string {
	out := p.headline(f)
	f.Rows = slices.Clone(f.Rows)
	rows := make([][]string, len(f.Rows))
	total := len(out)
	for i, r := range f.Rows {
		rows[i] = p.row(r, f.Lines > 0)
		total += len(rows[i])
	}
	for f.Lines > 0 && total > f.Lines {
		spare, long := -1, -1
		for i, r := range f.Rows {
			if r.Spare > 0 && rows[i] != nil && (spare < 0 || r.Spare >= f.Rows[spare].Spare) {
				spare = i
			}
			if r.Lines > 1 && len(p.words(wordsAt, r.Words, r.Lines)) > 1 && rows[i] != nil {
				long = i
			}
		}
		switch {
		case spare >= 0 && (long < 0 || f.Rows[spare].Spare > dearSpare):
			total -= len(rows[spare])
			rows[spare] = nil
		case long >= 0:
			f.Rows[long].Lines--
			total -= len(rows[long])
			rows[long] = p.row(f.Rows[long], true)
			total += len(rows[long])
		default:
			return slices.Concat(out, slices.Concat(rows...))
		}
	}
	return slices.Concat(out, slices.Concat(rows...))
}

func (p *page) headline(f Finding) []string {
	number, mark := pad(fmt.Sprint(f.Number), rowsAt-1)+" ", escape.Text(f.Mark)
	indent, maxLines := cells(number)+cells(mark)+2, 0
	if f.Lines > 0 {
		maxLines = maxHeadLines
	}
	lines := p.words(indent, f.Headline, maxLines)
	for i, l := range lines {
		lead := pad("", indent)
		if i == 0 {
			lead = number + p.paint(f.Style, mark) + "  "
		}
		lines[i] = lead + p.paint(Strong, l)
	}
	return lines
}

// sgr is what paint puts around words.
var sgr = regexp.MustCompile("\x1b\\[[0-9;]*m")

// row gives the lines of one part of a finding.
func (p *page) row(r Row, short bool) []string {
	var out []string
	lead := pad("", rowsAt) + p.paint(Quiet, r.Label) + pad("", wordsAt-rowsAt-cells(r.Label))
	if r.Words != "" {
		for i, l := range p.words(wordsAt, r.Words, r.Lines) {
			if i > 0 {
				lead = pad("", wordsAt)
			}
			out = append(out, lead+l)
		}
	}
	var commands []string
	for _, c := range r.Commands {
		commands = append(commands, p.command(wordsAt, c)...)
	}
	if short && len(commands) > maxCommandLines {
		commands = []string{pad("", wordsAt) + p.paint(Quiet, fmt.Sprintf("%d lines of commands: -v shows them", len(commands)))}
	}
	if len(out) == 0 && len(commands) > 0 {
		commands[0] = lead + strings.TrimLeft(commands[0], " ")
	}
	out = append(out, commands...)
	if r.Danger != "" {
		out = p.after(out, Alarm, p.words(wordsAt, "DANGER: "+r.Danger, 0), short)
	}
	if r.Price != "" {
		maxLines := 0
		if short {
			maxLines = maxPriceLines
		}
		out = p.after(out, Quiet, p.words(wordsAt, "costs: "+r.Price, maxLines), short)
	}
	return out
}

// after puts words below the lines of a row, or behind the last one if a short
// finding has room there.
func (p *page) after(out []string, style Style, words []string, short bool) []string {
	const gap = "   "
	if n := len(out); short && n > 0 && len(words) == 1 && cells(sgr.ReplaceAllString(out[n-1], ""))+len(gap)+cells(words[0]) <= p.width {
		out[n-1] += gap + p.paint(style, words[0])
		return out
	}
	for _, l := range words {
		out = append(out, pad("", wordsAt)+p.paint(style, l))
	}
	return out
}
