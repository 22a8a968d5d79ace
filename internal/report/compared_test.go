package report_test

import (
	"bytes"
	"fmt"
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

// Processes of one side that used no CPU time stand in one line.
func TestProcessesOfComparison(t *testing.T) {
	only := func(side, n int, name string, cores float64) diff.Process {
		p := diff.Process{Name: name}
		p.Count[side], p.Cores[side] = n, cores
		return p
	}
	many := func(n int, cores float64) (list []diff.Process) {
		for i := range n {
			list = append(list, only(0, 1, fmt.Sprintf("p%d", i), cores))
		}
		return list
	}
	for _, c := range []struct {
		name      string
		processes []diff.Process
		want      []string
		lines     int // with the title
	}{
		{"none", nil, []string{"PROCESSES    the same programs run"}, 1},
		{"busy", []diff.Process{only(0, 2, "batch", 0.5), only(1, 1, "cron", 0.005)}, []string{"  batch: only in the first, 2 processes, 0.5 cores", "  cron: only in the second, 1 process, 0.01 cores"}, 3},
		{"idle", []diff.Process{only(0, 2, "batch", 0.5), only(1, 1, "agetty", 0.0049), only(0, 1, "sshd", 0), only(1, 3, "nginx", 0)},
			[]string{"  batch: only in the first, 2 processes, 0.5 cores", "  only in the first, nearly idle: sshd", "  only in the second, nearly idle: agetty, nginx"}, 4},
		{"another command line, and idle", []diff.Process{{Name: "db", Count: [2]int{1, 1}, Commands: [2]string{"db -a", "db -b"}}}, []string{"  db: another command line: db -a, in the second db -b"}, 2},
		{"many busy", many(22, 1), []string{"  p19: only in the first, 1 process, 1 cores", "  and 2 processes (--json)"}, 22},
		{"many idle", many(22, 0), []string{"  only in the first, nearly idle: p0, ", "p19, and 2 processes (--json)"}, 2},
	} {
		compared := report.Compared{Result: diff.Result{Per: "second", Requests: [2]float64{math.NaN(), math.NaN()}, Processes: c.processes}}
		var out bytes.Buffer
		if err := document.Terminal(&out, compared.Document(), document.TerminalOptions{Width: document.AnyWidth}); err != nil {
			t.Fatal(err)
		}
		_, text, _ := strings.Cut(out.String(), "PROCESSES")
		text, _, _ = strings.Cut("PROCESSES"+text, "SETTINGS")
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is missing in\n%s", c.name, want, text)
			}
		}
		if n := strings.Count(strings.TrimSpace(text), "\n") + 1; n != c.lines {
			t.Errorf("%s: %d lines, want %d:\n%s", c.name, n, c.lines, text)
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
