package budget

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestWatch ends a process that takes more than there is, and no other.
func TestWatch(t *testing.T) {
	page := int64(os.Getpagesize())
	limit := OfProcess(0)
	pages := limit / page
	for name, c := range map[string]struct {
		resident, shared int64 // pages
		left             int64 // bytes that can still be taken at the second look
		end              bool
	}{
		"above the limit":             {pages + 1, 0, 0, true},
		"as much as the limit":        {pages, 0, 0, false},
		"most of it is mapped files":  {3 * pages, 2*pages + 1, 0, false},
		"nothing is told now":         {pages + 1, 0, -1, true},
		"a neighbour ended":           {pages + 1, 0, 4 * limit, false},
		"a little came back":          {8 * pages, 0, limit, true},
		"as much is left as is taken": {8 * pages, 0, 8 * limit, false},
	} {
		path := filepath.Join(t.TempDir(), "statm")
		if err := os.WriteFile(path, fmt.Appendf(nil, "%d %d %d 1 0 9 0", 9*pages, c.resident, c.shared), 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // after the first look
		ended, collect := false, int64(0)
		w := watcher{statm: path, available: func() (int64, bool) { return c.left, c.left >= 0 }, collect: func(bytes int64) { collect = bytes },
			exceeded: func(bytes, most int64) { ended = bytes == (c.resident-c.shared)*page && most == limit }}
		w.allow(0)
		w.run(ctx)
		if ended != c.end {
			t.Errorf("%s: ended %v, want %v", name, ended, c.end)
		}
		if w.limit != limit && collect != OfGo((c.resident-c.shared)*page+c.left) {
			t.Errorf("%s: the limit is raised, and garbage is collected from %d on", name, collect)
		}
	}
}

// TestWatchWithoutNumbers ends nothing where the kernel says nothing.
func TestWatchWithoutNumbers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "statm")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, statm := range []string{path, path + "x"} {
		(&watcher{statm: statm, exceeded: func(int64, int64) { t.Error("ended") }}).run(ctx)
	}
}

func TestLimitsInOrder(t *testing.T) {
	for _, available := range []int64{0, 1 << 28, 1 << 34} {
		if OfProcess(available) <= OfGo(available) {
			t.Errorf("of %d: the process ends before garbage is collected", available)
		}
	}
}

// TestNextLook never waits longer than it takes to fill half of what is left,
// unless that is less than a look takes.
func TestNextLook(t *testing.T) {
	for left, want := range map[int64]time.Duration{
		0:        soonestLook,
		1 << 30:  soonestLook,
		4 << 30:  500 * time.Millisecond,
		64 << 30: latestLook,
	} {
		if got := nextLook(left); got != want {
			t.Errorf("with %d bytes left: %v, want %v", left, got, want)
		}
	}
}
