package imported

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/mysqlconn"
	"rtrail/internal/probe/mysql"
	"rtrail/internal/recording"
	"rtrail/internal/unit"
)

const (
	// maxMoments bounds how often a server was asked: once a second for ten minutes.
	maxMoments = 600
	// maxAnswer bounds a field of an answer: statements are longer, and their beginning will do.
	maxAnswer = 4 << 10
	// maxFields bounds those of a row: INNODB_TRX has 25.
	maxFields = 100
	// mysqlName names a server that does not tell its socket.
	mysqlName = "localhost"
	// maxSocket is the longest path of a socket (unix(7)).
	maxSocket = 107
)

// answers are what a file holds of what MySQL said.
type answers struct {
	kind    string              // "status", "variables", "innodb", "processes", "transactions", "waits"
	moments []*mysqlconn.Result // one after the other
	text    string              // of "innodb"
}

// vertical is the line above each row that the mysql client prints for \G.
var vertical = regexp.MustCompile(`^\*{20,} (\d{1,7})\. row \*{20,}$`)

// mysqlKind says what of MySQL a text is; "": nothing.
func mysqlKind(head []byte) string {
	head = bytes.TrimLeft(head, "\r\n")
	first, rest, _ := bytes.Cut(head, []byte{'\n'})
	second, _, _ := bytes.Cut(rest, []byte{'\n'})
	switch {
	case bytes.HasPrefix(first, []byte("+---")) && bytes.HasPrefix(second, []byte("| Variable_name ")):
		return "status"
	case string(first) == "SHOW GLOBAL VARIABLES", bytes.HasPrefix(head, []byte("Variable_name\tValue\n")) && bytes.Contains(head, []byte("\nauto_increment_increment\t")):
		return "variables"
	case !vertical.Match(first):
		return ""
	}
	name, _, _ := strings.Cut(strings.TrimSpace(string(second)), ":")
	return map[string]string{"Type": "innodb", "Id": "processes", "trx_id": "transactions", "who_blocks": "waits", "waiting_trx_id": "waits"}[name]
}

// parseMySQL reads what pt-stalk asked MySQL.
func parseMySQL(file, text string, _ time.Time) (*told, error) {
	t := &told{tool: "MySQL's answers", file: file}
	a := &answers{kind: mysqlKind([]byte(text[:min(len(text), headBytes)]))}
	t.mysql = a
	lines := lineReader{text: text}
	switch a.kind {
	case "innodb":
		_, a.text, _ = strings.Cut(text, "Status:")
		a.text, lines.rows = strings.Clone(strings.TrimLeft(a.text, " \r\n")), 1
	case "status":
		a.table(&lines)
		if len(a.moments) > maxMoments {
			t.note("%s: the first %d of %d answers were read", file, maxMoments, len(a.moments))
			a.moments = a.moments[:maxMoments]
		}
	case "variables":
		r := mysqlconn.NewResult([]string{"Variable_name", "Value"})
		for line, ok := lines.next(); ok; line, ok = lines.next() {
			if name, value, ok := strings.Cut(line, "\t"); ok && name != "Variable_name" && lines.room() {
				r.Add([]string{clip(name), bounds(value)}, nil)
			}
		}
		a.moments = append(a.moments, r)
	default:
		a.rows(&lines)
	}
	if lines.rows == 0 && lines.bad == 0 {
		return nil, fmt.Errorf("reading %s: there is no answer of MySQL in it", file)
	}
	return t, lines.check(t)
}

// bounds keeps the beginning of an answer.
func bounds(s string) string {
	return strings.Clone(strings.ToValidUTF8(s[:min(len(s), maxAnswer)], ""))
}

// table reads the tables that mysqladmin prints, one for each time that it asked. One that is cut
// off is left out.
func (a *answers) table(lines *lineReader) {
	var r *mysqlconn.Result
	for line, ok := lines.next(); ok; line, ok = lines.next() {
		switch {
		case strings.HasPrefix(line, "+--"):
			if r != nil && r.Len() > 0 {
				a.moments = append(a.moments, r)
				r = nil
			}
		case strings.HasPrefix(line, "| Variable_name "):
			r = mysqlconn.NewResult([]string{"Variable_name", "Value"})
		case line == "":
		default:
			words := strings.Split(line, "|")
			if r == nil || len(words) < 4 {
				lines.damaged(line)
				continue
			}
			lines.rows++
			if len(a.moments) < maxMoments && r.Len() < maxThings {
				r.Add([]string{clip(strings.TrimSpace(words[1])), clip(strings.TrimSpace(words[2]))}, nil)
			}
		}
	}
}

// record is one row that the mysql client printed for \G.
type record map[string]string

// rows reads what the mysql client prints for \G. A new answer begins with row 1.
func (a *answers) rows(lines *lineReader) {
	var all [][]record
	var now record
	var last string // the field that goes on
	colon, row := 0, 0
	for line, ok := lines.next(); ok; line, ok = lines.next() {
		if m := vertical.FindStringSubmatch(line); m != nil {
			// Names are printed so that their colons stand below each other: what stands
			// elsewhere is the text of a statement, which may look like anything.
			n, _ := strconv.Atoi(m[1])
			if n != 1 && n != row+1 {
				continue
			}
			if row, colon, last, now = n, 0, "", nil; !lines.room() {
				continue
			}
			now = record{}
			if n == 1 {
				all = append(all, nil)
			}
			all[len(all)-1] = append(all[len(all)-1], now)
			continue
		}
		if now == nil {
			continue
		}
		at := colon
		if at == 0 {
			at = strings.IndexByte(line, ':')
		}
		name := ""
		if at > 0 && at < len(line) && line[at] == ':' {
			name = strings.TrimLeft(line[:at], " ")
		}
		if _, there := now[name]; there || name == "" || len(now) == maxFields || strings.ContainsAny(name, " '\"`") || len(name) > maxKey {
			if v := now[last]; last != "" && len(v) < maxAnswer {
				now[last] = bounds(v + "\n" + line)
			}
			continue
		}
		colon, last = at, strings.Clone(name)
		now[last] = bounds(strings.TrimPrefix(line[at+1:], " "))
	}
	a.moment(all)
}

// moment makes answers of records, with the columns that the probe of MySQL reads.
func (a *answers) moment(all [][]record) {
	for _, rows := range all {
		if len(rows) == 0 {
			continue
		}
		switch _, trx := rows[0]["trx_id"]; {
		case a.kind == "processes":
			a.moments = append(a.moments, processes(rows))
		case trx:
			a.moments = append(a.moments, renamed(rows, "trx_id", "trx_id", "trx_state", "trx_state", "trx_started", "started", "trx_mysql_thread_id", "session",
				"trx_isolation_level", "isolation", "trx_rows_locked", "locked", "trx_rows_modified", "modified", "trx_query", "query"))
		case rows[0]["waiting_thread"] != "":
			a.moments = append(a.moments, renamed(rows, "waiting_thread", "waiting", "blocking_thread", "blocking", "waiting_table_lock", "object", "wait_time", "waited",
				"waiting_query", "query", "blocking_query", "blocking_query"))
		}
	}
}

// renamed takes columns under other names.
func renamed(rows []record, pairs ...string) *mysqlconn.Result {
	var from, to []string
	for i := 0; i < len(pairs); i += 2 {
		from, to = append(from, pairs[i]), append(to, pairs[i+1])
	}
	r := mysqlconn.NewResult(to)
	for _, row := range rows {
		values := make([]string, len(from))
		for i, name := range from {
			values[i] = row[name]
		}
		r.Add(values, func(i int) bool { return values[i] == "NULL" || values[i] == "" })
	}
	return r
}

// processes is a process list without the one who asked for it.
func processes(rows []record) *mysqlconn.Result {
	r := mysqlconn.NewResult([]string{"id", "user", "host", "db", "command", "ms", "state", "info", "length"})
	for _, p := range rows {
		if strings.EqualFold(strings.TrimRight(p["Info"], ";"), "SHOW FULL PROCESSLIST") {
			continue
		}
		length := strconv.Itoa(len(p["Info"]))
		if len(p["Info"]) >= maxAnswer {
			length = "-1"
		}
		values := []string{p["Id"], p["User"], p["Host"], p["db"], p["Command"], p["Time"] + "000", p["State"], p["Info"], length}
		r.Add(values, func(i int) bool { return i != 2 && values[i] == "NULL" || i == 5 && p["Time"] == "" })
	}
	return r
}

// joinMySQL makes one source of what files tell of MySQL.
func joinMySQL(all []*told) ([]*told, error) {
	var rest, parts []*told
	for _, t := range all {
		if t.mysql != nil {
			parts = append(parts, t)
		} else {
			rest = append(rest, t)
		}
	}
	if len(parts) == 0 {
		return all, nil
	}
	joined := &told{tool: parts[0].tool, dated: true, clock: Untold, whole: recording.New(recording.Manifest{})}
	of := map[string][]*told{}
	for _, t := range parts {
		if collected.MatchString(filepath.Base(t.file)) {
			joined.clock = Local // its name tells the time
		}
		if k := t.mysql.kind; len(of[k]) > 0 && k != "innodb" {
			return nil, fmt.Errorf("reading %s and %s: both tell the same of MySQL; give the files of one collection", of[k][0].file, t.file)
		}
		of[t.mysql.kind] = append(of[t.mysql.kind], t)
		joined.notes = append(joined.notes, t.notes...)
		if joined.file == "" {
			joined.file = t.file
		} else {
			joined.file += ", " + filepath.Base(t.file)
		}
	}
	moments, err := joined.moments(of, began(rest, parts))
	if err != nil && len(rest) > 0 && !slices.ContainsFunc(parts, func(t *told) bool { return !ofCollection(t.file) }) {
		rest[0].notes = append(append(rest[0].notes, joined.notes...), leftOutFor(err))
		return rest, nil
	}
	if err != nil {
		return nil, err
	}
	if len(moments) < 2 {
		if len(rest) == 0 {
			return nil, fmt.Errorf("reading %s: it tells of one moment, and a rate needs two; give what mysqladmin extended-status -i 1 -c 10 prints, or all files of pt-stalk", joined.file)
		}
		rest[0].notes = append(rest[0].notes, joined.notes...)
		rest[0].note("%s: left out, as there is no second moment in it, with which a rate could be made", joined.file)
		return rest, nil
	}
	offset, known := clockOffset(of["innodb"], moments[0].At)
	teller := mysql.NewTeller(nameOf(moments[0].Variables), offset, untoldOf(moments)...)
	for i := range moments {
		m := &moments[i]
		m.Transactions = aged(m.Transactions, m.At.Add(offset), known)
		w := recording.NewWriter(m.At)
		if err := teller.Write(w, *m); err != nil {
			joined.note("%s: the status of InnoDB was not understood: %v", joined.file, err)
		}
		_ = joined.whole.Commit(w) // memory takes all
		joined.reports = append(joined.reports, report{at: m.At})
	}
	return append(rest, joined), nil
}

// moments puts together what was told at the same times.
func (t *told) moments(of map[string][]*told, from time.Time) ([]mysql.Told, error) {
	list := func(kind string) []*mysqlconn.Result {
		if len(of[kind]) == 0 {
			return nil
		}
		return of[kind][0].mysql.moments
	}
	status, n := list("status"), len(list("status"))
	if n == 0 {
		n = len(list("processes"))
	}
	moments := make([]mysql.Told, min(n, maxMoments))
	first, before := 0.0, 0.0
	for i := range moments {
		moments[i].At = from.Add(time.Duration(i) * usual)
		if status == nil {
			continue
		}
		up := uptime(status[i])
		if i == 0 {
			first, before = up, up
		}
		if up < before || i > 0 && up-first > 1e6 {
			return nil, fmt.Errorf("reading %s: Uptime goes from %.0f to %.0f in answer %d: the server was started in between, or these are differences (mysqladmin -r); record without -r, from after the start", of["status"][0].file, before, up, i+1)
		}
		if i > 0 && up == before {
			up += 0.5 // asked twice in a second
		}
		moments[i].At, moments[i].Status, before = from.Add(time.Duration((up-first)*float64(time.Second))), status[i], up
	}
	if len(moments) == 0 {
		return nil, nil
	}
	for kind, to := range map[string]func(*mysql.Told, *mysqlconn.Result){
		"processes":    func(m *mysql.Told, r *mysqlconn.Result) { m.Processes = r },
		"transactions": func(m *mysql.Told, r *mysqlconn.Result) { m.Transactions = r },
		"waits":        func(m *mysql.Told, r *mysqlconn.Result) { m.RowLocks = r },
	} {
		switch answers := list(kind); {
		case answers == nil:
		case len(answers)+1 < len(moments):
			// Where nothing waits nothing is printed.
			t.note("%s: left out: it tells %s, and does not say which of the %d of the others", of[kind][0].file, unit.Plural(int64(len(answers)), "moment", "moments"), len(moments))
		default:
			for i := range min(len(answers), len(moments)) {
				to(&moments[i], answers[i])
			}
		}
	}
	if v := list("variables"); v != nil {
		moments[0].Variables = v[0]
	}
	slices.SortFunc(of["innodb"], func(a, b *told) int { return strings.Compare(a.file, b.file) })
	for i, s := range of["innodb"] {
		if i < 2 {
			moments[i*(len(moments)-1)].InnoDB = s.mysql.text // pt-stalk asks first and last
		}
	}
	return moments, nil
}

// untoldOf are the sights of which no moment tells.
func untoldOf(moments []mysql.Told) []recording.Sight {
	list := []recording.Sight{recording.UnseenPoolGroups}
	for sight, there := range map[recording.Sight]func(mysql.Told) bool{
		recording.UnseenTransactions: func(m mysql.Told) bool { return m.Transactions != nil },
		recording.UnseenSessions:     func(m mysql.Told) bool { return m.Processes != nil },
		recording.UnseenInnoDB:       func(m mysql.Told) bool { return m.InnoDB != "" },
	} {
		if !slices.ContainsFunc(moments, there) {
			list = append(list, sight)
		}
	}
	slices.Sort(list)
	return list
}

// nameOf names a server as its clients on this host do: by its socket.
func nameOf(variables *mysqlconn.Result) string {
	if variables != nil {
		for row := range variables.Rows() {
			if v := row.At(1); row.At(0) == "socket" && filepath.IsAbs(v) && len(v) <= maxSocket {
				return v
			}
		}
	}
	return mysqlName
}

// uptime is that of the server; 0 if it is not told.
func uptime(status *mysqlconn.Result) float64 {
	for row := range status.Rows() {
		if strings.EqualFold(row.At(0), "Uptime") {
			n, _ := number(row.At(1))
			return n
		}
	}
	return 0
}

// began is when the first question was asked: when other files of the collection begin, or by
// its name.
func began(rest, parts []*told) (from time.Time) {
	for _, t := range rest {
		if t.dated && len(t.reports) > 0 && (from.IsZero() || t.reports[0].at.Before(from)) {
			from = t.reports[0].at
		}
		if len(t.trees) > 0 && from.IsZero() {
			from = t.trees[0].at
		}
	}
	for _, t := range parts {
		if m := collected.FindStringSubmatch(filepath.Base(t.file)); m != nil && from.IsZero() {
			from, _ = time.ParseInLocation("2006_01_02_15_04_05", m[1], time.Local)
		}
	}
	if from.IsZero() {
		from = time.Now().Truncate(time.Second).Add(-maxMoments * usual)
		parts[0].note("%s: the text has no times: one a second is assumed", parts[0].file)
	}
	return from
}

// monitor is the time at which InnoDB wrote its status, by the server's clock.
var monitor = regexp.MustCompile(`(?m)^(\d{4}-\d\d-\d\d +\d{1,2}:\d\d:\d\d) .*INNODB MONITOR OUTPUT`)

// clockOffset is how far the server's clock is from UTC, in quarters of an hour, as its status
// and the time at which it was asked tell.
func clockOffset(status []*told, asked time.Time) (offset time.Duration, known bool) {
	if len(status) == 0 {
		return 0, false
	}
	m := monitor.FindStringSubmatch(status[0].mysql.text)
	if m == nil {
		return 0, false
	}
	at, err := time.Parse(time.DateTime, strings.Join(strings.Fields(m[1]), " "))
	if err != nil {
		return 0, false
	}
	offset = at.Sub(asked).Round(15 * time.Minute)
	apart := (at.Sub(asked) - offset).Abs()
	return offset, offset.Abs() <= 14*time.Hour && apart < 2*time.Minute
}

// aged gives transactions their ages, if it is known what the server's clock showed.
func aged(r *mysqlconn.Result, now time.Time, known bool) *mysqlconn.Result {
	if r == nil {
		return nil
	}
	columns := append(slices.Clone(r.Columns), "age")
	out := mysqlconn.NewResult(columns)
	for row := range r.Rows() {
		values := make([]string, len(columns))
		for i, c := range r.Columns {
			values[i] = row.Text(c)
		}
		if at, err := time.Parse(time.DateTime, row.Text("started")); err == nil && known {
			values[len(values)-1] = strconv.FormatInt(int64(max(now.UTC().Sub(at), 0)/time.Second), 10)
		}
		out.Add(values, func(i int) bool { return values[i] == "" })
	}
	return out
}

// mysqlGiver moves the rows of a table of MySQL.
func mysqlGiver[T recording.Row](t recording.Table) giver {
	of := func(r *rows) []T {
		if r.told.whole == nil {
			return nil
		}
		return recording.Rows[T](r.told.whole)
	}
	return giver{t, func(r *rows) int { return len(of(r)) }, func(w *recording.Writer, r *rows) { recording.Give(w, slices.Clone(of(r))) }}
}

var mysqlGivers = []giver{
	mysqlGiver[recording.MySQLServer](recording.MySQLServers), mysqlGiver[recording.MySQLStatus](recording.MySQLStatuses),
	mysqlGiver[recording.MySQLVariable](recording.MySQLVariables), mysqlGiver[recording.MySQLSession](recording.MySQLSessions),
	mysqlGiver[recording.MySQLClient](recording.MySQLClients), mysqlGiver[recording.MySQLState](recording.MySQLStates),
	mysqlGiver[recording.MySQLTransaction](recording.MySQLTransactions), mysqlGiver[recording.MySQLLockWait](recording.MySQLLockWaits),
	mysqlGiver[recording.UnseenNote](recording.Unseen), mysqlGiver[recording.MySQLInnoDB](recording.MySQLInnoDBs), mysqlGiver[recording.MySQLLatch](recording.MySQLLatches),
}
