package document

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"rtrail/internal/escape"
)

// Markdown writes a document for tickets and post-mortems.
func Markdown(w io.Writer, d Document) error {
	b := &markdown{}
	if d.Title != "" {
		fmt.Fprintf(b, "# %s\n", md(d.Title))
	}
	for _, block := range d.Blocks {
		b.write(block)
	}
	_, err := io.WriteString(w, strings.TrimPrefix(b.String(), "\n"))
	return err
}

type markdown struct{ strings.Builder }

func (b *markdown) write(block Block) {
	switch x := block.(type) {
	case Facts:
		words := slices.DeleteFunc(append([]string{x.Lead}, x.Items...), func(s string) bool { return s == "" })
		fmt.Fprintf(b, "\n%s\n", md(strings.Join(words, ", ")))
	case Prose:
		b.WriteByte('\n')
		if x.Label != "" {
			fmt.Fprintf(b, "**%s:** ", md(x.Label))
		}
		fmt.Fprintf(b, "%s\n", md(x.Words))
	case Heading:
		b.heading(x.Words)
	case Finding:
		b.finding(x)
	case Table:
		if x.Title != "" {
			b.heading(x.Title)
		}
		b.table(x)
	case Chains:
		b.write(x.list())
	case List:
		if x.Title != "" {
			b.heading(x.Title)
		}
		b.WriteByte('\n')
		for _, i := range x.Items {
			words := i.Words
			if i.Command != "" {
				words = strings.TrimSuffix(words, ":")
			}
			fmt.Fprintf(b, "- %s", md(words))
			if i.Command != "" {
				fmt.Fprintf(b, ": %s", code(i.Command))
			}
			if i.Remedy != "" {
				fmt.Fprintf(b, "; to get it: %s", md(i.Remedy))
			}
			b.WriteByte('\n')
		}
		if x.More != "" {
			fmt.Fprintf(b, "\n%s\n", md(x.More))
		}
	}
}

func (b *markdown) heading(words string) { fmt.Fprintf(b, "\n## %s\n", plainWords(words)) }

func (b *markdown) finding(f Finding) {
	b.heading(fmt.Sprintf("%d. %s", f.Number, f.Headline))
	fmt.Fprintf(b, "\n**%s**\n\n", md(f.Mark))
	label := ""
	for _, r := range f.Rows {
		if r.Label != "" {
			label = r.Label + ": "
		}
		if r.Words == "" && len(r.Commands) == 1 {
			fmt.Fprintf(b, "- %s%s\n", md(label), code(r.Commands[0]))
			continue
		}
		fmt.Fprintf(b, "- %s%s", md(label), md(r.Words))
		if r.Danger != "" {
			fmt.Fprintf(b, " **Danger: %s.**", md(r.Danger))
		}
		if r.Price != "" {
			fmt.Fprintf(b, " (costs: %s)", md(r.Price))
		}
		b.WriteByte('\n')
		for i, c := range r.Commands {
			if i == 0 {
				b.WriteByte('\n')
			}
			fmt.Fprintf(b, "      %s\n", escape.Text(c))
			if i == len(r.Commands)-1 {
				b.WriteByte('\n')
			}
		}
	}
}

func (b *markdown) table(t Table) {
	b.WriteString("\n|")
	for _, c := range t.Columns {
		fmt.Fprintf(b, " %s |", plainWords(strings.TrimSpace(c.Group+" "+c.Name)))
	}
	b.WriteString("\n|")
	for _, c := range t.Columns {
		if c.Right {
			b.WriteString("--:|")
		} else {
			b.WriteString("---|")
		}
	}
	b.WriteByte('\n')
	words := t.Under // the column that has what is below
	for i, c := range t.Columns {
		if c.Wrap {
			words = i
		}
	}
	for y, r := range t.Rows {
		b.WriteByte('|')
		for i, c := range r {
			fmt.Fprintf(b, " %s", plainWords(c))
			if y < len(t.Below) && i == words {
				b.below(t.Below[y])
			}
			b.WriteString(" |")
		}
		b.WriteByte('\n')
	}
	if t.More != "" {
		fmt.Fprintf(b, "\n%s\n", md(t.More))
	}
}

// below writes what stands below the row of a table, within a cell.
func (b *markdown) below(rows []Row) {
	for _, r := range rows {
		b.WriteString("<br>")
		if r.Label != "" {
			fmt.Fprintf(b, "*%s:* ", plainWords(r.Label))
		}
		b.WriteString(plainWords(r.Words))
		for _, c := range r.Commands {
			b.WriteString(" " + strings.ReplaceAll(code(c), "|", `\|`))
		}
	}
}

var mdEscaper = strings.NewReplacer(`\`, `\\`, "&", "&amp;", "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", "[", `\[`, "]", `\]`)

// lineStart is what Markdown takes for a heading, a quotation, an item of a list, a
// line or a block of code where a line or an item begins with it.
var lineStart = regexp.MustCompile(`^\s*(?:#{1,6}(?:\s|$)|>|[-+](?:\s|$)|-{3}|={3}|~{3}|\d{1,9}[.)](?:\s|$))`)

// plainWords keeps text from the host from being read as Markdown or HTML within a line.
func plainWords(s string) string { return mdEscaper.Replace(escape.Text(s)) }

// md does so where a line or an item may begin with it.
func md(s string) string {
	return lineStart.ReplaceAllStringFunc(plainWords(s), func(start string) string {
		at := strings.IndexAny(start, "#-+=>~.)")
		return start[:at] + `\` + start[at:]
	})
}

// code is a code span that survives backquotes.
func code(s string) string {
	if s == "" {
		return ""
	}
	s = escape.Text(s)
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`" // as long as no run in the text is, so that none ends it
	}
	if len(fence) > 1 {
		s = " " + s + " "
	}
	return fence + s + fence
}
