package traffic

import (
	"cmp"
	"io"

	"rtrail/internal/document"
)

// show prints a table that has rows, in a width, 0 for any; one with a title stands
// apart from what was printed.
func show(w io.Writer, width int, t document.Table) {
	if len(t.Rows) == 0 {
		return
	}
	if t.Title != "" {
		io.WriteString(w, "\n")
	}
	_ = document.Terminal(w, document.Document{Blocks: []document.Block{t}}, document.TerminalOptions{Width: cmp.Or(width, document.AnyWidth)})
}
