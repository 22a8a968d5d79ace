package load

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// maxOthers bounds the processes of a host that are looked at.
const maxOthers = 100_000

// Going is what the processes of a host do for a moment, by their names and by their PIDs.
type Going struct {
	CPUs  map[string]float64 // CPU time per time, of all processes of a name
	Bytes map[int32]float64  // read from and dirtied for storage per second, of those that were asked for
}

// GoingOn looks at the processes of this host for a while: their CPU time by name, and the bytes
// that some of them move. It ends early with ctx.
func GoingOn(ctx context.Context, length time.Duration, movers []int32) Going {
	return goingOn(ctx, "/proc", length, movers)
}

func goingOn(ctx context.Context, proc string, length time.Duration, movers []int32) Going {
	began := time.Now()
	before, moved := everybody(proc), make([]float64, len(movers))
	for i, pid := range movers {
		moved[i] = movedBytes(proc, pid)
	}
	t := time.NewTimer(length)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
	g := Going{CPUs: map[string]float64{}, Bytes: map[int32]float64{}}
	seconds := max(time.Since(began).Seconds(), 1e-3)
	for pid, s := range everybody(proc) {
		used := s.used
		if old := before[pid]; old.name == s.name && old.used <= used {
			used -= old.used
		}
		g.CPUs[s.name] += used / seconds
	}
	for i, pid := range movers {
		g.Bytes[pid] = max(0, movedBytes(proc, pid)-moved[i]) / seconds
	}
	return g
}

// everybody is what the processes of a host have used, by PID.
func everybody(proc string) map[string]stat {
	all := map[string]stat{}
	dir, err := os.Open(proc)
	if err != nil {
		return all
	}
	defer dir.Close()
	names, err := dir.Readdirnames(maxOthers)
	if err != nil {
		return all
	}
	for _, name := range names {
		if name[0] < '1' || name[0] > '9' {
			continue
		}
		if s, ok := readStat(filepath.Join(proc, name, "stat")); ok {
			all[name] = s
		}
	}
	return all
}

// movedBytes is what a process has read from and dirtied for storage; 0 where that is not readable.
func movedBytes(proc string, pid int32) (sum float64) {
	b, err := os.ReadFile(filepath.Join(proc, strconv.Itoa(int(pid)), "io"))
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(b) {
		name, value, _ := strings.Cut(strings.TrimSpace(string(line)), ": ")
		if name == "read_bytes" || name == "write_bytes" {
			if n, err := strconv.ParseUint(value, 10, 64); err == nil {
				sum += float64(n)
			}
		}
	}
	return sum
}
