package compare

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/bench/stat"
	"rtrail/internal/document"
	"rtrail/internal/unit"
)

const (
	// maxLines bounds lists of the document; JSON has more.
	maxLines = 50
	// nameWidth is to what names of environments are cut.
	nameWidth = 40
)

// DefaultMetrics are those that are shown if nobody chooses: throughput, and the best known of the
// response times.
func (in *Input) DefaultMetrics() []string {
	has := func(name string) bool {
		m := &metrics[slices.IndexFunc(metrics, func(m metric) bool { return m.name == name })]
		return slices.ContainsFunc(in.Runs, func(r Run) bool { return m.of(&r) > 0 })
	}
	var out []string
	for _, group := range [][]string{{"qps", "tps"}, {"p95", "p99", "mean"}} {
		if i := slices.IndexFunc(group, has); i >= 0 {
			out = append(out, group[i])
		}
	}
	return out
}

// Document is the answer for people, with the tables of some metrics.
func (r *Result) Document(chosen []string) document.Document {
	d := document.Document{Title: "Load tests compared"}
	facts := []string{unit.Plural(len(r.Environments), "environment", "environments"), unit.Plural(r.Runs, "run", "runs"), "base " + r.Base}
	if n := len(r.Anomalies); n > 0 {
		facts = append(facts, unit.Plural(n, "anomaly", "anomalies"))
	}
	d.Blocks = append(d.Blocks, document.Facts{Items: facts})
	for _, e := range r.Environments {
		switch {
		case !e.Compared:
			d.Blocks = append(d.Blocks, document.Prose{Label: "NOT COMPARED", Style: document.Warn, Words: e.Name + ": " + e.Reason + " (--force compares all the same)"})
		case e.Reason != "":
			d.Blocks = append(d.Blocks, document.Prose{Label: "FORCED", Style: document.Warn, Words: e.Name + " has " + e.Reason + ". Differences may come from that alone."})
		}
	}
	for _, n := range r.Notes {
		d.Blocks = append(d.Blocks, document.Prose{Label: "NOTE", Words: n})
	}
	var out []string
	for _, a := range r.Anomalies {
		if a.Excluded {
			out = append(out, a.Environment+", "+a.step+": "+a.Words)
		}
	}
	if len(out) > 0 {
		d.Blocks = append(d.Blocks, list("LEFT OUT", document.Warn, out))
	}
	for i, name := range chosen {
		if block := r.winners(name); block != nil && i == 0 {
			d.Blocks = append(d.Blocks, *block)
		}
		for k := range r.Tables {
			if t := &r.Tables[k]; t.Metric == name {
				d.Blocks = append(d.Blocks, r.values(t))
				if block := r.ratios(t); block != nil {
					d.Blocks = append(d.Blocks, *block)
				}
			}
		}
	}
	for i := range r.Environments {
		d.Blocks = append(d.Blocks, r.section(&r.Environments[i])...)
	}
	return d
}

// winners say who is ahead at each level.
func (r *Result) winners(name string) *document.Table {
	t := &document.Table{Columns: []document.Column{{Name: "scenario", Cut: true, Max: nameWidth}, {Name: "level", Right: true}, {Name: "first", Cut: true, Max: nameWidth}, {Name: "median", Right: true},
		{Name: "next", Cut: true, Max: nameWidth}, {Name: "lead", Right: true}, {Name: "shown to be ahead"}}}
	n := 0
	for i := range r.Tables {
		x := &r.Tables[i]
		if x.Metric != name {
			continue
		}
		t.Title = "FIRST by " + x.metric.title
		for _, w := range x.Winners {
			if n++; n > maxLines {
				continue
			}
			lead, shown := "-", "no: equal medians"
			if w.Lead != nil && len(w.Environments) == 1 {
				lead, shown = change(w.Lead.Ratio), "no"
				if w.Lead.Conclusion == stat.Different {
					shown = "yes"
				}
			}
			t.Add([]string{x.Scenario, w.Level.String(), strings.Join(w.Environments, ", "), x.metric.text(w.Median), w.Next, lead, shown})
		}
	}
	if n == 0 {
		return nil
	}
	if n > maxLines {
		t.More = fmt.Sprintf("and %d more levels (--json)", n-maxLines)
	}
	return t
}

// change is a ratio in percent: "+4.9 %".
func change(ratio document.Number) string {
	if !known(ratio) {
		return "-"
	}
	p := (float64(ratio) - 1) * 100
	if math.Abs(p) >= 100 {
		return fmt.Sprintf("%+.0f %%", p)
	}
	return fmt.Sprintf("%+.1f %%", p)
}

func (t *Table) columns() []document.Column {
	columns := []document.Column{{Name: "environment", Cut: true, Max: nameWidth}}
	for _, l := range t.Levels {
		columns = append(columns, document.Column{Name: l.String(), Right: true})
	}
	return columns
}

// values are the medians, with a mark at the best.
func (r *Result) values(t *Table) document.Table {
	d := document.Table{Title: fmt.Sprintf("%s, %s, by %s", t.metric.title, t.Scenario, t.axis()), Columns: t.columns(), More: "* best of its level"}
	apart := false
	for _, row := range t.Rows {
		cells := []string{row.Environment}
		if !row.Compared {
			cells[0], apart = row.Environment+" (not compared)", true
		}
		for _, c := range row.Cells {
			text := t.metric.text(c.Median)
			if c.Rank == 1 {
				text += "*"
			}
			cells = append(cells, text)
		}
		d.Rows = append(d.Rows, cells)
	}
	if apart {
		d.More += "; what is not compared is best of none"
	}
	return d
}

func (t *Table) axis() string {
	open, closed := false, false
	for _, l := range t.Levels {
		open, closed = open || l.Rate > 0, closed || l.Rate == 0
	}
	switch {
	case open && closed:
		return "threads or rate"
	case open:
		return "rate"
	}
	return "threads"
}

// ratios are the distances from the base: with single runs only the ratios and ranks, else a line
// for each with what may be concluded.
func (r *Result) ratios(t *Table) *document.Table {
	several := slices.ContainsFunc(t.Rows, func(row Row) bool { return slices.ContainsFunc(row.Cells, func(c Cell) bool { return c.Runs > 1 }) })
	if several {
		return r.differences(t)
	}
	d := &document.Table{Title: fmt.Sprintf("%s, %s, ratio to %s (rank)", t.metric.title, t.Scenario, r.Base), Columns: t.columns()}
	for _, row := range t.Rows {
		if !row.Compared {
			continue
		}
		cells := []string{row.Environment}
		for _, c := range row.Cells {
			text := "-"
			switch {
			case c.ToBase != nil:
				text = fmt.Sprintf("%.2f (%d)", float64(c.ToBase.Ratio), c.Rank)
			case c.Rank > 0:
				text = fmt.Sprintf("1 (%d)", c.Rank)
				if row.Environment != r.Base {
					text = fmt.Sprintf("- (%d)", c.Rank)
				}
			}
			cells = append(cells, text)
		}
		d.Rows = append(d.Rows, cells)
	}
	return d
}

func (r *Result) differences(t *Table) *document.Table {
	d := &document.Table{Title: fmt.Sprintf("%s, %s, against %s", t.metric.title, t.Scenario, r.Base), Columns: []document.Column{{Name: t.axis(), Right: true}, {Name: "environment", Cut: true, Max: nameWidth},
		{Name: "runs", Right: true, Drop: 2}, {Name: "rank", Right: true, Drop: 1}, {Name: "median", Right: true}, {Name: "change", Right: true}, {Name: "95 % interval"}, {Name: "conclusion", Wrap: true}}}
	n := 0
	for k, level := range t.Levels {
		for _, row := range t.Rows {
			c := row.Cells[k]
			if c.ToBase == nil {
				continue
			}
			if n++; n > maxLines*4 {
				continue
			}
			interval := "-"
			if known(c.ToBase.Low) {
				interval = change(c.ToBase.Low) + " to " + change(c.ToBase.High)
			}
			runs := c.ToBase.difference.Runs
			d.Add([]string{level.String(), row.Environment, fmt.Sprintf("%d/%d", runs[0], runs[1]), strconv.Itoa(c.Rank), t.metric.text(c.Median), change(c.ToBase.Ratio), interval, c.ToBase.words(t.LowerIsBetter)})
		}
	}
	if n == 0 {
		return nil
	}
	if n > maxLines*4 {
		d.More = fmt.Sprintf("and %d more lines (--json)", n-maxLines*4)
	}
	return d
}

// words are a conclusion. None says that two things are equal.
func (r *Ratio) words(lowerIsBetter bool) string {
	switch r.Conclusion {
	case stat.Different:
		if (r.Ratio > 1) == lowerIsBetter {
			return "worse"
		}
		return "better"
	case stat.NoneShown:
		if known(r.NoneBeyond) {
			return fmt.Sprintf("no difference larger than %.1f %% seen", float64(r.NoneBeyond)*100)
		}
		return "none shown"
	}
	return "too few runs"
}

// section is what is known of an environment.
func (r *Result) section(e *Environment) []document.Block {
	blocks := []document.Block{document.Heading{Words: e.Name, Style: document.Strong}}
	add := func(label string, style document.Style, words string) {
		if words != "" {
			blocks = append(blocks, document.Prose{Label: label, Style: style, Words: words})
		}
	}
	add("IS", document.Plain, pairs(e.Properties))
	add("SETTINGS", document.Plain, pairs(e.Settings))
	runs := unit.Plural(e.Runs, "run", "runs")
	if e.Began != nil {
		runs += ", from " + e.Began.UTC().Format(time.DateTime)
		if e.Ended != nil {
			runs += " to " + e.Ended.UTC().Format(time.DateTime)
		}
	}
	add("RUNS", document.Plain, runs)
	var best []string
	for _, b := range e.Best {
		best = append(best, fmt.Sprintf("%s %s %s at %s", b.Scenario, strings.ToUpper(b.Metric), metrics[0].text(b.Value), b.Level))
	}
	add("BEST", document.Plain, cut(best))
	var short []string
	for _, s := range e.Short {
		short = append(short, fmt.Sprintf("%s in %s %s (%s)", bound(s.Of), s.Scenario, levelsText(s.Levels, r.levels), s.Words))
	}
	switch {
	case len(short) > 0:
		blocks = append(blocks, list("SHORT OF", document.Strong, short))
	case e.hostKnown:
		add("SHORT OF", document.Plain, "nothing that numbers of the host prove: CPUs were less than 90 % busy, and no disk was that busy while a CPU was idle for it. Locks, commits, the network and the client are not among these numbers.")
	default:
		add("SHORT OF", document.Plain, "not known: no numbers of the host are there")
	}
	var wrong []string
	for _, a := range r.Anomalies {
		if a.Environment == e.Name {
			wrong = append(wrong, a.step+": "+a.Words)
		}
	}
	if len(wrong) > 0 {
		blocks = append(blocks, list("ANOMALIES", document.Warn, wrong))
	}
	if e.Alternate.Pairs > 0 {
		add("A/A", document.Plain, fmt.Sprintf("compared with itself, %d of %d steps are different (every second run), %d of %d (earlier and later half); chance alone makes up to 1 in 20",
			e.Alternate.Different, e.Alternate.Pairs, e.Halves.Different, e.Halves.Pairs))
	}
	return blocks
}

// bound names a shortage.
func bound(of string) string {
	switch of {
	case "cpu":
		return "CPU-bound"
	case "disk":
		return "disk-bound"
	}
	return of
}

func pairs(m map[string]string) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		list = append(list, name+" "+m[name])
	}
	return cut(list)
}

func cut(list []string) string {
	if more := len(list) - maxLines; more > 0 {
		list = append(list[:maxLines:maxLines], fmt.Sprintf("and %d more (--json)", more))
	}
	return strings.Join(list, ", ")
}

func list(title string, style document.Style, words []string) document.List {
	l := document.List{Title: title, Style: style}
	if more := len(words) - maxLines; more > 0 {
		words, l.More = words[:maxLines], fmt.Sprintf("and %d more (--json)", more)
	}
	for _, w := range words {
		l.Items = append(l.Items, document.Item{Words: w})
	}
	return l
}
