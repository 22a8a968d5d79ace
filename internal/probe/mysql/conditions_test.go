package mysql

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/probe/mysql/fixture"
	"rtrail/internal/recording"
)

// comparing is a recorded MariaDB that scans, and whose sessions all run one statement.
func comparing(t *testing.T, statement string) *tape {
	tp := readTape(t, "testdata/looks/mariadb-11.8-plans.txt")
	for asked, list := range tp.answers {
		if !strings.Contains(asked, "information_schema.PROCESSLIST") {
			continue
		}
		for _, a := range list {
			info, command, db := a.answer.Column("info"), a.answer.Column("command"), a.answer.Column("db")
			for _, row := range a.answer.Rows {
				if row[command].Text == "Query" {
					row[info], row[db] = fixture.Value{Text: statement}, fixture.Value{Text: "lab"}
					row[a.answer.Column("length")] = fixture.Value{Text: strconv.Itoa(len(statement))}
				}
			}
		}
	}
	where := " WHERE TABLE_SCHEMA = " + literal("lab") + " AND TABLE_NAME = " + literal("note")
	tp.answers["SELECT COLUMN_NAME AS name, COLUMN_TYPE AS type FROM information_schema.COLUMNS"+where] = []tapeAnswer{{answer: fixture.Answer{
		Columns: []string{"name", "type"}, Rows: [][]fixture.Value{{{Text: "id"}, {Text: "int(11)"}}, {{Text: "Phone"}, {Text: "varchar(20)"}}, {{Text: "name"}, {Text: "text"}}}}}}
	tp.answers["SELECT INDEX_NAME AS name, COLUMN_NAME AS col FROM information_schema.STATISTICS"+where+" AND SEQ_IN_INDEX = 1"] = []tapeAnswer{{answer: fixture.Answer{
		Columns: []string{"name", "col"}, Rows: [][]fixture.Value{{{Text: "PRIMARY"}, {Text: "id"}}, {{Text: "by_phone"}, {Text: "phone"}}}}}}
	return tp
}

func TestConditions(t *testing.T) {
	rec := play(t, comparing(t, "SELECT * FROM note WHERE phone = 4711 AND id = 4711 AND name LIKE '%secret%'"), Options{})
	got := recording.Rows[recording.MySQLCondition](rec)
	for i := range got {
		got[i].At = time.Time{}
	}
	const text = "SELECT * FROM note WHERE phone = ? AND id = ? AND name LIKE ?"
	want := []recording.MySQLCondition{
		{Server: "db:3306", Statement: text, Form: "number", By: "=", Schema: "lab", Name: "note", Column: "phone", Type: "varchar(20)", Indexes: "by_phone"},
		{Server: "db:3306", Statement: text, Form: "pattern", By: "LIKE", Schema: "lab", Name: "note", Column: "name", Type: "text"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if strings.Contains(dump(rec), "secret") || strings.Contains(dump(rec), "'4711'") {
		t.Error("a literal shows")
	}
}

// A server that scans nothing is asked about no table.
func TestConditionsOfIdleServer(t *testing.T) {
	tp := comparing(t, "SELECT * FROM note WHERE phone = 4711")
	for asked, list := range tp.answers {
		if strings.HasPrefix(asked, "SHOW GLOBAL STATUS") {
			tp.answers[asked] = list[:1]
		}
	}
	if n := play(t, tp, Options{}).Count(recording.MySQLConditions); n != 0 {
		t.Errorf("%d conditions", n)
	}
	for _, s := range tp.asked {
		if strings.Contains(s, "information_schema.COLUMNS") || strings.Contains(s, "STATISTICS") {
			t.Errorf("asked: %s", s)
		}
	}
}

func TestHoldsText(t *testing.T) {
	for kind, want := range map[string]bool{"varchar(40)": true, "char(3)": true, "text": true, "longtext": true, "varchar(3) collate x": true,
		"int(11)": false, "": false, "varbinary(9)": false, "tinyint(1)": false, "enum('a')": false, "timestamp": false} {
		if holdsText(kind) != want {
			t.Errorf("%q: %v", kind, !want)
		}
	}
}
