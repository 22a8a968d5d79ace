package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// Help fits into 80 columns; only examples, which are commands, may be longer.
func TestHelpFitsTheTerminal(t *testing.T) {
	var each func(c *cobra.Command)
	each = func(c *cobra.Command) {
		var out bytes.Buffer
		c.SetOut(&out)
		if err := c.Help(); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			line = strings.TrimRight(line, "\n")
			if n := utf8.RuneCountInString(line); n > helpWidth && !strings.Contains(c.Example, line) {
				t.Errorf("%s: %d columns: %s", c.CommandPath(), n, line)
			}
		}
		for _, sub := range c.Commands() {
			each(sub)
		}
	}
	each(newRootCommand())
}

func TestWidthOfHelp(t *testing.T) {
	for _, c := range []struct {
		width int
		tty   bool
		want  int
	}{{100, false, 80}, {80, true, 80}, {200, true, 100}, {72, true, 72}, {30, true, 60}} {
		if got := widthOfHelp(c.width, c.tty); got != c.want {
			t.Errorf("%d columns, terminal %v: %d, want %d", c.width, c.tty, got, c.want)
		}
	}
}
