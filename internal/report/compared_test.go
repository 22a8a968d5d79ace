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

// Waits are times, per request to the disk or whatever others are divided by.
func TestWaitsOfComparison(t *testing.T) {
	c := report.Compared{Result: diff.Result{Per: "MySQL statement", Requests: [2]float64{1000, 1000}, Plural: "MySQL statements"}}
	for _, q := range diff.Quantities {
		switch q.ID {
		case "disk.await":
			c.Changes = append(c.Changes, diff.Change{Quantity: q, Who: "vda", Per: "disk request", Amount: [2]float64{0.02, 0.001}, PerSec: [2]float64{2, 0.1}})
		case "cgroup.throttled":
			c.Changes = append(c.Changes, diff.Change{Quantity: q, Who: "/app", Per: "MySQL statement", Amount: [2]float64{0.5e-3, 0}, PerSec: [2]float64{0.5, 0}})
		case "mem.swapped-in":
			c.Changes = append(c.Changes, diff.Change{Quantity: q, Per: "MySQL statement", Amount: [2]float64{3, 12}, PerSec: [2]float64{3000, 12000}})
		}
	}
	var out bytes.Buffer
	if err := document.Terminal(&out, c.Document(), document.TerminalOptions{Width: document.AnyWidth}); err != nil {
		t.Fatal(err)
	}
	words := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{"20× more time per disk request, mean of reads and writes vda 20 ms 1 ms", "only first time stopped at the CPU quota /app 500 µs 0 s", "4× less pages swapped in this host 3 12"} {
		if !strings.Contains(words, want) {
			t.Errorf("%q is missing in\n%s", want, &out)
		}
	}
	changes := c.JSON().Changes
	if len(changes) != 3 || changes[0].Unit != "s" || changes[0].Per != "disk request" || changes[0].FirstPerSecond != 2 {
		t.Errorf("%+v", changes)
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
