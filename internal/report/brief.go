package report

import (
	"strings"

	"rtrail/internal/document"
	"rtrail/internal/escape"
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

// NewBrief is a finding in a few lines. Advice takes at most so many bytes when it is shown: a
// command is whole, or left out with a word, and what it may destroy is never cut off it.
func NewBrief(f verdict.Finding, most int) Brief {
	b := Brief{Confidence: f.Confidence.String(), Headline: f.Headline.String(), Impact: f.Impact.Text.String(), Who: about(f.Subject)}
	for _, r := range advice(f) {
		switch r.Label {
		case "LOOK":
			b.Look = inLine(r, most)
		case "CHANGE":
			b.Change = inLine(r, most)
		}
	}
	return b
}

// tooLong stands in place of a command.
const tooLong = "the command is too long for this line"

// inLine is a row of advice in one line of at most so many bytes.
func inLine(r document.Row, most int) string {
	costs := ""
	for _, x := range []struct{ name, text string }{{"costs", r.Price}, {"DANGER", r.Danger}} {
		if x.text != "" {
			costs += " (" + x.name + ": " + x.text + ")"
		}
	}
	command := strings.Join(r.Commands, "; ")
	if r.Words != "" && command != "" {
		command = ": " + command
	}
	line := r.Words + command + costs
	if length(line) <= most {
		return line
	}
	if command == "" {
		return cut(r.Words, most-length(costs)) + costs
	}
	if r.Words == "" {
		return tooLong + costs
	}
	left := " (" + tooLong + ")" + costs
	return cut(r.Words, most-length(left)) + left
}

// length is how many bytes a text takes when it is shown.
func length(text string) int { return len(escape.Text(text)) }

// cut shortens a text to so many bytes as it is shown.
func cut(text string, most int) string {
	const end = "..."
	shown := escape.Text(text)
	if len(shown) <= most {
		return text
	}
	return strings.ToValidUTF8(shown[:max(0, most-len(end))], "") + end
}
