package logs

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"rtrail/internal/bench/report"
	"rtrail/internal/document"
)

// real is what sysbench 1.0.20 printed.
func real(t testing.TB) string { return printed(t, "sysbench-read-write.txt") }

func printed(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "load", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var written = time.Date(2026, 11, 26, 9, 0, 0, 0, time.UTC)

func TestLog(t *testing.T) {
	runs, notes, err := parse("matrix.log", real(t), written)
	if err != nil || len(runs) != 1 || len(notes) > 0 {
		t.Fatal(runs, notes, err)
	}
	r := runs[0]
	if r.Scenario != "read_write" || r.Threads != 2 || !(r.Load.TPS > 1000) || !(r.Load.P99 > 1) || !(r.Load.P95 > 0) || len(r.Invalid) > 0 {
		t.Errorf("%+v", r)
	}
	if !r.Ended.Equal(written) || r.Seconds() < 1 || r.Seconds() > 5 || len(r.Notes) != 1 {
		t.Errorf("from %v to %v: %v", r.Began, r.Ended, r.Notes)
	}
}

func TestOlderLogs(t *testing.T) {
	for name, want := range map[string]struct {
		version, scenario   string
		threads             int
		tps, qps, mean, p95 document.Number
		seconds             float64
	}{
		"sysbench-0.5.txt": {"0.5", "read_write", 16, 1185.12, 23703.37, 13.49, 19.56, 12},
		"sysbench-0.4.txt": {"0.4.12", "read_only", 8, 1763.97, 28223.49, 4.53, 5.89, 20},
	} {
		text := printed(t, name)
		runs, notes, err := parse(name, text, written)
		if err != nil || len(runs) != 1 || len(notes) > 0 {
			t.Fatal(name, runs, notes, err)
		}
		r := runs[0]
		if r.Settings["sysbench"] != want.version || r.Scenario != want.scenario || r.Threads != want.threads || r.Load.TPS != want.tps || math.Abs(float64(r.Load.QPS-want.qps)) > 0.01 ||
			r.Load.Mean != want.mean || r.Load.P95 != want.p95 || r.Seconds() != want.seconds || len(r.Invalid) > 0 {
			t.Errorf("%s: %+v", name, r)
		}
		if own := float64(r.Load.TPS*r.Load.Mean) / 1000; math.Abs(own-float64(r.Threads)) > 0.1 {
			t.Errorf("%s: %v requests are under way at a time", name, own)
		}
		runs, _, err = parse(name, "Start\n"+text[:strings.Index(text, "total number of events")], written)
		if err != nil || len(runs) != 1 || !strings.Contains(strings.Join(runs[0].Invalid, ""), "the run that begins in line 2 is missing or not whole") {
			t.Errorf("%s cut off: %+v, %v", name, runs, err)
		}
	}
}

// TestSeveral: a script that loops writes one log, with times.
func TestSeveral(t *testing.T) {
	one := real(t)
	text := "sysbench 1.0.20 (using LuaJIT)\n\nCreating table 'sbtest1'...\nStart: 2026-11-26 08:00:00 +0800\n" + one + "\nEnd: 2026-11-26 08:00:05 +0800\n\nStart: 2026-11-26T08:00:07+08:00\n" +
		strings.Replace(one, "Number of threads: 2", "Number of threads: 16", 1) + "\n"
	runs, notes, err := parse("all.log", text, written)
	if err != nil || len(runs) != 2 || len(notes) > 0 {
		t.Fatal(len(runs), notes, err)
	}
	if at := runs[0].Began.UTC().Format(time.DateTime); at != "2026-11-26 00:00:00" {
		t.Error(at)
	}
	if at := runs[1].Began.UTC().Format(time.DateTime); at != "2026-11-26 00:00:07" || runs[1].Threads != 16 {
		t.Error(at, runs[1].Threads)
	}
	if got := report.New(runs, report.Options{}).Environments[0].Ladders[0].Levels; len(got) != 2 {
		t.Errorf("%+v", got)
	}
}

func TestOddLogs(t *testing.T) {
	one := real(t)
	invalid := func(text, why string) {
		t.Helper()
		runs, _, err := parse("oltp_read_only-8.log", text, written)
		if err != nil || len(runs) != 1 || len(runs[0].Invalid) != 1 || !strings.Contains(runs[0].Invalid[0], why) || runs[0].Scenario != "read_only" {
			t.Errorf("%s: %+v, %v", why, runs, err)
		}
	}
	invalid(regexp.MustCompile(`ignored errors: +0 +\(0.00`).ReplaceAllString(one, "ignored errors:  1000 (100.00"), "1000 transactions ended with an error")
	invalid(one[:strings.Index(one, "[ 3s ]")], "cut off")
	invalid(one[:strings.LastIndex(one, "Threads fairness")], "cut off")
	invalid("sysbench 1.0.20\n\nFATAL: unable to connect to MySQL server on host '10.0.0.1'\n", "unable to connect")
	for text, why := range map[string]string{
		"": "no log of sysbench",
		"sysbench 1.0.20\nCreating table 'sbtest1'...\n":                    "only preparations",
		strings.NewReplacer("per sec.)", "per sec.)").Replace(commas(one)):  "line 28: numbers have a decimal comma",
		"Start\n" + strings.Replace(one, "sysbench 1.0", "sysbench 2.3", 1): "line 2: a log of sysbench 2.3",
	} {
		if _, _, err := parse("x.log", text, written); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", why, err)
		}
	}
}

// commas is the text as a locale with decimal commas has it.
func commas(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; c == '.' && i > 0 && i+1 < len(text) && digit(text[i-1]) && digit(text[i+1]) && !strings.HasPrefix(text[max(0, i-10):], "sysbench 1.") {
			b.WriteByte(',')
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func FuzzLog(f *testing.F) {
	f.Add(real(f))
	f.Add(printed(f, "sysbench-0.5.txt"))
	f.Add("Start: 2026-11-26 08:00:00\nsysbench 1.0.20\nThreads started!\n")
	f.Fuzz(func(t *testing.T, text string) {
		runs, _, err := parse("x.log", text, written)
		if err == nil {
			report.New(runs, report.Options{}).Document()
		}
	})
}

// TestSysbench04: releases before 0.4.12 print seconds, and 0.4 has five writes in a transaction; it
// counts other statements where it begins and commits nothing.
func TestSysbench04(t *testing.T) {
	text := printed(t, "sysbench-0.4.txt")
	for name, c := range map[string]struct {
		change          []string
		version, called string
		qps, mean, p95  document.Number
	}{
		"seconds": {[]string{"sysbench 0.4.12:", "sysbench v0.4.8:", "2.14ms", "0.0021s", "4.53ms", "0.0045s", "31.02ms", "0.0310s", "5.89ms", "0.0059s"}, "0.4.8", "read_only", 28223.49, 4.5, 5.9},
		"five writes": {[]string{"write:                           0", "write:                           176440", "read/write requests:                 494032 (24695.55", "read/write requests:                 670472 (33515.40"},
			"0.4.12", "read_write", 37043.34, 4.53, 5.89},
		"without transactions": {[]string{"Running mixed", "Running simple", `Using "BEGIN" for starting transactions`, "Skipping BEGIN/COMMIT", "other:                           70576", "other:                           494032",
			"other operations:                    70576  (3527.94", "other operations:                    494032 (24695.55"}, "0.4.12", "point_select", 24695.55, 4.53, 5.89},
	} {
		changed := text
		for i := 0; i < len(c.change); i += 2 {
			if !strings.Contains(changed, c.change[i]) {
				t.Fatal(name, c.change[i])
			}
			changed = strings.Replace(changed, c.change[i], c.change[i+1], 1)
		}
		runs, _, err := parse("run-8.log", changed, written)
		if err != nil || len(runs) != 1 || !Is([]byte(changed)) {
			t.Fatal(name, runs, err)
		}
		near := func(a, b document.Number) bool { return math.Abs(float64(a-b)) < 0.01 }
		if r := runs[0]; r.Settings["sysbench"] != c.version || r.Scenario != c.called || !near(r.Load.QPS, c.qps) || !near(r.Load.Mean, c.mean) || !near(r.Load.P95, c.p95) || r.Seconds() != 20 || len(r.Invalid) > 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
