package main

import (
	"strings"
	"testing"

	"rtrail/internal/explain"
)

// TestColumnsAreOfVerbs runs through the commands that columns are said to be of: each
// is a verb, and its flags are flags of that verb.
func TestColumnsAreOfVerbs(t *testing.T) {
	for _, c := range explain.Columns {
		words := strings.Fields(c.Of)
		verb, rest, err := newRootCommand().Find(words[1:])
		if words[0] != "rtrail" || err != nil {
			t.Errorf("column %q is of %q, which is no command of rtrail: %v", c.Name, c.Of, err)
			continue
		}
		for i, word := range rest {
			name, isFlag := strings.CutPrefix(word, "--")
			switch {
			case isFlag && verb.Flags().Lookup(name) == nil:
				t.Errorf("column %q is of %q: %s has no --%s", c.Name, c.Of, verb.CommandPath(), name)
			case !isFlag && (i == 0 || !strings.HasPrefix(rest[i-1], "--")):
				t.Errorf("column %q is of %q: %q is no verb of %s", c.Name, c.Of, word, verb.CommandPath())
			}
		}
	}
}
