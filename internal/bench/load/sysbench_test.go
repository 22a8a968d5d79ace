package load

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rtrail/internal/mysqlconn"
)

// fake makes a program that does what a script of the shell says.
func fake(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sysbench")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func target(password string) mysqlconn.Target {
	return mysqlconn.Target{Network: "tcp", Address: "127.0.0.1:3306", User: "sb", Password: mysqlconn.Secret(password)}
}

var patient = Limits{Rate: 1e6, Time: time.Minute}

// run runs a fake sysbench.
func run(t *testing.T, s *Sysbench, limits Limits) (o Outcome, printed string, err error) {
	t.Helper()
	var out strings.Builder
	o, err = s.Run(t.Context(), Level{Threads: 4}, limits, Telling{Measures: func() {}, Output: func(line string) { out.WriteString(line + "\n") }})
	return o, out.String(), err
}

func TestSysbenchGetsItsPasswordThroughAPipe(t *testing.T) {
	dir := t.TempDir()
	text, err := filepath.Abs("testdata/sysbench-read-write.txt")
	if err != nil {
		t.Fatal(err)
	}
	s := &Sysbench{Program: fake(t, "cat /dev/fd/3 > "+dir+"/secret; echo \"$@\" > "+dir+"/args; cat "+text), Scenario: "read_write", Server: target("s3cret#"), Database: "sbtest", Tables: 2, Rows: 10, Warmup: 2, Seconds: 2}
	o, printed, err := run(t, s, patient)
	if err != nil {
		t.Fatal(err, printed)
	}
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if got := read("secret"); got != "mysql-password=s3cret#\n" {
		t.Errorf("from the pipe came %q", got)
	}
	args := read("args")
	if strings.Contains(args+printed, "s3cret") {
		t.Errorf("the password is told: %s%s", args, printed)
	}
	for _, want := range []string{"oltp_read_write", "--threads=4", "--time=4", "--report-checkpoints=2", "--rand-type=uniform", "--mysql-host=127.0.0.1"} {
		if !strings.Contains(args, want) {
			t.Errorf("%s is not in %s", want, args)
		}
	}
	if o.Load.TPS < 2000 || o.Load.P50 <= 0 || o.Load.P99 <= o.Load.P50 || o.Settings["sysbench"] != "1.0.20" || o.Settings["rand_type"] != "uniform" {
		t.Errorf("%+v", o)
	}
}

const begun = `echo "sysbench 1.0.20 (x)"; echo "Threads started!"; `

func TestSysbenchFails(t *testing.T) {
	for _, tt := range []struct {
		name, script, want string
		limits             Limits
	}{
		{"no connection", `echo "FATAL: error 1045: Access denied for user"; echo "FATAL: Thread initialization failed!"; exit 1`, "error 1045: Access denied", patient},
		{"server vanishes", begun + `echo "[ 1s ] thds: 4 tps: 10.00 qps: 10.00 (r/w/o: 1.00/0.00/0.00) lat (ms,99%): 1.00 err/s: 0.00 reconn/s: 0.00"; echo "FATAL: mysql_stmt_execute() returned error 2013 (Lost connection)"; exit 1`, "error 2013", patient},
		{"says nothing", begun + "exit 0", ErrNoReport.Error(), patient},
		{"too fast", begun + `echo "[ 1s ] thds: 4 tps: 99.00 qps: 99.00 (r/w/o: 1.00/0.00/0.00) lat (ms,99%): 1.00 err/s: 0.00 reconn/s: 0.00"; sleep 60`, "--max-rate 50", Limits{Rate: 50, Time: time.Minute}},
		{"hangs", begun + "sleep 60 & sleep 60", errSysbenchLate.Error(), Limits{Time: 200 * time.Millisecond}},
	} {
		s := &Sysbench{Program: fake(t, tt.script), Scenario: "point_select", Server: target("x"), Tables: 1, Rows: 1, Seconds: 1}
		o, _, err := run(t, s, tt.limits)
		if err == nil || !strings.Contains(err.Error(), tt.want) || !o.Gone {
			t.Errorf("%s: %v, gone: %v", tt.name, err, o.Gone)
		}
	}
}

// A step in which many errors were ignored measured something else; a few deadlocks belong to
// writes.
func TestIgnoredErrors(t *testing.T) {
	for _, tt := range []struct {
		errors, reconnects string
		invalid, note      string
		all                float64
	}{
		{"7", "0", "", "7 transactions ended with an error", 7},
		{"700", "0", "700 transactions ended with an error", "", 700},
		{"7", "2", "2 reconnects", "", 9},
	} {
		text := strings.ReplaceAll(fixture(t, "sysbench-read-write.txt"), "ignored errors:                      0      (0.00 per sec.)\n    reconnects:                          0",
			"ignored errors:                      "+tt.errors+"      (3.50 per sec.)\n    reconnects:                          "+tt.reconnects)
		path := filepath.Join(t.TempDir(), "report")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s := &Sysbench{Program: fake(t, "cat "+path), Scenario: "read_write", Server: target(""), Tables: 1, Rows: 1, Warmup: 2, Seconds: 2}
		o, _, err := run(t, s, patient)
		if err != nil {
			t.Fatal(err)
		}
		invalid, notes := strings.Join(o.Invalid, "\n"), strings.Join(o.Notes, "\n")
		if !strings.Contains(invalid, tt.invalid) || (tt.invalid == "") != (invalid == "") || !strings.Contains(notes, tt.note) || float64(o.Load.Errors) != tt.all {
			t.Errorf("%s errors, %s reconnects: invalid %q, notes %q, %v", tt.errors, tt.reconnects, invalid, notes, o.Load.Errors)
		}
	}
}

func TestSysbenchIsRefused(t *testing.T) {
	for want, change := range map[string]func(*Sysbench){
		"not installed":               func(s *Sysbench) { s.Program = "/nonexistent/sysbench" },
		"there are point_select":      func(s *Sysbench) { s.Scenario = "point_selct" },
		"no such script":              func(s *Sysbench) { s.Scenario = "/nonexistent.lua" },
		"shows the password":          func(s *Sysbench) { s.Extra = []string{"--mysql-password=x"} },
		"say it in the plan":          func(s *Sysbench) { s.Extra = []string{"--threads=9"} },
		"begin with --":               func(s *Sysbench) { s.Extra = []string{"cleanup"} },
		"has a comma":                 func(s *Sysbench) { s.Server.Password = "a,b" },
		"does not check certificates": func(s *Sysbench) { s.Server.TLS = mysqlconn.TLSVerified },
	} {
		s := &Sysbench{Program: "/bin/sh", Scenario: "point_select", Server: target("x")}
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		change(s)
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		} else if strings.Contains(err.Error(), "a,b") {
			t.Errorf("the password is told: %v", err)
		}
	}
}

func TestSysbenchEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := &Sysbench{Program: fake(t, begun+"sleep 60"), Scenario: "point_select", Server: target(""), Tables: 1, Rows: 1, Seconds: 1}
	_, err := s.Run(ctx, Level{Threads: 1}, patient, Telling{Measures: cancel, Output: func(string) {}})
	if err == nil {
		t.Error("no error")
	}
}
