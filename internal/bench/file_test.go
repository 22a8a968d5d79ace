package bench

import (
	"bytes"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRunsComeBack(t *testing.T) {
	a, b := NewRun(), NewRun()
	a.Scenario, a.Threads, a.Repeat, a.Load.TPS, a.Host.User = "point_select", 8, 1, 12_345.5, 1.5
	a.Began = time.Date(2026, 11, 26, 8, 0, 0, 0, time.UTC)
	a.Ended = a.Began.Add(30 * time.Second)
	a.Settings = map[string]string{"rows": "1000"}
	b.Scenario, b.Rate = "open", 1000
	var file bytes.Buffer
	for _, r := range []*Run{&a, &b} {
		if err := r.Append(&file); err != nil {
			t.Fatal(err)
		}
	}
	whole := file.String()
	runs, cut, err := Read(strings.NewReader(whole))
	if err != nil || cut {
		t.Fatal(err, cut)
	}
	var again bytes.Buffer
	for i := range runs {
		if err := runs[i].Append(&again); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(whole, again.String()); diff != "" || len(runs) != 2 || runs[0].Load.TPS != 12_345.5 {
		t.Error(len(runs), diff)
	}
	for at := 1; at < len(whole)-1; at++ {
		if runs, _, err := Read(strings.NewReader(whole[:at])); err != nil || len(runs) > 2 {
			t.Fatalf("cut off at %d: %d runs, %v", at, len(runs), err)
		}
	}
}

func TestWhatALineLacksIsUnknown(t *testing.T) {
	runs, _, err := Read(strings.NewReader(`{"scenario":"ps","load":{"transactions_per_second":5}}`))
	if err != nil {
		t.Fatal(err)
	}
	if r := runs[0]; r.Load.TPS != 5 || !math.IsNaN(float64(r.Load.P99)) || !math.IsNaN(float64(r.Host.User)) {
		t.Errorf("%+v", r)
	}
}

// A run that failed has no end, and a scenario may be a long path: what is written is read.
func TestOddRunsComeBack(t *testing.T) {
	r := NewRun()
	r.Scenario, r.Threads, r.Unfinished, r.Invalid = "/"+strings.Repeat("x", 1000)+".lua", 4, true, []string{"the server went away"}
	r.Began = time.Date(2026, 11, 26, 8, 0, 0, 0, time.UTC)
	var file bytes.Buffer
	if err := r.Append(&file); err != nil {
		t.Fatal(err)
	}
	if runs, cut, err := Read(&file); err != nil || cut || len(runs) != 1 || !runs[0].Unfinished {
		t.Errorf("%+v, %v, %v", runs, cut, err)
	}
}

// A file of which each line is short enough may still be too large.
func TestLargeFile(t *testing.T) {
	line := strings.Repeat(" ", longestLine-1) + "\n"
	if _, _, err := Read(io.LimitReader(repeat(line), 2*largestFile)); err == nil || !strings.Contains(err.Error(), "more than 256 MiB") {
		t.Error(err)
	}
}

// repeat reads a text again and again.
type repeated struct {
	text string
	at   int
}

func repeat(text string) *repeated { return &repeated{text: text} }

// Read implements io.Reader.
func (r *repeated) Read(p []byte) (int, error) {
	n := copy(p, r.text[r.at:])
	r.at = (r.at + n) % len(r.text)
	return n, nil
}

func TestWrongLines(t *testing.T) {
	for _, text := range []string{"{}\n{\"threads\":-3}\n", "{}\n{\"threads\":9223372036854775807}\n", "{}\n{\"load\":{\"queries_per_second\":1e308}}\n", "{}\n{\"host\":{\"user_cpus\":-1}}\n",
		"{}\n{\"began\":\"0002-01-01T00:00:00Z\"}\n", "{}\n{\"began\":\"2026-01-01T00:00:01Z\",\"ended\":\"2026-01-01T00:00:00Z\"}\n", "{}\n{\"environment\":\"" + strings.Repeat("x", 5000) + "\"}\n",
		"{}\nno run\n{}\n", "{\"threads\":\"many\"}\n", strings.Repeat("x", longestLine+1)} {
		if _, _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "line ") {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}
