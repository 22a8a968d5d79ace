package report_test

import (
	"fmt"
	"strings"
	"testing"

	"rtrail/internal/document"
	"rtrail/internal/grant"
	"rtrail/internal/report"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

func printed(t *testing.T, v verdict.Verdict, verbose bool) string {
	t.Helper()
	var b strings.Builder
	if err := document.Terminal(&b, report.Compose(v, verbose), document.TerminalOptions{Width: 100}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func contains(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("lacks %q:\n%s", w, text)
		}
	}
}

// What a rule found equally surely about several subjects is one block; with -v
// each stands for itself.
func TestEqualFindingsAreOneBlock(t *testing.T) {
	var v verdict.Verdict
	for i := range 7 {
		v.Findings = append(v.Findings, verdict.Finding{Rank: i + 1, Finding: rule.Finding{Rule: "net/refused", Plural: "destinations refuse connects",
			Subject: view.Entity{Kind: view.KindPeer, Name: fmt.Sprint(i)}, Confidence: rule.Likely, Headline: rule.T("10.0.0.%d refuses connects", i)}})
	}
	v.Findings[6].Confidence = rule.Possible
	short := printed(t, v, false)
	contains(t, short, "SLOW  7 findings: 6 likely, 1 possible", "1  LIKELY  6 destinations refuse connects", "10.0.0.2 refuses", "and 3 others (-v)", "2  POSSIBLE  10.0.0.6 refuses connects")
	if strings.Contains(short, "CERTAIN") || strings.Contains(short, "2  LIKELY") {
		t.Errorf("more sure, or longer, than what was found:\n%s", short)
	}
	contains(t, printed(t, v, true), "2  LIKELY  10.0.0.1 refuses connects")
}

// All that capabilities would show is one spot with one command.
func TestCapabilitiesAreOneCommand(t *testing.T) {
	how := func(s string) shell.Advice { return shell.Recorded(s) }
	text := printed(t, verdict.Verdict{
		NotJudged: []verdict.NotJudged{{Rule: "mem/oom-kill", Resource: "memory", Needs: "table kernel_log", Why: "needs CAP_SYSLOG", How: how("run as root")}},
		Unseen:    []verdict.Unseen{{What: "files of others", Count: 3, Why: "permission denied", How: how("run as root, or grant cap_sys_ptrace and cap_syslog: rtrail doctor says how")}},
	}, false)
	contains(t, text, "memory, files of others: run as root, or once, for everybody who may run the file:",
		"$ "+grant.Command().String()+"\n")
	if strings.Count(text, "setcap") != 1 {
		t.Errorf("not one command:\n%s", text)
	}
}

// What destroys nothing comes first, and what may is marked.
func TestDangerousFixesAreLastAndMarked(t *testing.T) {
	fix := func(words string, command shell.Command) rule.Fix {
		return rule.Fix{Text: rule.T("%s", words), Command: command}
	}
	v := verdict.Verdict{Findings: []verdict.Finding{{Rank: 1, Finding: rule.Finding{Rule: "x/y", Confidence: rule.Certain, Headline: rule.T("h"),
		Fixes: []rule.Fix{fix("end it", shell.Line("kill 4711")), fix("give it less", shell.Line("renice -n 10 -p 4711"))}}}}}
	contains(t, printed(t, v, false), "CHANGE   give it less\n            $ renice -n 10 -p 4711\n   LATER    end it\n")
	v.Findings[0].Fixes = v.Findings[0].Fixes[:1]
	contains(t, printed(t, v, false), "$ kill 4711   DANGER: ends the process and what it is doing\n")
	for _, tt := range []struct {
		words   string
		command shell.Command
		does    string
	}{
		{"restart the program: nothing else frees these threads", shell.Command{}, "ends the work under way in the program"},
		{"back_log = 4096 in my.cnf, then restart", shell.Line("mysql"), "ends the work under way in the program"},
		{"it outlives KILL and a restart of the server", shell.Command{}, ""},
		{"cap it", shell.Line("systemctl set-property a.service CPUQuota=50%%"), "stops the processes of the group for the rest of each period"},
		{"no quota any more", shell.Line("systemctl set-property a.service CPUQuota= CPUWeight=50"), ""},
		{"slow it down", shell.Line("systemctl set-property --runtime a.service IOReadBandwidthMax='/dev/vda 20M'"), "makes the processes of the group wait for their I/O"},
		{"limit it", shell.Line("systemctl set-property a.service MemoryHigh=2G"), "makes the processes of the group wait for memory above it"},
		{"queue fairly", shell.Line("tc qdisc replace dev eth0 root fq_codel"), "replaces the queue of that interface, with the limits and classes that it has"},
		{"look", shell.Line("tc -s qdisc show"), ""},
		{"narrow it", shell.Line("ip link set dev eth0 mtu 1400"), "drops packets that no longer fit, or the whole link"},
	} {
		v.Findings[0].Fixes[0] = rule.Fix{Text: rule.T("%s", tt.words), Command: tt.command}
		text := strings.Join(strings.Fields(printed(t, v, false)), " ")
		if tt.does != "" && !strings.Contains(text, "DANGER: "+tt.does) || tt.does == "" && strings.Contains(text, "DANGER") {
			t.Errorf("%s: want danger %q in\n%s", tt.words, tt.does, text)
		}
	}
	v.Findings[0].Fixes[0] = rule.Fix{Text: rule.T("raise it"), Command: shell.Line("systemctl set-property a.service CPUQuota=50%% MemoryMax=2G MemoryHigh=1G"), Loosens: true}
	if text := printed(t, v, false); strings.Contains(text, "DANGER") {
		t.Errorf("raising a limit is called dangerous:\n%s", text)
	}
	v.Findings[0].Fixes[0] = rule.Fix{Text: rule.T("wake it"), Command: shell.Line("kill -CONT 4711")}
	if text := printed(t, v, false); strings.Contains(text, "DANGER") {
		t.Errorf("waking a process is called dangerous:\n%s", text)
	}
}

// Advice for later is told in whole sentences, or counted.
func TestLaterIsNotCutWithinASentence(t *testing.T) {
	long := "change the rows that many want last, commit at once, and do not keep a transaction open while the program waits for something else"
	f := rule.Finding{Headline: rule.T("slow"), Confidence: rule.Certain, Fixes: []rule.Fix{
		{Text: rule.T("now"), Tradeoff: "none"}, {Text: rule.T("%s", long), Tradeoff: "time"}, {Text: rule.T("second"), Tradeoff: "time"}, {Text: rule.T("third"), Tradeoff: "time"}}}
	v := verdict.Verdict{Findings: []verdict.Finding{{Rank: 1, Finding: f}}}
	var out strings.Builder
	if err := document.Terminal(&out, report.Compose(v, false), document.TerminalOptions{Width: 80}); err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(strings.Fields(out.String()), " "); !strings.Contains(text, long+"; and 2 more (-v)") || strings.Contains(text, "costs: none") {
		t.Errorf("%s", out.String())
	}
}
