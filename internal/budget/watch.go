package budget

import (
	"context"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

// watchInterval is how often the memory of the process is looked at: often enough
// for a list that doubles, which takes longer to be filled.
const watchInterval = 200 * time.Millisecond

// OfProcess is how many bytes the process may take where some memory is there,
// beyond which it ends rather than have the kernel kill others.
func OfProcess(available int64) int64 { return max(available/8*7, 4*minEvidence) }

// Watch bounds the memory of this process by what is there now: garbage is
// collected more often when it comes near (GOMEMLIMIT, which the user's own
// setting precedes), and exceeded is called once it is passed.
func Watch(ctx context.Context, exceeded func(bytes, limit int64)) {
	available := Available("/")
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(OfGo(available))
	}
	go watch(ctx, OfProcess(available), "/proc/self/statm", exceeded)
}

func watch(ctx context.Context, limit int64, statm string, exceeded func(bytes, limit int64)) {
	f, err := os.Open(statm)
	if err != nil {
		return
	}
	defer f.Close()
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	line := make([]byte, 128)
	for {
		n, _ := f.ReadAt(line, 0)
		if used := anonymous(string(line[:n])); used > limit {
			exceeded(used, limit)
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
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
