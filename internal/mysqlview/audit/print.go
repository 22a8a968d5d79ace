package audit

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"rtrail/internal/escape"
	"rtrail/internal/prose"
	"rtrail/internal/unit"
)

// Options is how a report is printed.
type Options struct {
	Width int  // columns; 0: 100
	All   bool // also what is as by default
}

var directions = map[Direction]string{Raise: "raise", Lower: "lower", Change: "change"}

// Print writes a report for people.
func (r *Report) Print(out io.Writer, o Options) error {
	p := printer{width: o.Width, report: r}
	if p.width <= 0 {
		p.width = 100
	}
	p.head()
	p.recommended()
	p.withheld()
	different := r.Different()
	if len(different) > 0 {
		p.text("\nDIFFERS FROM THE DEFAULT: no evidence that it should not\n")
		p.list(different, true)
	}
	if o.All {
		var rest []Entry
		for _, e := range r.Entries {
			if e.Advice == nil && !e.Differs {
				rest = append(rest, e)
			}
		}
		p.text("\nTHE REST: as by default, sized by the server, or with a default that is not known\n")
		p.list(rest, false)
	} else if rest := len(r.Entries) - len(different) - len(r.Recommended()); rest > 0 {
		p.text("\n")
		p.wrapped("", "", fmt.Sprintf("%d more are as by default, are sized by the server, or have a default that is not known: -v shows them.", rest))
	}
	for _, n := range r.Notes {
		p.wrapped("note: ", "      ", n)
	}
	_, err := io.WriteString(out, p.b.String())
	return err
}

type printer struct {
	b      strings.Builder
	width  int
	report *Report
}

func (p *printer) text(format string, args ...any) { fmt.Fprintf(&p.b, format, args...) }

func (p *printer) head() {
	r := p.report
	name := r.Flavor
	if !strings.Contains(r.Version, name) {
		name += " " + r.Version
	} else {
		name = r.Version
	}
	p.wrapped("", "", fmt.Sprintf("%s at %s: %d variables that matter, evidence of %s", escape.Text(name), escape.Text(r.Server), len(r.Entries), unit.Seconds(round(r.Facts.Window))))
	if r.Facts.Silent != "" {
		p.wrapped("", "", escape.Text(r.Facts.Silent))
	}
	p.wrapped("", "", "defaults: "+r.Defaults)
}

func round(seconds float64) float64 { return float64(int(seconds*10+0.5)) / 10 }

func (p *printer) recommended() {
	list := p.report.Recommended()
	if len(list) == 0 {
		window := "in this window"
		if p.report.Facts.Silent != "" {
			window = "while the server answered"
		}
		p.text("\n")
		seen := "No variable showed evidence against it " + window + "."
		if len(p.report.Facts.Unseen) > 0 {
			seen = "In what could be seen, no variable showed evidence against it " + window + "; the notes below say what could not."
		}
		p.wrapped("", "", "RECOMMENDED: nothing. "+seen)
		return
	}
	p.text("\nRECOMMENDED\n")
	for i := range list {
		e := &list[i]
		head := fmt.Sprintf("\n %s = %s", e.Name, e.Setting.Unit.show(e.Value))
		right := e.Advice.Sure.String()
		p.text("%s%s%s\n", head, strings.Repeat(" ", max(2, p.width-utf8.RuneCountInString(head)+1-len(right))), right)
		for _, t := range e.Advice.Evidence {
			p.wrapped("     ", "       ", t.String())
		}
		to := "to " + e.Advice.To
		if strings.HasPrefix(e.Advice.To, "until ") {
			to = e.Advice.To
		}
		p.wrapped(fmt.Sprintf("   %-5s ", directions[e.Advice.Direction]), "         ", to)
		p.wrapped("   why   ", "         ", e.Setting.Why)
		p.wrapped("   costs ", "         ", e.Setting.Cost)
		p.wrapped("   apply ", "         ", e.how(p.report.Facts)+"; "+e.Default.phrase(e.Setting))
	}
}

// how says how a change is made.
func (e *Entry) how(f *Facts) string {
	if e.Applies(f) == "dynamic" {
		return "SET GLOBAL " + e.Name + " = ..., and in my.cnf for the next start"
	}
	return "in my.cnf, then restart the server"
}

func (p *printer) withheld() {
	first := true
	for _, e := range p.report.Entries {
		if e.Withheld.Empty() {
			continue
		}
		if first {
			p.text("\nWITHHELD: there is evidence for a change and against it\n")
			first = false
		}
		p.wrapped(" "+e.Name+" = "+e.Setting.Unit.show(e.Value)+": ", "   ", e.Withheld.String())
	}
}

// list is a table of settings by topic, with a line of reason below each.
func (p *printer) list(entries []Entry, reasons bool) {
	var topic Topic
	for i := range entries {
		e := &entries[i]
		if e.Setting.Topic != topic {
			topic = e.Setting.Topic
			p.text("\n %s\n", topic)
		}
		value := e.Setting.Unit.show(e.Value)
		line := fmt.Sprintf("  %-32s %-18s", e.Name, value)
		about := e.Default.phrase(e.Setting) + ", " + e.Applies(p.report.Facts)
		if utf8.RuneCountInString(line)+1+utf8.RuneCountInString(about) > p.width || utf8.RuneCountInString(value) > 18 {
			p.wrapped("  "+pad(e.Name, 32)+" ", "      ", breakable(value))
			p.wrapped("      ", "      ", breakable(about))
		} else {
			p.text("%s %s\n", line, about)
		}
		if reasons {
			p.wrapped("      ", "      ", e.Setting.Why)
		}
	}
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

func pad(s string, n int) string { return s + strings.Repeat(" ", max(0, n-len(s))) }

// phrase says what a setting is by default.
func (d Default) phrase(s *Setting) string {
	switch {
	case s.Auto != "":
		return "sized by the server: " + s.Auto
	case d.Known && d.Of != "":
		return "default " + s.Unit.show(d.Value) + " (in " + d.Of + ")"
	case d.Known:
		return "default " + s.Unit.show(d.Value)
	case d.Either != "":
		return "default not known (" + d.Either + ")"
	}
	return "default not known"
}

// wrapped prints a text in lines of the width; the first begins with one
// string, the others with another one.
func (p *printer) wrapped(first, rest, text string) {
	p.text("%s\n", prose.Wrap(first+text, p.width, len(rest)))
}
