package compare

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/bench"
	"rtrail/internal/document"
)

// side lays runs side by side, each slice in a folder of its own.
func side(t *testing.T, o Options, all ...[]bench.Run) *Result {
	t.Helper()
	var paths []string
	for i, runs := range all {
		paths = append(paths, written(t, fmt.Sprintf("f%d", i), runs))
	}
	return compared(t, read(t, paths...), o)
}

func TestCurvesOfComparison(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	a, b := made(r, "db1", 1000, 4, 1, 8, 64), made(r, "db2", 900, 4, 1, 8)
	const hostile = "\x1b[2J<script>"
	one := made(r, hostile, 900, 4, 8)
	other := made(r, "db4", 900, 4, 1, 8)
	for i := range other {
		other[i].Settings["rows"] = "5"
	}
	result := side(t, Options{Base: "db2"}, a, b, one, other)
	curves, more := result.Curves([]string{"tps", "p99"})
	if len(curves) != 2 || more != "" {
		t.Fatalf("%q, %+v", more, curves)
	}
	tps, p99 := curves[0], curves[1]
	if tps.Name != "point_select: TPS, median" || tps.X != "threads" || tps.Unit != "per second" || p99.Unit != "seconds" || tps.Places != nil {
		t.Errorf("%+v", curves)
	}
	var names []string
	for _, l := range tps.Lines {
		names = append(names, l.Name)
	}
	// The base first; the one with one level has no line.
	if diff := cmp.Diff([]string{"db2", "db1", "db4 (not compared)"}, names); diff != "" {
		t.Fatal(diff)
	}
	for _, table := range result.Tables {
		if table.Metric != "tps" {
			continue
		}
		for i, at := range []float64{1, 8, 64} {
			if want := [2]float64{at, float64(table.Rows[0].Cells[i].Median)}; tps.Lines[1].Points[i] != want {
				t.Errorf("%v, want %v", tps.Lines[1].Points[i], want)
			}
		}
	}
	if len(tps.Lines[0].Points) != 2 || p99.Lines[1].Points[0] != [2]float64{1, 0.003} {
		t.Errorf("%+v, %+v", tps.Lines[0], p99.Lines[1])
	}
}

// Rates and threads are two axes; a comparison at one level has no curve.
func TestCurvesOfRates(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	rates := func(name string) []bench.Run {
		runs := made(r, name, 1000, 4, 1, 2)
		for i := range runs {
			runs[i].Rate, runs[i].Threads = document.Number(100*runs[i].Threads), 0
		}
		return append(made(r, name, 1000, 4, 4, 8), runs...)
	}
	curves, more := side(t, Options{}, rates("db1"), rates("db2")).Curves([]string{"tps"})
	if len(curves) != 2 || more != "" || curves[0].X != "threads" || curves[0].Lines[0].Points[0][0] != 4 || curves[1].X != "intended requests per second" || curves[1].Lines[1].Points[1][0] != 200 {
		t.Errorf("%q, %+v", more, curves)
	}
	if curves, more := side(t, Options{}, made(r, "db1", 1000, 4, 8), made(r, "db2", 900, 4, 8)).Curves([]string{"tps"}); curves != nil || more != "" {
		t.Errorf("%q, %+v", more, curves)
	}
}

// Pictures are bounded, and what is left out is told.
func TestCurvesAreBounded(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var all [][]bench.Run
	for i := range 10 {
		var runs []bench.Run
		for s := range 30 {
			for _, x := range made(r, fmt.Sprintf("db%d", i), 1000, 1, 1, 8) {
				x.Scenario = fmt.Sprintf("s%02d", s)
				x.Began, x.Ended = x.Began.AddDate(0, 0, s), x.Ended.AddDate(0, 0, s)
				runs = append(runs, x)
			}
		}
		all = append(all, runs)
	}
	curves, more := side(t, Options{Base: "db9"}, all...).Curves([]string{"tps"})
	if len(curves) != maxCurves || len(curves[0].Lines) != maxCurveLines || curves[0].Lines[0].Name != "db9" ||
		more != "curves are of the base and of the first 7 other environments; the tables have all; 6 pictures are not drawn: a page has at most 24" {
		t.Errorf("%d curves of %d lines, %q", len(curves), len(curves[0].Lines), more)
	}
}

func TestCurvesOfHistory(t *testing.T) {
	runs := nightly(rand.New(rand.NewPCG(1, 2)), 40, func(night int) float64 {
		switch {
		case night == 10:
			return 300
		case night >= 25:
			return 900
		}
		return 1000
	})
	steady := nightly(rand.New(rand.NewPCG(1, 3)), 5, func(int) float64 { return 1000 })
	for i := range steady {
		steady[i].Environment = "an earlier name"
	}
	h, _ := historic(t, append(runs, steady...), "tps")
	curves, more := h.Curves()
	if len(curves) != 2 || more != "" {
		t.Fatalf("%q, %+v", more, curves)
	}
	c := curves[0]
	if c.Name != "db1, point_select, 8 threads: TPS" || c.X != "run" || len(c.Places) != 40 || c.Places[25] != "2026-12-21 08:00" {
		t.Errorf("%s by %s of %d, %q", c.Name, c.X, len(c.Places), c.Places)
	}
	if len(c.Marks) != 1 || c.Marks[0].At != 26 || !strings.HasPrefix(c.Marks[0].Words, "2026-12-21: -") {
		t.Errorf("%+v", c.Marks)
	}
	if len(c.Lines) != 2 || len(c.Lines[0].Points) != 40 || c.Lines[0].Points[10] != [2]float64{11, float64(runs[10].Load.TPS)} {
		t.Fatalf("%+v", c.Lines)
	}
	change := h.Series[len(h.Series)-1].Changes[0]
	before, now := float64(change.Before), float64(change.Now)
	if diff := cmp.Diff([][2]float64{{1, before}, {25, before}, {26, now}, {40, now}}, c.Lines[1].Points); diff != "" || !c.Lines[1].Model {
		t.Error(diff)
	}
	if short := curves[1]; len(short.Lines) != 1 || len(short.Places) != 5 || len(short.Marks) != 0 {
		t.Errorf("a series that is too short: %+v", short)
	}
}
