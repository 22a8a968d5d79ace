package prepared

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"rtrail/internal/document"
	"rtrail/internal/escape"
	"rtrail/internal/unit"
)

// abouts are the words for what a finding is about.
var abouts = map[string]string{"timeout": "TIMEOUT", "length": "LENGTH", "mode": "MODE", "log": "LOG", "cause": "CAUSE", "prepare": "PREPARE", "fallback": "NOT PREPARED", "client": "CLIENT"}

// Document is the result for people.
func (r *Result) Document() document.Document {
	d := document.Document{Title: "Long IN lists at " + escape.Text(r.Target)}
	facts := document.Facts{Lead: escape.Text(r.Target), Style: document.Strong, Items: []string{unit.Plural(int64(r.Markers), "marker", "markers"), unit.Plural(int64(r.Rounds), "round", "rounds"), r.Driver}}
	settings := document.Facts{}
	for _, s := range r.Settings {
		if s.Name == "version" {
			facts.Items = slices.Insert(facts.Items, 0, "version "+escape.Text(s.Value))
			continue
		}
		settings.Items = append(settings.Items, escape.Text(s.Name+" "+s.Value))
	}
	d.Blocks = append(d.Blocks, facts, settings)
	if r.interrupted {
		d.Blocks = append(d.Blocks, document.Prose{Words: "interrupted: what was measured until then", Style: document.Warn})
	}
	for i, f := range r.Verdict {
		style := document.Quiet
		if f.Costs {
			style = document.Alarm
		}
		d.Blocks = append(d.Blocks, document.Finding{Number: i + 1, Mark: abouts[f.About], Style: style, Headline: escape.Text(f.Words)})
	}
	d.Blocks = append(d.Blocks, r.cells())
	if t, ok := r.profiles(); ok {
		d.Blocks = append(d.Blocks, t)
	}
	var notes []document.Item
	for _, l := range r.LeftOut {
		notes = append(notes, document.Item{Words: escape.Text(fmt.Sprintf("not measured: %s, %d blanks, %s: %s", l.Mode, l.Spaces, l.Logs, l.Why))})
	}
	for i := range r.Cells {
		if c := &r.Cells[i]; c.Failed != "" {
			notes = append(notes, document.Item{Words: escape.Text(fmt.Sprintf("%s, %d blanks, %s: %s", c.Mode, c.Spaces, c.Logs, c.Failed))})
		}
	}
	for _, n := range append([]string{
		"client-side: useServerPrepStmts=false; rtrail makes the text before the clock runs. server-side: useServerPrepStmts=true",
		"each and mean are executions, answer included; prepare is apart. own is rtrail's CPU time of a round",
		"prepares: Com_stmt_prepare of the session before and after; 0 and 1 prove that the server prepared",
	}, r.Notes...) {
		notes = append(notes, document.Item{Words: escape.Text(n)})
	}
	d.Blocks = append(d.Blocks, document.List{Style: document.Quiet, Items: notes})
	return d
}

// cells is the table of what was measured.
func (r *Result) cells() document.Table {
	t := document.Table{Title: "TIMES in ms", Columns: []document.Column{{Name: "logs"}, {Name: "mode"}, {Name: "blanks", Right: true}, {Name: "SQL bytes", Right: true}, {Name: "prepare", Right: true},
		{Name: "each", Right: true, Wrap: true}, {Name: "mean", Right: true}, {Name: "total", Right: true, Drop: 1}, {Name: "own", Right: true, Drop: 3}, {Name: "rows", Right: true, Drop: 2}, {Name: "prepares", Right: true}}}
	for i := range r.Cells {
		c := &r.Cells[i]
		each, rows := []string{}, 0
		const shown = 5
		for n, x := range c.Rounds {
			if rows += x.Rows; n < shown {
				each = append(each, millis(x.Took))
			} else if n == shown {
				each = append(each, "...")
			}
		}
		logs := strings.TrimSuffix(c.Logs.String(), " log on")
		t.Rows = append(t.Rows, []string{logs, string(c.Mode), strconv.Itoa(c.Spaces), unit.Count(c.SQL).String(), millis(c.Prepare), strings.Join(each, " "), millis(c.Mean), millis(c.Total), millis(c.Own),
			strconv.Itoa(rows), counter(c.PreparedBefore) + " -> " + counter(c.PreparedAfter)})
	}
	return t
}

func counter(n int64) string {
	if n < 0 {
		return "?"
	}
	return strconv.FormatInt(n, 10)
}

func millis(n document.Number) string {
	if math.IsNaN(float64(n)) {
		return "-"
	}
	return unit.Number(round(float64(n))).String()
}

// profiles is the table of what the server ran in the slowest cell.
func (r *Result) profiles() (document.Table, bool) {
	c := r.slowest()
	if c == nil || c.Profile == nil || c.Profile.Samples < fewSamples {
		return document.Table{}, false
	}
	t := document.Table{Title: fmt.Sprintf("CPU TIME of the server, %s, %s of SQL, %s", c.Mode, size(c.SQL), c.Logs), Columns: []document.Column{{Name: "share", Right: true}, {Name: "function", Cut: true}, {Name: "module", Cut: true}}}
	for _, f := range c.Profile.Hot {
		t.Rows = append(t.Rows, []string{unit.Share(f.Share).String(), escape.Text(f.Name), escape.Text(f.Module)})
	}
	return t, true
}
