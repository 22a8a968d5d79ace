package fingerprint

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStatements(t *testing.T) {
	tests := []struct {
		protocol string
		command  string
		text     string
		cut      bool
		want     string
	}{
		{text: "SELECT c FROM sbtest1 WHERE id=4711", want: "SELECT c FROM sbtest1 WHERE id = ?"},
		{text: "select  c\n\tfrom sbtest1 where id = -4711 ;", want: "SELECT c FROM sbtest1 WHERE id = ?"},
		{text: "SELECT c FROM t WHERE name = 'O''Brien' AND x = 'a\\'b' AND y=\"say \\\"hi\\\"\"", want: "SELECT c FROM t WHERE name = ? AND x = ? AND y = ?"},
		{text: "SELECT `a b`.`c`, `d` FROM `t`", want: "SELECT `a b`.`c`, d FROM t"},
		{text: "SELECT a FROM t WHERE id IN (1,2, 3) AND b NOT IN ('x', 'y')", want: "SELECT a FROM t WHERE id IN (?) AND b NOT IN (?)"},
		{text: "SELECT a FROM t WHERE id in(1)", want: "SELECT a FROM t WHERE id IN (?)"},
		{text: "INSERT INTO t (a,b) VALUES (1,'x'),(2,NULL), (-3.5e-7, 0x1F)", want: "INSERT INTO t(a, b) VALUES (?)"},
		{text: "INSERT INTO t VALUES (1, NOW(), 'x'), (2, NOW(), 'y')", want: "INSERT INTO t VALUES (?, NOW(), ?)"},
		{text: "INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, 'secr", cut: true, want: "INSERT INTO t VALUES (?) ..."},
		{text: "SELECT a FROM t WHERE b = 'secr", cut: true, want: "SELECT a FROM t WHERE b = ? ..."},
		{text: "SELECT a, bcd", cut: true, want: "SELECT a ..."},
		{text: "SELECT /*+ NO_INDEX */ a -- one\n FROM t # two\n WHERE b=1/* three */", want: "SELECT a FROM t WHERE b = ?"},
		{text: "SELECT a--1", want: "SELECT a - ?"},
		{text: "SELECT x'1F', b'01', N'abc', _utf8mb4'abc', .5, 1.5e3, 0b01", want: "SELECT ?, ?, ?, ?, ?, ?, ?"},
		{text: "SELECT 'a' 'b'", want: "SELECT ?"},
		{text: "SELECT * FROM t LIMIT 10, 20", want: "SELECT * FROM t LIMIT ?, ?"},
		{text: "UPDATE t SET a=NULL, b = 'x' WHERE c!=1 OR d IS NOT NULL", want: "UPDATE t SET a = NULL, b = ? WHERE c <> ? OR d IS NOT NULL"},
		{text: "SELECT a FROM t1 JOIN t2 ON t1.id=t2.id", want: "SELECT a FROM t1 JOIN t2 ON t1.id = t2.id"},
		{text: "SELECT a FROM orders_2024 WHERE b BETWEEN -1 AND +1", want: "SELECT a FROM orders_2024 WHERE b BETWEEN - ? AND + ?"},
		{text: "begin; ; select a from t;\n; select 1;;", want: "BEGIN; SELECT a FROM t; SELECT ?"},
		{text: " ;; select a", want: "SELECT a"},
		{text: "/* only */", want: "Query"},
		{text: "", command: "Ping", want: "Ping"},
		{text: "SELECT ?", command: "Prepare", want: "Prepare: SELECT ?"},
		{text: "SELECT a FROM t WHERE id=?", command: "Execute", want: "SELECT a FROM t WHERE id = ?"},
		// NO_BACKSLASH_ESCAPES, as far as quotes tell.
		{text: `INSERT INTO t VALUES ('C:\', ' secret')`, want: "INSERT INTO t VALUES (?)"},
		{text: `SELECT 'C:\', 'secret', "it's"`, want: "SELECT ?, ?, ?"},
		// Quotes that do not add up in any way.
		{text: `SELECT a FROM t WHERE b='x'secret' AND c`, want: "SELECT a FROM t WHERE b = ..."},

		{protocol: "postgres", text: `SELECT "User" FROM "a b" WHERE x = E'it\'s' AND y = 'C:\' AND z=$1`, want: `SELECT User FROM "a b" WHERE x = ? AND y = ? AND z = ?`},
		{protocol: "postgres", text: "SELECT $$it's$$, $q$a $$ b$q$, a::int4 FROM t WHERE j->>'k' = 'v' AND id = ANY($1) AND b IN ($2, $3)", want: "SELECT ?, ?, a :: int4 FROM t WHERE j ->> ? = ? AND id = ANY (?) AND b IN (?)"},
		{protocol: "tds", command: "Query", text: "SELECT TOP 5 [id], name FROM dbo.orders WITH (NOLOCK) WHERE name = N'it''s' AND cost > $12.50 AND token = 0xDEADBEEF AND id = @P1 -- x",
			want: "SELECT TOP ? id, name FROM dbo.orders WITH (NOLOCK) WHERE name = ? AND cost > ? AND token = ? AND id = @P1"},
		{protocol: "tds", command: "Query", text: `UPDATE orders SET note = "secret" WHERE id = 7`, want: "UPDATE orders SET note = ? WHERE id = ?"},
		{protocol: "tds", command: "EXEC", text: "dbo.ShipOrder", want: "EXEC dbo.ShipOrder"},
		{protocol: "postgres", text: "SELECT /* a /* b */ 'secret' */ 1 --x\n", want: "SELECT ?"},
		// Statements of a group of PostgreSQL's extended protocol, as its decoder joins them.
		{protocol: "cassandra", text: "select a from t where id = f47ac10b-58cc-4372-a567-0e02b2c3d479 and b = 123e4567-e89b-12d3-a456-426614174000 // why\n limit 5", want: "SELECT a FROM t WHERE id = ? AND b = ? LIMIT ?"},
		{protocol: "cassandra", text: "insert into t(a, b, c) values (?, $$se'cret$$, {'secret': 0xdead}) using ttl 30", want: "INSERT INTO t(a, b, c) VALUES (?, { ? : ? }) USING ttl ?"},
		{protocol: "cassandra", text: "select a from t where id = f47ac10b-58cc-4372-a567-0e02b2c3", cut: true, want: "SELECT a FROM t WHERE id = ? ..."},
		{protocol: "cassandra", text: "select a from t where id in (?, ?) and d > 1h30m", want: "SELECT a FROM t WHERE id IN (?) AND d > ?"},
		{protocol: "postgres", command: "Execute", text: "BEGIN;\n; select v from t where id = $1 -- the one\n; COMMIT", want: "BEGIN; SELECT v FROM t WHERE id = ?; COMMIT"},
		{protocol: "postgres", command: "Execute", text: "BEGIN\n; select v from t\n; ", cut: true, want: "BEGIN; SELECT v FROM t ..."},
		{protocol: "generic", text: "who knows 42", command: "Thing", want: "Thing"},
	}
	m := New()
	for _, tt := range tests {
		protocol, command := tt.protocol, tt.command
		if protocol == "" {
			protocol = "mysql"
		}
		if command == "" {
			command = "Query"
		}
		for range 2 { // made, then remembered
			if diff := cmp.Diff(tt.want, m.Of(protocol, command, []byte(tt.text), tt.cut)); diff != "" {
				t.Errorf("%s\n%s", tt.text, diff)
			}
		}
	}
}

// However keywords were typed, a statement is one; names keep their case.
func TestKeywordsAreUpperCase(t *testing.T) {
	tests := []struct {
		texts []string
		want  string
	}{
		{[]string{"select * FROM sbtest1 WHERE id=1", "SELECT * FROM sbtest1 WHERE id=2", "Select * from sbtest1 where id=3"}, "SELECT * FROM sbtest1 WHERE id = ?"},
		{[]string{"show tables", "SHOW TABLES", "Show Tables"}, "SHOW TABLES"},
		{[]string{"show full columns from Status like 'x'"}, "SHOW FULL COLUMNS FROM Status LIKE ?"},
		{[]string{"show create table status"}, "SHOW CREATE TABLE status"},
		{[]string{"lock tables status read", "LOCK TABLES status READ"}, "LOCK TABLES status READ"},
		{[]string{"start transaction", "START TRANSACTION"}, "START TRANSACTION"},
		{[]string{"set session transaction isolation level read committed"}, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED"},
		{[]string{"set names utf8mb4"}, "SET NAMES utf8mb4"},
		{[]string{"insert ignore into t(a) values (1) on duplicate key update a=values(a)"}, "INSERT IGNORE INTO t(a) VALUES (?) ON DUPLICATE KEY UPDATE a = VALUES (a)"},
		{[]string{"replace into t select * from u"}, "REPLACE INTO t SELECT * FROM u"},
		{[]string{"select Count(*), now() from User where Name is not null", "SELECT COUNT(*), NOW() FROM User WHERE Name IS NOT NULL"}, "SELECT COUNT(*), NOW() FROM User WHERE Name IS NOT NULL"},
		{[]string{"insert into user(a) values(1)"}, "INSERT INTO user(a) VALUES (?)"},
		{[]string{"select a.select, `from`, Status, Value from a"}, "SELECT a.select, from, Status, Value FROM a"},
		{[]string{"select case when a then b else c end", "SELECT CASE WHEN a THEN b ELSE c END"}, "SELECT CASE WHEN a THEN b ELSE c END"},
		{[]string{"select a from t where b=1 lock in share mode"}, "SELECT a FROM t WHERE b = ? LOCK IN SHARE MODE"},
		{[]string{"select a; select * from b"}, "SELECT a; SELECT * FROM b"},
		{[]string{"\u0250bc x", "\u0250BC x"}, "\u0250BC x"}, // as upper case it would be longer
		{[]string{"use status"}, "USE status"},
	}
	m := New()
	for _, tt := range tests {
		for _, text := range tt.texts {
			if diff := cmp.Diff(tt.want, m.Of("mysql", "Query", []byte(text), false)); diff != "" {
				t.Errorf("%s\n%s", text, diff)
			}
		}
	}
	// In PostgreSQL more words may be names.
	if got, want := m.Of("postgres", "Query", []byte("select key2, Range, read from t"), false), "SELECT key2, Range, read FROM t"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestOthers(t *testing.T) {
	tests := []struct{ protocol, command, text, want string }{
		{"http", "GET", "/", "GET /"},
		{"http", "GET", "/a?x=1&y=secret&z", "GET /a?x=?&y=?&z"},
		{"http", "GET", "/users/12345/orders/2024-01-02", "GET /users/?/orders/?"},
		{"http", "GET", "/o/123e4567-e89b-12d3-a456-426614174000/x#frag", "GET /o/?/x"},
		{"http", "GET", "/blob/9f86d081884c7d65/img/1234.jpg", "GET /blob/?/img/?.jpg"},
		{"http", "GET", "/v1/api2/jquery-3.6.0.min.js", "GET /v1/api2/jquery-3.6.0.min.js"},
		{"http", "GET", "/cart;jsessionid=0A1B2C/items", "GET /cart/items"},
		{"http", "GET", "http://joe:secret@example.com:80/a/17", "GET http://example.com:80/a/?"},
		{"http", "POST", "/reset/joe@example.com/t/AbCdEf0123456789xyz", "POST /reset/?/t/?"},
		{"http", "CONNECT", "example.com:443", "CONNECT example.com:443"},
		{"http", "OPTIONS", "*", "OPTIONS *"},
		{"redis", "GET", "user:1000:name", "GET user:?:name"},
		{"redis", "HGET", "session:9f8e7d6c5b4a3f2e", "HGET session:?"},
		{"redis", "GET", "key000000042", "GET key?"},
		{"redis", "GET", "mail:joe@example.com", "GET mail:?"},
		{"redis", "GET", "bin\x00\x01\xff!", "GET bin?!"},
		{"redis", "PING", "", "PING"},
		{"mongodb", "find", "shop.orders_2024", "find shop.orders_2024"},
		{"mongodb", "dropDatabase", "shop", "dropDatabase shop"},
		{"mongodb", "hello", "", "hello"},
		{"mysql", "InitDB", "shop_2024", "InitDB: shop_2024"},
		{"mysql", "InitDB", "Shop_2024", "InitDB: Shop_2024"},
		{"mysql", "InitDB", "2024", "InitDB: 2024"},
		{"mysql", "InitDB", "select -- all", "InitDB: select -- all"},
		{"mysql", "InitDB", "größe\n", "InitDB: größe?"},
		{"mysql", "InitDB", strings.Repeat("x", 300), "InitDB: " + strings.Repeat("x", 256) + "..."},
		{"mysql", "FieldList", "t", "FieldList: t"},
		{"mysql", "ChangeUser", "o'brien", "ChangeUser: o'brien"},
		{"mysql", "ChangeUser", "", "ChangeUser"},
		{"mysql", "TLS", "db.example.com", "TLS db.example.com"},
		{"postgres", "TLS", "select.example.com", "TLS select.example.com"},
		{"tls", "TLS", "www.example.com", "TLS www.example.com"},
		{"dns", "A", "www.example.com", "A www.example.com"},
		{"dns", "PTR", "4.3.2.1.in-addr.arpa", "PTR ?.in-addr.arpa"},
		{"dns", "A", ".", "A "},
	}
	m := New()
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, m.Of(tt.protocol, tt.command, []byte(tt.text), false)); diff != "" {
			t.Errorf("%s\n%s", tt.text, diff)
		}
	}
}

// writer makes statements in which every literal is one of its secrets.
type writer struct {
	r  *rand.Rand
	my bool
}

func (w *writer) pick(choices ...string) string { return choices[w.r.IntN(len(choices))] }

func (w *writer) space() string {
	return w.pick(" ", "\n", "\t ", " /* Secret 987 */ ", " -- Secret 987\n")
}

func (w *writer) literal() string {
	all := []string{"98765", "-98765", "9876.5e-98", ".98765", "0xSec98", "'Secret'", "'Sec''Secret'", "''", "' ; Secret /* '", "'\"Secret'", "'Secret -- '",
		"b'98765'", "DATE '9876-05-04'", "X'98765'"}
	if w.my {
		all = append(all, `'Sec\'Secret'`, `'Secret\\'`, `"Secret"`, `"Sec""Secret'"`, "_utf8mb4'Secret'", `'\\\'Secret'`)
	} else {
		all = append(all, `'Secret\'`, `E'Sec\'Secret'`, "$$Secret'$$", "$a1$Sec$$ret$a1$")
	}
	return w.pick(all...)
}

func (w *writer) expression(depth int) string {
	if depth == 0 {
		return w.pick(w.literal(), "col", "t1.col2", "?")
	}
	switch w.r.IntN(7) {
	case 0:
		return "(" + w.expression(depth-1) + w.space() + w.pick("=", "+", "<", "!=", "AND", "or", "LIKE") + w.space() + w.expression(depth-1) + ")"
	case 1:
		return "f(" + w.expression(depth-1) + "," + w.expression(depth-1) + ")"
	case 2:
		return "col IN (" + w.literal() + strings.Repeat(","+w.space()+w.literal(), w.r.IntN(4)) + ")"
	case 3:
		return "(" + w.statement(depth-1) + ")"
	case 4:
		return "CASE WHEN " + w.expression(depth-1) + " THEN " + w.literal() + " END"
	default:
		return w.expression(0)
	}
}

func (w *writer) statement(depth int) string {
	switch w.r.IntN(3) {
	case 0:
		row := func() string { return "(" + w.literal() + ", " + w.expression(max(0, depth-1)) + ")" }
		s := "INSERT" + w.space() + "INTO t (a, b) VALUES " + row()
		for range w.r.IntN(4) {
			s += "," + w.space() + row()
		}
		return s
	case 1:
		return "UPDATE t SET a=" + w.literal() + ", b =" + w.expression(depth) + w.space() + "WHERE" + w.space() + w.expression(depth)
	default:
		return "SELECT a," + w.space() + w.expression(depth) + " FROM t WHERE " + w.expression(depth) + " LIMIT 98765"
	}
}

// No literal survives, wherever the statement is cut.
func TestNoLiteralSurvives(t *testing.T) {
	m := New()
	for seed := range uint64(3000) {
		w := &writer{r: rand.New(rand.NewPCG(seed, 1)), my: seed%2 == 0}
		protocol := map[bool]string{true: "mysql", false: "postgres"}[w.my]
		text := w.statement(2)
		check := func(text string, cut bool) {
			got := m.Of(protocol, "Query", []byte(text), cut)
			if strings.Contains(got, "Sec") || strings.Contains(got, "98") || strings.Contains(got, "ecr") {
				t.Fatalf("%s, cut %v: %s\nbecame %s", protocol, cut, text, got)
			}
			if slow := New().laidOut(map[bool]*dialect{true: &mysql, false: &postgres}[w.my], "Query", []byte(text), cut); slow != got && text != "" {
				t.Fatalf("%s\nbecame %s by its skeleton, %s by its shape", text, got, slow)
			}
			if !cut && strings.HasSuffix(got, dots) && len(got) < maxShape {
				t.Fatalf("%s: %s\nnot understood: %s", protocol, text, got)
			}
		}
		check(text, false)
		for range 5 {
			check(text[:w.r.IntN(len(text))], true)
		}
	}
}

// Statements that differ in literals only are one, and others are not.
func TestGrouping(t *testing.T) {
	m := New()
	seen := map[string]string{}
	for seed := range uint64(500) {
		text := func(secret string) string {
			w := &writer{r: rand.New(rand.NewPCG(seed, 2)), my: true}
			return strings.NewReplacer("Secret", secret, "987", "1").Replace(w.statement(2))
		}
		a, b := m.Of("mysql", "Query", []byte(text("x")), false), m.Of("mysql", "Query", []byte(text("something else")), false)
		if a != b {
			t.Fatalf("%s\n%s\n%s", text("x"), a, b)
		}
		seen[a] = ""
	}
	if len(seen) < 250 {
		t.Errorf("500 different statements have only %d fingerprints", len(seen))
	}
}

// The memory is bounded, whatever comes.
func TestCacheIsBounded(t *testing.T) {
	m := New()
	most := 0
	for i := range 60000 {
		m.Of("mysql", "Query", fmt.Appendf(nil, "SELECT c%d FROM %s", i, strings.Repeat("t", 150)), false)
		most = max(most, m.youngBytes)
	}
	if most > cacheBytes/2+2*maxShape || m.old == nil {
		t.Errorf("%d bytes in one generation of %d", most, cacheBytes/2)
	}
	if got := m.Of("mysql", "Query", []byte("SELECT c59999 FROM "+strings.Repeat("t", 150)), false); !strings.HasPrefix(got, "SELECT c59999 FROM tt") {
		t.Error(got)
	}
}

func FuzzOf(f *testing.F) {
	f.Add([]byte("SELECT 'a\\' FROM `b` WHERE x IN (1,2) -- c"), true, false)
	f.Add([]byte(`INSERT INTO t VALUES (1,"x"),(2,$a$y$a$),(.5e-7,E'\''`), false, true)
	f.Add([]byte("/a/12/../%41;x=1?y=2&&=3"), true, true)
	m := New()
	f.Fuzz(func(t *testing.T, data []byte, my, cut bool) {
		protocol, escape := "postgres", strings.NewReplacer("'", "''")
		if my {
			protocol, escape = "mysql", strings.NewReplacer("'", `\'`, `\`, `\\`)
		}
		for _, p := range []string{protocol, "http", "redis", "dns"} {
			if got := m.Of(p, "X", data, cut); len(got) > 3*maxShape {
				t.Errorf("%s: a fingerprint of %d bytes", p, len(got))
			}
		}
		// Whatever stands in a string, the fingerprint does not know it.
		fast, slow := m.Of(protocol, "Query", data, cut), New().laidOut(map[bool]*dialect{true: &mysql, false: &postgres}[my], "Query", data, cut)
		if fast != slow && len(data) > 0 {
			t.Errorf("%q: %q by its skeleton, %q by its shape", data, fast, slow)
		}
		got := m.Of(protocol, "Query", []byte("SELECT a FROM t WHERE b = '"+escape.Replace(string(data))+"' AND c = 1"), false)
		if got != "SELECT a FROM t WHERE b = ? AND c = ?" {
			t.Errorf("%q: %s", data, got)
		}
	})
}

func BenchmarkPointSelect(b *testing.B) {
	m := New()
	var texts [1024][]byte
	for i := range texts {
		texts[i] = fmt.Appendf(nil, "SELECT c FROM sbtest%d WHERE id = %d AND k IN (1, 22)", i%8+1, 1000000+i*37)
	}
	b.SetBytes(int64(len(texts[0])))
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if m.Of("mysql", "Query", texts[i&1023], false) == "" {
			b.Fatal()
		}
		i++
	}
}

func BenchmarkPrepared(b *testing.B) {
	m := New()
	text := []byte("SELECT DISTINCT c.customer_id, c.name, o.total, o.created_at FROM customers c JOIN orders o ON o.customer_id = c.customer_id WHERE o.created_at > ? AND o.status IN (?, ?, ?) ORDER BY o.created_at DESC LIMIT ?")
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if m.Of("mysql", "Execute", text, false) == "" {
			b.Fatal()
		}
	}
}

func BenchmarkMiss(b *testing.B) {
	m := New()
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		m.Of("mysql", "Query", fmt.Appendf(nil, "SELECT c%d FROM sbtest WHERE id = 1000 AND k IN (1, 22)", i), false)
		i++
	}
}

func BenchmarkPath(b *testing.B) {
	m := New()
	text := []byte("/api/v1/users/123456/orders?from=2024-01-01&limit=50")
	b.ReportAllocs()
	for b.Loop() {
		m.Of("http", "GET", text, false)
	}
}
