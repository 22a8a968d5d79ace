package audit

import (
	"slices"
	"strings"

	"rtrail/internal/document"
	"rtrail/internal/recording"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// Document is a report for people; verbose also lists what needs no look. about is
// the host, and its tool; notes say what could not be seen.
func (r *Report) Document(host recording.Host, notes []string, verbose bool) document.Document {
	d := document.Document{Title: strings.TrimSpace("Settings of " + host.Name)}
	add := func(blocks ...document.Block) { d.Blocks = append(d.Blocks, blocks...) }
	facts := document.Facts{Lead: "NOTHING TO REMARK", Style: document.Good}
	if len(r.Blind) > 0 {
		facts.Lead, facts.Style = "NOTHING TO REMARK IN WHAT COULD BE READ", document.Warn
	}
	if n := len(r.Remarks); n > 0 {
		facts.Lead, facts.Style = strings.ToUpper(unit.Plural(n, "setting", "settings")+" worth a look"), document.Warn
	}
	facts.Items = append(facts.Items, host.Name)
	if host.Kernel != "" {
		facts.Items = append(facts.Items, "Linux "+host.Kernel)
	}
	facts.Items = append(facts.Items, unit.Plural(len(r.Fine), "check passed", "checks passed"), unit.Plural(len(r.Absent), "check had", "checks had")+" nothing to judge")
	add(facts)
	for i := range r.Remarks {
		f := r.Remarks[i].Finding(verbose)
		f.Number = i + 1
		add(f)
	}
	if verbose {
		add(table("PASSED: nothing of this was seen", r.Fine)...)
		add(table("NOTHING TO JUDGE: it is not there, or could not be read", r.Absent)...)
	}
	for _, n := range slices.Concat(notes, r.Blind, r.Failed) {
		add(document.Prose{Label: "NOTE", Style: document.Warn, Words: n})
	}
	return d
}

// Finding is a remark as it is shown.
func (r *Remark) Finding(verbose bool) document.Finding {
	c := r.Check
	f := document.Finding{Mark: "POSSIBLE", Style: document.Warn, Headline: r.Words.String()}
	row := func(label, words string, commands ...string) {
		f.Rows = append(f.Rows, document.Row{Label: label, Words: words, Commands: commands})
	}
	row("why", c.Why)
	if see := r.See.String(); see != "" {
		row("LOOK", "", see)
	}
	change := document.Row{Label: "CHANGE", Words: c.Change, Price: c.Price}
	if text := r.Change.String(); text != "" {
		change.Commands = []string{text}
	} else {
		change.Words += " Costs: " + c.Price
	}
	f.Rows = append(f.Rows, change)
	row("not for", c.Leave)
	if verbose {
		row("when", c.When)
	}
	row("WHY", "", "rtrail explain "+c.ID)
	return f
}

func table(title string, list []*Check) []document.Block {
	if len(list) == 0 {
		return nil
	}
	t := document.Table{Title: title, Columns: []document.Column{{}, {Wrap: true}}}
	for _, c := range list {
		t.Add([]string{c.ID, c.Title})
	}
	return []document.Block{t}
}

// Setting is a remark as JSON has it, here and in verdicts.
type Setting struct {
	Check      string  `json:"check"`
	Title      string  `json:"title"`
	Subject    Subject `json:"subject"`
	Confidence string  `json:"confidence"` // possible
	Words      string  `json:"words"`
	Why        string  `json:"why"`
	Look       string  `json:"look"` // command
	Change     string  `json:"change"`
	Command    string  `json:"command"` // of the change; "": none
	Tradeoff   string  `json:"tradeoff"`
	Leave      string  `json:"leave_alone"`
}

// Subject is what a setting is about.
type Subject struct {
	Kind  string `json:"kind"`
	Name  string `json:"name"`
	PID   int32  `json:"pid,omitempty"`
	Port  uint16 `json:"port,omitempty"`
	NetNS uint64 `json:"netns,omitempty"`
}

// Settings are remarks as JSON has them.
func Settings(remarks []Remark) []Setting {
	list := make([]Setting, 0, len(remarks))
	for _, r := range remarks {
		list = append(list, Setting{Check: r.Check.ID, Title: r.Check.Title, Subject: subject(r.Subject), Confidence: "possible", Words: r.Words.String(), Why: r.Check.Why,
			Look: r.See.String(), Change: r.Check.Change, Command: r.Change.String(), Tradeoff: r.Check.Price, Leave: r.Check.Leave})
	}
	return list
}

func subject(e view.Entity) Subject {
	return Subject{Kind: e.Kind, Name: e.Name, PID: e.PID, Port: e.Port, NetNS: e.NetNS}
}

// Result is what JSON has of a report.
func (r *Report) Result(host recording.Host, tool string, notes []string) any {
	ids := func(list []*Check) []string {
		names := make([]string, 0, len(list))
		for _, c := range list {
			names = append(names, c.ID)
		}
		return names
	}
	return struct {
		Format   int       `json:"format"`
		Tool     string    `json:"tool"`
		Host     string    `json:"host"`
		Kernel   string    `json:"kernel"`
		Settings []Setting `json:"settings"`
		Passed   []string  `json:"passed"`
		Absent   []string  `json:"nothing_to_judge"`
		Notes    []string  `json:"notes"`
	}{1, tool, host.Name, host.Kernel, Settings(r.Remarks), ids(r.Fine), ids(r.Absent), append([]string{}, slices.Concat(notes, r.Blind, r.Failed)...)}
}
