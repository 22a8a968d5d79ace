package recording

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestRepeatedRows: rows that are made of earlier ones stand where they were
// added, in memory and on disk, also when nobody asked for those before.
func TestRepeatedRows(t *testing.T) {
	start := time.Unix(1700000000, 0).UTC()
	later := func(row *SystemSample, at time.Time) SystemSample {
		again := *row
		again.At = at
		return again
	}
	first := []SystemSample{{At: start, Forks: 1}, {At: start, Forks: 2}}
	second := []Again[SystemSample]{{&first[1], start.Add(time.Second)}, {&first[0], start.Add(2 * time.Second)}}
	want := []SystemSample{
		{At: start, Forks: 1}, {At: start, Forks: 2}, {At: start.Add(time.Second), Forks: 2}, {At: start.Add(2 * time.Second), Forks: 1},
	}
	fill := func(t *testing.T, s Sink) {
		for n := range 2 {
			w := NewWriter(start)
			if n == 0 {
				Append(w, first...)
			} else {
				Repeat(w, second, later)
			}
			if w.Rows() != 2 {
				t.Errorf("sample %d has %d rows, want 2", n, w.Rows())
			}
			if err := s.Commit(w); err != nil {
				t.Fatal(err)
			}
		}
	}
	rec := New(Manifest{})
	fill(t, rec)
	if n := rec.Count(System); n != len(want) {
		t.Errorf("count %d, want %d", n, len(want))
	}
	// Before and after somebody asked for rows.
	for range 2 {
		var readings []SystemSample
		for _, r := range Readings[SystemSample](rec) {
			if !r.At().Equal(r.Row().At) || r.Of().Forks != r.Row().Forks {
				t.Errorf("reading of %v at %v is of another row than %v", r.Of(), r.At(), r.Row())
			}
			readings = append(readings, r.Row())
		}
		if diff := cmp.Diff(want, readings); diff != "" {
			t.Errorf("as readings (-want +got)\n%s", diff)
		}
		if diff := cmp.Diff(want, Rows[SystemSample](rec)); diff != "" {
			t.Errorf("in memory (-want +got)\n%s", diff)
		}
	}
	dir := filepath.Join(t.TempDir(), "rec")
	d, err := Create(dir, Manifest{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	fill(t, d)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	read, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, Rows[SystemSample](read)); diff != "" {
		t.Errorf("on disk (-want +got)\n%s", diff)
	}
}
