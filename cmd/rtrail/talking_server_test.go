package main

import (
	"crypto/sha1"
	"fmt"
	"net"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"rtrail/internal/mysqlconn/mysqltest"
)

// talkingServer is a MySQL server that answers whatever it is asked: numbers where
// numbers belong, and texts that somebody else chooses.
type talkingServer struct {
	version string
	rows    int
	waits   bool // sessions wait for each other's locks
	// name gives names: of users, tables, hosts, states.
	name func(column string, row int) string
	// text gives what clients wrote, and errors.
	text func(column string, row int) string
	// variables are beside those that rtrail looks for.
	variables [][]string
	innodb    string // SHOW ENGINE INNODB STATUS
	asked     atomic.Int64
}

// columnsOf are the names of the columns that a SELECT gives.
func columnsOf(statement string) (names []string) {
	list, _, _ := strings.Cut(strings.TrimPrefix(statement, "SELECT "), "FROM ")
	depth, from := 0, 0
	add := func(column string) {
		if words := strings.Fields(column); len(words) > 0 {
			last := words[len(words)-1]
			names = append(names, last[strings.LastIndexByte(last, '.')+1:])
		}
	}
	for i, c := range list {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			add(list[from:i])
			from = i + 1
		}
	}
	add(list[from:])
	return names
}

// Columns by what is in them; all others are numbers.
var (
	nameColumns = strings.Fields("user host db name object idx mode account engine isolation table col type reason comment")
	textColumns = strings.Fields("info query text blocking_query")
)

func (s *talkingServer) answer(statement string) []string {
	asked := s.asked.Add(1)
	switch {
	case strings.HasPrefix(statement, "SET "), strings.HasPrefix(statement, "UPDATE "), strings.HasPrefix(statement, "USE "):
		return []string{mysqltest.OK}
	case strings.Contains(statement, "VERSION()"):
		return mysqltest.Result([]string{"version", "comment", "id", "account", "pfs", "port", "zone"}, []string{s.version, "", "1", s.name("account", 0), "1", "3306", "0"})
	case statement == "SHOW GLOBAL STATUS":
		rows := [][]string{{"Uptime", "1000"}, {"Prepared_stmt_count", "5"}, {"Threads_running", "3"}, {"Threads_connected", "17"},
			{"Handler_read_rnd_next", fmt.Sprint(asked * 1e9)}, {"Com_select", fmt.Sprint(asked * 100)}, {"Com_" + s.name("status", 0), fmt.Sprint(asked)}}
		return mysqltest.Result([]string{"Variable_name", "Value"}, rows...)
	case statement == "SHOW GLOBAL VARIABLES":
		rows := append([][]string{{"max_connections", "500"}, {"sync_binlog", s.name("variable", 0)}, {"version_compile_os", s.name("os", 0)}}, s.variables...)
		return mysqltest.Result([]string{"Variable_name", "Value"}, rows...)
	case strings.HasPrefix(statement, "SHOW ENGINE INNODB"):
		return mysqltest.Result([]string{"Type", "Name", "Status"}, []string{"InnoDB", "", s.innodb})
	case strings.HasPrefix(statement, "SHOW"):
		return s.replicas()
	case strings.HasPrefix(statement, "EXPLAIN"):
		return mysqltest.Result([]string{"id", "select_type", "table", "type", "possible_keys", "key", "rows", "Extra"},
			[]string{"1", "SIMPLE", s.name("table", 0), "ALL", s.name("possible", 0), s.name("key", 0), "5", "Using where with pushed condition (" + s.text("Extra", 0) + "); Using filesort"})
	case strings.HasPrefix(statement, "SELECT TABLE_NAME FROM information_schema.TABLES"):
		return mysqltest.Result([]string{"TABLE_NAME"})
	case strings.HasPrefix(statement, "SELECT *"), strings.Contains(statement, "information_schema.TABLES"):
		return []string{mysqltest.Error(1064, s.text("error", 0))}
	case strings.HasPrefix(statement, "SELECT "):
		return s.list(statement, asked)
	}
	return nil
}

// list answers a SELECT with rows that fit together.
func (s *talkingServer) list(statement string, asked int64) []string {
	columns := columnsOf(statement)
	named := strings.Contains(statement, "'USER LEVEL LOCK'")
	locks := strings.Contains(statement, "metadata_locks")
	n := s.rows
	if locks {
		n = 2
	}
	rows := make([][]string, n)
	for i := range rows {
		row := make([]string, len(columns))
		for j, c := range columns {
			switch {
			case locks && c == "status":
				row[j] = []string{"PENDING", "GRANTED"}[i]
			case locks && c == "session":
				row[j] = fmt.Sprint(100 + i)
				if named {
					row[j] = fmt.Sprint(101 + i)
				}
			case locks && named && c == "name":
				row[j] = s.text("lock", i)
			case locks && (c == "db" || c == "name"):
				row[j] = s.name(c, 0)
			case c == "enabled":
				row[j] = "YES"
			case c == "state" && i < 2 && s.waits:
				row[j] = []string{"Waiting for table metadata lock", "User lock"}[i]
			case c == "command":
				row[j] = "Query"
			case c == "trx_state" || c == "blocking_state":
				row[j] = "LOCK WAIT"
			case c == "digest":
				row[j] = fmt.Sprintf("%x", sha1.Sum([]byte{byte(i)}))
			case c == "state" || c == "trx_id" || c == "isolation" || slices.Contains(nameColumns, c):
				row[j] = s.name(c, i)
			case slices.Contains(textColumns, c):
				row[j] = s.text(c, i)
			case c == "id" || c == "session" || c == "waiting":
				row[j] = fmt.Sprint(100 + i)
			case c == "blocking":
				row[j] = fmt.Sprint(101 + i)
			case c == "ms":
				row[j] = fmt.Sprint(5000 + i)
			case c == "length":
				row[j] = fmt.Sprint(len(s.text("info", i)))
			default:
				row[j] = fmt.Sprint(asked*1000 + int64(i))
			}
		}
		rows[i] = row
	}
	return mysqltest.Result(columns, rows...)
}

func (s *talkingServer) replicas() []string {
	var rows [][]string
	for i := range s.rows {
		rows = append(rows, []string{s.name("channel", i), s.name("source", i), "3306", "No", "No", s.name("state", i), "1593", "1062", s.text("Last_IO_Error", i), s.text("Last_SQL_Error", i), "5"})
	}
	return mysqltest.Result([]string{"Channel_Name", "Source_Host", "Source_Port", "Replica_IO_Running", "Replica_SQL_Running", "Replica_SQL_Running_State",
		"Last_IO_Errno", "Last_SQL_Errno", "Last_IO_Error", "Last_SQL_Error", "Seconds_Behind_Source"}, rows...)
}

// serving answers on a port of this host until the test ends.
func serving(t *testing.T, serve func(net.Conn)) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serve(c)
		}
	}()
	return l.Addr().String()
}

// start begins to serve.
func (s *talkingServer) start(t *testing.T) (address string) {
	return serving(t, mysqltest.Server{Answer: s.answer}.Serve)
}

// statusWith is a recorded status of InnoDB in which clients' statements are
// others.
func statusWith(t *testing.T, statement string) string {
	t.Helper()
	b, err := os.ReadFile("../../internal/probe/mysql/testdata/mysql-8.0/deadlock-innodb-status.txt")
	if err != nil {
		t.Fatal(err)
	}
	replaced := statements.ReplaceAllString(string(b), strings.ReplaceAll(statement, "$", "$$"))
	if replaced == string(b) {
		t.Fatal("no statement in it")
	}
	return replaced
}

var statements = regexp.MustCompile(`(?m)^(?:SELECT|UPDATE|INSERT|DELETE|update|insert|delete|select) .*$`)
