package report

import (
	"strings"

	"rtrail/internal/document"
	"rtrail/internal/verdict"
)

// Brief is a finding in a few lines, each without line breaks of its own.
type Brief struct {
	Confidence string `json:"confidence"`
	Headline   string `json:"headline"`
	Impact     string `json:"impact,omitempty"`
	Who        string `json:"who,omitempty"`    // names the subject further where the headline cannot
	Look       string `json:"look,omitempty"`   // a command that shows the same
	Change     string `json:"change,omitempty"` // what to do, with its command and price
}

// NewBrief is a finding in a few lines.
func NewBrief(f verdict.Finding) Brief {
	b := Brief{Confidence: f.Confidence.String(), Headline: f.Headline.String(), Impact: f.Impact.Text.String(), Who: about(f.Subject)}
	for _, r := range advice(f) {
		switch r.Label {
		case "LOOK":
			b.Look = inLine(r)
		case "CHANGE":
			b.Change = inLine(r)
		}
	}
	return b
}

// inLine is a row of advice in one line.
func inLine(r document.Row) string {
	words := r.Words
	if command := strings.Join(r.Commands, "; "); command != "" {
		if words != "" {
			words += ": "
		}
		words += command
	}
	for _, x := range []struct{ name, text string }{{"costs", r.Price}, {"DANGER", r.Danger}} {
		if x.text != "" {
			words += " (" + x.name + ": " + x.text + ")"
		}
	}
	return words
}
