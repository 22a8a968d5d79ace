package mysql

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/view"
)

// rulesWork are about the work that statements make: rows read, tables and
// files made on the way, pages fetched, syncs waited for.
var rulesWork = []rule.Rule{costlyStatement, fullScan, tmpDiskTables, sorting, bufferPoolSmall, commitFlush, missingTables}

var minTime = rule.Threshold{Name: "min-time", Value: 0.05, Unit: "seconds per second", Source: rule.Judgement,
	Reason: "Seconds that statements take per second of the window: a twentieth of one core, or of one client's time. A healthy server runs a little of everything."}

// work is a statement of a server over the window, and what is known of it from
// whichever source tells. Counts are of the window; NaN where no source tells.
type work struct {
	schema, text string
	digest       string  // of performance_schema; "" when it comes from elsewhere
	took         float64 // seconds of execution per second of the window; of a server without digests: connections seen in it at a time
	count        float64 // executions
	examined     float64 // rows
	returned     float64 // rows sent or changed
	tmpDisk      float64 // temporary tables on disk
	merges       float64 // merge passes of sorts
	sorted       float64 // rows
	unindexed    float64 // executions that read a table or joined one without an index
	joined       float64 // tables that were joined without an index, of all executions together; 0 if not known
	seconds      float64 // that the digest's counts are of
	errors       float64
	sampled      bool // from the process list and the slow log, not from digests
	logged       bool // the rows are the slow log's, so of whole executions
}

// workOf lists the statements of a server, those that took most time first: by
// its digests, or by what the process list showed and the slow log says. What
// servers and tools ask about themselves is left out.
func workOf(v *view.View, s *view.MySQLServer) []work {
	return view.Memo(v, "mysql work "+s.Server, func() []work {
		list, ok := digested(v, s)
		if !ok {
			list = sampled(v, s)
		}
		list = slices.DeleteFunc(list, func(w work) bool { return w.text == "" || introspective(w.schema, w.text) })
		slices.SortStableFunc(list, func(a, b work) int { return cmp.Compare(b.took, a.took) })
		return list
	})
}

// digested says whether the server keeps digests, and what they say.
func digested(v *view.View, s *view.MySQLServer) (list []work, ok bool) {
	statements, ok := v.StatementsOf(s.Server)
	if !ok {
		return nil, false
	}
	for _, d := range statements {
		if d.Seconds <= 0 {
			continue
		}
		list = append(list, work{schema: d.Schema, text: d.Text, digest: d.Digest, took: d.Took.Seconds() / d.Seconds, count: float64(d.Count),
			examined: float64(d.Examined), returned: float64(d.Sent + d.Affected), tmpDisk: float64(d.TmpDisk), merges: float64(d.SortMerges),
			sorted: float64(d.SortRows), unindexed: float64(d.NoIndex), errors: float64(d.Errors),
			joined: float64(d.FullJoins), seconds: d.Seconds})
	}
	return list, true
}

// sampled puts together what the process list and the slow log tell.
func sampled(v *view.View, s *view.MySQLServer) []work {
	known := map[string]*work{}
	var order []string
	of := func(schema, text string) *work {
		w := known[text]
		if w == nil {
			w = &work{schema: schema, text: text, sampled: true, examined: math.NaN(), returned: math.NaN(), count: math.NaN(),
				tmpDisk: math.NaN(), merges: math.NaN(), sorted: math.NaN(), unindexed: math.NaN(), errors: math.NaN()}
			known[text] = w
			order = append(order, text)
		}
		return w
	}
	_, looks := v.StatesOf(s.Server)
	waits := waitingForRows(v, s)
	for _, look := range v.SessionsOf(s.Server) {
		for _, r := range look {
			if r.Command == "Sleep" || r.Statement == "" || looks == 0 || waits[waiting{r.At, r.ID}] {
				continue
			}
			w := of(r.DB, r.Statement)
			w.took += 1 / float64(looks)
			// Rows so far are the least that one execution examines.
			if r.Examined >= 0 && !(float64(r.Examined) <= w.examined) {
				w.examined, w.returned, w.count = float64(r.Examined), math.NaN(), 1
				if r.Sent >= 0 {
					w.returned = float64(r.Sent)
				}
			}
		}
	}
	var logged = map[string]time.Duration{}
	for _, q := range v.SlowQueriesOf(s.Server) {
		if q.Statement == "" {
			continue
		}
		w := of(q.DB, q.Statement)
		if !w.logged {
			w.logged, w.examined, w.returned, w.count = true, 0, 0, 0
		}
		w.examined += float64(q.Examined)
		w.returned += float64(q.Sent)
		w.count++
		logged[q.Statement] += q.Took
	}
	list := make([]work, 0, len(order))
	for _, text := range order {
		w := known[text]
		w.took = max(w.took, logged[text].Seconds()/max(v.Seconds(), 1))
		list = append(list, *w)
	}
	return list
}

// waiting is a session at the time of a look.
type waiting struct {
	at      time.Time
	session int64
}

// waitingForRows are the sessions that wait for the row lock of another one. What they run reads
// nothing meanwhile, and the state in the process list does not tell: it is "Updating".
func waitingForRows(v *view.View, s *view.MySQLServer) map[waiting]bool {
	found := map[waiting]bool{}
	for _, look := range v.TransactionsOf(s.Server) {
		for _, t := range look {
			if t.State == "LOCK WAIT" {
				found[waiting{t.At, t.Session}] = true
			}
		}
	}
	return found
}

// introspective says that a statement reads what the server says about itself,
// as monitors do.
func introspective(schema, text string) bool {
	lower := strings.ToLower(text)
	switch strings.ToLower(schema) {
	case "performance_schema", "information_schema", "sys", "mysql":
		return true
	}
	return strings.Contains(lower, "performance_schema") || strings.Contains(lower, "information_schema") || strings.HasPrefix(lower, "show ") ||
		strings.HasPrefix(lower, "binlog dump")
}

var materialShare = rule.Threshold{Name: "material-share", Value: 0.1, Unit: "share", Source: rule.Judgement,
	Reason: "Share of the time of all statements. A statement below it would change little, and must not be named as the server's problem."}

// totalTime is the time all statements take, in seconds per second.
func totalTime(list []work) float64 {
	sum := 0.0
	for _, w := range list {
		sum += w.took
	}
	return sum
}

// each is a count per execution; NaN if either is not known.
func (w work) each(n float64) float64 {
	if w.count <= 0 {
		return math.NaN()
	}
	return n / w.count
}

// perReturned is rows examined per row returned, or per execution of a
// statement that returns none: a sum would grow with the window.
func (w work) perReturned() float64 {
	if w.returned == 0 {
		return w.each(w.examined)
	}
	return w.examined / w.returned
}

// brief is the statement as a headline shows it.
func (w work) brief() string { return brief(w.text, 60) }

func brief(text string, maxRunes int) string {
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, "`", "")), " ")
	if r := []rune(text); len(r) > maxRunes {
		return string(r[:maxRunes-1]) + "…"
	}
	return text
}

// check is how a sceptic sees the numbers of a statement.
func (w work) check(s *view.MySQLServer, columns shell.Names) shell.Command {
	if w.digest == "" {
		if w.logged {
			return shell.Line("pt-query-digest SLOW_LOG   # or: grep -A3 Rows_examined SLOW_LOG")
		}
		return ask(s, shell.SQL("show full processlist"))
	}
	if hash, ok := strings.CutPrefix(w.digest, recording.PreparedDigest); ok {
		return ask(s, shell.SQL("select sql_text, count_execute, %s from performance_schema.prepared_statements_instances where sha1(left(sql_text, 1024)) = %s", columns, hash))
	}
	return ask(s, shell.SQL("select digest_text, count_star, %s from performance_schema.events_statements_summary_by_digest where digest = %s", columns, w.digest))
}

// explain asks for the plan of a statement. Its names keep their quotes, and one
// that is too long to be pasted is not offered.
func explain(s *view.MySQLServer, text string) shell.Command {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxExplained {
		return ask(s, shell.SQL("show full processlist"))
	}
	return ask(s, shell.SQL("explain %s", shell.Statement(text)))
}

// maxExplained is the longest statement, in bytes, that stands in a command.
const maxExplained = 400

// ask is a command line that puts a question to a server as the user that rtrail
// asks as.
func ask(s *view.MySQLServer, query shell.Query) shell.Command { return askAs(s, asUser(s), query) }

// asUser is the option of the mysql client that names the user rtrail logs in as;
// none where it takes that one by itself.
func asUser(s *view.MySQLServer) shell.Command {
	if s.User == "" {
		return shell.Command{}
	}
	return shell.Line("-u %s", s.User)
}

// askAs puts a question to a server as the user that an option names.
func askAs(s *view.MySQLServer, user shell.Command, query shell.Query) shell.Command {
	if strings.HasPrefix(s.Server, "/") {
		return shell.Line("mysql -S %s %s -e %s", s.Server, user, query)
	}
	client := shell.Line("mysql")
	if i := strings.LastIndexByte(s.Server, ':'); i >= 0 {
		client = client.With("-h %s -P %s", strings.Trim(s.Server[:i], "[]"), s.Server[i+1:])
	} else if s.Server != "" { // a log does not tell where its server is
		client = client.With("-h %s", s.Server)
	}
	return shell.Line("%s %s -e %s", client, user, query)
}

// status is a command line that shows counters of a server.
func status(s *view.MySQLServer, pattern string) shell.Command {
	return ask(s, shell.SQL("show global status like %s", pattern))
}

// named is how a headline begins: "mariadbd (4711)", "mysql 10.0.0.2:3306".
func named(s *view.MySQLServer) string { return s.Entity().String() }

// connectionsIn is the mean number of connections in any of the states that a
// test says yes to.
func connectionsIn(v *view.View, s *view.MySQLServer, in func(state string) bool) (mean float64) {
	states, _ := v.StatesOf(s.Server)
	for _, x := range states {
		if in(x.State) {
			mean += x.Mean
		}
	}
	return mean
}

// timeLost words an impact of seconds per second.
func timeLost(seconds float64, text rule.Text) rule.Impact {
	return rule.Impact{TimeLost: max(seconds, 0.001), Text: text}
}
