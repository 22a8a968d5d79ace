package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestPasswordIn(t *testing.T) {
	for name, want := range map[string]string{
		"db1": "", "root@db1": "", "root:hunter2@db1:3306": "hunter2", "root:p@ss:w@db1": "p@ss:w", "root:@db1": "",
		"mysql://root:hunter2@db1/": "hunter2", "mysql://db1:3306/": "", "/run/mysqld/mysqld.sock": "", "[::1]:3306": "",
	} {
		from, to := passwordIn(name)
		if got := name[from:to]; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestPasswordLeavesTheCommandLine runs this test in a process of its own, whose
// command line holds a password.
func TestPasswordLeavesTheCommandLine(t *testing.T) {
	const option = "--mysql=root:hunter2@db1:3306"
	if os.Getenv("RTRAIL_TEST_ARGV") != "" {
		name := takeServerName(strings.TrimPrefix(os.Args[len(os.Args)-1], "--mysql="))
		line, err := os.ReadFile("/proc/self/cmdline")
		if err != nil {
			t.Fatal(err)
		}
		if name != "root:hunter2@db1:3306" {
			t.Errorf("the name became %q", name)
		}
		if strings.Contains(string(line), "hunter2") || !strings.Contains(string(line), "root:xxxxxxx@db1:3306") {
			t.Errorf("the command line is %q", line)
		}
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestPasswordLeavesTheCommandLine$", "--", option)
	cmd.Env = append(os.Environ(), "RTRAIL_TEST_ARGV=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
