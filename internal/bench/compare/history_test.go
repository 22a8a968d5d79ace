package compare

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/bench"
	"rtrail/internal/document"
)

// nightly are runs of one step, a day apart, whose TPS a level says.
func nightly(r *rand.Rand, nights int, level func(night int) float64) (runs []bench.Run) {
	for night := range nights {
		x := made(r, "db1", level(night), 1, 8)[0]
		x.Began, x.Ended = x.Began.AddDate(0, 0, night), x.Ended.AddDate(0, 0, night)
		x.Properties = map[string]string{"version": "8.0.41"}
		runs = append(runs, x)
	}
	return runs
}

func historic(t *testing.T, runs []bench.Run, chosen ...string) (*History, string) {
	t.Helper()
	paths := []string{written(t, "x", runs)}
	files, err := Files(paths)
	if err != nil {
		t.Fatal(err)
	}
	in, err := Read(context.Background(), files)
	if err != nil {
		t.Fatal(err)
	}
	h, err := Historic(context.Background(), in, chosen)
	if err != nil {
		t.Fatal(err)
	}
	fits(t, "bench-history", h)
	var out bytes.Buffer
	if err := document.Terminal(&out, h.Document(), document.TerminalOptions{Width: 120}); err != nil {
		t.Fatal(err)
	}
	return h, out.String()
}

func TestHistoryFindsWhenAndWhatChanged(t *testing.T) {
	runs := nightly(rand.New(rand.NewPCG(1, 2)), 40, func(night int) float64 {
		switch {
		case night == 10:
			return 300 // a bad night
		case night >= 25:
			return 900
		}
		return 1000
	})
	for i := range runs[25:] {
		runs[25+i].Properties["version"] = "8.0.42"
	}
	// Files need not be in order of time.
	h, out := historic(t, append(runs[20:], runs[:20]...), "tps", "mean")
	if len(h.Series) != 2 {
		t.Fatalf("%+v", h.Series)
	}
	for _, s := range h.Series {
		if len(s.Changes) != 1 {
			t.Fatalf("%+v", s)
		}
		want := 0.9
		if s.LowerIsBetter {
			want = 1 / want
		}
		c := s.Changes[0]
		if !c.At.Equal(began.AddDate(0, 0, 25)) || !c.After.Equal(began.AddDate(0, 0, 24)) || float64(c.Low) > want || float64(c.High) < want || !c.Lasting {
			t.Errorf("%+v", c)
		}
		if diff := cmp.Diff([]string{"version: 8.0.41 → 8.0.42"}, c.Differs); diff != "" {
			t.Error(diff)
		}
	}
	for _, want := range []string{"2026-12-21", "worse", "version: 8.0.41 → 8.0.42"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

func TestHistoryOfTheLastRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	h, out := historic(t, nightly(r, 42, func(night int) float64 {
		if night >= 40 {
			return 600
		}
		return 1000
	}), "tps")
	if c := h.Series[0].Changes; len(c) != 1 || c[0].Lasting || c[0].Runs != [2]int{40, 2} || !strings.Contains(out, "2 runs have the new level: too few") {
		t.Errorf("%+v\n%s", c, out)
	}
	h, out = historic(t, nightly(r, 40, func(int) float64 { return 1000 }), "tps")
	if len(h.Series[0].Changes) > 0 || !strings.Contains(out, "no change of a level was found") {
		t.Errorf("%+v\n%s", h, out)
	}
	h, out = historic(t, nightly(r, minHistory-1, func(night int) float64 { return 100 * float64(1+night/4) }), "tps")
	if !h.Series[0].TooShort || !strings.HasPrefix(out, "NOT JUDGED   1 of 1 series have fewer than 8 runs (the longest has 7): too few for a change") || strings.Contains(out, "change\n") || strings.Contains(out, "changes") {
		t.Errorf("%+v\n%s", h, out)
	}
}

func TestHistoryNeedsDates(t *testing.T) {
	path := t.TempDir() + "/x.csv"
	if err := os.WriteFile(path, []byte("env,scenario,threads,tps,start\na,ps,1,5,08:00:00\na,ps,1,5,09:00:00\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Historic(context.Background(), read(t, path), []string{"tps"}); err == nil || !strings.Contains(err.Error(), "date") {
		t.Error(err)
	}
}

func TestHistoryEndsWhenToldTo(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	in := read(t, written(t, "x", nightly(rand.New(rand.NewPCG(5, 6)), 10, func(int) float64 { return 1 })))
	if _, err := Historic(ctx, in, []string{"tps"}); err == nil {
		t.Error("it goes on")
	}
	if in.Runs[0].clock() != began.Format(time.DateTime) {
		t.Error(in.Runs[0].clock())
	}
}
