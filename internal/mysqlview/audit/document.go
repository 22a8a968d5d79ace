package audit

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"rtrail/internal/document"
	"rtrail/internal/rule"
	"rtrail/internal/unit"
)

var directions = map[Direction]string{Raise: "raise", Lower: "lower", Change: "change"}

// Document is a report for people; verbose also lists what is as by default.
func (r *Report) Document(verbose bool) document.Document {
	name := r.Version
	if !strings.Contains(name, r.Flavor) {
		name = r.Flavor + " " + name
	}
	d := document.Document{Title: "Variables of " + r.Server}
	add := func(blocks ...document.Block) { d.Blocks = append(d.Blocks, blocks...) }
	add(document.Facts{Items: []string{name + " at " + r.Server, fmt.Sprintf("%d variables that matter", len(r.Entries)), "evidence of " + unit.Seconds(round(r.Facts.Window)).String()}})
	if r.Facts.Silent != "" {
		add(document.Prose{Words: r.Facts.Silent, Style: document.Warn})
	}
	add(document.Prose{Words: "defaults: " + r.Defaults, Style: document.Quiet})
	add(r.recommended()...)
	withheld := document.List{Title: "WITHHELD: there is evidence for a change and against it", Style: document.Strong}
	for _, e := range r.Entries {
		if !e.Withheld.Empty() {
			withheld.Items = append(withheld.Items, document.Item{Words: e.setTo() + ": " + e.Withheld.String()})
		}
	}
	if len(withheld.Items) > 0 {
		add(withheld)
	}
	different := r.Different()
	if len(different) > 0 {
		add(r.table("DIFFERS FROM THE DEFAULT: no evidence against it", different, true))
	}
	rest := slices.DeleteFunc(slices.Clone(r.Entries), func(e Entry) bool { return e.Advice != nil || e.Differs })
	switch {
	case verbose && len(rest) > 0:
		add(r.table("THE REST: as by default, sized by the server, or with a default that is not known", rest, false))
	case len(rest) > 0:
		add(document.Prose{Label: "THE REST", Style: document.Strong,
			Words: fmt.Sprintf("%d more are as by default, are sized by the server, or have a default that is not known: -v shows them.", len(rest))})
	}
	for _, n := range r.Notes {
		add(document.Prose{Label: "NOTE", Style: document.Warn, Words: n})
	}
	return d
}

func round(seconds float64) float64 { return float64(int(seconds*10+0.5)) / 10 }

func (r *Report) recommended() []document.Block {
	list := r.Recommended()
	if len(list) == 0 {
		window := "in this window"
		if r.Facts.Silent != "" {
			window = "while the server answered"
		}
		seen := "No variable showed evidence against it " + window + "."
		if len(r.Facts.Unseen) > 0 {
			seen = "In what could be seen, no variable showed evidence against it " + window + "; the notes below say what could not."
		}
		return []document.Block{document.Prose{Label: "RECOMMENDED", Style: document.Strong, Words: "nothing. " + seen}}
	}
	blocks := []document.Block{document.Heading{Words: "RECOMMENDED", Style: document.Strong}}
	for i := range list {
		e := &list[i]
		f := document.Finding{Number: i + 1, Mark: strings.ToUpper(e.Advice.Sure.String()), Style: document.Warn, Headline: e.setTo()}
		if e.Advice.Sure == rule.Certain {
			f.Style = document.Alarm
		}
		label := "seen"
		for _, t := range e.Advice.Evidence {
			f.Rows = append(f.Rows, document.Row{Label: label, Words: t.String()})
			label = ""
		}
		to := e.Advice.To
		if !strings.HasPrefix(to, "until ") {
			to = "to " + to
		}
		f.Rows = append(f.Rows, document.Row{Label: directions[e.Advice.Direction], Words: to}, document.Row{Label: "why", Words: e.Setting.Why},
			document.Row{Label: "costs", Words: e.Setting.Cost}, document.Row{Label: "apply", Words: e.how(r.Facts) + "; " + e.Default.phrase(e.Setting)})
		blocks = append(blocks, f)
	}
	return blocks
}

// setTo is a setting with its value.
func (e *Entry) setTo() string { return e.Name + " = " + e.Setting.Unit.show(e.Value) }

// how says how a change is made.
func (e *Entry) how(f *Facts) string {
	if e.Applies(f) == "dynamic" {
		return "SET GLOBAL " + e.Name + " = ..., and in my.cnf for the next start"
	}
	return "in my.cnf, then restart the server"
}

// maxCell is how much of a value or a default stands in a column; what is longer
// stands below the row.
const maxCell = 20

// table lists settings by topic, with what each does below it.
func (r *Report) table(title string, entries []Entry, reasons bool) document.Table {
	t := document.Table{Title: title, Columns: []document.Column{{Name: "variable"}, {Name: "value"}, {Name: "default"}, {Name: "change", Drop: 1}}}
	var topic Topic
	for i := range entries {
		e := &entries[i]
		if e.Setting.Topic != topic {
			topic = e.Setting.Topic
			t.Add([]string{strings.ToUpper(string(topic)), "", "", ""})
		}
		var below []document.Row
		cell := func(label, text string) string {
			if utf8.RuneCountInString(text) <= maxCell {
				return text
			}
			below = append(below, document.Row{Label: label, Words: breakable(text)})
			return "see below"
		}
		value, usual := cell("value", e.Setting.Unit.show(e.Value)), cell("default", e.Default.words(e.Setting))
		if reasons {
			below = append(below, document.Row{Words: e.Setting.Why})
		}
		t.Add([]string{e.Name, value, usual, e.Applies(r.Facts)}, below...)
	}
	return t
}

// breakable lets a line end behind the commas of a list such as optimizer_switch.
func breakable(s string) string {
	const long = 60
	words := strings.Split(s, " ")
	for i, w := range words {
		if len(w) > long {
			words[i] = strings.ReplaceAll(w, ",", ", ")
		}
	}
	return strings.Join(words, " ")
}

// words say what a setting is by default.
func (d Default) words(s *Setting) string {
	switch {
	case s.Auto != "":
		return "sized by the server: " + s.Auto
	case d.Known && d.Of != "":
		return s.Unit.show(d.Value) + " (in " + d.Of + ")"
	case d.Known:
		return s.Unit.show(d.Value)
	case d.Either != "":
		return "not known (" + d.Either + ")"
	}
	return "not known"
}

// phrase says so within a sentence.
func (d Default) phrase(s *Setting) string {
	if s.Auto != "" {
		return d.words(s)
	}
	return "default " + d.words(s)
}
