// Package layout keeps findings as short as people in a hurry read.
package layout

import (
	"strings"
	"testing"

	"rtrail/internal/document"
	"rtrail/internal/report"
	"rtrail/internal/rule"
	"rtrail/internal/verdict"
)

// mostLines is how long a finding may be on a terminal without --verbose.
const mostLines = 14

// Finding fails on a finding that is longer than people in a hurry read, or that
// lacks where to read on.
func Finding(t *testing.T, f rule.Finding) {
	t.Helper()
	for _, width := range []int{80, 100, 200} {
		for _, terminal := range []bool{false, true} {
			var out strings.Builder
			blocks := report.Findings([]verdict.Finding{{Finding: f, Rank: 1}})
			if err := document.Terminal(&out, document.Document{Blocks: blocks}, document.TerminalOptions{Width: width, Break: terminal}); err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(out.String(), "\n"); n > mostLines || !strings.Contains(out.String(), "WHY      rtrail explain") {
				t.Errorf("%d lines at %d columns, want at most %d that end in WHY:\n%s", n, width, mostLines, out.String())
			}
		}
	}
}
