package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// TestCompletion asks as shells do: rtrail __complete WORDS....
func TestCompletion(t *testing.T) {
	const files, noFiles = ":0", ":4"
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
		{[]string{"explain", "net/acc"}, []string{"net/accept-queue-full\ta server turns connections away because its accept queue is full"}, noFiles},
		{[]string{"packets", "--html", ""}, nil, files},
		{[]string{"replay", ""}, nil, files},
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
