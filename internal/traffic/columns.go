package traffic

import (
	"cmp"
	"io"

	"rtrail/internal/document"
)

// table prints rows below a title, or below what was printed, in columns as wide as what is in them; width 0
// is any.
func table(w io.Writer, title string, width int, columns []document.Column, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	if title != "" {
		io.WriteString(w, "\n")
	}
	_ = document.Terminal(w, document.Document{Blocks: []document.Block{document.Table{Title: title, Columns: columns, Rows: rows}}}, document.TerminalOptions{Width: cmp.Or(width, document.AnyWidth)})
}
