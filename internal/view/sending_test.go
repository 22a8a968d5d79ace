package view

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/recording"
)

// What connections bring is added up between the readings of their namespace, also of those that
// begin, count from 0 again, or are missing from a reading.
func TestSentRates(t *testing.T) {
	rec := recording.New(recording.Manifest{})
	w := recording.NewWriter(t0)
	row := func(s float64, ns uint64, port uint16, acked uint64, segments, again uint32) {
		recording.Append(w, recording.TCPSample{At: at(s), NetNS: ns, Local: "10.0.0.1", LocalPort: 80, Remote: "10.0.0.2", RemotePort: port, State: recording.TCPEstablished,
			Info: true, BytesAcked: acked, DataSegsOut: segments, TotalRetrans: again})
	}
	row(0, 1, 1, 5000, 50, 0)
	row(0.01, 1, 2, 100, 1, 0)
	row(0.02, 2, 1, 0, 0, 0) // another namespace
	row(1, 1, 1, 6000, 60, 0)
	row(1.01, 1, 2, 300, 4, 1)
	row(1.02, 1, 3, 40, 2, 0) // begins
	row(1.03, 2, 1, 1e6, 1000, 0)
	row(3, 1, 1, 6400, 64, 2)
	row(3.02, 1, 3, 20, 1, 0) // the port is used again
	row(4, 1, 1, 6400, 64, 2)
	row(4.01, 1, 2, 900, 10, 1) // was missing from a reading
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	v := New(rec, at(0), at(9))
	var mine []*Connection
	for i := range v.Connections() {
		if c := &v.Connections()[i]; c.NetNS == 1 {
			mine = append(mine, c)
		}
	}
	want := []SentRate{
		{At: at(1), Bytes: 1000 + 200 + 40, Packets: 10 + 2 + 2},
		{At: at(3), Bytes: (400 + 20) / 2., Packets: (2 + 1) / 2.},
		{At: at(4), Bytes: 600, Packets: 6},
	}
	if diff := cmp.Diff(want, v.SentRates(1, mine)); diff != "" {
		t.Error(diff)
	}
	if got := v.SentRates(2, nil); len(got) != 1 || got[0].Bytes != 0 {
		t.Errorf("without connections: %v", got)
	}
	if got := v.SentRates(3, nil); got != nil {
		t.Errorf("of an unknown namespace: %v", got)
	}
	if got := mine[1].Acknowledged(); got != 800 {
		t.Errorf("a connection that was there had %v bytes acknowledged, want 800", got)
	}
}
