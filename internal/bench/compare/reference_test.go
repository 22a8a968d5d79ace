package compare

import (
	"bytes"
	"context"
	"encoding/csv"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/bench/stat"
	"rtrail/internal/document"
	"rtrail/internal/golden"
)

// copied puts files of testdata into a folder of their own, so that none beside them is read.
func copied(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		text, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(dir+"/"+name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir + "/" + names[0]
}

func read(t *testing.T, paths ...string) *Input {
	t.Helper()
	files, err := Files(paths)
	if err != nil {
		t.Fatal(err)
	}
	in, err := Read(context.Background(), files)
	if err != nil {
		t.Fatal(err)
	}
	if err := in.TellApart(paths); err != nil {
		t.Fatal(err)
	}
	return in
}

func compared(t *testing.T, in *Input, o Options) *Result {
	t.Helper()
	r, err := Compare(context.Background(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// reference compares the 264 runs without the tables that were published of them.
func reference(t *testing.T) *Result {
	t.Helper()
	return compared(t, read(t, copied(t, "sysbench-runs.csv", "sysbench-environments.csv")), Options{})
}

func (r *Result) tableOf(metric, scenario string) *Table {
	i := slices.IndexFunc(r.Tables, func(t Table) bool { return t.Metric == metric && t.Scenario == scenario })
	if i < 0 {
		return nil
	}
	return &r.Tables[i]
}

func (t *Table) cell(environment string, threads int) *Cell {
	row := slices.IndexFunc(t.Rows, func(r Row) bool { return r.Environment == environment })
	return &t.Rows[row].Cells[slices.Index(t.Levels, Level{Threads: threads})]
}

func (t *Table) winner(threads int) Winner {
	return t.Winners[slices.IndexFunc(t.Winners, func(w Winner) bool { return w.Level.Threads == threads })]
}

// What was published judges the QPS that are made of TPS: they agree within what TPS was rounded
// by.
func TestTablesAgreeWithWhatWasPublished(t *testing.T) {
	r := reference(t)
	file, err := os.Open("testdata/sysbench-published-tables.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	cells := 0
	for _, line := range lines[1:] {
		if line[0] != "qps" {
			continue
		}
		for i, column := range lines[0][3:] {
			threads, _ := strconv.Atoi(strings.TrimPrefix(column, "t"))
			want, _ := strconv.ParseFloat(line[3+i], 64)
			got := float64(r.tableOf("qps", line[1]).cell(line[2], threads).Median)
			cells++
			if want == 0 {
				if !math.IsNaN(got) {
					t.Errorf("%s %s %d: %v, and the run failed", line[2], line[1], threads, got)
				}
				continue
			}
			if math.Abs(got-want) > queries(line[1])/2+0.5 {
				t.Errorf("%s %s %d: %v, published %v", line[2], line[1], threads, got, want)
			}
		}
	}
	if cells != 264 {
		t.Errorf("%d cells", cells)
	}
}

// With the tables as input the numbers are those of the tables, and the two agree.
func TestTablesAsInput(t *testing.T) {
	in := read(t, copied(t, "sysbench-runs.csv", "sysbench-environments.csv", "sysbench-published-tables.csv"))
	r := compared(t, in, Options{})
	if w := r.tableOf("qps", "wo").winner(128); w.Environments[0] != "aliyun" || w.Median != 121_385 {
		t.Errorf("%+v", w)
	}
	if c := r.tableOf("p95", "rw").cell("aliyun", 128); c.Median != 86 || r.tableOf("p95", "rw").cell("ali.repl.rtt0.7", 128).Runs != 0 {
		t.Errorf("%+v", c)
	}
	for _, a := range r.Anomalies {
		if a.Kind == QueriesRatio {
			t.Errorf("%+v", a)
		}
	}
	if diff := cmp.Diff([]string{"qps", "p95"}, in.DefaultMetrics()); diff != "" {
		t.Error(diff)
	}
}

func TestReferenceRuns(t *testing.T) {
	r := reference(t)
	if r.Runs != 264 || len(r.Environments) != 11 {
		t.Fatalf("%d runs of %d environments", r.Runs, len(r.Environments))
	}
	for _, c := range []struct {
		scenario string
		threads  int
		winner   string
		qps      float64
	}{{"ps", 128, "aliyun.trx1", 310_429}, {"wo", 128, "aliyun", 121_386}, {"ps", 64, "aliyun", 328_098}} {
		if w := r.tableOf("qps", c.scenario).winner(c.threads); !slices.Equal(w.Environments, []string{c.winner}) || float64(w.Median) != c.qps || w.Lead.Conclusion != stat.TooFew {
			t.Errorf("%s %d: %+v", c.scenario, c.threads, w)
		}
	}
	for _, table := range r.Tables {
		for _, w := range table.Winners {
			if slices.Contains(w.Environments, "aliyun.trx1.repl") || table.Scenario == "rw" && w.Level.Threads == 128 && slices.Contains(w.Environments, "ali.repl.rtt0.7") {
				t.Errorf("%s %s: %+v", table.Metric, table.Scenario, w)
			}
		}
		for _, row := range table.Rows {
			for _, c := range row.Cells {
				if c.ToBase != nil && c.ToBase.Conclusion != stat.TooFew {
					t.Errorf("%s is called %v by one run", row.Environment, c.ToBase.Conclusion)
				}
			}
		}
	}
	for _, e := range r.Environments {
		if e.Compared != (e.Name != "aliyun.trx1.repl") {
			t.Errorf("%s: compared %v: %s", e.Name, e.Compared, e.Reason)
		}
	}
	var got []string
	for _, a := range r.Anomalies {
		got = append(got, a.Environment+" "+a.step+" "+a.Kind)
	}
	want := []string{
		"idc ps 32 busy-cpus", "idc ps 64 busy-cpus", "idc ps 128 busy-cpus",
		"idc.trx1 ps 32 busy-cpus", "idc.trx1 ps 64 busy-cpus", "idc.trx1 ps 128 busy-cpus",
		"ali.repl.rtt0.7 rw 128 failed", "aws.io1 wo 128 length", "aws.io1 wo 128 littles-law",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("anomalies (-want +got):\n%s", diff)
	}
	notes := strings.Join(r.Notes, "\n")
	if strings.Count(notes, "nothing here is shown to be different") != 1 {
		t.Error(notes)
	}
}

func TestReferenceDisks(t *testing.T) {
	for _, e := range reference(t).Environments {
		var got []string
		for _, s := range e.Short {
			if s.Of == "disk" {
				got = append(got, s.Scenario+" "+levelsText(s.Levels, []Level{{Threads: 1}, {Threads: 8}, {Threads: 16}, {Threads: 32}, {Threads: 64}, {Threads: 128}}))
			}
		}
		want := []string(nil)
		if e.Name == "aws.gp3" {
			want = []string{"rw 8", "wo 32 to 128"}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", e.Name, diff)
		}
	}
}

func TestForce(t *testing.T) {
	in := read(t, copied(t, "sysbench-runs.csv", "sysbench-environments.csv"))
	r := compared(t, in, Options{Force: true})
	if w := r.tableOf("qps", "rw").winner(128); !r.Forced || !slices.Equal(w.Environments, []string{"aliyun.trx1.repl"}) {
		t.Errorf("%v %+v", r.Forced, w)
	}
	if out := text(t, r); !strings.Contains(out, "FORCED") || strings.Contains(out, "NOT COMPARED") {
		t.Error(out)
	}
	r = compared(t, in, Options{Vary: []string{"rows_per_table", "seconds"}})
	if w := r.tableOf("qps", "rw").winner(128); r.Forced || !slices.Equal(w.Environments, []string{"aliyun.trx1.repl"}) {
		t.Errorf("%v %+v", r.Forced, w)
	}
	if _, err := Compare(context.Background(), in, Options{Base: "aliyun.trx1.repl"}); err == nil || !strings.Contains(err.Error(), "--force") {
		t.Error(err)
	}
	if _, err := Compare(context.Background(), in, Options{Base: "alyun"}); err == nil || !strings.Contains(err.Error(), "aliyun") {
		t.Error(err)
	}
}

func text(t *testing.T, r *Result) string {
	t.Helper()
	var out bytes.Buffer
	if err := document.Terminal(&out, r.Document([]string{"qps", "tps", "p95", "p99"}), document.TerminalOptions{Width: 100}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// fits validates the JSON form.
func fits(t *testing.T, form string, result any) {
	t.Helper()
	text, err := document.AppendJSON(nil, result)
	if err != nil {
		t.Fatal(err)
	}
	golden.Fits(t, "../../../docs/"+form+".schema.json", text)
}

func TestJSONFitsSchema(t *testing.T) { fits(t, "bench-compare", reference(t)) }
