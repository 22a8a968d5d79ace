package logs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"rtrail/internal/bench/report"
)

// real is what sysbench 1.0.20 printed.
func real(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "load", "testdata", "sysbench-read-write.txt"))
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
		"sysbench 1.0.20\nCreating table 'sbtest1'...\n":                   "only preparations",
		strings.NewReplacer("per sec.)", "per sec.)").Replace(commas(one)): "decimal comma",
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
	f.Add("Start: 2026-11-26 08:00:00\nsysbench 1.0.20\nThreads started!\n")
	f.Fuzz(func(t *testing.T, text string) {
		runs, _, err := parse("x.log", text, written)
		if err == nil {
			report.New(runs, report.Options{}).Document()
		}
	})
}
