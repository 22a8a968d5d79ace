package catalogue

import (
	"os"
	"slices"
	"strings"
	"testing"

	"rtrail/internal/recording"
)

// A column that a rule cannot do without is one of its tables.
func TestColumnsAreThere(t *testing.T) {
	schema, err := os.ReadFile("../../recording/SCHEMA.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range Rules {
		for _, c := range r.Columns {
			table, column, _ := strings.Cut(c, ".")
			if !slices.Contains(slices.Concat(r.Needs, r.NeedsAny), recording.Table(table)) {
				t.Errorf("%s cannot do without %s, and does not need its table", r.ID, c)
			}
			_, text, _ := strings.Cut(string(schema), "\n## "+table+"\n")
			text, _, _ = strings.Cut(text, "\n## ")
			if !strings.Contains(text, column) {
				t.Errorf("%s cannot do without %s, which is no column", r.ID, c)
			}
		}
	}
}
