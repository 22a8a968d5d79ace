package imported

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestDayOfOtherFiles: top tells the time of the day only, and mpstat the day, too. A copy
// may change when a file was written, to any later time.
func TestDayOfOtherFiles(t *testing.T) {
	made := time.Date(2026, 11, 26, 14, 31, 43, 0, time.Local)
	for _, c := range []struct {
		name    string
		written time.Time
		noted   bool
		fails   bool
	}{
		{name: "at once", written: made},
		{name: "half an hour before that time of the next day", written: made.Add(23*time.Hour + 30*time.Minute), noted: true},
		{name: "two hours before", written: made.Add(22 * time.Hour)},
		{name: "weeks later", written: made.AddDate(0, 0, 20), noted: true},
		{name: "the clock of the copy is hours behind", written: made.Add(-5 * time.Hour), noted: true},
		{name: "before any of it", written: made.AddDate(0, 0, -3), fails: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			var files []string
			for _, name := range []string{"mpstat.txt", "top.txt"} {
				text, err := os.ReadFile(filepath.Join("testdata/cpu", name))
				if err != nil {
					t.Fatal(err)
				}
				file := filepath.Join(dir, name)
				if err := os.WriteFile(file, text, 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Chtimes(file, c.written, c.written); err != nil {
					t.Fatal(err)
				}
				files = append(files, file)
			}
			rec, held, err := Read(t.Context(), files)
			if c.fails {
				if err == nil || !strings.Contains(err.Error(), "they tell of different times") {
					t.Fatalf("no refusal: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := made.Sub(held.To); d < 0 || d > 2*time.Second {
				t.Errorf("it ends at %v, made at %v", held.To, made)
			}
			if noted := strings.Contains(strings.Join(rec.Manifest().Notes, "\n"), "does not say its day"); noted != c.noted {
				t.Errorf("noted: %v, want %v: %q", noted, c.noted, rec.Manifest().Notes)
			}
		})
	}
}
