package mysql

import (
	"cmp"
	"slices"
	"strings"

	"rtrail/internal/mysqlconn"
	"rtrail/internal/predicate"
	"rtrail/internal/recording"
)

const (
	// maxConditions is how many conditions are kept in a run.
	maxConditions = 200
	// maxDescribed is how many tables the server is asked about in a run.
	maxDescribed = 10
	// manyScanned rows per second are read one after the other before a statement is
	// looked at: fewer cost a twentieth of a core, and no table is asked about.
	manyScanned = 100_000
	// maxColumns of a table are looked at: InnoDB has up to 1,017, and 64 indexes.
	maxColumns = 1100

	columnsOfTables = "types and indexes of columns"
)

// described is what is known of a table: of each column its type, and the indexes
// that begin with it.
type described struct {
	types   map[string]string
	indexes map[string][]string
}

// conditionKey is a condition that was seen.
type conditionKey struct{ statement, column, form string }

// scanCount is how many rows had been read one after the other at an age of the
// server.
type scanCount struct {
	uptime, rows float64 // seconds
	known        bool
}

// countScans compares what the status says with the look before.
func (l *look) countScans() {
	now := scanCount{l.status["uptime"], l.status["handler_read_rnd_next"] + l.status["handler_read_next"] + l.status["handler_read_prev"], true}
	if past := l.seen.scans; past.known {
		l.scanned = max(now.rows-past.rows, 0) / max(now.uptime-past.uptime, 1)
	}
	l.seen.scans = now
}

// readConditions looks at the statements that run now for conditions that no
// index serves. What shows them is literals, which are not recorded: a pattern
// that begins with a wildcard, a number beside a column of text.
func readConditions(l *look) error {
	if l.seen.conditions == nil {
		l.seen.conditions, l.seen.described = map[conditionKey]bool{}, map[string]described{}
	}
	if strings.Contains(l.seen.variables["sql_mode"], "ANSI_QUOTES") {
		return nil // quotes mean something else then
	}
	var rows []recording.MySQLCondition
	running := slices.Clone(l.processes)
	slices.SortStableFunc(running, func(a, b process) int { return cmp.Compare(b.took, a.took) })
	for _, p := range running[:min(len(running), maxSessions)] {
		if p.command != "Query" && p.command != "Execute" || p.cut || internalSchema(p.db) {
			continue
		}
		for _, c := range predicate.Of(p.text) {
			key := conditionKey{p.words(l), c.Column, string(c.Form)}
			if l.seen.conditions[key] || len(l.seen.conditions) >= maxConditions {
				continue
			}
			l.seen.conditions[key] = true
			row := recording.MySQLCondition{At: l.at, Server: l.target.Name, Statement: p.words(l), Form: string(c.Form), By: c.By,
				Schema: cmp.Or(c.Schema, p.db), Name: c.Table, Column: c.Column, Alone: c.Alone}
			if c.Column != "" && c.Table != "" && row.Schema != "" && !internalSchema(row.Schema) {
				about, err := l.describe(row.Schema, c.Table)
				if err != nil {
					return err
				}
				column := strings.ToLower(c.Column)
				row.Type, row.Indexes = about.types[column], strings.Join(about.indexes[column], ",")
			}
			if c.Form == predicate.Number && !holdsText(row.Type) {
				continue
			}
			rows = append(rows, row)
		}
	}
	recording.Give(l.w, rows)
	return nil
}

// internalSchema says that a schema is one of those that servers keep for themselves.
func internalSchema(name string) bool {
	switch strings.ToLower(name) {
	case "performance_schema", "information_schema", "sys", "mysql":
		return true
	}
	return false
}

// holdsText says whether values of a type have to be converted to be compared with
// a number.
func holdsText(kind string) bool {
	for _, t := range []string{"char", "varchar", "tinytext", "text", "mediumtext", "longtext"} {
		if rest, ok := strings.CutPrefix(strings.ToLower(kind), t); ok && (rest == "" || rest[0] == '(' || rest[0] == ' ') {
			return true
		}
	}
	return false
}

// describe asks for the columns of one table, once. What the server refuses is
// noted, and the rest goes on.
func (l *look) describe(schema, table string) (described, error) {
	key := schema + "." + table
	if d, ok := l.seen.described[key]; ok || len(l.seen.described) >= maxDescribed {
		return d, nil
	}
	d := described{types: map[string]string{}, indexes: map[string][]string{}}
	l.seen.described[key] = d
	where := " WHERE TABLE_SCHEMA = " + literal(schema) + " AND TABLE_NAME = " + literal(table)
	r, err := l.queryRows(columnsOfTables, "SELECT COLUMN_NAME AS name, COLUMN_TYPE AS type FROM information_schema.COLUMNS"+where, maxColumns)
	if err != nil {
		return d, l.undescribed(err)
	}
	for row := range r.Rows() {
		d.types[strings.ToLower(row.Name("name"))] = row.Name("type")
	}
	r, err = l.queryRows(columnsOfTables, "SELECT INDEX_NAME AS name, COLUMN_NAME AS col FROM information_schema.STATISTICS"+where+" AND SEQ_IN_INDEX = 1", maxColumns)
	if err != nil {
		return d, l.undescribed(err)
	}
	for row := range r.Rows() {
		column := strings.ToLower(row.Name("col"))
		d.indexes[column] = append(d.indexes[column], row.Name("name"))
	}
	return d, nil
}

// undescribed notes why nothing is known of the columns of a table.
func (l *look) undescribed(err error) error {
	if fatal(err) {
		return err
	}
	l.notes.add(columnsOfTables, mysqlconn.Text(err), l.grantee("SELECT ON the tables"))
	return nil
}
