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

// TestTopOfManyDays: each report is of another day, up to that on which the file was written.
func TestTopOfManyDays(t *testing.T) {
	text, err := os.ReadFile("testdata/cpu/top.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), " up ")
	one, _, _ := strings.Cut(rest, "top - ")
	const days = 1000
	var all strings.Builder
	for n := range days {
		all.WriteString([]string{"top - 23:00:00 up ", "top - 01:00:00 up "}[n%2] + one + "\n")
	}
	written := time.Date(2026, 11, 26, 14, 0, 0, 0, time.Local)
	began := time.Now()
	read, err := parseTop("top.txt", all.String(), written)
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	last := read.reports[len(read.reports)-1].at
	if last.After(written.Add(time.Hour)) || written.Sub(last) > 24*time.Hour {
		t.Errorf("the last report is of %v, written at %v", last, written)
	}
}
