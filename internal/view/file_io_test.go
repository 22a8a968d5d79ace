package view

import (
	"slices"
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

// In the middle of a long run, a file that does not change has its row when all files have one.
func TestLateFilesOfALongRun(t *testing.T) {
	row := func(at int64, path string, whole bool) recording.OpenFile {
		return recording.OpenFile{At: time.Unix(at, 0), PID: 7, FD: int32(len(path)), Path: path, Inode: uint64(len(path)), Flags: 0o100000, Device: "8:1", Whole: whole}
	}
	for _, f := range openFiles([]recording.OpenFile{
		row(10, "/changes", false), row(13, "/changes", true), row(13, "/rests", true), row(15, "/opened", false), row(17, "/opened", true),
	}, time.Unix(20, 0)) {
		if f.Late != (f.Last.Path == "/opened") {
			t.Errorf("%s: late %v", f.Last.Path, f.Late)
		}
	}
}

// What was counted of a process is not what another one does that has its PID now.
func TestEventsOfAnotherProcess(t *testing.T) {
	before, since := t0.Add(-time.Hour), t0.Add(5500*time.Millisecond)
	for _, c := range []struct {
		name    string
		started time.Time
		want    bool
	}{
		{"of the one before", before, false},
		{"of this one", since, true},
		{"of this one, by another clock", since.Add(200 * time.Millisecond), true},
		{"not known", time.Time{}, true},
	} {
		w := recording.NewWriter(t0)
		for s := range 11 {
			at := t0.Add(time.Duration(s) * time.Second)
			recording.Append(w, recording.DiskSample{At: at, Device: "sda", Major: 8})
			started, comm := before, "old"
			if s > 5 {
				started, comm = since, "young"
			}
			recording.Append(w, recording.ProcessSample{At: at, PID: 7, Comm: comm, Started: started, Full: true})
		}
		end := t0.Add(10 * time.Second)
		recording.Append(w, recording.FileSum{At: end, PID: 7, Started: c.started, Process: "p", Kind: recording.FileRegular, Path: "/srv/x", Device: "8:0", Span: 10 * time.Second, Reads: 100, ReadBytes: 100 << 20})
		recording.Append(w, recording.FileSum{At: end, PID: 7, Started: c.started, Process: "p", Kind: recording.FileRegular, Path: "/nfs/x", Device: "0:50", Span: 10 * time.Second, Reads: 100, ReadBytes: 100 << 20})
		recording.Append(w, recording.SyncSum{At: end, PID: 7, Started: c.started, Process: "p", Call: "fsync", Path: "/srv/y", Device: "8:0", Span: 10 * time.Second, Calls: 100, Time: time.Second})
		recording.Append(w, recording.OnCPUSample{At: end, PID: 7, Started: c.started, Process: "p", Function: "f", Samples: 100})
		rec := recording.New(recording.Manifest{})
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
		v := New(rec, t0, end)
		p, _ := v.Process(7)
		if files := v.FileIO(); (len(files) == 2) != c.want || v.Unplaced(p).Read != c.want || (v.CPUProfile(7).Samples == 100) != c.want {
			t.Errorf("%s: %+v, %+v, %d samples", c.name, files, v.Unplaced(p), v.CPUProfile(7).Samples)
		}
	}
}

// The bit of O_DIRECT differs between architectures, also from that which rtrail is built for.
func TestDirectOfOtherArchitectures(t *testing.T) {
	for flags, archs := range map[uint32][]string{0o40000: {"amd64", "x86_64", "riscv64", "s390x", "i686"}, 0o200000: {"arm64", "aarch64", "armv7l"}, 0o400000: {"ppc64le"}} {
		for _, arch := range []string{"amd64", "x86_64", "riscv64", "s390x", "i686", "arm64", "aarch64", "armv7l", "ppc64le"} {
			f := OpenFile{lacking: ^flags}
			if got, want := f.Direct(arch), slices.Contains(archs, arch); got != want {
				t.Errorf("flags %o on %s: direct is %v", flags, arch, got)
			}
		}
	}
}
