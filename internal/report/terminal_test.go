package report_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"rtrail/internal/document"
	"rtrail/internal/escape"
	"rtrail/internal/golden"
	"rtrail/internal/grant"
	"rtrail/internal/recording"
	"rtrail/internal/report"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/verdict"
)

func TestTerminal(t *testing.T) {
	for _, c := range cases() {
		for _, width := range []int{60, 80, 120} {
			t.Run(fmt.Sprintf("%s-%d", c.name, width), func(t *testing.T) {
				var out bytes.Buffer
				if err := document.Terminal(&out, report.Compose(c.verdict, false), document.TerminalOptions{Width: width}); err != nil {
					t.Fatal(err)
				}
				golden.Text(t, fmt.Sprintf("testdata/terminal-%s-%d.txt", c.name, width), anyGrant(out.String()))
			})
		}
	}
}

// anyGrant is a text without the path of this test in the command that grants capabilities.
func anyGrant(text string) string {
	return strings.ReplaceAll(text, grant.Command().String(), "sudo setcap ...")
}

// On a terminal commands are broken as a shell takes them; elsewhere they stay
// whole.
func TestTerminalBreaksCommands(t *testing.T) {
	const command = "tshark -r /var/tmp/captures/application-server.pcapng -Y 'tcp.stream eq 4711 && mysql' -T fields -e frame.time"
	v := verdict.Verdict{Findings: []verdict.Finding{{Rank: 1, Finding: rule.Finding{
		Headline: rule.T("slow"), Confidence: rule.Certain, Evidence: []rule.Evidence{{What: rule.T("numbers"), Check: shell.Line(command)}},
	}}}}
	for width, want := range map[int]string{
		80: "   LOOK     $ tshark -r /var/tmp/captures/application-server.pcapng \\\n" +
			"              -Y 'tcp.stream eq 4711 && mysql' -T fields -e frame.time\n",
		0: "   LOOK     $ " + command + "\n",
	} {
		var out bytes.Buffer
		if err := document.Terminal(&out, report.Compose(v, false), document.TerminalOptions{Width: width, Break: width > 0}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), want) {
			t.Errorf("at %d columns:\n%s\nwant\n%s", width, out.String(), want)
		}
	}
}

func TestTerminalVerbose(t *testing.T) {
	var out bytes.Buffer
	if err := document.Terminal(&out, report.Compose(cases()[0].verdict, true), document.TerminalOptions{Width: 100}); err != nil {
		t.Fatal(err)
	}
	golden.Text(t, "testdata/terminal-verbose.txt", anyGrant(out.String()))
}

func TestMarkdown(t *testing.T) {
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := document.Markdown(&out, report.Compose(c.verdict, true)); err != nil {
				t.Fatal(err)
			}
			golden.Text(t, "testdata/markdown-"+c.name+".md", anyGrant(out.String()))
			harmless(t, out.String())
		})
	}
}

var sgr = regexp.MustCompile("\x1b\\[[0-9;]*m")

// TestColor wants the same words with and without colours, and escape
// sequences only where rtrail itself wrote them.
func TestColor(t *testing.T) {
	for _, c := range cases() {
		var plain, colored bytes.Buffer
		if err := document.Terminal(&plain, report.Compose(c.verdict, false), document.TerminalOptions{Width: 90}); err != nil {
			t.Fatal(err)
		}
		if err := document.Terminal(&colored, report.Compose(c.verdict, false), document.TerminalOptions{Width: 90, Color: true}); err != nil {
			t.Fatal(err)
		}
		harmless(t, plain.String())
		if !strings.Contains(colored.String(), "\x1b[") {
			t.Errorf("%s: no colours although asked for", c.name)
		}
		trim := regexp.MustCompile(`(?m) +$`)
		if got := trim.ReplaceAllString(sgr.ReplaceAllString(colored.String(), ""), ""); got != plain.String() {
			t.Errorf("%s: colours change the words", c.name)
		}
	}
}

// harmless fails on what a terminal would act on.
func harmless(t *testing.T, s string) {
	t.Helper()
	s = strings.ReplaceAll(s, "\n", "")
	if at := strings.IndexFunc(s, escape.Hidden); at >= 0 {
		t.Errorf("the report holds %q", s[at:])
	}
}

// TestTinyLosses wants losses that change no answer out of the way, unless a
// finding rests on evidence with losses.
func TestTinyLosses(t *testing.T) {
	const note, rows, late = "samples of running threads", "rows lost", "over the deadline"
	lost := func(n int64) verdict.Verdict {
		return verdict.Verdict{
			Unseen: []verdict.Unseen{{Probe: "stacks", What: note, Count: n, Of: 100, Why: "the kernel's buffer was full"}},
			Probes: []verdict.ProbeHealth{{Name: "mysql", OK: true, Runs: 100, Rows: 100*n - n, Lost: n, Late: int(n)}},
		}
	}
	tell := func(v verdict.Verdict, verbose bool) string {
		var b strings.Builder
		if err := document.Terminal(&b, report.Compose(v, verbose), document.TerminalOptions{}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for name, test := range map[string]struct {
		text string
		want bool
	}{
		"one of a hundred":          {tell(lost(1), false), false},
		"one of a hundred, verbose": {tell(lost(1), true), true},
		"two of a hundred":          {tell(lost(2), false), true},
	} {
		// Rows are lost at one of a hundred throughout.
		if strings.Contains(test.text, note) != test.want || strings.Contains(test.text, late) != test.want {
			t.Errorf("%s: told %t\n%s", name, !test.want, test.text)
		}
	}
	v := lost(2)
	if strings.Contains(tell(v, false), rows) {
		t.Error("one row of a hundred lost is told")
	}
	v.Findings = []verdict.Finding{{Rank: 1, Explains: []verdict.Finding{{Lossy: true}}}}
	if !strings.Contains(tell(v, false), rows) {
		t.Error("the losses on which a finding rests are not told")
	}
	var b strings.Builder
	if err := document.JSON(&b, report.NewDocument(lost(1))); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"of": 100`, `"lost": 1`, `"late": 1`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the JSON form lacks %s", want)
		}
	}
}

// TestLossesOfTables wants the tables named if all lost rows are of them.
func TestLossesOfTables(t *testing.T) {
	for _, c := range []struct {
		health verdict.ProbeHealth
		want   string
	}{
		{verdict.ProbeHealth{Lost: 50, LostElsewhere: 50}, "socket: 50 rows lost;"},
		{verdict.ProbeHealth{Lost: 50, LostFrom: []recording.Table{recording.TCPSockets}}, "socket: 50 rows lost (tcp_sockets);"},
		{verdict.ProbeHealth{Lost: 50, LostFrom: []recording.Table{recording.TCPSockets, recording.Firewall}}, "socket: 50 rows lost (tcp_sockets, firewall);"},
		{verdict.ProbeHealth{Lost: 50, LostFrom: []recording.Table{recording.TCPSockets}, LostElsewhere: 5}, "socket: 50 rows lost;"},
	} {
		h := c.health
		h.Name, h.OK, h.Runs, h.Rows = "socket", true, 10, 100
		var b strings.Builder
		if err := document.Terminal(&b, report.Compose(verdict.Verdict{Probes: []verdict.ProbeHealth{h}}, true), document.TerminalOptions{Width: 200}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), c.want) {
			t.Errorf("%q is not in\n%s", c.want, b.String())
		}
	}
}
