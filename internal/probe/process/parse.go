package process

import (
	"bytes"
	"cmp"
	"math"

	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// parseStatus takes the lines of /proc/PID/status that stat does not have.
func parseStatus(row *recording.ProcessSample, b []byte) {
	if !row.Kernel && row.State != "Z" && row.State != "X" {
		// Without memory there are no such lines: a process that is just ending.
		row.Anon, row.File, row.Shmem, row.Swap = 0, 0, 0, 0
	}
	for name, n := range procfile.Numbers(b) {
		switch string(name) {
		case "RssAnon:":
			row.Anon = n << 10
		case "RssFile:":
			row.File = n << 10
		case "RssShmem:":
			row.Shmem = n << 10
		case "VmSwap:":
			row.Swap = n << 10
		case "THP_enabled:": // since 5.0
			row.NoHugePages = n == 0
		case "voluntary_ctxt_switches:":
			row.Voluntary = n
		case "nonvoluntary_ctxt_switches:":
			row.Involuntary = n
		}
	}
	// The first number is the real one, for which the kernel counts tasks (RLIMIT_NPROC).
	if _, ids, ok := bytes.Cut(b, []byte("\nUid:")); ok {
		if user, _, ok := procfile.NextUint(ids); ok {
			row.UID = int64(min(user, math.MaxInt64))
		}
	}
}

// parseIO takes /proc/PID/io (kernel Documentation/filesystems/proc.rst).
func parseIO(row *recording.ProcessSample, b []byte) {
	for name, n := range procfile.Numbers(b) {
		switch string(name) {
		case "rchar:":
			row.ReadChars = n
		case "wchar:":
			row.WriteChars = n
		case "syscr:":
			row.ReadCalls = n
		case "syscw:":
			row.WriteCalls = n
		case "read_bytes:":
			row.ReadBytes = n
		case "write_bytes:":
			row.WriteBytes = n
		case "cancelled_write_bytes:":
			row.Cancelled = n
		}
	}
}

// Groups are the control groups of a process, as paths in the hierarchies that limit
// CPU, memory and block I/O.
type Groups struct{ CPU, Memory, IO string }

// Cgroups picks the paths from /proc/PID/cgroup. A v1 controller wins over the v2
// line, which on a hybrid host has no controllers.
func Cgroups(b []byte) Groups {
	var unified, cpu, memory, io []byte
	for line := range procfile.Lines(b) {
		_, rest, ok := bytes.Cut(line, []byte{':'})
		if !ok {
			continue
		}
		controllers, path, ok := bytes.Cut(rest, []byte{':'})
		if !ok {
			continue
		}
		if len(controllers) == 0 {
			unified = path
			continue
		}
		for name := range bytes.SplitSeq(controllers, []byte{','}) {
			switch string(name) {
			case "cpu":
				cpu = path
			case "memory":
				memory = path
			case "blkio":
				io = path
			}
		}
	}
	all := string(unified)
	return Groups{cmp.Or(string(cpu), all), cmp.Or(string(memory), all), cmp.Or(string(io), all)}
}
