package report

import (
	"fmt"
	"strings"

	"rtrail/internal/escape"
	"rtrail/internal/rule"
	"rtrail/internal/verdict"
)

// finding writes one cause with its proof, what to do, and what it explains.
func (p *page) finding(f verdict.Finding) {
	p.headline(f)
	about(p, f)
	p.evidence(f.Evidence)
	for _, x := range f.Fixes {
		p.fix(x)
	}
	p.explains(f)
	p.paragraph("    more: ", 10, styleQuiet, "rtrail explain "+f.Rule)
}

// hint writes what is only possible: its words, its first proof, and where to
// read on. With --verbose it gets as much room as a cause.
func (p *page) hint(f verdict.Finding) {
	if p.verbose {
		p.finding(f)
		return
	}
	p.headline(f)
	p.evidence(f.Evidence[:min(len(f.Evidence), 1)])
	p.paragraph("    more: ", 10, styleQuiet, "rtrail explain "+f.Rule)
}

// headline puts confidence and impact at the right end of the line, or on a
// line of their own where the width does not allow it.
func (p *page) headline(f verdict.Finding) {
	style, sure := styleWarn, f.Confidence.String()
	if f.Confidence == rule.Certain {
		style = styleAlarm
	}
	if f.Lossy {
		sure += ", lossy"
	}
	impact := escape.Text(f.Impact.Text.String())
	right := sure
	if impact != "" {
		right += "   " + impact
	}
	number := fmt.Sprintf("%2d  ", f.Rank)
	words := escape.Text(f.Headline.String())
	room := p.width - 4 - cells(right) - 3
	if lines := wrap(words, max(room, 20)); room >= 40 && len(lines) <= 2 {
		for i, l := range lines {
			if i == 0 {
				p.line(number + p.paint(styleStrong, pad(l, room)) + "   " + p.paint(style, sure) + strings.TrimPrefix(right, sure))
				continue
			}
			p.line("    " + p.paint(styleStrong, l))
		}
		return
	}
	p.paragraph(number, 4, styleStrong, words)
	p.paragraph("", 4, style, sure+separated(impact))
}

func separated(s string) string {
	if s == "" {
		return ""
	}
	return " · " + s
}

// about names the subject further where the headline cannot: command line,
// group.
func about(p *page, f verdict.Finding) {
	var parts []string
	s := f.Subject
	if s.PID > 0 {
		parts = append(parts, fmt.Sprintf("pid %d", s.PID))
	}
	if s.Detail != "" && s.Detail != s.Name {
		parts = append(parts, s.Detail)
	}
	if s.Cgroup != "" && s.Cgroup != "/" && s.Cgroup != s.Name {
		parts = append(parts, "cgroup "+s.Cgroup)
	}
	if len(parts) == 0 {
		return
	}
	words := escape.Text(strings.Join(parts, " · "))
	if !p.verbose {
		words = fit(words, p.width-6)
	}
	p.paragraph("", 6, styleQuiet, words)
}

// evidence puts the numbers left and the commands that check them right.
func (p *page) evidence(list []rule.Evidence) {
	shown := list
	if !p.verbose && len(shown) > quietEvidence {
		shown = shown[:quietEvidence]
	}
	left := 0
	for _, e := range shown {
		left = max(left, cells(evidenceWords(e)))
	}
	left = min(left, p.width*11/20-6)
	for _, e := range shown {
		words, check := evidenceWords(e), e.Check.String()
		if p.width < sideBySide || check == "" {
			p.paragraph("", 6, "", words)
			p.command(8, check)
			continue
		}
		lines := wrap(words, left)
		fits := cells(check) <= p.width-6-left-3
		for i, l := range lines {
			row := "      " + l
			if i == 0 && fits {
				row = "      " + pad(l, left) + "   " + p.paint(styleQuiet, check)
			}
			p.line(row)
		}
		if !fits {
			p.command(8, check)
		}
	}
	if n := len(list) - len(shown); n > 0 {
		p.line(p.paint(styleQuiet, "      and "+plural(n, "number", "numbers")+" more (-v)"))
	}
}

func evidenceWords(e rule.Evidence) string {
	words := escape.Text(e.What.String())
	if e.Lossy {
		words += " (at least: rows were lost)"
	}
	return words
}

// command writes a command on a line of its own, and on several if a terminal
// is narrower: one that is cut, or broken within a word, cannot be copied.
func (p *page) command(indent int, command string) {
	if command == "" {
		return
	}
	lines, lead := []string{command}, "$ "
	if p.breaks {
		lines = breakCommand(command, p.columns-indent-len(lead))
	}
	for _, l := range lines {
		p.line(strings.Repeat(" ", indent) + p.paint(styleQuiet, lead+l))
		lead = "  "
	}
}

// fix writes what to do, the command for it, and what it costs.
func (p *page) fix(x rule.Fix) {
	words := escape.Text(x.Text.String())
	costs := ""
	if x.Tradeoff != "" {
		costs = "costs: " + escape.Text(x.Tradeoff)
	}
	switch {
	case costs != "" && cells(words)+cells(costs)+14 <= p.width:
		p.line("    " + p.paint(styleGood, "fix") + "  " + words + "      " + p.paint(styleQuiet, costs))
	default:
		for i, l := range wrap(words, p.width-9) {
			lead := "         "
			if i == 0 {
				lead = "    " + p.paint(styleGood, "fix") + "  "
			}
			p.line(lead + l)
		}
		if costs != "" {
			p.paragraph("", 9, styleQuiet, costs)
		}
	}
	if !x.Command.Empty() {
		for _, l := range strings.Split(x.Command.String(), "\n") {
			p.command(9, l)
		}
	}
}

// explains lists the symptoms under their cause.
func (p *page) explains(f verdict.Finding) {
	var list []string
	for _, s := range f.Explains {
		list = append(list, s.Headline.String())
	}
	for _, n := range f.Notes {
		list = append(list, n.String())
	}
	if len(list) > 0 {
		p.paragraph("    explains  ", 14, "", strings.Join(list, " · "))
	}
}
