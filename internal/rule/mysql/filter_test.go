package mysql

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIndexOf(t *testing.T) {
	for _, c := range []struct{ text, table, index string }{
		{"SELECT `id` , `pad` FROM `sbtest1` WHERE `pad` = ?", "sbtest1", "pad"},
		{"select id,pad from lab.sbtest1 t where t.pad=? and t.k>? limit ?", "lab.sbtest1", "pad,k"},
		{"SELECT * FROM `orders` WHERE `state` = ? AND `created` BETWEEN ? AND ? AND `customer` IN (...)", "orders", "state,customer,created"},
		{"SELECT * FROM t WHERE (a = ? AND (b IS NULL)) ORDER BY c DESC , d DESC LIMIT ?", "t", "a,b,c,d"},
		{"SELECT * FROM t WHERE a = ? ORDER BY c DESC , d LIMIT ?", "t", "a"},
		{"SELECT * FROM t ORDER BY created LIMIT ?", "t", "created"},
		{"SELECT * FROM t ORDER BY created", "t", ""},
		{"SELECT * FROM t WHERE ? = a", "t", "a"},
		{"UPDATE `lab` . `t` SET `n` = `n` + ? WHERE `name` = ?", "lab.t", "name"},
		{"DELETE FROM t WHERE expires < ?", "t", "expires"},
		{"SELECT * FROM t WHERE a = ? OR b = ?", "t", ""},
		{"SELECT * FROM t WHERE DATE(created) = ?", "t", ""},
		{"SELECT * FROM t WHERE a + ? = ?", "t", ""},
		{"SELECT * FROM t WHERE a <> ? AND NOT b = ?", "t", ""},
		{"SELECT * FROM t WHERE a = b", "t", ""},
		{"SELECT * FROM t WHERE a = MD5 ( ? ) AND b > NOW ( )", "t", "a,b"},
		{"SELECT * FROM t WHERE a = LOWER ( b )", "t", ""},
		{"SELECT * FROM t WHERE a IS NOT NULL", "t", ""},
		{"SELECT * FROM t WHERE a LIKE ?", "t", ""},
		{"SELECT * FROM t WHERE a IN (SELECT b FROM u)", "t", ""},
		{"SELECT * FROM a JOIN b ON a.x = b.y WHERE a.z = ?", "a", ""},
		{"SELECT * FROM (SELECT x FROM t) d WHERE d.x = ?", "", ""},
		{"INSERT INTO u SELECT * FROM t WHERE a = ?", "t", "a"},
	} {
		f, _ := parseFilter(c.text)
		if f.table == "" {
			f.schema = ""
		}
		got := [2]string{f.qualified(), strings.Join(f.index(), ",")}
		if diff := cmp.Diff([2]string{c.table, c.index}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.text, diff)
		}
	}
}

func TestFilterKnowsAggregates(t *testing.T) {
	for text, want := range map[string]bool{
		"SELECT COUNT(*) FROM t WHERE a = ?":              true,
		"SELECT DISTINCT a FROM t WHERE b = ?":            true,
		"SELECT a, b FROM t WHERE c = ? GROUP BY a":       true,
		"SELECT a, LENGTH(b) FROM t WHERE c = ?":          false,
		"SELECT `count` , `max` FROM t WHERE c = ?":       false,
		"UPDATE t SET a = ? WHERE b = ?":                  false,
		"SELECT (SELECT MAX(x) FROM u) FROM t WHERE a =?": true,
	} {
		if f, ok := parseFilter(text); !ok || f.aggregates != want {
			t.Errorf("%s: %v %v", text, f.aggregates, ok)
		}
	}
}

func TestFilterRefuses(t *testing.T) {
	for _, text := range []string{"", "COMMIT", "SHOW TABLES", "INSERT INTO t VALUES (...)", "SELECT ?", "SELECT `a", "CALL p ( ? )", "WITH x AS (SELECT ?) SELECT * FROM x"} {
		if f, ok := parseFilter(text); ok {
			t.Errorf("%q gave %+v", text, f)
		}
	}
}

// FuzzParseFilter feeds the reader with anything: it must come to an end, and
// name no column that is not in the text.
func FuzzParseFilter(f *testing.F) {
	for _, s := range []string{"SELECT * FROM t WHERE (a = ? AND (b IS NULL)) ORDER BY c DESC , d LIMIT ?", "UPDATE `l` . `t` SET n = ? WHERE x BETWEEN ? AND ?",
		"DELETE FROM t WHERE DATE(x) < 'a''b' /* c */", "UPDATE`l``t` SET n = 1", "SELECT ((((", "select `", "SELECT a FROM t WHERE ) = ? AND", "SELECT * FROM t ORDER BY"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		x, ok := parseFilter(text)
		if !ok {
			return
		}
		marks := strings.NewReplacer("`", "") // a name holds one where the text holds two
		for _, c := range append(x.index(), x.table) {
			if !strings.Contains(marks.Replace(text), marks.Replace(c)) {
				t.Errorf("%q is not in %q", c, text)
			}
		}
	})
}
