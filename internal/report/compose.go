package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/rule"
	"rtrail/internal/unit"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

// quietProcesses is how many processes are shown without --verbose.
const quietProcesses = 4

// Compose makes a verdict a document: short, or verbose with all that is known.
func Compose(v verdict.Verdict, verbose bool) document.Document {
	d := document.Document{Title: title(v)}
	add := func(b ...document.Block) { d.Blocks = append(d.Blocks, b...) }
	add(header(v, verbose))
	if words := vitals(v.Vitals); len(words) > 0 {
		add(document.Facts{Items: words, Style: document.Quiet})
	}
	for _, c := range v.Captures {
		add(captureBlocks(c)...)
	}
	sure := sureOf(v.Findings)
	if sure == 0 {
		add(document.Prose{Words: nothing(v)})
	}
	surely := findings(v.Findings[:sure], 1, verbose)
	add(surely...)
	if sure < len(v.Findings) {
		add(document.Heading{Words: "WORTH A LOOK", Style: document.Strong})
		add(findings(v.Findings[sure:], len(surely)+1, verbose)...)
	}
	add(meanwhile(v, verbose)...)
	add(unjudged(v.Unjudged, verbose)...)
	add(healthy(v.Healthy, verbose)...)
	if verbose {
		add(settings(v.Settings)...)
		add(allBlindSpots(v)...)
		add(probes(v.Probes)...)
	} else {
		add(settingsInBrief(v.Settings)...)
		add(blindSpots(v)...)
	}
	for _, n := range v.Notes {
		add(document.Prose{Label: "NOTE", Style: document.Warn, Words: n})
	}
	return d
}

// Lacks are counters that no rule judges and what could not be judged, for a page that shows other
// sums of the same evidence.
func Lacks(v verdict.Verdict) []document.Block {
	return slices.Concat(unjudged(v.Unjudged, true), allBlindSpots(v))
}

// sureOf is how many findings are more than possible; they stand first.
func sureOf(list []verdict.Finding) int {
	for i, f := range list {
		if f.Confidence <= rule.Possible {
			return i
		}
	}
	return len(list)
}

func title(v verdict.Verdict) string {
	switch {
	case v.Host.Kernel == "" && len(v.Captures) > 0:
		return "Why it is slow in " + v.Captures[0].Source
	case unwatched(v):
		return "Why it is slow"
	case v.Host.Name == "":
		return "Why this host is slow"
	}
	return "Why " + v.Host.Name + " is slow"
}

// unwatched says whether nothing was watched: a dump of stacks in a file is a moment
// of a host that nobody told.
func unwatched(v verdict.Verdict) bool {
	return v.Host.Name == "" && v.Host.Kernel == "" && len(v.Captures) == 0 && !v.Window.End.After(v.Window.Start)
}

// header is the answer in a line: how many findings and how sure they are, where,
// and when.
func header(v verdict.Verdict, verbose bool) document.Facts {
	lead, style := "NOTHING FOUND", document.Good
	switch {
	case sureOf(v.Findings) > 0:
		lead, style = "SLOW", document.Alarm
	case len(v.Findings)+len(v.Unjudged) > 0:
		lead, style = "NO SURE CAUSE", document.Warn
	case len(v.Healthy) == 0:
		lead, style = "NOTHING JUDGED", document.Warn
	}
	f := document.Facts{Lead: lead, Style: style, Items: []string{counted(v.Findings), v.Host.Name}}
	machine := ""
	if v.Host.CPUs > 0 {
		machine = plural(v.Host.CPUs, "CPU", "CPUs")
	}
	if v.Host.MemoryBytes > 0 {
		machine += " " + unit.Bytes(v.Host.MemoryBytes).String()
	}
	f.Items = append(f.Items, strings.TrimSpace(machine))
	if verbose && v.Host.Kernel != "" {
		f.Items = append(f.Items, "Linux "+v.Host.Kernel)
	}
	if !v.Window.Start.IsZero() {
		began := v.Window.Start.Local().Format(clock(v))
		length := v.Window.End.Sub(v.Window.Start)
		if length >= time.Second {
			length = length.Round(100 * time.Millisecond)
		}
		when := fmt.Sprintf("%s, %v", began, unit.Duration(length))
		if unwatched(v) || length == 0 && len(v.Captures) == 0 {
			when = "as of " + began
		}
		if v.Window.Interrupted {
			when += " (interrupted)"
		}
		f.Items = append(f.Items, when)
	}
	if verbose {
		f.Items = append(f.Items, v.Tool)
	}
	return f
}

// counted says how many findings there are and how sure they are: never more
// sure than each of them is.
func counted(list []verdict.Finding) string {
	if len(list) == 0 {
		return ""
	}
	var parts []string
	for c := rule.Certain; c >= rule.Possible; c-- {
		n := 0
		for _, f := range list {
			if f.Confidence == c {
				n++
			}
		}
		switch {
		case n == len(list):
			return plural(n, "finding", "findings") + ", " + c.String()
		case n > 0:
			parts = append(parts, fmt.Sprintf("%d %s", n, c))
		}
	}
	return plural(len(list), "finding", "findings") + ": " + strings.Join(parts, ", ")
}

// clock gives the date too when the window is not today's, and of dumps, whose times
// their authors wrote.
func clock(v verdict.Verdict) string {
	if time.Since(v.Window.Start).Abs() < 12*time.Hour && !unwatched(v) {
		return "15:04:05 MST"
	}
	return unit.MomentLayout
}

// captureBlocks say what was captured, and below it what the capture lacks: that
// decides how far silence can be trusted, and is never cut.
func captureBlocks(c verdict.Capture) []document.Block {
	source := c.Source
	if c.Point != "" {
		source = c.Point + " side  " + source
	}
	counts := []string{unit.Plural(c.Packets, "packet", "packets")}
	if seconds := c.Last.Sub(c.First).Seconds(); seconds > 0 && c.Packets > 1 {
		counts = append(counts, unit.PerSecond(float64(c.Packets)/seconds).String())
	}
	counts = append(counts, unit.Bytes(c.Bytes).String(), plural(int(c.Connections), "connection", "connections"))
	if c.Dropped > 0 {
		counts = append(counts, unit.Count(c.Dropped).String()+" dropped")
	}
	if c.Missed > 0 {
		counts = append(counts, unit.Bytes(c.Missed).String()+" missed")
	}
	out := []document.Block{document.Facts{Items: append([]string{source}, counts...)}}
	if c.Note != "" {
		out = append(out, document.Prose{Words: c.Note, Style: document.Warn})
	}
	return out
}

// nothing says what the absence of sure findings means, and what it does not.
func nothing(v verdict.Verdict) string {
	judged, healthy := "nothing stands out", "resource was"
	if len(v.Healthy) > 1 {
		healthy = "resources were"
	}
	rose := plural(len(v.Unjudged), "counter", "counters") + " of refused or failed work rose"
	switch n := len(v.Findings); {
	case n > 0:
		judged = "no cause is known for sure, but " + plural(n, "thing is", "things are") + " possible and worth a look, see below"
		if len(v.Unjudged) > 0 {
			judged += "; " + rose
		}
		healthy = "other " + healthy
	case len(v.Unjudged) > 0:
		judged = "no rule found a cause, but " + rose + ", see below"
	case unwatched(v) && len(v.Notes) > 0: // a dump: notes say what its threads wait for
		judged = "no rule found a cause (the notes tell more)"
	}
	switch {
	case len(v.Healthy) > 0 && judged == "nothing stands out":
		judged += fmt.Sprintf(": %d %s judged and found healthy", len(v.Healthy), healthy)
	case len(v.Healthy) > 0:
		judged += fmt.Sprintf("; %d %s judged and found healthy", len(v.Healthy), healthy)
	case len(v.Findings) == 0:
		judged += ", but no resource could be judged completely"
	}
	if len(v.NotJudged) > 0 {
		judged += "; " + plural(len(v.NotJudged), "fault", "faults") + " could not be judged, see below"
	}
	why := "the cause lies where rtrail does not look yet, or on another machine"
	switch {
	case len(v.Findings)+len(v.Unjudged) > 0:
		why = "the cause may be among them, or lie where rtrail does not look yet"
	case len(v.Healthy) == 0 && len(v.NotJudged) > 0:
		why = "rtrail lacked the evidence to see why"
	}
	return strings.ToUpper(judged[:1]) + judged[1:] + ". If it was slow in this window, " + why + "."
}

// Meanwhile is what processes did and waited for in the window of a verdict, whatever was found.
func Meanwhile(v verdict.Verdict) []document.Block { return meanwhile(v, true) }

func meanwhile(v verdict.Verdict, verbose bool) []document.Block {
	return slices.Concat(waits(v.Waits), times(v.Time, verbose), offCPU(v.OffCPU, verbose))
}

// waits lists who waits for whom.
func waits(list []verdict.Chain) []document.Block {
	if len(list) == 0 {
		return nil
	}
	out := document.Chains{Title: "WHO WAITS FOR WHOM", Style: document.Strong}
	for _, chain := range list {
		links := make([]document.Link, len(chain))
		for i, l := range chain {
			links[i].Name = l.Words
			if l.Processes > 1 {
				links[i].Name += " and " + plural(l.Processes-1, "more process", "more processes")
			}
			if i < len(chain)-1 {
				links[i].Waits = waiting(l)
			}
		}
		out.Chains = append(out.Chains, links)
	}
	return []document.Block{out}
}

// waiting says what somebody waits for, how much, and how long.
func waiting(l verdict.Link) string {
	var parts []string
	if l.For != "" {
		parts = append(parts, l.For)
	}
	if l.Mean > 0 {
		parts = append(parts, unit.Number(l.Mean).String()+" at a time")
	}
	if l.Longest > 0 {
		parts = append(parts, "up to "+unit.Duration(l.Longest).String())
	}
	return strings.Join(parts, ", ")
}

// times is the table of what the busiest processes were doing.
func times(list []verdict.ProcessTime, verbose bool) []document.Block {
	if len(list) == 0 {
		return nil
	}
	t := document.Table{Title: "WHERE THE TIME WENT", Columns: []document.Column{{Name: "process", Cut: true}, {Name: "PID", Right: true}, {Name: "on CPU", Short: "CPU", Right: true},
		{Name: "runnable", Short: "run", Right: true}, {Name: "disk", Right: true}, {Name: "futex", Right: true},
		{Name: "network", Short: "net", Right: true}, {Name: "sleeping", Short: "sleep", Right: true, Drop: 1}}}
	for i, p := range list {
		if !verbose && i == quietProcesses {
			t.More = "and " + plural(len(list)-i, "more process", "more processes") + " (-v)"
			break
		}
		t.Rows = append(t.Rows, []string{p.Name, fmt.Sprint(p.PID), percent(p.OnCPU), percent(p.Runnable),
			percent(p.Disk), percent(p.Lock), percent(p.Network), percent(p.Sleeping)})
	}
	return []document.Block{t}
}

// offCPU is the table of what kept threads from running.
func offCPU(list []view.OffCPU, verbose bool) []document.Block {
	if len(list) == 0 {
		return nil
	}
	t := document.Table{Title: "WHAT THREADS WAIT FOR", Columns: []document.Column{{Name: "process", Cut: true}, {Name: "PID", Right: true}, {Name: "waiting", Right: true},
		{Name: "longest", Right: true, Drop: 1}, {Name: "waits for"}, {Name: "called by", Cut: true, Drop: 3}, {Name: "woken by", Drop: 2}}}
	for i := range list {
		if !verbose && i == quietProcesses {
			t.More = "and " + plural(len(list)-i, "more wait", "more waits") + " (-v)"
			break
		}
		o, longest := &list[i], ""
		if o.Longest > 0 {
			longest = unit.Duration(o.Longest).String()
		}
		t.Rows = append(t.Rows, []string{o.Process, fmt.Sprint(o.PID), fmt.Sprintf("%.2f", o.Mean), longest, o.For(), o.Caller, o.EndedBy()})
	}
	return []document.Block{t}
}

func percent(s float64) string {
	if s != s {
		return "?"
	}
	return fmt.Sprintf("%.0f %%", s*100)
}

func healthy(list []string, verbose bool) []document.Block {
	if len(list) == 0 {
		return nil
	}
	words := strings.Join(list, ", ")
	if !verbose {
		words = plural(len(list), "resource", "resources") + " (-v lists them)"
	}
	return []document.Block{document.Prose{Label: "OK", Style: document.Good, Words: words}}
}

func plural(n int, one, many string) string {
	return unit.Plural(n, one, many)
}
