package report

import (
	"fmt"
	"io"
	"strings"

	"rtrail/internal/escape"
	"rtrail/internal/rule"
	"rtrail/internal/unit"
	"rtrail/internal/verdict"
)

// Markdown writes the verdict for tickets and post-mortems.
func Markdown(w io.Writer, v verdict.Verdict) error {
	var b strings.Builder
	length, began := v.Window.End.Sub(v.Window.Start).Seconds(), v.Window.Start.Format("2006-01-02 15:04:05 MST")
	if v.Host.Kernel == "" && len(v.Captures) > 0 {
		fmt.Fprintf(&b, "# Why it is slow in %s\n\n%s, captured %.1f s from %s", md(v.Captures[0].Source), md(v.Tool), length, began)
	} else if unwatched(v) {
		fmt.Fprintf(&b, "# Why it is slow\n\n%s, as of %s", md(v.Tool), began)
	} else {
		fmt.Fprintf(&b, "# Why %s is slow\n\n", md(orElse(v.Host.Name, "this host")))
		fmt.Fprintf(&b, "%s, %s, %s, Linux %s, watched %.1f s from %s", md(v.Tool), plural(v.Host.CPUs, "CPU", "CPUs"),
			unit.Bytes(v.Host.MemoryBytes), md(v.Host.Kernel), length, began)
	}
	if v.Window.Interrupted {
		b.WriteString(" (interrupted)")
	}
	b.WriteString(".\n")
	for _, c := range v.Captures {
		fmt.Fprintf(&b, "\nPackets: %s.\n", md(captureLine(c)))
	}
	sure := 0
	for _, f := range v.Findings {
		if f.Confidence > rule.Possible {
			sure++
		}
	}
	if sure == 0 {
		fmt.Fprintf(&b, "\n%s\n", md(upperFirst(nothing(v))))
	}
	for i, f := range v.Findings {
		if i == sure {
			b.WriteString("\n## Worth a look\n")
		}
		markdownFinding(&b, f)
	}
	if len(v.Time) > 0 {
		b.WriteString("\n## Where the time went\n\n| process | on CPU | runnable | disk | futex | network | sleeping |\n|---|--:|--:|--:|--:|--:|--:|\n")
		for _, t := range v.Time {
			fmt.Fprintf(&b, "| %s (%d) | %s | %s | %s | %s | %s | %s |\n", md(t.Name), t.PID, percent(t.OnCPU),
				percent(t.Runnable), percent(t.Disk), percent(t.Lock), percent(t.Network), percent(t.Sleeping))
		}
	}
	if len(v.Unjudged) > 0 {
		b.WriteString("\n## Seen, and judged by no rule\n\n| counter | check |\n|---|---|\n")
		for _, c := range v.Unjudged {
			fmt.Fprintf(&b, "| %s | %s |\n", md(unjudgedWords(c)), code(c.Check().String()))
		}
	}
	if len(v.Healthy) > 0 {
		fmt.Fprintf(&b, "\n## Healthy\n\n%s\n", md(strings.Join(v.Healthy, ", ")))
	}
	if len(v.NotJudged) > 0 {
		b.WriteString("\n## Not judged\n\n")
		for _, g := range groupNotJudged(v.NotJudged) {
			fmt.Fprintf(&b, "- %s: needs %s", md(strings.Join(g.rules, ", ")), md(g.needs))
			if g.why != "" {
				fmt.Fprintf(&b, " (%s)", md(g.why))
			}
			if g.how != "" {
				fmt.Fprintf(&b, "; to get it: %s", md(g.how))
			}
			b.WriteByte('\n')
		}
	}
	if len(v.Unseen) > 0 {
		b.WriteString("\n## Not seen\n\n")
		for _, g := range groupUnseen(v.Unseen) {
			fmt.Fprintf(&b, "- %s: %s", md(strings.Join(g.rules, ", ")), md(g.why))
			if g.how != "" {
				fmt.Fprintf(&b, "; to get it: %s", md(g.how))
			}
			b.WriteByte('\n')
		}
	}
	markdownProbes(&b, v.Probes)
	if len(v.Notes) > 0 {
		b.WriteString("\n## Notes\n\n")
		for _, n := range v.Notes {
			fmt.Fprintf(&b, "- %s\n", md(n))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func markdownFinding(b *strings.Builder, f verdict.Finding) {
	fmt.Fprintf(b, "\n## %d. %s\n\n**%s**", f.Rank, md(f.Headline.String()), f.Confidence)
	if s := f.Impact.Text.String(); s != "" {
		fmt.Fprintf(b, ", %s", md(s))
	}
	if f.Lossy {
		b.WriteString(", from evidence that lost rows")
	}
	fmt.Fprintf(b, " (`%s`)\n", f.Rule)
	if len(f.Evidence) > 0 {
		b.WriteString("\n| evidence | check |\n|---|---|\n")
		for _, e := range f.Evidence {
			fmt.Fprintf(b, "| %s | %s |\n", md(evidenceWords(e)), code(e.Check.String()))
		}
	}
	for _, x := range f.Fixes {
		fmt.Fprintf(b, "\n**Fix:** %s", md(x.Text.String()))
		if x.Tradeoff != "" {
			fmt.Fprintf(b, " (costs: %s)", md(x.Tradeoff))
		}
		b.WriteByte('\n')
		if !x.Command.Empty() {
			b.WriteByte('\n')
			for _, l := range strings.Split(x.Command.String(), "\n") {
				fmt.Fprintf(b, "    %s\n", escape.Text(l))
			}
		}
	}
	if len(f.Explains)+len(f.Notes) > 0 {
		b.WriteString("\nExplains:\n\n")
		for _, x := range f.Explains {
			fmt.Fprintf(b, "- %s (`%s`)\n", md(x.Headline.String()), x.Rule)
		}
		for _, n := range f.Notes {
			fmt.Fprintf(b, "- %s\n", md(n.String()))
		}
	}
}

func markdownProbes(b *strings.Builder, list []verdict.ProbeHealth) {
	title := "\n## Probes that missed something\n\n"
	for _, h := range list {
		if h.OK && h.Lost == 0 && h.Late == 0 && h.Error == "" {
			continue
		}
		fmt.Fprintf(b, "%s- %s: %s lost, %d of %s late", title, md(h.Name), plural(int(h.Lost), "row", "rows"), h.Late, plural(h.Runs, "run", "runs"))
		title = ""
		if h.Error != "" {
			fmt.Fprintf(b, "; %s", md(h.Error))
		}
		if !h.Remedy.Empty() {
			fmt.Fprintf(b, "; to get it: %s", md(h.Remedy.String()))
		}
		b.WriteByte('\n')
	}
}

var mdEscaper = strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", "[", `\[`, "]", `\]`)

// md keeps text from the host from being read as Markdown or HTML.
func md(s string) string { return mdEscaper.Replace(escape.Text(s)) }

// code is a code span that survives backquotes and a table's bars.
func code(s string) string {
	if s == "" {
		return ""
	}
	s = strings.ReplaceAll(escape.Text(s), "|", `\|`)
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`" // as long as no run in the text is, so that none ends it
	}
	if len(fence) > 1 {
		s = " " + s + " "
	}
	return fence + s + fence
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
