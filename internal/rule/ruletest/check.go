package ruletest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"rtrail/internal/rule"
)

// Situation is a made-up host and what a rule must say about it.
type Situation struct {
	Name      string
	Host      func() *Host
	Want      rule.Confidence // 0: no finding at all
	Kind      string          // of the subject
	Subject   string          // its name
	Low, High float64         // bounds of the impact, lost time or share
	Says      string          // part of the headline
	Proof     string          // part of a piece of evidence
	Note      string          // part of a note
	Abstains  string          // part of why the rule does not judge; then it finds nothing
}

// Check holds a rule to what it must say about each situation: nothing, or one
// finding.
func Check(t *testing.T, r rule.Rule, list []Situation) {
	t.Helper()
	for _, s := range list {
		t.Run(s.Name, func(t *testing.T) {
			if s.Abstains != "" {
				found, err := r.Detect(s.Host().View())
				why, ok := errors.AsType[*rule.NotJudged](err)
				if !ok || len(found) > 0 || why.Needs == "" || why.How.Empty() || !strings.Contains(why.Why, s.Abstains) {
					t.Errorf("found %+v, not judged: %+v; want it not judged because %q", found, err, s.Abstains)
				}
				return
			}
			found := s.Host().Detect(t, r)
			if s.Want == 0 {
				for _, f := range found {
					t.Errorf("found %s: %s", f.Confidence, f.Headline)
				}
				return
			}
			if len(found) != 1 {
				t.Fatalf("%d findings, want 1: %+v", len(found), found)
			}
			f := found[0]
			Checked(t, f)
			if f.Confidence != s.Want || f.Subject.Kind != s.Kind || f.Subject.Name != s.Subject {
				t.Errorf("%s about %s %q, want %s about %s %q", f.Confidence, f.Subject.Kind, f.Subject.Name, s.Want, s.Kind, s.Subject)
			}
			if w := max(f.Impact.TimeLost, f.Impact.Share); w < s.Low || w > s.High {
				t.Errorf("impact %.4f, want %.4f to %.4f", w, s.Low, s.High)
			}
			if !strings.Contains(f.Headline.String(), s.Says) {
				t.Errorf("headline %q lacks %q", f.Headline, s.Says)
			}
			if !slices.ContainsFunc(f.Evidence, func(e rule.Evidence) bool { return strings.Contains(e.What.String(), s.Proof) }) {
				t.Errorf("no evidence says %q: %+v", s.Proof, f.Evidence)
			}
			if s.Note != "" && !slices.ContainsFunc(f.Notes, func(n rule.Text) bool { return strings.Contains(n.String(), s.Note) }) {
				t.Errorf("no note says %q: %v", s.Note, f.Notes)
			}
		})
	}
}

// Judge has a rule look at a host and fails unless its surest finding is as
// sure as wanted; 0: there is none.
func Judge(t *testing.T, h *Host, r rule.Rule, want rule.Confidence) []rule.Finding {
	t.Helper()
	found := h.Detect(t, r)
	if got := Worst(found); got != want {
		t.Fatalf("confidence %v, want %v: %+v", got, want, found)
	}
	for _, f := range found {
		Checked(t, f)
	}
	return found
}
