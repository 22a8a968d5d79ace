package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/probe/event/files"
	"rtrail/internal/recording"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// fileFilter chooses files.
type fileFilter struct {
	paths []string // parts of them; none: all
}

func (f *fileFilter) wants(path string) bool {
	for _, part := range f.paths {
		if strings.Contains(path, part) {
			return true
		}
	}
	return len(f.paths) == 0
}

func newFilesTrace(j *traceJob, filter *fileFilter, out io.Writer) tracer {
	return &sumTrace[recording.FileSum, view.FileUse]{
		traceJob: j, out: out, reads: files.New(), columns: fileColumns, sum: view.SumFiles, cells: fileCells,
		wanted: func(r *recording.FileSum) bool { return j.wants(r.PID, r.Process) && filter.wants(r.Path) },
		took:   func(*view.FileUse) time.Duration { return 0 },
		line:   func(at time.Time, f *view.FileUse) any { return fileLine(at, f) },
	}
}

// Those of filetop, and what it does not tell.
var fileColumns = []document.Column{
	{Name: "process", Cut: true}, {Name: "PID", Right: true}, {Name: "reads", Right: true}, {Name: "writes", Right: true}, {Name: "read", Right: true}, {Name: "written", Right: true},
	{Name: "small", Right: true, Drop: 1}, {Name: "direct", Right: true, Drop: 4}, {Name: "opens", Right: true, Drop: 2}, {Name: "failed", Right: true, Drop: 5}, {Name: "new", Right: true, Drop: 3},
	{Name: "deleted", Right: true, Drop: 6}, {Name: "T"}, {Name: "file", Cut: true},
}

// fileLetters are the kinds of files as filetop has them.
var fileLetters = map[string]string{recording.FileRegular: "R", recording.FileDirectory: "D", recording.FileBlock: "B", recording.FileSpecial: "S"}

func fileCells(f *view.FileUse) []string {
	size := func(n int64) string { return unit.Bytes(n).String() }
	count := func(n int64) string { return unit.Count(n).String() }
	path := f.Path
	switch {
	case f.Kind == recording.FileOthers:
		path = "all other files"
	case f.Kind == recording.FileNone:
		path = fmt.Sprintf("(%d opens failed, %d deleted)", f.FailedOpens, f.Deleted)
	}
	return []string{f.Process, strconv.Itoa(int(f.PID)), count(f.Reads), count(f.Writes), size(f.ReadBytes), size(f.WrittenBytes),
		count(f.SmallWrites), size(f.DirectRead + f.DirectWritten), count(f.Opens), count(f.FailedOpens), count(f.Created), count(f.Deleted), fileLetters[f.Kind], path}
}

// tracedFile is the JSON form of a sum.
type tracedFile struct {
	At            time.Time `json:"at"`
	Process       string    `json:"process"`
	PID           int32     `json:"pid"`
	Kind          string    `json:"kind"`
	Path          string    `json:"path,omitempty"`
	Device        string    `json:"device,omitempty"`
	Size          int64     `json:"size_bytes"`
	Reads         int64     `json:"reads"`
	ReadBytes     int64     `json:"read_bytes"`
	Writes        int64     `json:"writes"`
	WrittenBytes  int64     `json:"written_bytes"`
	SmallWrites   int64     `json:"small_writes"`
	SmallBytes    int64     `json:"small_bytes"`
	DirectRead    int64     `json:"direct_read_bytes"`
	DirectWritten int64     `json:"direct_written_bytes"`
	Opens         int64     `json:"opens"`
	FailedOpens   int64     `json:"failed_opens"`
	Created       int64     `json:"created"`
	Deleted       int64     `json:"deleted"`
}

func fileLine(at time.Time, f *view.FileUse) tracedFile {
	return tracedFile{At: at, Process: f.Process, PID: f.PID, Kind: f.Kind, Path: f.Path, Device: f.Device, Size: f.Size, Reads: f.Reads, ReadBytes: f.ReadBytes,
		Writes: f.Writes, WrittenBytes: f.WrittenBytes, SmallWrites: f.SmallWrites, SmallBytes: f.SmallBytes, DirectRead: f.DirectRead, DirectWritten: f.DirectWritten,
		Opens: f.Opens, FailedOpens: f.FailedOpens, Created: f.Created, Deleted: f.Deleted}
}
