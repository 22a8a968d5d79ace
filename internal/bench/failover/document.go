package failover

import (
	"fmt"
	"strings"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/escape"
	"rtrail/internal/unit"
)

// Document is the time line for people.
func (a *Analysis) Document() document.Document {
	d := document.Document{Title: "Watch of " + escape.Text(a.Target)}
	facts := document.Facts{Lead: escape.Text(a.Target), Style: document.Strong, Items: []string{unit.Plural(int64(a.Seconds), "second", "seconds") + " watched", "transactions of " + a.Source.words()}}
	if a.Unwatched > 0 {
		facts.Items = append(facts.Items, unit.Plural(int64(a.Unwatched), "second", "seconds")+a.Source.missed())
	}
	if a.Unfinished > 0 {
		facts.Items = append(facts.Items, fmt.Sprintf("line %d, the last one, is cut off, and left out", a.Unfinished))
	}
	d.Blocks = append(d.Blocks, facts)
	hurt := 0
	for i := range a.Interruptions {
		it := &a.Interruptions[i]
		if it.Hurt() {
			hurt++
		}
		d.Blocks = append(d.Blocks, a.finding(it, i+1), a.timeline(it), compared(it))
	}
	if hurt == 0 && a.Seconds > 0 {
		words := "no interruption seen; what is shorter than a second may be missed"
		if a.NoWrites {
			words = "no interruption of connects seen; " + a.nothingWrites()
		}
		if a.Unwatched > 0 {
			words += "; of the " + unit.Plural(int64(a.Unwatched), "second", "seconds") + " that nobody watched nothing is known"
		}
		d.Blocks = append(d.Blocks, document.Prose{Label: "RESULT", Style: document.Strong, Words: words})
	}
	if hurt > 0 && a.NoWrites {
		d.Blocks = append(d.Blocks, document.Prose{Label: "WRITES", Style: document.Warn, Words: a.nothingWrites()})
	}
	if len(a.Gaps) > 0 {
		d.Blocks = append(d.Blocks, a.events("GAPS, of which nothing is known", a.Gaps, nil))
	}
	if len(a.Changes) > 0 {
		d.Blocks = append(d.Blocks, a.events("CHANGES that interrupted nothing", a.Changes, nil))
	}
	if len(a.Interruptions) > 0 {
		d.Blocks = append(d.Blocks, document.List{Title: "HOW IT IS COUNTED", Style: document.Quiet, Items: []document.Item{
			{Words: fmt.Sprintf("recovered: the first second with %v of the transactions per second before, as the median of %d seconds from there on", unit.Share(RecoveredShare), RecoveredSeconds)},
			{Words: "before and after: medians of up to a minute; after begins when it has recovered, or else when writes and connects are back"},
		}})
	}
	return d
}

// nothingWrites says what it means that nobody wrote, and what helps.
func (a *Analysis) nothingWrites() string {
	if a.Source != Counters {
		return "no write succeeded in all that time; when that began is not known"
	}
	return "nothing was writing to this server, by its counters: whether writes worked is not known, neither an outage nor that there was none. Have clients write meanwhile, or rtrail: --write SCHEMA"
}

// missed says why seconds are missing.
func (s Source) missed() string {
	if s == Log {
		return " missing in the log"
	}
	return " missed, in which the watch itself stood still"
}

func (s Source) words() string {
	switch s {
	case Writer:
		return "the watch's own writer"
	case Log:
		return "a log"
	}
	return "all clients, by the server's counters"
}

// took is a length with what is not known of it.
func (i *Interval) took(sum time.Duration) string {
	words := seconds(sum)
	if !i.BeginSeen || !i.EndSeen {
		return "at least " + words
	}
	if i.Gaps > 0 {
		words = fmt.Sprintf("%s to %s", words, seconds(sum+i.Gaps))
	}
	if i.Within > 0 {
		words += fmt.Sprintf(" (±%s)", seconds(i.Within))
	}
	return words
}

// seconds are always seconds, so that they can be compared: 218 s.
func seconds(d time.Duration) string {
	if d%time.Second == 0 {
		return unit.Count(d.Seconds()).String() + " s"
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// sumOf is the interval that a sum of several has.
func sumOf(list []Interval) Interval {
	sum := Interval{BeginSeen: true, EndSeen: true}
	for _, i := range list {
		sum.BeginSeen, sum.EndSeen, sum.Within = sum.BeginSeen && i.BeginSeen, sum.EndSeen && i.EndSeen, sum.Within+i.Within
		sum.Gaps += i.Gaps
	}
	return sum
}

// headline says what an interruption cost.
func (i *Interruption) headline() string {
	var words []string
	for _, x := range []struct {
		list []Interval
		sum  time.Duration
		what string
	}{{i.Outages, i.WithoutWrites, "without writes"}, {i.Disconnections, i.WithoutConnection, "without a connection"}} {
		if len(x.list) == 0 {
			continue
		}
		sum := sumOf(x.list)
		w := sum.took(x.sum) + " " + x.what
		if len(x.list) > 1 {
			w += fmt.Sprintf(", in %d parts", len(x.list))
		}
		words = append(words, w)
	}
	switch {
	case i.Pause:
		return strings.Join(words, "; ") + ", and no other sign: clients may have paused"
	case len(words) == 0:
		return unit.Plural(int64(i.Errors), "error", "errors") + " without an outage"
	case len(i.Outages) == 0 && i.noWrites:
		words = append(words, "nothing was writing")
	case len(i.Outages) == 0:
		words = append(words, "no outage of writes seen")
	case len(i.Disconnections) == 0 && i.connects:
		words = append(words, "no failed connect seen")
	}
	return strings.Join(words, "; ")
}

func (a *Analysis) finding(i *Interruption, number int) document.Finding {
	f := document.Finding{Number: number, Headline: i.headline(), Style: document.Alarm, Mark: "INTERRUPTION"}
	switch {
	case i.Pause:
		f.Mark, f.Style = "PAUSE", document.Quiet
	case !i.Hurt():
		f.Mark, f.Style = "ERRORS", document.Warn
	}
	for _, x := range []struct {
		label string
		list  []Interval
	}{{"writes", i.Outages}, {"connects", i.Disconnections}} {
		for n, o := range x.list {
			label := x.label
			if n > 0 {
				label = ""
			}
			began, ended := a.clock(o.From), a.clock(o.To)
			if o.BeginGap > 0 {
				began += fmt.Sprintf(" (or up to %s before: a gap)", seconds(o.BeginGap))
			}
			if o.EndGap > 0 {
				ended += fmt.Sprintf(" (or up to %s before: a gap)", seconds(o.EndGap))
			}
			words := fmt.Sprintf("none from %s to %s, %s", began, ended, o.took(o.Took))
			if !o.EndSeen {
				words += ", when the watch ended"
			}
			f.Rows = append(f.Rows, document.Row{Label: label, Words: words})
		}
	}
	if i.Errors > 0 {
		words := unit.Count(i.Errors).String()
		if c := Codes(i.Codes); c != "" {
			words += ": " + c
		}
		f.Rows = append(f.Rows, document.Row{Label: "errors", Words: escape.Text(words)})
	}
	if len(i.Outages) > 0 && i.EndSeen && i.Before.TPS > 0 {
		words := fmt.Sprintf("not within the watch: TPS %s after, %s before", perSecond(i.After.TPS), perSecond(i.Before.TPS))
		if i.Recovered != nil {
			words = fmt.Sprintf("at %s, %s after the first sign", a.clock(*i.Recovered), seconds(i.Recovered.Elapsed-i.From.Elapsed))
			if i.RecoveredGap > 0 {
				words += fmt.Sprintf(", or up to %s before: a gap", seconds(i.RecoveredGap))
			}
		}
		f.Rows = append(f.Rows, document.Row{Label: "recovery", Words: words})
	}
	return f
}

// clock is the time of day of a moment.
func (a *Analysis) clock(m Moment) string {
	if a.relative {
		return seconds(m.Elapsed)
	}
	if m.At.Truncate(time.Second).Equal(m.At.Truncate(time.Second / 10)) {
		return m.At.Format("15:04:05")
	}
	return m.At.Format("15:04:05.0")
}

func (a *Analysis) timeline(i *Interruption) document.Table {
	return a.events("TIME LINE", i.Events, &i.From)
}

// events are a table of what happened, with the time since the first sign.
func (a *Analysis) events(title string, list []Event, since *Moment) document.Table {
	t := document.Table{Title: title, Columns: []document.Column{{Name: "time"}, {Name: "since", Right: true}, {Name: "what", Wrap: true}}}
	if since == nil {
		t.Columns = []document.Column{t.Columns[0], t.Columns[2]}
	}
	const most = 100
	for n, e := range list {
		if n == most {
			t.More = fmt.Sprintf("%d more", len(list)-most)
			break
		}
		row := []string{a.clock(e.Moment), escape.Text(e.What)}
		if since != nil {
			row = []string{row[0], seconds(e.Elapsed - since.Elapsed), row[1]}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// compared has what was before beside what was after.
func compared(i *Interruption) document.Table {
	t := document.Table{Title: "BEFORE AND AFTER", Columns: []document.Column{{Name: ""}, {Name: "before", Right: true}, {Name: "after", Right: true}, {Name: "", Right: true}}}
	for _, x := range []struct {
		name          string
		before, after document.Number
		show          func(document.Number) string
	}{{"TPS", i.Before.TPS, i.After.TPS, perSecond}, {"QPS", i.Before.QPS, i.After.QPS, perSecond}, {"connect", i.Before.Connect, i.After.Connect, milliseconds}} {
		change := ""
		if x.before > 0 && known(x.after) {
			change = fmt.Sprintf("%+.0f %%", 100*(float64(x.after/x.before)-1))
		}
		t.Rows = append(t.Rows, []string{x.name, x.show(x.before), x.show(x.after), change})
	}
	before, after := []string{"-", "-", "-"}, []string{"-", "-", "-"}
	for _, x := range []struct {
		s  *State
		to []string
	}{{&i.Before, before}, {&i.After, after}} {
		if s := x.s.Server; s != nil {
			x.to[0], x.to[1] = fmt.Sprint(s.ID), escape.Text(s.Version)
		}
		if len(x.s.Addresses) > 0 {
			x.to[2] = escape.Text(Addresses(x.s.Addresses))
		}
	}
	for n, name := range []string{"server_id", "version", "address"} {
		change := ""
		if before[n] != after[n] && before[n] != "-" && after[n] != "-" {
			change = "changed"
		}
		t.Rows = append(t.Rows, []string{name, before[n], after[n], change})
	}
	return t
}

func milliseconds(n document.Number) string {
	if !known(n) {
		return "-"
	}
	return unit.Duration(float64(n) * float64(time.Millisecond)).String()
}

// Blocks say what became of the writes of a watch.
func (w *Written) Blocks() []document.Block {
	table := escape.Text(w.Table)
	if w.Error != "" {
		return []document.Block{document.Prose{Label: "WRITES", Style: document.Warn, Words: fmt.Sprintf("%s sent, %s acknowledged; whether any is lost is not known: reading %s: %s",
			unit.Count(w.Sent), unit.Count(w.Acknowledged), table, escape.Text(w.Error)) + w.left()}}
	}
	p := document.Prose{Label: "WRITES", Style: document.Good, Words: fmt.Sprintf("%s sent, %s acknowledged: none of these is lost", unit.Count(w.Sent), unit.Count(w.Acknowledged))}
	if w.Lost > 0 {
		p.Style = document.Alarm
		p.Words = fmt.Sprintf("%s sent, %s acknowledged, %s of these LOST (numbers %d to %d)", unit.Count(w.Sent), unit.Count(w.Acknowledged), unit.Count(w.Lost), w.LostFrom, w.LostTo)
	}
	if w.Doubled > 0 {
		p.Style = document.Alarm
		p.Words += fmt.Sprintf("; %s there more than once", unit.Count(w.Doubled))
	}
	if w.Unanswered > 0 {
		p.Words += fmt.Sprintf("; %s there without having been acknowledged", unit.Count(w.Unanswered))
	}
	p.Words += w.left()
	return []document.Block{p}
}

// left tells of the table.
func (w *Written) left() string {
	if w.Left == "" {
		return "; the table is dropped"
	}
	return fmt.Sprintf("; the table %s could not be dropped (%s): drop it by hand", escape.Text(w.Table), escape.Text(w.Left))
}
