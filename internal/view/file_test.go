package view

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/recording"
)

func TestSumFiles(t *testing.T) {
	row := func(at int64, path string, size, bytes int64) recording.FileSum {
		return recording.FileSum{At: time.Unix(at, 0), PID: 7, Process: "db", Kind: recording.FileRegular, Path: path, Device: "8:1", Span: 2 * time.Second, Size: size,
			Reads: 1, ReadBytes: bytes, Writes: 3, WrittenBytes: 10 * bytes, SmallWrites: 2, SmallBytes: 5, DirectRead: 6, DirectWritten: 7, Opens: 8, Created: 9}
	}
	got := SumFiles([]recording.FileSum{row(2, "/small", 5, 1), row(2, "/log", 100, 30), row(4, "/log", 400, 10), {At: time.Unix(4, 0), PID: 7, Process: "db", Kind: recording.FileNone, Span: 2 * time.Second, FailedOpens: 2, Deleted: 3},
		// Of deletions the device is not known.
		{At: time.Unix(4, 0), PID: 7, Process: "db", Kind: recording.FileRegular, Path: "/small", Span: 2 * time.Second, Deleted: 1}}, 0)
	want := []FileUse{
		{PID: 7, Process: "db", Kind: "file", Path: "/log", Device: "8:1", Size: 400, Grown: 300, Reads: 2, ReadBytes: 40, Writes: 6, WrittenBytes: 400, SmallWrites: 4, SmallBytes: 10,
			DirectRead: 12, DirectWritten: 14, Opens: 16, Created: 18, Between: 2 * time.Second, Span: 4 * time.Second},
		{PID: 7, Process: "db", Kind: "file", Path: "/small", Device: "8:1", Size: 5, Reads: 1, ReadBytes: 1, Writes: 3, WrittenBytes: 10, SmallWrites: 2, SmallBytes: 5,
			DirectRead: 6, DirectWritten: 7, Opens: 8, Created: 9, Deleted: 1, Span: 4 * time.Second},
		{PID: 7, Process: "db", Kind: "none", FailedOpens: 2, Deleted: 3, Span: 4 * time.Second},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	if per := got[0].PerSecond(got[0].Writes); per != 1.5 {
		t.Errorf("%v writes a second", per)
	}
}
