package budget

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// TestWatch ends a process that takes more than there is, and no other.
func TestWatch(t *testing.T) {
	page := int64(os.Getpagesize())
	for text, want := range map[string]int64{
		"500 300 100 1 0 9 0": 200 * page, // above the limit
		"500 300 250 1 0 9 0": 0,          // most of it is mapped files
		"500 90 0 1 0 9 0":    0,
		"":                    0,
	} {
		path := filepath.Join(t.TempDir(), "statm")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // after the first look
		got := int64(0)
		watch(ctx, 100*page, path, func(bytes, _ int64) { got = bytes })
		if got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	for _, available := range []int64{0, 1 << 28, 1 << 34} {
		if OfProcess(available) <= OfGo(available) {
			t.Errorf("of %d: the process ends before garbage is collected", available)
		}
	}
}
