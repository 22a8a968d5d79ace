package eventtest

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// Alone waits until no other test, of whatever package, resets connections in masses, and
// keeps others from it until this one ends: sums of the whole host have room for only so many.
func Alone(t *testing.T) {
	t.Helper()
	shared, err := os.Open(os.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = shared.Close() })
	if err := unix.Flock(int(shared.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
}
