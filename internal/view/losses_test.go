package view

import (
	"testing"
	"time"

	"rtrail/internal/recording"
)

// Losses are told by table, and those outside of the window are of no concern.
func TestLosses(t *testing.T) {
	began := time.Date(2026, 3, 1, 14, 2, 10, 0, time.UTC)
	rec := recording.New(recording.Manifest{})
	for s := range 6 {
		w := recording.NewWriter(began.Add(time.Duration(s) * time.Second))
		recording.Append(w, recording.TCPSample{At: w.Started}, recording.TCPSample{At: w.Started})
		w.LostFrom("socket", recording.TCPSockets, 10*s)
		w.LostFrom("socket", recording.TCPSockets, s)
		w.LostFrom("socket", recording.Qdiscs, 0)
		if want := int64(11 * s); w.LostRows() != want {
			t.Errorf("sample %d lost %d rows, want %d", s, w.LostRows(), want)
		}
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
	}
	v := New(rec, began.Add(time.Second), began.Add(3*time.Second))
	if n := v.CountRows(recording.TCPSockets); n != 6 {
		t.Errorf("%d rows in the window, want 6", n)
	}
	if n := v.CountRows(recording.Listeners); n != 0 {
		t.Errorf("%d rows of a table without any", n)
	}
	if n := v.MostLost(recording.TCPSockets); n != 33 {
		t.Errorf("at most %d rows lost in a sample, want 33", n)
	}
	if n := v.MostLost(recording.Qdiscs); n != 0 {
		t.Errorf("%d rows lost of a table that lost none", n)
	}
	if n := len(Rows[recording.TableLoss](v)); n != 3 {
		t.Errorf("%d rows about losses, want one for each of three samples", n)
	}
}
