package census

import (
	"bytes"
	"time"

	"rtrail/internal/probe/procfile"
)

// Tick is the unit of times in /proc/PID/stat. The kernel converts to
// USER_HZ, which is 100 on every architecture that matters here.
const Tick = time.Second / 100

// kernelThread is PF_KTHREAD of include/linux/sched.h.
const kernelThread = 0x00200000

// Stat is what /proc/PID/stat holds (kernel fs/proc/array.c).
type Stat struct {
	Comm        string
	State       byte
	PPID        int32
	Kernel      bool
	MinorFaults int64
	MajorFaults int64
	User        time.Duration
	System      time.Duration
	ChildUser   time.Duration
	ChildSystem time.Duration
	Nice        int32
	Threads     int32
	StartTicks  uint64 // since boot
	VirtualSize int64  // bytes
	RSSPages    int64
	Processor   int32
}

// ParseStat parses /proc/PID/stat or /proc/PID/task/TID/stat. comm turns the
// name into a string, so that the caller can keep it instead of allocating.
func ParseStat(b []byte, comm func([]byte) string) (Stat, bool) {
	// The name may hold blanks and parentheses; the last one closes it.
	open, shut := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if open < 0 || shut < open || shut+2 >= len(b) {
		return Stat{}, false
	}
	s := Stat{Processor: -1}
	rest := bytes.TrimRight(b[shut+1:], "\n")
	field, rest := procfile.Field(rest)
	if len(field) != 1 {
		return Stat{}, false
	}
	s.State = field[0]
	for column := 4; column <= 39; column++ {
		field, rest = procfile.Field(rest)
		if len(field) == 0 {
			// Everything up to the resident size has been there forever.
			if column <= 24 {
				return Stat{}, false
			}
			break
		}
		n, ok := procfile.Int(field)
		if !ok {
			return Stat{}, false
		}
		s.set(column, n)
	}
	s.Comm = comm(b[open+1 : shut])
	return s, true
}

// set takes one column, numbered as proc_pid_stat(5) does.
func (s *Stat) set(column int, n int64) {
	switch column {
	case 4:
		s.PPID = int32(n)
	case 9:
		s.Kernel = n&kernelThread != 0
	case 10:
		s.MinorFaults = n
	case 12:
		s.MajorFaults = n
	case 14:
		s.User = ticks(n)
	case 15:
		s.System = ticks(n)
	case 16:
		s.ChildUser = ticks(n)
	case 17:
		s.ChildSystem = ticks(n)
	case 19:
		s.Nice = int32(n)
	case 20:
		s.Threads = int32(n)
	case 22:
		s.StartTicks = uint64(n)
	case 23:
		s.VirtualSize = n
	case 24:
		s.RSSPages = n
	case 39:
		s.Processor = int32(n)
	}
}

// ticks converts; numbers that no machine can have run for become 0.
func ticks(n int64) time.Duration {
	const maxTicks = int64(1<<63-1) / int64(Tick)
	if n < 0 || n > maxTicks {
		return 0
	}
	return time.Duration(n) * Tick
}

// Sched is what /proc/PID/task/TID/schedstat holds. The file of a process is
// that of its main thread.
type Sched struct {
	RunTime  time.Duration // on a CPU
	RunDelay time.Duration // runnable, waiting for a CPU
	Slices   int64         // times it was put on a CPU
}

// ParseSched parses schedstat (kernel Documentation/scheduler/sched-stats.rst).
func ParseSched(b []byte) (Sched, bool) {
	line, _ := procfile.Line(b)
	var n [3]int64
	for i := range n {
		var field []byte
		field, line = procfile.Field(line)
		v, ok := procfile.Int(field)
		if !ok || v < 0 {
			return Sched{}, false
		}
		n[i] = v
	}
	return Sched{RunTime: time.Duration(n[0]), RunDelay: time.Duration(n[1]), Slices: n[2]}, true
}

// NamespaceInode reads the inode from the target of /proc/PID/ns/*, as
// "net:[4026531840]".
func NamespaceInode(b []byte) (uint64, bool) {
	_, rest, ok := bytes.Cut(b, []byte{'['})
	if !ok {
		return 0, false
	}
	digits, _, ok := bytes.Cut(rest, []byte{']'})
	if !ok {
		return 0, false
	}
	return procfile.Uint(digits)
}
