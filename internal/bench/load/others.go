package load

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// maxOthers bounds the processes of a host that are looked at.
const maxOthers = 100_000

// Going is what the processes of a host do for a moment, by their names and by their PIDs.
type Going struct {
	CPUs   map[string]float64 // CPU time per time, of all processes of a name, but those of the load
	Bytes  map[int32]float64  // read from and dirtied for storage per second, of those that were asked for
	Fewest int                // CPUs that one of the load may use by its affinity, the one with the fewest; 0: not known
}

// GoingOn looks at the processes of this host for a while: their CPU time by name, and the bytes
// that some of them, movers, move. own are those of the load. It ends early with ctx.
func GoingOn(ctx context.Context, length time.Duration, movers []int32, own map[int32]bool) Going {
	g := goingOn(ctx, "/proc", length, movers, own)
	for pid := range own {
		var set unix.CPUSet
		if unix.SchedGetaffinity(int(pid), &set) == nil && (g.Fewest == 0 || set.Count() < g.Fewest) {
			g.Fewest = set.Count()
		}
	}
	return g
}

func goingOn(ctx context.Context, proc string, length time.Duration, movers []int32, own map[int32]bool) Going {
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
		if n, err := strconv.Atoi(pid); err != nil || own[int32(n)] {
			continue
		}
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
