package document_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"rtrail/internal/document"
	"rtrail/internal/escape"
	"rtrail/internal/golden"
)

const markup = "# A fault, told in **many** words so that its heading is wrapped too\n\n## What it is\nWords with `code * in it`, **strong** ones and a\n" +
	"[link](docs/labs.md) over two lines.\n    $ command --that=\"is never\" wrapped although it is longer than all lines\n\nAfter the code:\n" +
	"- an item that is long enough to be wrapped to the\n  next line, twice\n- another\n1. a numbered one\n\n| do | costs |\n|---|---|\n" +
	"| `a \\| b` in a cell, and enough words to wrap it | money |\n| short | 数据库 |\n\n```\nfenced  code\n```\nlast \x1b[31m line\n"

func TestPage(t *testing.T) {
	for width, name := range map[int]string{50: "page-50.txt", 100: "page-100.txt"} {
		var out bytes.Buffer
		if err := document.Page(&out, markup, document.TerminalOptions{Width: width}); err != nil {
			t.Fatal(err)
		}
		golden.Text(t, "testdata/"+name, out.String())
		harmless(t, out.String())
	}
}

type brokenWriter struct{}

var errBroken = errors.New("broken")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestPageWriteError(t *testing.T) {
	if err := document.Page(brokenWriter{}, markup, document.TerminalOptions{}); !errors.Is(err, errBroken) {
		t.Errorf("got %v, want the writer's error", err)
	}
}

func FuzzPage(f *testing.F) {
	f.Add(markup, 60)
	f.Add("|", 40)
	f.Add("```", 40)
	f.Add("|a\x18|\n|-|\n|b\x1b|", 40)
	f.Fuzz(func(t *testing.T, s string, width int) {
		var out bytes.Buffer
		if err := document.Page(&out, s, document.TerminalOptions{Width: width}); err != nil {
			t.Fatal(err)
		}
		harmless(t, out.String())
	})
}

// harmless fails on what a terminal would act on.
func harmless(t *testing.T, s string) {
	t.Helper()
	s = strings.ReplaceAll(s, "\n", "")
	if at := strings.IndexFunc(s, escape.Hidden); at >= 0 {
		t.Errorf("the document holds %q", s[at:])
	}
}
