package cases

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// verdictDoc is what a lab reads of `rtrail diagnose --json`; the whole shape
// is docs/verdict.schema.json. A lab reads it as any other program would.
type verdictDoc struct {
	Window struct {
		End time.Time `json:"end"`
	} `json:"window"`
	Findings []findingDoc `json:"findings"`
	Waits    [][]struct {
		Name string `json:"name"`
	} `json:"who_waits_for_whom"`
	Unjudged []struct {
		Counter   string  `json:"counter"`
		Where     string  `json:"where"`
		PerSecond float64 `json:"per_second"`
	} `json:"unjudged"`
	NotJudged []struct {
		Rule string `json:"rule"`
		Why  string `json:"why"`
	} `json:"not_judged"`
}

type findingDoc struct {
	Rule    string `json:"rule"`
	Subject struct {
		Kind string `json:"kind"`
		Name string `json:"name"`
		PID  int32  `json:"pid"`
	} `json:"subject"`
	Confidence string       `json:"confidence"`
	Headline   string       `json:"headline"`
	Explains   []findingDoc `json:"explains"`
}

// abovePossible says whether a finding claims something: "possible" ones are
// hints.
func (f findingDoc) abovePossible() bool { return f.Confidence != "possible" }

func (f findingDoc) String() string { return f.Rule + ": " + f.Headline }

func parseVerdict(b []byte) (verdictDoc, error) {
	var v verdictDoc
	if err := json.Unmarshal(b, &v); err != nil {
		return v, fmt.Errorf("read the verdict of rtrail diagnose: %w: %.200q", err, b)
	}
	// True, whatever the case is about, where a lab runs on a virtual machine: see stolen.go.
	v.Findings = slices.DeleteFunc(v.Findings, func(f findingDoc) bool { return f.Rule == "cpu/steal" })
	return v, nil
}

// chains are the words of who waits for whom.
func (v verdictDoc) chains() (list []string) {
	for _, chain := range v.Waits {
		var words []string
		for _, l := range chain {
			words = append(words, l.Name)
		}
		list = append(list, strings.Join(words, " → "))
	}
	return list
}

// is says whether a finding is the expected one. The name of a subject is a
// regular expression that must match whole.
func (c Case) is(f findingDoc) bool {
	if f.Rule != c.Rule || (c.Kind != "" && f.Subject.Kind != c.Kind) {
		return false
	}
	name, err := regexp.Compile("^(?:" + c.Name + ")$")
	return c.Name == "" || err == nil && name.MatchString(f.Subject.Name)
}

func (c Case) allows(f findingDoc) bool { return slices.Contains(c.AllowOthers, f.Rule) }

// judgeFault compares the verdict under fault with what the case expects and
// returns why it fails, or "".
func (c Case) judgeFault(v verdictDoc, r *Result) (why string) {
	var expected *findingDoc
	var stranger string // the first finding above possible that the case does not allow
	for i, f := range v.Findings {
		if expected == nil && c.is(f) {
			expected = &v.Findings[i]
			r.Rank, r.Found = i+1, f.Headline
			continue
		}
		if f.abovePossible() || slices.Contains(c.NotEven, f.Rule) {
			r.Others = append(r.Others, f.String())
			if !c.allows(f) && stranger == "" {
				stranger = f.String()
			}
		}
	}
	switch {
	case c.Control():
		if len(r.Others) > 0 {
			return "a healthy host was accused: " + r.Others[0]
		}
		if len(v.Unjudged) > 0 {
			c := v.Unjudged[0]
			return fmt.Sprintf("on a healthy host %s %s was reported as refused work, %.3g/s", c.Counter, c.Where, c.PerSecond)
		}
		return ""
	case expected == nil:
		return c.Rule + " was not found" + c.traces(v)
	case c.Says != "" && !regexp.MustCompile(c.Says).MatchString(r.Found):
		return fmt.Sprintf("the headline does not say %q: %s", c.Says, r.Found)
	case c.Waits != "" && !slices.ContainsFunc(v.chains(), regexp.MustCompile(c.Waits).MatchString):
		return fmt.Sprintf("no chain of waiting is %q: %q", c.Waits, v.chains())
	case r.Rank > 1:
		return fmt.Sprintf("%s ranks %d, behind %s", c.Rule, r.Rank, v.Findings[0])
	case !expected.abovePossible() && c.AtMostPossible == "":
		return fmt.Sprintf("%s is only %s", c.Rule, expected.Confidence)
	case stranger != "":
		return "another finding beside it: " + stranger
	}
	return ""
}

// traces says where the expected rule shows although it was not found as it
// should be: not judged, about another subject, or taken for a symptom.
func (c Case) traces(v verdictDoc) string {
	for _, n := range v.NotJudged {
		if n.Rule == c.Rule {
			return ", not judged: " + n.Why
		}
	}
	for _, f := range v.Findings {
		if f.Rule == c.Rule {
			return fmt.Sprintf(" for %s %s, but for %s %s", c.Kind, c.Name, f.Subject.Kind, f.Subject.Name)
		}
		for _, s := range f.Explains {
			if s.Rule == c.Rule {
				return ", but taken for a symptom of " + f.String()
			}
		}
	}
	if len(v.Findings) > 0 {
		return "; first is " + v.Findings[0].String()
	}
	return "; there are no findings"
}

// judgeFix compares the verdict after the fix, and the application's numbers.
func (c Case) judgeFix(v verdictDoc, r *Result) (why string) {
	for _, f := range v.Findings {
		if !f.abovePossible() && (c.AtMostPossible == "" || !c.is(f)) {
			continue
		}
		r.AfterFix = append(r.AfterFix, f.String())
		if why == "" && (f.Rule == c.Rule || !c.allows(f)) {
			why = "after the fix there is still " + f.String()
		}
	}
	if why != "" {
		return why
	}
	if c.Withstood == "" && r.Under != nil && r.After != nil && !r.After.BetterThan(*r.Under) {
		return fmt.Sprintf("the fix did not help the application: %s under fault, %s after it", r.Under, r.After)
	}
	return ""
}
