package main

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rtrail/internal/bench"
	"rtrail/internal/bench/load"
	"rtrail/internal/bench/matrix"
	"rtrail/internal/document"
)

// listening is an address at which something takes connections.
func listening(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

func TestLoadsThatAreRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	plan := filepath.Join(t.TempDir(), "plan.yaml")
	if err := os.WriteFile(plan, []byte("kind: mysql\nenvironments: [{name: a, target: 'db:3306'}, {name: b, target: 'other:3306'}]\nthreads: [1]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"no folder is given":                  {"mysql", "--target", "db:3306", "--threads", "1"},
		"name it, as --target HOST:PORT":      {"mysql", "-o", dir, "--threads", "1"},
		"other:3306 of the plan is not named": {"mysql", "-o", dir, "--plan", plan, "--target", "db:3306"},
		"a plan of kind \"mysql\" is for":     {"http", "-o", dir, "--plan", plan, "--target", "db:3306"},
		"more than --max-time 1h0m0s":         {"mysql", "-o", dir, "--target", "db:3306", "--threads", "1", "--seconds", "7200"},
		"more than --max-rate 100000":         {"mysql", "-o", dir, "--target", "db:3306", "--rates", "200000"},
		"no step: name levels":                {"mysql", "-o", dir, "--target", "db:3306"},
		"want numbers as 1,8,64":              {"mysql", "-o", dir, "--target", "db:3306", "--threads", "many"},
		"only the name of the account":        {"mysql", "-o", dir, "--target", "db:3306", "--threads", "1", "--user", "sb:s3cret"},
		"it takes prepared or text":           {"mysql", "-o", dir, "--target", "db:3306", "--rates", "1", "--statements", "both"},
		"an open loop has point_select":       {"mysql", "-o", dir, "--target", "db:3306", "--rates", "1", "--scenario", "read_only"},
		"begins with a slash":                 {"http", "-o", dir, "--target", "web:80", "--rates", "1", "--path", "x"},
		"no command is given":                 {"command", "-o", dir, "--target", "web:80"},
		"/nonexistent is not installed":       {"command", "-o", dir, "--target", "web:80", "--", "/nonexistent"},
		"error parsing regexp":                {"command", "-o", dir, "--target", "web:80", "--value", "(", "--", "true"},
		"no such file":                        {"mysql", "-o", dir, "--target", "db:3306", "--plan", "/nonexistent"},
	} {
		var out, errs bytes.Buffer
		if code := run(append([]string{"bench"}, args...), &out, &errs); code != exitUsage || !strings.Contains(errs.String(), want) {
			t.Errorf("%v: %d %s", args, code, errs.String())
		}
		if strings.Contains(errs.String(), "s3cret") {
			t.Errorf("%v tells the password", args)
		}
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a folder was made for what was refused")
	}
}

// TestWidthOfSteps: lines of steps fit a terminal, with all that matters; in a pipe, what a run
// shows is one line.
func TestWidthOfSteps(t *testing.T) {
	steps := func(environments, scenarios []string, repeats int, level load.Level) (all []matrix.Step) {
		for _, e := range environments {
			for _, s := range scenarios {
				for n := range repeats {
					all = append(all, matrix.Step{Environment: &matrix.Environment{Name: e}, Scenario: s, Level: level, Repeat: n + 1})
				}
			}
		}
		return all
	}
	for name, tt := range map[string]struct {
		steps []matrix.Step
		has   []string // at 80 columns
	}{
		"one":      {steps([]string{"10.0.0.5:3306"}, []string{"point_select"}, 1, load.Level{Threads: 128}), []string{"point_select  128 thr", "328098", "328100", "1.250", "99.125"}},
		"repeats":  {steps([]string{"10.0.0.5:3306"}, []string{"point_select"}, 5, load.Level{Rate: 20000}), []string{"20000/s    5", "328098", "328100", "1.250", "98"}},
		"several":  {steps([]string{"10.0.0.5:3306", "10.0.0.6:3306"}, []string{"point_select"}, 5, load.Level{Threads: 128}), []string{"10.0.0.6:3306  point_select", "328098", "99.125"}},
		"a script": {steps([]string{"a"}, []string{"/a/very/long/path/that/does/not/fit/into/a/line/of/eighty/columns/own.lua"}, 1, load.Level{Threads: 8}), []string{"own.lua ", "8 thr"}},
	} {
		for _, width := range []int{0, 80, 100} {
			var out bytes.Buffer
			p := benchPrinter{out: &out, width: width}
			p.head(tt.steps)
			s := tt.steps[len(tt.steps)-1]
			r := bench.NewRun()
			r.Environment, r.Scenario, r.Threads, r.Rate, r.Repeat = s.Environment.Name, s.Scenario, s.Level.Threads, document.Number(s.Level.Rate), s.Repeat
			r.Load.TPS, r.Load.QPS, r.Load.P50, r.Load.P95, r.Load.P99, r.Load.Errors = 328098, 328100, 0.35, 1.25, 99.125, 12
			r.Host.CPUs, r.Host.User, r.Host.System, r.Host.Softirq = 8, 5.5, 2.1, 0.24
			r.Invalid = []string{"the load generator was hot: a thread of it ran, or waited for a CPU, 97 % of the time", "it did not become steady"}
			if err := p.run(&r); err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
			for _, line := range lines {
				if width > 0 && len(line) > width {
					t.Errorf("%s: %d columns in %q", name, len(line), line)
				}
			}
			if width == 0 && (len(lines) != 4 || lines[3] != "  INVALID: "+strings.Join(r.Invalid, "; ")) {
				t.Errorf("%s in a pipe: %q", name, lines)
			}
			for _, want := range tt.has {
				if !strings.Contains(lines[2], want) {
					t.Errorf("%s, %d columns: no %q in\n%s", name, width, want, out.String())
				}
			}
		}
	}
}

// A matrix of commands is whole, is not made again, and its report can be read.
func TestCommandsAsLoad(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	args := []string{"bench", "command", "-o", dir, "--target", listening(t), "-i", "off", "--threads", "1,2", "--seconds", "1", "--pause", "0", "--value", "rate ([0-9]+)", "--", "/bin/sh", "-c", "sleep 1; echo rate {threads}00"}
	for _, again := range []bool{false, true} {
		var out, errs bytes.Buffer
		if code := run(args, &out, &errs); code != exitOK {
			t.Fatal(code, errs.String())
		}
		lines := strings.Split(out.String(), "\n")
		if again != strings.Contains(errs.String(), "2 of 2 steps are there") || !again && (!strings.Contains(lines[2], " 100 ") || !strings.Contains(lines[3], " 200 ")) {
			t.Errorf("%s\n%s", out.String(), errs.String())
		}
		if !strings.Contains(out.String(), "200 transactions/s with 2 clients") {
			t.Errorf("no knee in %s", out.String())
		}
	}
	var out, errs bytes.Buffer
	if code := run([]string{"bench", "report", dir}, &out, &errs); code != exitOK {
		t.Error(code, errs.String())
	}
	text, err := os.ReadFile(filepath.Join(dir, "plan.yaml"))
	if err != nil || !strings.Contains(string(text), "kind: command") {
		t.Errorf("%s %v", text, err)
	}
}
