package catalogue

import "testing"

// Several findings of a rule are one block, which needs words of its own.
func TestRulesSpeakOfSeveralFindings(t *testing.T) {
	for _, r := range Rules {
		if r.Plural == "" {
			t.Errorf("%s has no Plural", r.ID)
		}
	}
}
