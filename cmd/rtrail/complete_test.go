package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rtrail/internal/rule/catalogue"
)

// TestCompletion asks as shells do: rtrail __complete WORDS....
func TestCompletion(t *testing.T) {
	const files, noFiles = ":0", ":4"
	name, err := os.ReadFile("/proc/self/comm")
	if err != nil {
		t.Fatal(err)
	}
	comm := strings.TrimSpace(string(name))
	me := fmt.Sprintf("%d\t%s", os.Getpid(), comm)
	full := ""
	for _, r := range catalogue.Rules {
		for _, x := range r.Thresholds {
			if r.ID == "cpu/saturated" && x.Name == "full-from" {
				full = fmt.Sprintf("%v: %s", x, x.Reason)
			}
		}
	}
	for _, c := range []struct {
		typed []string
		want  []string // some of what is offered
		end   string
	}{
		{[]string{"packets", "--by", ""}, []string{"second", "statement", "client"}, noFiles},
		{[]string{"packets", "--by", "st"}, []string{"statement"}, noFiles},
		{[]string{"packets", "--sort", ""}, []string{"rt", "none"}, noFiles},
		{[]string{"packets", "-i", ""}, []string{"any", "lo"}, noFiles},
		{[]string{"diagnose", "--interface", ""}, []string{"any", "lo"}, noFiles},
		{[]string{"--fail-on", ""}, []string{"possible", "likely", "certain"}, noFiles},
		{[]string{"packets", "--decode-as", "8000=po"}, []string{"8000=postgres"}, noFiles},
		{[]string{"diagnose", "--mysql", ""}, []string{"auto", "off"}, noFiles},
		{[]string{"mysql", "audit", "--mysql-tls", ""}, []string{"skip-verify"}, noFiles},
		{[]string{"replay", "--at", ""}, []string{"03:00", "-5m"}, noFiles},
		{[]string{"diagnose", "--for", ""}, nil, noFiles},
		{[]string{"diagnose", "--threshold", "cpu/saturated.full"}, []string{"cpu/saturated.full-from=\t" + full}, noFiles},
		{[]string{"record", "--watch", "--threshold", "cpu/saturated.full"}, []string{"cpu/saturated.full-from=\t" + full}, noFiles},
		{[]string{"timeline", "--threshold", "cpu/saturated.full"}, []string{"cpu/saturated.full-from=\t" + full}, noFiles},
		{[]string{"replay", "--threshold", "cpu/saturated.full"}, []string{"cpu/saturated.full-from=\t" + full}, noFiles},
		{[]string{"diagnose", "--alloc", ""}, []string{me}, noFiles},
		{[]string{"stacks", "--pid", ""}, []string{me}, noFiles},
		{[]string{"trace", "exec", "-p", ""}, []string{me}, noFiles},
		{[]string{"trace", "exec", "--comm", ""}, []string{comm}, noFiles},
		{[]string{"packets", "--filter", ""}, nil, noFiles},
		{[]string{"packets", "--format", ""}, nil, noFiles},
		{[]string{"packets", "-p", ""}, nil, noFiles},
		{[]string{"packets", "--connection", ""}, nil, noFiles},
		{[]string{"packets", "--extract", ""}, nil, noFiles},
		{[]string{"record", "--max-size", ""}, []string{"2GiB"}, noFiles},
		{[]string{"explain", "net/acc"}, []string{"net/accept-queue-full\ta server turns connections away because its accept queue is full"}, noFiles},
		{[]string{"packets", "--html", ""}, nil, files},
		{[]string{"replay", ""}, nil, files},
		{[]string{"timeline", ""}, nil, files},
		{[]string{"diff", ""}, nil, files},
		{[]string{"timeline", "--from", ""}, []string{"-1h", "03:00"}, noFiles},
	} {
		var out, errs bytes.Buffer
		root := newRootCommand()
		root.SetArgs(append([]string{"__complete"}, c.typed...))
		root.SetOut(&out)
		root.SetErr(&errs)
		if err := root.Execute(); err != nil {
			t.Errorf("%q: %v", c.typed, err)
			continue
		}
		lines := strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
		for _, w := range c.want {
			if !slices.Contains(lines, w) {
				t.Errorf("%q offers %q, want %q among it", c.typed, lines, w)
			}
		}
		if last := lines[len(lines)-1]; last != c.end {
			t.Errorf("%q ends with %s, want %s", c.typed, last, c.end)
		}
	}
}

// A process cannot offer anything by its name but itself.
func TestCompletionOfHostileNames(t *testing.T) {
	proc := t.TempDir()
	if err := os.MkdirAll(filepath.Join(proc, "7"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(proc, "7", "comm"), []byte("a\nb\t\x1b[2J\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, list := range [][]string{processIDs(proc), processNames(proc)} {
		if len(list) != 1 || strings.ContainsAny(list[0], "\n\x1b") {
			t.Errorf("%q", list)
		}
	}
}
