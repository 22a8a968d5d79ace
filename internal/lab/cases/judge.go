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
	Rule       string       `json:"rule"`
	Subject    subjectDoc   `json:"subject"`
	Confidence string       `json:"confidence"`
	Headline   string       `json:"headline"`
	Explains   []findingDoc `json:"explains"`
	Fixes      []fixDoc     `json:"fixes"`
	Culprit    *subjectDoc  `json:"culprit"`
	Victims    []victimDoc  `json:"victims"`
}

type fixDoc struct {
	Text string `json:"text"`
}

type victimDoc struct {
	Subject subjectDoc `json:"subject"`
}

type subjectDoc struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	PID  int32  `json:"pid"`
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
	return f.Rule == c.Rule && (c.Kind == "" || f.Subject.Kind == c.Kind) && (c.Name == "" || f.Subject.named(c.Name))
}

// named says whether a regular expression matches the whole name.
func (s subjectDoc) named(pattern string) bool {
	name, err := regexp.Compile("^(?:" + pattern + ")$")
	return err == nil && name.MatchString(s.Name)
}

func (c Case) allows(f findingDoc) bool { return slices.Contains(c.AllowOthers, f.Rule) }

// judgeFault compares the verdict under fault with what the case expects and
// returns why it fails, or "".
func (c Case) judgeFault(v verdictDoc, r *Result) (why string) {
	faults := c.Faults()
	r.First = c.first(v)
	found := make([]*findingDoc, len(faults))
	var ahead, stranger string // the first finding that the case does not expect, and that it does not allow above possible
	for i, f := range v.Findings {
		if n := c.faultOf(f, found); n >= 0 {
			found[n] = &v.Findings[i]
			r.Rank, r.Found = i+1, strings.TrimPrefix(r.Found+"; "+f.Headline, "; ")
			continue
		}
		if ahead == "" {
			ahead = f.String()
		}
		if f.abovePossible() || slices.Contains(c.NotEven, f.Rule) {
			r.Others = append(r.Others, f.String())
			if !c.allows(f) && stranger == "" {
				stranger = f.String()
			}
		}
	}
	if c.Control() {
		if len(r.Others) > 0 {
			return "a healthy host was accused: " + r.Others[0]
		}
		if len(v.Unjudged) > 0 {
			c := v.Unjudged[0]
			return fmt.Sprintf("on a healthy host %s %s was reported as refused work, %.3g/s", c.Counter, c.Where, c.PerSecond)
		}
		return ""
	}
	for i, fault := range faults {
		if why := fault.judgeFinding(found[i], v); why != "" {
			return why
		}
	}
	switch {
	case c.Waits != "" && !slices.ContainsFunc(v.chains(), regexp.MustCompile(c.Waits).MatchString):
		return fmt.Sprintf("no chain of waiting is %q: %q", c.Waits, v.chains())
	case r.Rank > len(faults):
		return fmt.Sprintf("%s ranks %d, behind %s", c.Rule, r.Rank, ahead)
	case stranger != "":
		return "another finding beside it: " + stranger
	}
	return ""
}

// first are the rules of the findings in the first places.
func (c Case) first(v verdictDoc) []string {
	first := []string{}
	for _, f := range v.Findings {
		if len(first) < len(c.Faults()) && (!c.Control() || f.abovePossible()) {
			first = append(first, f.Rule)
		}
	}
	return first
}

// faultOf is the first of the faults that a finding tells of and that none before it did, -1 if there is none.
func (c Case) faultOf(f findingDoc, found []*findingDoc) int {
	for i, fault := range c.Faults() {
		if found[i] == nil && fault.is(f) {
			return i
		}
	}
	return -1
}

// judgeFinding compares what was found of a fault, if anything, with what is expected of it.
func (c Case) judgeFinding(f *findingDoc, v verdictDoc) (why string) {
	switch {
	case f == nil:
		return c.Rule + " was not found" + c.traces(v)
	case c.Says != "" && !regexp.MustCompile(c.Says).MatchString(f.Headline):
		return fmt.Sprintf("the headline does not say %q: %s", c.Says, f.Headline)
	case !f.abovePossible() && c.AtMostPossible == "":
		return fmt.Sprintf("%s is only %s", c.Rule, f.Confidence)
	}
	culprit := f.Subject
	if f.Culprit != nil {
		culprit = *f.Culprit
	}
	if c.Culprit != "" && !culprit.named(c.Culprit) {
		return fmt.Sprintf("the culprit of %s is %s, not %s", f, culprit.Name, c.Culprit)
	}
	var victims []string
	for _, x := range f.Victims {
		victims = append(victims, x.Subject.Name)
		if c.Culprit != "" && x.Subject.named(c.Culprit) {
			return fmt.Sprintf("the culprit of %s is among the victims: %q", f, x.Subject.Name)
		}
	}
	if c.Victim != "" && !slices.ContainsFunc(f.Victims, func(x victimDoc) bool { return x.Subject.named(c.Victim) }) {
		return fmt.Sprintf("%s is no victim of %s: %q", c.Victim, f, victims)
	}
	for _, rule := range c.Folds {
		if !f.explains(rule) {
			return fmt.Sprintf("%s is no symptom of %s", rule, f)
		}
	}
	return ""
}

// explains says whether findings of a rule are symptoms of f, or of what f explains.
func (f findingDoc) explains(rule string) bool {
	return slices.ContainsFunc(f.Explains, func(s findingDoc) bool { return s.Rule == rule || s.explains(rule) })
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
		expected, rule := false, false
		for _, fault := range c.Faults() {
			expected = expected || fault.AtMostPossible != "" && fault.is(f)
			rule = rule || fault.Rule == f.Rule
		}
		if !f.abovePossible() && !expected {
			continue
		}
		r.AfterFix = append(r.AfterFix, f.String())
		if why == "" && (rule || !c.allows(f)) {
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
