package predicate

import (
	"fmt"
	"strings"
	"testing"
)

func words(list []Condition) string {
	var out []string
	for _, c := range list {
		s := fmt.Sprintf("%s %s(%s)", c.Form, c.By, c.Column)
		if c.Table != "" {
			s += " of " + strings.TrimPrefix(c.Schema+"."+c.Table, ".")
		}
		if !c.Alone {
			s += " beside others"
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

func TestOf(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT a FROM t WHERE name LIKE '%x%'":                                "pattern LIKE(name) of t",
		"SELECT a FROM t WHERE name LIKE '_x'":                                 "pattern LIKE(name) of t",
		"SELECT a FROM t WHERE name LIKE 'x%'":                                 "",
		"SELECT a FROM t WHERE name LIKE '\\%x'":                               "",
		"SELECT a FROM t WHERE name LIKE ?":                                    "",
		"SELECT a FROM t WHERE name NOT LIKE '%x'":                             "",
		"SELECT a FROM t WHERE name LIKE CONCAT('%', 'x')":                     "pattern LIKE(name) of t",
		"SELECT a FROM t WHERE name LIKE concat('x', '%')":                     "",
		"SELECT a FROM t WHERE name REGEXP 'x'":                                "pattern REGEXP(name) of t",
		"SELECT a FROM s.t WHERE DATE(made) = '2026-01-01'":                    "computed DATE(made) of s.t",
		"SELECT a FROM t WHERE YEAR ( `made` ) = ?":                            "computed YEAR(made) of t",
		"SELECT `a` FROM `t` WHERE `LOWER` ( `name` ) = ? LIMIT ?":             "computed LOWER(name) of t",
		"SELECT a FROM t WHERE EXTRACT(YEAR FROM made) = 2026":                 "computed EXTRACT(made) of t",
		"SELECT a FROM t WHERE TIMESTAMPDIFF(DAY, made, NOW()) < 7":            "computed TIMESTAMPDIFF(made) of t",
		"SELECT a FROM t WHERE made + INTERVAL 1 DAY > NOW()":                  "computed +(made) of t",
		"SELECT a FROM t WHERE made > NOW() - INTERVAL 1 DAY":                  "",
		"SELECT a FROM t WHERE name COLLATE utf8mb4_bin = 'x'":                 "computed COLLATE(name) of t",
		"SELECT a FROM t WHERE doc->>'$.a' = 'x'":                              "computed ->(doc) of t",
		"SELECT a FROM t WHERE 5 = id % 10":                                    "",
		"SELECT a FROM t WHERE MATCH(name) AGAINST ('x') > 0":                  "",
		"SELECT a FROM t WHERE ST_Distance(p, POINT(1, 2)) < 5":                "",
		"SELECT a FROM t WHERE phone = 123":                                    "number =(phone) of t",
		"SELECT a FROM t WHERE 123 = phone":                                    "number =(phone) of t",
		"SELECT a FROM t WHERE phone IN (1, 2)":                                "number IN(phone) of t",
		"SELECT a FROM t WHERE phone BETWEEN 1 AND 2 AND x = 'a'":              "number BETWEEN(phone) of t beside others",
		"SELECT a FROM t WHERE phone = '123'":                                  "",
		"SELECT a FROM t WHERE phone = 0x31":                                   "",
		"SELECT a FROM t WHERE phone = ?":                                      "",
		"SELECT a FROM t WHERE phone <> 5":                                     "",
		"SELECT a FROM t WHERE id = 5 AND name LIKE '%x'":                      "number =(id) of t; pattern LIKE(name) of t beside others",
		"SELECT a FROM t WHERE (name LIKE '%x' OR id = 5)":                     "pattern LIKE(name) of t; number =(id) of t",
		"SELECT a FROM t WHERE a = b AND name LIKE '%x'":                       "pattern LIKE(name) of t",
		"SELECT x.a FROM t x JOIN u AS y ON x.a = y.a WHERE y.name LIKE '%x'":  "pattern LIKE(name) of u",
		"SELECT x.a FROM t x, u WHERE name LIKE '%x'":                          "pattern LIKE(name)",
		"SELECT a FROM (SELECT a FROM u WHERE LOWER(b) = 'x') d WHERE a = 'y'": "computed LOWER(b) of u",
		"SELECT a FROM t WHERE b IN (SELECT b FROM u WHERE c LIKE '%z')":       "pattern LIKE(c) of u",
		"SELECT a FROM t ORDER BY RAND() LIMIT 1":                              "random RAND() of t",
		"SELECT `a` FROM `t` ORDER BY `RAND` ( ) LIMIT ?":                      "random RAND() of t",
		"SELECT a FROM t ORDER BY a LIMIT 1":                                   "",
		"SELECT a FROM t WHERE a = 'x' UNION SELECT a FROM u WHERE b LIKE '%'": "pattern LIKE(b) of u",
		"UPDATE t SET a = 1 WHERE LOWER(name) = 'x'":                           "computed LOWER(name) of t",
		"DELETE FROM t WHERE name LIKE '%x'":                                   "pattern LIKE(name) of t",
		"INSERT INTO x SELECT a FROM t WHERE name LIKE '%x'":                   "pattern LIKE(name) of t",
		"SELECT a FROM t WHERE /*!50000 b LIKE '%x' */":                        "",
		"SELECT a FROM t WHERE a = @x AND CURRENT_DATE > made":                 "",
		"SELECT":                           "",
		"WHERE":                            "",
		"":                                 "",
		"SELECT a FROM t WHERE ((((":       "",
		"SELECT a FROM t WHERE ) = LIKE '": "",
	} {
		if got := words(Of(text)); got != want {
			t.Errorf("%s\n got %q\nwant %q", text, got, want)
		}
	}
}

func FuzzOf(f *testing.F) {
	for _, s := range []string{"SELECT a FROM s.t x JOIN (SELECT 1) y WHERE name LIKE '%x%' AND (a = 1 OR b->>'c' = 2) ORDER BY RAND()", "UPDATE t SET a = 1 WHERE LOWER(b) BETWEEN 1 AND 2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range Of(text) {
			if c.Form == "" || c.Form != Random && c.Column == "" || c.By == "" {
				t.Errorf("%q: %+v", text, c)
			}
		}
	})
}
