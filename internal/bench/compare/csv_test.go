package compare

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

const head = "env,scenario,threads,tps,avg_ms,start,sec\n"

func TestWrongCSV(t *testing.T) {
	for text, want := range map[string]string{
		"":           "empty",
		"a,b\n1,2\n": "no known form",
		head + "a,ps,1,5,1,08:00:00\n" + "a,ps,1,5,1,08:00:00,30\n":           "line 2: 6 fields",
		head + "a,ps,1,5,0,5,08:00:00,30\na,ps,1,5,1,08:00:00,30\n":           "decimal commas need semicolons",
		head + "a,ps,0,5,1,08:00:00,30\n":                                     "line 2: threads",
		head + "a,ps,1.5,5,1,08:00:00,30\n":                                   "no count",
		head + "a,ps,1,-5,1,08:00:00,30\n":                                    "line 2: tps",
		head + "a,ps,1,NaN,1,08:00:00,30\n":                                   "is no number",
		head + "a,ps,1,0x10,1,08:00:00,30\n":                                  "is no number",
		head + "a,ps,1,1e300,1,08:00:00,30\n":                                 "not from 0",
		head + "a,ps,1,\"1,234\",1,08:00:00,30\n":                             "thousands",
		head + "a,ps,1,5,1,8 o'clock,30\n":                                    "is no time",
		head + ",ps,1,5,1,08:00:00,30\n":                                      "line 2: no env",
		head + strings.Repeat("x", 300) + ",ps,1,5,1,08:00:00,30\n":           "at most 200",
		head + "a,ps,1,\"5\" x,1,08:00:00,30\na,ps,1,5,1,,30\n":               "line 2",
		"env,env,scenario,threads,tps\n":                                      "two columns",
		"env;scenario;threads;tps;avg_ms\na;ps;1;5,5;1.5\n":                   "another decimal mark",
		"env;scenario;threads;tps;avg_ms\na;ps;1;1.234,5;1,5\n":               "thousands",
		"env,scenario,threads,tps,date,start\na,ps,1,5,9999-12-31,23:59:59\n": "line 2: start",
		"env,date\na,yesterday\n":                                             "line 2: date",
		"env,cpus_host\na,x\n":                                                "line 2: cpus_host",
		"env,ram\na,1\na,2\n":                                                 "earlier line",
		strings.Repeat("c,", maxColumns) + "x\n":                              "",
	} {
		if _, err := readCSV(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80q: %v, want %q", text, err, want)
		}
	}
}

func TestLocales(t *testing.T) {
	for _, text := range []string{
		"env,scenario,threads,tps,avg_ms\na,ps,8,1234.5,0.65\n",
		"\xef\xbb\xbfENV;Scenario;threads;tps;avg_ms\r\na;ps;8;1234,5;0,65\r\n",
		"env\tscenario\tthreads\ttps\tavg_ms\na\tps\t8\t1234.5\t0.65\n",
	} {
		table, err := readCSV(strings.NewReader(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if r := table.runs[0]; r.Environment != "a" || r.Load.TPS != 1234.5 || r.Load.Mean != 0.65 || r.rounding.mean != 0.005 || r.rounding.tps != 0.05 {
			t.Errorf("%q: %+v", text, r)
		}
	}
}

// A file that ends anywhere is read up to there, or refused; what is left out or doubtful is told.
func TestCutOffCSV(t *testing.T) {
	whole, err := os.ReadFile("testdata/sysbench-runs.csv")
	if err != nil {
		t.Fatal(err)
	}
	whole = whole[:600]
	first := bytes.IndexByte(whole, '\n') + 1
	for at := first; at < len(whole); at++ {
		table, err := readCSV(bytes.NewReader(whole[:at]))
		lines := bytes.Count(whole[first:at], []byte("\n"))
		if err != nil {
			if !strings.Contains(err.Error(), "is no") {
				t.Errorf("cut off at %d: %v", at, err)
			}
			continue
		}
		if ended := whole[at-1] == '\n'; len(table.runs) < lines || len(table.runs) > lines+1 || ended != (len(table.notes) == 0) {
			t.Errorf("cut off at %d: %d runs of %d lines, %q", at, len(table.runs), lines, table.notes)
		}
	}
}

func TestHugeCSV(t *testing.T) {
	for name, more := range map[string]string{"one line": "x", "many lines": "a,ps,1,5,1,,\n"} {
		text := head + strings.Repeat(more, (maxFile+4096)/len(more))
		if _, err := readCSV(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "more than") && !strings.Contains(err.Error(), "longer than") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRunsGoOnOverMidnight(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"runs.csv":         "env,scenario,threads,tps,start,sec\na,ps,1,5,23:59:40,30\na,ps,2,5,00:00:12,30\nb,ps,1,5,08:00:00,30\n",
		"environments.csv": "env,date,seconds\na,2025-11-24,30\nb,2025-11-24,30\n",
	} {
		if err := os.WriteFile(dir+"/"+name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in := read(t, dir)
	if a, b := in.Runs[0], in.Runs[1]; b.Began.Sub(a.Began).Seconds() != 32 || a.clock() != "2025-11-24 23:59:40" || b.Seconds() != 30 {
		t.Errorf("%v %v", a.Began, b.Began)
	}
	if r := compared(t, in, Options{}); len(r.Anomalies) > 0 {
		t.Errorf("%+v", r.Anomalies)
	}
}

// Each argument has its own files, of the same names and environments.
func TestFilesOfTwoArguments(t *testing.T) {
	var paths []string
	for name, ram := range map[string]string{"before": "8G", "after": "16G"} {
		dir := t.TempDir() + "/" + name
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for file, text := range map[string]string{
			"runs.csv": head + "db1,ps,1,5,200,,\n", "environments.csv": "env,ram\ndb1," + ram + "\n", "tables.csv": "metric,scenario,env,t1\np95,ps,db1," + strings.TrimSuffix(ram, "G") + "\n",
		} {
			if err := os.WriteFile(dir+"/"+file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		paths = append(paths, dir)
	}
	in := read(t, paths...)
	for i := range in.Runs {
		r, want := &in.Runs[i], map[string]string{"db1 (before)": "8", "db1 (after)": "16"}
		if ram := want[r.Environment]; r.Properties["ram"] != ram+"G" || fmt.Sprint(r.Load.P95) != ram {
			t.Errorf("%+v", r)
		}
	}
	if len(in.Runs) != 2 {
		t.Errorf("%d runs", len(in.Runs))
	}
}

func FuzzCSV(f *testing.F) {
	for _, name := range []string{"sysbench-runs.csv", "sysbench-environments.csv", "sysbench-published-tables.csv"} {
		text, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text[:min(len(text), 1000)])
	}
	f.Add([]byte("env;scenario;threads;tps;avg_ms;date;start;sec\na;ps;8;1234,5;0,65;2025-11-24;23:59:59;30\nb;ps;8;\"1;2\";1;;;\n"))
	f.Add([]byte(head + "a,ro,1,5,1,00:00:00,30\nb,ro,1,5,1,00:00:00,9999999\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		table, err := readCSV(bytes.NewReader(text))
		if err != nil {
			return
		}
		in := &Input{Runs: table.runs, environments: map[string]map[int]environment{}, published: table.published, Notes: table.notes}
		for name, e := range table.environments {
			in.environments[name] = map[int]environment{0: e}
		}
		for i := range in.Runs {
			if r := &in.Runs[i]; r.Threads < 1 || r.Load.TPS < 0 || math.IsInf(float64(r.Load.TPS), 0) {
				t.Fatalf("%+v", r)
			}
		}
		in.complete()
		if len(in.Runs) == 0 {
			return
		}
		if r, err := Compare(context.Background(), in, Options{Force: true}); err == nil {
			r.Document(Metrics())
			fits(t, "bench-compare", r)
		}
	})
}
