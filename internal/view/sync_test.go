package view

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/recording"
)

func TestSumSyncs(t *testing.T) {
	row := func(at int64, path, histogram string, calls int64) recording.SyncSum {
		return recording.SyncSum{At: time.Unix(at, 0), PID: 7, Process: "db", Call: "fsync", Path: path, Device: "8:1", Span: 2 * time.Second,
			Calls: calls, Time: time.Duration(calls) * 100 * time.Millisecond, Longest: 200 * time.Millisecond, Histogram: histogram}
	}
	got := SumSyncs([]recording.SyncSum{row(2, "/log", "64us:1 262144us:9", 10), row(2, "/data", "", 1), row(4, "/log", "128us:2 262144us:8 x 5:y -1us:4", 10)}, 0)
	want := []Sync{
		{PID: 7, Process: "db", Call: "fsync", Path: "/log", Device: "8:1", Calls: 20, PerSecond: 5, Time: 2 * time.Second, Mean: 0.5, Longest: 200 * time.Millisecond,
			Steps: Steps{{64 * time.Microsecond, 1}, {128 * time.Microsecond, 2}, {262144 * time.Microsecond, 17}}},
		{PID: 7, Process: "db", Call: "fsync", Path: "/data", Device: "8:1", Calls: 1, PerSecond: 0.25, Time: 100 * time.Millisecond, Mean: 0.025, Longest: 200 * time.Millisecond},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	if s := &got[0]; s.AtMost(0.1) != 128*time.Microsecond || s.AtMost(0.5) != 200*time.Millisecond || s.Average() != 100*time.Millisecond {
		t.Errorf("at most %v and %v, average %v", s.AtMost(0.1), s.AtMost(0.5), s.Average())
	}
}

func TestSumSyscalls(t *testing.T) {
	row := func(at int64, call string, errno int32, calls int64) recording.SyscallSum {
		return recording.SyscallSum{At: time.Unix(at, 0), PID: 7, Process: "db", Call: call, Error: errno, Span: 2 * time.Second, Calls: calls, Time: time.Duration(calls) * time.Millisecond,
			Longest: time.Millisecond, Returned: 2 * calls, Nothing: 1}
	}
	got := SumSyscalls([]recording.SyscallSum{row(2, "read", 0, 100), row(2, "read", 11, 300), row(4, "read", 4, 200), row(4, "write", 0, 2)}, 0)
	want := []Syscall{
		{PID: 7, Process: "db", Call: "read", Calls: 600, PerSecond: 150, Errors: 500, Error: "EAGAIN", OfError: 300, Returned: 1200, Nothing: 3, Time: 600 * time.Millisecond, Mean: 0.15, Longest: time.Millisecond},
		{PID: 7, Process: "db", Call: "write", Calls: 2, PerSecond: 0.5, Returned: 4, Nothing: 1, Time: 2 * time.Millisecond, Mean: 0.0005, Longest: time.Millisecond},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSumBlockIO(t *testing.T) {
	row := func(at int64, requests int64) recording.BlockSum {
		return recording.BlockSum{At: time.Unix(at, 0), Device: "sda", Operation: "read", PID: 7, Process: "db", Span: 2 * time.Second, Requests: requests, Bytes: 4096 * requests,
			Queue: time.Duration(requests) * time.Millisecond, QueueLongest: time.Duration(at) * time.Millisecond, QueueHistogram: "1024us:2",
			Service: time.Duration(requests) * time.Millisecond / 2, ServiceLongest: time.Millisecond, Histogram: "512us:2 1024us:1"}
	}
	got := SumBlockIO([]recording.BlockSum{row(2, 2), row(4, 6)}, 0)
	want := []BlockIO{{Device: "sda", Operation: "read", PID: 7, Process: "db", Requests: 8, PerSecond: 2, Bytes: 32768,
		Queue: 8 * time.Millisecond, QueueLongest: 4 * time.Millisecond, QueueSteps: Steps{{1024 * time.Microsecond, 4}},
		Service: 4 * time.Millisecond, ServiceLongest: time.Millisecond, ServiceSteps: Steps{{512 * time.Microsecond, 4}, {1024 * time.Microsecond, 2}}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
