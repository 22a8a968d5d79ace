package mysql

import (
	"math"
	"strings"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var preparedPadding = rule.Rule{
	ID:         "mysql/prepared-padding",
	Title:      "the server copies parameters into long texts of prepared statements",
	Plural:     "servers copy parameters into long texts of prepared statements",
	Resource:   "CPU of MySQL",
	Needs:      []recording.Table{recording.Stacks},
	Explains:   []string{"cpu/saturated", "cpu/one-thread-limit", "rt/server-slow", "rt/worker-queueing"},
	Thresholds: []*rule.Threshold{&dearText, &textCores, &quadratic, &mostBytes, &fewSamples, &busyServer},
	Seen:       serverInside,
	Detect:     detectPreparedPadding,
}

var (
	dearText = rule.Threshold{Name: "dear-text", Value: 0.1, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the CPU time spent rewriting texts. For a few parameters in a short statement it is a thousandth of the execution."}
	textCores = rule.Threshold{Name: "text-cores", Value: 0.05, Unit: "cores", Source: rule.Judgement,
		Reason: "CPU spent rewriting texts, in cores. Less does no harm."}
	quadratic = rule.Threshold{Name: "quadratic", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of that CPU that moves the rest of the text. From here on the cost comes from the length of the text."}
)

// padding is what is known of a server that rewrites statements.
type padding struct {
	insides
	share, cores, moving float64
	samples              int64
	length               int64 // of the longest statement being executed; -1
	longest              time.Duration
	executing            float64 // connections in Command Execute, mean
	state                string
	statement, client    string
	sure                 rule.Confidence
}

// inserting says whether a thread puts parameters into the text of a statement.
func inserting(r view.StackRow) bool {
	return r.Calls(0, "insert_params", "insert_params_with_log", "insert_params_from_vars", "insert_params_from_vars_with_log", "insert_bulk_params", "emb_insert_params", "emb_insert_params_with_log",
		"insert_parameters", "insert_parameters_from_vars")
}

// moves says whether it moves the rest of the text for that.
func moves(r view.StackRow) bool {
	if !inserting(r) {
		return false
	}
	for _, frame := range r.Frames[:min(len(r.Frames), 5)] {
		if strings.Contains(frame, "memmove") || strings.Contains(frame, "memcpy") || strings.Contains(frame, "realloc") || strings.HasSuffix(frame, "String::replace") || strings.Contains(frame, "mremap") {
			return true
		}
	}
	return false
}

func detectPreparedPadding(v *view.View) ([]rule.Finding, error) {
	servers, err := runningOf(v)
	var found []rule.Finding
	for _, s := range servers {
		if x := (padding{insides: s}); x.look() {
			found = append(found, x.finding())
		}
	}
	return found, err
}

func (x *padding) look() bool {
	if x.share, x.cores, x.samples = x.burnt(inserting); x.share < dearText.Value || !(x.cores >= textCores.Value) {
		return false
	}
	moved, _, _ := x.burnt(moves)
	x.moving = moved / x.share
	x.length = recording.Unknown
	looks := x.v.SessionsOf(x.s.Server)
	for _, look := range looks {
		for _, r := range look {
			if r.Command != "Execute" {
				continue
			}
			x.executing += 1 / float64(len(looks))
			if r.Length > x.length {
				x.length, x.state, x.statement, x.client = r.Length, r.State, r.Statement, r.Client
			}
			x.longest = max(x.longest, r.For)
		}
	}
	x.sure = rule.Likely
	if x.moving >= quadratic.Value {
		x.sure = rule.Certain
	}
	return true
}

func (x *padding) finding() rule.Finding {
	s, who := x.s, x.subject()
	f := rule.Finding{Subject: who, Confidence: x.sure, Affects: x.affects(), Impact: timeLost(max(x.cores, x.executing*x.share), rule.T("%s cores", unit.Number(x.cores)))}
	f.Headline = rule.T("%s spends %s of its CPU time on putting parameters into the texts of prepared statements", who, unit.Share(x.share))
	if x.length > 0 {
		f.Headline = rule.T("%s spends %s of its CPU time on putting parameters into the texts of prepared statements, of up to %s", who, unit.Share(x.share), unit.Bytes(x.length))
	}
	f.Evidence = []rule.Evidence{{Metric: metric.MySQLInsertParamsShare, Value: x.share, Limit: rule.Limit(dearText.Value),
		What:  rule.T("%s of %d samples of its running threads are below insert_params, %s of these move the rest of the text", unit.Share(x.share), x.samples, unit.Share(x.moving)),
		Check: shell.Line("perf record -g -p %d -- sleep 5; perf report --no-children", s.PID)}}
	if x.executing > 0 {
		e := rule.Evidence{Metric: metric.MySQLSessionsInState, Value: x.executing,
			What: rule.T("%s connections execute prepared statements on average, the longest for %s", unit.Number(x.executing), unit.Duration(x.longest)), Check: ask(s, shell.SQL("show processlist"))}
		if x.statement != "" {
			e.What = rule.T("%s connections execute prepared statements on average, state \"%s\", %s: %s", unit.Number(x.executing), x.state, x.client, words(x.statement))
		}
		f.Evidence = append(f.Evidence, e)
	}
	for _, name := range []string{"slow_query_log", "general_log"} {
		if on, ok := s.Switched(name); ok && on {
			f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.MySQLLogsText, Value: 1,
				What: rule.T("%s is ON: the server builds the text with all parameters in it, whether it is logged or not", name), Check: ask(s, shell.SQL("show global variables like '%%_log'"))})
		}
	}
	if prepared := s.Rate("Com_stmt_execute"); !math.IsNaN(prepared) && prepared > 0 {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.MySQLPreparedExecutions, Value: prepared,
			What: rule.T("%s executions of prepared statements", unit.PerSecond(prepared)), Check: status(s, "Com_stmt%")})
	}
	f.Evidence = append(f.Evidence, beside(s)...)
	f.Fixes = x.fixes()
	return f
}

func (x *padding) fixes() []rule.Fix {
	s := x.s
	var list []rule.Fix
	if on, ok := s.Switched("slow_query_log"); ok && on {
		list = append(list, rule.Fix{Text: rule.T("switch the slow log off: without it the server does not build the text"), Command: ask(s, shell.SQL("set global slow_query_log = OFF")),
			Tradeoff: "slow statements are not logged; the digests of the performance schema still count them"})
	}
	if on, ok := s.Switched("general_log"); ok && on {
		list = append(list, rule.Fix{Text: rule.T("switch the general log off"), Command: ask(s, shell.SQL("set global general_log = OFF")), Tradeoff: "statements are not logged"})
	}
	return append(list, rule.Fix{Text: rule.T("let the client insert the parameters: useServerPrepStmts=false (Connector/J), interpolateParams=true (Go)"),
		Tradeoff: "statements are parsed each time; for lists of thousands of values that is cheaper"},
		rule.Fix{Text: rule.T("send fewer markers at once: batches of a thousand values, or a temporary table to join, and no blanks or line breaks between markers"),
			Tradeoff: "more round trips; a change of the program"},
		rule.Fix{Text: rule.T("upgrade to MySQL 8.0 or later, which appends the pieces of the text instead of moving it"), Tradeoff: "an upgrade"})
}
