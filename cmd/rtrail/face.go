package main

import (
	"cmp"
	"io"

	"github.com/spf13/pflag"

	"rtrail/internal/document"
)

// face is how a verb prints its answer: for people, as JSON or as Markdown.
type face struct{ json, markdown bool }

// add gives a verb the flags; what is the answer: "the verdict".
func (f *face) add(flags *pflag.FlagSet, what string) {
	flags.BoolVar(&f.json, "json", false, "print "+what+" as JSON")
	flags.BoolVar(&f.markdown, "markdown", false, "print "+what+" as Markdown")
}

func (f *face) check() error {
	if f.json && f.markdown {
		return usageError("--json and --markdown exclude each other")
	}
	return nil
}

// print prints the answer: result is what JSON has of it.
func (f *face) print(out io.Writer, answer document.Document, result any) error {
	switch {
	case f.json:
		return document.JSON(out, result)
	case f.markdown:
		return document.Markdown(out, answer)
	}
	return document.Terminal(out, answer, terminalOptions(out))
}

// terminalOptions are what the output can show.
func terminalOptions(out io.Writer) document.TerminalOptions {
	width, tty := terminalWidth(out)
	return document.TerminalOptions{Width: width, Color: tty && colours(), Break: tty || wantedColumns() > 0}
}

// lineOptions are those of what follows lines that programs search: nothing is cut or
// broken in a pipe.
func lineOptions(out io.Writer) document.TerminalOptions {
	o := terminalOptions(out)
	o.Width = cmp.Or(lineWidth(out), document.AnyWidth)
	return o
}
