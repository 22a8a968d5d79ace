package episode

import (
	"fmt"
	"testing"
	"time"

	"rtrail/internal/recording"
)

// Refused connects and lost packets are found in the step in which they were counted, and nothing where
// counters stand still or only traffic grows.
func TestRefusals(t *testing.T) {
	rec := recording.New(recording.Manifest{})
	for i := range 60 {
		at := noon.Add(time.Duration(i)*time.Second + 300*time.Millisecond)
		w := recording.NewWriter(at)
		for name, v := range map[[2]string]int{
			{"TcpExt", "ListenOverflows"}: 5 * min(max(i-22, 0), 6), {"Tcp", "OutSegs"}: 100 * i, {"Tcp", "RetransSegs"}: 2 * min(max(i-41, 0), 7),
		} {
			recording.Append(w, recording.ProtocolSample{At: at, NetNS: 1, Protocol: name[0], Name: name[1], Value: 1000 + int64(v)})
		}
		kills := uint64(0)
		if i > 53 {
			kills = 1
		}
		recording.Append(w, recording.VMStatSample{At: at, OOMKills: kills})
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, r := range Refusals(rec, 10*time.Second) {
		got = append(got, fmt.Sprintf("%s-%s %.1f", r.From.UTC().Format("05"), r.To.UTC().Format("05"), r.Rate))
	}
	if want := []string{"20-30 2.7", "40-50 1.3", "50-00 0.1"}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
