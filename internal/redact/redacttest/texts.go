package redacttest

import "strings"

// Statements of SQL with a secret among their literals and comments.
var Statements = []string{
	"SELECT a FROM t WHERE b = 'h0rse'",
	"select a from t where b like \"%h0rse\"",
	"SELECT a FROM t WHERE b = 'it''s h0rse' AND c = 'x\\'h0rse'",
	"SELECT /* token=h0rse */ a FROM t -- h0rse",
	"SELECT /*!50000 a, 'h0rse' */ FROM t # h0rse",
	"SELECT a FROM t WHERE b = _utf8mb4'h0rse' OR c = N'h0rse'",
	"INSERT INTO users (name, password) VALUES ('joe', 'h0rse'), ('ann', 'h0rse')",
	"UPDATE users SET password = SHA1('h0rse') WHERE id = 5",
	"CREATE USER joe@'%' IDENTIFIED BY 'h0rse'",
	"ALTER USER joe IDENTIFIED WITH mysql_native_password BY 'h0rse' REPLACE 'h0rse'",
	"SET PASSWORD FOR joe = PASSWORD('h0rse')",
	"SET @token = 'h0rse', GLOBAL init_connect = 'set @a=h0rse'",
	"GRANT ALL ON *.* TO joe IDENTIFIED BY PASSWORD 'h0rse'",
	"CHANGE MASTER TO MASTER_HOST = 'db1', MASTER_PASSWORD = 'h0rse'",
	"START REPLICA USER = 'joe' PASSWORD = 'h0rse'",
	"CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (USER 'joe', PASSWORD 'h0rse')",
	"CREATE TABLE f (a int) ENGINE=FEDERATED CONNECTION='mysql://joe:h0rse@db/t'",
	"CALL login('joe', 'h0rse')",
	"PREPARE s FROM 'select h0rse'",
	"LOAD DATA INFILE '/tmp/h0rse' INTO TABLE t",
	"SELECT AES_DECRYPT(a, 'h0rse') FROM t",
	"SELECT 'cut off h0rse",
	"DO GET_LOCK('h0rse', 10)",
	"not SQL at all: 'h0rse'",
}

// Messages are errors of MySQL that quote values.
var Messages = []string{
	"Duplicate entry 'h0rse' for key 'users.email'",
	"You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'h0rse' at line 1",
	"Truncated incorrect DOUBLE value: 'h0rse'",
	"Incorrect string value: 'h0rse' for column 'a' at row 1",
	"Could not execute Write_rows event on table a.t; Duplicate entry 'h0rse' for key 'PRIMARY', Error_code: 1062; handler error HA_ERR_FOUND_DUPP_KEY; the event's source log b.000001, end_log_pos 1395",
	"Error 'Duplicate entry 'h0rse' for key 'PRIMARY'' on query. Default database: 'a'. Query: 'insert into t values ('h0rse')'",
	"Worker 1 failed executing transaction 'u:1' at source log b.000001, end_log_pos 5; Error 'Unknown value 'h0rse'' on query. Default database: 'a'. Query: 'call p(\"h0rse\")'",
}

// Connecting is an error of a replica that does not reach its source.
const Connecting = "error connecting to master 'mysql://repl:h0rse@10.0.0.1:3306' - retry-time: 60 retries: 1"

// Texts are pieces of text of any kind: arguments as programs get them.
func Texts() (list []string) {
	for _, line := range CommandLines {
		for argument := range strings.SplitSeq(line, "|") {
			if strings.Contains(argument, Marker) && tells(argument) {
				list = append(list, argument)
			}
		}
	}
	return list
}

// tells says whether an argument alone shows that it holds a secret, and where it
// ends: others do so by the program and the option before them.
func tells(argument string) bool {
	return !strings.HasPrefix(argument, "password=my ") && (strings.Contains(argument, "://") || strings.Contains(argument, "assword=") || strings.Contains(argument, "uthorization: "))
}
