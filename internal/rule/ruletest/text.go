package ruletest

import (
	"strings"
	"testing"
	"time"

	"rtrail/internal/rule"
)

// noVerbLeft catches formats whose verbs and arguments do not match.
func noVerbLeft(t *testing.T, text rule.Text) {
	t.Helper()
	if s := text.String(); strings.Contains(s, "%!") || strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
		t.Errorf("badly rendered: %q", s)
	}
}

func dur(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }
