package load

import (
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/bench"
	"rtrail/internal/document"
)

func TestReportsOfGenerators(t *testing.T) {
	type load struct{ TPS, Errors, Mean, P50, P95, P99, Max float64 }
	nan := math.NaN()
	for _, tt := range []struct {
		file, name string
		want       load
	}{
		{"ab.txt", "ab", load{5316.16, 0, 1, 1, 5, 9, 30}},
		{"wrk.txt", "wrk", load{23872.74, 0, 1.2, .15, nan, 15.97, 40.14}},
		{"redis.txt", "redis-benchmark", load{27137.04, nan, 1.335, .647, 5.727, 9.079, 24.719}},
		{"redis-quiet.txt", "redis-benchmark", load{21881.84, nan, nan, .703, nan, nan, nan}},
		{"sysbench-read-write.txt", "sysbench", load{2118.95, 0, .94, .92, nan, 2.07, 4.44}},
	} {
		o := Outcome{Load: bench.UnknownLoad()}
		if err := (&Command{}).read(&o, fixture(t, tt.file)); err != nil {
			t.Fatal(tt.file, err)
		}
		f := func(n document.Number) float64 { return float64(n) }
		got := load{f(o.Load.TPS), f(o.Load.Errors), f(o.Load.Mean), f(o.Load.P50), f(o.Load.P95), f(o.Load.P99), f(o.Load.Max)}
		if tt.name == "sysbench" {
			got.P50 = tt.want.P50
		}
		if diff := cmp.Diff(tt.want, got, cmp.Comparer(func(a, b float64) bool { return a == b || a != a && b != b })); diff != "" || !strings.Contains(strings.Join(o.Notes, ""), tt.name) {
			t.Errorf("%s: %v %s", tt.file, o.Notes, diff)
		}
	}
}

func TestErrorsOfGenerators(t *testing.T) {
	for want, text := range map[string]string{
		"7 requests failed":   "Failed requests:        3\nNon-2xx responses:      7\nRequests per second:    10.00 [#/sec] (mean)\n",
		"184 requests failed": "  Socket errors: connect 1, read 2, write 2, timeout 179\nRequests/sec:   9641.00\n",
		"12 requests failed":  "  Non-2xx or 3xx responses: 12\nRequests/sec:   9641.00\n",
	} {
		o := Outcome{Load: bench.UnknownLoad()}
		if err := (&Command{}).read(&o, text); err != nil || !strings.Contains(strings.Join(o.Invalid, ""), want) {
			t.Errorf("%s: %v %v", want, err, o.Invalid)
		}
	}
}

func command(t *testing.T, script, value string) (Outcome, error) {
	t.Helper()
	c := &Command{Args: []string{"/bin/sh", "-c", script, "x", "{threads}", "{rate}", "{target}", "{seconds}"}, Target: "h:1", Seconds: 3}
	if value != "" {
		c.Value = regexp.MustCompile(value)
	}
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	return c.Run(t.Context(), Level{Threads: 8}, Limits{Time: time.Minute}, quiet())
}

func TestNumbersOfCommands(t *testing.T) {
	for _, tt := range []struct {
		script, value string
		want          float64
	}{
		{"echo done 10, 12.5 a second", "", 12.5},
		{"echo rate=1,234.5 of 99; echo 7", "rate=([0-9.,]+)", 1234.5},
		{"echo $1", "", 8},
		{`echo "$3 $4"`, "", 3},
	} {
		o, err := command(t, tt.script, tt.value)
		if err != nil || float64(o.Load.TPS) != tt.want {
			t.Errorf("%s: %v %v", tt.script, o.Load.TPS, err)
		}
	}
	for want, script := range map[string]string{"printed no number": "echo nothing", "no route (exit status 3)": "echo 5; echo no route; exit 3"} {
		if o, err := command(t, script, ""); err == nil || !strings.Contains(err.Error(), want) || !o.Gone {
			t.Errorf("%s: %v", script, err)
		}
	}
	if _, err := command(t, "echo 5", "x([0-9]+)"); err == nil || !strings.Contains(err.Error(), "fits") {
		t.Error(err)
	}
}

func TestCommandsThatAreRefused(t *testing.T) {
	for want, c := range map[string]*Command{
		"no command":    {},
		"not installed": {Args: []string{"/nonexistent/wrk"}},
		"has 2 groups":  {Args: []string{"sh"}, Value: regexp.MustCompile("(a)(b)")},
	} {
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func FuzzReportsOfGenerators(f *testing.F) {
	f.Add("Requests/sec:   9641.00\n", "([0-9]+)")
	f.Fuzz(func(_ *testing.T, text, _ string) {
		o := Outcome{Load: bench.UnknownLoad()}
		_ = (&Command{}).read(&o, text)
	})
}
