package recording

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"
)

// Of each thing the first row of each step is read, of all segments, whichever came when.
func TestOpenThinned(t *testing.T) {
	now := second(0) // twenty seconds into a minute
	path := filepath.Join(t.TempDir(), "rec")
	d, err := Create(path, Manifest{Started: now}, Options{SegmentLength: 40 * time.Second, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 100 {
		now = second(n)
		w := NewWriter(now)
		Append(w, SystemSample{At: now})
		for i, name := range []string{"ListenDrops", "ListenOverflows"} {
			if i == 0 || n >= 50 { // one came later
				Append(w, ProtocolSample{At: now, NetNS: 1, Protocol: "TcpExt", Name: name, Value: int64(n)})
			}
		}
		if err := d.Commit(w); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	rec, err := OpenThinned(t.Context(), path, 0, second(5), second(90), 20*time.Second, Protocol)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]int64{}
	for _, r := range Rows[ProtocolSample](rec) {
		got[r.Name] = append(got[r.Name], r.Value)
	}
	for name, all := range got {
		thinned := []int64{}
		for i, v := range all {
			if v < 5 || v > 90 {
				t.Errorf("%s: %d was not asked for", name, v)
			}
			if i == 0 || second(int(v)).Unix()/20 != second(int(all[i-1])).Unix()/20 {
				thinned = append(thinned, v)
			}
		}
		// A segment that begins within a step has its first row, too.
		if len(all) > len(thinned)+3 {
			t.Errorf("%s: %d rows of %d steps", name, len(all), len(thinned))
		}
		got[name] = thinned
	}
	if want := map[string][]int64{"ListenDrops": {5, 20, 40, 60, 80}, "ListenOverflows": {50, 60, 80}}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if rec.Count(System) != 0 {
		t.Error("another table is read")
	}
}
