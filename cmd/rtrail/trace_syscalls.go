package main

import (
	"io"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/probe/event/syscalls"
	"rtrail/internal/recording"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

func newSyscallTrace(j *traceJob, out io.Writer) tracer {
	return &sumTrace[recording.SyscallSum, view.Syscall]{
		traceJob: j, out: out, reads: syscalls.New(j.interval), columns: syscallColumns, sum: view.SumSyscalls, cells: syscallCells,
		wanted: func(r *recording.SyscallSum) bool { return j.wants(r.PID, r.Process) },
		took:   func(s *view.Syscall) time.Duration { return s.Time },
		line:   func(at time.Time, s *view.Syscall) any { return syscallLine(at, s) },
	}
}

var syscallColumns = []document.Column{
	{Name: "process", Cut: true}, {Name: "PID", Right: true}, {Name: "syscall"}, {Name: "calls", Right: true}, {Name: "calls/s", Right: true}, {Name: "time", Right: true},
	{Name: "average", Right: true}, {Name: "longest", Right: true, Drop: 2}, {Name: "errors", Right: true}, {Name: "error", Drop: 1},
}

func syscallCells(s *view.Syscall) []string {
	return []string{s.Process, strconv.Itoa(int(s.PID)), s.Call, unit.Count(s.Calls).String(), unit.Count(s.PerSecond).String(), took(s.Time),
		ofSome(s.Calls, took, s.Average()), longest(s.Longest, s.Sliced), unit.Count(s.Errors).String(), s.Error}
}

// tracedSyscall is the JSON form of a sum.
type tracedSyscall struct {
	At        time.Time `json:"at"`
	Process   string    `json:"process"`
	PID       int32     `json:"pid"`
	Call      string    `json:"syscall"`
	Calls     int64     `json:"calls"`
	PerSecond float64   `json:"calls_per_second"`
	Seconds   float64   `json:"seconds"`
	Longest   float64   `json:"longest_seconds"`
	Errors    int64     `json:"errors"`
	Error     string    `json:"error,omitempty"`
	Bytes     *int64    `json:"returned_bytes"` // of calls whose results are bytes
}

// bytesReturned are the calls that return how many bytes they moved. Results of others are
// descriptors, PIDs and the like, which add up to nothing.
var bytesReturned = func() map[string]bool {
	calls := map[string]bool{}
	for name := range strings.FieldsSeq("read pread64 readv preadv preadv2 write pwrite64 writev pwritev pwritev2 recvfrom recvmsg sendto sendmsg " +
		"sendfile sendfile64 splice tee vmsplice copy_file_range getdents getdents64 getrandom readlink readlinkat process_vm_readv process_vm_writev") {
		calls[name] = true
	}
	return calls
}()

func syscallLine(at time.Time, s *view.Syscall) tracedSyscall {
	var sum *int64
	if bytesReturned[s.Call] {
		sum = &s.Returned
	}
	return tracedSyscall{At: at, Process: s.Process, PID: s.PID, Call: s.Call, Calls: s.Calls, PerSecond: s.PerSecond, Seconds: s.Time.Seconds(),
		Longest: s.Longest.Seconds(), Errors: s.Errors, Error: s.Error, Bytes: sum}
}
