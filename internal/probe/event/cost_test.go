package event

import (
	"testing"
	"time"

	"rtrail/internal/recording"
)

// What programs cost is judged however short the intervals are, over half a second or more.
func TestShortIntervals(t *testing.T) {
	now := time.Unix(100, 0)
	b := bill{from: now}
	judged := 0
	for range 10 {
		now = now.Add(200 * time.Millisecond)
		rows := []recording.EventProgram{{Program: "cheap"}, {Program: "dear", RunTime: 20 * time.Millisecond}}
		dearest, share := b.dear(rows, now)
		if dearest == nil {
			continue
		}
		judged++
		if dearest.Program != "dear" || share < 0.099 || share > 0.101 {
			t.Errorf("%s takes %v of a core", dearest.Program, share)
		}
	}
	if judged != 3 {
		t.Errorf("it was judged %d times in two seconds", judged)
	}
}
