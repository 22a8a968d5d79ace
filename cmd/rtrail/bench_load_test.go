package main

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
		if again != strings.Contains(errs.String(), "2 of 2 steps are there") || !again && (!strings.Contains(lines[1], " 100 ") || !strings.Contains(lines[2], " 200 ")) {
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
