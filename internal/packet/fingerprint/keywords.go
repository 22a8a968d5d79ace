package fingerprint

import "strings"

// Keywords are upper case in fingerprints, as in the digests of MySQL: SELECT and
// select are one statement. Names keep the case they were typed in, since it tells
// tables apart. So a word is written in upper case only where it cannot be a name:
// reserved words, the first word of a statement, and others by what is around them.

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// reserved words of both families of SQL.
var reserved = set(`ALL AND ANY AS ASC BETWEEN BOTH BY CASE CHECK COLLATE COLUMN CONSTRAINT CREATE CROSS DEFAULT DELETE DESC DISTINCT DROP
	ELSE EXISTS FALSE FOR FOREIGN FROM GRANT GROUP HAVING IN INNER INSERT INTERSECT EXCEPT INTO IS JOIN LEADING LEFT LIKE LIMIT NATURAL NOT NULL ON
	OR ORDER OUTER PRIMARY REFERENCES RIGHT SELECT SET TABLE THEN TO TRAILING TRUE UNION UNIQUE UPDATE USING VALUES WHEN WHERE WITH`)

// reservedMySQL are those of MySQL and MariaDB alone, without those that became
// reserved in MySQL 8.0.
var reservedMySQL = set(`ACCESSIBLE ADD ALTER ANALYZE ASENSITIVE BEFORE BIGINT BINARY BLOB CALL CASCADE CHANGE CHAR CHARACTER CONDITION CONTINUE CONVERT
	CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER CURSOR DATABASE DATABASES DAY_HOUR DAY_MICROSECOND DAY_MINUTE DAY_SECOND DEC DECIMAL
	DECLARE DELAYED DESCRIBE DETERMINISTIC DISTINCTROW DIV DOUBLE DUAL EACH ELSEIF ENCLOSED ESCAPED EXIT EXPLAIN FETCH FLOAT FORCE FULLTEXT
	HIGH_PRIORITY HOUR_MICROSECOND HOUR_MINUTE HOUR_SECOND IF IGNORE INDEX INFILE INOUT INSENSITIVE INT INTEGER INTERVAL ITERATE KEY KEYS KILL LEAVE
	LINEAR LINES LOAD LOCALTIME LOCALTIMESTAMP LOCK LONG LONGBLOB LONGTEXT LOOP LOW_PRIORITY MATCH MEDIUMBLOB MEDIUMINT MEDIUMTEXT
	MINUTE_MICROSECOND MINUTE_SECOND MOD MODIFIES NO_WRITE_TO_BINLOG NUMERIC OPTIMIZE OPTION OPTIONALLY OUT OUTFILE PARTITION PRECISION PROCEDURE
	PURGE RANGE READ READS REAL REGEXP RELEASE RENAME REPEAT REPLACE REQUIRE RESTRICT RETURN REVOKE RLIKE SCHEMA SCHEMAS SECOND_MICROSECOND
	SENSITIVE SEPARATOR SHOW SIGNAL SMALLINT SPATIAL SQL_BIG_RESULT SQL_CALC_FOUND_ROWS SQL_NO_CACHE SQL_SMALL_RESULT STARTING STRAIGHT_JOIN
	TERMINATED TINYBLOB TINYINT TINYTEXT TRIGGER UNDO UNLOCK UNSIGNED USAGE USE UTC_DATE UTC_TIME UTC_TIMESTAMP VARBINARY VARCHAR VARYING WHILE
	WRITE XOR YEAR_MONTH ZEROFILL`)

// Reserved says that a word, in upper case, names nothing in MySQL and MariaDB unless
// it is quoted.
func Reserved(word string) bool { return reserved[word] || reservedMySQL[word] }

// phrases are verbs that words without a name may follow, which follow tells.
var (
	phrases = set("SHOW START STOP BEGIN COMMIT ROLLBACK SET UNLOCK LOCK FLUSH RESET KILL LOAD")
	follow  = set(`TRANSACTION READ WRITE ONLY ISOLATION LEVEL COMMITTED UNCOMMITTED REPEATABLE SERIALIZABLE WORK CONSISTENT SNAPSHOT WITH SESSION
	GLOBAL LOCAL NAMES TABLE TABLES STATUS VARIABLES DATABASES SCHEMAS FULL EXTENDED PROCESSLIST COLUMNS FIELDS INDEX INDEXES KEYS ENGINE ENGINES
	WARNINGS ERRORS GRANTS MASTER SLAVE REPLICA REPLICAS ALL BINARY BINLOG EVENTS LOG LOGS PLUGINS PRIVILEGES PROFILES TRIGGERS CREATE DATABASE
	SCHEMA VIEW PROCEDURE FUNCTION TRIGGER EVENT USER COLLATION CHARACTER CHARSET OPEN HOSTS CONCURRENT LOW_PRIORITY DATA INFILE QUERY CONNECTION`)
)

// functions are those of the server that statements use most. A name with a
// parenthesis right after it is one, but where a table is named.
var (
	functions = set(`ABS ADDDATE AVG CAST CEIL CEILING CHAR_LENGTH COALESCE CONCAT CONCAT_WS CONNECTION_ID COUNT CURDATE CURTIME DATABASE DATE
	DATEDIFF DATE_ADD DATE_FORMAT DATE_SUB DAY EXTRACT FIELD FIND_IN_SET FLOOR FOUND_ROWS FROM_UNIXTIME GET_LOCK GREATEST GROUP_CONCAT HOUR IF IFNULL
	INSTR JSON_EXTRACT JSON_OBJECT JSON_UNQUOTE LAST_INSERT_ID LEAST LENGTH LOCATE LOWER MAX MD5 MIN MINUTE MONTH NOW NULLIF RAND RELEASE_LOCK
	ROUND ROW_COUNT SECOND SHA1 SHA2 SLEEP STR_TO_DATE SUBSTR SUBSTRING SUM SYSDATE TIME TIMESTAMPDIFF TRIM UNIX_TIMESTAMP UPPER USER UUID VERSION YEAR`)
	beforeTable = set("INTO TABLE JOIN FROM UPDATE REFERENCES ON EXISTS REPLACE INSERT IGNORE")
)

// upperKeywords writes the keywords of a shape in upper case.
func upperKeywords(d *dialect, shape string) string {
	out := []byte(shape)
	var before, last string // the words before, in upper case
	first, phrase, creating := true, false, false
	for i := 0; i < len(out); {
		b := out[i]
		switch {
		case b == '`' || b == '"':
			end := strings.IndexByte(shape[i+1:], b)
			if end < 0 {
				return string(out)
			}
			i += end + 2
			before, last, first, phrase = last, "", false, false
			continue
		case !inWord[b]:
			if b == ';' {
				first, before, last = true, "", ""
			}
			if b > ' ' {
				phrase = false
			}
			i++
			continue
		}
		from := i
		for i < len(out) && inWord[out[i]] {
			i++
		}
		word := upper(shape[from:i])
		next := byte(0)
		if i < len(out) {
			next = out[i]
		}
		named := from > 0 && out[from-1] == '.' || next == '.' || b == '@'
		switch {
		case named:
			phrase = false
		case first:
			copy(out[from:], word)
			phrase, creating = phrases[word], false
		case phrase && follow[word]:
			copy(out[from:], word)
			// What follows SHOW CREATE TABLE, or LOCK TABLES, is a name.
			phrase = !creating && before+last != "LOCK"
			creating = word == "CREATE"
		case reserved[word], d == &mysql && reservedMySQL[word],
			next == '(' && functions[word] && !beforeTable[last],
			word == "DUPLICATE" && last == "ON" && goesOn(shape[i:], "KEY"),
			word == "SHARE" && last == "IN" && goesOn(shape[i:], "MODE"), word == "MODE" && last == "SHARE" && before == "IN",
			word == "LOCKED" && last == "SKIP", word == "NOWAIT" && last == "UPDATE":
			copy(out[from:], word)
			phrase = false
		default:
			phrase = false
		}
		before, last, first = last, word, false
	}
	return string(out)
}

// goesOn says whether the next word is this one.
func goesOn(rest, word string) bool {
	rest = strings.TrimLeft(rest, " ")
	return len(rest) >= len(word) && strings.EqualFold(rest[:len(word)], word) && (len(rest) == len(word) || !inWord[rest[len(word)]])
}

// upper is a word with its ASCII letters in upper case, as long as it was.
func upper(word string) string {
	b := []byte(word)
	for i, c := range b {
		if c >= 'a' && c <= 'z' {
			b[i] = c - 0x20
		}
	}
	return string(b)
}
