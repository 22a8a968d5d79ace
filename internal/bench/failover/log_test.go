package failover

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func line(prefix string, second int, tps, errors float64) string {
	return fmt.Sprintf("%s[ %ds ] thds: 8 tps: %.2f qps: %.2f (r/w/o: 3698.00/1056.00/530.00) lat (ms,95%%): 35.59 err/s: %.2f reconn/s: 0.00\n", prefix, second, tps, 20*tps, errors)
}

func TestLogs(t *testing.T) {
	midnight := time.Date(2026, 4, 1, 23, 59, 50, 0, time.UTC)
	for name, prefix := range map[string]func(time.Time) string{
		"without times":     func(time.Time) string { return "" },
		"with times of day": func(t time.Time) string { return t.Format("15:04:05 ") },
		"with dates":        func(t time.Time) string { return t.Format("2006-01-02 15:04:05 ") },
		"RFC 3339":          func(t time.Time) string { return t.Format("2006-01-02T15:04:05.000Z ") },
		"in brackets":       func(t time.Time) string { return t.Format("[15:04:05] ") },
	} {
		text := "sysbench 1.0.20 (using system LuaJIT 2.1.0)\n\nThreads started!\n\n"
		for i := 1; i <= 60; i++ {
			tps, errors := 263.0, 0.0
			if i >= 20 && i < 30 {
				tps = 0
			}
			if i == 19 {
				errors = 142
			}
			text += line(prefix(midnight.Add(time.Duration(i)*time.Second)), i, tps, errors)
		}
		r, err := ReadLog("run.log", strings.NewReader(text+"SQL statistics:\n"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		a := Analyse(r)
		if got := told(a); got != "10 s (±1 s) without writes" || len(r.Seconds) != 60 || r.Relative != (name == "without times") {
			t.Errorf("%s: %s, %d seconds", name, got, len(r.Seconds))
		}
		for _, i := range a.Interruptions {
			for _, e := range i.Events {
				if e.Kind == ClockStep {
					t.Errorf("%s: %v", name, e)
				}
			}
			if want := midnight.Add(20 * time.Second).Format(time.TimeOnly); name != "without times" && i.Outages[0].From.At.Format(time.TimeOnly) != want {
				t.Errorf("%s: from %v", name, i.Outages[0].From.At)
			}
		}
	}
}

func TestWrongLogs(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "no lines of sysbench",
		"hello\n":                               "no lines of sysbench",
		line("", 1, 1, 0):                       "no lines of sysbench",
		line("", 10, 1, 0) + line("", 20, 1, 0): "10 s apart",
		line("", 10, 1, 0) + line("", 1, 1, 0):  "line 2: second 1 after second 10",
		line("10:00:00 ", 1, 1, 0) + line("", 2, 1, 0):                       "a line without a time",
		line("25:00:00 ", 1, 1, 0):                                           "line 1",
		strings.Replace(line("", 1, 1, 0), "tps: 1.00", "tps: 1.0.0", 1):     "line 1",
		strings.Repeat("x", 1<<20) + line("", 1, 1, 0) + line("", 2, 1, 0):   "too long",
		strings.Replace(line("", 1, 1, 0), "err/s: 0.00", "err/s: 0,00", -1): "no lines",
	} {
		if _, err := ReadLog("run.log", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v", text, err)
		}
	}
}

func FuzzLog(f *testing.F) {
	f.Add(line("", 1, 263, 0) + line("", 2, 0, 142))
	f.Add(line("23:59:59 ", 1, 263, 0) + line("00:00:00 ", 2, 0, 142))
	f.Fuzz(func(t *testing.T, text string) {
		if r, err := ReadLog("log", strings.NewReader(text)); err == nil {
			Analyse(r).Document()
		}
	})
}
