package stack

import (
	"strings"
	"testing"
)

// TestCrashCostsItsSample has one sample of three panic.
func TestCrashCostsItsSample(t *testing.T) {
	var w watch
	taken := 0
	for i := range 3 {
		w.guarded(func() {
			if i == 1 {
				panic("no stack")
			}
			taken++
		})
	}
	if taken != 2 || w.crashes != 1 || !strings.Contains(w.crash.Error(), "crashed (bug): no stack, at ") {
		t.Errorf("%d taken, %d crashes, %v", taken, w.crashes, w.crash)
	}
}
