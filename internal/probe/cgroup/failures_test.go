package cgroup

import (
	"testing"

	"rtrail/internal/recording"
)

// TestPlus: a counter that cannot be read makes the sum unknown, since what is left
// out of it once would be a rise when it can be read again.
func TestPlus(t *testing.T) {
	for _, c := range []struct{ sum, n, want int64 }{
		{0, 7, 7}, {7, 5, 12}, {7, recording.Unknown, recording.Unknown}, {recording.Unknown, 5, recording.Unknown},
	} {
		if got := plus(c.sum, c.n); got != c.want {
			t.Errorf("%d and %d: %d", c.sum, c.n, got)
		}
	}
}
