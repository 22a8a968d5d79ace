package mysql

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"rtrail/internal/recording"
)

const (
	// maxDigests is how many statements of one reading are kept: those that
	// took most time since the reading before.
	maxDigests = recording.MaxStatements
	// maxRemembered bounds what is held of a reading: performance_schema has
	// 10,000 digests by default, at most.
	maxRemembered = 10000
	// maxDigest is the longest digest: SHA-256 in hexadecimal, and what marks
	// those of prepared statements.
	maxDigest = 80
)

type digestKey struct{ schema, digest string }

// digestNumbers are the columns of counters; texts are fetched of the few that
// are kept. Times are in picoseconds.
const digestNumbers = `SELECT SCHEMA_NAME AS db, DIGEST AS digest, COUNT_STAR AS n, SUM_TIMER_WAIT AS took, SUM_LOCK_TIME AS locked, SUM_ERRORS AS errors,
SUM_ROWS_AFFECTED AS affected, SUM_ROWS_SENT AS sent, SUM_ROWS_EXAMINED AS examined, SUM_CREATED_TMP_TABLES AS tmp,
SUM_CREATED_TMP_DISK_TABLES AS disk, SUM_SELECT_FULL_JOIN AS joins, SUM_SELECT_SCAN AS scans, SUM_SORT_MERGE_PASSES AS merges,
SUM_SORT_ROWS AS sorted, SUM_NO_INDEX_USED AS noindex, UNIX_TIMESTAMP(FIRST_SEEN) AS first
FROM performance_schema.events_statements_summary_by_digest WHERE DIGEST IS NOT NULL%s LIMIT %d`

// readDigests reads the statements that took most time since the last reading.
// Of each, the row of that reading is written too, so that the growth is known.
func readDigests(l *look) error {
	if err := l.needSchema(); err != nil {
		return err
	}
	// What nobody ran since the last reading has not grown. A server that is a
	// minute behind would miss some; two cover clocks that are kept.
	since := ""
	if !l.seen.digested.IsZero() {
		since = fmt.Sprintf(" AND LAST_SEEN >= NOW() - INTERVAL %d SECOND", int(l.at.Sub(l.seen.digested).Seconds())+120)
	}
	r, err := l.query("the statements", fmt.Sprintf(digestNumbers, since, maxRemembered))
	if err != nil {
		return err
	}
	first := l.seen.digests == nil
	if first && r.Len() == 0 {
		return &absence{why: "performance_schema counts no statements", how: "UPDATE performance_schema.setup_consumers SET ENABLED='YES' WHERE NAME='statements_digest'; " +
			"UPDATE performance_schema.setup_instruments SET ENABLED='YES', TIMED='YES' WHERE NAME LIKE 'statement/%'"}
	}
	if first {
		l.seen.digests = make(map[digestKey]recording.MySQLStatement, r.Len())
	}
	var list []grown
	for row := range r.Rows() {
		now := l.digest(row)
		if len(now.Digest) > maxDigest {
			continue
		}
		k := digestKey{now.Schema, now.Digest}
		before, known := l.seen.digests[k]
		if len(l.seen.digests) < maxRemembered || known {
			l.seen.digests[k] = now
		}
		if first {
			continue
		}
		if !known {
			before = now.Unrun()
		}
		if now.Count < before.Count { // truncated meanwhile
			before.Count, before.Took = 0, 0
		}
		list = append(list, grown{before, now})
	}
	prepared, err := l.prepared(first)
	if err != nil {
		return err
	}
	list = append(list, prepared...)
	list = slices.DeleteFunc(list, func(g grown) bool { return g.now.Count <= g.before.Count })
	slices.SortStableFunc(list, func(a, b grown) int { return cmp.Compare(b.now.Took-b.before.Took, a.now.Took-a.before.Took) })
	list = list[:min(len(list), maxDigests)]
	last := l.seen.digested
	l.seen.digested = l.at
	return l.writeStatements(list, last)
}

// grown is a statement at the last reading and at this one.
type grown struct{ before, now recording.MySQLStatement }

// writeStatements writes both rows of each, first all of the last reading.
func (l *look) writeStatements(list []grown, last time.Time) error {
	if len(list) == 0 {
		return nil
	}
	var digests, prepared []string
	for _, g := range list {
		switch {
		case g.now.Prepared():
			prepared = append(prepared, g.now.Digest)
			continue
		case g.now.NoIndex > g.before.NoIndex:
			l.unindexed = append(l.unindexed, digestKey{g.now.Schema, g.now.Digest})
		}
		digests = append(digests, g.now.Digest)
	}
	texts, err := l.digestTexts(digests)
	if err != nil {
		return err
	}
	if err := l.preparedTexts(prepared, texts); err != nil {
		return err
	}
	rows := make([]recording.MySQLStatement, 0, 2*len(list))
	for _, g := range list {
		g.before.At, g.before.Text = last, texts[g.now.Digest]
		rows = append(rows, g.before)
	}
	for _, g := range list {
		g.now.Text = texts[g.now.Digest]
		rows = append(rows, g.now)
	}
	recording.Give(l.w, rows)
	return nil
}

type valueRow interface {
	Text(string) string
	Name(string) string
	Int(string) int64
}

func (l *look) digest(row valueRow) recording.MySQLStatement {
	s := recording.MySQLStatement{At: l.at, Server: l.target.Name, Schema: row.Name("db"), Digest: row.Text("digest"), Count: row.Int("n"),
		Took: picoseconds(row.Int("took")), LockTime: picoseconds(row.Int("locked")), Errors: row.Int("errors"), Affected: row.Int("affected"),
		Sent: row.Int("sent"), Examined: row.Int("examined"), TmpTables: row.Int("tmp"), TmpDisk: row.Int("disk"), FullJoins: row.Int("joins"),
		Scans: row.Int("scans"), SortMerges: row.Int("merges"), SortRows: row.Int("sorted"), NoIndex: row.Int("noindex")}
	if first := row.Int("first"); first > 0 {
		s.First = time.Unix(first, 0)
	}
	return s
}

func picoseconds(n int64) time.Duration {
	if n < 0 {
		return recording.Unknown
	}
	return time.Duration(n / 1000)
}

// maxTexts bounds an answer with texts of digests: each is there once for every
// schema.
const maxTexts = 20 * maxDigests

// digestTexts fetches what the statements of some digests look like.
func (l *look) digestTexts(digests []string) (map[string]string, error) {
	var in []string
	for _, d := range digests {
		if isHex(d) {
			in = append(in, "'"+d+"'")
		}
	}
	texts := map[string]string{}
	if len(in) == 0 {
		return texts, nil
	}
	r, err := l.queryRows("the texts of statements", "SELECT DIGEST AS digest, DIGEST_TEXT AS text "+
		"FROM performance_schema.events_statements_summary_by_digest WHERE DIGEST IN ("+strings.Join(in, ",")+")", maxTexts)
	if err != nil {
		return nil, err
	}
	for row := range r.Rows() {
		text := row.Text("text")
		// MySQL 9 has prepared statements so; EXECUTE of a name is another thing.
		if executed, ok := strings.CutPrefix(text, "EXECUTE "); ok && !strings.HasPrefix(executed, "`") {
			text = executed
		}
		texts[row.Text("digest")] = l.bare(strings.TrimSuffix(text, "..."), strings.HasSuffix(text, "..."))
	}
	return texts, nil
}

// bare is a statement without literals; cut says that its end is missing.
func (l *look) bare(text string, cut bool) string {
	return l.words.Of("mysql", "Query", []byte(text), cut)
}

// isHex guards the places where a text of the server gets into a statement.
func isHex(s string) bool {
	return s != "" && strings.Trim(s, "0123456789abcdefABCDEF") == ""
}
