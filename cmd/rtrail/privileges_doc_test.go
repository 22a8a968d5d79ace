package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// SECURITY.md says of every verb that reads, watches or asks what it may do.
func TestSecurityNamesVerbs(t *testing.T) {
	page, err := os.ReadFile("../../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range newRootCommand().Commands() {
		switch c.Name() {
		case "explain", "version", "completion", "help":
			continue // of these nothing is to say
		}
		if !regexp.MustCompile("`" + c.Name() + "[ `]").Match(page) {
			t.Errorf("SECURITY.md does not name %s: does it stay root, or confine itself?", c.Name())
		}
	}
	_, given, _ := strings.Cut(string(page), "## What file verbs give up\n")
	given, _, _ = strings.Cut(given, "run as the first of these")
	for _, verb := range []string{"diagnose FILE", "packets", "stacks FILE", "replay", "timeline", "diff", "audit RECORDING", "pack", "bench compare", "bench history", "bench report", "bench watch --log"} {
		if !strings.Contains(given, "`"+verb+"`") {
			t.Errorf("%s gives up what it does not need, and the list lacks it: %s", verb, given)
		}
	}
}
