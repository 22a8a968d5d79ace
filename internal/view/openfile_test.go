package view

import (
	"testing"
	"time"

	"rtrail/internal/recording"
)

func TestOpenFiles(t *testing.T) {
	row := func(at int64, path string, fd int32, inode uint64, position int64) recording.OpenFile {
		return recording.OpenFile{At: time.Unix(at, 0), PID: 7, Path: path, FD: fd, Inode: inode, Position: position, Size: position, Flags: 0o102001, Device: "8:1"}
	}
	got := openFiles([]recording.OpenFile{
		row(10, "/log", 3, 1, 1000), // had been written before
		row(10, "/data", 4, 9, 5000),
		row(11, "/log", 3, 1, 1600),
		row(12, "/log.1", 3, 1, 1700), // moved away
		row(12, "/log", 5, 2, 50),     // and made again
		row(13, "/log", 5, 2, 20),     // cut, and written again
		row(14, "/data", 4, 9, 5010),
	}, time.Unix(16, 0))
	want := map[string]float64{"/log": 600 + 50 + 20, "/log.1": 100, "/data": 10}
	for i := range got {
		f := &got[i]
		if f.Moved != want[f.Last.Path] || f.PerSecond != f.Moved/4 || !f.Append() {
			t.Errorf("%s: %v bytes, %v a second", f.Last.Path, f.Moved, f.PerSecond)
		}
	}
	if len(got) != len(want) || got[0].Last.Path != "/log" {
		t.Errorf("got %+v", got)
	}
	if once := openFiles([]recording.OpenFile{row(10, "/log", 3, 1, 1000)}, time.Unix(20, 0)); len(once) != 1 || Known(once[0].PerSecond) || once[0].Moved != 0 {
		t.Errorf("of one look: %+v", once)
	}
	// A burst, after which nothing changes until the window ends.
	burst := openFiles([]recording.OpenFile{row(10, "/log", 3, 1, 1000), row(11, "/log", 3, 1, 2000)}, time.Unix(20, 0))
	if burst[0].PerSecond != 100 || burst[0].Seconds != 10 || !burst[0].Again {
		t.Errorf("of a burst: %+v", burst)
	}
}
