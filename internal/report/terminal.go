package report

import (
	"io"

	"rtrail/internal/document"
	"rtrail/internal/verdict"
)

// TerminalOptions say what the terminal can show and what the user asked for.
type TerminalOptions struct {
	document.TerminalOptions
	Verbose bool // all evidence, all processes, healthy resources and probes
}

// Terminal writes the verdict for people.
func Terminal(w io.Writer, v verdict.Verdict, o TerminalOptions) error {
	return document.Terminal(w, Compose(v, o.Verbose), o.TerminalOptions)
}

// Markdown writes the verdict for tickets and post-mortems: all of it.
func Markdown(w io.Writer, v verdict.Verdict) error {
	return document.Markdown(w, Compose(v, true))
}
