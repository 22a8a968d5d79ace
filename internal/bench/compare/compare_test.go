package compare

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/bench"
	"rtrail/internal/bench/stat"
	"rtrail/internal/document"
)

var began = time.Date(2026, 11, 26, 8, 0, 0, 0, time.UTC)

// made are runs of one scenario at some levels, around a TPS per thread.
func made(r *rand.Rand, environment string, each float64, repeats int, levels ...int) (runs []bench.Run) {
	at := began
	for repeat := 1; repeat <= repeats; repeat++ {
		for _, threads := range levels {
			x := bench.NewRun()
			x.Environment, x.Scenario, x.Threads, x.Repeat = environment, "point_select", threads, repeat
			x.Began, x.Ended = at, at.Add(30*time.Second)
			at = at.Add(32 * time.Second)
			tps := each * float64(threads) * (1 + 0.02*r.NormFloat64())
			x.Load.TPS, x.Load.QPS, x.Load.Mean, x.Load.P99 = document.Number(tps), document.Number(tps), document.Number(1000*float64(threads)/tps), document.Number(3000/each)
			x.Settings = map[string]string{"rows": "1000", "seconds": "30"}
			runs = append(runs, x)
		}
	}
	return runs
}

// written is a file of runs in a folder of its own.
func written(t *testing.T, name string, runs []bench.Run) string {
	t.Helper()
	dir := t.TempDir() + "/" + name
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(dir + "/" + bench.FileName)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i := range runs {
		if err := runs[i].Append(f); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestDifferencesAreFoundAndBounded(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	a, b, c := made(r, "db1", 1000, 10, 1, 8), made(r, "db1", 950, 10, 1, 8), made(r, "db1", 1000, 10, 1, 8)
	for i := range a {
		b[i].Began, b[i].Ended = b[i].Began.Add(time.Hour), b[i].Ended.Add(time.Hour)
		c[i].Began, c[i].Ended = c[i].Began.Add(2*time.Hour), c[i].Ended.Add(2*time.Hour)
	}
	result := compared(t, read(t, written(t, "before", a), written(t, "after", b), written(t, "again", c)), Options{})
	tps := result.tableOf("tps", "point_select")
	if tps.Rows[1].Environment != "db1 (after)" || result.Base != "db1 (before)" {
		t.Fatalf("%q %q", tps.Rows[1].Environment, result.Base)
	}
	for k := range tps.Levels {
		x, y := tps.Rows[1].Cells[k].ToBase, tps.Rows[2].Cells[k].ToBase
		if x.Conclusion != stat.Different || x.Low > 0.95 || x.High < 0.95 {
			t.Errorf("%+v", x)
		}
		if y.Conclusion != stat.NoneShown || !(y.NoneBeyond > 0 && y.NoneBeyond < 0.05) {
			t.Errorf("%+v", y)
		}
	}
	if len(result.Anomalies) > 0 {
		t.Errorf("%+v", result.Anomalies)
	}
	out := text(t, result)
	for _, want := range []string{"worse", "no difference larger than", "A/A"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, "equal") {
		t.Error(out)
	}
	fits(t, "bench-compare", result)
}

func TestDriftIsTold(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	a, b := made(r, "a", 1000, 10, 1, 8, 16, 32), made(r, "b", 1000, 10, 1, 8, 16, 32)
	for i := range b {
		b[i].Load.TPS *= document.Number(1 - 0.01*float64(b[i].Repeat))
	}
	result := compared(t, read(t, written(t, "x", append(a, b...))), Options{})
	if result.Environments[0].Halves.Fails() || !result.Environments[1].Halves.Fails() || !strings.Contains(strings.Join(result.Notes, "\n"), "b differs from itself") {
		t.Errorf("%+v\n%q", result.Environments, result.Notes)
	}
}

func TestWrongRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	a, b := made(r, "a", 1000, 2, 8), made(r, "b", 1000, 8, 8)
	b[1] = b[0]                                                                          // the same run twice
	b[2].Began, b[2].Ended = b[0].Began.Add(10*time.Second), b[0].Ended.Add(time.Second) // beside another
	b[3].Invalid = []string{"the load generator used all of its CPUs"}
	a[1].Unfinished = true
	b[4].Ended = b[4].Began.Add(20 * time.Second)
	b[5].Load.Errors = 7
	b[6].Load.Mean *= 2
	b[7].Load.QPS *= 2
	result := compared(t, read(t, written(t, "x", append(a, b...))), Options{})
	want := map[string]bool{Duplicate: true, Overlap: true, Invalid: true, Length: true, Errors: true, LittlesLaw: true, QueriesRatio: true}
	for _, x := range result.Anomalies {
		if delete(want, x.Kind); x.Environment != "b" && x.Words != "it ended before its time" {
			t.Errorf("%+v", x)
		}
		if x.Excluded != (x.Kind == Duplicate || x.Kind == Invalid) {
			t.Errorf("%+v", x)
		}
	}
	if len(want) > 0 {
		t.Errorf("missing %v in %+v", want, result.Anomalies)
	}
	if n := result.tableOf("tps", "point_select").cell("b", 8).Runs; n != 6 {
		t.Errorf("%d runs are compared", n)
	}
}

func TestSameRunsInTwoArguments(t *testing.T) {
	a := made(rand.New(rand.NewPCG(4, 4)), "a", 1000, 4, 8)
	if _, err := Compare(context.Background(), read(t, written(t, "x", a), written(t, "y", a)), Options{}); err != nil {
		t.Fatal(err)
	}
	result := compared(t, read(t, written(t, "x", a), written(t, "y", a)), Options{})
	if n := len(result.Anomalies); n != 4 || result.Anomalies[0].Kind != Duplicate {
		t.Errorf("%+v", result.Anomalies)
	}
}

func TestWhatSaturatesIsCited(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	a, b := made(r, "a", 1000, 1, 1, 8, 16), made(r, "b", 1000, 1, 1, 8, 16)
	for i := range a[1:] {
		a[1+i].Saturated = []bench.Saturated{{Rule: "disk/slow-sync", Headline: "writes wait for the disk"}}
	}
	out := text(t, compared(t, read(t, written(t, "x", append(a, b...))), Options{}))
	if !strings.Contains(out, "disk/slow-sync in point_select 8, 16 (for example: writes wait for the disk)") || !strings.Contains(out, "not known: no numbers of the host are there") {
		t.Error(out)
	}
}

func TestOpenLoops(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	a, b := made(r, "a", 1000, 1, 1), made(r, "b", 1000, 1, 1)
	for _, x := range []*bench.Run{&a[0], &b[0]} {
		x.Threads, x.Rate = 0, 1000
	}
	result := compared(t, read(t, written(t, "x", append(a, b...))), Options{})
	if l := result.tableOf("p99", "point_select").Levels; !slices.Equal(l, []Level{{Rate: 1000}}) || len(result.Anomalies) > 0 {
		t.Errorf("%v %+v", l, result.Anomalies)
	}
	fits(t, "bench-compare", result)
}

func TestUnequalSettingsOfTwo(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	a, b := made(r, "a", 1000, 1, 1), made(r, "b", 1000, 1, 1)
	b[0].Settings["rows"] = "5"
	path := written(t, "x", append(a, b...))
	if _, err := Compare(context.Background(), read(t, path), Options{}); err == nil || !strings.Contains(err.Error(), "rows 5, and 1000 of a") {
		t.Error(err)
	}
	compared(t, read(t, path), Options{Vary: []string{"rows"}})
	delete(b[0].Settings, "rows")
	result := compared(t, read(t, written(t, "x", append(a, b...))), Options{})
	if !strings.Contains(strings.Join(result.Notes, "\n"), "the setting rows is equal is not known") {
		t.Error(result.Notes)
	}
}

func TestOneEnvironment(t *testing.T) {
	if _, err := Compare(context.Background(), read(t, written(t, "x", made(rand.New(rand.NewPCG(8, 8)), "a", 1, 1, 1))), Options{}); err == nil || !strings.Contains(err.Error(), "only one environment") {
		t.Error(err)
	}
}

func TestHostileNames(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	runs := append(made(r, "a\x1b[31m\n<script>", 1000, 1, 1), made(r, "b|`x`", 1000, 1, 1)...)
	result := compared(t, read(t, written(t, "x", runs)), Options{})
	if out := text(t, result); strings.ContainsAny(out, "\x1b") || strings.Contains(out, "\n<script>") {
		t.Errorf("%q", out)
	}
}

func TestBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	for name, runs := range map[string][]bench.Run{
		"runs of one step": append(made(r, "a", 1000, stat.MaxRuns+1, 1), made(r, "b", 1000, 1, 1)...),
		"levels":           append(made(r, "a", 1000, 1, levels(maxLevels+1)...), made(r, "b", 1000, 1, 1)...),
	} {
		if _, err := Compare(context.Background(), read(t, written(t, "x", runs)), Options{}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func levels(n int) (out []int) {
	for i := range n {
		out = append(out, i+1)
	}
	return out
}
