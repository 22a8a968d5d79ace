package capture

import (
	"math/rand/v2"
	"testing"
	"time"

	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
	"rtrail/internal/recording"
	"rtrail/internal/view"
)

// A verdict stands on the rows of a recording, and names rtrail packets as its
// proof, which has the histogram itself: both must say the same.
func TestRowsKeepTimesAsExactly(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	total := &summary.Total{}
	for range 3000 {
		d := 700*time.Microsecond + time.Duration(random.IntN(200))*time.Microsecond
		if random.IntN(3) == 0 {
			d = 30*time.Millisecond + time.Duration(random.IntN(20000))*time.Microsecond
		}
		total.RT.Add(d)
	}
	start := time.Unix(1000, 0)
	rec := recording.New(recording.Manifest{Format: recording.FormatVersion})
	w := recording.NewWriter(start)
	for _, row := range histogramRows(start, summary.Service{}, total) {
		recording.Append(w, row)
	}
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	s := view.New(rec, start, start.Add(time.Second)).PacketServices()[0]
	for _, q := range []float64{0.5, 0.95, 0.99} {
		if got, want := s.Quantile(q), total.RT.Quantile(q); got != want {
			t.Errorf("quantile %v: %v, want %v", q, got, want)
		}
	}
	modes := s.Modes()
	want := rt.Centers(total.RT.Buckets(64), rt.Modes(total.RT.Buckets(16)))
	if len(modes) != len(want) || len(want) != 2 {
		t.Fatalf("modes %v, want at %v", modes, want)
	}
	for i, m := range modes {
		if m.At != want[i] {
			t.Errorf("mode %d at %v, want %v", i, m.At, want[i])
		}
	}
}
