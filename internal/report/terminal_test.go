package report_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"rtrail/internal/report"
)

func TestTerminal(t *testing.T) {
	for _, c := range cases() {
		for _, width := range []int{60, 80, 120} {
			t.Run(fmt.Sprintf("%s-%d", c.name, width), func(t *testing.T) {
				var out bytes.Buffer
				if err := report.Terminal(&out, c.verdict, report.TerminalOptions{Width: width}); err != nil {
					t.Fatal(err)
				}
				golden(t, fmt.Sprintf("terminal-%s-%d.txt", c.name, width), out.String())
			})
		}
	}
}

func TestTerminalVerbose(t *testing.T) {
	var out bytes.Buffer
	if err := report.Terminal(&out, cases()[0].verdict, report.TerminalOptions{Width: 100, Verbose: true}); err != nil {
		t.Fatal(err)
	}
	golden(t, "terminal-verbose.txt", out.String())
}

func TestMarkdown(t *testing.T) {
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := report.Markdown(&out, c.verdict); err != nil {
				t.Fatal(err)
			}
			golden(t, "markdown-"+c.name+".md", out.String())
			harmless(t, out.String())
		})
	}
}

var sgr = regexp.MustCompile("\x1b\\[[0-9;]*m")

// TestColor wants the same words with and without colours, and escape
// sequences only where rtrail itself wrote them.
func TestColor(t *testing.T) {
	for _, c := range cases() {
		var plain, colored bytes.Buffer
		if err := report.Terminal(&plain, c.verdict, report.TerminalOptions{Width: 90}); err != nil {
			t.Fatal(err)
		}
		if err := report.Terminal(&colored, c.verdict, report.TerminalOptions{Width: 90, Color: true}); err != nil {
			t.Fatal(err)
		}
		harmless(t, plain.String())
		if !strings.Contains(colored.String(), "\x1b[") {
			t.Errorf("%s: no colours although asked for", c.name)
		}
		trim := regexp.MustCompile(`(?m) +$`)
		if got := trim.ReplaceAllString(sgr.ReplaceAllString(colored.String(), ""), ""); got != plain.String() {
			t.Errorf("%s: colours change the words", c.name)
		}
	}
}

// harmless fails on what a terminal would act on.
func harmless(t *testing.T, s string) {
	t.Helper()
	for _, r := range s {
		if (r < ' ' && r != '\n') || r == 0x7f || r == '\u202e' || (r >= 0x80 && r < 0xa0) {
			t.Errorf("the report holds %U", r)
		}
	}
}
