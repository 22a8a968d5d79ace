package capture

import (
	"math/rand/v2"
	"testing"
	"time"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
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
	for _, row := range histogramRows(start, summary.Service{Server: flow.Endpoint{Port: 3306}}, total) {
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

// What was not captured of a transaction is unknown in its row, not 0.
func TestTransactionRowsSayWhatIsUnknown(t *testing.T) {
	type columns struct {
		RT, Upload, Serve, Download        time.Duration
		RequestBytes, ResponseBytes, Depth int64
		FirstFrame, LastFrame              int64
	}
	times := rt.Transaction{RT: 5, Upload: 3, Serve: 4, Download: 2, RequestBytes: 20, ResponseBytes: 30, Depth: 1, Frames: [4]uint64{7, 8, 9, 10}}
	unanswered := rt.Transaction{Status: proto.Unanswered, Upload: 3, RequestBytes: 20, Depth: 2, Frames: [4]uint64{7, 8, 0, 0}}
	unpaired := rt.Transaction{Status: proto.Unpaired, ResponseBytes: 30, Frames: [4]uint64{0, 0, 9, 10}}
	const unknown = recording.Unknown
	for _, tt := range []struct {
		name string
		t    rt.Transaction
		want columns
	}{
		{"answered", times, columns{5, 3, 4, 2, 20, 30, 1, 7, 10}},
		{"without answer", unanswered, columns{unknown, 3, unknown, unknown, 20, 0, 2, 7, 8}},
		{"without request", unpaired, columns{unknown, unknown, unknown, unknown, unknown, 30, unknown, unknown, 10}},
	} {
		r := TransactionRow(&tt.t)
		got := columns{r.RT, r.Upload, r.Serve, r.Download, r.RequestBytes, r.ResponseBytes, int64(r.Depth), r.FirstFrame, r.LastFrame}
		if got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}
