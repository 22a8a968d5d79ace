package view

import (
	"testing"
	"time"

	"rtrail/internal/recording"
)

// A sum of waits per second is that of the window's real length.
func TestPerSecond(t *testing.T) {
	for _, tt := range []struct {
		window, sum time.Duration
		want        float64
	}{
		{10 * time.Second, 5 * time.Second, 0.5},
		{time.Second, 5 * time.Second, 5},
		{150 * time.Millisecond, 39 * time.Second, 260},
		{500 * time.Millisecond, 100 * time.Millisecond, 0.2},
		{0, 3 * time.Second, 3}, // there is nothing to divide by
	} {
		start := time.Unix(1000, 0)
		v := New(recording.New(recording.Manifest{Format: recording.FormatVersion}), start, start.Add(tt.window))
		if got := v.PerSecond(tt.sum); got < tt.want*0.999 || got > tt.want*1.001 {
			t.Errorf("%v in a window of %v: %v per second, want %v", tt.sum, tt.window, got, tt.want)
		}
	}
}
