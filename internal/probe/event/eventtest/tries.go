package eventtest

import (
	"strings"
	"testing"
)

// Holds compares what was measured with its judge, again if something is wrong: other tests
// on the same CPUs may take those from either for a moment. What is wrong three times fails.
func Holds(t *testing.T, measure func() (wrong []string)) {
	t.Helper()
	for range 3 {
		wrong := measure()
		if len(wrong) == 0 {
			return
		}
		t.Log(strings.Join(wrong, "; "))
	}
	t.Error("three times in a row")
}
