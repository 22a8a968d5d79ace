package redact

import (
	"strings"
	"testing"

	"rtrail/internal/redact/redacttest"
)

func TestMessage(t *testing.T) {
	for _, test := range []struct{ protocol, code, text, want string }{
		{"mysql", "1062", "Duplicate entry 'bob@example.com' for key 'users.email'", "Duplicate entry '?' for key 'users.email'"},
		{"mysql", "1062", "Duplicate entry 'O'Brien' for key 'x'-h0rse' for key 'PRIMARY'", "Duplicate entry '?' for key 'PRIMARY'"},
		{"mysql", "1062", "Duplicate entry 'bob' for key 2", "Duplicate entry '?' for key 2"},
		{"mysql", "1062", "Duplicate entry 'a table 'h0rse' b' for key 'k'", "Duplicate entry '?' for key 'k'"},
		{"mysql", "1062", "Duplicate entry 'cut off", "Duplicate entry '?"},
		{"mysql", "1064", "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'h0rse' and x = 'y'' at line 1",
			"You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '?' at line 1"},
		{"mysql", "1064", "syntax to use near 'a\nb' for key 'h 0rse' x' at line 2", "syntax to use near '?' at line 2"},
		{"mysql", "1146", "Table 'shop.users' doesn't exist", "Table 'shop.users' doesn't exist"},
		{"mysql", "1054", "Unknown column 'nmae' in 'where clause'", "Unknown column 'nmae' in 'where clause'"},
		{"mysql", "1366", "Incorrect integer value: 'h0rse' for column 'id' at row 1", "Incorrect integer value: '?' for column 'id' at row 1"},
		{"mysql", "1366", "Incorrect string value: '\\xF0' for column `shop`.`t`.`c` at row 1", "Incorrect string value: '?' for column `shop`.`t`.`c` at row 1"},
		{"mysql", "1292", "Truncated incorrect DOUBLE value: 'h0rse'", "Truncated incorrect DOUBLE value: '?'"},
		{"mysql", "1045", "Access denied for user 'root'@'10.0.0.1' (using password: YES)", "Access denied for user 'root'@'10.0.0.1' (using password: YES)"},
		{"mysql", "1451", "Cannot delete or update a parent row: a foreign key constraint fails (`a`.`b`, CONSTRAINT `c` FOREIGN KEY (`d`) REFERENCES `e` (`f`))",
			"Cannot delete or update a parent row: a foreign key constraint fails (`a`.`b`, CONSTRAINT `c` FOREIGN KEY (`d`) REFERENCES `e` (`f`))"},
		{"mysql", "1205", "Lock wait timeout exceeded; try restarting transaction", "Lock wait timeout exceeded; try restarting transaction"},
		{"mysql", "1644", "user h0rse not found", "user ? not found"},
		{"postgres", "23505", `duplicate key value violates unique constraint "users_email_key"`, `duplicate key value violates unique constraint "users_email_key"`},
		{"postgres", "23505", `Key (email)=(h0rse@x) already exists.`, `Key (email)=(?) already exists.`},
		{"postgres", "22P02", `invalid input syntax for type integer: "h0rse"`, `invalid input syntax for type integer: "?"`},
		{"postgres", "42601", `syntax error at or near "h0rse"`, `syntax error at or near "?"`},
		{"postgres", "42P01", `relation "users" does not exist`, `relation "users" does not exist`},
		{"postgres", "28P01", `password authentication failed for user "app"`, `password authentication failed for user "app"`},
		{"postgres", "P0001", "customer h0rse has no money", "? has no ?"},
		{"redis", "ERR", "unknown command 'FOO', with args beginning with: 'h0rse' 'x' ", "unknown command ? with args beginning with: '?'"},
		{"redis", "ERR", "wrong number of arguments for 'get' command", "wrong number of arguments for 'get' command"},
		{"redis", "WRONGTYPE", "Operation against a key holding the wrong kind of value", "Operation against a key holding the wrong kind of value"},
		{"redis", "MOVED", "3999 127.0.0.1:6381", "3999 127.0.0.1:6381"},
		{"redis", "ERR", "user h0rse is gone", "user ? is gone"},
		{"http", "404", "Object Not Found", "Object Not Found"},
		{"http", "404", "No user h0rse@example.com here", "No user ?"},
		{"http", "500", "token=h0rse", "?"},
		{"mongodb", "11000", `E11000 duplicate key error collection: shop.users index: email_1 dup key: { email: "h0rse@x", n: 7 }`,
			"E11000 duplicate key error collection: shop.users index: email_1 dup key: {?}"},
		{"mongodb", "TypeMismatch", `Cannot apply $inc to a value of non-numeric type. {_id: "h0rse"} has the field 'n' of non-numeric type string`,
			"Cannot apply $inc to a value of non-numeric type. {?} has the field 'n' of non-numeric type string"},
		{"mongodb", "14", "cut off: { _id: h0rse", "cut off: {?"},
		{"mongodb", "59", "no such command: 'h0rse'", "no such command: '?'"},
		{"dns", "", "", ""},
	} {
		got := Message(test.protocol, test.code, test.text)
		if got != test.want {
			t.Errorf("%s %s: %s\nbecame %s\nwant   %s", test.protocol, test.code, test.text, got, test.want)
		}
		if strings.Contains(got, redacttest.Marker) {
			t.Errorf("it still has the secret: %s", got)
		}
	}
}

// Whatever a value holds, it does not survive where servers quote values.
func FuzzMessage(f *testing.F) {
	for _, v := range []string{"bob", "O'Brien", "a' for key 'b", `x"y`, "table 'z' q", "where clause"} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, value string) {
		value += "h0rse 'h0rse' x"
		for _, text := range []string{"Duplicate entry '" + value + "' for key 'k'", "syntax to use near '" + value + "' at line 1", `invalid input value: "` + value + `"`,
			"Truncated incorrect value: '" + value + "'", "Incorrect value: '" + value} {
			for _, protocol := range []string{"mysql", "postgres", "redis", "http"} {
				if got := Message(protocol, "1", text); strings.Contains(got, redacttest.Marker) {
					t.Errorf("%s: %q became %q", protocol, text, got)
				}
			}
		}
	})
}

func BenchmarkMessage(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Message("mysql", "1062", "Duplicate entry 'bob@example.com' for key 'users.email'")
	}
}
