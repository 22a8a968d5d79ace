package catalogue

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/probe/netproc"
	"rtrail/internal/recording"
)

// A column that a rule cannot do without is one of its tables.
func TestColumnsAreThere(t *testing.T) {
	schema, err := os.ReadFile("../../recording/SCHEMA.md")
	if err != nil {
		t.Fatal(err)
	}
	counters := map[string]bool{}
	var p netproc.Parser
	for _, file := range []string{"snmp", "netstat"} {
		text, err := os.ReadFile("../../probe/netproc/testdata/linux-6.18/" + file)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := p.Table(nil, time.Time{}, 1, text)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			counters[r.Protocol+r.Name] = true
		}
	}
	for _, r := range Rules {
		for _, c := range r.Columns {
			table, column, _ := strings.Cut(c, ".")
			if !slices.Contains(slices.Concat(r.Needs, r.NeedsAny), recording.Table(table)) {
				t.Errorf("%s cannot do without %s, and does not need its table", r.ID, c)
			}
			if recording.Table(table) == recording.Protocol {
				if !counters[column] {
					t.Errorf("%s cannot do without %s, which is no counter", r.ID, c)
				}
				continue
			}
			_, text, _ := strings.Cut(string(schema), "\n## "+table+"\n")
			text, _, _ = strings.Cut(text, "\n## ")
			if !strings.Contains(text, "\n| "+column+" |") {
				t.Errorf("%s cannot do without %s, which is no column", r.ID, c)
			}
		}
	}
}
