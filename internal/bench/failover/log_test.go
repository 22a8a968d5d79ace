package failover

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"rtrail/internal/document"
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

// logOf is a log of n seconds with TPS 263, none from zero on until back, without the seconds that
// are missing. The clock goes on by what jump says before a second.
func logOf(n, zero, back int, missing func(int) bool, jump map[int]time.Duration) string {
	at := time.Date(2026, 4, 1, 23, 59, 50, 0, time.UTC)
	var text strings.Builder
	for i := 1; i <= n; i++ {
		at = at.Add(time.Second + jump[i])
		if missing(i) {
			continue
		}
		tps := 263.0
		if i >= zero && i < back {
			tps = 0
		}
		text.WriteString(line(at.Format("15:04:05 "), i, tps, 0))
	}
	return text.String()
}

// Nothing is concluded over a gap: what began, went on or ended in it has a range.
func TestGapsOfLogs(t *testing.T) {
	from := func(a, b int) func(int) bool { return func(i int) bool { return i >= a && i <= b } }
	none := func(int) bool { return false }
	for name, tt := range map[string]struct {
		text string
		want string
		says []string
		not  string
	}{
		"none":            {logOf(60, 20, 30, none, nil), "10 s (±1 s) without writes", nil, "GAPS"},
		"beside":          {logOf(90, 20, 30, from(70, 74), nil), "10 s (±1 s) without writes", []string{"GAPS, of which nothing is known", "the log has no lines for 5 s before this", "5 seconds missing in the log"}, ""},
		"in the outage":   {logOf(90, 20, 40, from(25, 29), nil), "15 s to 20 s (±1 s) without writes", []string{"TIME LINE", "the log has no lines for 5 s"}, ""},
		"at its begin":    {logOf(90, 20, 40, from(15, 24), nil), "15 s to 25 s (±1 s) without writes", []string{"writes stop, or up to 10 s before, when nobody watched", "(or up to 10 s before: a gap) to 00:00:30"}, ""},
		"at its end":      {logOf(90, 20, 40, from(35, 44), nil), "15 s to 25 s (±1 s) without writes", []string{"writes again, TPS 263, or up to 10 s before", "00:00:35 (or up to 10 s before: a gap)", "recovered, TPS 263 (263 before), or up to 10 s before"}, ""},
		"all of it":       {logOf(90, 20, 30, from(18, 32), nil), "", []string{"no interruption seen; what is shorter than a second may be missed; of the 15 seconds that nobody watched nothing is known"}, ""},
		"most of the log": {logOf(2000, 20, 30, from(100, 1900), nil), "10 s (±1 s) without writes", []string{"1,801 seconds missing"}, ""},
		"the clock goes back": {logOf(60, 20, 30, none, map[int]time.Duration{25: -7 * time.Second}), "10 s (±1 s) without writes",
			[]string{"the clock of the log is set by -7 s"}, "GAPS"},
		"the clock goes back over midnight": {logOf(60, 20, 30, none, map[int]time.Duration{12: -9 * time.Second}), "10 s (±1 s) without writes",
			[]string{"the clock of the log is set by -9 s"}, "GAPS"},
		"the clock goes forward": {logOf(60, 20, 30, none, map[int]time.Duration{25: 3 * time.Hour}), "10 s (±1 s) without writes", []string{"the clock of the log is set by +3 h"}, "GAPS"},
		"a gap of most of a day": {logOf(50_100, 20, 30, from(100, 50_000), nil), "10 s (±1 s) without writes", []string{"49,901 seconds missing"}, "is set by"},
		"cut off in a number": {strings.TrimSuffix(logOf(60, 20, 30, none, nil), "0 reconn/s: 0.00\n"), "10 s (±1 s) without writes",
			[]string{"59 seconds watched", "line 60, the last one, is cut off, and left out"}, "GAPS"},
		"cut off before its numbers": {logOf(60, 20, 30, none, nil) + "00:00:51 [ 61s ] thds: 8 tp", "10 s (±1 s) without writes", []string{"60 seconds watched", "line 61, the last one"}, "GAPS"},
		"a second twice":             {logOf(30, 60, 60, none, nil) + line("00:00:20 ", 30, 263, 0) + line("00:00:21 ", 31, 263, 0), "", []string{"31 seconds watched"}, "GAPS"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := ReadLog("run.log", strings.NewReader(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			a := Analyse(r)
			var headlines []string
			for i := range a.Interruptions {
				headlines = append(headlines, a.Interruptions[i].headline())
			}
			if got := strings.Join(headlines, " | "); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			var text bytes.Buffer
			if err := document.Terminal(&text, a.Document(), document.TerminalOptions{Width: document.AnyWidth}); err != nil {
				t.Fatal(err)
			}
			for _, want := range tt.says {
				if !strings.Contains(text.String(), want) {
					t.Errorf("%q is not in\n%s", want, text.String())
				}
			}
			if tt.not != "" && strings.Contains(text.String(), tt.not) {
				t.Errorf("%q is in\n%s", tt.not, text.String())
			}
		})
	}
}

func TestWrongLogs(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "no lines of sysbench",
		"hello\n":                               "no lines of sysbench",
		line("", 1, 1, 0):                       "no lines of sysbench",
		line("", 10, 1, 0) + line("", 20, 1, 0): "less than half of its lines are a second apart",
		line("", 10, 1, 0) + line("", 1, 1, 0):  "line 2: second 1 after second 10",
		line("", 1, 1, 0) + strings.Repeat(line("", 2, 1, 0), 5):             "second 2 twice",
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
