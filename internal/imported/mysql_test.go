package imported

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/catalogue"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

const stalkMySQL = "testdata/stalk-mysql/2026_11_26_18_37_09-"

// pt-stalk beside a server where one connection keeps a row that three others want.
func TestStalkMySQL(t *testing.T) {
	all, held, err := Read(t.Context(), []string{"testdata/stalk-mysql"})
	if err != nil {
		t.Fatal(err)
	}
	rec := view.New(all, held.From, held.To)
	v := verdict.Judge(rec, catalogue.For(rec.Manifest()))
	found := slices.IndexFunc(v.Findings, func(f verdict.Finding) bool { return f.Rule == "mysql/row-lock-wait" })
	if found < 0 || v.Findings[found].Confidence != rule.Certain || !strings.Contains(v.Findings[found].Headline.String(), "connection 1329") {
		t.Fatalf("%+v", v.Findings)
	}
	for _, f := range v.Findings {
		if f.Rule == "mysql/full-scan" && f.Confidence > rule.Possible {
			t.Errorf("%s", f.Headline)
		}
	}
	for _, id := range []string{"mysql/table-cache-contention", "net/nic-drops"} {
		if !notJudged(v, id) {
			t.Errorf("%s was judged", id)
		}
	}
	for _, s := range view.Rows[recording.MySQLSession](rec) {
		if strings.Contains(s.Statement, "secret") || strings.Contains(s.Statement, "PROCESSLIST") {
			t.Errorf("%+v", s)
		}
	}
	for _, x := range view.Rows[recording.MySQLTransaction](rec) {
		if x.Session == 1329 && (x.Age < 5*time.Second || x.Age > 20*time.Second) {
			t.Errorf("age %v", x.Age)
		}
	}
	if s := rec.MySQLServers(); len(s) != 1 || s[0].Server != "/srv/mysql/s" || s[0].Flavor != "MariaDB" {
		t.Errorf("%+v", s)
	}
	if n := view.Rows[recording.MySQLInnoDB](rec); len(n) == 0 || n[0].OldestAge < time.Second {
		t.Errorf("%+v", n)
	}
}

// What no file tells is not healthy.
func TestMySQLUntold(t *testing.T) {
	v := judge(t, "stalk-mysql/2026_11_26_18_37_09-mysqladmin")
	for _, id := range []string{"mysql/long-transaction", "mysql/metadata-lock", "mysql/purge-lag", "mysql/slow-reader", "mysql/thread-pool-stalled"} {
		if !notJudged(v, id) {
			t.Errorf("%s was judged", id)
		}
	}
}

// Without the status of InnoDB nobody knows the server's clock, nor how old transactions are.
func TestAgeUnknown(t *testing.T) {
	v := view.New(readAll(t, []string{stalkMySQL + "mysqladmin", stalkMySQL + "transactions"}))
	rows := view.Rows[recording.MySQLTransaction](v)
	if len(rows) == 0 || rows[0].Age != recording.Unknown {
		t.Errorf("%+v", rows)
	}
}

func TestMySQLRefused(t *testing.T) {
	b, err := os.ReadFile(stalkMySQL + "mysqladmin")
	if err != nil {
		t.Fatal(err)
	}
	whole := string(b)
	at := strings.LastIndex(whole, "| Uptime ")
	relative := whole[:at] + "| Uptime | 1 |\n" + whole[at+strings.IndexByte(whole[at:], '\n')+1:]
	for name, tc := range map[string]struct {
		files []string
		want  string
	}{
		"one moment":  {[]string{stalkMySQL + "variables"}, "one moment"},
		"differences": {[]string{write(t, relative)}, "without -r"},
		"twice":       {[]string{stalkMySQL + "mysqladmin", write(t, whole)}, "the same of MySQL"},
		"damaged":     {[]string{write(t, whole[:2000]+strings.Repeat("what is this\n", 100))}, "not understood"},
	} {
		_, _, err := Read(t.Context(), tc.files)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
	// The last answer is cut off.
	rec, held, err := Read(t.Context(), []string{write(t, whole[:at])})
	if err != nil {
		t.Fatal(err)
	}
	if got := len(view.Rows[recording.MySQLServer](view.New(rec, held.From, held.To))); got != 7 {
		t.Errorf("%d answers, want 7", got)
	}
}

// A statement may look like rows and fields of the list.
func TestForgedRows(t *testing.T) {
	list := strings.Repeat("*", 27) + " 1. row " + strings.Repeat("*", 27) + `
     Id: 7
   User: app
   Host: 10.0.0.9:4000
     db: shop
Command: Query
   Time: 1
  State: Sending data
   Info: select 'a
Time: 99999
   Time: 99999
   User: root
' from t
`
	v := view.New(readAll(t, []string{write(t, list+list)}))
	rows := view.Rows[recording.MySQLSession](v)
	if len(rows) != 2 || rows[0].User != "app" || rows[0].For != time.Second || rows[0].ClientPort != 4000 || strings.Contains(rows[0].Statement, "99999") {
		t.Errorf("%+v", rows)
	}
}

// A row has so many fields, whatever its text says.
func TestManyFields(t *testing.T) {
	var b strings.Builder
	b.WriteString(strings.Repeat("*", 27) + " 1. row " + strings.Repeat("*", 27) + "\n      Id: 5\n")
	for i := range 10 * maxFields {
		fmt.Fprintf(&b, "%8d: x\n", i)
	}
	told, err := parseMySQL("many", b.String(), time.Time{})
	if err != nil || len(told.mysql.moments) != 1 {
		t.Fatalf("%+v %v", told, err)
	}
}

func FuzzMySQL(f *testing.F) {
	files, _ := filepath.Glob(stalkMySQL + "*")
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b[:min(len(b), 3000)])
	}
	status, err := os.ReadFile(stalkMySQL + "mysqladmin")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if mysqlKind(b) == "" {
			return
		}
		one, err := parseMySQL("fuzz", string(b), time.Time{})
		if err != nil {
			return
		}
		all := []*told{one}
		if one.mysql.kind != "status" {
			other, err := parseMySQL("status", string(status), time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, other)
		}
		if all, err = joinMySQL(all); err != nil {
			return
		}
		rec, held, err := together(all)
		if err != nil {
			return
		}
		view.New(rec, held.From, held.To).MySQLServers()
	})
}
