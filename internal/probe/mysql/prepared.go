package mysql

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	driver "github.com/go-sql-driver/mysql"

	"rtrail/internal/mysqlconn"
	"rtrail/internal/recording"
)

const (
	// maxInstances bounds how many prepared statements are read, those with most
	// time since they were prepared.
	maxInstances = 5000
	// maxPreparedTexts bounds what is remembered by text.
	maxPreparedTexts = 1000
	// preparedText is how much of its text tells one from another, in characters.
	// MySQL keeps no more than this.
	preparedText = 1024
)

// instance is one prepared statement of one connection.
type instance struct{ address, statement, thread int64 }

// preparedMemory is what is remembered of prepared statements. A connection takes
// its statements with it when it ends, so their counters are summed up here, by
// text.
type preparedMemory struct {
	instances map[instance]recording.MySQLStatement // of the last reading
	sums      map[string]recording.MySQLStatement   // what was added since the first reading, by Digest
	texts     map[string]string                     // by Digest
	any       map[string]instance                   // one with this text, by Digest
	blind     bool                                  // the server did not tell, last time
}

// countsPrepared says whether the server counts, beside its digests, what prepared
// statements did. MySQL 5.7, 8.0 and 8.4 do so. MySQL 9.7 has them among the
// digests, as "EXECUTE SELECT ..."; 5.6 counts them nowhere, nor does MariaDB
// 10.5 to 11.8, which lists them with 0 executions.
func (l *look) countsPrepared() bool {
	return !l.about.mariaDB() && l.about.atLeast(5, 7) && !l.about.atLeast(9)
}

// preparedNumbers are the columns of digestNumbers of each prepared statement.
var preparedNumbers = fmt.Sprintf(`SELECT OBJECT_INSTANCE_BEGIN AS address, STATEMENT_ID AS statement, OWNER_THREAD_ID AS thread, SHA1(LEFT(SQL_TEXT, %d)) AS digest,
COUNT_EXECUTE AS n, SUM_TIMER_EXECUTE AS took, SUM_LOCK_TIME AS locked, SUM_ERRORS AS errors, SUM_ROWS_AFFECTED AS affected, SUM_ROWS_SENT AS sent,
SUM_ROWS_EXAMINED AS examined, SUM_CREATED_TMP_TABLES AS tmp, SUM_CREATED_TMP_DISK_TABLES AS disk, SUM_SELECT_FULL_JOIN AS joins,
SUM_SELECT_SCAN AS scans, SUM_SORT_MERGE_PASSES AS merges, SUM_SORT_ROWS AS sorted, SUM_NO_INDEX_USED AS noindex
FROM performance_schema.prepared_statements_instances WHERE COUNT_EXECUTE > 0 ORDER BY SUM_TIMER_EXECUTE DESC LIMIT %d`, preparedText, maxInstances)

// prepared reads what prepared statements did since the last reading, summed up by
// text. Those that were prepared and closed in between are not seen. first says
// that there was none: nothing has grown then.
func (l *look) prepared(first bool) ([]grown, error) {
	m := &l.seen.prepared
	last := m.instances
	m.instances = nil
	open, told := l.status["prepared_stmt_count"]
	m.blind = m.blind || !told
	if !l.countsPrepared() || open == 0 {
		return nil, nil
	}
	r, err := l.query("the prepared statements", preparedNumbers)
	if refused, ok := errors.AsType[*driver.MySQLError](err); ok {
		m.blind = true
		l.notes.add("time by prepared statements", mysqlconn.Text(refused), l.grantee("SELECT ON performance_schema.*"))
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	first = first || m.blind
	m.blind = false
	if lost := l.status["performance_schema_prepared_statements_lost"]; lost > 0 {
		l.notes.add("time by some prepared statements", fmt.Sprintf("performance_schema had no room for %.0f of them", lost),
			"raise performance_schema_max_prepared_statements_instances in my.cnf, then restart the server")
	}
	if m.sums == nil {
		m.sums, m.texts, m.any = map[string]recording.MySQLStatement{}, map[string]string{}, map[string]instance{}
	}
	m.instances = make(map[instance]recording.MySQLStatement, r.Len())
	were := map[string]recording.MySQLStatement{} // sums before this reading
	for row := range r.Rows() {
		k := instance{row.Int("address"), row.Int("statement"), row.Int("thread")}
		now := l.digest(row)
		now.Digest = recording.PreparedDigest + now.Digest
		if len(now.Digest) > maxDigest {
			continue
		}
		m.instances[k] = now
		before, known := last[k]
		if !known || now.Count < before.Count { // new, or reset meanwhile
			before = now.Unrun()
		}
		// Of a list that is cut nobody knows whether a newcomer is new.
		if first || !known && r.Len() == maxInstances || now.Count == before.Count {
			continue
		}
		sum, summed := m.sums[now.Digest]
		if !summed && len(m.sums) == maxPreparedTexts {
			continue
		}
		if !summed {
			sum = now.Unrun()
		}
		if _, begun := were[now.Digest]; !begun {
			were[now.Digest] = sum
		}
		sum.At = l.at
		sum.Grow(before, now)
		m.sums[now.Digest], m.any[now.Digest] = sum, k
	}
	list := make([]grown, 0, len(were))
	for digest, before := range were {
		list = append(list, grown{before, m.sums[digest]})
	}
	slices.SortFunc(list, func(a, b grown) int { return strings.Compare(a.now.Digest, b.now.Digest) })
	return list, nil
}

// preparedTexts adds what prepared statements look like, by Digest.
func (l *look) preparedTexts(digests []string, texts map[string]string) error {
	m := &l.seen.prepared
	var in []string
	asked := map[string]bool{}
	for _, d := range digests {
		if _, known := m.texts[d]; !known {
			asked[d] = true
			in = append(in, strconv.FormatInt(m.any[d].address, 10))
		}
	}
	if len(in) > 0 {
		r, err := l.query("the texts of prepared statements", fmt.Sprintf("SELECT SHA1(LEFT(SQL_TEXT, %d)) AS digest, LEFT(SQL_TEXT, %d) AS text "+
			"FROM performance_schema.prepared_statements_instances WHERE OBJECT_INSTANCE_BEGIN IN (%s)", preparedText, preparedText, strings.Join(in, ",")))
		if err != nil {
			return err
		}
		for row := range r.Rows() {
			text := row.Text("text")
			if digest := recording.PreparedDigest + row.Text("digest"); asked[digest] {
				m.texts[digest] = l.bare(text, len(text) >= preparedText)
			}
		}
	}
	for _, d := range digests {
		texts[d] = m.texts[d]
	}
	return nil
}
