package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"rtrail/internal/escape"
	"rtrail/internal/rule"
	"rtrail/internal/unit"
	"rtrail/internal/verdict"
)

// TerminalOptions say what the terminal can show and what the user asked for.
type TerminalOptions struct {
	Width   int  // columns; anything under 40 counts as 40, 0 as 80
	Color   bool // the output is a terminal and colours are wanted
	Verbose bool // also minor evidence, all processes and healthy probes
	Break   bool // the output is a terminal, which would break wider commands anywhere: break them so that they can be pasted
}

const (
	narrowest = 40
	// sideBySide: from here on the commands stand right of the evidence; below,
	// under it.
	sideBySide = 100
	// readable: longer lines of words are hard to read, however wide the
	// terminal is.
	readable = 132
	// quietEvidence and quietProcesses is how much is shown without --verbose.
	quietEvidence  = 6
	quietProcesses = 6
)

// Terminal writes the verdict for people. The width is kept wherever words can
// be broken; commands are never cut, and only broken as a shell takes them.
func Terminal(w io.Writer, v verdict.Verdict, o TerminalOptions) error {
	if o.Width == 0 {
		o.Width = 80
	}
	p := &page{width: min(max(o.Width, narrowest), readable), color: o.Color, verbose: o.Verbose, breaks: o.Break, columns: max(o.Width, narrowest)}
	p.header(v)
	p.causes(v)
	p.times(v.Time)
	p.unjudged(v.Unjudged)
	p.healthy(v.Healthy)
	p.notJudged(v.NotJudged)
	p.unseen(v.Unseen)
	p.probes(v.Probes, stoodOnHoles(v.Findings))
	p.notes(v.Notes)
	_, err := io.WriteString(w, p.out.String())
	return err
}

// page collects the lines of a report.
type page struct {
	out     strings.Builder
	width   int
	color   bool
	verbose bool
	breaks  bool
	columns int // of the terminal: commands may use all
}

// styles are SGR codes; names say what they mean here, not how they look.
const (
	styleStrong = "1"
	styleQuiet  = "2"
	styleAlarm  = "1;31"
	styleWarn   = "33"
	styleGood   = "32"
)

// paint puts text into a style, if the terminal shows styles.
func (p *page) paint(style, s string) string {
	if !p.color || s == "" {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[0m"
}

func (p *page) line(s string) {
	p.out.WriteString(strings.TrimRight(s, " "))
	p.out.WriteByte('\n')
}

func (p *page) blank() { p.out.WriteByte('\n') }

// paragraph writes words after a first prefix; further lines are indented.
func (p *page) paragraph(first string, indent int, style, words string) {
	for i, l := range wrap(escape.Text(words), p.width-indent) {
		lead := strings.Repeat(" ", indent)
		if i == 0 {
			lead = pad(first, indent)
		}
		p.line(lead + p.paint(style, l))
	}
}

// unwatched says whether nothing was watched: a dump of stacks in a file is a moment
// of a host that nobody told.
func unwatched(v verdict.Verdict) bool {
	return v.Host.Name == "" && v.Host.Kernel == "" && len(v.Captures) == 0 && !v.Window.End.After(v.Window.Start)
}

func (p *page) header(v verdict.Verdict) {
	h := v.Host
	parts := []string{v.Tool, h.Name}
	machine := ""
	if h.CPUs > 0 {
		machine = plural(h.CPUs, "CPU", "CPUs")
	}
	if h.MemoryBytes > 0 {
		machine += " " + unit.Bytes(h.MemoryBytes).String()
	}
	parts = append(parts, strings.TrimSpace(machine))
	if h.Kernel != "" {
		parts = append(parts, "Linux "+h.Kernel)
	}
	if !v.Window.Start.IsZero() {
		word := "watched"
		if h.Name == "" && len(v.Captures) > 0 {
			word = "captured" // the packets may be from anywhere
		}
		watched := fmt.Sprintf("%s %.1f s from %s", word, v.Window.End.Sub(v.Window.Start).Seconds(), v.Window.Start.Format(clock(v)))
		if unwatched(v) {
			watched = "as of " + v.Window.Start.Format(clock(v))
		}
		if v.Window.Interrupted {
			watched += " (interrupted)"
		}
		parts = append(parts, watched)
	}
	line := ""
	for _, s := range parts {
		s = escape.Text(s)
		switch {
		case s == "":
		case line == "":
			line = s
		case cells(line)+2+cells(s) <= p.width:
			line += "  " + s
		default:
			p.line(p.paint(styleQuiet, fit(line, p.width)))
			line = s
		}
	}
	p.line(p.paint(styleQuiet, fit(line, p.width)))
	for _, c := range v.Captures {
		p.capture(c)
	}
}

// capture writes what was captured, and below it what the capture lacks: that
// decides how far silence can be trusted, and is never cut.
func (p *page) capture(c verdict.Capture) {
	const indent = 2
	note := c.Note
	c.Note = ""
	if line := escape.Text(captureLine(c)); cells(line) <= p.width {
		p.line(p.paint(styleQuiet, line)) // with its columns
	} else {
		for i, l := range wrap(line, p.width-indent) {
			p.line(pad("", min(i, 1)*indent) + p.paint(styleQuiet, l))
		}
	}
	if note != "" {
		p.paragraph("", indent, styleWarn, note)
	}
}

// captureLine says what was captured, and what the capture lacks.
func captureLine(c verdict.Capture) string {
	line := c.Source
	if c.Point != "" {
		line = c.Point + " side  " + line
	}
	line += fmt.Sprintf("  %s, %s, %s", unit.Plural(c.Packets, "packet", "packets"), unit.Bytes(c.Bytes), plural(int(c.Connections), "connection", "connections"))
	if c.Dropped > 0 {
		line += fmt.Sprintf("; %s dropped", unit.Count(c.Dropped))
	}
	if c.Missed > 0 {
		line += fmt.Sprintf("; %s missed", unit.Bytes(c.Missed))
	}
	if c.Note != "" {
		line += "; " + c.Note
	}
	return line
}

// clock gives the date too when the window is not today's.
func clock(v verdict.Verdict) string {
	if time.Since(v.Window.Start).Abs() < 12*time.Hour {
		return "15:04:05"
	}
	return "2006-01-02 15:04:05"
}

// causes writes what was found: first what is known, then what may be.
func (p *page) causes(v verdict.Verdict) {
	var sure, maybe []verdict.Finding
	for _, f := range v.Findings {
		if f.Confidence > rule.Possible {
			sure = append(sure, f)
		} else {
			maybe = append(maybe, f)
		}
	}
	p.blank()
	if len(sure) == 0 {
		title, style := "NOTHING FOUND", styleGood
		switch {
		case len(maybe) > 0 || len(v.Unjudged) > 0:
			title, style = "NO SURE CAUSE", styleWarn
		case len(v.Healthy) == 0:
			style = styleWarn
		}
		p.line(p.paint(style, title))
		p.blank()
		p.paragraph("", 1, "", nothing(v))
	} else {
		p.line(p.paint(styleStrong, "WHY IT IS SLOW"))
		for _, f := range sure {
			p.blank()
			p.finding(f)
		}
	}
	if len(maybe) > 0 {
		p.blank()
		p.line(p.paint(styleStrong, "WORTH A LOOK"))
		for _, f := range maybe {
			p.blank()
			p.hint(f)
		}
	}
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
	return judged + ". If it was slow in this window, " + why + "."
}

// times writes the table of what the busiest processes were doing.
func (p *page) times(list []verdict.ProcessTime) {
	if len(list) == 0 {
		return
	}
	columns := []string{"on CPU", "runnable", "disk", "futex", "network", "sleeping"}
	gap := 3
	if p.width < 78 {
		columns, gap = []string{"CPU", "run", "disk", "futex", "net", "sleep"}, 1
	}
	widths, total := make([]int, len(columns)), 0
	for i, c := range columns {
		widths[i] = max(5, cells(c))
		total += widths[i] + gap
	}
	name := min(p.width-total, 44)
	head := pad("WHERE THE TIME WENT", name)
	if cells(head) > name {
		p.blank()
		p.line(p.paint(styleStrong, "WHERE THE TIME WENT"))
		head = pad("", name)
	} else {
		p.blank()
	}
	row := p.paint(styleStrong, head)
	for i, c := range columns {
		row += strings.Repeat(" ", gap) + padLeft(c, widths[i])
	}
	p.line(row)
	shown := list
	if !p.verbose && len(shown) > quietProcesses {
		shown = shown[:quietProcesses]
	}
	for _, t := range shown {
		pid := fmt.Sprintf(" (%d)", t.PID)
		row := pad("  "+fit(escape.Text(t.Name), name-2-cells(pid))+pid, name)
		for i, s := range []float64{t.OnCPU, t.Runnable, t.Disk, t.Lock, t.Network, t.Sleeping} {
			row += strings.Repeat(" ", gap) + padLeft(percent(s), widths[i])
		}
		p.line(row)
	}
	if n := len(list) - len(shown); n > 0 {
		p.line(p.paint(styleQuiet, "  and "+plural(n, "process", "processes")+" more (-v)"))
	}
}

func percent(s float64) string {
	if s != s {
		return "?"
	}
	return fmt.Sprintf("%.0f %%", s*100)
}

func (p *page) healthy(list []string) {
	if len(list) == 0 {
		return
	}
	p.blank()
	p.section("HEALTHY", styleGood, strings.Join(list, ", "))
}

// section writes a title with words right of it.
func (p *page) section(title, style, words string) {
	const indent = 13
	for i, l := range wrap(escape.Text(words), p.width-indent) {
		lead := pad("", indent)
		if i == 0 {
			lead = p.paint(style, title) + strings.Repeat(" ", indent-cells(title))
		}
		p.line(lead + l)
	}
}

func (p *page) notes(list []string) {
	if len(list) == 0 {
		return
	}
	p.blank()
	for _, n := range list {
		p.section("NOTE", styleWarn, n)
	}
}

func plural(n int, one, many string) string {
	return unit.Plural(n, one, many)
}
