package report

import (
	"fmt"
	"slices"
	"strings"

	"rtrail/internal/refusal"
	"rtrail/internal/rule"
	"rtrail/internal/unit"
	"rtrail/internal/verdict"
)

// unjudged lists counters of refused or failed work that rose while no finding
// accounts for them.
func (p *page) unjudged(list []refusal.Risen) {
	if len(list) == 0 {
		return
	}
	p.blank()
	p.line(p.paint(styleWarn, "SEEN, AND JUDGED BY NO RULE"))
	shown := list
	if !p.verbose && len(shown) > quietUnjudged {
		shown = shown[:quietUnjudged]
	}
	for _, c := range shown {
		p.paragraph("", 2, "", unjudgedWords(c))
		p.command(4, c.Check().String())
	}
	if n := len(list) - len(shown); n > 0 {
		p.line(p.paint(styleQuiet, "  and "+plural(n, "counter", "counters")+" more (-v)"))
	}
}

// quietUnjudged is how many counters are shown without --verbose.
const quietUnjudged = 6

// unjudgedWords say how a counter rose and what it counts.
func unjudgedWords(c refusal.Risen) string {
	words := c.Name
	switch {
	case c.Scope.Where == "":
	case c.Scope.Subject.Kind == rule.KindNetNS:
		words += " in " + c.Scope.Where
	default:
		words += " of " + c.Scope.Where
	}
	words += fmt.Sprintf(" +%s %s, %s", unit.Count(c.Count), c.Unit, unit.PerSecond(c.Rate))
	if c.Detail != "" {
		words += ", " + c.Detail
	}
	return words + ". One is " + c.Means
}

// notJudged lists what could not be judged: faults that lack the same thing
// stand together.
func (p *page) notJudged(list []verdict.NotJudged) {
	if len(list) == 0 {
		return
	}
	p.blank()
	p.line(p.paint(styleWarn, "NOT JUDGED"))
	for _, g := range groupNotJudged(list) {
		words := strings.Join(g.rules, ", ") + ": needs " + g.needs
		if g.why != "" {
			words += " (" + g.why + ")"
		}
		p.paragraph("", 2, "", words)
		if g.how != "" {
			p.paragraph("    get it: ", 12, styleQuiet, g.how)
		}
	}
}

// abstention is rules, or things, that lack the same evidence.
type abstention struct {
	rules           []string
	needs, why, how string
}

func groupNotJudged(list []verdict.NotJudged) []abstention {
	var groups []abstention
next:
	for _, n := range list {
		for i, g := range groups {
			if g.needs == n.Needs && g.why == n.Why && g.how == n.How.String() {
				groups[i].rules = append(groups[i].rules, n.Rule)
				continue next
			}
		}
		groups = append(groups, abstention{[]string{n.Rule}, n.Needs, n.Why, n.How.String()})
	}
	return groups
}

// tiny says that a loss changes no answer: less than one of so many. --verbose
// and the other forms tell it all the same.
func tiny(lost, of int64) bool {
	const oneIn = 50
	return lost*oneIn < of
}

// stoodOnHoles says whether a finding rests on evidence with losses.
func stoodOnHoles(list []verdict.Finding) bool {
	return slices.ContainsFunc(list, func(f verdict.Finding) bool {
		return f.Lossy || slices.ContainsFunc(f.Evidence, func(e rule.Evidence) bool { return e.Lossy }) || stoodOnHoles(f.Explains)
	})
}

// unseen lists what probes could not see: what is missing for the same reason
// stands together.
func (p *page) unseen(list []verdict.Unseen) {
	if !p.verbose {
		list = slices.DeleteFunc(slices.Clone(list), func(u verdict.Unseen) bool { return tiny(u.Count, u.Of) })
	}
	if len(list) == 0 {
		return
	}
	p.blank()
	p.line(p.paint(styleWarn, "NOT SEEN"))
	for _, g := range groupUnseen(list) {
		p.paragraph("", 2, "", strings.Join(g.rules, ", ")+": "+g.why)
		if g.how != "" {
			p.paragraph("    get it: ", 12, styleQuiet, g.how)
		}
	}
}

// groupUnseen puts things together that are missing for the same reason; two
// probes may miss the same thing.
func groupUnseen(list []verdict.Unseen) []abstention {
	most := map[[3]string]int64{}
	for _, u := range list {
		k := [3]string{u.What, u.Why, u.How.String()}
		most[k] = max(most[k], u.Count)
	}
	var groups []abstention
	told := map[[3]string]bool{}
	for _, u := range list {
		k := [3]string{u.What, u.Why, u.How.String()}
		if told[k] {
			continue
		}
		told[k] = true
		what := u.What
		if most[k] > 1 {
			what += fmt.Sprintf(" (%s)", unit.Count(most[k]))
		}
		i := slices.IndexFunc(groups, func(g abstention) bool { return g.why == u.Why && g.how == u.How.String() })
		if i < 0 {
			groups = append(groups, abstention{why: u.Why, how: u.How.String()})
			i = len(groups) - 1
		}
		groups[i].rules = append(groups[i].rules, what)
	}
	return groups
}

// probes writes what the sources of evidence missed; with --verbose also what
// they cost. holes says that a finding rests on losses, which are then told
// however small they are.
func (p *page) probes(list []verdict.ProbeHealth, holes bool) {
	var lines [][2]string // words, remedy
	for _, h := range list {
		var troubles []string
		told := func(lost, of int64) bool { return lost > 0 && (p.verbose || holes || !tiny(lost, of)) }
		if told(h.Lost, h.Rows+h.Lost) {
			troubles = append(troubles, plural(int(h.Lost), "row", "rows")+" lost")
		}
		if told(int64(h.Late), int64(h.Runs)) {
			troubles = append(troubles, fmt.Sprintf("%d of %s over the deadline", h.Late, plural(h.Runs, "run", "runs")))
		}
		if h.Error != "" {
			troubles = append(troubles, h.Error)
		} else if !h.OK {
			troubles = append(troubles, "did not run")
		}
		if p.verbose {
			troubles = append(troubles, fmt.Sprintf("%s, %.1f ms of CPU each, %s", plural(h.Runs, "run", "runs"),
				1000*h.CPU/float64(max(h.Runs, 1)), plural(int(h.Rows), "row", "rows")))
		}
		if len(troubles) > 0 {
			lines = append(lines, [2]string{h.Name + ": " + strings.Join(troubles, "; "), h.Remedy.String()})
		}
	}
	if len(lines) == 0 {
		return
	}
	p.blank()
	title := "PROBES THAT MISSED SOMETHING"
	if p.verbose {
		title = "PROBES"
	}
	p.line(p.paint(styleWarn, title))
	for _, l := range lines {
		p.paragraph("", 2, "", l[0])
		if l[1] != "" {
			p.paragraph("    get it: ", 12, styleQuiet, l[1])
		}
	}
}
