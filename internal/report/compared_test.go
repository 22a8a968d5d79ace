package report_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"rtrail/internal/diff"
	"rtrail/internal/document"
	"rtrail/internal/report"
)

// Each side has its first finding, or says what it is worth that there is none.
func TestVerdictsOfComparison(t *testing.T) {
	says := map[string]string{
		"sick":     "certain, net/accept-queue-full: nginx on :80 turns connections away: its accept queue is full",
		"healthy":  "nothing was found; 4 resources were judged and found healthy",
		"captured": "nothing was found; 2 resources were judged and found healthy",
		"possible": "possible, disk/full: /var/lib is nearly full",
		"unjudged": "no rule found a cause, but 2 counters of refused or failed work rose",
		"empty":    "nothing was found, but no resource could be judged completely",
	}
	for _, first := range cases() {
		for _, second := range cases() {
			c := report.Compared{Result: diff.Result{Per: "second", Requests: [2]float64{math.NaN(), math.NaN()}, Compared: 7}}
			c.Sides[0].Verdict, c.Sides[1].Verdict = first.verdict, second.verdict
			var out bytes.Buffer
			if err := document.Terminal(&out, c.Document(), document.TerminalOptions{Width: document.AnyWidth}); err != nil {
				t.Fatal(err)
			}
			if want := "\n\nFIRST        " + says[first.name] + "\nSECOND       " + says[second.name] + "\nSAME         none of 7 quantities differs"; !strings.Contains(out.String(), want) {
				t.Errorf("%s and %s: want %q in\n%s", first.name, second.name, want, &out)
			}
		}
	}
}

func TestFindingOfComparison(t *testing.T) {
	for _, c := range cases() {
		var compared report.Compared
		compared.Sides[1].Verdict = c.verdict
		side, n := compared.JSON().Second, len(c.verdict.Findings)
		if side.Findings != n || (side.Finding != nil) != (n > 0) {
			t.Errorf("%s: %d findings, %+v", c.name, side.Findings, side.Finding)
		}
		if n > 0 && (side.Finding.Headline != c.verdict.Findings[0].Headline.String() || side.Finding.Confidence != c.verdict.Findings[0].Confidence.String()) {
			t.Errorf("%s: %+v", c.name, side.Finding)
		}
	}
}
