package mysql

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// about is what is known of a server once it has let rtrail in.
type about struct {
	flavor  string // MySQL, MariaDB, Percona
	version string
	number  [3]int
	id      int64  // of rtrail's connection
	grantee string // rtrail's account, as in GRANT; "" if it is the anonymous one
	schema  bool   // performance_schema is on

	offset time.Duration // of its local time from UTC

	noProcess bool   // the privilege PROCESS is missing
	noThreads bool   // performance_schema.threads may not be read
	noLast    bool   // performance_schema keeps no statements of sessions
	poolTable string // which table shows the thread pool; "": not tried
}

func (a about) mariaDB() bool { return a.flavor == "MariaDB" }

// atLeast compares versions: atLeast(8, 0, 22).
func (a about) atLeast(version ...int) bool {
	for i, want := range version {
		if a.number[i] != want {
			return a.number[i] > want
		}
	}
	return true
}

// known says whether a version is one rtrail was written for. Newer ones are
// treated as the newest of those.
func (a about) known() bool {
	if a.mariaDB() {
		return a.atLeast(10, 0) && !a.atLeast(13)
	}
	return a.atLeast(5, 6) && !a.atLeast(10)
}

// identify reads flavor and version as servers write them: 8.0.43-34 with the
// comment "Percona Server (GPL)", 10.11.6-MariaDB-log.
func identify(version, comment string) about {
	a := about{version: version, flavor: "MySQL"}
	lower := strings.ToLower(version + " " + comment)
	switch {
	case strings.Contains(lower, "mariadb"):
		a.flavor = "MariaDB"
		// MariaDB 10 tells replicas of MySQL's time that it were 5.5.5.
		version = strings.TrimPrefix(version, "5.5.5-")
	case strings.Contains(lower, "percona"):
		a.flavor = "Percona"
	}
	parts := strings.FieldsFunc(version, func(r rune) bool { return r < '0' || r > '9' })
	for i := range min(len(parts), len(a.number)) {
		a.number[i], _ = strconv.Atoi(parts[i]) // digits only; too many of them are no version
	}
	return a
}

// introduce finds out who answers, and makes the session harmless.
func (l *look) introduce() error {
	r, err := l.query("the version", "SELECT VERSION() AS version, @@version_comment AS comment, CONNECTION_ID() AS id, "+
		"CURRENT_USER() AS account, @@performance_schema AS pfs, @@port AS port, TIMESTAMPDIFF(SECOND, UTC_TIMESTAMP(), NOW()) AS zone")
	if err != nil {
		return err
	}
	if r.Len() != 1 {
		return errNoVersion
	}
	row := r.Row(0)
	before := l.about
	l.about = identify(row.Name("version"), row.Name("comment"))
	l.about.id = row.Int("id")
	l.about.schema = row.Text("pfs") == "1" || strings.EqualFold(row.Text("pfs"), "ON")
	if zone, ok := row.Float("zone"); ok && zone > -86400 && zone < 86400 {
		l.about.offset = time.Duration(zone) * time.Second
	}
	l.about.grantee = grantee(row.Name("account"), l.target.User)
	if before.version != l.about.version {
		for _, c := range l.collectors {
			c.retry()
		}
	}
	l.seen = memory{}
	if !l.about.known() {
		l.notes.add("version "+l.about.version, "rtrail was not written for this version; it is treated as the nearest one", "a newer rtrail, if there is one")
	}
	pid := l.link.Peer(l.options.Proc)
	l.mu.Lock()
	if pid > 0 {
		l.state.PID = pid
	}
	if port := row.Int("port"); port > 0 {
		l.state.Port = int32(port)
	}
	l.mu.Unlock()
	return l.calm()
}

// grantee quotes an account that a server named, user@host, as statements do; a user
// name may hold an @ itself. Of a server that named none it is the user that logged in.
// The anonymous account has no name, and is "".
func grantee(account, user string) string {
	host := "..."
	if at := strings.LastIndexByte(account, '@'); at >= 0 {
		user, host = account[:at], account[at+1:]
	}
	if user == "" {
		return ""
	}
	quote := strings.NewReplacer("\\", "\\\\", "'", "''")
	return "'" + quote.Replace(user) + "'@'" + quote.Replace(host) + "'"
}

var errNoVersion = &absence{why: "the server does not tell its version"}

// calm has the server end what rtrail asks if it takes long, never wait for a
// lock, and leave rtrail out of the slow log. All of it is for this session only.
func (l *look) calm() error {
	settings := []string{
		"lock_wait_timeout = 1",
		"innodb_lock_wait_timeout = 1",
		// What is logged must take longer than long_query_time and, without that
		// for statements that use no index, have examined this many rows.
		"long_query_time = 31536000",
		"min_examined_row_limit = 4294967295",
		"transaction_isolation = 'READ-UNCOMMITTED'",
	}
	switch {
	case l.about.mariaDB():
		settings = append(settings, "max_statement_time = 1")
	case l.about.atLeast(5, 7, 8):
		settings = append(settings, "max_execution_time = 1000")
	}
	if !l.about.mariaDB() && !l.about.atLeast(5, 7, 20) || l.about.mariaDB() && !l.about.atLeast(11, 1) {
		settings[4] = "tx_isolation = 'READ-UNCOMMITTED'"
	}
	_, err := l.query("its settings", "SET SESSION "+strings.Join(settings, ", SESSION "))
	if err != nil && !fatal(err) {
		// One that a server does not know, or does not allow, spoils all.
		for _, one := range settings {
			if _, err := l.query("its settings", "SET SESSION "+one); err != nil && fatal(err) {
				return err
			}
		}
		err = nil
	}
	if err != nil {
		return err
	}
	if l.about.schema {
		// What rtrail asks must not be among the statements it reports. This is
		// about its own thread, and ends with it; who may not do it sees them.
		if _, err := l.query("its settings", fmt.Sprintf("UPDATE performance_schema.threads SET INSTRUMENTED = 'NO' WHERE PROCESSLIST_ID = %d", l.about.id)); err != nil && fatal(err) {
			return err
		}
	}
	if _, err := l.query("its settings", "SET SESSION TRANSACTION READ ONLY"); err != nil && fatal(err) {
		return err
	}
	return nil
}

// schemaOff is why what needs performance_schema is not seen.
func (l *look) needSchema() error {
	if l.about.schema {
		return nil
	}
	return &absence{why: "performance_schema is off", how: "performance_schema=ON below [mysqld] in my.cnf, then restart the server; it costs some memory and a few percent of speed"}
}
