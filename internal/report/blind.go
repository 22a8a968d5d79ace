package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"rtrail/internal/audit"
	"rtrail/internal/document"
	"rtrail/internal/grant"
	"rtrail/internal/refusal"
	"rtrail/internal/rule"
	"rtrail/internal/unit"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

// unjudged lists counters of refused or failed work that rose while no finding
// accounts for them.
func unjudged(list []refusal.Risen, verbose bool) []document.Block {
	if len(list) == 0 {
		return nil
	}
	l := document.List{Title: "SEEN, AND JUDGED BY NO RULE", Style: document.Warn}
	for i, c := range list {
		if !verbose && i == quietUnjudged {
			l.More = "and " + plural(len(list)-i, "more counter", "more counters") + " (-v)"
			break
		}
		l.Items = append(l.Items, document.Item{Words: unjudgedWords(c), Command: c.Check().String()})
	}
	return []document.Block{l}
}

// quietUnjudged is how many counters are shown without --verbose.
const quietUnjudged = 6

// unjudgedWords say how a counter rose and what it counts.
func unjudgedWords(c refusal.Risen) string {
	words := c.Name
	switch {
	case c.Scope.Where == "":
	case c.Scope.Subject.Kind == view.KindNetNS:
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

// settings lists what rtrail audit remarks on.
func settings(list []audit.Remark) []document.Block {
	if len(list) == 0 {
		return nil
	}
	l := document.List{Title: "SETTINGS worth a look (rtrail audit)", Style: document.Warn}
	for _, r := range list {
		l.Items = append(l.Items, document.Item{Words: r.Words.String() + " (" + r.Check.ID + ")", Command: r.See.String()})
	}
	return []document.Block{l}
}

// settingsInBrief says that there are such, without any reason.
func settingsInBrief(list []audit.Remark) []document.Block {
	if len(list) == 0 {
		return nil
	}
	var names []string
	for _, r := range list {
		if name := strings.TrimPrefix(r.Check.ID, "audit/"); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return []document.Block{document.Prose{Label: "SETTINGS", Style: document.Quiet, Words: few(names) + " may hurt some day: rtrail audit says why, or -v"}}
}

// spots are what could not be judged or seen, by what would help.
func spots(v verdict.Verdict) (spots []spot) {
	for _, n := range v.NotJudged {
		what := n.Resource
		if what == "" {
			what = n.Rule
		}
		needs := n.Needs
		if n.Why != "" {
			needs += " (" + n.Why + ")"
		}
		spots = addSpot(spots, what, "needs "+needs, n.How.String())
	}
	for _, u := range v.Unseen {
		if !tiny(u.Count, u.Of) {
			spots = addSpot(spots, u.What, u.Why, u.How.String())
		}
	}
	for _, p := range v.Probes {
		for _, trouble := range troubles(p, stoodOnHoles(v.Findings)) {
			spots = addSpot(spots, p.Name, trouble, p.Remedy.String())
		}
	}
	return spots
}

// blindSpots lists what could not be judged or seen: its resources in a line, and what
// to do once.
func blindSpots(v verdict.Verdict) []document.Block {
	l := document.List{Title: blind, Style: document.Warn}
	for _, s := range spots(v) {
		item := document.Item{Words: few(s.what) + ": " + reasons(s.why), Remedy: s.how, Lines: 3}
		if len(s.capabilities) > 0 {
			item = s.grant(few(s.what))
		}
		l.Items = append(l.Items, item)
	}
	return unlessEmpty(l)
}

// blind is the title of what could not be judged or seen.
const blind = "BLIND SPOTS"

// allBlindSpots lists them with all reasons: rules without evidence, what probes did not
// see, and the command that gives capabilities.
func allBlindSpots(v verdict.Verdict) []document.Block {
	l := document.List{Title: blind, Style: document.Warn, Items: append(notJudged(v.NotJudged), unseen(v.Unseen)...)}
	for _, s := range spots(v) {
		if len(s.capabilities) > 0 {
			l.Items = append(l.Items, s.grant(strings.Join(s.what, ", ")))
		}
	}
	return unlessEmpty(l)
}

// spotNames is how many resources of a blind spot are named: why nobody sees them
// must have room, too.
const spotNames = 4

func few(names []string) string {
	if len(names) <= spotNames {
		return strings.Join(names, ", ")
	}
	rest := len(names) - spotNames + 1
	return fmt.Sprintf("%s and %d others", strings.Join(names[:spotNames-1], ", "), rest)
}

// reasonsLength is how many bytes of reasons a blind spot has room for.
const reasonsLength = 120

// reasons are those for which there is room, and how many others there are.
func reasons(list []string) string {
	words := list[0]
	for i, why := range list[1:] {
		if len(words)+len(why) > reasonsLength {
			return words + "; and " + plural(len(list)-1-i, "other reason", "other reasons") + " (-v)"
		}
		words += "; " + why
	}
	return words
}

// spot is what is not seen for want of the same thing.
type spot struct {
	what, why, capabilities []string
	how                     string
}

// grant says once what gives the capabilities that something lacks.
func (s *spot) grant(what string) document.Item {
	return document.Item{Words: what + ": run as root, or once, for everybody who may run the file:", Command: grant.Command(s.capabilities...).String()}
}

// capability is how probes and the kernel's manual name one.
var capability = regexp.MustCompile(`(?i)\bcap_[a-z_]+`)

// addSpot puts things together for which the same helps; all that capabilities
// help is one.
func addSpot(list []spot, what, why, how string) []spot {
	var caps []string
	if strings.Contains(how, "run as root") || strings.Contains(how, "grant cap_") {
		for _, c := range capability.FindAllString(why+" "+how, -1) {
			caps = append(caps, strings.ToLower(c))
		}
	}
	i := slices.IndexFunc(list, func(s spot) bool {
		return len(caps) > 0 && len(s.capabilities) > 0 || len(caps) == 0 && len(s.capabilities) == 0 && s.how == how && (how != "" || slices.Contains(s.why, why))
	})
	if i < 0 {
		list = append(list, spot{how: how})
		i = len(list) - 1
	}
	s := &list[i]
	for _, c := range caps {
		s.capabilities = addOnce(s.capabilities, c)
	}
	s.what, s.why = addOnce(s.what, what), addOnce(s.why, why)
	return list
}

func addOnce(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// notJudged lists what could not be judged: faults that lack the same thing
// stand together.
func notJudged(list []verdict.NotJudged) (items []document.Item) {
	for _, g := range groupNotJudged(list) {
		words := strings.Join(g.rules, ", ") + ": needs " + g.needs
		if g.why != "" {
			words += " (" + g.why + ")"
		}
		items = append(items, document.Item{Words: words, Remedy: g.how})
	}
	return items
}

func unlessEmpty(l document.List) []document.Block {
	if len(l.Items) == 0 {
		return nil
	}
	return []document.Block{l}
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
func unseen(list []verdict.Unseen) (items []document.Item) {
	for _, g := range groupUnseen(list) {
		items = append(items, document.Item{Words: strings.Join(g.rules, ", ") + ": " + g.why, Remedy: g.how})
	}
	return items
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

// troubles is what a source of evidence missed. Losses that change no answer are
// told where a finding rests on losses (holes).
func troubles(h verdict.ProbeHealth, holes bool) (list []string) {
	told := func(lost, of int64) bool { return lost > 0 && (holes || !tiny(lost, of)) }
	if told(h.Lost, h.Rows+h.Lost) {
		list = append(list, plural(int(h.Lost), "row", "rows")+" lost"+ofTables(h))
	}
	if told(int64(h.Late), int64(h.Runs)) {
		list = append(list, fmt.Sprintf("%d of %s over the deadline", h.Late, plural(h.Runs, "run", "runs")))
	}
	if h.Error != "" {
		list = append(list, h.Error)
	} else if !h.OK {
		list = append(list, "did not run")
	}
	return list
}

// ofTables says of which tables the lost rows are, if all of them are of few.
func ofTables(h verdict.ProbeHealth) string {
	const most = 3
	if h.LostElsewhere > 0 || len(h.LostFrom) == 0 || len(h.LostFrom) > most {
		return ""
	}
	var names []string
	for _, t := range h.LostFrom {
		names = append(names, string(t))
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// probes lists all sources of evidence, what they missed and what they cost.
func probes(list []verdict.ProbeHealth) []document.Block {
	l := document.List{Title: "PROBES", Style: document.Quiet}
	for _, h := range list {
		words := append(troubles(h, true), fmt.Sprintf("%s, %.1f ms of CPU each, %s", plural(h.Runs, "run", "runs"),
			1000*h.CPU/float64(max(h.Runs, 1)), plural(int(h.Rows), "row", "rows")))
		for _, p := range h.Programs {
			words = append(words, programCost(p))
		}
		l.Items = append(l.Items, document.Item{Words: h.Name + ": " + strings.Join(words, "; "), Remedy: h.Remedy.String()})
	}
	return unlessEmpty(l)
}

// programCost is what a program in the kernel cost.
func programCost(p verdict.ProgramCost) string {
	words := fmt.Sprintf("in the kernel %s ran %s times, %v each, %.2g %% of a core", p.Name, unit.Count(p.Runs), unit.Seconds(p.Seconds/float64(max(p.Runs, 1))), 100*p.Share)
	if p.Stopped {
		words += ", and was detached"
	}
	return words
}
