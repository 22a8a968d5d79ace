package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"rtrail/internal/bench"
	"rtrail/internal/bench/knee"
	"rtrail/internal/document"
	"rtrail/internal/unit"
)

// words name a level.
func (l Level) words(open bool) string {
	if open {
		return number(document.Number(l.Level), 0) + "/s"
	}
	return unit.Plural(int64(l.Level), "client", "clients")
}

// Document is the report for people.
func (r *Report) Document() document.Document {
	d := document.Document{Title: "Load test"}
	number := 1
	for i := range r.Environments {
		d.Blocks = append(d.Blocks, r.Environments[i].blocks(number)...)
		number += len(r.Environments[i].Ladders)
	}
	if len(r.Notes) > 0 {
		d.Blocks = append(d.Blocks, remarks("NOTES", r.Notes))
	}
	return d
}

func remarks(title string, words []string) document.List {
	l := document.List{Title: title, Style: document.Warn}
	for _, w := range words {
		l.Items = append(l.Items, document.Item{Words: w})
	}
	return l
}

func (e *Environment) blocks(first int) []document.Block {
	began, ended := e.Runs[0].Began, e.Runs[len(e.Runs)-1].Ended
	facts := document.Facts{Lead: e.Name, Style: document.Strong, Items: []string{unit.Plural(int64(len(e.Runs)), "run", "runs")}}
	if facts.Lead == "" {
		facts.Lead = "load test"
	}
	if !began.IsZero() {
		facts.Items = append(facts.Items, fmt.Sprintf("%v to %v", unit.Moment(began), unit.Moment(ended)))
	}
	blocks := []document.Block{facts}
	if len(e.Settings) > 0 {
		settings := document.Facts{Lead: "settings", Style: document.Quiet}
		for _, name := range slices.Sorted(maps.Keys(e.Settings)) {
			settings.Items = append(settings.Items, name+" "+e.Settings[name])
		}
		blocks = append(blocks, settings)
	}
	for i := range e.Ladders {
		blocks = append(blocks, e.Ladders[i].finding(first+i))
	}
	blocks = append(blocks, e.runs())
	if t, ok := e.costs(); ok {
		blocks = append(blocks, t)
	}
	if len(e.Notes) > 0 {
		blocks = append(blocks, remarks("NOTES", e.Notes))
	}
	return blocks
}

// finding says what a ladder shows.
func (l *Ladder) finding(n int) document.Finding {
	f := document.Finding{Number: n, Mark: l.Scenario, Style: document.Strong, Headline: l.Headline()}
	row := func(label, words string) { f.Rows = append(f.Rows, document.Row{Label: label, Words: words}) }
	for i, x := range l.Limits {
		label := "limit"
		if i > 0 {
			label = ""
		}
		words := fmt.Sprintf("%s: %s, %s (%d of %s)", strings.ToUpper(x.Confidence), x.Headline, x.Rule, x.Runs, unit.Plural(int64(x.Of), "run", "runs"))
		if x.Near != nil {
			could := "it could do"
			if x.Near.What == "sent" || x.Near.What == "received" { // to or from one peer
				could = "went through it"
			}
			words += fmt.Sprintf("; it was at %s of what %s (%s) when it was measured on %v", unit.Share(x.Near.Share), could, x.Near.What, unit.Moment(x.Near.Measured))
		}
		if len(x.Proof) > 0 {
			words += ": " + strings.Join(x.Proof, "; ")
		}
		row(label, words)
	}
	switch law := l.Law; {
	case law != nil:
		row("law", fmt.Sprintf("By the scalability law, which is off by at most %s, %.0f clients get the most, %s/s (95 %% interval: %s clients). One alone gets %s/s, %s of the work goes one at a time (%s to %s), and each pair of clients costs %.2g of a request.",
			unit.Share(law.Worst), law.Peak, number(document.Number(law.Most), 0), peak(law.PeakInterval, l.Levels[len(l.Levels)-1].Level), number(document.Number(law.Law.Lambda), 0), unit.Share(law.Law.Sigma), unit.Share(law.Sigma.From), unit.Share(law.Sigma.To), law.Law.Kappa))
	case l.Refused != "":
		row("law", "none: "+l.Refused)
	}
	return f
}

// Headline is the knee in a sentence.
func (l *Ladder) Headline() string {
	switch k := l.Knee; {
	case len(l.Levels) == 0:
		return "no valid run"
	case k == nil:
		return fmt.Sprintf("even the smallest rate, %s, is not kept", l.Levels[0].words(l.Open))
	case l.Open && k.Beyond:
		return fmt.Sprintf("all rates up to %s are kept%s; higher ones were not tried", Level{Level: k.Level}.words(true), p99(k.P99))
	case l.Open:
		return fmt.Sprintf("%s is the highest rate that is kept%s", Level{Level: k.Level}.words(true), p99(k.P99))
	case k.Beyond:
		return fmt.Sprintf("%s transactions/s with %s, the most that were tried: the knee may lie beyond", number(k.PerSecond, 0), Level{Level: k.Level}.words(false))
	default:
		return fmt.Sprintf("%s transactions/s with %s%s; more clients get at most 5 %% more", number(k.PerSecond, 0), Level{Level: k.Level}.words(false), p99(k.P99))
	}
}

// peak words where the peak may be: beyond what was tried, nobody knows.
func peak(i knee.Interval, tried float64) string {
	if float64(i.To) > tried {
		return fmt.Sprintf("from %.0f to more than were tried", i.From)
	}
	return fmt.Sprintf("%.0f to %.0f", i.From, i.To)
}

func p99(v document.Number) string {
	if math.IsNaN(float64(v)) {
		return ""
	}
	return ", p99 " + number(v, 3) + " ms"
}

// number prints a number with a few digits that count, as people write it; "-": unknown.
func number(v document.Number, digits int) string {
	f := float64(v)
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return "-"
	case math.Abs(f) >= 100:
		digits = 0
	case math.Abs(f) >= 10:
		digits = min(digits, 1)
	case math.Abs(f) >= 1:
		digits = min(digits, 2)
	}
	text := strconv.FormatFloat(f, 'f', digits, 64)
	whole, rest, fraction := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0 && whole[i-1] != '-'; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction {
		return whole + "." + rest
	}
	return whole
}

// percent is CPU time as a share of the host's.
func percent(of, cpus document.Number) string {
	return number(100*of/cpus, 1)
}

// Judged is why nothing is concluded from a run, or what limits it, with a label; "": neither.
func Judged(r *bench.Run) (label, words string) {
	switch {
	case len(r.Invalid) > 0:
		return "INVALID", strings.Join(r.Invalid, "; ")
	case len(r.Saturated) > 0:
		return "limited by", r.Saturated[0].Headline
	}
	return "", ""
}

// runs is the table of all runs, with what each shows below it.
func (e *Environment) runs() document.Table {
	right := func(name, group string) document.Column {
		return document.Column{Name: name, Right: true, Group: group}
	}
	narrow := func(c document.Column, drop int) document.Column {
		c.Drop = drop
		return c
	}
	t := document.Table{Title: "RUNS", Columns: []document.Column{
		{Name: "scenario", Cut: true}, right("clients", ""), right("rate", ""), right("run", ""), narrow(right("QPS", ""), 2), right("TPS", ""), right("errors", ""),
		right("mean", "ms"), right("p95", "ms"), right("p99", "ms"),
		narrow(right("sirq", "CPU %"), 1), right("user", "CPU %"), right("sys", "CPU %"), narrow(right("iowait", "CPU %"), 1), right("util", "disk %"), narrow(right("nearest", "baseline %"), 5), {Name: "begin", Drop: 3}, {Name: "end", Drop: 4},
	}}
	for i := range e.Runs {
		r := &e.Runs[i]
		clients, rate, run, begin, end := "-", number(r.Rate, 0), "-", "-", "-"
		if r.Threads > 0 {
			clients = strconv.Itoa(r.Threads)
		}
		if r.Repeat > 0 {
			run = strconv.Itoa(r.Repeat)
		}
		if !r.Began.IsZero() {
			begin, end = r.Began.Local().Format("15:04:05"), r.Ended.Local().Format("15:04:05")
		}
		var below []document.Row
		if label, words := Judged(r); label != "" {
			below = []document.Row{{Label: label, Words: words}}
		}
		h := &r.Host
		t.Add([]string{r.Scenario, clients, rate, run, number(r.Load.QPS, 0), number(r.Load.TPS, 0), number(r.Load.Errors, 0),
			number(r.Load.Mean, 3), number(r.Load.P95, 3), number(r.Load.P99, 3),
			percent(h.Softirq, h.CPUs), percent(h.User, h.CPUs), percent(h.System, h.CPUs), percent(h.IOWait, h.CPUs), number(h.Util, 1), nearest(r), begin, end}, below...)
	}
	t.Columns, t.Rows = told(t.Columns, t.Rows)
	return t
}

// nearest is what of the host was nearest to its baseline, in percent; "-": there is none.
func nearest(r *bench.Run) string {
	if len(r.Baseline) == 0 {
		return "-"
	}
	return number(100*r.Baseline[0].Share, 0) + " " + r.Baseline[0].Thing
}

// told leaves out columns that say nothing in any row.
func told(columns []document.Column, rows [][]string) ([]document.Column, [][]string) {
	var keep []int
	for i := range columns {
		if slices.ContainsFunc(rows, func(cells []string) bool { return cells[i] != "-" }) {
			keep = append(keep, i)
		}
	}
	var left []document.Column
	for _, i := range keep {
		left = append(left, columns[i])
	}
	for n, cells := range rows {
		var kept []string
		for _, i := range keep {
			kept = append(kept, cells[i])
		}
		rows[n] = kept
	}
	return left, rows
}

// costs is the table of what a transaction costs, by medians.
func (e *Environment) costs() (document.Table, bool) {
	right := func(name string) document.Column { return document.Column{Name: name, Right: true} }
	t := document.Table{Title: "COST of a transaction", Columns: []document.Column{{Name: "scenario"}, right("level"), right("runs"), right("CPU µs"), right("switches"), right("read"), right("written"), right("sent")}}
	known := false
	for _, l := range e.Ladders {
		for _, x := range l.Levels {
			c := x.Costs
			known = known || slices.ContainsFunc([]document.Number{c.CPU, c.Switches, c.Read, c.Written, c.Sent}, func(v document.Number) bool { return !math.IsNaN(float64(v)) })
			t.Add([]string{l.Scenario, x.words(l.Open), strconv.Itoa(x.Runs), number(c.CPU, 0), number(c.Switches, 2), size(c.Read), size(c.Written), size(c.Sent)})
		}
	}
	t.Columns, t.Rows = told(t.Columns, t.Rows)
	return t, known
}

// size is bytes for people; "-": unknown.
func size(v document.Number) string {
	if math.IsNaN(float64(v)) {
		return "-"
	}
	return unit.Bytes(int64(math.Round(float64(v)))).String()
}
