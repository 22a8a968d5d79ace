package summary

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Time passes also when nothing is counted, as far as the slowest worker is.
func TestPassed(t *testing.T) {
	var got []int64
	c := New(2, Options{Passed: func(before int64) { got = append(got, before) }})
	c.Worker(0).Progress(105 * second)
	c.Worker(1).Progress(104 * second)
	c.Worker(1).Progress(104*second + int64(time.Millisecond))
	c.Worker(1).Progress(120 * second)
	c.Result()
	if diff := cmp.Diff([]int64{102, 103, 118}, got); diff != "" {
		t.Error(diff)
	}
}
