package recording

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
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
		if retired[Table(table)] {
			continue // left out, without a note
		}
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

// Every row of a sealed segment names its host, also beside texts of its own.
func TestRecordedHost(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	d := create(t, dir, Options{Now: c.time})
	fill(t, d, c, rand.New(rand.NewPCG(1, 1)), 3)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, segmentsFolder, "*", "*"+parquetSuffix))
	if err != nil || len(files) == 0 {
		t.Fatalf("files %q, %v", files, err)
	}
	for _, name := range files {
		rows, err := parquet.ReadFile[struct {
			Host string `parquet:"recorded_host"`
		}](name)
		if err != nil || len(rows) == 0 {
			t.Fatalf("%s: %d rows, %v", name, len(rows), err)
		}
		for _, r := range rows {
			if r.Host != testHost.Host.Name || r.Host == "" {
				t.Fatalf("%s: host %q", name, r.Host)
			}
		}
	}
}
