package load

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func fixture(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestSysbenchReport(t *testing.T) {
	r, err := ParseSysbench(fixture(t, "sysbench-read-write.txt"))
	if err != nil {
		t.Fatal(err)
	}
	counted := 0.0
	for _, c := range r.Histogram {
		counted += c.Count
	}
	if counted != r.Transactions {
		t.Errorf("the histogram has %.0f transactions, and the report %.0f since the checkpoint", counted, r.Transactions)
	}
	want := Second{At: 4, Threads: 2, TPS: 2160.33, QPS: 43204.53}
	if diff := cmp.Diff(want, r.Seconds[len(r.Seconds)-1]); diff != "" || len(r.Seconds) != 4 || r.Checkpoints != 1 || !r.Whole {
		t.Errorf("%d seconds, %d checkpoints, whole: %v; the last one: %s", len(r.Seconds), r.Checkpoints, r.Whole, diff)
	}
	if q := r.Queries / r.Transactions; math.Abs(q-20) > .01 || r.Percent != 99 || math.Abs(r.Quantile(.99)/r.Percentile-1) > .05 {
		t.Errorf("%.2f queries a transaction, p%.0f %.2f ms, of the histogram %.2f ms", q, r.Percent, r.Percentile, r.Quantile(.99))
	}
}

func TestSysbenchReportsThatEndEarly(t *testing.T) {
	text := fixture(t, "sysbench-read-write.txt")
	for at := 0; at < len(text); at += 41 {
		r, _ := ParseSysbench(text[:at])
		if r.Whole && at < len(text)-100 {
			t.Fatalf("whole after %d of %d bytes", at, len(text))
		}
	}
}

func TestLinesOfSysbench(t *testing.T) {
	for _, tt := range []struct {
		line string
		want Second
		ok   bool
	}{
		{"[ 1s ] thds: 64 tps: 142.00 qps: 2.50 (r/w/o: 1.00/1.00/0.50) lat (ms,95%): 7.00 err/s: 3.25 reconn/s: 1.50", Second{1, 64, 142, 2.5, 3.25, 1.5}, true},
		{"[ 1200s ] thds: 1 eps: 648.52 lat (ms,95%): 1.58", Second{1200, 1, 648.52, math.NaN(), 0, 0}, true},
		{"[ 2s ] thds: 1 tps: 1e309 qps: x", Second{}, false},
		{"[ 2s ] Checkpoint report:", Second{}, false},
		{strings.Repeat("[ 1s ] ", 10_000), Second{}, false},
	} {
		got, ok := NewSysbenchReport().Line(tt.line)
		if diff := cmp.Diff(tt.want, got, cmp.Comparer(func(a, b float64) bool { return a == b || a != a && b != b })); ok != tt.ok || diff != "" {
			t.Errorf("%.80q: %v %s", tt.line, ok, diff)
		}
	}
}

func FuzzSysbenchReport(f *testing.F) {
	b, err := os.ReadFile("testdata/sysbench-read-write.txt")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(b))
	f.Fuzz(func(t *testing.T, text string) {
		r, _ := ParseSysbench(text)
		r.Quantile(.99)
	})
}
