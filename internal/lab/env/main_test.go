package env

import (
	"os"
	"testing"
)

// TestMain lets the test binary be a lab that is killed.
func TestMain(m *testing.M) {
	if os.Getenv("LAB_TEST_HELPER") != "" {
		helper()
		return
	}
	os.Exit(m.Run())
}
