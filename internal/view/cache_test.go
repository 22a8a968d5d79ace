package view

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/recording"
)

// Pages that were written to right away are no misses, and no more is waited for than is missed.
func TestSumCache(t *testing.T) {
	at := func(s int64) time.Time { return time.Unix(s, 0) }
	got := SumCache([]recording.CacheSum{
		{At: at(1), PID: 7, Process: "db", Device: "8:1", Span: time.Second, Read: 900, Faulted: 100, Added: 350, Waited: 20, Fresh: 100, Dirtied: 130, Removed: 5},
		{At: at(2), PID: 7, Process: "db", Device: "8:1", Span: time.Second, Read: 50, Added: 50},
		{At: at(2), PID: 9, Process: "kswapd0", Device: "8:1", Span: time.Second, Waited: 16, Removed: 400},
	}, 0)
	want := []CacheUse{
		{PID: 7, Process: "db", Device: "8:1", Asked: 1050, Missed: 300, Waited: 20, Fresh: 100, Dirtied: 130, Removed: 5, Span: 2 * time.Second},
		{PID: 9, Process: "kswapd0", Device: "8:1", Removed: 400, Span: 2 * time.Second},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got[0].Hits() != 750 || !math.IsNaN(got[1].HitShare()) {
		t.Errorf("%d hits; %v without pages asked for", got[0].Hits(), got[1].HitShare())
	}
}
