package view

import (
	"testing"
	"time"

	"rtrail/internal/recording"
)

// A path that several descriptors stand for is open for what any of them is, and past the page
// cache if all of them are; what was not there at the first look is late.
func TestOpenFileModes(t *testing.T) {
	row := func(at int64, fd int32, path string, size int64, flags uint32) recording.OpenFile {
		return recording.OpenFile{At: time.Unix(at, 0), PID: 7, FD: fd, Path: path, Inode: uint64(len(path)), Size: size, Flags: flags, Device: "8:1"}
	}
	files := openFiles([]recording.OpenFile{
		row(10, 3, "/both", 50, 0o100002), row(10, 4, "/both", 50, 0o140000), row(10, 5, "/direct", 900, 0o140000),
		row(12, 5, "/direct", 500, 0o140000), row(12, 6, "/direct", 500, 0o140001), row(12, 7, "/later", 0, 0o100000),
	}, time.Unix(12, 0))
	for _, f := range files {
		want := map[string]OpenFile{"/both": {Readable: true, Writable: true}, "/direct": {Readable: true, Writable: true, Grown: -400}, "/later": {Readable: true, Late: true}}[f.Last.Path]
		if f.Readable != want.Readable || f.Writable != want.Writable || f.Late != want.Late || f.Grown != want.Grown || f.Direct("x86_64") != (f.Last.Path == "/direct") || f.Direct("arm64") {
			t.Errorf("%+v", f)
		}
	}
}
