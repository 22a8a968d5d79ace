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

func TestOlderSysbenchReports(t *testing.T) {
	for name, want := range map[string]SysbenchReport{
		"sysbench-0.5.txt": {Transactions: 14237, Queries: 284751, Errors: 1, TPS: 1185.12, QPS: 23703.37, ErrorRate: 0.08, Events: 14237, Elapsed: 12.0131, Min: 5.21, Mean: 13.49, Max: 88.37, Percentile: 19.56, Percent: 95, Whole: true},
		"sysbench-0.4.txt": {Transactions: 35288, Queries: 564608, TPS: 1763.97, QPS: 28223.49, Reconnects: math.NaN(), Events: 35288, Elapsed: 20.0049, Min: 2.14, Mean: 4.53, Max: 31.02, Percentile: 5.89, Percent: 95, Whole: true},
	} {
		r, err := ParseSysbench(fixture(t, name))
		if err != nil {
			t.Fatal(name, err)
		}
		seconds := r.Seconds
		r.Seconds = nil
		if diff := cmp.Diff(&want, r, cmp.AllowUnexported(SysbenchReport{}), cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 0.001 || a != a && b != b })); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if name == "sysbench-0.4.txt" {
			continue // has none
		}
		sum := 0.0
		for _, s := range seconds {
			sum += 2 * s.TPS
		}
		if len(seconds) != 6 || math.Abs(sum-want.Transactions) > 16 || seconds[3].Errors != 0.5 {
			t.Errorf("%s: %.0f transactions in %+v", name, sum, seconds)
		}
	}
}

// Without begin and commit 0.5 counts no transactions, and 1.1 words its sums otherwise.
func TestSumsOfSysbench(t *testing.T) {
	for text, tps := range map[string]float64{
		"OLTP test statistics:\n    transactions:   0      (0.00 per sec.)\n    read/write requests:   20000  (2500.00 per sec.)\n    other operations:   0      (0.00 per sec.)\n    total time:   8.0000s\n    total number of events:   20000\n": 2500,
		"SQL statistics:\n    transactions:   9000 (900.00 per sec.)\n    queries:   9000 (900.00 per sec.)\nThroughput:\n    events/s (eps):   900.0\n    time elapsed:   10.0000s\n    total number of events:   9000\n":                          900,
	} {
		r, err := ParseSysbench(text)
		if err != nil || r.TPS != tps || r.QPS != tps || r.Transactions != tps*r.Elapsed {
			t.Errorf("%+v, %v of %s", r, err, text)
		}
	}
}

func TestSysbenchReportsThatEndEarly(t *testing.T) {
	for _, name := range []string{"sysbench-read-write.txt", "sysbench-0.5.txt", "sysbench-0.4.txt"} {
		text := fixture(t, name)
		for at := 0; at < len(text); at += 41 {
			r, _ := ParseSysbench(text[:at])
			if r.Whole && at < len(text)-100 {
				t.Fatalf("%s: whole after %d of %d bytes", name, at, len(text))
			}
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
		{"[   2s] threads: 16, tps: 10.50, reads: 147.00, writes: 42.00, response time: 9.61ms (95%), errors: 0.50, reconnects:  0.25", Second{2, 16, 10.5, 189, 0.5, 0.25}, true},
		{"[  10s] threads: 64, tps: 7.22, reads/s: 102.25, writes/s: 0.00 response time: 12.78ms (99%)", Second{10, 64, 7.22, 102.25, 0, 0}, true},
		{"[   1s] threads: 8, tps: 0.00, reads/s: 2799.50, writes/s: 0.00, response time: 5.99ms (95%)", Second{1, 8, math.NaN(), 2799.5, 0, 0}, true},
		{"[   1s] threads: 8, tps: 0.00, reads/s: 27", Second{}, false},
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
	f.Add("OLTP test statistics:\n    other operations:   5 (1.00 per sec.)\n[   1s] threads: 8, tps: 0.00, reads/s: 27.50, writes/s: 0.00 response time: 5.99ms (95%)\n")
	f.Fuzz(func(t *testing.T, text string) {
		r, _ := ParseSysbench(text)
		r.Quantile(.99)
	})
}
