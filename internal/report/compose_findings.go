package report

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"rtrail/internal/document"
	"rtrail/internal/rule"
	"rtrail/internal/unit"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

const (
	// findingLines is the most lines of a finding without --verbose.
	findingLines = 14
	// quietEvidence is how much proof a short finding offers; the document leaves
	// out what its lines have no room for.
	quietEvidence = 4
	// quietSubjects is how many of a rule's equal findings are listed.
	quietSubjects = 4

	// quietVictims is how many of those who lose by a fault are named.
	quietVictims = 3

	// lostRows stands before numbers that evidence with losses gave.
	lostRows = "at least, as rows were lost"
)

// findings makes one block of each finding, and one of all that a rule found with
// equal confidence. With --verbose each stands for itself. They are numbered as they
// are shown, from first on.
func findings(list []verdict.Finding, first int, verbose bool) []document.Block {
	var out []document.Block
	told := make([]bool, len(list))
	for i, f := range list {
		if told[i] {
			continue
		}
		equal := []verdict.Finding{f}
		for j := i + 1; j < len(list) && !verbose; j++ {
			if list[j].Rule == f.Rule && list[j].Confidence == f.Confidence && list[j].Plural == f.Plural {
				told[j] = true
				equal = append(equal, list[j])
			}
		}
		block := finding(f, verbose)
		if len(equal) > 1 {
			block = group(equal)
		}
		block.Number = first + len(out)
		out = append(out, block)
	}
	return out
}

// Findings makes the blocks of findings as they are shown without --verbose.
func Findings(list []verdict.Finding) []document.Block { return findings(list, 1, false) }

// Whole makes the blocks of findings as they are shown with --verbose: one each, numbered
// from 1.
func Whole(list []verdict.Finding) []document.Block { return findings(list, 1, true) }

func blockOf(f verdict.Finding, headline string) document.Finding {
	d := document.Finding{Mark: strings.ToUpper(f.Confidence.String()), Style: document.Warn, Headline: headline, Lines: findingLines}
	if f.Confidence == rule.Certain {
		d.Style = document.Alarm
	}
	return d
}

func finding(f verdict.Finding, verbose bool) document.Finding {
	d := blockOf(f, f.Headline.String())
	impact := f.Impact.Text.String()
	if f.Lossy {
		impact = strings.TrimSuffix(lostRows+": "+impact, ": ")
	}
	d.Rows = appendWords(d.Rows, document.Row{Label: "impact", Words: impact, Lines: 1})
	d.Rows = appendWords(d.Rows, document.Row{Label: "who", Words: about(f.Subject), Lines: 1})
	d.Rows = appendWords(d.Rows, document.Row{Label: "victims", Words: victims(f, verbose), Lines: 2, Spare: 1})
	if verbose {
		d.Lines = 0
		for i := range d.Rows {
			d.Rows[i].Lines = 0
		}
		for i, e := range f.Evidence {
			d.Rows = append(d.Rows, document.Row{Label: label(i, "proof"), Words: evidenceWords(e), Commands: commands(e.Check.String())})
		}
		d.Rows = appendWords(d.Rows, document.Row{Label: "explains", Words: explained(f)})
		d.Rows = appendWords(d.Rows, document.Row{Label: "note", Words: noted(f)})
		for i, x := range inOrder(f.Fixes) {
			d.Rows = append(d.Rows, change(label(i, "CHANGE"), x, 0))
		}
		d.Rows = append(d.Rows, why(f, ""))
		return d
	}
	if len(f.Tree) > 0 {
		d.Rows[len(d.Rows)-1].Spare = 2
		d.Rows = append(d.Rows, tree(f.Tree)...)
		for _, r := range advice(f) {
			if r.Label == "LATER" {
				r.Spare = 1
			}
			d.Rows = append(d.Rows, r)
		}
		d.Rows = append(d.Rows, why(f, "-v: all evidence"))
		return d
	}
	// What has no room gives way: first further proof, then what the finding explains.
	for i, e := range f.Evidence[:min(len(f.Evidence), quietEvidence)] {
		spare := i + 2
		if i == 0 {
			spare = 1
		}
		d.Rows = append(d.Rows, document.Row{Label: label(i, "proof"), Words: evidenceWords(e), Lines: 2, Spare: spare})
	}
	d.Rows = appendWords(d.Rows, document.Row{Label: "explains", Words: explained(f), Lines: 2, Spare: 2})
	d.Rows = appendWords(d.Rows, document.Row{Label: "note", Words: noted(f), Lines: 2})
	d.Rows = append(d.Rows, advice(f)...)
	d.Rows = append(d.Rows, why(f, "-v: all evidence"))
	return d
}

// group is what one rule found about several subjects: each in a line, and what to
// do about the first.
func group(list []verdict.Finding) document.Finding {
	f := list[0]
	d := blockOf(f, fmt.Sprintf("%d %s", len(list), cmp.Or(f.Plural, "findings: "+f.Title)))
	impact, sums := lostBy(list)
	d.Rows = appendWords(d.Rows, document.Row{Label: "impact", Words: impact, Lines: 1})
	for i, x := range list {
		if i == quietSubjects-1 && len(list) > quietSubjects {
			d.Rows = append(d.Rows, document.Row{Words: "and " + plural(len(list)-i, "other", "others") + " (-v)", Lines: 1})
			break
		}
		words := x.Headline.String()
		if impact := x.Impact.Text.String(); impact != "" && (i > 0 || sums) {
			words = impact + ": " + words
		}
		if x.Lossy {
			words = lostRows + ": " + words
		}
		d.Rows = append(d.Rows, document.Row{Label: label(i, "who"), Words: words, Lines: 2})
	}
	for _, r := range advice(f) {
		switch r.Label {
		case "LATER":
			r.Spare = 1
		case "CHANGE":
			r.Words = "of the first: " + r.Words
		}
		d.Rows = append(d.Rows, r)
	}
	more := "-v: each with its evidence and advice"
	if n := folded(list); n > 0 {
		more += ", and " + plural(n, "finding", "findings") + " that they explain"
	}
	d.Rows = append(d.Rows, why(f, more))
	return d
}

// lostBy is what several findings cost together, if that sums up: time does, shares of
// different things do not. Then it is what the first costs, which is the most.
func lostBy(list []verdict.Finding) (words string, sums bool) {
	total := 0.0
	for _, f := range list {
		if f.Impact.TimeLost == 0 {
			if first := list[0].Impact.Text.String(); first != "" {
				return "of the first: " + first, false
			}
			return "", false
		}
		total += f.Impact.TimeLost
	}
	return fmt.Sprintf("%v waited per second, in all", unit.Seconds(total)), true
}

// folded counts the symptoms under findings.
func folded(list []verdict.Finding) (n int) {
	for _, f := range list {
		n += len(f.Explains)
	}
	return n
}

// advice is one check, one change, and what is left for later.
func advice(f verdict.Finding) []document.Row {
	var rows []document.Row
	checks := slices.DeleteFunc(slices.Clone(f.Evidence), func(e rule.Evidence) bool { return e.Check.Empty() })
	if len(checks) > 0 {
		look := checks[0].Check.String()
		for _, e := range checks[1:] {
			if template.MatchString(look) && !template.MatchString(e.Check.String()) {
				look = e.Check.String()
			}
		}
		rows = append(rows, document.Row{Label: "LOOK", Commands: commands(look), Danger: danger(look)})
	}
	fixes := inOrder(f.Fixes)
	if len(fixes) == 0 {
		return rows
	}
	rows = append(rows, change("CHANGE", fixes[0], 2))
	return appendWords(rows, document.Row{Label: "LATER", Words: laterWords(fixes[1:]), Lines: laterLines})
}

const (
	// laterBytes is how much of what can be done later is told: half advice helps nobody,
	// so that only whole ones are, the first one whatever its length.
	laterBytes = 120
	// laterLines hold that in a narrow terminal.
	laterLines = 4
)

// laterWords are the first changes for later, and how many others there are.
func laterWords(fixes []rule.Fix) string {
	words := ""
	for i, x := range fixes {
		text := x.Text.String()
		if i > 0 && len(words)+len(text) > laterBytes {
			return words + fmt.Sprintf("; and %d more (-v)", len(fixes)-i)
		}
		if i > 0 {
			words += "; "
		}
		words += text
	}
	return words
}

func change(label string, x rule.Fix, lines int) document.Row {
	return document.Row{Label: label, Words: x.Text.String(), Commands: commands(x.Command.String()), Price: price(x.Tradeoff),
		Danger: dangerOf(x), Lines: lines}
}

// price is what a change costs; one that costs nothing needs no words.
func price(tradeoff string) string {
	if tradeoff == "none" {
		return ""
	}
	return tradeoff
}

func why(f verdict.Finding, more string) document.Row {
	words := "rtrail explain " + f.Rule
	if more != "" {
		words += " · " + more
	}
	return document.Row{Label: "WHY", Words: words, Lines: 1}
}

// tree draws the holder and those who wait for it.
func tree(list []rule.Text) []document.Row {
	var rows []document.Row
	for i, words := range list {
		lead := "├─ "
		switch i {
		case 0:
			lead = ""
		case len(list) - 1:
			lead = "└─ "
		}
		rows = append(rows, document.Row{Label: label(i, "waits"), Words: lead + words.String(), Lines: 1})
	}
	return rows
}

// inOrder puts first what can be done at once.
func inOrder(fixes []rule.Fix) []rule.Fix {
	list := byPain(fixes)
	first := slices.IndexFunc(list, func(x rule.Fix) bool { return !x.Command.Empty() && !template.MatchString(x.Command.String()) })
	if first > 0 {
		now := list[first]
		list = slices.Insert(slices.Delete(list, first, first+1), 0, now)
	}
	return list
}

// byPain puts what destroys nothing before what may; the rules put the cheap
// before the dear.
func byPain(fixes []rule.Fix) []rule.Fix {
	sorted := slices.Clone(fixes)
	slices.SortStableFunc(sorted, func(a, b rule.Fix) int { return hurts(a) - hurts(b) })
	return sorted
}

func hurts(x rule.Fix) int {
	if !x.Loosens && danger(x.Command.String()) != "" {
		return 1
	}
	return 0
}

// template matches commands that users must fill in before they can work.
var template = regexp.MustCompile(`\b(PID|IF|UNIT|ADDRESS|HOST|DEVICE|GROUP|FILE|EXTRA_PORT|STATEMENT|TABLE|USER|NAME|KEY|EXPRESSION)\b|\.\.\.`)

// dangers are commands that may destroy work or cut people off, with what they do.
var dangers = []struct {
	command *regexp.Regexp
	does    string
	unless  string // what takes the danger away; "" if nothing does
}{
	{regexp.MustCompile(`(?i)mysql .*\bkill\b`), "ends what that connection does and rolls it back", ""},
	{regexp.MustCompile(`(?m)(^|[;&|] *)(sudo )?(kill|pkill|killall) (-9 |-KILL |-TERM )?[^-]`), "ends the process and what it is doing", ""},
	{regexp.MustCompile(`\b(reboot|shutdown|poweroff)\b`), "ends everything on this host", ""},
	{regexp.MustCompile(`\b(systemctl|service) .*(\brestart\b|\bstop\b)`), "ends the work under way in the service", ""},
	{regexp.MustCompile(`(?m)(^|[;&|] *)(sudo )?rm `), "deletes files", ""},
	{regexp.MustCompile(`(?i)\b(drop|truncate) (table|index|database)\b`), "deletes data", ""},
	{regexp.MustCompile(`(?i)\balter table\b`), "may lock or copy the table", "lock=none"},
	{regexp.MustCompile(`\b(ip6?tables .*-[ID] .*-j DROP|nft .*\bdrop\b)`), "cuts off whom it matches", ""},
	{regexp.MustCompile(`\b(ip6?tables -F|nft flush|tc qdisc del)\b`), "takes rules away from all traffic", ""},
	{regexp.MustCompile(`\bip6?tables .*--notrack`), "ends NAT and stateful filtering for what it matches", ""},
	{regexp.MustCompile(`\btc qdisc (replace|change|add)\b.* root\b`), "replaces the queue of that interface, with the limits and classes that it has", ""},
	{regexp.MustCompile(`\bCPUQuota=\d`), "stops the processes of the group for the rest of each period", ""},
	{regexp.MustCompile(`\bIO(Read|Write)BandwidthMax=`), "makes the processes of the group wait for their I/O", ""},
	{regexp.MustCompile(`\bMemoryHigh=|> \S*/memory\.high\b`), "makes the processes of the group wait for memory above it", ""},
	{regexp.MustCompile(`\bip link set .*\b(mtu|down)\b`), "drops packets that no longer fit, or the whole link", ""},
	{regexp.MustCompile(`\bMemoryMax=`), "processes of the group are killed at this limit", ""},
	{regexp.MustCompile(`(?i)innodb_flush_log_at_trx_commit *= *[02]|sync_binlog *= *(0|[2-9]|\d\d)`), "a crash may lose commits that clients were told of", ""},
	{regexp.MustCompile(`(?i)idle_(\w+_)?transaction_timeout *= *[1-9]`), "rolls back transactions that stay open for longer", ""},
	{regexp.MustCompile(`tcp_tw_recycle=1`), "breaks clients behind NAT", ""},
	{regexp.MustCompile(`\bswapoff\b`), "may run out of memory", ""},
}

// restarts matches words of a change that a program has to be restarted for it.
var restarts = regexp.MustCompile(`(?i)(^|\bthen |\band )restart\b`)

// dangerOf says what a change may destroy, by its command or, where that only looks,
// by its words.
func dangerOf(x rule.Fix) string {
	if x.Loosens {
		return ""
	}
	if does := danger(x.Command.String()); does != "" || !restarts.MatchString(x.Text.String()) {
		return does
	}
	return "ends the work under way in the program"
}

// danger says what a command may destroy; "" if nothing is known.
func danger(command string) string {
	for _, d := range dangers {
		if d.command.MatchString(command) && (d.unless == "" || !strings.Contains(command, d.unless)) {
			return d.does
		}
	}
	return ""
}

// about names the subject further where the headline cannot: command line,
// group.
func about(s view.Entity) string {
	var parts []string
	if s.PID > 0 {
		parts = append(parts, fmt.Sprintf("pid %d", s.PID))
	}
	if s.Detail != "" && s.Detail != s.Name {
		parts = append(parts, s.Detail)
	}
	if s.Cgroup != "" && s.Cgroup != "/" && s.Cgroup != s.Name {
		parts = append(parts, "cgroup "+s.Cgroup)
	}
	return strings.Join(parts, " · ")
}

func evidenceWords(e rule.Evidence) string {
	words := e.What.String()
	if e.Lossy {
		words = lostRows + ": " + words
	}
	return words
}

// victims lists who loses by the fault, without --verbose the first of them, behind
// whose work it is that they wait for.
func victims(f verdict.Finding, verbose bool) string {
	var list []string
	for i := range f.Victims {
		if i == quietVictims && !verbose {
			list = append(list, plural(len(f.Victims)-i, "other", "others")+" (-v)")
			break
		}
		list = append(list, f.Victims[i].Words().String())
	}
	words := strings.Join(list, " · ")
	if f.Culprit != nil && words != "" {
		words = fmt.Sprintf("of %s (%d): %s", f.Culprit.Name, f.Culprit.PID, words)
	}
	return words
}

// explained lists the symptoms under their cause.
func explained(f verdict.Finding) string {
	var list []string
	for _, s := range f.Explains {
		list = append(list, s.Headline.String())
	}
	return strings.Join(list, " · ")
}

func noted(f verdict.Finding) string {
	var list []string
	for _, n := range f.Notes {
		list = append(list, n.String())
	}
	return strings.Join(list, " · ")
}

func appendWords(rows []document.Row, r document.Row) []document.Row {
	if r.Words == "" {
		return rows
	}
	return append(rows, r)
}

func label(i int, first string) string {
	if i > 0 {
		return ""
	}
	return first
}

func commands(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
