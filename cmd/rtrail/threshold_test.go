package main

import (
	"strings"
	"testing"

	"rtrail/internal/rule/catalogue"
	"rtrail/internal/shell"
)

// A command that judges again does so by the thresholds of this run, which it can read.
func TestCommandsWithThresholds(t *testing.T) {
	t.Cleanup(catalogue.Reset)
	const again = "rtrail diagnose night --at '2026-01-02 03:00:00'"
	command := func() string {
		return asOverridden(shell.Line("rtrail diagnose %s --at %s", shell.Path("night"), "2026-01-02 03:00:00")).String()
	}
	for _, c := range []struct {
		set  []string
		want string
	}{
		{nil, ""},
		{[]string{"cpu/saturated.full-from=95%"}, " --threshold cpu/saturated.full-from=0.95"},
		{[]string{"disk/full.almost-used=96%", "disk/log-flood.log-rate=1MiB"}, " --threshold disk/log-flood.log-rate=1.048576e+06 --threshold disk/full.almost-used=0.96"},
	} {
		catalogue.Reset()
		for _, spec := range c.set {
			if err := (thresholds{}).Set(spec); err != nil {
				t.Fatal(err)
			}
		}
		got := command()
		if got != again+c.want {
			t.Errorf("%q: %s, want %s", c.set, got, again+c.want)
		}
		notes := strings.Join(overrides(), "\n")
		if len(overrides()) != len(c.set) {
			t.Errorf("%q: notes %q", c.set, notes)
		}
		// What is printed sets the same.
		catalogue.Reset()
		for i, word := range strings.Fields(got) {
			if word == "--threshold" {
				if err := (thresholds{}).Set(strings.Fields(got)[i+1]); err != nil {
					t.Error(err)
				}
			}
		}
		if again := strings.Join(overrides(), "\n"); again != notes {
			t.Errorf("%q: the command sets %q, want %q", c.set, again, notes)
		}
	}
	// A notice has room for a few only.
	for _, r := range catalogue.Rules {
		for _, x := range r.Thresholds {
			if err := (thresholds{}).Set(r.ID + "." + x.Name + "=1"); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := command(); strings.Count(got, "--threshold") != maxOverridesNamed || !strings.Contains(got, "# and the other ") || len(got) > 4<<10 {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}
