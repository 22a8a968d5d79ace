package watch

import (
	"slices"
	"time"

	"rtrail/internal/episode"
	"rtrail/internal/report"
	"rtrail/internal/rule"
	"rtrail/internal/verdict"
)

// Key is what a finding is known by in every window: its rule, and the key of its
// subject, which outlives processes.
type Key struct {
	Rule    string `json:"rule"`
	Subject string `json:"key"` // HOST/KIND/NAME
}

// Window is what a window of time showed.
type Window struct {
	From, To time.Time
	Seen     []Seen // in the order of the verdict
	// Unjudged are IDs of rules whose silence says nothing.
	Unjudged map[string]bool
	// Blind says that nothing could be judged.
	Blind bool
}

// Seen is a finding that no other one of its window explains.
type Seen struct {
	Key      Key
	Explains []Key // findings above possible that it explains, and those that these explain
	Certain  bool
	Weight   float64 // see verdict.Finding
	About    report.Brief
}

// WindowOf is what a verdict says of its window.
func WindowOf(v verdict.Verdict) Window {
	w := Window{From: v.Window.Start, To: v.Window.End, Unjudged: map[string]bool{}, Blind: v.Judged == 0}
	for _, n := range v.NotJudged {
		w.Unjudged[n.Rule] = true
	}
	for _, id := range v.Dim {
		w.Unjudged[id] = true
	}
	for _, f := range v.Findings {
		if f.Confidence > rule.Possible {
			w.Seen = append(w.Seen, Seen{Key: keyOf(f), Explains: explained(nil, f), Certain: f.Confidence == rule.Certain, Weight: f.Weight(), About: brief(f)})
		}
	}
	return w
}

func keyOf(f verdict.Finding) Key {
	k := episode.KeyOf(f)
	return Key{k.Rule, cut(k.Subject.String())}
}

func explained(list []Key, f verdict.Finding) []Key {
	for _, x := range f.Explains {
		if k := keyOf(x); x.Confidence > rule.Possible && !slices.Contains(list, k) && len(list) < maxMembers {
			list = explained(append(list, k), x)
		}
	}
	return list
}

// maxAdvice leaves room for a label: cut anywhere, a command would be another one.
const maxAdvice = maxLine - len("CHANGE  ")

// brief is a finding in a few lines of bounded length.
func brief(f verdict.Finding) report.Brief {
	b := report.NewBrief(f, maxAdvice)
	for _, text := range []*string{&b.Headline, &b.Impact, &b.Who, &b.Look, &b.Change} {
		*text = cut(*text)
	}
	return b
}
