package session

import (
	"path/filepath"
	"testing"
	"time"

	"rtrail/internal/recording"
)

// What is watched and recorded at the same time is the same.
func TestAlso(t *testing.T) {
	o := thisHost()
	o.Keep = time.Hour
	live := Start(o)
	defer live.Close()
	path := filepath.Join(t.TempDir(), "rec")
	dir, err := recording.Create(path, live.Recording().Manifest(), recording.Options{})
	if err != nil {
		t.Fatal(err)
	}
	live.Also(dir)
	if err := live.Run(t.Context(), 2*time.Second); err != nil {
		t.Fatal(err)
	}
	if err := dir.Close(); err != nil {
		t.Fatal(err)
	}
	disk, err := recording.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	tables := live.Recording().Tables()
	if len(tables) < 10 {
		t.Errorf("only %v", tables)
	}
	for _, table := range tables {
		if m, d := live.Recording().Count(table), disk.Count(table); m != d {
			t.Errorf("%s: %d rows in memory, %d on disk", table, m, d)
		}
	}
}

// The last part of a session begins with it at the earliest, and shares a sample with the one
// before.
func TestLast(t *testing.T) {
	o := thisHost()
	began := time.Date(2026, 1, 31, 3, 0, 0, 0, time.UTC)
	o.About.Started = began
	live := Start(o)
	defer live.Close()
	for _, c := range []struct{ after, from time.Duration }{{time.Second, 0}, {5 * time.Second, 0}, {30 * time.Second, 25*time.Second - o.Interval}} {
		e := live.Last(5*time.Second, began.Add(c.after))
		if got := e.From.Sub(began); got != c.from || !e.To.Equal(began.Add(c.after)) {
			t.Errorf("after %v from %v, want %v", c.after, got, c.from)
		}
	}
}
