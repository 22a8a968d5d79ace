package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"rtrail/internal/diff"
	"rtrail/internal/document"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/unit"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

// Compared is what differs between two windows, the first and the second.
type Compared struct {
	Sides [2]ComparedSide
	diff.Result
	Notes []string // what limits the answer, with the side
}

// ComparedSide is one of them.
type ComparedSide struct {
	Path     string // as it was given
	Manifest recording.Manifest
	Window   recording.Window
	Verdict  verdict.Verdict // on the window by itself
}

// maxShown bounds each list of the document; JSON has more.
const maxShown = 20

// Document is the answer for people.
func (c *Compared) Document() document.Document {
	d := document.Document{Title: "What differs"}
	for i, s := range c.Sides {
		facts := []string{[]string{"first", "second"}[i] + ": " + s.Manifest.Host.Name, fmt.Sprintf("%v, %v", unit.Moment(s.Window.From), unit.Duration(s.Window.To.Sub(s.Window.From)))}
		if view.Known(c.Requests[i]) {
			facts = append(facts, fmt.Sprintf("%v %s a second", unit.Number(c.Requests[i]), c.Plural))
		}
		d.Blocks = append(d.Blocks, document.Facts{Items: facts})
	}
	for i := range c.Sides {
		d.Blocks = append(d.Blocks, foremost([]string{"FIRST", "SECOND"}[i], &c.Sides[i].Verdict))
	}
	d.Blocks = append(d.Blocks, c.changes(), c.processes(), c.settings())
	for _, words := range diff.Reasons(c.Missing) {
		d.Blocks = append(d.Blocks, document.Prose{Label: "NOT COMPARED", Words: words})
	}
	for _, n := range c.Notes {
		d.Blocks = append(d.Blocks, document.Prose{Label: "NOTE", Style: document.Warn, Words: n})
	}
	return d
}

// foremost is the first finding of a side; without one, what that is worth.
func foremost(side string, v *verdict.Verdict) document.Block {
	p := document.Prose{Label: side, Style: document.Warn}
	switch {
	case len(v.Findings) > 0:
		f := v.Findings[0]
		p.Words = fmt.Sprintf("%v, %s: %v", f.Confidence, f.Rule, f.Headline)
		if f.Confidence > rule.Possible {
			p.Style = document.Alarm
		}
	case len(v.Unjudged) > 0:
		p.Words = "no rule found a cause, but " + plural(len(v.Unjudged), "counter", "counters") + " of refused or failed work rose"
	case len(v.Healthy) == 0:
		p.Words = "nothing was found, but no resource could be judged completely"
	default:
		p.Style, p.Words = document.Good, "nothing was found; "+plural(len(v.Healthy), "resource was", "resources were")+" judged and found healthy"
	}
	return p
}

func (c *Compared) changes() document.Block {
	if len(c.Changes) == 0 {
		return document.Prose{Label: "SAME", Words: fmt.Sprintf("none of %d quantities differs by %v times in all parts of the windows", c.Compared, diff.MinRatio)}
	}
	t := document.Table{Title: fmt.Sprintf("PER %s, first against second", c.Per), Columns: []document.Column{{Name: "change", Right: true}, {Name: "quantity"}, {Name: "who", Cut: true, Max: 40}, {Name: "first", Right: true}, {Name: "second", Right: true}}}
	for i := range c.Changes[:min(len(c.Changes), maxShown)] {
		x := &c.Changes[i]
		who := x.Who
		if who == "" {
			who = "this host"
		}
		t.Rows = append(t.Rows, []string{howMuch(x.Ratio()), quantity(x), who, amount(x.Amount[0], x.Quantity.Unit), amount(x.Amount[1], x.Quantity.Unit)})
	}
	t.More = left(len(c.Changes), "smaller change", "smaller changes")
	return t
}

// quantity says what changed, and what it is divided by if that is not what most are.
func quantity(x *diff.Change) string {
	if x.Quantity.Per == "" || x.Quantity.Unit == "s" {
		return x.Quantity.Name
	}
	return x.Quantity.Name + ", per " + x.Quantity.Per
}

// howMuch says how many times more the first has.
func howMuch(ratio float64) string {
	switch {
	case math.IsInf(ratio, 0):
		return "only first"
	case ratio == 0:
		return "only second"
	case ratio >= 1:
		return fmt.Sprintf("%.3g× more", ratio)
	}
	return fmt.Sprintf("%.3g× less", 1/ratio)
}

func amount(v float64, in string) string {
	switch in {
	case "bytes":
		return unit.Bytes(v).String()
	case "s":
		return unit.Seconds(v).String()
	}
	return unit.Number(v).String()
}

// left says how many lines are not shown.
func left(n int, one, many string) string {
	if n <= maxShown {
		return ""
	}
	return "and " + unit.Plural(n-maxShown, one, many) + " (--json)"
}

func (c *Compared) processes() document.Block {
	if slices.ContainsFunc(c.Missing, func(m diff.Missing) bool { return m.ID == diff.ProcessList }) {
		return document.Prose{Label: "PROCESSES", Words: "not compared"}
	}
	if len(c.Processes) == 0 {
		return document.Prose{Label: "PROCESSES", Words: "the same programs run, as far as one name tells"}
	}
	l := document.List{Title: "PROCESSES", Style: document.Strong}
	var idle [2][]string // names of those of one side that used no CPU time to speak of
	told := 0
	for _, p := range c.Processes {
		side, words := -1, "" // the only one that has it
		switch {
		case p.Count[0] > 0 && p.Count[1] > 0:
			words = fmt.Sprintf("%s: another command line: %s, in the second %s", p.Name, p.Commands[0], p.Commands[1])
		case p.Count[0] == 0:
			side, words = 1, p.Name+": only in the second"
		default:
			side, words = 0, p.Name+": only in the first"
		}
		if side >= 0 && p.Cores[side] < idleCores {
			idle[side] = append(idle[side], p.Name)
			continue
		}
		if told++; told > maxShown {
			continue
		}
		if side >= 0 {
			words += fmt.Sprintf(", %s, %v cores", unit.Plural(p.Count[side], "process", "processes"), unit.Number(p.Cores[side]))
		}
		l.Items = append(l.Items, document.Item{Words: words})
	}
	for side, names := range idle {
		if len(names) == 0 {
			continue
		}
		words := fmt.Sprintf("only in the %s, nearly idle: %s", []string{"first", "second"}[side], strings.Join(names[:min(len(names), maxShown)], ", "))
		if more := left(len(names), "process", "processes"); more != "" {
			words += ", " + more
		}
		l.Items = append(l.Items, document.Item{Words: words})
	}
	l.More = left(told, "process", "processes")
	return l
}

// idleCores is the CPU time, in cores, below which it would print as 0.
const idleCores = 0.005

func (c *Compared) settings() document.Block {
	if len(c.Settings) == 0 {
		return document.Prose{Label: "SETTINGS", Words: "no setting that both recordings hold differs"}
	}
	t := document.Table{Title: "SETTINGS", Columns: []document.Column{{Name: "setting", Cut: true, Max: 60}, {Name: "first", Cut: true}, {Name: "second", Cut: true}}, More: left(len(c.Settings), "setting", "settings")}
	for _, s := range c.Settings[:min(len(c.Settings), maxShown)] {
		t.Rows = append(t.Rows, []string{s.What, s.Value[0], s.Value[1]})
	}
	return t
}

// Comparison is the JSON form; docs/diff.schema.json describes it.
type Comparison struct {
	Format      int               `json:"format"`
	First       ComparisonSide    `json:"first"`
	Second      ComparisonSide    `json:"second"`
	Per         string            `json:"per"`
	Compared    int               `json:"compared"`
	Changes     []ChangedQuantity `json:"changes"`
	Settings    []ChangedSetting  `json:"settings"`
	Processes   []ChangedProcess  `json:"processes"`
	NotCompared []NotCompared     `json:"not_compared"`
	Notes       []string          `json:"notes"`
}

// ComparisonSide is one of the windows.
type ComparisonSide struct {
	Path     string          `json:"path"`
	Tool     string          `json:"tool"`
	Host     Host            `json:"host"`
	Window   Span            `json:"window"`
	Requests document.Number `json:"requests_per_second"` // null: not known on both sides
	Findings int             `json:"findings"`            // of the verdict on the window by itself
	Finding  *Finding        `json:"finding"`             // the first of them; null without any
}

// ChangedQuantity is a quantity that differs.
type ChangedQuantity struct {
	ID              string          `json:"id"`
	Name            string          `json:"name"`
	Unit            string          `json:"unit"`
	Who             string          `json:"who"`   // "": the host
	Per             string          `json:"per"`   // what first and second are divided by; "": they are levels
	Ratio           document.Number `json:"ratio"` // first to second; null: the second has none
	First           document.Number `json:"first"`
	Second          document.Number `json:"second"`
	FirstPerSecond  document.Number `json:"first_per_second"`
	SecondPerSecond document.Number `json:"second_per_second"`
}

// ChangedSetting is a setting that differs.
type ChangedSetting struct {
	Name   string `json:"name"`
	First  string `json:"first"`
	Second string `json:"second"`
}

// ChangedProcess is a process that is on one side only, or was started in another way.
type ChangedProcess struct {
	Name          string          `json:"name"`
	FirstCount    int             `json:"first_count"`
	SecondCount   int             `json:"second_count"`
	FirstCores    document.Number `json:"first_cores"`
	SecondCores   document.Number `json:"second_cores"`
	FirstCommand  string          `json:"first_command"` // "" if they do not differ
	SecondCommand string          `json:"second_command"`
}

// NotCompared is something that was not compared.
type NotCompared struct {
	ID   string `json:"id"` // of a quantity; "processes": which are new, gone or changed
	Name string `json:"name"`
	Why  string `json:"why"`
}

// JSON is the answer for programs.
func (c *Compared) JSON() Comparison {
	side := func(i int) ComparisonSide {
		s := &c.Sides[i]
		out := ComparisonSide{Path: s.Path, Tool: s.Manifest.Tool, Host: newHost(s.Manifest.Host), Window: NewSpan(s.Window.From, s.Window.To), Requests: document.Number(c.Requests[i]),
			Findings: len(s.Verdict.Findings)}
		if out.Findings > 0 {
			f := newFinding(s.Verdict.Findings[0])
			out.Finding = &f
		}
		return out
	}
	return Comparison{Format: FormatVersion, First: side(0), Second: side(1), Per: c.Per, Compared: c.Compared,
		Changes: each(c.Changes, func(x diff.Change) ChangedQuantity {
			return ChangedQuantity{x.Quantity.ID, x.Quantity.Name, x.Quantity.Unit, x.Who, x.Per, document.Number(x.Ratio()), document.Number(x.Amount[0]), document.Number(x.Amount[1]),
				document.Number(x.PerSec[0]), document.Number(x.PerSec[1])}
		}),
		Settings: each(c.Settings, func(s diff.Setting) ChangedSetting { return ChangedSetting{s.What, s.Value[0], s.Value[1]} }),
		Processes: each(c.Processes, func(p diff.Process) ChangedProcess {
			return ChangedProcess{p.Name, p.Count[0], p.Count[1], document.Number(p.Cores[0]), document.Number(p.Cores[1]), p.Commands[0], p.Commands[1]}
		}),
		NotCompared: each(c.Missing, func(m diff.Missing) NotCompared { return NotCompared(m) }),
		Notes:       append([]string{}, c.Notes...),
	}
}
