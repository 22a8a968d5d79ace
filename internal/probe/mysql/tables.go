package mysql

import (
	"fmt"
	"strings"
	"time"

	"rtrail/internal/recording"
)

// maxTables is how many tables are kept, by size.
const maxTables = 50

// readTables reads the largest tables.
func readTables(l *look) error {
	r, err := l.queryRows("the sizes of tables", fmt.Sprintf("SELECT TABLE_SCHEMA AS db, TABLE_NAME AS name, ENGINE AS engine, TABLE_ROWS AS n, "+
		"DATA_LENGTH AS data, INDEX_LENGTH AS idx FROM information_schema.TABLES WHERE TABLE_TYPE = 'BASE TABLE' "+
		"AND TABLE_SCHEMA NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema') "+
		"ORDER BY COALESCE(DATA_LENGTH, 0) + COALESCE(INDEX_LENGTH, 0) DESC LIMIT %d", maxTables), maxTables)
	if err != nil {
		return err
	}
	rows := make([]recording.MySQLTable, r.Len())
	for i := range rows {
		row := r.Row(i)
		rows[i] = recording.MySQLTable{At: l.at, Server: l.target.Name, Schema: row.Name("db"), Name: row.Name("name"), Engine: row.Name("engine"),
			Rows: row.Int("n"), Data: row.Int("data"), Index: row.Int("idx")}
	}
	recording.Give(l.w, rows)
	return nil
}

func microseconds(n int64) time.Duration {
	if n < 0 {
		return recording.Unknown
	}
	return time.Duration(n) * time.Microsecond
}

// withoutStatement cuts the statement off the text of a replication error: it
// follows "Query: '", and may hold what users entered.
func withoutStatement(s string) string {
	before, _, found := strings.Cut(s, "Query: '")
	if !found {
		return s
	}
	return before + "Query: ..."
}
