package event

import "testing"

// A CPU that comes online later has no clock, and one that was offline has one that runs no
// more.
func TestCPUsWithoutAClock(t *testing.T) {
	c := clocks{0: {}, 1: {}, 3: {}}
	for _, step := range []struct {
		online []int
		want   int64
	}{
		{[]int{0, 1, 3}, 0},
		{[]int{0, 3}, 0}, // CPU 1 is offline: there is nothing to see
		{[]int{0, 1, 3}, 1},
		{[]int{0, 1, 2, 3, 4}, 3},
		{[]int{0, 1}, 1},
		{[]int{0, 1, 3}, 2},
	} {
		if got := c.without(step.online); got != step.want {
			t.Errorf("online %v: %d without a clock, want %d", step.online, got, step.want)
		}
	}
}
