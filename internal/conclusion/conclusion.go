// Package conclusion is what a test of the network ends with: what it means, what proves it,
// and what to do next.
package conclusion

import (
	"strings"

	"rtrail/internal/document"
	"rtrail/internal/shell"
)

// Verdict is what a test says.
type Verdict struct {
	Kind     string   `json:"kind"`       // a word for programs, as the package of the test lists them
	Sure     string   `json:"confidence"` // certain or likely
	Headline string   `json:"headline"`
	Proof    []string `json:"proof,omitempty"`
	Next     []Step   `json:"next,omitempty"`
	Fine     bool     `json:"-"` // nothing is wrong
}

// Step is what to do, with a command where one helps.
type Step struct {
	Words   string `json:"words"`
	Command string `json:"command,omitempty"`
}

// Do is a step with a command.
func Do(words string, c shell.Command) Step { return Step{Words: words, Command: c.String()} }

// Finding is the verdict for people.
func (v *Verdict) Finding(number int) document.Finding {
	f := document.Finding{Number: number, Mark: strings.ToUpper(v.Sure), Headline: v.Headline}
	if v.Fine {
		f.Mark = "OK"
	}
	for i, words := range v.Proof {
		f.Rows = append(f.Rows, document.Row{Label: first("proof", i), Words: words})
	}
	for i, s := range v.Next {
		r := document.Row{Label: first("NEXT", i), Words: s.Words}
		if s.Command != "" {
			r.Commands = []string{s.Command}
		}
		f.Rows = append(f.Rows, r)
	}
	return f
}

// first labels the first of several rows.
func first(label string, i int) string {
	if i > 0 {
		return ""
	}
	return label
}
