package lab

import (
	"os"
	"testing"

	"rtrail/internal/lab/actor"
)

// TestMain lets the test binary be the actors, as rtrail itself is.
func TestMain(m *testing.M) {
	if actor.Main() {
		return
	}
	if os.Getenv("LAB_TEST_HELPER") != "" {
		helper()
		return
	}
	os.Exit(m.Run())
}
