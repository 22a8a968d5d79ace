package report

import (
	"bytes"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/bench"
	"rtrail/internal/bench/knee"
	"rtrail/internal/document"
	"rtrail/internal/golden"
)

var begin = time.Date(2026, 11, 26, 8, 0, 0, 0, time.UTC)

// run is one of a closed loop on a host with 4 CPUs.
func run(scenario string, clients, repeat int, tps, p99 float64) bench.Run {
	r := bench.NewRun()
	r.Environment, r.Scenario, r.Threads, r.Repeat = "io2", scenario, clients, repeat
	r.Load.TPS, r.Load.QPS, r.Load.P99, r.Load.Mean, r.Load.Errors = document.Number(tps), document.Number(20*tps), document.Number(p99), document.Number(1000*float64(clients)/tps), 0
	r.Host = bench.Host{CPUs: 4, User: document.Number(math.Min(3.5, tps/250)), System: 0.3, Softirq: 0.01, IOWait: 0, Util: 12, Samples: 30}
	r.Costs.CPU, r.Costs.Written = document.Number(1e6*float64(r.Host.User+r.Host.System)/tps), 4096
	r.Settings = map[string]string{"rows": "1000000", "seconds": "30", "repeat": "differs " + string(rune('0'+repeat))}
	return r
}

// matrix is two repeats of a ladder that saturates, an open one, and a run that is not valid.
func matrix() []bench.Run {
	busy := bench.Saturated{Rule: "cpu/saturated", Subject: "mysqld", Confidence: "certain", Headline: "mysqld uses all CPUs", Proof: []string{"3.8 of 4 CPUs busy"}}
	var runs []bench.Run
	for repeat := 1; repeat <= 2; repeat++ {
		for i, tps := range []float64{250, 480, 800, 900, 910, 880, 850} {
			r := run("read_write", 1<<i, repeat, tps*(1+0.01*float64(repeat)), 4*float64(int(1)<<i))
			if i >= 3 {
				r.Saturated = []bench.Saturated{busy, busy}
			}
			runs = append(runs, r)
		}
	}
	hot := run("read_write", 256, 1, 9000, 1)
	hot.Invalid = []string{"the load generator used 98 % of one CPU"}
	runs = append(runs, hot)
	for _, rate := range []float64{100, 200, 400} {
		r := run("point_select", 0, 1, math.Min(rate, 260), rate/10)
		r.Rate, r.Load.Mean = document.Number(rate), 1
		if rate > 260 {
			r.Saturated = []bench.Saturated{busy}
		}
		runs = append(runs, r)
	}
	for i := range runs {
		runs[i].Began = begin.Add(time.Duration(i) * 32 * time.Second)
		runs[i].Ended = runs[i].Began.Add(30 * time.Second)
	}
	return runs
}

func TestReport(t *testing.T) {
	defer func(was *time.Location) { time.Local = was }(time.Local)
	time.Local = time.UTC
	r := New(matrix(), Options{P99: 25})
	for width, name := range map[int]string{120: "report.txt", 100: "report-100.txt", 80: "report-80.txt"} {
		var text bytes.Buffer
		if err := document.Terminal(&text, r.Document(), document.TerminalOptions{Width: width}); err != nil {
			t.Fatal(err)
		}
		golden.Text(t, filepath.Join("testdata", name), text.String())
		for line := range strings.Lines(text.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%d columns in %q", n, line)
			}
		}
	}
}

// fits wants the JSON form that docs/bench-report.schema.json describes.
func fits(t *testing.T, r *Report) {
	t.Helper()
	text, err := document.AppendJSON(nil, r)
	if err != nil {
		t.Fatal(err)
	}
	golden.Fits(t, "../../../docs/bench-report.schema.json", text)
}

// TestLaw: one that is told has the published form, too.
func TestLaw(t *testing.T) {
	law := knee.Law{Lambda: 1000, Sigma: 0.05, Kappa: 0.002}
	var runs []bench.Run
	for n := 1; n <= 40; n += 3 {
		runs = append(runs, run("ps", n, 1, law.At(float64(n)), 1))
	}
	r := New(runs, Options{P99: math.Inf(1)})
	if found := r.Environments[0].Ladders[0].Law; found == nil || math.Abs(found.Peak/law.Peak()-1) > 0.01 {
		t.Errorf("%+v", found)
	}
	fits(t, r)
}

func TestNumbers(t *testing.T) {
	r := New(matrix(), Options{P99: 15})
	e := r.Environments[0]
	if len(r.Environments) != 1 || len(e.Ladders) != 2 || e.Settings["rows"] != "1000000" || e.Settings["repeat"] != "" {
		t.Fatalf("%+v", r)
	}
	closed, open := e.Ladders[0], e.Ladders[1]
	if k := closed.Knee; k == nil || k.Level != 8 || k.Beyond || math.Abs(float64(k.PerSecond)-900*1.015) > 0.01 {
		t.Errorf("%+v", k)
	}
	if len(closed.Levels) != 7 || closed.Levels[6].Level != 64 {
		t.Errorf("an invalid run counts: %+v", closed.Levels)
	}
	if len(closed.Limits) != 1 || closed.Limits[0].Runs != 8 || closed.Limits[0].Of != 8 {
		t.Errorf("%+v", closed.Limits)
	}
	if at := e.Limiting(&closed); at == nil || at.Threads != 8 || len(at.Saturated) == 0 {
		t.Errorf("the limit is shown by %+v", at)
	}
	if at := e.Limiting(&open); at == nil || at.Rate != 400 {
		t.Errorf("the limit of the open loop is shown by %+v", at)
	}
	if k := open.Knee; k == nil || k.Level != 100 || k.Beyond {
		t.Errorf("%+v", k)
	}
	if all := New(matrix(), Options{P99: math.Inf(1)}).Environments[0].Ladders[1]; all.Knee.Level != 200 || all.Limits[0].Of != 1 {
		t.Errorf("%+v, %+v", all.Knee, all.Limits)
	}
	fits(t, r)
	curves := r.Curves()
	if len(curves) != 6 || curves[0].Lines[0].Points[3] != [2]float64{8, 900 * 1.015} || curves[0].Marks[0].At != 8 {
		t.Errorf("%+v", curves)
	}
}

// TestMedians: of an odd number of runs, in any order, and of numbers that not all runs have.
func TestMedians(t *testing.T) {
	runs := []bench.Run{run("ps", 8, 1, 720, 2), run("ps", 1, 1, 100, 1), run("ps", 8, 2, 1, math.NaN()), run("ps", 8, 3, 700, 4)}
	runs[1].Load.P99 = document.Number(math.NaN())
	levels := New(runs, Options{P99: math.Inf(1)}).Environments[0].Ladders[0].Levels
	if len(levels) != 2 || levels[1].Level != 8 || levels[1].Runs != 3 || levels[1].Load.TPS != 700 || levels[1].Load.P99 != 3 || !math.IsNaN(float64(levels[0].Load.P99)) {
		t.Errorf("%+v", levels)
	}
}

func TestOddRuns(t *testing.T) {
	failed := bench.NewRun()
	failed.Scenario, failed.Threads = "ps", 8
	late := run("ps", 8, 1, 100, 1)
	late.Began, late.Ended = begin, begin.Add(time.Minute)
	beside := run("ps", 16, 1, 100, 1)
	beside.Began, beside.Ended = begin.Add(time.Second), begin.Add(time.Minute)
	for name, tt := range map[string]struct {
		runs []bench.Run
		says string
	}{
		"nothing":  {[]bench.Run{failed}, "no valid run"},
		"overlap":  {[]bench.Run{late, beside}, "overlap in time"},
		"hostile":  {[]bench.Run{func() bench.Run { r := run("\x1b[2J\u202e", 1, 1, 1, 1); r.Environment = "\x1b]0;x\x07"; return r }()}, "may lie beyond"},
		"no rate":  {[]bench.Run{func() bench.Run { r := run("x", 0, 0, 10, 1); return r }()}, ""},
		"none but": {[]bench.Run{func() bench.Run { r := run("x", 0, 0, 10, 1); r.Rate = 100; return r }()}, "even the smallest rate, 100/s, is not kept"},
	} {
		var text bytes.Buffer
		r := New(tt.runs, Options{P99: math.Inf(1)})
		if err := document.Terminal(&text, r.Document(), document.TerminalOptions{Width: 120}); err != nil {
			t.Fatal(name, err)
		}
		if !strings.Contains(text.String(), tt.says) || strings.ContainsAny(text.String(), "\x1b\x07\u202e") {
			t.Errorf("%s: %q", name, text.String())
		}
		fits(t, r)
		r.Curves()
	}
}

// What ends a ladder goes first, then what most runs have, whatever they call it, then what more
// load shows.
func TestOrderOfLimits(t *testing.T) {
	finding := func(rule, subject string) bench.Saturated {
		return bench.Saturated{Rule: rule, Subject: subject, Confidence: "likely"}
	}
	slow, shaper, path := finding("rt/server-slow", "db"), finding("net/rate-limited", "eth0"), finding("net/rate-limited", "10.0.0.1")
	full := finding("mysql/connections-exhausted", "listener db:3306")
	for name, tt := range map[string]struct {
		levels [][]bench.Saturated // 1, 2, 4 ... clients, at the knee all of them
		ends   bool                // the last one is refused
		want   []string
	}{
		"by runs":                  {[][]bench.Saturated{{slow}, {slow}, {path}}, false, []string{"db", "10.0.0.1"}},
		"two subjects of one rule": {[][]bench.Saturated{{slow}, {shaper}, {path}}, false, []string{"eth0", "10.0.0.1", "db"}},
		"more load":                {[][]bench.Saturated{{slow}, nil, {path}}, false, []string{"10.0.0.1", "db"}},
		"what comes first":         {[][]bench.Saturated{{slow, full}, {path, full}, {path, full}}, false, []string{"10.0.0.1", "db", "listener db:3306"}},
		"as the verdict has it":    {[][]bench.Saturated{{slow, path}, {slow, path}}, false, []string{"db", "10.0.0.1"}},
		"refused":                  {[][]bench.Saturated{{slow}, {slow}, {full}}, true, []string{"listener db:3306", "db"}},
	} {
		t.Run(name, func(t *testing.T) {
			var runs []bench.Run
			for i, found := range tt.levels {
				r := run("ps", 1<<i, 1, 100, 1)
				r.Saturated = found
				if tt.ends && i == len(tt.levels)-1 {
					r.Load, r.Refused, r.Unfinished, r.Invalid = bench.UnknownLoad(), true, true, []string{"error 1040"}
				}
				runs = append(runs, r)
			}
			var got []string
			for _, l := range New(runs, Options{P99: math.Inf(1)}).Environments[0].Ladders[0].Limits {
				got = append(got, l.Subject)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// How near a disk was to its baseline stands in the row of the run and beside the limit that names it.
func TestNearBaseline(t *testing.T) {
	var runs []bench.Run
	for i := range 3 {
		r := run("ps", 1<<i, 1, 1000, 1)
		r.Saturated = []bench.Saturated{{Rule: "disk/saturated", Subject: "vda", Confidence: "certain", Headline: "disk vda is saturated"}, {Rule: "cpu/saturated", Subject: "mysqld (7)", Confidence: "certain", Headline: "mysqld uses all CPUs"},
			{Rule: "net/rate-limited", Subject: "eth0", Confidence: "certain", Headline: "eth0 is limited"}, {Rule: "net/rate-limited", Subject: "eth0 in web", Confidence: "certain", Headline: "eth0 of web is limited"}}
		r.Baseline = []bench.Near{{Thing: "vda", What: "requests", Share: document.Number(0.9 + 0.02*float64(i)), Measured: begin.AddDate(0, 0, -3)}, {Thing: "eth0", What: "sent", Share: 0.5}}
		runs = append(runs, r)
	}
	d := New(runs, Options{P99: math.Inf(1)}).Document()
	var text bytes.Buffer
	if err := document.Terminal(&text, d, document.TerminalOptions{Width: document.AnyWidth}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"disk/saturated (3 of 3 runs); it was at 94 % of what it could do (requests) when it was measured on", "eth0 is limited, net/rate-limited (3 of 3 runs); it was at 50 % of what went through it (sent) when", "90 vda", "94 vda", "nearest"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, text.String())
		}
	}
	if n := strings.Count(text.String(), " when it was measured on"); n != 2 {
		t.Errorf("%d limits have a baseline", n)
	}
}
