package recording

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Recordings of older versions are read whole: every value stands in the field
// that has its meaning today. testdata/format1 was written by the version that
// wrote format 1, with other numbers in every column: all tables as a journal,
// some as Parquet. format1.json holds the rows by the fields they were written
// from.
func TestOlderFormats(t *testing.T) {
	dir := filepath.Join("testdata", "format1")
	rec, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if notes := rec.Manifest().Notes; len(notes) > 0 {
		t.Errorf("notes %q", notes)
	}
	want := decodeRows(t, must(os.ReadFile(dir+".json")))
	have := decodeRows(t, must(json.Marshal(contents(rec))))
	for table, rows := range want {
		if len(have[table]) != len(rows) {
			t.Errorf("%s: %d rows, want %d", table, len(have[table]), len(rows))
			continue
		}
		for i, row := range rows {
			got := map[string]any{} // what was added since is not in the file
			for field := range row {
				got[field] = have[table][i][field]
			}
			if diff := cmp.Diff(row, got); diff != "" {
				t.Errorf("%s, row %d (-want +got):\n%s", table, i, diff)
			}
		}
	}
}

// decodeRows reads the rows of tables, field by field.
func decodeRows(t *testing.T, data []byte) map[string][]map[string]any {
	t.Helper()
	var tables map[string][]map[string]any
	if err := json.Unmarshal(data, &tables); err != nil {
		t.Fatal(err)
	}
	return tables
}
