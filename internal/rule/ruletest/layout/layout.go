// Package layout keeps findings as short as people in a hurry read.
package layout

import (
	"fmt"
	"strings"
	"testing"

	"rtrail/internal/document"
	"rtrail/internal/report"
	"rtrail/internal/rule"
	"rtrail/internal/verdict"
)

// maxLines is how long a finding may be on a terminal without --verbose.
const maxLines = 14

// equals is how many findings of one rule are tried as one block.
const equals = 7

// Finding fails on a finding that is longer than people in a hurry read, alone or
// as one of several of its rule, or that lacks where to read on.
func Finding(t *testing.T, f rule.Finding) {
	t.Helper()
	var several []verdict.Finding
	for i := range equals {
		other := f
		other.Subject.Name = fmt.Sprintf("%s%d", f.Subject.Name, i)
		several = append(several, verdict.Finding{Finding: other, Rank: i + 1})
	}
	for _, list := range [][]verdict.Finding{{{Finding: f, Rank: 1}}, several} {
		for _, width := range []int{80, 100, 200} {
			for _, terminal := range []bool{false, true} {
				short(t, list, document.TerminalOptions{Width: width, Break: terminal})
			}
		}
	}
}

// short fails on a block of findings that is too long.
func short(t *testing.T, list []verdict.Finding, o document.TerminalOptions) {
	t.Helper()
	var out strings.Builder
	if err := document.Terminal(&out, document.Document{Blocks: report.Findings(list)}, o); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\n"); n > maxLines || !strings.Contains(out.String(), "WHY      rtrail explain") {
		t.Errorf("%d findings: %d lines at %d columns, want at most %d that end in WHY:\n%s", len(list), n, o.Width, maxLines, out.String())
	}
}
