package budget

import (
	"context"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

const (
	// soonestLook is how often the memory of the process is looked at when little
	// is left: often enough for a list that doubles, which takes longer to be filled.
	soonestLook = 200 * time.Millisecond

	// latestLook bounds the wait where much is left.
	latestLook = 2 * time.Second

	// fastestGrowth is how many bytes a second the process can fill: each look wakes
	// it, and it is looked at no more often than that asks for.
	fastestGrowth = 4 << 30
)

// nextLook is how long to wait with so many bytes left.
func nextLook(left int64) time.Duration {
	fills := time.Duration(float64(left) / fastestGrowth * float64(time.Second))
	return min(max(fills/2, soonestLook), latestLook)
}

// OfProcess is how many bytes the process may take where some memory is there,
// beyond which it ends rather than have the kernel kill others.
func OfProcess(available int64) int64 { return max(available/8*7, 2*minEvidence) }

// Watch bounds the memory of this process by what is there: garbage is collected
// more often when it comes near (GOMEMLIMIT, which the user's own setting
// precedes), and exceeded is called once it is passed.
func Watch(ctx context.Context, exceeded func(bytes, limit int64)) {
	w := watcher{
		statm:     "/proc/self/statm",
		available: func() (int64, bool) { return availableBelow("/") },
		collect:   func(bytes int64) { debug.SetMemoryLimit(bytes) },
		exceeded:  exceeded,
	}
	if os.Getenv("GOMEMLIMIT") != "" {
		w.collect = func(int64) {}
	}
	w.allow(Available("/"))
	go w.run(ctx)
}

// watcher looks at the memory of the process.
type watcher struct {
	statm     string
	available func() (int64, bool)     // bytes that can still be taken; false: not known
	collect   func(bytes int64)        // sets from where on garbage is collected more often
	exceeded  func(bytes, limit int64) // ends the process
	limit     int64                    // bytes the process may take
}

// allow sets the limits where some memory is there for the process.
func (w *watcher) allow(available int64) {
	w.limit = OfProcess(available)
	w.collect(OfGo(available))
}

func (w *watcher) run(ctx context.Context) {
	f, err := os.Open(w.statm)
	if err != nil {
		return
	}
	defer f.Close()
	next := time.NewTimer(0)
	defer next.Stop()
	line := make([]byte, 128)
	for {
		n, _ := f.ReadAt(line, 0)
		used := anonymous(string(line[:n]))
		if used > w.limit && !w.raise(used) {
			w.exceeded(used, w.limit)
			return
		}
		next.Reset(nextLook(w.limit - used))
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		}
	}
}

// raise looks once more at what is there: a neighbour that ended since, or caches
// that were written back, leave more than there was in the beginning. false: the
// process takes too much of that as well.
func (w *watcher) raise(used int64) bool {
	left, ok := w.available()
	if !ok || used > OfProcess(used+left) {
		return false
	}
	w.allow(used + left)
	return true
}

// anonymous is what /proc/PID/statm says of memory that no file backs: a capture
// that is mapped can be dropped by the kernel.
func anonymous(statm string) int64 {
	f := strings.Fields(statm)
	if len(f) < 3 {
		return 0
	}
	resident, err1 := strconv.ParseInt(f[1], 10, 64)
	shared, err2 := strconv.ParseInt(f[2], 10, 64)
	if err1 != nil || err2 != nil {
		return 0
	}
	return (resident - shared) * int64(os.Getpagesize())
}
